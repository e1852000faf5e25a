/* How are windows multiplied with filters where the lanes of vectors are windows of a row?
 * Included by conv_engine.h.
 *
 * What the windows of a vector see at a tap lies side by side in the frame, and so do their sums in
 * the output: nothing is turned, and sums go from registers to where they belong. S2_WIDE vectors
 * of windows are dealt with at a time, for S2_FEW filters. */

/* Whether lanes are mostly windows, and filters fill no more of them; what all taps see lies in a
 * cache. */
static bool rows_fit(const job *j)
{
    int64_t width = j->what->count[2], whole = s2_ceil_div(width, LANES) * LANES;
    if (j->kind->round || 8 * width < 7 * whole || j->inputs * j->taps > S2_LANE_DEPTH)
        return false;
    return !lanes_fit(j) || (width > LANES && width * lanes_wide(j) >= j->outputs * whole);
}

/* Every tap of `vectors` vectors of windows for some filters; of the last one only `last` lanes. */
static inline __attribute__((always_inline)) void
sum_row(const int filters, const int vectors, const job *j, int64_t depth,
        const S2_REAL *restrict x, const S2_REAL *restrict w, int64_t wide,
        S2_REAL *restrict to, int64_t last)
{
    const int64_t *restrict at = j->at;
    vector sums[S2_FEW][S2_WIDE];
#pragma GCC unroll 8
    for (int f = 0; f < filters; f++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sums[f][v] = (vector){0};
    for (int64_t d = 0; d < depth; d++, w += wide) {
        vector seen[S2_WIDE];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) /* volatile: one read for all filters */
            seen[v] = *(const volatile loose *)(x + at[d] + v * LANES);
#pragma GCC unroll 8
        for (int f = 0; f < filters; f++)
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                sums[f][v] += w[f] * seen[v];
    }
#pragma GCC unroll 8
    for (int f = 0; f < filters; f++, to += j->positions) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors - 1; v++)
            *(loose *)(to + v * LANES) = sums[f][v];
        if (last == LANES)
            *(loose *)(to + (vectors - 1) * LANES) = sums[f][vectors - 1];
        else
            memcpy(to + (vectors - 1) * LANES, &sums[f][vectors - 1], (size_t)last * sizeof *to);
    }
}

typedef void (*row_sum)(const job *j, int64_t depth, const S2_REAL *x, const S2_REAL *w,
                        int64_t wide, S2_REAL *to, int64_t last);

#define ROW(filters, vectors)                                                                      \
    static void row_##filters##_##vectors(const job *j, int64_t depth, const S2_REAL *x,           \
                                          const S2_REAL *w, int64_t wide, S2_REAL *to,             \
                                          int64_t last)                                            \
    {                                                                                              \
        sum_row(filters, vectors, j, depth, x, w, wide, to, last);                                 \
    }
#define ROWS_OF(filters) ROW(filters, 1) ROW(filters, 2) ROW(filters, 3) ROW(filters, 4)
#define ROW_NAMES_OF(n) {row_##n##_1, row_##n##_2, row_##n##_3, row_##n##_4},

S2_EACH_FEW(ROWS_OF)

/* By the number of filters and of vectors, less 1. */
static const row_sum ROW_SUMS[S2_FEW][S2_WIDE] = {S2_EACH_FEW(ROW_NAMES_OF)};

/* A tile is `wide` rows of one plane of the output, for `high` filters of a group. */
static int row_tiles(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    const s2_conv *w = j->what;
    int64_t wide = lanes_wide(j), depth = j->inputs * j->taps, width = w->count[2];
    int64_t most = s2_even(s2_ceil_div(width, LANES), S2_WIDE);
    for (int64_t t = begin; t < end; t++) {
        int64_t rest = t / j->across, from = t % j->across * j->wide;
        int64_t first = rest % j->down * j->high, filters = s2_least(j->high, j->outputs - first);
        int64_t plane = rest / j->down % w->count[0], group = rest / j->down / w->count[0];
        int64_t filter = group * j->outputs + first, rows = s2_least(j->wide, w->count[1] - from);
        int64_t col = (plane * w->count[1] + from) * width;
        const S2_REAL *x =
            j->frame + group * j->inputs * j->channel + plane * j->plane + from * j->row;
        S2_REAL *to = (S2_REAL *)(void *)j->result +
                      (j->image * w->filters + filter) * j->positions + col;
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < width; c += most * LANES) {
                int64_t vectors = s2_least(most, s2_ceil_div(width - c, LANES));
                ROW_SUMS[filters - 1][vectors - 1](
                    j, depth, x + r * j->row + c, j->filters + group * depth * wide + first, wide,
                    to + r * width + c, s2_least(LANES, width - c - (vectors - 1) * LANES));
            }
        if (w->epilogue)
            w->epilogue(w->epilogue_data, j->image, filter, col, filters, rows * width);
    }
    return 0;
}
