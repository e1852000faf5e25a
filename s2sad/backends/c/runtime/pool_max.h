/* What is the largest of each window, and where? Included once for each NAME, of numbers of the
 * type T, the least of which is LOWEST; BEATS(c, b): c is larger, or the first NaN. */

static void NAME(fill)(char *line, int64_t n)
{
    T *x = (T *)(void *)line;
    for (int64_t i = 0; i < n; i++)
        x[i] = LOWEST;
}

/* Every `stride`-th element. */
static void NAME(pick)(const char *from, int64_t stride, int64_t n, char *to)
{
    const T *x = (const T *)(const void *)from;
    T *restrict y = (T *)(void *)to;
    if (stride == 2)
        for (int64_t j = 0; j < n; j++)
            y[j] = x[2 * j];
    else
        for (int64_t j = 0; j < n; j++)
            y[j] = x[stride * j];
}

static void NAME(max_row)(const pooling *p, row r, const lines *l)
{
    const s2_windows *w = p->w;
    T *restrict best = (T *)(void *)l->result;
    NAME(fill)(l->result, l->wide);
    FOR_ROWS_OF_WINDOWS(w, r)
        read_row(p, r.plane, at, l);
        for (int64_t k = 0; k < w->kernel[2]; k++) {
            const T *x = (const T *)(const void *)l->line + seen_at(w, l, k);
            for (int64_t j = 0; j < l->wide; j++) {
                T b = best[j], c = x[j];
                best[j] = BEATS(c, b) ? c : b;
            }
        }
    END_OF_ROWS
}

/* A window's first member is the largest as long as no other beats the least number of all. */
static void NAME(places_row)(const pooling *p, row r, const lines *l)
{
    const s2_windows *w = p->w;
    T *restrict best = (T *)(void *)l->result;
    int32_t first = first_row(w, r), *restrict places = l->places;
    NAME(fill)(l->result, l->wide);
    for (int64_t j = 0; j < l->wide; j++)
        places[j] = first + l->firsts[j];
    FOR_ROWS_OF_WINDOWS(w, r)
        read_row(p, r.plane, at, l);
        for (int64_t k = 0; k < w->kernel[2]; k++) {
            const T *x = (const T *)(const void *)l->line + seen_at(w, l, k);
            int32_t place = (int32_t)((i_ * w->kernel[1] + j_) * w->kernel[2] + k);
            for (int64_t j = 0; j < l->wide; j++) {
                T b = best[j], c = x[j];
                bool better = BEATS(c, b);
                best[j] = better ? c : b;
                places[j] = better ? place : places[j];
            }
        }
    END_OF_ROWS
}

static const largest NAME(largest) = {
    NAME(fill), NAME(pick), NAME(max_row), NAME(places_row), sizeof(T)};

#undef NAME
#undef T
#undef LOWEST
#undef BEATS
