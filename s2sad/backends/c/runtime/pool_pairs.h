/* What is the largest of each window of 2 by 2 elements, where windows follow each other without
 * padding, and where does its gradient go? Included once for each NAME, of floats of the type T, L
 * being the integer of its size; for rows of fewer than STEP windows, FEWER is used.
 *
 * Windows are dealt with STEP at a time: the last ones of a row again where STEP does not divide it,
 * those of a shorter row as if there were more. */

#if STEP == 8
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define ODD 1, 3, 5, 7, 9, 11, 13, 15
#define FIRST 0, 8, 1, 9, 2, 10, 3, 11
#define LAST 4, 12, 5, 13, 6, 14, 7, 15
#else
#define EVEN 0, 2, 4, 6
#define ODD 1, 3, 5, 7
#define FIRST 0, 4, 1, 5
#define LAST 2, 6, 3, 7
#endif

typedef T NAME(some) __attribute__((vector_size(STEP * sizeof(T))));
typedef L NAME(mask) __attribute__((vector_size(STEP * sizeof(T))));

/* Elements at even places, and those at odd ones. */
static inline void NAME(apart)(const T *x, NAME(some) to[2])
{
    NAME(some) a, b;
    memcpy(&a, x, sizeof a), memcpy(&b, x + STEP, sizeof b);
    to[0] = SHUFFLE(a, b, EVEN), to[1] = SHUFFLE(a, b, ODD);
}

static inline void NAME(together)(const NAME(some) x[2], T *to)
{
    NAME(some) a = SHUFFLE(x[0], x[1], FIRST), b = SHUFFLE(x[0], x[1], LAST);
    memcpy(to, &a, sizeof a), memcpy(to + STEP, &b, sizeof b);
}

static inline void NAME(pair_max)(const T *up, const T *down, T *y)
{
    NAME(some) x[2], z[2];
    NAME(apart)(up, x), NAME(apart)(down, z);
    x[0] = EITHER(FIRST_NAN(x[1], x[0]), x[1], x[0]);
    z[0] = EITHER(FIRST_NAN(z[1], z[0]), z[1], z[0]);
    x[0] = EITHER(FIRST_NAN(z[0], x[0]), z[0], x[0]);
    memcpy(y, &x[0], sizeof x[0]);
}

/* The gradient of each window to the first of its largest elements. */
static inline void NAME(pair_spread)(const T *up, const T *down, const T *dy, T *dx_up, T *dx_down)
{
    NAME(some) x[2], z[2], share, none = {0};
    NAME(apart)(up, x), NAME(apart)(down, z);
    memcpy(&share, dy, sizeof share);
    share += none; /* no -0.0 */
    NAME(mask) right = FIRST_NAN(x[1], x[0]), below_right = FIRST_NAN(z[1], z[0]);
    x[0] = EITHER(right, x[1], x[0]), z[0] = EITHER(below_right, z[1], z[0]);
    NAME(mask) below = FIRST_NAN(z[0], x[0]);
    NAME(some) over = EITHER(below, none, share), under = EITHER(below, share, none);
    NAME(some) dx[2][2] = {
        {EITHER(right, none, over), EITHER(right, over, none)},
        {EITHER(below_right, none, under), EITHER(below_right, under, none)},
    };
    NAME(together)(dx[0], dx_up), NAME(together)(dx[1], dx_down);
}

static void NAME(pair_row)(const char *from, int64_t width, int64_t n, char *to)
{
    const T *x = (const T *)(const void *)from;
    T *y = (T *)(void *)to;
    if (n < STEP) {
        T up[2 * STEP] = {0}, down[2 * STEP] = {0}, best[STEP];
        for (int64_t i = 0; i < 2 * n; i++)
            up[i] = x[i], down[i] = x[width + i];
        NAME(pair_max)(up, down, best);
        for (int64_t j = 0; j < n; j++)
            y[j] = best[j];
        return;
    }
    for (int64_t next = 0; next < n; next += STEP) {
        int64_t j = next + STEP <= n ? next : n - STEP;
        NAME(pair_max)(x + 2 * j, x + width + 2 * j, y + j);
    }
}

static void NAME(pair_grad)(const char *from, const char *given, int64_t width, int64_t n, char *to)
{
    const T *x = (const T *)(const void *)from, *dy = (const T *)(const void *)given;
    T *dx = (T *)(void *)to;
    for (int64_t next = 0; next < n && n >= STEP; next += STEP) {
        int64_t j = next + STEP <= n ? next : n - STEP;
        NAME(pair_spread)(x + 2 * j, x + width + 2 * j, dy + j, dx + 2 * j, dx + width + 2 * j);
    }
    if (n < STEP) {
        T up[2 * STEP] = {0}, down[2 * STEP] = {0}, share[STEP] = {0};
        T dx_up[2 * STEP], dx_down[2 * STEP];
        for (int64_t i = 0; i < 2 * n; i++)
            up[i] = x[i], down[i] = x[width + i];
        for (int64_t j = 0; j < n; j++)
            share[j] = dy[j];
        NAME(pair_spread)(up, down, share, dx_up, dx_down);
        for (int64_t i = 0; i < 2 * n; i++)
            dx[i] = dx_up[i], dx[width + i] = dx_down[i];
    }
    for (int64_t i = 2 * n; i < width; i++)
        dx[i] = dx[width + i] = 0;
}

static const pairs NAME(pairs) = {NAME(pair_row), NAME(pair_grad), STEP, FEWER};

#undef EVEN
#undef ODD
#undef FIRST
#undef LAST
#undef NAME
#undef T
#undef L
#undef STEP
#undef FEWER
