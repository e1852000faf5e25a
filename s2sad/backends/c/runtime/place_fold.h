/* Where do the largest elements stand? Included once for each NAME, of elements of the type T. */

/* Whether one of x[n] is larger than *most; then this becomes the largest, and *place the first of
 * those. */
static void NAME(line)(const void *line, int64_t n, int64_t first, void *most, int64_t *place)
{
    const T *x = line;
    T known = *(T *)most, largest = x[0];
    for (int64_t i = 1; i < n; i++)
        largest = x[i] > largest ? x[i] : largest;
    if (first && largest <= known)
        return;
    int64_t i = 0;
    while (x[i] != largest)
        i++;
    *(T *)most = largest;
    *place = first + i;
}

/* The same for each column of rows, of which x[n] is the number `row`. */
static void NAME(row)(const void *line, int64_t n, int64_t row, void *most, int64_t *places)
{
    const T *x = line;
    T *restrict known = most;
    for (int64_t j = 0; j < n; j++) {
        bool better = (row == 0) | (x[j] > known[j]);
        known[j] = better ? x[j] : known[j];
        places[j] = better ? row : places[j];
    }
}

#undef NAME
#undef T
