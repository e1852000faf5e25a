/* Where along an axis does the largest or the smallest element stand (reduce.h)? */
#include "reduce.h"
#include "reduce_load.h"

enum {
    CHUNK = 1024, /* elements that are looked at together */
    BLOCK = 65536, /* of a line; blocks of one line may be looked at on several threads */
    WORTH_A_THREAD = 32768,
};

typedef void (*fold_places)(const void *x, int64_t n, int64_t at, void *most, int64_t *places);

#define NAME(part) i8_##part
#define T int8_t
#include "place_fold.h"
#define NAME(part) u8_##part
#define T uint8_t
#include "place_fold.h"
#define NAME(part) i16_##part
#define T int16_t
#include "place_fold.h"
#define NAME(part) i32_##part
#define T int32_t
#include "place_fold.h"
#define NAME(part) i64_##part
#define T int64_t
#include "place_fold.h"

/* Elements of `bytes` are looked at as integers of the same size, whose order is theirs. */
typedef struct {
    fold_places line, row;
    s2_load load; /* NULL where they are those integers */
    int64_t bytes;
} search;

typedef struct {
    const search *search;
    const char *x;
    int64_t *y;
    char *most; /* largest element of each block, and in `y` its place; NULL where y is that */
    int64_t n, inner, blocks, chunks;
} job;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t pieces(int64_t size, int64_t piece)
{
    return size / piece + (size % piece != 0);
}

static const char *loaded(const search *s, const char *x, int64_t n, char *line)
{
    if (!s->load)
        return x;
    s->load(x, n, line);
    return line;
}

static int search_lines(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    const search *s = j->search;
    _Alignas(64) char line[CHUNK * sizeof(int64_t)];
    for (int64_t item = begin; item < end; item++) {
        int64_t first = item % j->blocks * BLOCK, size = smaller(BLOCK, j->n - first);
        const char *x = j->x + (item / j->blocks * j->n + first) * s->bytes;
        _Alignas(8) char most[sizeof(int64_t)] = {0};
        for (int64_t i = 0; i < size; i += CHUNK) {
            int64_t count = smaller(CHUNK, size - i);
            s->line(loaded(s, x + i * s->bytes, count, line), count, i, most, j->y + item);
        }
        j->y[item] += first;
        if (j->most)
            memcpy(j->most + item * s->bytes, most, (size_t)s->bytes);
    }
    return 0;
}

static int search_columns(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    const search *s = j->search;
    _Alignas(64) char line[CHUNK * sizeof(int64_t)], most[CHUNK * sizeof(int64_t)];
    for (int64_t item = begin; item < end; item++) {
        int64_t column = item % j->chunks * CHUNK, outer = item / j->chunks;
        int64_t width = smaller(CHUNK, j->inner - column);
        const char *x = j->x + (outer * j->n * j->inner + column) * s->bytes;
        int64_t *y = j->y + outer * j->inner + column;
        for (int64_t row = 0; row < j->n; row++, x += j->inner * s->bytes)
            s->row(loaded(s, x, width, line), width, row, most, y);
    }
    return 0;
}

/* The largest of the blocks of each line, in order: the first of equal ones is found. */
static void join_blocks(const job *j, int64_t outer, int64_t *y)
{
    const search *s = j->search;
    for (int64_t o = 0; o < outer; o++) {
        const int64_t *places = j->y + o * j->blocks;
        int64_t block;
        _Alignas(8) char most[sizeof(int64_t)] = {0};
        s->line(j->most + o * j->blocks * s->bytes, j->blocks, 0, most, &block);
        y[o] = places[block];
    }
}

static int search_blocks(job *j, int64_t outer)
{
    int64_t items = outer * j->blocks, grain = pieces(WORTH_A_THREAD, smaller(BLOCK, j->n));
    if (j->blocks == 1)
        return s2_parallel_for(items, grain, search_lines, j);
    int64_t *y = j->y, *places = s2_workspace(S2_ACCUMULATE, (size_t)items * 2 * sizeof *places);
    if (!places)
        return 1;
    j->y = places, j->most = (char *)(places + items);
    s2_parallel_for(items, grain, search_lines, j);
    join_blocks(j, outer, y);
    return 0;
}

static int find(
    const search *s, const void *x, int64_t *y, int64_t outer, int64_t n, int64_t inner)
{
    job j = {s, x, y, NULL, n, inner, pieces(n, BLOCK), pieces(inner, CHUNK)};
    if (outer == 0 || inner == 0)
        return 0;
    if (n == 0)
        return 1;
    if (inner == 1)
        return search_blocks(&j, outer);
    int64_t grain = pieces(WORTH_A_THREAD, n * smaller(CHUNK, inner));
    return s2_parallel_for(outer * j.chunks, grain, search_columns, &j);
}

#define FIND(what, dtype, type, bits, load)                                                        \
    int s2_##what##_##dtype(const type *x, int64_t *y, int64_t outer, int64_t n, int64_t inner)    \
    {                                                                                              \
        static const search s = {bits##_line, bits##_row, load, sizeof(type)};                     \
        return find(&s, x, y, outer, n, inner);                                                    \
    }
#define FLOAT(dtype, type, bits)                                                                   \
    FIND(argmax, dtype, type, bits, load_rank_##dtype)                                             \
    FIND(argmin, dtype, type, bits, load_rank_down_##dtype)
#define INTEGER(dtype, type)                                                                       \
    FIND(argmax, dtype, type, dtype, NULL)                                                         \
    FIND(argmin, dtype, type, dtype, load_down_##dtype)
FLOAT(f16, uint16_t, i16)
FLOAT(bf16, uint16_t, i16)
FLOAT(f32, float, i32)
FLOAT(f64, double, i64)
INTEGER(i8, int8_t)
INTEGER(i16, int16_t)
INTEGER(i32, int32_t)
INTEGER(i64, int64_t)
INTEGER(u8, uint8_t)
