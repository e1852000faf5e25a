/* How is work spread over the cores?
 *
 * One pool serves the process. A job is cut into numbered parts; `ticket` holds how many there are
 * and the next one to take, in one word, so who takes a part knows that its job still runs. Threads
 * take parts until none is left: who is slow takes fewer. Workers look for work for a while after
 * each part, and then sleep. A caller that finds the pool taken does all parts itself, in order. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "s2sad.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    PARTS_A_THREAD = 4, /* so that a thread that is held up holds up little */
    SPIN_NANOSECONDS = 50000,
    SPINS_A_LOOK = 32, /* at the clock */
    STACK_BYTES = 1 << 21,
    ALIGNMENT = 64,
};

#define NO_FAILURE UINT64_MAX

static struct {
    pthread_mutex_t mutex; /* guards going to sleep */
    pthread_cond_t work, finished;
    atomic_flag taken;     /* by the caller whose job runs */
    _Atomic uint64_t ticket;  /* number of parts, and in the low half the next part to take */
    _Atomic uint64_t failure; /* part and number of the first failure; NO_FAILURE */
    _Atomic uint32_t done;    /* parts that are finished */
    _Atomic int sleepers, waiting;
    _Atomic int limit; /* workers with this index or a higher one end */
    /* The job; it stands still as long as one of its parts is not done. */
    s2_task task;
    void *data;
    int64_t extent;
    int started; /* workers that live; only who has taken the pool looks at it */
    pthread_t workers[S2_MOST_THREADS];
} pool = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
    .finished = PTHREAD_COND_INITIALIZER,
    .taken = ATOMIC_FLAG_INIT,
    .failure = NO_FAILURE,
};

static _Atomic int wanted; /* number of threads; 0 as long as nobody asked */
static _Thread_local bool inside; /* of a part */
static _Thread_local int number; /* of a worker, from 1 on */
static _Thread_local s2_watch *watching;

/* ---- how many ----------------------------------------------------------------------------- */

static int usable_cores(void)
{
#ifdef __linux__
    for (int cores = 1024; cores <= 1 << 20; cores *= 4) {
        cpu_set_t *set = CPU_ALLOC(cores);
        if (!set)
            break;
        size_t bytes = CPU_ALLOC_SIZE(cores);
        int failed = sched_getaffinity(0, bytes, set);
        int count = failed ? 0 : CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
        if (count > 0)
            return count;
        if (errno != EINVAL)
            break;
    }
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 && online < S2_MOST_THREADS ? (int)online : 1;
}

static int within_limits(long count)
{
    return count < 1 ? 1 : count > S2_MOST_THREADS ? S2_MOST_THREADS : (int)count;
}

static int default_threads(void)
{
    const char *text = getenv("S2SAD_NUM_THREADS");
    char *end = NULL;
    long count = text ? strtol(text, &end, 10) : 0;
    if (text && *text && !*end && count > 0)
        return within_limits(count);
    return within_limits(usable_cores());
}

int s2_threads(void)
{
    int count = atomic_load_explicit(&wanted, memory_order_relaxed);
    if (!count) {
        int found = default_threads();
        /* Whoever comes first decides: the number changes only where someone sets it. */
        count = atomic_compare_exchange_strong(&wanted, &count, found) ? found : count;
    }
    return count;
}

void s2_set_threads(int count)
{
    atomic_store(&wanted, within_limits(count));
}

/* ---- parts -------------------------------------------------------------------------------- */

static uint32_t parts_of(int64_t extent, int64_t grain, int threads)
{
    int64_t fit = extent / (grain > 0 ? grain : 1), most = (int64_t)threads * PARTS_A_THREAD;
    if (threads == 1 || fit < 2)
        return 1;
    return (uint32_t)(fit < most ? fit : most);
}

/* Where part `part` of `count` begins. */
static int64_t begin_of(int64_t extent, uint32_t count, uint32_t part)
{
    int64_t size = extent / count, longer = extent % count;
    return size * part + (part < longer ? part : longer);
}

static int run_part(s2_task task, void *data, int64_t extent, uint32_t count, uint32_t part)
{
    return task(data, begin_of(extent, count, part), begin_of(extent, count, part + 1));
}

static int run_in_order(s2_task task, void *data, int64_t extent, uint32_t count)
{
    int failed = 0;
    for (uint32_t part = 0; part < count && !failed; part++)
        failed = run_part(task, data, extent, count, part);
    return failed;
}

static void note_failure(uint32_t part, int number)
{
    uint64_t mine = (uint64_t)part << 32 | (uint32_t)number;
    uint64_t known = atomic_load(&pool.failure);
    while (mine < known && !atomic_compare_exchange_weak(&pool.failure, &known, mine))
        ;
}

static void finish_part(uint32_t count)
{
    if (atomic_fetch_add(&pool.done, 1) + 1 != count || !atomic_load(&pool.waiting))
        return;
    pthread_mutex_lock(&pool.mutex);
    pthread_cond_signal(&pool.finished);
    pthread_mutex_unlock(&pool.mutex);
}

static bool has_parts(uint64_t ticket)
{
    return (uint32_t)ticket < ticket >> 32;
}

/* Take a part of the job and run it; false where there is none left. */
static bool take_part(void)
{
    uint64_t ticket = atomic_load_explicit(&pool.ticket, memory_order_acquire);
    do {
        if (!has_parts(ticket))
            return false;
    } while (!atomic_compare_exchange_weak_explicit(
        &pool.ticket, &ticket, ticket + 1, memory_order_acq_rel, memory_order_acquire));
    uint32_t part = (uint32_t)ticket, count = (uint32_t)(ticket >> 32);
    /* After a failure the parts before it still run: the first of all is what we give. */
    if (part < atomic_load(&pool.failure) >> 32) {
        int failed = run_part(pool.task, pool.data, pool.extent, count, part);
        if (failed)
            note_failure(part, failed);
    }
    finish_part(count);
    return true;
}

/* ---- waiting ------------------------------------------------------------------------------ */

int64_t s2_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void rest(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

static bool is_ended(int index)
{
    return index >= atomic_load(&pool.limit);
}

static bool has_cause(int index)
{
    return has_parts(atomic_load(&pool.ticket)) || is_ended(index);
}

static bool is_finished(int count)
{
    return atomic_load(&pool.done) == (uint32_t)count;
}

/* Look until `holds`, for a while; gives whether it does. */
static bool spin_until(bool (*holds)(int), int argument)
{
    int64_t end = s2_nanoseconds() + SPIN_NANOSECONDS;
    do {
        for (int i = 0; i < SPINS_A_LOOK; i++) {
            if (holds(argument))
                return true;
            rest();
        }
    } while (s2_nanoseconds() < end);
    return false;
}

/* Sleep until `holds`; `sleeping` tells who makes it hold that there is someone to wake: this
 * counts first and looks then, the other changes first and counts then, so one sees the other. */
static void sleep_until(
    bool (*holds)(int), int argument, pthread_cond_t *bell, _Atomic int *sleeping)
{
    pthread_mutex_lock(&pool.mutex);
    atomic_fetch_add(sleeping, 1);
    while (!holds(argument))
        pthread_cond_wait(bell, &pool.mutex);
    atomic_fetch_sub(sleeping, 1);
    pthread_mutex_unlock(&pool.mutex);
}

static void wake_workers(uint32_t count)
{
    if (!atomic_load(&pool.sleepers))
        return;
    pthread_mutex_lock(&pool.mutex);
    uint32_t sleeping = (uint32_t)atomic_load(&pool.sleepers);
    for (uint32_t i = 0; i < count && i < sleeping; i++)
        pthread_cond_signal(&pool.work);
    pthread_mutex_unlock(&pool.mutex);
}

/* ---- workers ------------------------------------------------------------------------------ */

static void *work(void *argument)
{
    int index = (int)(intptr_t)argument;
    inside = true;
    number = index + 1;
    while (!is_ended(index)) {
        while (take_part())
            ;
        if (!spin_until(has_cause, index))
            sleep_until(has_cause, index, &pool.work, &pool.sleepers);
    }
    return NULL;
}

static void end_workers(int count)
{
    atomic_store(&pool.limit, count);
    pthread_mutex_lock(&pool.mutex);
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.mutex);
    while (pool.started > count)
        pthread_join(pool.workers[--pool.started], NULL);
}

/* Start workers up to `count`; where the system gives fewer, these do the work. */
static void start_workers(int count)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes))
        return;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    atomic_store(&pool.limit, count);
    sigfillset(&all); /* signals are for the threads of the host */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.started < count) {
        void *index = (void *)(intptr_t)pool.started;
        if (pthread_create(&pool.workers[pool.started], &attributes, work, index))
            break;
        pool.started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

static void have_workers(int count)
{
    if (pool.started > count)
        end_workers(count);
    else if (pool.started < count)
        start_workers(count);
}

static int run_together(s2_task task, void *data, int64_t extent, uint32_t count)
{
    pool.task = task, pool.data = data, pool.extent = extent;
    atomic_store(&pool.failure, NO_FAILURE);
    atomic_store(&pool.done, 0);
    atomic_store(&pool.ticket, (uint64_t)count << 32);
    wake_workers(count - 1);
    while (take_part())
        ;
    if (!spin_until(is_finished, (int)count))
        sleep_until(is_finished, (int)count, &pool.finished, &pool.waiting);
    uint64_t failure = atomic_load(&pool.failure);
    return failure == NO_FAILURE ? 0 : (int)(uint32_t)failure;
}

static int parallel_for(int64_t extent, int64_t grain, s2_task task, void *data)
{
    if (extent <= 0)
        return 0;
    int threads = s2_threads();
    uint32_t count = parts_of(extent, grain, threads);
    if (count == 1)
        return task(data, 0, extent);
    if (inside || atomic_flag_test_and_set_explicit(&pool.taken, memory_order_acquire))
        return run_in_order(task, data, extent, count);
    inside = true;
    have_workers(threads - 1);
    int failed = run_together(task, data, extent, count);
    inside = false;
    atomic_flag_clear_explicit(&pool.taken, memory_order_release);
    return failed;
}

/* ---- watching ----------------------------------------------------------------------------- */

int s2_thread_number(void)
{
    return number;
}

void s2_watch_parts(s2_watch *watch)
{
    watching = watch;
}

typedef struct {
    s2_task task;
    void *data;
    const s2_watch *watch;
} watched;

static int watched_part(void *data, int64_t begin, int64_t end)
{
    const watched *of = data;
    int64_t begun = s2_nanoseconds();
    int failed = of->task(of->data, begin, end);
    of->watch->seen(of->watch->data, begun, s2_nanoseconds());
    return failed;
}

int s2_parallel_for(int64_t extent, int64_t grain, s2_task task, void *data)
{
    s2_watch *watch = watching;
    if (!watch)
        return parallel_for(extent, grain, task, data);
    watched whole = {task, data, watch};
    int64_t begun = s2_nanoseconds();
    watching = NULL; /* what runs inside of a part is a piece of that */
    int failed = parallel_for(extent, grain, watched_part, &whole);
    watching = watch;
    watch->together += s2_nanoseconds() - begun;
    return failed;
}

/* ---- memory of a thread ------------------------------------------------------------------- */

typedef struct {
    void *memory[S2_USES];
    size_t bytes[S2_USES];
} space;

static pthread_key_t key; /* so that a thread that ends gives its memory back */
static _Thread_local space *own;

static void free_space(void *argument)
{
    space *s = argument;
    for (int use = 0; s && use < S2_USES; use++)
        free(s->memory[use]);
    free(s);
    own = NULL;
}

static space *new_space(void)
{
    space *s = calloc(1, sizeof *s);
    if (s && pthread_setspecific(key, s)) {
        free(s);
        return NULL;
    }
    return own = s;
}

void *s2_workspace(int use, size_t bytes)
{
    space *s = own ? own : new_space();
    if (!s || bytes > SIZE_MAX - ALIGNMENT)
        return NULL;
    if (s->memory[use] && s->bytes[use] >= bytes)
        return s->memory[use];
    free(s->memory[use]);
    s->memory[use] = NULL;
    s->bytes[use] = (bytes / ALIGNMENT + 1) * ALIGNMENT;
    if (posix_memalign(&s->memory[use], ALIGNMENT, s->bytes[use]))
        s->memory[use] = NULL;
    return s->memory[use];
}

/* ---- processes and libraries begin and end ------------------------------------------------ */

static void before_fork(void)
{
    pthread_mutex_lock(&pool.mutex);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&pool.mutex);
}

/* Only the thread that forked is there: what others held is free, and there are no workers. */
static void in_child(void)
{
    pool.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pool.work = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.finished = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    atomic_store(&pool.ticket, 0);
    atomic_store(&pool.sleepers, 0);
    atomic_store(&pool.waiting, 0);
    atomic_flag_clear(&pool.taken);
    pool.started = 0;
}

__attribute__((constructor)) static void begin_library(void)
{
    pthread_key_create(&key, free_space);
    pthread_atfork(before_fork, after_fork, in_child);
}

__attribute__((destructor)) static void end_library(void)
{
    /* Other threads may still compute while the process ends: what is theirs stays. */
    if (atomic_flag_test_and_set(&pool.taken))
        return;
    end_workers(0);
    free_space(own);
    pthread_key_delete(key);
}
