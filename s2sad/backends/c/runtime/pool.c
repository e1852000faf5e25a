/* Windows that slide over planes, reduced to their largest member or their mean (pool.h). */
#include "pool.h"
#include "reduce_load.h"
#include "shuffle.h"

enum {
    WORTH_A_THREAD = 16384,
    ALIGNMENT = 64,
    COLUMNS = 16, /* windows are computed in multiples of so many, those beyond the last in vain */
};

/* x[planes] with rows of `width` elements, `rows` a plane. */
typedef struct {
    const s2_windows *w;
    const char *x, *dy;
    char *y;
    s2_load load, store; /* of narrow floats; NULL of others */
    int64_t bytes, computed; /* of an element, as it is stored and as it is computed in */
    int64_t rows, width;
    void (*fill)(char *line, int64_t n); /* with what padding is */
    double divisor; /* of sums; 0 for the number of members */
    const struct largest *largest;
    const struct sums *sums;
    const struct pairs *pairs;
} pooling;

/* A row of windows, or of elements. */
typedef struct {
    int64_t plane, depth, height;
} row;

/* Elements of a row, `n` from `first` on, each a stride from the next; they lie side by side from
 * `at` on in the part of a line that is theirs. */
typedef struct {
    int64_t first, at, n;
} span;

/* Memory of a thread, for a row of windows. A line has a part for each place in a stride, so that
 * what neighbouring windows see at one place lies side by side. */
typedef struct {
    int64_t wide, phase; /* windows; elements of a part of a line */
    char *line;          /* a row of x as it is computed in, with its padding */
    char *result, *narrow; /* a row of results; one of x as it is computed in */
    int32_t *places, *firsts; /* numbers of places in windows; of the first member in its row */
    int64_t *offsets;         /* of those places, from the first */
} lines;

/* The row of results from those rows of the plane that it depends on. */
typedef void (*row_of)(const pooling *p, row r, const lines *l);

typedef struct largest {
    void (*fill)(char *line, int64_t n);
    void (*pick)(const char *x, int64_t stride, int64_t n, char *y);
    row_of row, places;
    int64_t bytes;
} largest;

/* The largest of each of `n` windows of a pair of rows, and the gradient of these. */
typedef struct pairs {
    void (*row)(const char *x, int64_t width, int64_t n, char *y);
    void (*grad)(const char *x, const char *dy, int64_t width, int64_t n, char *dx);
    int64_t step;              /* windows that are dealt with at a time */
    const struct pairs *fewer; /* for rows of fewer; NULL where there is nothing better */
} pairs;

typedef struct sums {
    void (*fill)(char *line, int64_t n);
    row_of mean, spread;
    void (*scatter)(const char *dy, const int64_t *places, int64_t n, char *dx);
    int64_t bytes;
} sums;

/* ---- where windows lie ---------------------------------------------------------------------- */

/* Where element `k` of window `window` lies along an axis; -1 for padding. */
static inline int64_t element_at(const s2_windows *w, int axis, int64_t window, int64_t k)
{
    int64_t at = window * w->stride[axis] + k * w->dilation[axis] - w->before[axis];
    return at < w->size[axis] ? at : -1;
}

/* Which window has its element `k` at `at`, without dilation; a negative number if none. */
static inline int64_t window_at(const s2_windows *w, int axis, int64_t at, int64_t k)
{
    int64_t start = at + w->before[axis] - k, stride = w->stride[axis];
    if (start < 0 || start % stride != 0 || start / stride >= w->count[axis])
        return -1;
    return start / stride;
}

/* How many elements of a window are no padding, along an axis, without dilation. */
static inline int64_t members(const s2_windows *w, int axis, int64_t window)
{
    int64_t begin = window * w->stride[axis] - w->before[axis], end = begin + w->kernel[axis];
    return (end < w->size[axis] ? end : w->size[axis]) - (begin > 0 ? begin : 0);
}

/* The elements of a row of x in part `part` of a line. */
static inline span phase_of(const pooling *p, const lines *l, int64_t part)
{
    const s2_windows *w = p->w;
    int64_t stride = w->stride[2], before = w->before[2];
    int64_t at = before > part ? (before - part + stride - 1) / stride : 0;
    int64_t first = at * stride + part - before, left = w->size[2] - first;
    int64_t n = left > 0 ? (left + stride - 1) / stride : 0, place = l->phase - at;
    return (span){first, at, n < place ? n : place > 0 ? place : 0};
}

/* Where in a line the first window has its element `k`; the others follow. */
static inline int64_t seen_at(const s2_windows *w, const lines *l, int64_t k)
{
    int64_t shift = k * w->dilation[2];
    return shift % w->stride[2] * l->phase + shift / w->stride[2];
}

/* Row `at` of a plane of x to its places in the line. */
static inline void read_row(const pooling *p, int64_t plane, int64_t at, const lines *l)
{
    const char *x = p->x + (plane * p->rows + at) * p->width * p->bytes;
    if (p->load) {
        p->load(x, p->width, l->narrow);
        x = l->narrow;
    }
    for (int64_t part = 0; part < p->w->stride[2]; part++) {
        span s = phase_of(p, l, part);
        char *line = l->line + (part * l->phase + s.at) * p->computed;
        p->largest->pick(x + s.first * p->computed, p->w->stride[2], s.n, line);
    }
}

/* Number of the first place in the first row that windows see. */
static int32_t first_row(const s2_windows *w, row r)
{
    int64_t depth = 0, height = 0;
    while (element_at(w, 0, r.depth, depth) < 0)
        depth++;
    while (element_at(w, 1, r.height, height) < 0)
        height++;
    return (int32_t)((depth * w->kernel[1] + height) * w->kernel[2]);
}

/* Each row `at` of a plane that the windows of row `r` see, in order. */
#define FOR_ROWS_OF_WINDOWS(w, r)                                                                  \
    for (int64_t i_ = 0; i_ < w->kernel[0]; i_++) {                                                \
        int64_t depth_ = element_at(w, 0, r.depth, i_);                                            \
        for (int64_t j_ = 0; depth_ >= 0 && j_ < w->kernel[1]; j_++) {                             \
            int64_t height_ = element_at(w, 1, r.height, j_);                                      \
            if (height_ < 0)                                                                       \
                continue;                                                                          \
            int64_t at = depth_ * w->size[1] + height_;
#define END_OF_ROWS                                                                                \
        }                                                                                          \
    }

/* Lanes of x where `which` says so, else of y; no function, which could not get vectors that the
 * machine has not. */
#define EITHER(which, x, y)                                                                        \
    ((__typeof__(x))(((which) & (__typeof__(which))(x)) | (~(which) & (__typeof__(which))(y))))
#define FIRST_NAN(c, b) ((c > b) | ((c != c) & (b == b)))
#define LARGER(c, b) (c > b)
#define NAME(part) f32_##part
#define T float
#define LOWEST -__builtin_inff()
#define BEATS FIRST_NAN
#include "pool_max.h"
#define NAME(part) f64_##part
#define T double
#define LOWEST -__builtin_inf()
#define BEATS FIRST_NAN
#include "pool_max.h"
#define NAME(part) i8_##part
#define T int8_t
#define LOWEST INT8_MIN
#define BEATS LARGER
#include "pool_max.h"
#define NAME(part) i16_##part
#define T int16_t
#define LOWEST INT16_MIN
#define BEATS LARGER
#include "pool_max.h"
#define NAME(part) i32_##part
#define T int32_t
#define LOWEST INT32_MIN
#define BEATS LARGER
#include "pool_max.h"
#define NAME(part) i64_##part
#define T int64_t
#define LOWEST INT64_MIN
#define BEATS LARGER
#include "pool_max.h"
#define NAME(part) u8_##part
#define T uint8_t
#define LOWEST 0
#define BEATS LARGER
#include "pool_max.h"
#define NAME(part) f32_few_##part
#define T float
#define L int32_t
#define STEP 4
#define FEWER NULL
#include "pool_pairs.h"
#define NAME(part) f32_##part
#define T float
#define L int32_t
#define STEP 8
#define FEWER &f32_few_pairs
#include "pool_pairs.h"
#define NAME(part) f64_##part
#define T double
#define L int64_t
#define STEP 4
#define FEWER NULL
#include "pool_pairs.h"
#define NAME(part) f32_##part
#define T float
#include "pool_sum.h"
#define NAME(part) f64_##part
#define T double
#include "pool_sum.h"

/* ---- planes --------------------------------------------------------------------------------- */

static int64_t product(const int64_t *sizes, int count)
{
    int64_t found = 1;
    for (int i = 0; i < count; i++)
        found *= sizes[i];
    return found;
}

static int64_t rounded(int64_t size, int64_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* Memory for rows of windows, and `more` bytes at the end of it; false where there is none. */
static bool get_lines(const pooling *p, int64_t more, lines *l, char **end)
{
    const s2_windows *w = p->w;
    int64_t wide = rounded(w->count[2], COLUMNS), widest = wide > w->size[2] ? wide : w->size[2];
    int64_t phase = wide + (w->kernel[2] - 1) * w->dilation[2] / w->stride[2] + 1;
    int64_t line = rounded(phase * w->stride[2] * p->computed, ALIGNMENT);
    int64_t row = rounded(widest * p->computed, ALIGNMENT), places = wide * 4;
    int64_t offsets = rounded(product(w->kernel, 3) * 8, ALIGNMENT);
    int64_t bytes = line + 2 * row + 2 * places + offsets;
    char *memory = s2_workspace(S2_LINE, (size_t)(bytes + more));
    *l = (lines){.wide = wide, .phase = phase, .line = memory};
    if (!memory)
        return false;
    l->result = memory + line, l->narrow = l->result + row;
    l->places = (int32_t *)(void *)(l->narrow + row), l->firsts = l->places + wide;
    l->offsets = (int64_t *)(void *)(l->firsts + wide);
    *end = memory + bytes;
    p->fill(l->line, phase * w->stride[2]);
    return true;
}

/* What is known of places in windows before any element is seen. */
static void number_places(const s2_windows *w, const lines *l)
{
    for (int64_t j = 0; j < l->wide; j++) {
        int64_t start = j * w->stride[2] - w->before[2], step = w->dilation[2];
        l->firsts[j] = start < 0 ? (int32_t)((step - 1 - start) / step) : 0;
    }
    int64_t *offset = l->offsets;
    for (int64_t i = 0; i < w->kernel[0]; i++)
        for (int64_t j = 0; j < w->kernel[1]; j++)
            for (int64_t k = 0; k < w->kernel[2]; k++)
                *offset++ = (i * w->dilation[0] * w->size[1] + j * w->dilation[1]) * w->size[2] +
                            k * w->dilation[2];
}

/* Rows [begin, end) of all planes, of `a` by `b` rows each, by `make`; `n` elements each. */
static int rows_by(
    const pooling *p, row_of make, int64_t a, int64_t b, int64_t n, int64_t begin, int64_t end)
{
    lines l;
    char *rest;
    if (!get_lines(p, 0, &l, &rest))
        return 1;
    row r = {begin / (a * b), begin / b % a, begin % b};
    for (int64_t item = begin; item < end; item++) {
        char *y = p->y + item * n * p->bytes;
        make(p, r, &l);
        if (p->store)
            p->store(l.result, n, y);
        else
            memcpy(y, l.result, (size_t)(n * p->bytes));
        if (++r.height == b)
            r.height = 0, r.depth++;
        if (r.depth == a)
            r.depth = 0, r.plane++;
    }
    return 0;
}

static int max_rows(void *data, int64_t begin, int64_t end)
{
    const pooling *p = data;
    const int64_t *count = p->w->count;
    return rows_by(p, p->largest->row, count[0], count[1], count[2], begin, end);
}

static int mean_rows(void *data, int64_t begin, int64_t end)
{
    const pooling *p = data;
    const int64_t *count = p->w->count;
    return rows_by(p, p->sums->mean, count[0], count[1], count[2], begin, end);
}

static int spread_rows(void *data, int64_t begin, int64_t end)
{
    const pooling *p = data;
    const int64_t *size = p->w->size;
    return rows_by(p, p->sums->spread, size[0], size[1], size[2], begin, end);
}

/* Whether windows are of 2 by 2 elements of a plane, each of them behind the last one. */
static bool are_pairs(const pooling *p)
{
    const s2_windows *w = p->w;
    bool are = p->pairs && w->size[0] == 1 && w->kernel[0] == 1 && w->count[0] == 1;
    for (int axis = 1; axis < 3; axis++)
        are = are && w->kernel[axis] == 2 && w->stride[axis] == 2 && w->before[axis] == 0 &&
              w->dilation[axis] == 1 && 2 * w->count[axis] <= w->size[axis];
    return are;
}

/* What deals with rows of `n` windows. */
static const pairs *pairs_for(const pairs *p, int64_t n)
{
    while (n < p->step && p->fewer)
        p = p->fewer;
    return p;
}

static int pair_rows(void *data, int64_t begin, int64_t end)
{
    const pooling *p = data;
    int64_t high = p->w->count[1], wide = p->w->count[2], width = p->width * p->bytes;
    const pairs *of = pairs_for(p->pairs, wide);
    for (int64_t item = begin; item < end; item++) {
        const char *x = p->x + (item / high * p->w->size[1] + item % high * 2) * width;
        of->row(x, p->width, wide, p->y + item * wide * p->bytes);
    }
    return 0;
}

static int pair_planes(void *data, int64_t begin, int64_t end)
{
    const pooling *p = data;
    int64_t high = p->w->count[1], wide = p->w->count[2], width = p->width * p->bytes;
    const pairs *of = pairs_for(p->pairs, wide);
    for (int64_t item = begin; item < end; item++) {
        const char *x = p->x + item * p->rows * width, *dy = p->dy + item * high * wide * p->bytes;
        char *dx = p->y + item * p->rows * width;
        for (int64_t i = 0; i < high; i++)
            of->grad(x + 2 * i * width, dy + i * wide * p->bytes, p->width, wide,
                     dx + 2 * i * width);
        memset(dx + 2 * high * width, 0, (size_t)((p->w->size[1] - 2 * high) * width));
    }
    return 0;
}

/* Where in its plane the largest element of each window of a row is. */
static void find_places(const pooling *p, row r, const lines *l, int64_t *places)
{
    const s2_windows *w = p->w;
    int64_t depth = r.depth * w->stride[0] - w->before[0];
    int64_t height = r.height * w->stride[1] - w->before[1];
    int64_t first = (depth * w->size[1] + height) * w->size[2] - w->before[2];
    p->largest->places(p, r, l);
    for (int64_t j = 0; j < w->count[2]; j++)
        places[j] = first + j * w->stride[2] + l->offsets[l->places[j]];
}

static int place_rows(void *data, int64_t begin, int64_t end)
{
    const pooling *p = data;
    const int64_t *count = p->w->count;
    lines l;
    char *rest;
    if (!get_lines(p, 0, &l, &rest))
        return 1;
    number_places(p->w, &l);
    for (int64_t item = begin; item < end; item++) {
        row r = {item / (count[0] * count[1]), item / count[1] % count[0], item % count[1]};
        find_places(p, r, &l, (int64_t *)(void *)p->y + item * count[2]);
    }
    return 0;
}

/* The gradient of one plane goes to its maxima, window by window. */
static void scatter_plane(
    const pooling *p, int64_t plane, const lines *l, int64_t *places, char *dx)
{
    const int64_t *count = p->w->count;
    memset(dx, 0, (size_t)(p->rows * p->width * p->computed));
    for (int64_t depth = 0; depth < count[0]; depth++) {
        for (int64_t height = 0; height < count[1]; height++) {
            find_places(p, (row){plane, depth, height}, l, places);
            int64_t first = ((plane * count[0] + depth) * count[1] + height) * count[2];
            const char *dy = p->dy + first * p->bytes;
            if (p->load)
                p->load(dy, count[2], l->result);
            p->sums->scatter(p->load ? l->result : dy, places, count[2], dx);
        }
    }
}

static int scatter_planes(void *data, int64_t begin, int64_t end)
{
    const pooling *p = data;
    int64_t elements = p->rows * p->width;
    int64_t places = rounded(p->w->count[2] * (int64_t)sizeof(int64_t), ALIGNMENT);
    lines l;
    char *rest;
    if (!get_lines(p, places + (p->store ? elements * p->computed : 0), &l, &rest))
        return 1;
    number_places(p->w, &l);
    for (int64_t item = begin; item < end; item++) {
        char *y = p->y + item * elements * p->bytes, *sum = p->store ? rest + places : y;
        scatter_plane(p, item, &l, (int64_t *)(void *)rest, sum);
        if (p->store)
            p->store(sum, elements, y);
    }
    return 0;
}

/* `items` of the same work; all of it looks at `planes` times windows and their elements. */
static int run(pooling *p, int64_t planes, int64_t items, s2_task task)
{
    int64_t work = planes * product(p->w->count, 3) * product(p->w->kernel, 3);
    if (items == 0)
        return 0;
    return s2_parallel_for(items, WORTH_A_THREAD / (work / items + 1) + 1, task, p);
}

/* `of` are the sizes of planes of x. */
static pooling pooling_of(
    const s2_windows *w, const int64_t *of, const void *x, void *y, int64_t bytes,
    int64_t computed, s2_load load, s2_load store)
{
    return (pooling){.w = w, .x = x, .y = y, .load = load, .store = store, .bytes = bytes,
                     .computed = computed, .rows = of[0] * of[1], .width = of[2]};
}

#define MAX_POOL(dtype, type, computed, load, store, of_pairs)                                     \
    int s2_max_pool_##dtype(const type *x, type *y, int64_t planes, const s2_windows *w)           \
    {                                                                                              \
        const largest *l = &computed##_largest;                                                    \
        pooling p = pooling_of(w, w->size, x, y, sizeof(type), l->bytes, load, store);             \
        p.largest = l, p.pairs = of_pairs, p.fill = l->fill;                                       \
        return run(&p, planes, planes * w->count[0] * w->count[1],                                 \
                   are_pairs(&p) ? pair_rows : max_rows);                                          \
    }                                                                                              \
    int s2_max_pool_argmax_##dtype(                                                                \
        const type *x, int64_t *y, int64_t planes, const s2_windows *w)                            \
    {                                                                                              \
        const largest *l = &computed##_largest;                                                    \
        pooling p = pooling_of(w, w->size, x, y, sizeof(type), l->bytes, load, store);             \
        p.largest = l, p.fill = l->fill;                                                           \
        return run(&p, planes, planes * w->count[0] * w->count[1], place_rows);                    \
    }
#define POOL(dtype, type, computed, load, store, of_pairs)                                         \
    MAX_POOL(dtype, type, computed, load, store, of_pairs)                                         \
    int s2_max_pool_grad_##dtype(                                                                  \
        const type *x, const type *dy, type *dx, int64_t planes, const s2_windows *w)              \
    {                                                                                              \
        const sums *s = &computed##_sums;                                                          \
        pooling p = pooling_of(w, w->size, x, dx, sizeof(type), s->bytes, load, store);            \
        p.dy = (const char *)dy, p.largest = &computed##_largest, p.sums = s;                      \
        p.pairs = of_pairs, p.fill = p.largest->fill;                                              \
        return run(&p, planes, planes, are_pairs(&p) ? pair_planes : scatter_planes);              \
    }                                                                                              \
    int s2_avg_pool_##dtype(                                                                       \
        const type *x, type *y, int64_t planes, const s2_windows *w, double divisor)               \
    {                                                                                              \
        const sums *s = &computed##_sums;                                                          \
        pooling p = pooling_of(w, w->size, x, y, sizeof(type), s->bytes, load, store);             \
        p.largest = &computed##_largest, p.sums = s, p.fill = s->fill, p.divisor = divisor;        \
        return run(&p, planes, planes * w->count[0] * w->count[1], mean_rows);                     \
    }                                                                                              \
    int s2_avg_pool_grad_##dtype(                                                                  \
        const type *dy, type *dx, int64_t planes, const s2_windows *w, double divisor)             \
    {                                                                                              \
        const sums *s = &computed##_sums;                                                          \
        pooling p = pooling_of(w, w->count, dy, dx, sizeof(type), s->bytes, load, store);          \
        p.largest = &computed##_largest, p.sums = s, p.fill = s->fill, p.divisor = divisor;        \
        return run(&p, planes, planes * w->size[0] * w->size[1], spread_rows);                     \
    }
POOL(f16, uint16_t, f32, load_f16, store_f16, NULL)
POOL(bf16, uint16_t, f32, load_bf16, store_bf16, NULL)
POOL(f32, float, f32, NULL, NULL, &f32_pairs)
POOL(f64, double, f64, NULL, NULL, &f64_pairs)
MAX_POOL(i8, int8_t, i8, NULL, NULL, NULL)
MAX_POOL(i16, int16_t, i16, NULL, NULL, NULL)
MAX_POOL(i32, int32_t, i32, NULL, NULL, NULL)
MAX_POOL(i64, int64_t, i64, NULL, NULL, NULL)
MAX_POOL(u8, uint8_t, u8, NULL, NULL, NULL)
