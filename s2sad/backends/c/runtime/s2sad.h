/* What do generated programs, the units of the runtime and Python agree on? */
#ifndef S2SAD_H
#define S2SAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Visible outside of a shared library that is compiled with -fvisibility=hidden. */
#define S2_API __attribute__((visibility("default")))

/* The loop that follows carries nothing from one pass to the next, though its arrays may be one. */
#if defined(__clang__)
#define S2_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define S2_IVDEP _Pragma("GCC ivdep")
#else
#define S2_IVDEP
#endif

/* ---- threads (threads.c) ------------------------------------------------------------------ */

/* Part [begin, end) of a range; another number than 0 when it failed. */
typedef int (*s2_task)(void *data, int64_t begin, int64_t end);

/* Run `task` over [0, extent), in parts of `grain` or more, on all threads; from inside of a task,
 * or for an extent of one grain, on this thread. How it is cut depends on `extent`, `grain` and the
 * number of threads only. Gives the first number but 0 that a part gave. */
S2_API int s2_parallel_for(int64_t extent, int64_t grain, s2_task task, void *data);

/* Number of threads, and how to set it (1 or more); the pool starts at its first use. */
S2_API int s2_threads(void);
S2_API void s2_set_threads(int count);

/* Number of this thread: 0 where it is none of the pool, else from 1 on. */
S2_API int s2_thread_number(void);
/* Nanoseconds of a clock that only goes forwards. */
S2_API int64_t s2_nanoseconds(void);

/* Who is told of each part, by the thread that ran it. */
typedef struct {
    void (*seen)(void *data, int64_t begun, int64_t ended);
    void *data;
    int64_t together; /* nanoseconds that the thread which watches spent in `s2_parallel_for` */
} s2_watch;
/* Watch what this thread runs in parallel from now on; NULL for nothing. */
S2_API void s2_watch_parts(s2_watch *watch);

/* Memory of this thread, aligned to 64 bytes, that lasts until the next call with the same `use`;
 * NULL where there is none left. */
enum {
    S2_PACK_A, S2_PACK_B, S2_ACCUMULATE, S2_SORT, S2_LINE, S2_IMAGE, S2_COLUMNS, S2_TAPS, S2_PARTS,
    S2_TILES, S2_FILTERS, S2_AGAIN, S2_TURNED, S2_USES
};
S2_API void *s2_workspace(int use, size_t bytes);

/* ---- stacks (stacks.c) -------------------------------------------------------------------- */

/* A growable pile of elements of one size: a tape. Chunks double, pushing never moves what lies. */
typedef struct s2_stack s2_stack;
S2_API s2_stack *s2_stack_new(size_t element_bytes);
S2_API int s2_stack_push(s2_stack *stack, const void *element); /* 1 when no memory is left */
S2_API void *s2_stack_room(s2_stack *stack); /* for the next element; NULL when none is left */
S2_API int s2_stack_pop(s2_stack *stack, void *element); /* 1 when it is empty */
S2_API void *s2_stack_take(s2_stack *stack); /* the popped element itself; NULL when it is empty */
S2_API int64_t s2_stack_count(const s2_stack *stack);
S2_API const void *s2_stack_at(const s2_stack *stack, int64_t index);
S2_API void s2_stack_clear(s2_stack *stack); /* what it holds is gone, its memory stays */
S2_API void s2_stack_free(s2_stack *stack);

/* ---- programs (execute.c) ----------------------------------------------------------------- */

typedef struct s2_run s2_run;

/* A kernel: values in `p`, which of them are operands and results in `a`, in this order; the part
 * [begin, end) of its extent. Gives 0, or another number when it failed: then Python finds out why,
 * from the operands. */
typedef int (*s2_kernel)(s2_run *run, void *const *p, const int32_t *a, int64_t begin, int64_t end);

/* What the epilogue of a kernel needs: its values, as the kernel gets them, and where the block of
 * a product lies that is kept nowhere else, its rows `stride` elements apart. */
typedef struct {
    void *const *p;
    const int32_t *a;
    const void *block;
    int64_t stride;
} s2_tile;

/* How a kernel is defined: `S2_KERNEL(name) { ... return 0; }`; not static, for the table of its
 * program may be in another file of the library. */
#define S2_KERNEL(name)                                                                           \
    int name(s2_run *run __attribute__((unused)), void *const *p __attribute__((unused)),         \
             const int32_t *a __attribute__((unused)),                                            \
             int64_t begin __attribute__((unused)), int64_t end __attribute__((unused)))

/* And an epilogue: `data` is a `s2_tile`. */
#define S2_EPILOGUE(name)                                                                         \
    static void name(void *data, int64_t batch __attribute__((unused)),                           \
                     int64_t row __attribute__((unused)), int64_t col __attribute__((unused)),    \
                     int64_t rows, int64_t cols)

/* Where a value lies: `at` is an offset in bytes into the arena, or a number of the kind. */
typedef struct {
    enum { S2_ARENA, S2_INPUT, S2_OUTPUT, S2_CONSTANT, S2_NOWHERE } kind;
    int64_t at;
} s2_slot;

/* One step of a program, in order; `target` is where to go on. */
typedef struct {
    enum {
        S2_CALL,      /* `call` over `extent` in parts of `grain` */
        S2_HOST,      /* the host computes it */
        S2_JUMP,      /* go to `target` */
        S2_UNLESS,    /* go to `target` where the bool a[0] is false */
        S2_FOR,       /* a[0..4]: counter, start, stop, step, index; to `target` when empty */
        S2_NEXT,      /* a[0..4] as of its S2_FOR; to `target` for another pass */
        S2_COPY,      /* `extent` bytes of a[0] to a[1] */
        S2_SWAP,      /* a[0] and a[1] change places */
        S2_ALIAS,     /* a[1] lies where a[0] does */
        S2_SETTLE,    /* a[0], which a[1] may have changed places with, back to the place of a[2] */
        S2_STACK_NEW, /* an empty stack a[0] of elements of `extent` bytes */
        S2_STACK_ROOM,/* a[1] lies where the stack a[0] will have what is pushed next */
        S2_STACK_PUSH,/* a[1] on the stack a[0] */
        S2_STACK_POP, /* from the stack a[0] into a[1] */
        S2_STACK_TAKE,/* from the stack a[0], whose memory a[1] lies in until it is pushed on */
        S2_STACK_DROP /* the stack a[0] is used up */
    } op;
    int32_t args;     /* where its values stand in `args` of the program */
    int32_t target;
    int32_t place;    /* number of its operation, for errors and for the host */
    s2_kernel call;
    int64_t extent, grain;
} s2_step;

typedef struct {
    const s2_step *steps;
    const int32_t *args;
    const s2_slot *slots;
    int32_t n_steps, n_slots, n_inputs, n_outputs, n_constants;
    int64_t arena; /* bytes */
} s2_program;

/* What the host computes: operation `place`, whose values are at p[a[...]]; 0, or 1: it failed. */
typedef int (*s2_host)(void *data, int32_t place, void *const *p, const int32_t *a);

/* Something that a thread did, from when to when, for which step. */
typedef struct {
    int64_t begun, ended;
    int32_t step, thread;
} s2_event;

/* Where the time of a run went (profile.c); who asks gives the memory. */
typedef struct {
    int64_t begun, ended;     /* of the run */
    int64_t *calls, *spent;   /* of each step, how often and how long */
    int64_t *busy;            /* the same added up over threads, without waiting */
    int64_t *threads;         /* of each thread, S2_MOST_THREADS of them, how long it was busy */
    s2_event *events;
    int64_t room, n_events;   /* those behind `room` are counted only */
    int32_t step;             /* that runs now */
} s2_profile;
enum { S2_MOST_THREADS = 512 };

/* One run of a program. */
struct s2_run {
    const s2_program *program;
    void **p;             /* where each value lies now */
    void *arena;
    const void **constants;
    s2_stack *live, *idle; /* stacks that hold something, and others to be used again */
    void *const *queues;  /* those that it reads from, by number */
    s2_host host;
    void *host_data;
    int32_t failed;       /* `place` of the operation that failed; -1 */
    int32_t step;         /* number of the step at which it did */
    s2_profile *profile;  /* NULL: nobody asks where the time goes */
};

/* A run of `program`, with its memory, that may be used again; NULL where there is none left. */
S2_API s2_run *s2_run_new(const s2_program *program, void *const *constants);
S2_API void s2_run_free(s2_run *run);
/* Run it: 0; 1 when an operation failed; 2 when no memory was left. */
S2_API int s2_run_once(s2_run *run, void *const *inputs, void *const *outputs,
                       s2_host host, void *host_data);
/* The queues of the runs to come. */
S2_API void s2_run_serve(s2_run *run, void *const *queues);
/* Note where the time goes in the runs to come; NULL: do not. */
S2_API void s2_run_profile(s2_run *run, s2_profile *profile);
/* Number of the step at which it failed. */
S2_API int32_t s2_run_failed(const s2_run *run);
/* Where the value in `slot` lies: after a run, until the next one. */
S2_API void *s2_run_place(const s2_run *run, int32_t slot);
/* A stack that lasts as long as this run, for one that comes in; NULL where no memory is left. */
S2_API s2_stack *s2_run_stack(s2_run *run, size_t element_bytes);
/* All that the run still holds of its last use may go. */
S2_API void s2_run_rest(s2_run *run);

#endif
