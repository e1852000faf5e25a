/* What are sums of windows, and where do gradients go? Included once for each NAME, of floats of
 * the type T. */

/* Addition leaves -0.0 alone: windows of -0.0 have this sum. */
static void NAME(clear)(char *line, int64_t n)
{
    T *x = (T *)(void *)line;
    for (int64_t i = 0; i < n; i++)
        x[i] = (T)-0.0;
}

static void NAME(divide)(const pooling *p, row r, const T *x, T *y)
{
    const s2_windows *w = p->w;
    T others = (T)p->divisor;
    int64_t rows = members(w, 0, r.depth) * members(w, 1, r.height);
    if (p->divisor != 0)
        for (int64_t j = 0; j < w->count[2]; j++)
            y[j] = x[j] / others;
    else
        for (int64_t j = 0; j < w->count[2]; j++)
            y[j] = x[j] / (T)(rows * members(w, 2, j));
}

static void NAME(mean_row)(const pooling *p, row r, const lines *l)
{
    const s2_windows *w = p->w;
    T *restrict sums = (T *)(void *)l->result;
    NAME(clear)(l->result, l->wide);
    FOR_ROWS_OF_WINDOWS(w, r)
        read_row(p, r.plane, at, l);
        for (int64_t k = 0; k < w->kernel[2]; k++) {
            const T *x = (const T *)(const void *)l->line + seen_at(w, l, k);
            for (int64_t j = 0; j < l->wide; j++)
                sums[j] += x[j];
        }
    END_OF_ROWS
    NAME(divide)(p, r, sums, sums);
}

/* To the elements of a row of dx, what the windows of one row give to them. */
static void NAME(spread)(const pooling *p, row r, int64_t at, const lines *l)
{
    const s2_windows *w = p->w;
    T *shares = (T *)(void *)l->result;
    const char *dy = p->x + (r.plane * p->rows + at) * p->width * p->bytes;
    if (p->load)
        p->load(dy, p->width, l->result);
    NAME(divide)(p, r, p->load ? shares : (const T *)(const void *)dy, shares);
    for (int64_t j = w->count[2]; j < l->wide; j++)
        shares[j] = 0; /* of windows that are none */
    for (int64_t k = 0; k < w->kernel[2]; k++) {
        T *dx = (T *)(void *)l->line + seen_at(w, l, k);
        S2_IVDEP
        for (int64_t j = 0; j < l->wide; j++)
            dx[j] += shares[j];
    }
}

/* A row of dx, from the rows of windows that see it. */
static void NAME(spread_row)(const pooling *p, row r, const lines *l)
{
    const s2_windows *w = p->w;
    int64_t stride = w->stride[2];
    memset(l->line, 0, (size_t)(stride * l->phase) * sizeof(T));
    for (int64_t i = 0; i < w->kernel[0]; i++) {
        int64_t depth = window_at(w, 0, r.depth, i);
        for (int64_t j = 0; depth >= 0 && j < w->kernel[1]; j++) {
            int64_t height = window_at(w, 1, r.height, j);
            if (height >= 0)
                NAME(spread)(p, (row){r.plane, depth, height}, depth * w->count[1] + height, l);
        }
    }
    T *dx = (T *)(void *)l->result;
    const T *line = (const T *)(const void *)l->line;
    for (int64_t i = 0; i < w->size[2]; i++)
        dx[i] = 0;
    for (int64_t first = 0; first < stride; first++) {
        span s = phase_of(p, l, first);
        const T *sums = line + first * l->phase + s.at;
        for (int64_t j = 0; j < s.n; j++)
            dx[s.first + j * stride] = sums[j];
    }
}

/* To the places of a row's maxima, what comes from them. */
static void NAME(scatter)(const char *from, const int64_t *places, int64_t n, char *to)
{
    const T *dy = (const T *)(const void *)from;
    T *dx = (T *)(void *)to;
    for (int64_t j = 0; j < n; j++)
        dx[places[j]] += dy[j];
}

static const sums NAME(sums) = {
    NAME(clear), NAME(mean_row), NAME(spread_row), NAME(scatter), sizeof(T)};

#undef NAME
#undef T
