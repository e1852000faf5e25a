/* How are convolutions and their gradients computed, in one type?
 *
 * Included by conv_f32.c and conv_f64.c, which define S2_REAL, S2_LANE and S2_NAME. An image is copied into
 * a frame first, which holds the zeros of the padding too, as the type that is computed in. Where
 * windows move by a stride, its elements are sorted by their place modulo that stride, so that the
 * next window sees the next element always: what window (a, b, c) sees at a tap is element
 * at[tap] + a * plane + b * row + c of the frame. No bounds to look at, and no strides.
 *
 *   conv              sliding  few filters: windows that follow each other in the frame are columns
 *                              of B as they stand; those over the end of a row count for nothing
 *                     packed   all else: patches are packed straight into the panels of B
 *   conv_input_grad            the transposed product, of which columns are added onto a frame
 *   conv_filter_grad  dots     few filters: dot products of rows of windows
 *                     packed   all else, by panels of patches
 *
 * The last sums over parts of the images, then over these.
 */
#include "conv.h"
#include "vectors.h"

enum {
    LINES = LANES * S2_WIDE, /* the widest panel */
    SLACK = 2 * LINES,       /* elements that may be read behind frames and sums */
};

/* All bits of an element, or none. */
typedef S2_LANE lanes __attribute__((vector_size(S2_VECTOR_BYTES)));

/* What depends on the stored dtype. */
typedef struct {
    int64_t bytes;
    s2_pack pack;
    s2_round round; /* NULL where the stored dtype is the one that is computed in */
    /* Elements 0, step, 2 step, ... of what is stored. */
    void (*widen)(S2_REAL *to, const void *stored, int64_t count, int64_t step);
} kind;

typedef struct {
    const kind *kind;
    const s2_conv *what;
    const char *x, *w, *y; /* operands; one of the three is the result */
    char *result;
    int64_t room[3];                  /* sizes of the padded input, as far as windows reach */
    int64_t phases[3];                /* places modulo the stride that windows see */
    int64_t phase_steps[3];           /* from one to the next, in the frame */
    int64_t plane, row;               /* steps from window to window in the frame, beside 1 ... */
    int64_t channel;                  /* ... and from channel to channel */
    int64_t inputs, outputs;          /* channels and filters of a group */
    int64_t taps;                     /* elements of a channel's filter */
    int64_t positions, spatial;       /* elements of a channel of the output, of the input */
    int64_t *at;                      /* of each tap of each channel of a group */
    bool slides;
    const S2_REAL *frame;             /* of the image at hand, or of those ... */
    int64_t image, images, bundle;    /* the first, how many; how many at most */
    const S2_REAL *windows;           /* ... and their cotangents */
    int64_t high, wide, down, across; /* a tile: rows and columns; how many of them */
    int64_t parts;
    S2_REAL *sums; /* of parts */
} job;

/* ---- parts of vectors --------------------------------------------------------------------- */

/* The lanes [from, to). */
static inline lanes lanes_between(int64_t from, int64_t to)
{
    lanes number;
    for (int l = 0; l < LANES; l++)
        number[l] = l;
    S2_LANE first = (S2_LANE)s2_most(from, 0), last = (S2_LANE)s2_least(to, LANES);
    return (lanes)(number >= first) & (lanes)(number < last);
}

static inline vector only(lanes which, vector x) { return (vector)(which & (lanes)x); }

/* ---- where things lie --------------------------------------------------------------------- */

static void set_taps(job *j)
{
    const s2_conv *w = j->what;
    const int64_t pitch[3] = {j->plane, j->row, 1};
    for (int64_t t = 0; t < j->inputs * j->taps; t++) {
        int64_t rest = t, at = 0;
        for (int i = 2; i >= 0; i--) {
            int64_t place = rest % w->kernel[i] * w->dilation[i];
            at += place % w->stride[i] * j->phase_steps[i] + place / w->stride[i] * pitch[i];
            rest /= w->kernel[i];
        }
        j->at[t] = at + rest * j->channel;
    }
}

/* The sizes of `what`, and where its taps lie: 0, or 2 without memory. The rows of a frame are a
 * multiple of `pitch` apart. */
static int begin(job *j, const kind *kind, const s2_conv *what, int64_t pitch)
{
    int64_t cells[3], step;
    *j = (job){.kind = kind, .what = what};
    for (int i = 0; i < 3; i++) {
        int64_t reach = (what->kernel[i] - 1) * what->dilation[i] + 1;
        j->room[i] = (what->count[i] - 1) * what->stride[i] + reach;
        j->phases[i] = s2_least(what->stride[i], reach);
        cells[i] = s2_ceil_div(j->room[i], what->stride[i]);
    }
    cells[2] = s2_ceil_div(cells[2], pitch) * pitch;
    step = cells[0] * cells[1] * cells[2];
    for (int i = 2; i >= 0; i--) {
        j->phase_steps[i] = step;
        step *= j->phases[i];
    }
    j->channel = step;
    j->row = cells[2];
    j->plane = cells[1] * cells[2];
    j->inputs = what->channels / what->groups;
    j->outputs = what->filters / what->groups;
    j->taps = what->kernel[0] * what->kernel[1] * what->kernel[2];
    j->positions = what->count[0] * what->count[1] * what->count[2];
    j->spatial = what->size[0] * what->size[1] * what->size[2];
    j->at = s2_workspace(S2_TAPS, (size_t)(j->inputs * j->taps + 1) * sizeof *j->at);
    if (!j->at)
        return 2;
    set_taps(j);
    return 0;
}

/* Of the windows `from` on, of all images at hand. */
static void position_offsets(const job *j, int64_t *to, int64_t from, int64_t count)
{
    const int64_t *size = j->what->count;
    int64_t c = from % size[2], b = from / size[2] % size[1];
    int64_t a = from / (size[2] * size[1]) % size[0], image = from / j->positions;
    for (int64_t i = 0; i < count; i++) {
        to[i] = image * j->what->channels * j->channel + a * j->plane + b * j->row + c;
        if (++c == size[2])
            c = 0, b++;
        if (b == size[1])
            b = 0, a++;
        if (a == size[0])
            a = 0, image++;
    }
}

/* ---- frames ------------------------------------------------------------------------------- */

/* A row of the input and its places in the frame: `count` elements from `in` of a channel, the
 * first at `place` along the last axis of the padded input, `out` being the start of that row. */
typedef void (*on_row)(const job *j, S2_REAL *frame, char *image, int64_t place, int64_t count);

static int64_t seen(const job *j, int axis)
{
    int64_t before = j->what->before[axis];
    return s2_most(0, s2_least(j->what->size[axis], j->room[axis] - before));
}

/* Each row of a channel of which windows see something. */
static void each_row(const job *j, S2_REAL *frame, char *image, on_row act)
{
    const s2_conv *w = j->what;
    for (int64_t p = 0; p < seen(j, 0); p++)
        for (int64_t q = 0; q < seen(j, 1); q++) {
            int64_t a = p + w->before[0], b = q + w->before[1];
            int64_t a_phase = a % w->stride[0], b_phase = b % w->stride[1];
            if (a_phase < j->phases[0] && b_phase < j->phases[1])
                act(j,
                    frame + a_phase * j->phase_steps[0] + b_phase * j->phase_steps[1] +
                        a / w->stride[0] * j->plane + b / w->stride[1] * j->row,
                    image + (p * w->size[1] + q) * w->size[2] * j->kind->bytes, w->before[2],
                    seen(j, 2));
        }
}

static void frame_row(const job *j, S2_REAL *frame, char *image, int64_t place, int64_t count)
{
    int64_t stride = j->what->stride[2];
    for (int64_t i = 0; i < s2_least(stride, count); i++) {
        int64_t phase = (place + i) % stride;
        if (phase < j->phases[2])
            j->kind->widen(frame + phase * j->phase_steps[2] + (place + i) / stride,
                           image + i * j->kind->bytes, s2_ceil_div(count - i, stride), stride);
    }
}

static int frame_channels(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    char *image = (char *)j->x + j->image * j->what->channels * j->spatial * j->kind->bytes;
    for (int64_t c = begin; c < end; c++) {
        S2_REAL *frame = (S2_REAL *)j->frame + c * j->channel;
        memset(frame, 0, (size_t)j->channel * sizeof *frame);
        each_row(j, frame, image + c * j->spatial * j->kind->bytes, frame_row);
    }
    return 0;
}

/* Put the images [image, image + images) into frames: 0, or 2 without memory. */
static int frame_images(job *j, int64_t image, int64_t images)
{
    int64_t size = j->what->channels * j->channel;
    S2_REAL *frame = s2_workspace(S2_IMAGE, (size_t)(images * size + SLACK) * sizeof *frame);
    if (!frame)
        return 2;
    memset(frame + images * size, 0, SLACK * sizeof *frame);
    j->images = images;
    for (j->image = image; j->image < image + images; j->image++) {
        j->frame = frame + (j->image - image) * size;
        s2_parallel_for(j->what->channels, s2_most(1, S2_WORTH / j->channel), frame_channels, j);
    }
    j->frame = frame;
    j->image = image;
    return 0;
}

/* Each of `count` images, on a thread of its own or with all threads at it. */
static int each_image(job *j, int64_t count, s2_task task)
{
    if (count >= s2_threads())
        return s2_parallel_for(count, 1, task, j);
    int failed = 0;
    for (int64_t i = 0; i < count && !failed; i++)
        failed = task(j, i, i + 1);
    return failed;
}

/* ---- panels of patches -------------------------------------------------------------------- */

/* Where elements that follow each other in memory can be copied by vectors. */
enum { STEP = LANES < 8 ? LANES : 8 };
typedef S2_REAL few
    __attribute__((vector_size(STEP * sizeof(S2_REAL)), aligned(sizeof(S2_REAL)), may_alias));

/* Pieces of at most STEP lines that follow each other: how many there are. */
static int64_t cut_lines(const int64_t *lines, int64_t count, int64_t *start)
{
    int64_t pieces = 0;
    for (int64_t l = 0; l < count; l++)
        if (!l || lines[l] != lines[l - 1] + 1 || l - start[pieces - 1] == STEP)
            start[pieces++] = l;
    return pieces;
}

/* Element d of line l of a panel is from[lines[l] + depths[d]]: row by row. A vector may write
 * beyond its piece, where the next one or the next row is written after it. */
static void gather_rows(S2_REAL *to, const S2_REAL *from, const int64_t *lines, int64_t count,
                        const int64_t *start, int64_t pieces, const int64_t *depths, int64_t deep,
                        int64_t width)
{
    int64_t first[LINES];
    for (int64_t r = 0; r < pieces; r++)
        first[r] = lines[start[r]];
    for (int64_t d = 0; d + 1 < deep; d++) {
        for (int64_t r = 0; r < pieces; r++)
            *(few *)(to + d * width + start[r]) = *(const few *)(from + first[r] + depths[d]);
        for (int64_t l = count; l < width; l++)
            to[d * width + l] = 0;
    }
    for (int64_t l = 0; l < width && deep; l++)
        to[(deep - 1) * width + l] = l < count ? from[lines[l] + depths[deep - 1]] : 0;
}

/* The same by squares: where elements of the inner axis follow each other. */
static void gather_squares(S2_REAL *to, const S2_REAL *from, const int64_t *lines, int64_t count,
                           const int64_t *depths, int64_t deep, int64_t width)
{
    for (int64_t d = 0, step; d < deep; d += step) {
        step = d + 4 <= deep && depths[d + 3] == depths[d] + 3 ? 4 : 1;
        int64_t l = 0;
        for (; step == 4 && l + 4 <= count; l += 4) {
            four x[4];
            for (int i = 0; i < 4; i++)
                memcpy(&x[i], from + lines[l + i] + depths[d], sizeof x[i]);
            turn(x);
            for (int i = 0; i < 4; i++)
                memcpy(to + (d + i) * width + l, &x[i], sizeof x[i]);
        }
        for (; l < width; l++)
            for (int64_t i = 0; i < step; i++)
                to[(d + i) * width + l] = l < count ? from[lines[l] + depths[d] + i] : 0;
    }
}

static void gather(S2_REAL *to, const S2_REAL *from, const int64_t *lines, int64_t count,
                   const int64_t *depths, int64_t deep, int64_t width)
{
    int64_t start[LINES], pieces = cut_lines(lines, count, start);
    if (2 * pieces <= count)
        gather_rows(to, from, lines, count, start, pieces, depths, deep, width);
    else
        gather_squares(to, from, lines, count, depths, deep, width);
}

/* Lines are positions, the inner axis that of taps: B of the convolution. */
static void pack_positions(const s2_lines *lines, void *panel, int64_t line, int64_t count,
                           int64_t depth, int64_t depths, int64_t width)
{
    const job *j = lines->more;
    int64_t positions[LINES];
    position_offsets(j, positions, line, count);
    gather(panel, lines->data, positions, count, j->at + depth, depths, width);
}

/* Lines are taps, the inner axis that of positions: B of the gradient of the filters. */
static void pack_taps(const s2_lines *lines, void *panel, int64_t line, int64_t count,
                      int64_t depth, int64_t depths, int64_t width)
{
    const job *j = lines->more;
    int64_t positions[S2_DEPTH];
    position_offsets(j, positions, depth, depths);
    gather(panel, lines->data, j->at + line, count, positions, depths, width);
}

/* ---- convolution -------------------------------------------------------------------------- */

/* Rows are the filters of a group, columns the positions. */
static s2_sums sums_of_group(const job *j, int64_t group)
{
    const s2_conv *w = j->what;
    int64_t bytes = j->kind->bytes, depth = j->inputs * j->taps, row = group * j->outputs;
    return (s2_sums){
        .k = depth,
        .a = {j->kind->pack, j->w + row * depth * bytes, depth, 1, NULL},
        .b = {pack_positions, j->frame + group * j->inputs * j->channel, 0, 0, j},
        .c = j->result + (j->image * w->filters + row) * j->positions * bytes,
        .c_row = j->positions,
        .c_bytes = (size_t)bytes,
        .round = j->kind->round,
        .epilogue = w->epilogue,
        .epilogue_data = w->epilogue_data,
        .batch = j->image,
        .row = row,
    };
}

/* Sums over several images, to where they belong. */
static void spread(const job *j, const s2_sums *p, const S2_REAL *sums, int64_t row, int64_t rows)
{
    int64_t bytes = j->kind->bytes, cols = j->images * j->positions;
    for (int64_t image = 0; image < j->images; image++) {
        for (int64_t i = 0; i < rows; i++) {
            char *to = (char *)p->c +
                       ((image * j->what->filters + row + i) * j->positions) * bytes;
            const S2_REAL *from = sums + i * cols + image * j->positions;
            if (j->kind->round)
                j->kind->round(to, from, j->positions);
            else
                memcpy(to, from, (size_t)(j->positions * bytes));
        }
        if (p->epilogue)
            p->epilogue(p->epilogue_data, p->batch + image, p->row + row, 0, rows, j->positions);
    }
}

/* A tile for several images at once. */
static int bundle(const job *j, const s2_sums *p, int64_t row, int64_t rows)
{
    int64_t cols = j->images * j->positions;
    S2_REAL *sums = s2_workspace(S2_COLUMNS, (size_t)(rows * cols) * sizeof *sums);
    s2_sums own = *p;
    if (!sums)
        return 2;
    own.c = sums - row * cols;
    own.c_row = cols;
    own.round = NULL;
    own.epilogue = NULL;
    int failed = S2_NAME(block)(&own, row, rows, 0, cols);
    if (!failed)
        spread(j, p, sums, row, rows);
    return failed;
}

static int packed_tiles(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    int failed = 0;
    for (int64_t t = begin; t < end && !failed; t++) {
        s2_sums p = sums_of_group(j, t / (j->down * j->across));
        int64_t row = t / j->across % j->down * j->high, col = t % j->across * j->wide;
        int64_t rows = s2_least(j->high, j->outputs - row);
        if (j->images > 1)
            failed = bundle(j, &p, row, rows);
        else
            failed = S2_NAME(block)(&p, row, rows, col, s2_least(j->wide, j->positions - col));
    }
    return failed;
}

/* A row of what slides: from columns over the whole rows of the frame to those of the output. */
static void keep(const job *j, const S2_REAL *sums, char *to, int64_t rows)
{
    int64_t width = j->what->count[2], bytes = j->kind->bytes;
    for (int64_t i = 0; i < rows; i++)
        if (j->kind->round)
            j->kind->round(to + i * width * bytes, sums + i * j->row, width);
        else
            memcpy(to + i * width * bytes, sums + i * j->row, (size_t)(width * bytes));
}

/* A tile is `wide` rows of one plane of the output, for all filters of a group. */
static int sliding_tiles(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    const s2_conv *w = j->what;
    int64_t most = j->wide * j->row;
    S2_REAL *sums = s2_workspace(S2_COLUMNS, (size_t)(j->outputs * most) * sizeof *sums);
    int failed = sums ? 0 : 2;
    for (int64_t t = begin; t < end && !failed; t++) {
        int64_t group = t / (w->count[0] * j->across);
        int64_t plane = t / j->across % w->count[0], from = t % j->across * j->wide;
        int64_t rows = s2_least(j->wide, w->count[1] - from);
        int64_t col = (plane * w->count[1] + from) * w->count[2];
        s2_sums p = sums_of_group(j, group);
        char *to = (char *)p.c + col * j->kind->bytes;
        p.b.data = (const S2_REAL *)p.b.data + plane * j->plane + from * j->row;
        p.in_place = p.beyond = true;
        p.at = j->at;
        p.c = sums;
        p.c_row = most;
        p.round = NULL;
        p.epilogue = NULL;
        failed = S2_NAME(block)(&p, 0, j->outputs, 0, (rows - 1) * j->row + w->count[2]);
        for (int64_t m = 0; m < j->outputs && !failed; m++)
            keep(j, sums + m * most, to + m * j->positions * j->kind->bytes, rows);
        if (w->epilogue && !failed)
            w->epilogue(w->epilogue_data, p.batch, p.row, col, j->outputs, rows * w->count[2]);
    }
    return failed;
}

/* Bundles of images. */
static int conv_images(void *data, int64_t begin, int64_t end)
{
    job own = *(job *)data, *j = &own;
    int64_t groups = j->what->groups, most = j->bundle;
    int failed = 0;
    for (int64_t i = begin; i < end && !failed; i++) {
        failed = frame_images(j, i * most, s2_least(most, j->what->batch - i * most));
        if (!failed && j->slides)
            failed = s2_parallel_for(groups * j->what->count[0] * j->across, 1, sliding_tiles, j);
        else if (!failed)
            failed = s2_parallel_for(groups * j->down * j->across, 1, packed_tiles, j);
    }
    return failed;
}

static int convolve(const kind *kind, const s2_conv *what, const void *x, const void *w, void *y)
{
    job j;
    if (begin(&j, kind, what, 1))
        return 2;
    if (what->batch * what->filters * j.positions == 0)
        return 0;
    j.x = x, j.w = w, j.result = y;
    j.slides = j.outputs <= S2_IN_PLACE && j.row <= 2 * what->count[2];
    j.bundle = 1;
    if (j.slides) {
        j.wide = s2_even(what->count[1], s2_most(1, S2_SLIDE / j.row));
        j.across = s2_ceil_div(what->count[1], j.wide);
    } else {
        j.bundle = s2_most(1, s2_least(S2_CHUNK / j.positions, what->batch));
        j.high = s2_even(j.outputs, j.bundle > 1 ? S2_TILE_ROWS / 4 : S2_TILE_ROWS);
        j.wide = s2_even(j.positions, S2_PATCHES);
        j.down = s2_ceil_div(j.outputs, j.high);
        j.across = s2_ceil_div(j.positions, j.wide);
    }
    return each_image(&j, s2_ceil_div(what->batch, j.bundle), conv_images);
}

/* ---- gradient of the input ---------------------------------------------------------------- */

/* The cotangents of the images at hand, widened, with room to read on behind them;
 * `use` is the workspace for it. */
static int load_windows(job *j, int use)
{
    int64_t size = j->what->filters * j->positions, count = j->images * size;
    S2_REAL *to = s2_workspace(use, (size_t)(count + SLACK) * sizeof *to);
    if (!to)
        return 2;
    j->kind->widen(to, j->y + j->image * size * j->kind->bytes, count, 1);
    memset(to + count, 0, SLACK * sizeof *to);
    j->windows = to;
    return 0;
}

/* Add the columns of one channel, over `rows` rows of windows of one plane, onto its frame. Behind
 * the end of a row zeros are added, which changes no sum that began with 0. */
static void add_columns(const job *j, const S2_REAL *columns, int64_t stride, S2_REAL *frame,
                        int64_t rows)
{
    int64_t width = j->what->count[2], whole = width / LANES * LANES;
    lanes rest = lanes_between(0, width - whole);
    for (int64_t tap = 0; tap < j->taps; tap++)
        for (int64_t i = 0; i < rows; i++) {
            const S2_REAL *from = columns + tap * stride + i * width;
            S2_REAL *to = frame + j->at[tap] + i * j->row;
            for (int64_t p = 0; p < whole; p += LANES)
                *(loose *)(to + p) += *(const loose *)(from + p);
            if (whole < width)
                *(loose *)(to + whole) += only(rest, *(const loose *)(from + whole));
        }
}

static void unframe_row(const job *j, S2_REAL *frame, char *image, int64_t place, int64_t count)
{
    int64_t stride = j->what->stride[2], bytes = j->kind->bytes;
    for (int64_t i = 0; i < s2_least(stride, count); i++) {
        int64_t phase = (place + i) % stride, n = s2_ceil_div(count - i, stride);
        const S2_REAL *from = frame + phase * j->phase_steps[2] + (place + i) / stride;
        if (phase >= j->phases[2])
            continue;
        if (stride == 1 && j->kind->round)
            j->kind->round(image, from, n);
        else if (stride == 1)
            memcpy(image, from, (size_t)(n * bytes));
        else if (j->kind->round)
            for (int64_t k = 0; k < n; k++)
                j->kind->round(image + (i + k * stride) * bytes, from + k, 1);
        else
            for (int64_t k = 0; k < n; k++)
                ((S2_REAL *)image)[i + k * stride] = from[k];
    }
}

/* The frame of a channel without its margins; 0 where no window reaches. */
static void unframe(const job *j, S2_REAL *frame, char *to)
{
    memset(to, 0, (size_t)(j->spatial * j->kind->bytes));
    each_row(j, frame, to, unframe_row);
}

/* The columns of some channels, all windows of `rows` rows of a plane, onto their frames. */
static void add_rows(const job *j, const S2_REAL *columns, int64_t most, S2_REAL *frame,
                     int64_t channels, int64_t plane, int64_t from, int64_t rows)
{
    for (int64_t c = 0; c < channels; c++)
        add_columns(j, columns + c * j->taps * most, most,
                    frame + c * j->channel + plane * j->plane + from * j->row, rows);
}

/* The product for one image, some rows of windows at a time. */
static int add_image(const job *j, s2_sums *p, const char *dy, S2_REAL *frame, int64_t channels)
{
    const int64_t *count = j->what->count;
    int failed = 0;
    for (int64_t plane = 0; plane < count[0]; plane++)
        for (int64_t from = 0; from < count[1] && !failed; from += j->wide) {
            int64_t rows = s2_least(j->wide, count[1] - from);
            const char *data = dy + (plane * count[1] + from) * count[2] * j->kind->bytes;
            p->b = (s2_lines){j->kind->pack, data, 1, j->positions, NULL};
            p->in_place = !j->kind->round;
            failed = S2_NAME(block)(p, 0, channels * j->taps, 0, rows * count[2]);
            if (!failed)
                add_rows(j, p->c, p->c_row, frame, channels, plane, from, rows);
        }
    return failed;
}

/* Lines are the windows of all images at hand, the inner axis is that of filters. */
static void pack_bundle(const s2_lines *lines, void *panel, int64_t line, int64_t count,
                        int64_t depth, int64_t depths, int64_t width)
{
    const job *j = lines->more;
    int64_t along[LINES], filters[S2_DEPTH];
    for (int64_t l = 0; l < count; l++)
        along[l] = (line + l) / j->positions * j->what->filters * j->positions +
                   (line + l) % j->positions;
    for (int64_t d = 0; d < depths; d++)
        filters[d] = (depth + d) * j->positions;
    gather(panel, lines->data, along, count, filters, depths, width);
}

/* The product for several small images at once. */
static int add_bundle(const job *j, s2_sums *p, int64_t filter, S2_REAL *frame, int64_t channels)
{
    const int64_t *count = j->what->count;
    p->b = (s2_lines){pack_bundle, j->windows + filter * j->positions, 0, 0, j};
    int failed = S2_NAME(block)(p, 0, channels * j->taps, 0, j->images * j->positions);
    for (int64_t image = 0; image < j->images && !failed; image++)
        for (int64_t plane = 0; plane < count[0]; plane++)
            add_rows(j,
                     (S2_REAL *)p->c + image * j->positions + plane * count[1] * count[2],
                     p->c_row, frame + image * j->high * j->channel, channels, plane, 0, count[1]);
    return failed;
}

/* A tile is `high` channels of a group. */
static int input_grad_tiles(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    const s2_conv *w = j->what;
    int64_t bytes = j->kind->bytes, lines = j->high * j->taps, room = j->high * j->channel;
    int64_t most = j->bundle > 1 ? j->images * j->positions : j->wide * w->count[2];
    size_t frames = (size_t)(j->images * room + SLACK) * sizeof(S2_REAL);
    S2_REAL *frame = s2_workspace(S2_IMAGE, frames);
    S2_REAL *columns = s2_workspace(S2_COLUMNS, (size_t)(lines * most + SLACK) * sizeof *columns);
    int failed = frame && columns ? 0 : 2;
    for (int64_t t = begin; t < end && !failed; t++) {
        int64_t group = t / j->down, filter = group * j->outputs, depth = j->inputs * j->taps;
        int64_t first = t % j->down * j->high, channels = s2_least(j->high, j->inputs - first);
        const char *filters = j->w + (filter * depth + first * j->taps) * bytes;
        s2_sums p = {
            .k = j->outputs,
            .a = {j->kind->pack, filters, 1, depth, NULL},
            .c = columns,
            .c_row = most,
        };
        memset(frame, 0, frames);
        failed = j->bundle > 1
                     ? add_bundle(j, &p, filter, frame, channels)
                     : add_image(j, &p,
                                 j->y + (j->image * w->filters + filter) * j->positions * bytes,
                                 frame, channels);
        int64_t channel = group * j->inputs + first;
        for (int64_t image = 0; image < j->images && !failed; image++) {
            char *to = j->result + ((j->image + image) * w->channels + channel) * j->spatial * bytes;
            for (int64_t c = 0; c < channels; c++)
                unframe(j, frame + image * room + c * j->channel, to + c * j->spatial * bytes);
            if (w->epilogue)
                w->epilogue(w->epilogue_data, j->image + image, channel, 0, channels, j->spatial);
        }
    }
    return failed;
}

static int input_grad_images(void *data, int64_t begin, int64_t end)
{
    job own = *(job *)data, *j = &own;
    int failed = 0;
    for (int64_t i = begin; i < end && !failed; i++) {
        j->image = i * j->bundle;
        j->images = s2_least(j->bundle, j->what->batch - j->image);
        failed = j->bundle > 1 ? load_windows(j, S2_PARTS) : 0;
        if (!failed)
            failed = s2_parallel_for(j->what->groups * j->down, 1, input_grad_tiles, j);
    }
    return failed;
}

static int input_grad(const kind *kind, const s2_conv *what, const void *dy, const void *w,
                      void *dx)
{
    job j;
    if (begin(&j, kind, what, LANES))
        return 2;
    if (what->batch * what->channels * j.spatial == 0)
        return 0;
    j.y = dy, j.w = w, j.result = dx;
    j.bundle = s2_most(1, s2_least(S2_CHUNK / j.positions, what->batch));
    j.high = s2_even(j.inputs, s2_most(1, S2_COLUMN_LINES / j.taps));
    j.down = s2_ceil_div(j.inputs, j.high);
    int64_t row = j.high * j.taps * what->count[2];
    j.wide = s2_even(what->count[1], s2_most(1, S2_COLUMN_BLOCK / row));
    return each_image(&j, s2_ceil_div(what->batch, j.bundle), input_grad_images);
}

/* ---- gradient of the filters -------------------------------------------------------------- */

/* Lines are filters, the inner axis that of the positions of all images at hand. */
static void pack_windows(const s2_lines *lines, void *panel, int64_t line, int64_t count,
                         int64_t depth, int64_t depths, int64_t width)
{
    const job *j = lines->more;
    S2_REAL *to = panel;
    int64_t image_bytes = j->what->filters * j->positions * j->kind->bytes;
    for (int64_t done = 0, some; done < depths; done += some) {
        int64_t image = (depth + done) / j->positions, from = (depth + done) % j->positions;
        s2_lines own = {j->kind->pack, (const char *)lines->data + image * image_bytes,
                        j->positions, 1, NULL};
        some = s2_least(j->positions - from, depths - done);
        own.pack(&own, to + done * width, line, count, from, some, width);
    }
}

/* Onto the sums of a part: rows are filters, columns taps, the inner axis is that of positions. */
static int packed_filter_tiles(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    int64_t depth = j->inputs * j->taps, bytes = j->kind->bytes;
    int failed = 0;
    for (int64_t t = begin; t < end && !failed; t++) {
        int64_t group = t / (j->down * j->across), filter = group * j->outputs;
        int64_t row = t / j->across % j->down * j->high, col = t % j->across * j->wide;
        const char *dy =
            j->y + (j->image * j->what->filters + filter) * j->positions * bytes;
        s2_sums p = {
            .k = j->images * j->positions,
            .a = {pack_windows, dy, 0, 0, j},
            .b = {pack_taps, j->frame + group * j->inputs * j->channel, 0, 0, j},
            .c = j->sums + filter * depth,
            .c_row = depth,
            .onto = true,
        };
        failed = S2_NAME(block)(&p, row, s2_least(j->high, j->outputs - row), col,
                                s2_least(j->wide, depth - col));
    }
    return failed;
}

/* Products of LANES windows of a row, or of the last `rest` ones, with what they see. */
static inline __attribute__((always_inline)) void
dot_row(const int filters, const int taps, const bool is_rest, lanes rest, const S2_REAL *dy,
        int64_t dy_row, const S2_REAL *frame, const int64_t *at, vector sums[4][4])
{
    vector left[4];
    for (int f = 0; f < filters; f++) {
        left[f] = *(const loose *)(dy + f * dy_row);
        if (is_rest)
            left[f] = only(rest, left[f]);
    }
    for (int t = 0; t < taps; t++) {
        vector right = *(const loose *)(frame + at[t]);
        if (is_rest)
            right = only(rest, right);
        for (int f = 0; f < filters; f++)
            sums[f][t] += left[f] * right;
    }
}

/* Dot products of the windows of `filters` filters with what they see at `taps` taps. */
static inline __attribute__((always_inline)) void
dot_windows(const int filters, const int taps, const job *j, const S2_REAL *dy,
            const S2_REAL *frame, const int64_t *taps_at, S2_REAL *to, int64_t to_row)
{
    const s2_conv *w = j->what;
    int64_t width = w->count[2], whole = width / LANES * LANES, at[4];
    int64_t dy_image = w->filters * j->positions, frame_image = w->channels * j->channel;
    lanes rest = lanes_between(0, width - whole);
    vector sums[4][4];
    for (int t = 0; t < 4; t++) {
        at[t] = t < taps ? taps_at[t] : 0;
        for (int f = 0; f < 4; f++)
            sums[f][t] = (vector){0};
    }
    for (int64_t image = 0; image < j->images; image++)
        for (int64_t plane = 0; plane < w->count[0]; plane++)
            for (int64_t row = 0; row < w->count[1]; row++) {
                const S2_REAL *y = dy + image * dy_image + (plane * w->count[1] + row) * width;
                const S2_REAL *x = frame + image * frame_image + plane * j->plane + row * j->row;
                int64_t p = 0;
                for (; p < whole; p += LANES)
                    dot_row(filters, taps, false, rest, y + p, j->positions, x + p, at, sums);
                if (p < width)
                    dot_row(filters, taps, true, rest, y + p, j->positions, x + p, at, sums);
            }
    for (int f = 0; f < filters; f++) {
        S2_REAL total[4];
        across_each(sums[f], total);
        for (int t = 0; t < taps; t++)
            to[f * to_row + t] += total[t];
    }
}

#define DOTS(filters, taps)                                                                        \
    static void dots_##filters##_##taps(const job *j, const S2_REAL *dy, const S2_REAL *frame,     \
                                        const int64_t *at, S2_REAL *to, int64_t to_row)            \
    {                                                                                              \
        dot_windows(filters, taps, j, dy, frame, at, to, to_row);                                  \
    }
#define DOTS_OF(filters) DOTS(filters, 1) DOTS(filters, 2) DOTS(filters, 3) DOTS(filters, 4)
DOTS_OF(1) DOTS_OF(2) DOTS_OF(3) DOTS_OF(4)
#define NAMES_OF(n) {dots_##n##_1, dots_##n##_2, dots_##n##_3, dots_##n##_4}

/* By the number of filters and of taps, less 1. */
static void (*const DOT_TILES[4][4])(const job *, const S2_REAL *, const S2_REAL *,
                                     const int64_t *, S2_REAL *, int64_t) = {
    NAMES_OF(1), NAMES_OF(2), NAMES_OF(3), NAMES_OF(4)};

/* A tile is a row of such products: four filters, all taps. */
static int dot_filter_tiles(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    int64_t depth = j->inputs * j->taps;
    for (int64_t t = begin; t < end; t++) {
        int64_t group = t / j->down, first = t % j->down * 4, filter = group * j->outputs + first;
        int64_t filters = s2_least(4, j->outputs - first);
        for (int64_t tap = 0; tap < depth; tap += 4)
            DOT_TILES[filters - 1][s2_least(4, depth - tap) - 1](
                j, j->windows + filter * j->positions,
                j->frame + group * j->inputs * j->channel, j->at + tap,
                j->sums + filter * depth + tap, depth);
    }
    return 0;
}

/* The sums of the images of each part. */
static int filter_grad_parts(void *data, int64_t begin, int64_t end)
{
    job own = *(job *)data, *j = &own;
    const s2_conv *w = j->what;
    int64_t size = w->filters * j->inputs * j->taps, groups = w->groups;
    int64_t image = w->channels * j->channel + w->filters * j->positions;
    int64_t most =
        s2_most(1, j->slides ? S2_DOT_IMAGES / image : S2_DEPTH / s2_most(1, j->positions));
    int failed = 0;
    for (int64_t part = begin; part < end; part++) {
        j->sums = ((job *)data)->sums + part * size;
        memset(j->sums, 0, (size_t)size * sizeof *j->sums);
        int64_t last = w->batch * (part + 1) / j->parts;
        for (int64_t i = w->batch * part / j->parts; i < last && !failed; i += most) {
            failed = frame_images(j, i, s2_least(most, last - i));
            if (!failed && j->slides)
                failed = load_windows(j, S2_COLUMNS);
            if (!failed && j->slides)
                failed = s2_parallel_for(groups * j->down, 1, dot_filter_tiles, j);
            else if (!failed)
                failed = s2_parallel_for(groups * j->down * j->across, 1, packed_filter_tiles, j);
        }
    }
    return failed;
}

/* Whether dot products take less time than packing, and products of panels: in vectors. */
static bool dots_pay(const job *j)
{
    int64_t depth = j->inputs * j->taps, rows = j->what->count[0] * j->what->count[1];
    int64_t dots = j->outputs * depth * rows * s2_ceil_div(j->what->count[2], LANES);
    int64_t panels = j->outputs * j->positions * s2_ceil_div(depth, LANES);
    return dots * S2_DOT_COST / 4 <= panels + depth * j->positions * S2_GATHER_COST / 4;
}

static int filter_grad(const kind *kind, const s2_conv *what, const void *x, const void *dy,
                       void *dw)
{
    job j;
    if (begin(&j, kind, what, 1))
        return 2;
    int64_t depth = j.inputs * j.taps, size = what->filters * depth;
    if (size == 0)
        return 0;
    j.x = x, j.y = dy;
    j.slides = dots_pay(&j);
    j.high = j.slides ? 4 : s2_even(j.outputs, S2_TILE_ROWS);
    j.wide = s2_even(depth, S2_PATCHES);
    j.down = s2_ceil_div(j.outputs, j.high);
    j.across = s2_ceil_div(depth, j.wide);
    j.parts = s2_least(s2_least(S2_MOST_PARTS, S2_PART_ELEMENTS / size), what->batch);
    j.parts = s2_most(1, s2_least(j.parts, what->batch * j.positions * size / S2_PART_WORK));
    j.sums = s2_workspace(S2_PARTS, (size_t)(j.parts * size) * sizeof *j.sums);
    if (!j.sums)
        return 2;
    int failed = each_image(&j, j.parts, filter_grad_parts);
    if (failed)
        return failed;
    for (int64_t part = 1; part < j.parts; part++)
        for (int64_t i = 0; i < size; i++)
            j.sums[i] += j.sums[part * size + i];
    if (kind->round)
        kind->round(dw, j.sums, size);
    else
        memcpy(dw, j.sums, (size_t)size * sizeof *j.sums);
    if (what->epilogue)
        what->epilogue(what->epilogue_data, 0, 0, 0, what->filters, depth);
    return 0;
}

/* ---- by dtype ----------------------------------------------------------------------------- */

#define S2_DEFINE_WIDEN(name, STORED, WIDEN)                                                       \
    static void name(S2_REAL *to, const void *stored, int64_t count, int64_t step)                 \
    {                                                                                              \
        const STORED *from = stored;                                                               \
        if (step == 1)                                                                             \
            for (int64_t i = 0; i < count; i++)                                                    \
                to[i] = WIDEN(from[i]);                                                            \
        else                                                                                       \
            for (int64_t i = 0; i < count; i++)                                                    \
                to[i] = WIDEN(from[i * step]);                                                     \
    }

#define S2_DEFINE_CONV(name, KIND)                                                                 \
    int s2_conv_##name(const s2_conv *what, const void *x, const void *w, void *y)                 \
    {                                                                                              \
        return convolve(&KIND, what, x, w, y);                                                     \
    }                                                                                              \
    int s2_conv_input_grad_##name(const s2_conv *what, const void *dy, const void *w, void *dx)    \
    {                                                                                              \
        return input_grad(&KIND, what, dy, w, dx);                                                 \
    }                                                                                              \
    int s2_conv_filter_grad_##name(const s2_conv *what, const void *x, const void *dy, void *dw)   \
    {                                                                                              \
        return filter_grad(&KIND, what, x, dy, dw);                                                \
    }
