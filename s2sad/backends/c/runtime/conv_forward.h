/* How are windows multiplied with filters? Included by conv_engine.h. */

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
    int64_t planes = j->way == PACKED ? 1 : j->what->count[0];
    s2_task tiles = j->way == OVER_ROWS    ? row_tiles
                    : j->way == OVER_LANES ? lane_tiles
                    : j->way == SLIDING    ? sliding_tiles
                                           : packed_tiles;
    int failed = 0;
    for (int64_t i = begin; i < end && !failed; i++) {
        failed = frame_images(j, i * most, s2_least(most, j->what->batch - i * most));
        if (!failed)
            failed = s2_parallel_for(groups * planes * j->down * j->across, 1, tiles, j);
    }
    return failed;
}

static int way_of(const job *j)
{
    int64_t width = j->what->count[2];
    if (rows_fit(j))
        return OVER_ROWS;
    if (lanes_fit(j) && s2_even(width, S2_ROWS) >= S2_LEAST_ROWS)
        return OVER_LANES;
    return j->outputs <= S2_IN_PLACE && j->row <= 2 * width ? SLIDING : PACKED;
}

static int convolve(const kind *kind, const s2_conv *what, const void *x, const void *w, void *y)
{
    job j;
    if (begin(&j, kind, what, 1))
        return 2;
    if (what->batch * what->filters * j.positions == 0)
        return 0;
    j.x = x, j.w = w, j.result = y;
    j.way = way_of(&j);
    j.bundle = j.down = 1;
    if (j.way == OVER_ROWS) {
        j.high = s2_even(j.outputs, S2_FEW);
        int64_t most = S2_LANE_SUMS / (j.high * what->count[2]);
        j.wide = s2_even(what->count[1], s2_most(1, most));
        j.down = s2_ceil_div(j.outputs, j.high);
        j.across = s2_ceil_div(what->count[1], j.wide);
    } else if (j.way != PACKED) {
        int64_t most = j.way == SLIDING ? S2_SLIDE / j.row
                                        : S2_LANE_SUMS / (what->count[2] * lanes_wide(&j));
        j.wide = s2_even(what->count[1], s2_most(1, most));
        j.across = s2_ceil_div(what->count[1], j.wide);
    } else {
        j.bundle = s2_most(1, s2_least(S2_CHUNK / j.positions, what->batch));
        j.high = s2_even(j.outputs, j.bundle > 1 ? S2_TILE_ROWS / 4 : S2_TILE_ROWS);
        j.wide = s2_even(j.positions, S2_PATCHES);
        j.down = s2_ceil_div(j.outputs, j.high);
        j.across = s2_ceil_div(j.positions, j.wide);
    }
    if ((j.way == OVER_LANES || j.way == OVER_ROWS) && turn_filters(&j))
        return 2;
    return each_image(&j, s2_ceil_div(what->batch, j.bundle), conv_images);
}
