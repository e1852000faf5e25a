/* Where do the elements of an image, its windows and their taps lie, in one type?
 *
 * Included by conv_engine.h. An image is copied into a frame first, which holds the zeros of the
 * padding too, as the type that is computed in; one that is such a frame already is used as it
 * stands. Where windows move by a stride, its elements are sorted by their place modulo that stride,
 * so that the next window sees the next element always: what window (a, b, c) sees at a tap is
 * element at[tap] + a * plane + b * row + c of the frame. No bounds to look at, and no strides. */

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
    enum { PACKED, SLIDING, DOTS, OVER_LANES, OVER_ROWS } way;
    const S2_REAL *filters;           /* turned, where lanes are filters */
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

/* Elements that may be read behind frames and cotangents. */
static int64_t read_behind(const job *j) { return j->way == OVER_LANES ? 0 : SLACK; }

/* Whether images of `size` elements can be used where they stand: those at hand are widened
 * already, and what may be read behind the last one belongs to others. */
static bool stand(const job *j, int64_t size, int64_t image, int64_t images)
{
    return !j->kind->round && (image + images) * size + read_behind(j) <= j->what->batch * size;
}

/* Whether a frame is an image as it stands. */
static bool are_frames(const job *j)
{
    const s2_conv *w = j->what;
    for (int i = 0; i < 3; i++)
        if (w->stride[i] != 1 || w->before[i] || j->room[i] != w->size[i])
            return false;
    return j->row == w->size[2];
}

/* Put the images [image, image + images) into frames: 0, or 2 without memory. */
static int frame_images(job *j, int64_t image, int64_t images)
{
    int64_t size = j->what->channels * j->channel;
    if (are_frames(j) && stand(j, size, image, images)) {
        j->frame = (const S2_REAL *)(const void *)j->x + image * size;
        j->image = image, j->images = images;
        return 0;
    }
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

/* The cotangents of the images at hand, widened, with room to read on behind them;
 * `use` is the workspace for it. */
static int load_windows(job *j, int use)
{
    int64_t size = j->what->filters * j->positions, count = j->images * size;
    if (stand(j, size, j->image, j->images)) {
        j->windows = (const S2_REAL *)(const void *)j->y + j->image * size;
        return 0;
    }
    S2_REAL *to = s2_workspace(use, (size_t)(count + SLACK) * sizeof *to);
    if (!to)
        return 2;
    j->kind->widen(to, j->y + j->image * size * j->kind->bytes, count, 1);
    memset(to + count, 0, SLACK * sizeof *to);
    j->windows = to;
    return 0;
}
