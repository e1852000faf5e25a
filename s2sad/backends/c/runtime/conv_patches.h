/* How are patches of frames packed into panels? Included by conv_engine.h. */

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
