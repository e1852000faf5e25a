/* Sums, products and extremes of tensors along any of their axes (reduce.h). */
#include "reduce.h"
#include "reduce_load.h"

enum {
    LANES = 64,   /* elements that are folded side by side where rows are short */
    NARROW = 32,  /* below this many elements a row is short */
    SHORT_BLOCK = 4096, /* elements of a block of short rows */
    WIDE_BLOCK = 256,   /* rows of a block of others */
    CHUNK = 512,        /* elements of such a row that are folded at once */
    WORTH_A_THREAD = 32768,
    MOST_PAIRS = 32,
};

typedef struct {
    void (*rows)(const void *x, int64_t rows, int64_t stride, int64_t width, void *out);
    void (*block)(const void *x, int64_t rows, int64_t inner, void *out);
    void (*fill)(void *out, int64_t n);
    int64_t bytes; /* of what is computed in */
} fold;

#define ADD(a, b) (T)(a + b)
#define MULTIPLY(a, b) (T)(1u * a * b) /* small integers not as int, which could overflow */
#define LARGER(a, b) (a > b ? a : b)

#define NAME(part) sum_f32_##part
#define T float
#define START 0
#define COMBINE ADD
#include "reduce_fold.h"
#define NAME(part) sum_f64_##part
#define T double
#define START 0
#define COMBINE ADD
#include "reduce_fold.h"
#define NAME(part) sum_8_##part
#define T uint8_t
#define START 0
#define COMBINE ADD
#include "reduce_fold.h"
#define NAME(part) sum_16_##part
#define T uint16_t
#define START 0
#define COMBINE ADD
#include "reduce_fold.h"
#define NAME(part) sum_32_##part
#define T uint32_t
#define START 0
#define COMBINE ADD
#include "reduce_fold.h"
#define NAME(part) sum_64_##part
#define T uint64_t
#define START 0
#define COMBINE ADD
#include "reduce_fold.h"

#define NAME(part) prod_f32_##part
#define T float
#define START 1
#define COMBINE MULTIPLY
#include "reduce_fold.h"
#define NAME(part) prod_f64_##part
#define T double
#define START 1
#define COMBINE MULTIPLY
#include "reduce_fold.h"
#define NAME(part) prod_8_##part
#define T uint8_t
#define START 1
#define COMBINE MULTIPLY
#include "reduce_fold.h"
#define NAME(part) prod_16_##part
#define T uint16_t
#define START 1
#define COMBINE MULTIPLY
#include "reduce_fold.h"
#define NAME(part) prod_32_##part
#define T uint32_t
#define START 1
#define COMBINE MULTIPLY
#include "reduce_fold.h"
#define NAME(part) prod_64_##part
#define T uint64_t
#define START 1
#define COMBINE MULTIPLY
#include "reduce_fold.h"

#define NAME(part) max_i8_##part
#define T int8_t
#define START INT8_MIN
#define COMBINE LARGER
#include "reduce_fold.h"
#define NAME(part) max_u8_##part
#define T uint8_t
#define START 0
#define COMBINE LARGER
#include "reduce_fold.h"
#define NAME(part) max_i16_##part
#define T int16_t
#define START INT16_MIN
#define COMBINE LARGER
#include "reduce_fold.h"
#define NAME(part) max_i32_##part
#define T int32_t
#define START INT32_MIN
#define COMBINE LARGER
#include "reduce_fold.h"
#define NAME(part) max_i64_##part
#define T int64_t
#define START INT64_MIN
#define COMBINE LARGER
#include "reduce_fold.h"

/* ---- one pair of a kept and a reduced size -------------------------------------------------- */

/* x[outer][n][inner] to y[outer][blocks][inner]. An item is a block, or a chunk of its columns. */
typedef struct {
    const fold *fold;
    s2_load load; /* NULL where `x` holds what is computed in */
    int64_t bytes; /* of an element of `x` */
    const char *x;
    char *y;
    int64_t outer, n, inner, block, blocks, chunk, chunks;
} pass;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t pieces(int64_t size, int64_t piece)
{
    return size / piece + (size % piece != 0);
}

static void cut(pass *p)
{
    bool is_narrow = p->inner < NARROW;
    p->block = is_narrow ? SHORT_BLOCK / p->inner : WIDE_BLOCK;
    p->blocks = pieces(p->n, p->block);
    p->chunk = smaller(p->inner, is_narrow ? NARROW : CHUNK);
    p->chunks = pieces(p->inner, p->chunk);
}

static void fold_short(const pass *p, const char *x, int64_t rows, char *y)
{
    _Alignas(64) char line[SHORT_BLOCK * sizeof(double)];
    if (p->load)
        p->load(x, rows * p->inner, line);
    p->fold->block(p->load ? line : x, rows, p->inner, y);
}

static void fold_wide(const pass *p, const char *x, int64_t rows, int64_t width, char *y)
{
    _Alignas(64) char lines[4 * CHUNK * sizeof(double)];
    p->fold->fill(y, width);
    if (!p->load) {
        p->fold->rows(x, rows, p->inner, width, y);
        return;
    }
    for (int64_t first = 0; first < rows; first += 4) {
        int64_t count = smaller(4, rows - first);
        for (int64_t r = 0; r < count; r++) {
            const char *row = x + (first + r) * p->inner * p->bytes;
            p->load(row, width, lines + r * width * p->fold->bytes);
        }
        p->fold->rows(lines, count, width, width, y);
    }
}

static void fold_item(const pass *p, int64_t outer, int64_t block, int64_t chunk)
{
    int64_t row = block * p->block, rows = smaller(p->block, p->n - row);
    int64_t column = chunk * p->chunk;
    const char *x = p->x + ((outer * p->n + row) * p->inner + column) * p->bytes;
    char *y = p->y + ((outer * p->blocks + block) * p->inner + column) * p->fold->bytes;
    if (p->inner < NARROW)
        fold_short(p, x, rows, y);
    else
        fold_wide(p, x, rows, smaller(p->chunk, p->inner - column), y);
}

static int fold_items(void *data, int64_t begin, int64_t end)
{
    const pass *p = data;
    int64_t chunk = begin % p->chunks, block = begin / p->chunks;
    int64_t outer = block / p->blocks;
    block %= p->blocks;
    for (int64_t item = begin; item < end; item++) {
        fold_item(p, outer, block, chunk);
        if (++chunk == p->chunks)
            chunk = 0, block++;
        if (block == p->blocks)
            block = 0, outer++;
    }
    return 0;
}

static int fold_all(pass *p)
{
    int64_t work = smaller(p->block, p->n) * p->chunk;
    int64_t items = p->outer * p->blocks * p->chunks;
    return s2_parallel_for(items, pieces(WORTH_A_THREAD, work), fold_items, p);
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* What a reduction of a dtype is; `bytes` are those of a stored element. */
typedef struct {
    const fold *fold;
    s2_load load, store; /* NULL where nothing changes */
    int64_t bytes;
} reduction;

typedef struct {
    const reduction *r;
    const char *x;
    char *y;
} stores;

static int store_part(void *data, int64_t begin, int64_t end)
{
    const stores *s = data;
    s->r->store(s->x + begin * s->r->fold->bytes, end - begin, s->y + begin * s->r->bytes);
    return 0;
}

static int64_t product(const int64_t *sizes, int count, int step)
{
    int64_t found = 1;
    for (int i = 0; i < count; i += step)
        found *= sizes[i];
    return found;
}

static bool has_empty(const int64_t *sizes, int pairs)
{
    for (int i = 1; i < 2 * pairs; i += 2)
        if (sizes[i] == 0)
            return true;
    return false;
}

/* The next pass: over the last pair, or over the blocks of the pass before. */
static void plan(pass *p, const int64_t *sizes, int pairs)
{
    p->outer = product(sizes, 2 * pairs - 1, 1);
    p->n = sizes[2 * pairs - 1], p->inner = sizes[2 * pairs];
    cut(p);
}

/* Fold pair after pair, from the last, a pair again as long as blocks of it are left. Where the
 * last pass goes is `last`; those before go to the two halves of `between` in turns. */
static int fold_pairs(pass *p, int pairs, int64_t *sizes, char *last, char *between, int64_t half)
{
    while (pairs) {
        plan(p, sizes, pairs);
        bool is_last = pairs == 1 && p->blocks == 1;
        p->y = is_last ? last : between;
        if (fold_all(p))
            return 1;
        if (p->blocks > 1) {
            sizes[2 * pairs - 1] = p->blocks;
        } else {
            sizes[2 * pairs - 2] *= p->inner;
            pairs--;
        }
        p->x = p->y, p->load = NULL, p->bytes = p->fold->bytes;
        between += half, half = -half;
    }
    return 0;
}

static int reduce(const reduction *r, const void *x, void *y, int pairs, const int64_t *given)
{
    int64_t sizes[2 * MOST_PAIRS + 1], kept = product(given, 2 * pairs + 1, 2);
    if (pairs < 1 || pairs > MOST_PAIRS)
        return 1;
    if (kept == 0)
        return 0;
    memcpy(sizes, given, (size_t)(2 * pairs + 1) * sizeof *sizes);
    pass p = {.fold = r->fold, .load = r->load, .bytes = r->bytes, .x = x};
    bool is_empty = has_empty(sizes, pairs), fits = r->fold->bytes == r->bytes;
    if (!is_empty)
        plan(&p, sizes, pairs);
    int64_t half = is_empty ? kept * r->fold->bytes : p.outer * p.blocks * p.inner * r->fold->bytes;
    bool is_one = fits && (is_empty || (pairs == 1 && p.blocks == 1));
    char *between = is_one ? NULL : s2_workspace(S2_ACCUMULATE, (size_t)half * 3);
    if (!is_one && !between)
        return 1;
    char *last = fits ? y : between + 2 * half;
    if (is_empty)
        r->fold->fill(last, kept);
    else if (fold_pairs(&p, pairs, sizes, last, between, half))
        return 1;
    stores s = {r, last, y};
    return r->store ? s2_parallel_for(kept, WORTH_A_THREAD, store_part, &s) : 0;
}

#define REDUCTION(what, dtype, type, folds, load, store)                                           \
    int s2_reduce_##what##_##dtype(const type *x, type *y, int pairs, const int64_t *sizes)        \
    {                                                                                              \
        static const reduction r = {&folds##_fold, load, store, sizeof(type)};                     \
        return reduce(&r, x, y, pairs, sizes);                                                     \
    }
#define NARROW_FLOAT(dtype)                                                                        \
    REDUCTION(sum, dtype, uint16_t, sum_f32, load_##dtype, store_##dtype)                          \
    REDUCTION(prod, dtype, uint16_t, prod_f32, load_##dtype, store_##dtype)                        \
    EXTREMES(dtype, uint16_t, max_i16)
#define EXTREMES(dtype, type, largest)                                                             \
    REDUCTION(max, dtype, type, largest, load_order_##dtype, store_order_##dtype)                  \
    REDUCTION(min, dtype, type, largest, load_order_down_##dtype, store_order_down_##dtype)
#define INTEGER(dtype, type, bits, largest)                                                        \
    REDUCTION(sum, dtype, type, sum_##bits, NULL, NULL)                                            \
    REDUCTION(prod, dtype, type, prod_##bits, NULL, NULL)                                          \
    REDUCTION(max, dtype, type, largest, NULL, NULL)                                               \
    REDUCTION(min, dtype, type, largest, load_down_##dtype, load_down_##dtype)
NARROW_FLOAT(f16)
NARROW_FLOAT(bf16)
REDUCTION(sum, f32, float, sum_f32, NULL, NULL)
REDUCTION(prod, f32, float, prod_f32, NULL, NULL)
EXTREMES(f32, float, max_i32)
REDUCTION(sum, f64, double, sum_f64, NULL, NULL)
REDUCTION(prod, f64, double, prod_f64, NULL, NULL)
EXTREMES(f64, double, max_i64)
INTEGER(i8, int8_t, 8, max_i8)
INTEGER(i16, int16_t, 16, max_i16)
INTEGER(i32, int32_t, 32, max_i32)
INTEGER(i64, int64_t, 64, max_i64)
INTEGER(u8, uint8_t, 8, max_u8)
REDUCTION(any, bool, uint8_t, max_u8, NULL, NULL)
REDUCTION(all, bool, uint8_t, max_u8, load_down_u8, load_down_u8)
