/* What does each element of the input get from windows that move by one, where the lanes of vectors
 * are channels at the taps of a column? Included by conv_engine.h.
 *
 * The frame holds the image turned: places along the last axis first, then planes, rows, channels.
 * What a window gives to the channels of one column of its taps lies side by side there. Windows of
 * a row that follow each other give to a *strip* of such columns, which stays in registers until all
 * filters and taps are summed; so the frame is added onto once, and no column of taps is kept. */

/* The taps of a row of which there are strips. */
#define S2_EACH_STRIP(DO) DO(3) DO(5)

/* Elements of a strip, as whole vectors; lanes beyond them give nothing. */
static int64_t strip_wide(const job *j)
{
    return s2_ceil_div(j->inputs * j->what->kernel[1], LANES) * LANES;
}

/* Elements of the turned image, of one group. */
static int64_t strip_frame(const job *j)
{
    return j->room[0] * j->room[1] * j->room[2] * j->inputs;
}

/* Elements of the turned filters, of one group. */
static int64_t strip_filters(const job *j)
{
    return j->what->kernel[0] * j->outputs * j->what->kernel[2] * strip_wide(j);
}

static int64_t strip_windows(const job *j)
{
    return s2_even(j->what->count[2], S2_ROWS + 1 - j->what->kernel[2]);
}

/* Whether lanes are mostly used, windows many, and what is gone over again lies in a cache. */
static bool strips_fit(const job *j)
{
    const s2_conv *w = j->what;
    for (int i = 0; i < 3; i++)
        if (w->stride[i] != 1 || w->dilation[i] != 1)
            return false;
    return (w->kernel[2] == 3 || w->kernel[2] == 5) && w->kernel[2] <= S2_ROWS &&
           w->count[2] > 0 && strip_windows(j) >= S2_LEAST_ROWS &&
           w->batch * w->groups >= S2_STRIP_IMAGES &&
           4 * j->inputs * w->kernel[1] >= 3 * strip_wide(j) &&
           strip_frame(j) <= S2_STRIP_ELEMENTS && strip_filters(j) <= S2_STRIP_ELEMENTS;
}

/* What `windows` windows of a row give to a strip, onto the frame; of the last vector only `rest`. */
static inline __attribute__((always_inline)) void
sum_strip(const int windows, const int taps, const int vectors, const job *j,
          const S2_REAL *restrict dy, const S2_REAL *restrict w, int64_t wide, lanes rest,
          S2_REAL *restrict frame, int64_t column)
{
    vector sums[S2_ROWS][2];
#pragma GCC unroll 16
    for (int i = 0; i < windows + taps - 1; i++)
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            sums[i][v] = (vector){0};
    for (int64_t f = 0; f < j->outputs; f++, dy += j->positions)
#pragma GCC unroll 8
        for (int t = 0; t < taps; t++, w += wide) {
            vector y[2];
#pragma GCC unroll 2
            for (int v = 0; v < vectors; v++)
                y[v] = ((const vector *)w)[v];
#pragma GCC unroll 16
            for (int i = 0; i < windows; i++)
#pragma GCC unroll 2
                for (int v = 0; v < vectors; v++)
                    sums[i + t][v] += dy[i] * y[v];
        }
#pragma GCC unroll 16
    for (int i = 0; i < windows + taps - 1; i++, frame += column) {
        if (vectors == 2)
            *(loose *)frame += sums[i][0];
        *(loose *)(frame + (vectors - 1) * LANES) += only(rest, sums[i][vectors - 1]);
    }
}

typedef void (*strip_sum)(const job *j, const S2_REAL *dy, const S2_REAL *w, int64_t wide,
                          lanes rest, S2_REAL *frame, int64_t column);

/* Those that registers do not hold are empty, and never called. */
#define STRIP(windows, taps, vectors)                                                              \
    static void strip_##windows##_##taps##_##vectors(const job *j, const S2_REAL *dy,              \
                                                     const S2_REAL *w, int64_t wide, lanes rest,   \
                                                     S2_REAL *frame, int64_t column)               \
    {                                                                                              \
        if (windows + taps - 1 <= S2_ROWS)                                                         \
            sum_strip(windows, taps, vectors, j, dy, w, wide, rest, frame, column);                \
    }
#define STRIPS_3(windows) STRIP(windows, 3, 1) STRIP(windows, 3, 2)
#define STRIPS_5(windows) STRIP(windows, 5, 1) STRIP(windows, 5, 2)
#define NAMES_3(windows) {strip_##windows##_3_1, strip_##windows##_3_2},
#define NAMES_5(windows) {strip_##windows##_5_1, strip_##windows##_5_2},

S2_EACH_ROWS(STRIPS_3)
S2_EACH_ROWS(STRIPS_5)

/* By the number of taps, 3 or 5, of windows, less 1, and of vectors, less 1. */
static const strip_sum STRIP_SUMS[2][S2_ROWS][2] = {{S2_EACH_ROWS(NAMES_3)},
                                                    {S2_EACH_ROWS(NAMES_5)}};

/* The filters of all groups: by groups, planes of taps, filters, taps of a row, rows of taps and
 * channels. 0, or 2 without memory. */
static int turn_strips(job *j)
{
    const s2_conv *w = j->what;
    const int64_t *kernel = w->kernel, wide = strip_wide(j), size = strip_filters(j);
    size_t bytes = (size_t)(w->groups * size + 1) * sizeof(S2_REAL);
    S2_REAL *to = s2_workspace(S2_FILTERS, bytes), row[S2_ROWS];
    if (!to)
        return 2;
    memset(to, 0, bytes);
    j->filters = to;
    const char *from = j->w;
    for (int64_t f = 0; f < w->filters; f++)
        for (int64_t c = 0; c < j->inputs; c++)
            for (int64_t a = 0; a < kernel[0]; a++)
                for (int64_t b = 0; b < kernel[1]; b++, from += kernel[2] * j->kind->bytes) {
                    int64_t line = f / j->outputs * size / wide +
                                   (a * j->outputs + f % j->outputs) * kernel[2];
                    j->kind->widen(row, from, kernel[2], 1);
                    for (int64_t t = 0; t < kernel[2]; t++)
                        to[(line + t) * wide + b * j->inputs + c] = row[t];
                }
    return 0;
}

/* The windows of one plane of the output, of which a group of filters has the cotangents at dy,
 * onto the turned frame. */
static void add_strips(const job *j, const S2_REAL *dy, const S2_REAL *filters, S2_REAL *frame)
{
    const s2_conv *w = j->what;
    int64_t wide = strip_wide(j), most = strip_windows(j), width = w->count[2];
    int64_t column = j->room[0] * j->room[1] * j->inputs, used = j->inputs * w->kernel[1];
    const strip_sum (*sums)[2] = STRIP_SUMS[w->kernel[2] == 5];
    for (int64_t b = 0; b < w->count[1]; b++)
        for (int64_t c = 0; c < width; c += most)
            for (int64_t v = 0; v < wide; v += 2 * LANES) {
                int64_t vectors = s2_least(2, (wide - v) / LANES);
                lanes rest = lanes_between(0, used - v - (vectors - 1) * LANES);
                sums[s2_least(most, width - c) - 1][vectors - 1](
                    j, dy + b * width + c, filters + v, wide, rest,
                    frame + c * column + b * j->inputs + v, column);
            }
}

/* The turned frame without its margins. A vector may write beyond the end of a row, where what
 * follows is written after it. */
static void unturn(const job *j, const S2_REAL *frame, char *to)
{
    const s2_conv *w = j->what;
    int64_t column = j->room[0] * j->room[1] * j->inputs, width = w->size[2];
    int64_t bytes = j->kind->bytes, channel = j->spatial * bytes;
    for (int64_t row = 0; row < w->size[0] * w->size[1]; row++) {
        int64_t a = row / w->size[1] + w->before[0], b = row % w->size[1] + w->before[1];
        const S2_REAL *line = frame + w->before[2] * column + (a * j->room[1] + b) * j->inputs;
        for (int64_t c = 0; c < j->inputs; c += LANES)
            for (int64_t p = 0, at = row * width; p < width; p += LANES)
                write_square(j, line + p * column + c, column, channel,
                             s2_least(LANES, at + p + LANES <= j->spatial ? LANES : width - p),
                             s2_least(LANES, j->inputs - c),
                             to + c * channel + (at + p) * bytes);
    }
}

/* A tile is a group of an image. */
static int strip_tiles(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    const s2_conv *w = j->what;
    int64_t size = strip_frame(j), column = j->room[0] * j->room[1] * j->inputs;
    size_t bytes = (size_t)(size + LANES * column + SLACK) * sizeof(S2_REAL);
    S2_REAL *frame = s2_workspace(S2_IMAGE, bytes);
    if (!frame)
        return 2;
    for (int64_t group = begin; group < end; group++) {
        const S2_REAL *filters = j->filters + group * strip_filters(j);
        const S2_REAL *dy = j->windows + group * j->outputs * j->positions;
        int64_t plane = w->count[1] * w->count[2], channel = group * j->inputs;
        memset(frame, 0, (size_t)size * sizeof *frame);
        for (int64_t a = 0; a < w->count[0]; a++)
            for (int64_t t = 0; t < w->kernel[0]; t++)
                add_strips(j, dy + a * plane,
                           filters + t * j->outputs * w->kernel[2] * strip_wide(j),
                           frame + (a + t) * j->room[1] * j->inputs);
        unturn(j, frame,
               j->result + (j->image * w->channels + channel) * j->spatial * j->kind->bytes);
        if (w->epilogue)
            w->epilogue(w->epilogue_data, j->image, channel, 0, j->inputs, j->spatial);
    }
    return 0;
}
