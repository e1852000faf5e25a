/* How does a program that runs many steps take batches from its host, and hand out results?
 *
 * Counters only grow; an item lies at its number modulo the size of the ring. Who waits looks for a
 * while before it sleeps: in training the other side is mostly there. Who sleeps says so before it
 * looks for the last time, and who has changed something looks whether anybody sleeps after that:
 * one of the two sees the other. A host is let sleep for a nap while the rings are half full.
 *
 * Where there is one processor, one side looking would keep the other from it, and each time that
 * they take turns costs as much as a short step. So each goes on as far as it can: the program
 * naps before it sleeps, and is woken out of that only by a host that will sleep itself. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "queue.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Times that a thread looks before it sleeps: some microseconds. */
enum { LOOKS = 2000 };
/* Nanoseconds that a side may be left asleep though there is something to do. */
enum { NAP = 1000000 };
/* What the program counts. */
enum { TAKEN, WRITTEN, FINISHED };
/* How the program sleeps. */
enum { AWAKE, NAPPING, ASLEEP };

struct s2_queue {
    pthread_mutex_t lock;
    pthread_cond_t for_program, for_host;
    int32_t batches, reports, n_values, n_results, n_kept;
    int64_t *value_bytes, *result_bytes;
    int64_t record; /* bytes of a report */
    const void **arrays;
    unsigned char *records;
    _Atomic int64_t counts[3]; /* see s2_queue_counts */
    _Atomic int64_t put, read, steps;
    _Atomic int closed, stopped;
    _Atomic int program_sleeps, host_sleeps;
    _Atomic int64_t asleep_since; /* of the host */
    int is_alone; /* on one processor */
    const void **kept; /* where it lies */
};

static int64_t sum(int32_t count, const int64_t *bytes)
{
    int64_t total = 0;
    for (int32_t i = 0; i < count; i++)
        total += bytes[i];
    return total;
}

static int64_t *copied(int32_t count, const int64_t *bytes)
{
    int64_t *copy = calloc((size_t)count + 1, sizeof *copy);
    if (copy && count)
        memcpy(copy, bytes, (size_t)count * sizeof *copy);
    return copy;
}

/* Whether this process may use one processor only. */
static int is_alone(void)
{
#if defined(__linux__)
    cpu_set_t allowed;
    if (!sched_getaffinity(0, sizeof allowed, &allowed))
        return CPU_COUNT(&allowed) == 1;
#endif
    return sysconf(_SC_NPROCESSORS_ONLN) == 1;
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

s2_queue *s2_queue_new(int32_t batches, int32_t n_values, const int64_t *value_bytes,
                       int32_t reports, int32_t n_results, const int64_t *result_bytes)
{
    s2_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return NULL;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->for_program, NULL);
    pthread_cond_init(&queue->for_host, NULL);
    queue->batches = batches;
    queue->reports = reports;
    queue->is_alone = is_alone();
    queue->n_values = n_values;
    queue->n_results = n_results;
    queue->record = sum(n_results, result_bytes);
    queue->value_bytes = copied(n_values, value_bytes);
    queue->result_bytes = copied(n_results, result_bytes);
    queue->arrays = calloc((size_t)batches * (size_t)n_values + 1, sizeof *queue->arrays);
    queue->records = malloc((size_t)reports * (size_t)queue->record + 1);
    if (!queue->value_bytes || !queue->result_bytes || !queue->arrays || !queue->records) {
        s2_queue_free(queue);
        return NULL;
    }
    return queue;
}

void s2_queue_free(s2_queue *queue)
{
    if (!queue)
        return;
    free(queue->kept);
    free(queue->value_bytes);
    free(queue->result_bytes);
    free(queue->arrays);
    free(queue->records);
    pthread_cond_destroy(&queue->for_host);
    pthread_cond_destroy(&queue->for_program);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

/* ---- waiting ------------------------------------------------------------------------------- */

static void rouse(s2_queue *queue, pthread_cond_t *side)
{
    pthread_mutex_lock(&queue->lock);
    pthread_cond_broadcast(side);
    pthread_mutex_unlock(&queue->lock);
}

/* Let the program look again. What it looks at was changed before. */
static void wake_program(s2_queue *queue)
{
    if (atomic_load(&queue->program_sleeps) > (queue->is_alone ? NAPPING : AWAKE))
        rouse(queue, &queue->for_program);
}

static void rest(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

typedef int (*condition)(s2_queue *queue);

static int64_t reports_waiting(s2_queue *queue)
{
    return atomic_load(&queue->counts[WRITTEN]) - atomic_load(&queue->read);
}

static int64_t batches_waiting(s2_queue *queue)
{
    return atomic_load(&queue->put) - atomic_load(&queue->counts[TAKEN]);
}

static int has_batch_or_end(s2_queue *queue)
{
    return batches_waiting(queue) > 0 || atomic_load(&queue->closed);
}

static int has_room_for_report(s2_queue *queue)
{
    return reports_waiting(queue) < queue->reports;
}

static int host_may_go_on(s2_queue *queue)
{
    return reports_waiting(queue) || atomic_load(&queue->counts[FINISHED]) || s2_queue_has_room(queue);
}

/* Let the host look again, where it is worth it. */
static void wake_host(s2_queue *queue)
{
    if (!atomic_load(&queue->host_sleeps))
        return;
    int64_t few = queue->is_alone ? 0 : queue->batches / 2;
    int is_urgent = batches_waiting(queue) <= few && !atomic_load(&queue->closed);
    is_urgent |= 2 * reports_waiting(queue) >= queue->reports || atomic_load(&queue->counts[FINISHED]);
    if (is_urgent || now() - atomic_load(&queue->asleep_since) > NAP)
        rouse(queue, &queue->for_host);
}

static struct timespec after(int64_t nanoseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    nanoseconds += time.tv_nsec;
    time.tv_sec += nanoseconds / 1000000000;
    time.tv_nsec = nanoseconds % 1000000000;
    return time;
}

/* The program waits. */
static void wait_for(s2_queue *queue, condition holds)
{
    for (int i = 0; i < LOOKS && !queue->is_alone; i++) {
        if (holds(queue))
            return;
        rest();
    }
    if (holds(queue))
        return;
    struct timespec until = after(NAP);
    pthread_mutex_lock(&queue->lock);
    atomic_store(&queue->program_sleeps, NAPPING);
    while (!holds(queue)) {
        if (atomic_load(&queue->program_sleeps) == ASLEEP)
            pthread_cond_wait(&queue->for_program, &queue->lock);
        else if (pthread_cond_timedwait(&queue->for_program, &queue->lock, &until) == ETIMEDOUT)
            atomic_store(&queue->program_sleeps, ASLEEP);
    }
    atomic_store(&queue->program_sleeps, AWAKE);
    pthread_mutex_unlock(&queue->lock);
}

/* ---- the host's side ----------------------------------------------------------------------- */

int s2_queue_has_room(s2_queue *queue)
{
    return batches_waiting(queue) < queue->batches && !atomic_load(&queue->closed);
}

int s2_queue_put(s2_queue *queue, const void *const *arrays)
{
    if (!s2_queue_has_room(queue))
        return 1;
    int64_t number = atomic_load(&queue->put);
    const void **place = queue->arrays + (number % queue->batches) * queue->n_values;
    for (int32_t i = 0; i < queue->n_values; i++)
        place[i] = arrays[i];
    atomic_store(&queue->put, number + 1);
    wake_program(queue);
    return 0;
}

int64_t s2_queue_taken(s2_queue *queue)
{
    return atomic_load(&queue->counts[TAKEN]);
}

const void *s2_queue_counts(const s2_queue *queue)
{
    return queue->counts;
}

void s2_queue_close(s2_queue *queue)
{
    atomic_store(&queue->closed, 1);
    wake_program(queue);
}

void s2_queue_stop(s2_queue *queue)
{
    atomic_store(&queue->stopped, 1);
    s2_queue_close(queue);
}

int64_t s2_queue_take_reports(s2_queue *queue, int64_t most, void *const *arrays)
{
    int64_t first = atomic_load(&queue->read), count = reports_waiting(queue);
    count = count < most ? count : most;
    for (int64_t number = 0; number < count; number++) {
        int64_t place = (first + number) % queue->reports;
        const unsigned char *from = queue->records + place * queue->record;
        for (int32_t i = 0; i < queue->n_results; i++) {
            size_t bytes = (size_t)queue->result_bytes[i];
            if (bytes)
                memcpy((unsigned char *)arrays[i] + (size_t)number * bytes, from, bytes);
            from += bytes;
        }
    }
    if (count) {
        atomic_store(&queue->read, first + count);
        wake_program(queue);
    }
    return count;
}

void s2_queue_wait(s2_queue *queue, double seconds)
{
    if (atomic_load(&queue->program_sleeps))
        rouse(queue, &queue->for_program);
    struct timespec until = after((int64_t)(seconds * 1e9));
    pthread_mutex_lock(&queue->lock);
    atomic_store(&queue->asleep_since, now());
    atomic_store(&queue->host_sleeps, 1);
    while (!host_may_go_on(queue)) {
        if (pthread_cond_timedwait(&queue->for_host, &queue->lock, &until) == ETIMEDOUT)
            break;
    }
    atomic_store(&queue->host_sleeps, 0);
    pthread_mutex_unlock(&queue->lock);
}

void s2_queue_finish(s2_queue *queue)
{
    atomic_store(&queue->counts[FINISHED], 1);
    wake_host(queue);
}

int s2_queue_is_finished(s2_queue *queue)
{
    return atomic_load(&queue->counts[FINISHED]) != 0;
}

int64_t s2_queue_steps(s2_queue *queue)
{
    return atomic_load(&queue->steps);
}

const void *s2_queue_kept(const s2_queue *queue, int32_t index)
{
    return index < queue->n_kept ? queue->kept[index] : NULL;
}

/* ---- the program's side -------------------------------------------------------------------- */

int s2_queue_next(s2_queue *queue, void *const *values, uint8_t *more)
{
    wait_for(queue, has_batch_or_end);
    int64_t number = atomic_load(&queue->counts[TAKEN]);
    *more = !atomic_load(&queue->stopped) && batches_waiting(queue) > 0;
    const void *const *from = queue->arrays + (number % queue->batches) * queue->n_values;
    for (int32_t i = 0; i < queue->n_values; i++) {
        size_t bytes = (size_t)queue->value_bytes[i];
        if (bytes && *more)
            memcpy(values[i], from[i], bytes);
        else if (bytes)
            memset(values[i], 0, bytes);
    }
    if (*more) {
        atomic_store(&queue->counts[TAKEN], number + 1);
        wake_host(queue);
    }
    return 0;
}

int s2_queue_report(s2_queue *queue, const void *const *results)
{
    wait_for(queue, has_room_for_report);
    int64_t number = atomic_load(&queue->counts[WRITTEN]);
    unsigned char *to = queue->records + (number % queue->reports) * queue->record;
    for (int32_t i = 0; i < queue->n_results; i++) {
        if (queue->result_bytes[i])
            memcpy(to, results[i], (size_t)queue->result_bytes[i]);
        to += queue->result_bytes[i];
    }
    atomic_store(&queue->counts[WRITTEN], number + 1);
    wake_host(queue);
    return 0;
}

int s2_queue_keep(s2_queue *queue, int32_t count, const void *const *state)
{
    if (count > queue->n_kept) {
        const void **kept = realloc(queue->kept, (size_t)count * sizeof *kept);
        if (!kept)
            return 1;
        queue->kept = kept;
    }
    queue->n_kept = count;
    for (int32_t i = 0; i < count; i++)
        queue->kept[i] = state[i];
    atomic_fetch_add(&queue->steps, 1);
    return 0;
}
