/* What does each filter get from all windows? Included by conv_engine.h. */

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
        int64_t dy_row, const S2_REAL *frame, const int64_t *at, vector sums[S2_FEW][4])
{
    vector left[S2_FEW];
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
    vector sums[S2_FEW][4];
    for (int t = 0; t < 4; t++) {
        at[t] = t < taps ? taps_at[t] : 0;
        for (int f = 0; f < filters; f++)
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
#define NAMES_OF(n) {dots_##n##_1, dots_##n##_2, dots_##n##_3, dots_##n##_4},

S2_EACH_FEW(DOTS_OF)

/* By the number of filters and of taps, less 1. */
static void (*const DOT_TILES[S2_FEW][4])(const job *, const S2_REAL *, const S2_REAL *,
                                          const int64_t *, S2_REAL *, int64_t) = {
    S2_EACH_FEW(NAMES_OF)};

/* A tile is a row of such products: `high` filters, all taps. */
static int dot_filter_tiles(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    int64_t depth = j->inputs * j->taps;
    for (int64_t t = begin; t < end; t++) {
        int64_t group = t / j->down, first = t % j->down * j->high;
        int64_t filter = group * j->outputs + first, filters = s2_least(j->high, j->outputs - first);
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
        s2_most(1, j->way == PACKED ? S2_DEPTH / s2_most(1, j->positions) : S2_DOT_IMAGES / image);
    s2_task tiles = j->way == DOTS     ? dot_filter_tiles
                    : j->way == PACKED ? packed_filter_tiles
                                       : lane_filter_tiles;
    int failed = 0;
    for (int64_t part = begin; part < end; part++) {
        j->sums = ((job *)data)->sums + part * size;
        memset(j->sums, 0, (size_t)size * sizeof *j->sums);
        int64_t last = w->batch * (part + 1) / j->parts;
        for (int64_t i = w->batch * part / j->parts; i < last && !failed; i += most) {
            failed = frame_images(j, i, s2_least(most, last - i));
            if (!failed && j->way == DOTS)
                failed = load_windows(j, S2_COLUMNS);
            if (!failed && j->way == OVER_LANES)
                failed = turn_windows(j);
            if (!failed)
                failed = s2_parallel_for(groups * j->down * j->across, 1, tiles, j);
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
    j.way = lanes_fit(&j) ? OVER_LANES : dots_pay(&j) ? DOTS : PACKED;
    int64_t lines = j.way == OVER_LANES ? depth : j.outputs;
    j.high = s2_even(lines, j.way == DOTS     ? S2_FEW
                            : j.way == PACKED ? S2_TILE_ROWS
                                              : S2_ROWS);
    j.wide = j.way == PACKED ? s2_even(depth, S2_PATCHES) : depth;
    j.down = s2_ceil_div(lines, j.high);
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
