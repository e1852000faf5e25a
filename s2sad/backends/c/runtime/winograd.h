/* What do Winograd's convolution of 3 by 3 filters and its gradients share?
 *
 * A tile of 4 by 4 outputs of a channel depends on 6 by 6 inputs. A filter and those inputs are
 * polynomials, the outputs coefficients of their product, which is known by its values at six
 * points: 0, 1/sqrt(2), -1/sqrt(2), sqrt(2), -sqrt(2) and infinity, along both axes. So 36
 * multiplications take the place of 144. These points are chosen since rounding errors grow least:
 * no value is far from the size of what it is made from.
 *
 * Values at one pair of points are matrices, over channels and over tiles, which are multiplied. An
 * infinity or a NaN among the inputs, or a sum that overflows, makes some output of a tile
 * another number than a finite one; those are computed again without tiles.
 *
 * Lanes of vectors are channels: an image is turned while it is read and while it is written.
 */
#ifndef S2_WINOGRAD_H
#define S2_WINOGRAD_H

#define S2_REAL float
#define S2_REAL_BYTES 4
#define S2_LANE int32_t
#include "conv.h"
#include "vectors.h"
#include "weave.h"

enum {
    SIDE = 4,             /* outputs of a tile along an axis */
    SEEN = 6,             /* inputs, and points */
    POINTS = SEEN * SEEN, /* pairs of points */
    TAPS = 9,
    BLOCK_BYTES = 1 << 20, /* of the matrices of a block of tiles, that a cache holds them */
    LEAST_TILES = 28,      /* of a block, where there are as many ... */
    FILTERS_A_TILE = 2048, /* ... and for so many filters, which are read again for each block */
    GAP = LANES,          /* elements between matrices, that these lie in different parts of caches */
};

#define ROOT_HALF 0.707106781186547524f /* 1 / sqrt(2) */
#define ROOT_TWO 1.41421356237309505f

/* Images of some channels, whose rows and columns begin before what is stored. */
typedef struct {
    const float *data;
    int64_t channels;
    int64_t size[2], before[2];
} images;

/* Which tiles are dealt with at a time: whole images, or rows of tiles of one. */
typedef struct {
    int64_t down, across;       /* tiles of an image */
    int64_t batch, together;    /* images: all, and of a block at most */
    int64_t rows, per_image;    /* rows of tiles of a block at most, blocks of an image */
    int64_t blocks;
} tiling;

typedef struct {
    int64_t image, images, row, rows;
} tile_block;

/* How many tiles are dealt with at a time. */
static inline int64_t tiles_of_block(int64_t deep, int64_t wide)
{
    int64_t least = s2_most(LEAST_TILES, deep * wide / FILTERS_A_TILE);
    return s2_most(least, BLOCK_BYTES / (POINTS * (deep + wide) * (int64_t)sizeof(float)));
}

static inline int64_t to_lanes(int64_t channels) { return s2_ceil_div(channels, LANES) * LANES; }

/* Outputs of `size`, in blocks of about `most` tiles. */
static inline tiling tiles_of(int64_t batch, const int64_t *size, int64_t most)
{
    tiling t = {.down = s2_ceil_div(size[0], SIDE), .across = s2_ceil_div(size[1], SIDE),
                .batch = batch};
    t.together = s2_even(batch, s2_most(1, most / (t.down * t.across)));
    t.rows = t.together > 1 ? t.down : s2_even(t.down, s2_most(1, most / t.across));
    t.per_image = s2_ceil_div(t.down, t.rows);
    t.blocks = s2_ceil_div(batch, t.together) * t.per_image;
    return t;
}

static inline tile_block block_at(const tiling *t, int64_t number)
{
    tile_block b = {.image = number / t->per_image * t->together,
                    .row = number % t->per_image * t->rows};
    b.images = s2_least(t->together, t->batch - b.image);
    b.rows = s2_least(t->rows, t->down - b.row);
    return b;
}

/* Most tiles of a block. */
static inline int64_t most_tiles(const tiling *t) { return t->together * t->rows * t->across; }

/* ---- from planes to lanes ------------------------------------------------------------------- */

/* `n` elements of a line, LANES at most, zeros behind them. */
static inline vector part_of(const float *from, int64_t n)
{
    vector x = {0};
    if (n == LANES)
        x = *(const loose *)from;
    else
        memcpy(&x, from, (size_t)n * sizeof *from);
    return x;
}

/* Elements [begin, end) of planes of `channels` channels, row by row of `width` elements; `to` is
 * where the first is to go, and rows lie `pitch` apart there. */
static inline void turn_planes(const float *from, int64_t plane, int64_t channels, int64_t begin,
                               int64_t end, int64_t width, vector *to, int64_t pitch)
{
    int64_t col = 0;
    for (int64_t p = begin; p < end; p += LANES) {
        int64_t n = s2_least(LANES, end - p);
        vector x[LANES];
#pragma GCC unroll 16
        for (int l = 0; l < LANES; l++)
            x[l] = l < channels ? part_of(from + l * plane + p, n) : (vector){0};
        turn_square(x);
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++) {
            if (i >= n)
                break;
            *to++ = x[i];
            if (++col == width)
                col = 0, to += pitch - width;
        }
    }
}

/* Rows [row, row + rows) of LANES channels from `channel` on, as they are padded; `cols` of each. */
static inline void read_lanes(const images *x, int64_t image, int64_t channel, int64_t row,
                              int64_t rows, int64_t cols, vector *to)
{
    int64_t plane = x->size[0] * x->size[1];
    int64_t first = s2_least(s2_most(x->before[0] - row, 0), rows);
    int64_t last = s2_most(s2_least(x->before[0] + x->size[0] - row, rows), first);
    int64_t left = x->before[1], begin = (row + first - x->before[0]) * x->size[1];
    memset(to, 0, (size_t)(first * cols) * sizeof *to);
    memset(to + last * cols, 0, (size_t)((rows - last) * cols) * sizeof *to);
    for (int64_t r = first; r < last; r++) {
        for (int64_t c = 0; c < left; c++)
            to[r * cols + c] = (vector){0};
        for (int64_t c = left + x->size[1]; c < cols; c++)
            to[r * cols + c] = (vector){0};
    }
    if (first < last)
        turn_planes(x->data + (image * x->channels + channel) * plane, plane,
                    s2_least(LANES, x->channels - channel), begin,
                    begin + (last - first) * x->size[1], x->size[1], to + first * cols + left,
                    cols);
}

/* ---- values at points ----------------------------------------------------------------------- */

/* Of inputs, along one axis: x[i * step] to y[i]. */
static inline __attribute__((always_inline)) void at_points(const vector *x, int64_t step,
                                                            vector y[SEEN])
{
    vector x0 = x[0], x1 = x[step], x2 = x[2 * step], x3 = x[3 * step], x4 = x[4 * step];
    vector x5 = x[5 * step];
    vector even = x4 - 2 * x2, odd = x3 - 2 * x1;
    vector large_even = x4 - 0.5f * x2, large_odd = x3 - 0.5f * x1;
    y[0] = (x0 + x4) - 2.5f * x2;
    y[1] = even + ROOT_HALF * odd;
    y[2] = even - ROOT_HALF * odd;
    y[3] = large_even + ROOT_TWO * large_odd;
    y[4] = large_even - ROOT_TWO * large_odd;
    y[5] = (x1 + x5) - 2.5f * x3;
}

/* A row of `across` tiles from SEEN rows of `cols` elements, to the rows `at`, at + 1, ... of
 * POINTS matrices; those are `matrix` apart, their rows `pitch`. `lines` has room for SEEN rows. */
static inline void tiles_at_points(const vector *x, int64_t cols, int64_t across, vector *lines,
                                   float *to, int64_t matrix, int64_t pitch)
{
    for (int64_t c = 0; c < SIDE * across + SEEN - SIDE; c++) {
        vector y[SEEN];
        at_points(x + c, cols, y);
#pragma GCC unroll 6
        for (int i = 0; i < SEEN; i++)
            lines[i * cols + c] = y[i];
    }
    for (int64_t t = 0; t < across; t++)
#pragma GCC unroll 6
        for (int i = 0; i < SEEN; i++) {
            vector y[SEEN];
            at_points(lines + i * cols + SIDE * t, 1, y);
#pragma GCC unroll 6
            for (int j = 0; j < SEEN; j++)
                *(vector *)(to + (SEEN * i + j) * matrix + t * pitch) = y[j];
        }
}

/* The inputs of a block of tiles, at all pairs of points: element (tile, channel) of the matrix of
 * a pair. `frame` and `lines` are room for SEEN rows. */
static inline void block_at_points(const images *x, const tiling *t, const tile_block *b,
                                   vector *frame, float *to, int64_t matrix, int64_t pitch)
{
    int64_t cols = SIDE * t->across + SEEN - SIDE;
    vector *lines = frame + SEEN * cols;
    for (int64_t image = 0; image < b->images; image++)
        for (int64_t row = 0; row < b->rows; row++)
            for (int64_t c = 0; c < x->channels; c += LANES) {
                read_lanes(x, b->image + image, c, SIDE * (b->row + row), SEEN, cols, frame);
                tiles_at_points(frame, cols, t->across, lines,
                                to + (image * b->rows + row) * t->across * pitch + c, matrix,
                                pitch);
            }
}

/* ---- products of matrices ------------------------------------------------------------------- */

/* c[i][j] = sum of a[i * a_row + d * a_step] b[d][j], or that much more. */
static inline __attribute__((always_inline)) void
sum_rows(const int rows, const int vectors, int64_t depth, const float *restrict a, int64_t a_row,
         int64_t a_step, const float *restrict b, int64_t b_row, float *restrict c, int64_t c_row,
         bool onto)
{
    vector sums[S2_ROWS][2];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < vectors; j++)
            sums[i][j] = (vector){0};
    for (int64_t d = 0; d < depth; d++, a += a_step, b += b_row) {
        vector y[2];
#pragma GCC unroll 2
        for (int j = 0; j < vectors; j++)
            y[j] = ((const vector *)b)[j];
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
            for (int j = 0; j < vectors; j++)
                sums[i][j] += a[i * a_row] * y[j];
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < vectors; j++) {
            vector *to = (vector *)(c + i * c_row) + j;
            *to = onto ? *to + sums[i][j] : sums[i][j];
        }
}

typedef void (*rows_sum)(int64_t depth, const float *a, int64_t a_row, int64_t a_step,
                         const float *b, int64_t b_row, float *c, int64_t c_row, bool onto);

#define ROWS(rows)                                                                                 \
    static void rows_##rows##_1(int64_t depth, const float *a, int64_t a_row, int64_t a_step,      \
                                const float *b, int64_t b_row, float *c, int64_t c_row, bool onto) \
    {                                                                                              \
        sum_rows(rows, 1, depth, a, a_row, a_step, b, b_row, c, c_row, onto);                      \
    }                                                                                              \
    static void rows_##rows##_2(int64_t depth, const float *a, int64_t a_row, int64_t a_step,      \
                                const float *b, int64_t b_row, float *c, int64_t c_row, bool onto) \
    {                                                                                              \
        sum_rows(rows, 2, depth, a, a_row, a_step, b, b_row, c, c_row, onto);                      \
    }
#define BOTH(rows) {rows_##rows##_1, rows_##rows##_2},
S2_EACH_ROWS(ROWS)

/* By rows and vectors, less 1. */
static const rows_sum ROW_SUMS[S2_ROWS][2] = {S2_EACH_ROWS(BOTH)};

/* All of c, of `rows` rows and `cols` columns, which are whole vectors. */
static inline void product(int64_t rows, int64_t cols, int64_t depth, const float *a,
                           int64_t a_row, int64_t a_step, const float *b, int64_t b_row, float *c,
                           int64_t c_row, bool onto)
{
    int64_t height = s2_even(rows, S2_ROWS);
    for (int64_t j = 0; j < cols; j += 2 * LANES)
        for (int64_t i = 0; i < rows; i += height)
            ROW_SUMS[s2_least(height, rows - i) - 1][cols - j > LANES](
                depth, a + i * a_row, a_row, a_step, b + j, b_row, c + i * c_row + j, c_row, onto);
}

#endif
