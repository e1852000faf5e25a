/* How does a program that runs many steps take batches from its host, and hand out results?
 *
 * Counters only grow; an item lies at its number modulo the size of the ring. Who waits looks for a
 * while before it sleeps: in training the other side is mostly there. */
#include "queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* Times that a thread looks before it sleeps: some microseconds. */
enum { LOOKS = 2000 };

struct s2_queue {
    pthread_mutex_t lock;
    pthread_cond_t for_program, for_host;
    int32_t batches, reports, n_values, n_results, n_kept;
    int64_t *value_bytes, *result_bytes;
    int64_t record; /* bytes of a report */
    const void **arrays;
    unsigned char *records;
    _Atomic int64_t put, taken, written, read, steps;
    _Atomic int closed, stopped, finished;
    void **kept;
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
    for (int32_t i = 0; i < queue->n_kept; i++)
        free(queue->kept[i]);
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

/* Let the other side look again. What it looks at was changed before. */
static void wake(s2_queue *queue, pthread_cond_t *side)
{
    pthread_mutex_lock(&queue->lock);
    pthread_cond_broadcast(side);
    pthread_mutex_unlock(&queue->lock);
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

static void wait_for(s2_queue *queue, condition holds)
{
    for (int i = 0; i < LOOKS; i++) {
        if (holds(queue))
            return;
        rest();
    }
    pthread_mutex_lock(&queue->lock);
    while (!holds(queue))
        pthread_cond_wait(&queue->for_program, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

static int has_batch_or_end(s2_queue *queue)
{
    return atomic_load(&queue->put) > atomic_load(&queue->taken) || atomic_load(&queue->closed);
}

static int has_report(s2_queue *queue)
{
    return atomic_load(&queue->written) > atomic_load(&queue->read);
}

static int has_room_for_report(s2_queue *queue)
{
    return atomic_load(&queue->written) - atomic_load(&queue->read) < queue->reports;
}

static int host_may_go_on(s2_queue *queue)
{
    return has_report(queue) || atomic_load(&queue->finished) || s2_queue_has_room(queue);
}

/* ---- the host's side ----------------------------------------------------------------------- */

int s2_queue_has_room(s2_queue *queue)
{
    int64_t waiting = atomic_load(&queue->put) - atomic_load(&queue->taken);
    return waiting < queue->batches && !atomic_load(&queue->closed);
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
    wake(queue, &queue->for_program);
    return 0;
}

int64_t s2_queue_taken(s2_queue *queue)
{
    return atomic_load(&queue->taken);
}

void s2_queue_close(s2_queue *queue)
{
    atomic_store(&queue->closed, 1);
    wake(queue, &queue->for_program);
}

void s2_queue_stop(s2_queue *queue)
{
    atomic_store(&queue->stopped, 1);
    s2_queue_close(queue);
}

int s2_queue_take_report(s2_queue *queue, int64_t *step, void *const *arrays)
{
    if (!has_report(queue))
        return 1;
    int64_t number = atomic_load(&queue->read);
    const unsigned char *from = queue->records + (number % queue->reports) * queue->record;
    for (int32_t i = 0; i < queue->n_results; i++) {
        if (queue->result_bytes[i])
            memcpy(arrays[i], from, (size_t)queue->result_bytes[i]);
        from += queue->result_bytes[i];
    }
    *step = number;
    atomic_store(&queue->read, number + 1);
    wake(queue, &queue->for_program);
    return 0;
}

void s2_queue_wait(s2_queue *queue, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    int64_t nanoseconds = until.tv_nsec + (int64_t)(seconds * 1e9);
    until.tv_sec += nanoseconds / 1000000000;
    until.tv_nsec = nanoseconds % 1000000000;
    pthread_mutex_lock(&queue->lock);
    while (!host_may_go_on(queue)) {
        if (pthread_cond_timedwait(&queue->for_host, &queue->lock, &until) == ETIMEDOUT)
            break;
    }
    pthread_mutex_unlock(&queue->lock);
}

void s2_queue_finish(s2_queue *queue)
{
    atomic_store(&queue->finished, 1);
    wake(queue, &queue->for_host);
}

int s2_queue_is_finished(s2_queue *queue)
{
    return atomic_load(&queue->finished);
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
    int64_t number = atomic_load(&queue->taken);
    *more = !atomic_load(&queue->stopped) && atomic_load(&queue->put) > number;
    const void *const *from = queue->arrays + (number % queue->batches) * queue->n_values;
    for (int32_t i = 0; i < queue->n_values; i++) {
        size_t bytes = (size_t)queue->value_bytes[i];
        if (bytes && *more)
            memcpy(values[i], from[i], bytes);
        else if (bytes)
            memset(values[i], 0, bytes);
    }
    if (*more) {
        atomic_store(&queue->taken, number + 1);
        wake(queue, &queue->for_host);
    }
    return 0;
}

int s2_queue_report(s2_queue *queue, const void *const *results)
{
    wait_for(queue, has_room_for_report);
    int64_t number = atomic_load(&queue->written);
    unsigned char *to = queue->records + (number % queue->reports) * queue->record;
    for (int32_t i = 0; i < queue->n_results; i++) {
        if (queue->result_bytes[i])
            memcpy(to, results[i], (size_t)queue->result_bytes[i]);
        to += queue->result_bytes[i];
    }
    atomic_store(&queue->written, number + 1);
    wake(queue, &queue->for_host);
    return 0;
}

/* Memory for what is kept, at the first step. */
static int make_kept(s2_queue *queue, int32_t count, const int64_t *bytes)
{
    queue->kept = calloc((size_t)count, sizeof *queue->kept);
    if (!queue->kept)
        return 1;
    for (; queue->n_kept < count; queue->n_kept++) {
        queue->kept[queue->n_kept] = malloc((size_t)bytes[queue->n_kept] + 1);
        if (!queue->kept[queue->n_kept])
            return 1;
    }
    return 0;
}

int s2_queue_keep(s2_queue *queue, int32_t count, const void *const *state, const int64_t *bytes)
{
    if (count && !queue->kept && make_kept(queue, count, bytes))
        return 1;
    for (int32_t i = 0; i < count; i++)
        if (bytes[i])
            memcpy(queue->kept[i], state[i], (size_t)bytes[i]);
    atomic_fetch_add(&queue->steps, 1);
    return 0;
}
