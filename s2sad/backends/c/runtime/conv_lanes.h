/* How are windows multiplied with filters where the lanes of vectors are filters? Included by
 * conv_engine.h.
 *
 * An element that a window sees is multiplied with a vector of filters, so nothing is packed; sums are
 * turned when they are written, cotangents when they are read. Windows of a row, or taps, are dealt
 * with S2_ROWS at a time, filters 2 vectors at a time. */

/* Filters of a group, as whole vectors. */
static int64_t lanes_wide(const job *j) { return s2_ceil_div(j->outputs, LANES) * LANES; }

/* Whether lanes are mostly filters, and those of all taps lie in a cache. */
static bool lanes_fit(const job *j)
{
    return 4 * j->outputs >= 3 * lanes_wide(j) && j->inputs * j->taps <= S2_LANE_DEPTH;
}

/* Every tap of `rows` windows that follow each other. */
static inline __attribute__((always_inline)) void
sum_windows(const int rows, const int vectors, int64_t depth, const S2_REAL *restrict x,
            const int64_t *restrict at, const S2_REAL *restrict w, int64_t wide,
            S2_REAL *restrict to)
{
    vector sums[S2_ROWS][2];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < vectors; j++)
            sums[i][j] = (vector){0};
    for (int64_t d = 0; d < depth; d++, w += wide) {
        const S2_REAL *seen = x + at[d];
        vector y[2];
#pragma GCC unroll 2
        for (int j = 0; j < vectors; j++)
            y[j] = ((const vector *)w)[j];
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
            for (int j = 0; j < vectors; j++)
                sums[i][j] += seen[i] * y[j];
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < vectors; j++)
            ((vector *)(to + i * wide))[j] = sums[i][j];
}

/* Some taps of all windows of the images at hand, whose cotangents lie at dy: onto `to`. */
static inline __attribute__((always_inline)) void
sum_taps(const int taps, const int vectors, const job *j, const S2_REAL *frame,
         const int64_t *at, const S2_REAL *dy, int64_t dy_image, int64_t wide, vector to[][2])
{
    const int64_t *count = j->what->count;
    vector sums[S2_ROWS][2];
    int64_t own[S2_ROWS];
#pragma GCC unroll 16
    for (int t = 0; t < taps; t++) {
        own[t] = at[t];
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            sums[t][v] = (vector){0};
    }
    for (int64_t image = 0; image < j->images; image++, dy += dy_image)
        for (int64_t row = 0; row < count[0] * count[1]; row++) {
            const S2_REAL *x = frame + image * j->what->channels * j->channel +
                               row / count[1] * j->plane + row % count[1] * j->row;
            const S2_REAL *given = dy + row * count[2] * wide;
            for (int64_t p = 0; p < count[2]; p++, given += wide) {
                vector y[2];
#pragma GCC unroll 2
                for (int v = 0; v < vectors; v++)
                    y[v] = ((const vector *)given)[v];
#pragma GCC unroll 16
                for (int t = 0; t < taps; t++)
#pragma GCC unroll 2
                    for (int v = 0; v < vectors; v++)
                        sums[t][v] += x[own[t] + p] * y[v];
            }
        }
#pragma GCC unroll 16
    for (int t = 0; t < taps; t++)
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            to[t][v] = sums[t][v];
}

typedef void (*windows_sum)(int64_t depth, const S2_REAL *x, const int64_t *at, const S2_REAL *w,
                            int64_t wide, S2_REAL *to);
typedef void (*taps_sum)(const job *j, const S2_REAL *frame, const int64_t *at, const S2_REAL *dy,
                         int64_t dy_image, int64_t wide, vector to[][2]);

#define LANE_SUMS(rows, vectors)                                                                   \
    static void windows_##rows##_##vectors(int64_t depth, const S2_REAL *x, const int64_t *at,     \
                                           const S2_REAL *w, int64_t wide, S2_REAL *to)            \
    {                                                                                              \
        sum_windows(rows, vectors, depth, x, at, w, wide, to);                                     \
    }                                                                                              \
    static void taps_##rows##_##vectors(const job *j, const S2_REAL *frame, const int64_t *at,     \
                                        const S2_REAL *dy, int64_t dy_image, int64_t wide,         \
                                        vector to[][2])                                            \
    {                                                                                              \
        sum_taps(rows, vectors, j, frame, at, dy, dy_image, wide, to);                             \
    }
#define LANE_SUMS_OF(rows) LANE_SUMS(rows, 1) LANE_SUMS(rows, 2)
#define WINDOWS_OF(rows) {windows_##rows##_1, windows_##rows##_2},
#define TAPS_OF(rows) {taps_##rows##_1, taps_##rows##_2},

S2_EACH_ROWS(LANE_SUMS_OF)

/* By the number of rows and of vectors, less 1. */
static const windows_sum WINDOW_SUMS[S2_ROWS][2] = {S2_EACH_ROWS(WINDOWS_OF)};
static const taps_sum TAP_SUMS[S2_ROWS][2] = {S2_EACH_ROWS(TAPS_OF)};

/* ---- between planes and lanes --------------------------------------------------------------- */

/* `n` elements of the stored dtype. */
static inline vector widened(const job *j, const char *from, int64_t n)
{
    vector x = {0};
    if (j->kind->round)
        j->kind->widen((S2_REAL *)&x, from, n, 1);
    else if (n == LANES)
        x = *(const loose *)from;
    else
        memcpy(&x, from, (size_t)n * sizeof(S2_REAL));
    return x;
}

/* `windows` windows of `filters` filters, LANES of each at most, to elements `row` bytes apart: the
 * sums of a window lie beside each other. */
static inline void write_square(const job *j, const S2_REAL *sums, int64_t wide, int64_t row,
                                int64_t windows, int64_t filters, char *to)
{
    vector x[LANES];
    if (windows == LANES && !j->kind->round) {
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++)
            x[i] = *(const loose *)(sums + i * wide);
        turn_square(x);
#pragma GCC unroll 16
        for (int l = 0; l < LANES; l++)
            if (l < filters)
                *(loose *)(to + l * row) = x[l];
        return;
    }
    for (int64_t i = 0; i < LANES; i++)
        x[i] = i < windows ? (vector)*(const loose *)(sums + i * wide) : (vector){0};
    turn_square(x);
    for (int64_t l = 0; l < filters; l++)
        if (j->kind->round)
            j->kind->round(to + l * row, &x[l], windows);
        else
            memcpy(to + l * row, &x[l], (size_t)windows * sizeof(S2_REAL));
}

/* The cotangents of a group of an image, so that those of a window lie beside each other. */
static void read_squares(const job *j, const char *dy, int64_t wide, S2_REAL *to)
{
    int64_t row = j->positions * j->kind->bytes;
    for (int64_t f = 0; f < j->outputs; f += LANES)
        for (int64_t p = 0; p < j->positions; p += LANES) {
            int64_t windows = s2_least(LANES, j->positions - p);
            vector x[LANES];
            for (int l = 0; l < LANES; l++)
                x[l] = f + l < j->outputs
                           ? widened(j, dy + (f + l) * row + p * j->kind->bytes, windows)
                           : (vector){0};
            turn_square(x);
            for (int64_t i = 0; i < windows; i++)
                *(vector *)(to + (p + i) * wide + f) = x[i];
        }
}

/* ---- convolution ---------------------------------------------------------------------------- */

/* The filters of all groups, those of a tap beside each other: 0, or 2 without memory. */
static int turn_filters(job *j)
{
    int64_t wide = lanes_wide(j), depth = j->inputs * j->taps, groups = j->what->groups;
    S2_REAL *to = s2_workspace(S2_FILTERS, (size_t)(groups * depth * wide + 1) * sizeof *to);
    if (!to)
        return 2;
    for (int64_t g = 0; g < groups; g++) {
        s2_lines filters = {j->kind->pack, j->w + g * j->outputs * depth * j->kind->bytes, depth, 1,
                            NULL};
        j->kind->pack(&filters, to + g * depth * wide, 0, j->outputs, 0, depth, wide);
    }
    j->filters = to;
    return 0;
}

/* A tile is `wide` rows of one plane of the output, for all filters of a group. */
static int lane_tiles(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    const s2_conv *w = j->what;
    int64_t wide = lanes_wide(j), depth = j->inputs * j->taps, width = w->count[2];
    int64_t height = s2_even(width, S2_ROWS), bytes = j->kind->bytes;
    S2_REAL *sums = s2_workspace(S2_COLUMNS, (size_t)(j->wide * width * wide) * sizeof *sums);
    if (!sums)
        return 2;
    for (int64_t t = begin; t < end; t++) {
        int64_t group = t / (w->count[0] * j->across);
        int64_t plane = t / j->across % w->count[0], from = t % j->across * j->wide;
        int64_t rows = s2_least(j->wide, w->count[1] - from), filter = group * j->outputs;
        int64_t col = (plane * w->count[1] + from) * width, cols = rows * width;
        const S2_REAL *x = j->frame + group * j->inputs * j->channel + plane * j->plane;
        for (int64_t f = 0; f < wide; f += 2 * LANES)
            for (int64_t r = 0; r < rows; r++)
                for (int64_t c = 0; c < width; c += height)
                    WINDOW_SUMS[s2_least(height, width - c) - 1][wide - f > LANES](
                        depth, x + (from + r) * j->row + c, j->at,
                        j->filters + group * depth * wide + f, wide,
                        sums + (r * width + c) * wide + f);
        char *y = j->result + ((j->image * w->filters + filter) * j->positions + col) * bytes;
        for (int64_t f = 0; f < j->outputs; f += LANES)
            for (int64_t p = 0; p < cols; p += LANES)
                write_square(j, sums + p * wide + f, wide, j->positions * bytes,
                             s2_least(LANES, cols - p), s2_least(LANES, j->outputs - f),
                             y + (f * j->positions + p) * bytes);
        if (w->epilogue)
            w->epilogue(w->epilogue_data, j->image, filter, col, j->outputs, cols);
    }
    return 0;
}

/* ---- gradient of the filters ---------------------------------------------------------------- */

/* The cotangents of the images at hand, by images, groups, windows and filters. */
static int turn_windows(job *j)
{
    int64_t wide = lanes_wide(j), groups = j->what->groups, size = j->positions * wide;
    S2_REAL *to = s2_workspace(S2_COLUMNS, (size_t)(j->images * groups * size) * sizeof *to);
    if (!to)
        return 2;
    for (int64_t n = 0; n < j->images * groups; n++)
        read_squares(j,
                     j->y + (j->image * groups + n) * j->outputs * j->positions * j->kind->bytes,
                     wide, to + n * size);
    j->windows = to;
    return 0;
}

/* A tile is `high` taps of a group, for all its filters; onto the sums of a part. */
static int lane_filter_tiles(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    int64_t depth = j->inputs * j->taps, wide = lanes_wide(j), size = j->positions * wide;
    for (int64_t t = begin; t < end; t++) {
        int64_t group = t / j->down, tap = t % j->down * j->high;
        int64_t taps = s2_least(j->high, depth - tap);
        for (int64_t f = 0; f < wide; f += 2 * LANES) {
            vector found[S2_ROWS][2];
            TAP_SUMS[taps - 1][wide - f > LANES](
                j, j->frame + group * j->inputs * j->channel, j->at + tap,
                j->windows + group * size + f, j->what->groups * size, wide, found);
            S2_REAL *to = j->sums + (group * j->outputs + f) * depth + tap;
            for (int64_t l = 0; l < s2_least(2 * LANES, j->outputs - f); l++)
                for (int64_t i = 0; i < taps; i++)
                    to[l * depth + i] += found[i][l / LANES][l % LANES];
        }
    }
    return 0;
}
