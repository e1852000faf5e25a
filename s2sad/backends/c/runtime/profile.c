/* Where does the time of a run go? */
#include "s2sad.h"

/* Threads add to the same counts; who reads them waits for the run to end. */
static void add(int64_t *to, int64_t nanoseconds)
{
    __atomic_fetch_add(to, nanoseconds, __ATOMIC_RELAXED);
}

static void note(s2_profile *profile, int64_t begun, int64_t ended)
{
    int64_t at = __atomic_fetch_add(&profile->n_events, 1, __ATOMIC_RELAXED);
    if (at < profile->room)
        profile->events[at] = (s2_event){begun, ended, profile->step, s2_thread_number()};
}

static void was_busy(s2_profile *profile, int64_t nanoseconds)
{
    add(&profile->busy[profile->step], nanoseconds);
    add(&profile->threads[s2_thread_number()], nanoseconds);
}

static void seen(void *data, int64_t begun, int64_t ended)
{
    was_busy(data, ended - begun);
    note(data, begun, ended);
}

/* What `call` gives for `step`. The thread of the run is busy in its own parts, and where it is in
 * no `s2_parallel_for`; there it may wait for others. */
int s2_profiled_call(s2_run *run, const s2_step *step, const int32_t *a,
                     int (*call)(s2_run *, const s2_step *, const int32_t *))
{
    s2_profile *profile = run->profile;
    s2_watch watch = {seen, profile, 0};
    int32_t number = (int32_t)(step - run->program->steps);
    profile->step = number;
    s2_watch_parts(&watch);
    int64_t begun = s2_nanoseconds();
    int code = call(run, step, a);
    int64_t ended = s2_nanoseconds();
    s2_watch_parts(NULL);
    profile->calls[number]++;
    profile->spent[number] += ended - begun;
    was_busy(profile, ended - begun - watch.together);
    note(profile, begun, ended);
    return code;
}
