/* How are rows folded into one? Included once for each NAME, of elements of the type T: `START` is
 * what COMBINE(a, b) leaves alone. */

/* out[j] with x[0][j], x[1][j], ... */
static void NAME(rows)(const void *rows_of, int64_t rows, int64_t stride, int64_t width, void *to)
{
    const T *x = rows_of;
    T *restrict out = to;
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
        const T *a = x + r * stride, *b = a + stride, *c = b + stride, *d = c + stride;
        for (int64_t j = 0; j < width; j++) {
            T ab = COMBINE(a[j], b[j]), cd = COMBINE(c[j], d[j]), all = COMBINE(ab, cd);
            out[j] = COMBINE(out[j], all);
        }
    }
    for (; r < rows; r++)
        for (int64_t j = 0; j < width; j++)
            out[j] = COMBINE(out[j], x[r * stride + j]);
}

static void NAME(fill)(void *to, int64_t n)
{
    T *out = to;
    for (int64_t i = 0; i < n; i++)
        out[i] = START;
}

/* A line of few elements, in eight strands. */
static T NAME(line)(const T *x, int64_t n)
{
    T strands[8] = {START, START, START, START, START, START, START, START};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int64_t j = 0; j < 8; j++)
            strands[j] = COMBINE(strands[j], x[i + j]);
    for (; i < n; i++)
        strands[0] = COMBINE(strands[0], x[i]);
    for (int64_t j = 0; j < 4; j++)
        strands[j] = COMBINE(strands[j], strands[j + 4]);
    T even = COMBINE(strands[0], strands[2]), odd = COMBINE(strands[1], strands[3]);
    return COMBINE(even, odd);
}

/* Rows x[rows][inner] of a few elements: as many as fit side by side at first. */
static void NAME(block)(const void *rows_of, int64_t rows, int64_t inner, void *to)
{
    const T *x = rows_of;
    T lanes[LANES], *out = to;
    int64_t lines = LANES / inner < rows ? LANES / inner : rows, width = lines * inner;
    if (inner == 1 && rows < 4 * LANES) {
        *out = NAME(line)(x, rows);
        return;
    }
    if (rows * inner < LANES) {
        for (int64_t j = 0; j < inner; j++) {
            T found = START;
            for (int64_t r = 0; r < rows; r++)
                found = COMBINE(found, x[r * inner + j]);
            out[j] = found;
        }
        return;
    }
    int64_t whole = rows / lines;
    NAME(fill)(lanes, width);
    NAME(rows)(x, whole, width, width, lanes);
    NAME(rows)(x + whole * width, 1, width, (rows - whole * lines) * inner, lanes);
    for (int64_t half = lines / 2; lines > 1; lines -= half, half = lines / 2) {
        const T *last = lanes + (lines - half) * inner;
        S2_IVDEP
        for (int64_t j = 0; j < half * inner; j++)
            lanes[j] = COMBINE(lanes[j], last[j]);
    }
    memcpy(to, lanes, (size_t)inner * sizeof(T));
}

static const fold NAME(fold) = {NAME(rows), NAME(block), NAME(fill), sizeof(T)};

#undef NAME
#undef T
#undef START
#undef COMBINE
