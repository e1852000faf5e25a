/* The gradient of 3 by 3 filters by tiles: what the convolution does, the other way round
 * (winograd.h). */
#include "winograd.h"

enum { MOST_PARTS = 4 }; /* sums over images that are added at the end */

typedef struct {
    const s2_conv *what;
    images x, dy;
    float *dw, *sums;   /* those of all parts, at pairs of points: (part, pair, channel, filter) */
    int64_t deep, wide; /* channels and filters as whole vectors */
    int64_t parts;
    tiling tiles;
    /* The block at hand. */
    tile_block block;
    float *inputs, *outputs, *part;
    int64_t in, out; /* elements of a matrix */
} job;

/* Of cotangents, along one axis: the transpose of what gives outputs. */
static inline __attribute__((always_inline)) void outputs_at_points(const vector *x, int64_t step,
                                                                    vector y[SEEN])
{
    vector x0 = x[0], x1 = x[step], x2 = x[2 * step], x3 = x[3 * step];
    vector even = x0 + 0.5f * x2, odd = x1 + 0.5f * x3;
    vector large_even = x0 + 2 * x2, large_odd = x1 + 2 * x3;
    y[0] = x0;
    y[1] = even + ROOT_HALF * odd;
    y[2] = even - ROOT_HALF * odd;
    y[3] = large_even + ROOT_TWO * large_odd;
    y[4] = large_even - ROOT_TWO * large_odd;
    y[5] = x3;
}

static void tiles_of_outputs(const vector *x, int64_t across, float *to, int64_t matrix,
                             int64_t pitch)
{
    int64_t cols = SIDE * across;
    for (int64_t t = 0; t < across; t++) {
        vector lines[SEEN * SIDE];
#pragma GCC unroll 4
        for (int c = 0; c < SIDE; c++) {
            vector y[SEEN];
            outputs_at_points(x + SIDE * t + c, cols, y);
#pragma GCC unroll 6
            for (int i = 0; i < SEEN; i++)
                lines[SIDE * i + c] = y[i];
        }
#pragma GCC unroll 6
        for (int i = 0; i < SEEN; i++) {
            vector y[SEEN];
            outputs_at_points(lines + SIDE * i, 1, y);
#pragma GCC unroll 6
            for (int j = 0; j < SEEN; j++)
                *(vector *)(to + (SEEN * i + j) * matrix + t * pitch) = y[j];
        }
    }
}

/* Rows of tiles of the block at hand: of inputs and of outputs. */
static int load_rows(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    int64_t across = j->tiles.across, cols = SIDE * across + SEEN - SIDE;
    vector *frame = s2_workspace(S2_LINE, (size_t)(2 * SEEN * cols) * sizeof *frame);
    if (!frame)
        return 2;
    for (int64_t n = begin; n < end; n++) {
        int64_t image = j->block.image + n / j->block.rows;
        int64_t row = j->block.row + n % j->block.rows;
        for (int64_t c = 0; c < j->x.channels; c += LANES) {
            read_lanes(&j->x, image, c, SIDE * row, SEEN, cols, frame);
            tiles_at_points(frame, cols, across, frame + SEEN * cols,
                            j->inputs + n * across * j->deep + c, j->in, j->deep);
        }
        for (int64_t k = 0; k < j->dy.channels; k += LANES) {
            read_lanes(&j->dy, image, k, SIDE * row, SIDE, SIDE * across, frame);
            tiles_of_outputs(frame, across, j->outputs + n * across * j->wide + k, j->out,
                             j->wide);
        }
    }
    return 0;
}

static int multiply_points(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    int64_t tiles = j->block.images * j->block.rows * j->tiles.across;
    for (int64_t p = begin; p < end; p++)
        product(j->x.channels, j->wide, tiles, j->inputs + p * j->in, 1, j->deep,
                j->outputs + p * j->out, j->wide, j->part + p * j->deep * j->wide, j->wide, true);
    return 0;
}

/* The sums of each part of the blocks. */
static int some_parts(void *data, int64_t begin, int64_t end)
{
    job own = *(job *)data, *j = &own;
    int64_t most = most_tiles(&j->tiles), size = POINTS * j->deep * j->wide;
    j->in = most * j->deep + GAP, j->out = most * j->wide + GAP;
    j->inputs = s2_workspace(S2_TILES, (size_t)(POINTS * (j->in + j->out)) * sizeof(float));
    j->outputs = j->inputs + POINTS * j->in;
    int failed = j->inputs ? 0 : 2;
    for (int64_t part = begin; part < end && !failed; part++) {
        int64_t last = j->tiles.blocks * (part + 1) / j->parts;
        j->part = j->sums + part * size;
        memset(j->part, 0, (size_t)size * sizeof(float));
        for (int64_t n = j->tiles.blocks * part / j->parts; n < last && !failed; n++) {
            j->block = block_at(&j->tiles, n);
            failed = s2_parallel_for(j->block.images * j->block.rows, 1, load_rows, j);
            if (!failed)
                s2_parallel_for(POINTS, 1, multiply_points, j);
        }
    }
    return failed;
}

/* Along one axis: the transpose of what takes filters to points. */
static inline __attribute__((always_inline)) void filter_from_points(const vector *x, int64_t step,
                                                                     vector *y, int64_t y_step)
{
    vector small = (x[step] + x[2 * step]) * (-1 / 1.5f), large = (x[3 * step] + x[4 * step]) / 6;
    vector odd = x[step] - x[2 * step], large_odd = x[3 * step] - x[4 * step];
    y[0] = (x[0] + small) + large;
    y[y_step] = (-ROOT_HALF / 1.5f) * odd + (ROOT_TWO / 6) * large_odd;
    y[2 * y_step] = (x[5 * step] + 0.5f * small) + 2 * large;
}

/* The filters of some channels, from the sums of all parts. */
static int write_filters(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    int64_t matrix = j->deep * j->wide;
    for (int64_t c = begin; c < end; c++)
        for (int64_t k = 0; k < j->dy.channels; k += LANES) {
            vector x[POINTS], lines[3 * SEEN], y[TAPS];
            for (int i = 0; i < POINTS; i++) {
                const float *at = j->sums + i * matrix + c * j->wide + k;
                x[i] = *(const vector *)at;
                for (int64_t part = 1; part < j->parts; part++)
                    x[i] += *(const vector *)(at + part * POINTS * matrix);
            }
            for (int i = 0; i < SEEN; i++)
                filter_from_points(x + i, SEEN, lines + i, SEEN);
            for (int i = 0; i < 3; i++)
                filter_from_points(lines + SEEN * i, 1, y + 3 * i, 1);
            for (int64_t l = 0; l < s2_least(LANES, j->dy.channels - k); l++)
                for (int t = 0; t < TAPS; t++)
                    j->dw[((k + l) * j->x.channels + c) * TAPS + t] = y[t][l];
        }
    return 0;
}

static bool is_finite(const float *x, int64_t count)
{
    float bad = 0;
    for (int64_t i = 0; i < count; i++)
        bad += x[i] * 0;
    return bad == 0;
}

static int run(job *j)
{
    int64_t size = POINTS * j->deep * j->wide;
    j->sums = s2_workspace(S2_PARTS, (size_t)(j->parts * size) * sizeof(float));
    if (!j->sums)
        return 2;
    int failed = 0;
    if (j->parts >= s2_threads())
        failed = s2_parallel_for(j->parts, 1, some_parts, j);
    else
        failed = some_parts(j, 0, j->parts);
    if (!failed)
        s2_parallel_for(j->x.channels, s2_most(1, S2_WORTH / (64 * j->wide)), write_filters, j);
    return failed;
}

int s2_conv_filter_grad_winograd_f32(const s2_conv *what, const void *x, const void *dy, void *dw)
{
    int64_t count = what->filters * what->channels * TAPS;
    job j = {
        .what = what,
        .x = {x, what->channels, {what->size[1], what->size[2]},
              {what->before[1], what->before[2]}},
        .dy = {dy, what->filters, {what->count[1], what->count[2]}, {0, 0}},
        .dw = dw,
        .deep = to_lanes(what->channels),
        .wide = to_lanes(what->filters),
    };
    j.tiles = tiles_of(what->batch, j.dy.size, tiles_of_block(j.deep, j.wide));
    j.parts = s2_least(MOST_PARTS, j.tiles.blocks);
    int failed = run(&j);
    if (!failed && !is_finite(dw, count)) {
        s2_conv again = *what;
        again.epilogue = NULL;
        failed = s2_conv_filter_grad_f32(&again, x, dy, dw);
    }
    if (!failed && what->epilogue)
        what->epilogue(what->epilogue_data, 0, 0, 0, what->filters, what->channels * TAPS);
    return failed;
}
