/* A convolution of 3 by 3 filters, or the gradient of its input, by tiles (winograd.h).
 *
 * The gradient is a convolution of the cotangents with the same filters, turned around, between
 * exchanged channels. */
#include "winograd.h"

typedef int (*direct)(const s2_conv *what, const void *x, const void *w, void *y);

typedef struct {
    const s2_conv *what;
    images x;
    const float *w;
    float *y, *filters;           /* those at pairs of points: (pair, channel, filter) */
    int64_t outputs, size[2];     /* channels of y, and of one of these */
    int64_t deep, wide;           /* channels of x and y as whole vectors */
    int64_t from_input, to_output; /* steps in w from channel to channel */
    bool turned;                  /* whether filters are turned around */
    tiling tiles;
    direct again;                 /* what computes without tiles */
} job;

/* ---- filters -------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void filter_at_points(const vector *g, int64_t step,
                                                                   vector *y, int64_t y_step)
{
    vector small = (g[0] + 0.5f * g[2 * step]) * (-1 / 1.5f), large = (g[0] + 2 * g[2 * step]) / 6;
    vector odd = (-ROOT_HALF / 1.5f) * g[step], large_odd = (ROOT_TWO / 6) * g[step];
    y[0] = g[0];
    y[y_step] = small + odd;
    y[2 * y_step] = small - odd;
    y[3 * y_step] = large + large_odd;
    y[4 * y_step] = large - large_odd;
    y[5 * y_step] = g[2 * step];
}

/* The filters of some channels of x. */
static int turn_filters(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    int64_t matrix = j->deep * j->wide;
    for (int64_t c = begin; c < end; c++)
        for (int64_t k = 0; k < j->wide; k += LANES) {
            float taps[TAPS][LANES] = {{0}};
            vector g[TAPS], lines[3 * SEEN], y[POINTS];
            const float *w = j->w + c * j->from_input + k * j->to_output;
            for (int64_t l = 0; l < s2_least(LANES, j->outputs - k) && c < j->x.channels; l++)
                for (int t = 0; t < TAPS; t++)
                    taps[t][l] = w[l * j->to_output + (j->turned ? TAPS - 1 - t : t)];
            memcpy(g, taps, sizeof g);
            for (int i = 0; i < 3; i++)
                filter_at_points(g + i, 3, lines + i, 3);
            for (int i = 0; i < SEEN; i++)
                filter_at_points(lines + 3 * i, 1, y + SEEN * i, 1);
            for (int i = 0; i < POINTS; i++)
                *(vector *)(j->filters + i * matrix + c * j->wide + k) = y[i];
        }
    return 0;
}

/* ---- outputs -------------------------------------------------------------------------------- */

/* Of values at points, along one axis: x[i * step] to y[i]. */
static inline __attribute__((always_inline)) void from_points(const vector *x, int64_t step,
                                                              vector *y, int64_t y_step)
{
    vector even = x[step] + x[2 * step], odd = x[step] - x[2 * step];
    vector large_even = x[3 * step] + x[4 * step], large_odd = x[3 * step] - x[4 * step];
    y[0] = (x[0] + even) + large_even;
    y[y_step] = ROOT_HALF * odd + ROOT_TWO * large_odd;
    y[2 * y_step] = 0.5f * even + 2 * large_even;
    y[3 * y_step] = (x[5 * step] + (0.5f * ROOT_HALF) * odd) + (2 * ROOT_TWO) * large_odd;
}

/* The tile whose values stand in a row of POINTS matrices, to SIDE rows that lie `cols` apart;
 * what is not finite makes `bad` a NaN. */
static inline void tile_of(const float *values, int64_t matrix, vector *to, int64_t cols,
                           vector *bad)
{
    vector lines[SIDE * SEEN];
#pragma GCC unroll 6
    for (int j = 0; j < SEEN; j++) {
        vector x[SEEN];
#pragma GCC unroll 6
        for (int i = 0; i < SEEN; i++)
            x[i] = *(const vector *)(values + (SEEN * i + j) * matrix);
        from_points(x, 1, lines + j, SEEN);
    }
#pragma GCC unroll 4
    for (int i = 0; i < SIDE; i++) {
        from_points(lines + SEEN * i, 1, to + i * cols, 1);
        vector sum = (to[i * cols] + to[i * cols + 1]) + (to[i * cols + 2] + to[i * cols + 3]);
        *bad += sum * 0;
    }
}

/* `rows` rows of outputs of LANES channels, from a frame with rows `cols` apart. */
static void write_lanes(const vector *frame, int64_t cols, float *y, int64_t plane,
                        int64_t channels, int64_t begin, int64_t rows, int64_t width)
{
    int64_t col = 0, end = begin + rows * width;
    for (int64_t p = begin; p < end; p += LANES) {
        int64_t n = s2_least(LANES, end - p);
        vector x[LANES];
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++) {
            if (i >= n)
                break;
            x[i] = *frame++;
            if (++col == width)
                col = 0, frame += cols - width;
        }
        for (int64_t i = n; i < LANES; i++)
            x[i] = (vector){0};
        turn_square(x);
        if (n == LANES && channels == LANES)
#pragma GCC unroll 16
            for (int l = 0; l < LANES; l++)
                *(loose *)(y + l * plane + p) = x[l];
        else
            for (int64_t l = 0; l < channels; l++)
                memcpy(y + l * plane + p, &x[l], (size_t)n * sizeof *y);
    }
}

/* The outputs of a block: whether all are finite. */
static bool write_block(const job *j, const tile_block *b, const float *values, int64_t matrix,
                        vector *frame)
{
    const tiling *t = &j->tiles;
    int64_t plane = j->size[0] * j->size[1], cols = SIDE * t->across;
    vector bad = {0};
    for (int64_t image = 0; image < b->images; image++)
        for (int64_t k = 0; k < j->outputs; k += LANES)
            for (int64_t row = 0; row < b->rows; row++) {
                const float *at = values + (image * b->rows + row) * t->across * j->wide + k;
                int64_t first = SIDE * (b->row + row);
                for (int64_t c = 0; c < t->across; c++)
                    tile_of(at + c * j->wide, matrix, frame + SIDE * c, cols, &bad);
                write_lanes(frame, cols,
                            j->y + ((b->image + image) * j->outputs + k) * plane, plane,
                            s2_least(LANES, j->outputs - k), first * j->size[1],
                            s2_least(SIDE, j->size[0] - first), j->size[1]);
            }
    return across(bad) == 0;
}

/* ---- without tiles -------------------------------------------------------------------------- */

/* Rows of each channel from one place to another. */
static void copy_rows(float *to, int64_t to_plane, const float *from, int64_t from_plane,
                      int64_t channels, int64_t elements)
{
    for (int64_t c = 0; c < channels; c++)
        memcpy(to + c * to_plane, from + c * from_plane, (size_t)elements * sizeof *to);
}

/* The outputs [from, to) along the first axis of an image, in the way that knows no tiles. */
static int rows_again(const job *j, int64_t image, int64_t from, int64_t to)
{
    const images *x = &j->x;
    int64_t first = s2_most(0, from - x->before[0]);
    int64_t last = s2_most(first, s2_least(x->size[0], to - x->before[0] + 2));
    int64_t in = (last - first) * x->size[1], out = (to - from) * j->size[1];
    int64_t in_plane = x->size[0] * x->size[1], out_plane = j->size[0] * j->size[1];
    size_t bytes = (size_t)(in * x->channels + out * j->outputs) * sizeof(float);
    float *seen = s2_workspace(S2_AGAIN, bytes), *y = seen + in * x->channels;
    s2_conv what = *j->what;
    if (!seen)
        return 2;
    what.batch = 1;
    what.epilogue = NULL;
    what.size[1] = j->turned ? to - from : last - first;
    what.count[1] = j->turned ? last - first : to - from;
    what.before[1] = j->turned ? what.before[1] + from - first
                               : s2_most(0, x->before[0] - from);
    copy_rows(seen, in, x->data + image * x->channels * in_plane + first * x->size[1], in_plane,
              x->channels, in);
    int failed = j->again(&what, seen, j->w, y);
    copy_rows(j->y + image * j->outputs * out_plane + from * j->size[1], out_plane, y, out,
              j->outputs, out);
    return failed;
}

static int block_again(const job *j, const tile_block *b)
{
    int64_t from = SIDE * b->row, to = s2_least(j->size[0], SIDE * (b->row + b->rows));
    int failed = 0;
    for (int64_t image = 0; image < b->images && !failed; image++)
        failed = rows_again(j, b->image + image, from, to);
    return failed;
}

/* ---- all ------------------------------------------------------------------------------------ */

static void hand_on(const job *j, const tile_block *b)
{
    int64_t from = SIDE * b->row, rows = s2_least(j->size[0] - from, SIDE * b->rows);
    for (int64_t image = 0; image < b->images && j->what->epilogue; image++)
        j->what->epilogue(j->what->epilogue_data, b->image + image, 0, from * j->size[1],
                          j->outputs, rows * j->size[1]);
}

static int some_blocks(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    int64_t most = most_tiles(&j->tiles), cols = SIDE * j->tiles.across + SEEN - SIDE;
    int64_t in = most * j->deep + GAP, out = most * j->wide + GAP;
    size_t bytes = (size_t)(POINTS * (in + out) + 2 * SEEN * cols * LANES) * sizeof(float);
    float *x = s2_workspace(S2_TILES, bytes), *y = x + POINTS * in;
    vector *frame = (vector *)(y + POINTS * out);
    int failed = x ? 0 : 2;
    for (int64_t number = begin; number < end && !failed; number++) {
        tile_block b = block_at(&j->tiles, number);
        int64_t tiles = b.images * b.rows * j->tiles.across;
        block_at_points(&j->x, &j->tiles, &b, frame, x, in, j->deep);
        for (int64_t p = 0; p < POINTS; p++)
            product(tiles, j->wide, j->x.channels, x + p * in, j->deep, 1,
                    j->filters + p * j->deep * j->wide, j->wide, y + p * out, j->wide, false);
        if (!write_block(j, &b, y, out, frame))
            failed = block_again(j, &b);
        hand_on(j, &b);
    }
    return failed;
}

static int run(job *j)
{
    if (j->what->batch * j->outputs * j->size[0] * j->size[1] == 0)
        return 0;
    j->deep = to_lanes(j->x.channels), j->wide = to_lanes(j->outputs);
    j->tiles = tiles_of(j->what->batch, j->size, tiles_of_block(j->deep, j->wide));
    j->filters = s2_workspace(S2_FILTERS, (size_t)(POINTS * j->deep * j->wide) * sizeof(float));
    if (!j->filters)
        return 2;
    s2_parallel_for(j->deep, s2_most(1, S2_WORTH / (32 * j->wide)), turn_filters, j);
    return s2_parallel_for(j->tiles.blocks, 1, some_blocks, j);
}

int s2_conv_winograd_f32(const s2_conv *what, const void *x, const void *w, void *y)
{
    job j = {
        .what = what,
        .x = {x, what->channels, {what->size[1], what->size[2]},
              {what->before[1], what->before[2]}},
        .w = w,
        .y = y,
        .outputs = what->filters,
        .size = {what->count[1], what->count[2]},
        .from_input = TAPS,
        .to_output = TAPS * what->channels,
        .again = s2_conv_f32,
    };
    return run(&j);
}

int s2_conv_input_grad_winograd_f32(const s2_conv *what, const void *dy, const void *w, void *dx)
{
    job j = {
        .what = what,
        .x = {dy, what->filters, {what->count[1], what->count[2]},
              {2 - what->before[1], 2 - what->before[2]}},
        .w = w,
        .y = dx,
        .outputs = what->channels,
        .size = {what->size[1], what->size[2]},
        .from_input = TAPS * what->channels,
        .to_output = TAPS,
        .turned = true,
        .again = s2_conv_input_grad_f32,
    };
    return run(&j);
}
