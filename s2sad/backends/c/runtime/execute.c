/* How is the table of a program run? */
#include "s2sad.h"

#include <stdlib.h>

/* profile.c */
int s2_profiled_call(s2_run *run, const s2_step *step, const int32_t *a,
                     int (*call)(s2_run *, const s2_step *, const int32_t *));

/* stacks.c */
void s2_run_drop(s2_run *run, s2_stack *stack);
void s2_run_free_stacks(s2_run *run);

static void *place_of(const s2_run *run, s2_slot slot, void *const *inputs, void *const *outputs)
{
    switch (slot.kind) {
    case S2_ARENA:
        return (char *)run->arena + slot.at;
    case S2_INPUT:
        return inputs[slot.at];
    case S2_OUTPUT:
        return outputs[slot.at];
    case S2_CONSTANT:
        return (void *)(uintptr_t)run->constants[slot.at];
    default:
        return NULL;
    }
}

s2_run *s2_run_new(const s2_program *program, void *const *constants)
{
    s2_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    size_t bytes = ((size_t)program->arena + 127) / 64 * 64;
    run->program = program;
    run->failed = -1;
    run->p = calloc((size_t)program->n_slots + 1, sizeof *run->p);
    run->constants = calloc((size_t)program->n_constants + 1, sizeof *run->constants);
    run->arena = aligned_alloc(64, bytes);
    if (!run->p || !run->constants || !run->arena) {
        s2_run_free(run);
        return NULL;
    }
    for (int32_t i = 0; i < program->n_constants; i++)
        run->constants[i] = constants[i];
    return run;
}

void s2_run_free(s2_run *run)
{
    if (!run)
        return;
    s2_run_free_stacks(run);
    free(run->p);
    free(run->constants);
    free(run->arena);
    free(run);
}

typedef struct {
    s2_run *run;
    const s2_step *step;
    const int32_t *args;
} part;

static int call_part(void *data, int64_t begin, int64_t end)
{
    const part *of = data;
    return of->step->call(of->run, of->run->p, of->args, begin, end);
}

/* Number of passes of range(start, stop, step), of which step is not 0. */
static int64_t passes(int64_t start, int64_t stop, int64_t step)
{
    if (step > 0 ? start >= stop : start <= stop)
        return 0;
    uint64_t span = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    return (int64_t)((span - 1) / stride + 1);
}

enum { DONE = 0, FAILED = 1, NO_MEMORY = 2 };

static int end_with(s2_run *run, const s2_step *step, int code)
{
    run->failed = step->place;
    run->step = (int32_t)(step - run->program->steps);
    return code;
}

static int call(s2_run *run, const s2_step *step, const int32_t *a)
{
    if (step->extent <= step->grain)
        return step->call(run, run->p, a, 0, step->extent);
    part whole = {run, step, a};
    return s2_parallel_for(step->extent, step->grain, call_part, &whole);
}

static int ask_host(s2_run *run, const s2_step *step, const int32_t *a)
{
    return run->host(run->host_data, step->place, run->p, a) ? FAILED : DONE;
}

/* `is_profiled` is known where this is called, so that who asks for no profile pays nothing. */
static inline __attribute__((always_inline)) int run_table(s2_run *run, bool is_profiled)
{
    const s2_program *program = run->program;
    void **p = run->p;
    for (int32_t at = 0; at < program->n_steps;) {
        const s2_step *step = &program->steps[at++];
        const int32_t *a = program->args + step->args;
        switch (step->op) {
        case S2_CALL: {
            int code = is_profiled ? s2_profiled_call(run, step, a, call) : call(run, step, a);
            if (code)
                return end_with(run, step, code);
            break;
        }
        case S2_HOST: {
            int code =
                is_profiled ? s2_profiled_call(run, step, a, ask_host) : ask_host(run, step, a);
            if (code)
                return end_with(run, step, code);
            break;
        }
        case S2_JUMP:
            at = step->target;
            break;
        case S2_UNLESS:
            if (!*(const uint8_t *)p[a[0]])
                at = step->target;
            break;
        case S2_FOR: {
            int64_t *counter = p[a[0]];
            counter[0] = *(const int64_t *)p[a[1]];
            counter[1] = *(const int64_t *)p[a[3]];
            if (!counter[1])
                return end_with(run, step, FAILED);
            counter[2] = passes(counter[0], *(const int64_t *)p[a[2]], counter[1]);
            if (!counter[2])
                at = step->target;
            else
                *(int64_t *)p[a[4]] = counter[0];
            break;
        }
        case S2_NEXT: {
            int64_t *counter = p[a[0]];
            if (--counter[2]) {
                counter[0] = (int64_t)((uint64_t)counter[0] + (uint64_t)counter[1]);
                *(int64_t *)p[a[4]] = counter[0];
                at = step->target;
            }
            break;
        }
        case S2_COPY:
            if (p[a[0]] != p[a[1]])
                memcpy(p[a[1]], p[a[0]], (size_t)step->extent);
            break;
        case S2_SWAP: {
            void *first = p[a[0]];
            p[a[0]] = p[a[1]];
            p[a[1]] = first;
            break;
        }
        case S2_SETTLE: {
            void *first = p[a[0]];
            if (first != p[a[2]]) {
                memcpy(p[a[2]], first, (size_t)step->extent);
                p[a[0]] = p[a[2]];
                p[a[1]] = first;
            }
            break;
        }
        case S2_ALIAS:
            p[a[1]] = p[a[0]];
            break;
        case S2_STACK_NEW:
            if (!(p[a[0]] = s2_run_stack(run, (size_t)step->extent)))
                return end_with(run, step, NO_MEMORY);
            break;
        case S2_STACK_PUSH:
            if (s2_stack_push(p[a[0]], p[a[1]]))
                return end_with(run, step, NO_MEMORY);
            break;
        case S2_STACK_ROOM:
            if (!(p[a[1]] = s2_stack_room(p[a[0]])))
                return end_with(run, step, NO_MEMORY);
            break;
        case S2_STACK_TAKE:
            if (!(p[a[1]] = s2_stack_take(p[a[0]])))
                return end_with(run, step, FAILED);
            break;
        case S2_STACK_POP:
            if (s2_stack_pop(p[a[0]], p[a[1]]))
                return end_with(run, step, FAILED);
            break;
        case S2_STACK_DROP:
            s2_run_drop(run, p[a[0]]);
            break;
        }
    }
    return DONE;
}

int s2_run_once(s2_run *run, void *const *inputs, void *const *outputs, s2_host host,
                void *host_data)
{
    const s2_program *program = run->program;
    for (int32_t i = 0; i < program->n_slots; i++)
        run->p[i] = place_of(run, program->slots[i], inputs, outputs);
    run->host = host;
    run->host_data = host_data;
    run->failed = -1;
    if (!run->profile)
        return run_table(run, false);
    run->profile->begun = s2_nanoseconds();
    int code = run_table(run, true);
    run->profile->ended = s2_nanoseconds();
    return code;
}

void s2_run_profile(s2_run *run, s2_profile *profile)
{
    run->profile = profile;
}

void *s2_run_place(const s2_run *run, int32_t slot)
{
    return run->p[slot];
}

int32_t s2_run_failed(const s2_run *run)
{
    return run->step;
}

void s2_run_serve(s2_run *run, void *const *queues)
{
    run->queues = queues;
}
