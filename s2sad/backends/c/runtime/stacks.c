/* How does a loop remember, in memory that grows: the tape of a gradient? */
#include "s2sad.h"

#include <stdlib.h>

/* Bytes of the first chunk; each later one is twice as large, up to LARGEST. */
enum { FIRST = 4096, LARGEST = 1 << 24 };

/* Bytes that the idle stacks of a run keep for the next ones: a page that is there already costs
 * nothing, and a new one more than to fill it. What is beyond goes back. */
enum { KEPT = 1 << 30 };

typedef struct chunk {
    struct chunk *below, *above;
    int64_t capacity; /* elements */
    int64_t before;   /* elements in the chunks below */
    _Alignas(64) unsigned char bytes[];
} chunk;

struct s2_stack {
    size_t element;
    size_t bytes;   /* of its chunks */
    s2_stack *next; /* of the run's list in which it stands */
    int64_t count;
    chunk *top; /* holds the last element, or is the first chunk */
};

s2_stack *s2_stack_new(size_t element_bytes)
{
    s2_stack *stack = calloc(1, sizeof *stack);
    if (stack)
        stack->element = element_bytes;
    return stack;
}

/* A chunk above `below`, with room for one element at least; NULL where no memory is left. */
static chunk *grow(s2_stack *stack, chunk *below)
{
    size_t wanted = below ? 2 * (size_t)below->capacity * stack->element : FIRST;
    if (wanted > LARGEST)
        wanted = LARGEST;
    int64_t capacity = stack->element ? (int64_t)(wanted / stack->element) : INT64_MAX / 4;
    if (capacity < 1)
        capacity = 1;
    size_t bytes = stack->element ? (size_t)capacity * stack->element : 0;
    size_t whole = (sizeof(chunk) + bytes + 63) / 64 * 64;
    chunk *made = aligned_alloc(64, whole);
    if (!made)
        return NULL;
    stack->bytes += whole;
    made->below = below;
    made->above = NULL;
    made->capacity = capacity;
    made->before = below ? below->before + below->capacity : 0;
    if (below)
        below->above = made;
    return made;
}

void *s2_stack_room(s2_stack *stack)
{
    chunk *top = stack->top;
    if (!top || stack->count - top->before == top->capacity) {
        chunk *above = top ? top->above : NULL;
        if (!above)
            above = grow(stack, top);
        if (!above)
            return NULL;
        stack->top = top = above;
    }
    return top->bytes + (size_t)(stack->count - top->before) * stack->element;
}

int s2_stack_push(s2_stack *stack, const void *element)
{
    void *room = s2_stack_room(stack);
    if (!room)
        return 1;
    if (room != element && stack->element)
        memcpy(room, element, stack->element);
    stack->count++;
    return 0;
}

void *s2_stack_take(s2_stack *stack)
{
    if (!stack->count)
        return NULL;
    chunk *top = stack->top;
    stack->count--;
    void *place = top->bytes + (size_t)(stack->count - top->before) * stack->element;
    if (stack->count == top->before && top->below)
        stack->top = top->below; /* the empty chunk stays above it, for the next push */
    return place;
}

int s2_stack_pop(s2_stack *stack, void *element)
{
    const void *place = s2_stack_take(stack);
    if (place && stack->element)
        memcpy(element, place, stack->element);
    return !place;
}

int64_t s2_stack_count(const s2_stack *stack)
{
    return stack->count;
}

const void *s2_stack_at(const s2_stack *stack, int64_t index)
{
    const chunk *part = stack->top;
    while (part->before > index)
        part = part->below;
    return part->bytes + (size_t)(index - part->before) * stack->element;
}

void s2_stack_clear(s2_stack *stack)
{
    while (stack->top && stack->top->below)
        stack->top = stack->top->below;
    stack->count = 0;
}

void s2_stack_free(s2_stack *stack)
{
    if (!stack)
        return;
    chunk *part = stack->top;
    while (part && part->above)
        part = part->above;
    while (part) {
        chunk *below = part->below;
        free(part);
        part = below;
    }
    free(stack);
}

static s2_stack *taken(s2_stack **list, s2_stack *stack)
{
    while (*list != stack)
        list = &(*list)->next;
    *list = stack->next;
    return stack;
}

static void put(s2_stack **list, s2_stack *stack)
{
    stack->next = *list;
    *list = stack;
}

s2_stack *s2_run_stack(s2_run *run, size_t element_bytes)
{
    s2_stack *stack = run->idle;
    while (stack && stack->element != element_bytes)
        stack = stack->next;
    stack = stack ? taken(&run->idle, stack) : s2_stack_new(element_bytes);
    if (stack)
        put(&run->live, stack);
    return stack;
}

void s2_run_drop(s2_run *run, s2_stack *stack)
{
    size_t kept = stack->bytes;
    for (const s2_stack *each = run->idle; each; each = each->next)
        kept += each->bytes;
    taken(&run->live, stack);
    if (kept > KEPT) {
        s2_stack_free(stack);
        return;
    }
    s2_stack_clear(stack);
    put(&run->idle, stack);
}

void s2_run_rest(s2_run *run)
{
    while (run->live)
        s2_run_drop(run, run->live);
}

void s2_run_free_stacks(s2_run *run)
{
    s2_run_rest(run);
    while (run->idle)
        s2_stack_free(taken(&run->idle, run->idle));
}
