/* What does each element of the input get from the windows that see it? Included by conv_engine.h. */

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

/* The same by strips (conv_strips.h). */
static int strip_images(void *data, int64_t begin, int64_t end)
{
    job own = *(job *)data, *j = &own;
    int failed = 0;
    for (j->image = begin; j->image < end && !failed; j->image++) {
        failed = load_windows(j, S2_PARTS);
        if (!failed)
            failed = s2_parallel_for(j->what->groups, 1, strip_tiles, j);
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
    if (strips_fit(&j)) {
        j.way = OVER_LANES, j.images = 1;
        return turn_strips(&j) ? 2 : each_image(&j, what->batch, strip_images);
    }
    j.bundle = s2_most(1, s2_least(S2_CHUNK / j.positions, what->batch));
    j.high = s2_even(j.inputs, s2_most(1, S2_COLUMN_LINES / j.taps));
    j.down = s2_ceil_div(j.inputs, j.high);
    int64_t row = j.high * j.taps * what->count[2];
    j.wide = s2_even(what->count[1], s2_most(1, S2_COLUMN_BLOCK / row));
    return each_image(&j, s2_ceil_div(what->batch, j.bundle), input_grad_images);
}
