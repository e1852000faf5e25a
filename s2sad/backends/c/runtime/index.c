/* Which rows do indices name, and how are those read, replaced or added to (index.h)? */
#include "index.h"
#include "narrow.h"

enum {
    MOST_AXES = 64,
    CHUNK = 512,            /* places that are worked out at a time */
    COLUMNS = 512,          /* elements of a row that are added up at a time */
    WORTH_A_THREAD = 32768, /* elements */
    DIGITS = 11,            /* bits of a place that are sorted by at a time */
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- places ------------------------------------------------------------------------------- */

/* `places` times `size`, plus indices `step` apart from number `first` on; true if one is out. */
#define S2_READ(name, type)                                                                        \
    static bool read_##name(const void *indices, int64_t first, int64_t step, int64_t n,           \
                            int64_t size, int64_t *places)                                         \
    {                                                                                              \
        const type *from = (const type *)indices + first;                                          \
        int outside = 0;                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                          \
            int64_t index = from[i * step];                                                        \
            outside |= (index < -size) | (index >= size);                                          \
            places[i] = places[i] * size + (index < 0 ? index + size : index);                     \
        }                                                                                          \
        return outside;                                                                            \
    }
S2_READ(i8, int8_t)
S2_READ(i16, int16_t)
S2_READ(i32, int32_t)
S2_READ(i64, int64_t)
S2_READ(u8, uint8_t)
#undef S2_READ

static bool read(const s2_named *named, int64_t first, int64_t step, int64_t n, int64_t size,
                 int64_t *places)
{
    switch (named->type) {
    case S2_INDEX_I8:
        return read_i8(named->indices, first, step, n, size, places);
    case S2_INDEX_I16:
        return read_i16(named->indices, first, step, n, size, places);
    case S2_INDEX_I32:
        return read_i32(named->indices, first, step, n, size, places);
    case S2_INDEX_I64:
        return read_i64(named->indices, first, step, n, size, places);
    default:
        return read_u8(named->indices, first, step, n, size, places);
    }
}

/* Places of elements [begin, end) of the indices, row by row of their last axis. */
static bool find_elements(const s2_named *named, int64_t begin, int64_t end, int64_t *places)
{
    int last = named->depth - 1;
    int64_t length = named->shape[last];
    for (int64_t at = begin, n; at < end; at += n, places += n) {
        int64_t first = at % length, base = 0, stride = 1, along = 1, rest = at / length;
        n = smaller(length - first, end - at);
        for (int i = last; i >= 0; i--) {
            int64_t here = i == last ? first : rest % named->shape[i];
            rest = i == last ? rest : rest / named->shape[i];
            along = i == named->axis ? stride : along;
            base += i == named->axis ? 0 : here * stride;
            stride *= named->sizes[i];
        }
        memset(places, 0, (size_t)n * sizeof *places);
        if (read(named, at, 1, n, named->sizes[named->axis], places))
            return true;
        int64_t step = named->axis == last ? 0 : 1;
        for (int64_t i = 0; i < n; i++)
            places[i] = base + i * step + places[i] * along;
    }
    return false;
}

/* Places [begin, end); true if an index is out of range. */
static bool find(const s2_named *named, int64_t begin, int64_t end, int64_t *places)
{
    if (named->axis >= 0)
        return find_elements(named, begin, end, places);
    bool outside = false;
    memset(places, 0, (size_t)(end - begin) * sizeof *places);
    for (int i = 0; i < named->depth; i++)
        outside |= read(named, begin * named->depth + i, named->depth, end - begin,
                        named->sizes[i], places);
    return outside;
}

int s2_check(const s2_named *named)
{
    int64_t places[CHUNK];
    for (int64_t at = 0; at < named->count; at += CHUNK)
        if (find(named, at, smaller(at + CHUNK, named->count), places))
            return 1;
    return 0;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* The size is a constant where it is that of an element, so that memcpy is an instruction. */
#define S2_ROWS(bytes)                                                                             \
    for (int64_t i = 0; i < n; i++)                                                                \
        memcpy(y + i * (bytes), x + places[i] * (bytes), (size_t)(bytes));                         \
    break;

static void take_rows(const char *x, const int64_t *places, char *y, int64_t n, int64_t row)
{
    switch (row) {
    case 1:
        S2_ROWS(1)
    case 2:
        S2_ROWS(2)
    case 4:
        S2_ROWS(4)
    case 8:
        S2_ROWS(8)
    default:
        S2_ROWS(row)
    }
}
#undef S2_ROWS

int s2_take(const void *x, const s2_named *named, void *y, int64_t size, int64_t row, int64_t begin,
            int64_t end)
{
    int64_t chunk[CHUNK], count = named->count;
    bool is_short = count <= CHUNK;
    if (is_short && find(named, 0, count, chunk))
        return 1;
    for (int64_t at = begin, n; at < end; at += n) {
        int64_t first = at % count;
        n = smaller(smaller(CHUNK, count - first), end - at);
        if (!is_short && find(named, first, first + n, chunk))
            return 1;
        const int64_t *places = is_short ? chunk + first : chunk;
        take_rows((const char *)x + at / count * size * row, places, (char *)y + at * row, n, row);
    }
    return 0;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* A row of the updates and where it belongs. */
typedef struct {
    int64_t place, number;
} update;

typedef void (*add_update)(void *y, const void *updates, const update *rows, int64_t n,
                           int64_t inner);

typedef struct {
    const char *updates;
    char *y;
    const int64_t *places;
    const update *sorted;
    int64_t count, size, row, inner;
    add_update add;
} job;

/* All places, in memory that also has room for `more` bytes behind them; NULL if an index is out of
 * range or no memory is left. */
static int64_t *all_places(const s2_named *named, size_t more)
{
    int64_t *places = s2_workspace(S2_SORT, (size_t)named->count * sizeof *places + more);
    return places && !find(named, 0, named->count, places) ? places : NULL;
}

static void set_row(char *y, const char *update, int64_t row)
{
    switch (row) {
    case 1:
        *y = *update;
        break;
    case 2:
        memcpy(y, update, 2);
        break;
    case 4:
        memcpy(y, update, 4);
        break;
    case 8:
        memcpy(y, update, 8);
        break;
    default:
        memcpy(y, update, (size_t)row);
    }
}

static int set_part(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    for (int64_t outer = begin; outer < end; outer++)
        for (int64_t i = 0; i < j->count; i++)
            set_row(j->y + (outer * j->size + j->places[i]) * j->row,
                    j->updates + (outer * j->count + i) * j->row, j->row);
    return 0;
}

int s2_set(const void *x, const s2_named *named, const void *updates, void *y, int64_t outer,
           int64_t size, int64_t row)
{
    job j = {.updates = updates, .y = y, .count = named->count, .size = size, .row = row};
    j.places = all_places(named, 0);
    if (!j.places)
        return 1;
    s2_copy_bytes(x, y, outer * size * row);
    int64_t each = larger(1, j.count * row);
    return s2_parallel_for(outer, larger(1, WORTH_A_THREAD / each), set_part, &j);
}

/* ---- sorting ------------------------------------------------------------------------------ */

static void sort_digit(const update *from, update *to, int64_t n, int shift)
{
    int64_t starts[1 << DIGITS] = {0}, total = 0;
    for (int64_t i = 0; i < n; i++)
        starts[from[i].place >> shift & ((1 << DIGITS) - 1)]++;
    for (int digit = 0; digit < 1 << DIGITS; digit++) {
        int64_t count = starts[digit];
        starts[digit] = total;
        total += count;
    }
    for (int64_t i = 0; i < n; i++)
        to[starts[from[i].place >> shift & ((1 << DIGITS) - 1)]++] = from[i];
}

/* Updates by the place that they belong to, equal ones in order, in the memory of `two` times n. */
static const update *sort(const int64_t *places, int64_t n, int64_t size, update *two)
{
    update *from = two, *to = two + n;
    for (int64_t i = 0; i < n; i++)
        from[i] = (update){places[i], i};
    for (int shift = 0; shift < 63 && (size - 1) >> shift > 0; shift += DIGITS) {
        sort_digit(from, to, n, shift);
        update *sorted = to;
        to = from;
        from = sorted;
    }
    return from;
}

/* ---- adding ------------------------------------------------------------------------------- */

/* Parts of all updates, sorted: a place belongs to the part in which its first update stands. */
static int add_part(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    for (int64_t at = begin; at < end;) {
        int64_t outer = at / j->count, first = at % j->count, last = first;
        const update *rows = j->sorted;
        while (last < j->count && rows[last].place == rows[first].place)
            last++;
        if (first == 0 || rows[first - 1].place != rows[first].place)
            j->add(j->y + (outer * j->size + rows[first].place) * j->row,
                   j->updates + outer * j->count * j->row, rows + first, last - first, j->inner);
        at += last - first;
    }
    return 0;
}

static int add_sorted(job *j, int64_t outer)
{
    j->sorted = sort(j->places, j->count, j->size, (update *)(j->places + j->count));
    int64_t grain = larger(1, WORTH_A_THREAD / larger(1, j->inner));
    return s2_parallel_for(outer * j->count, grain, add_part, j);
}

/* Sorting costs as much as adding a few elements. Alone, and with no rounding to put off, a thread
 * adds row by row. */
static bool should_sort(const job *j, int64_t outer)
{
    return j->inner >= 16 && outer * j->count * j->inner >= 2 * WORTH_A_THREAD && s2_threads() > 1;
}

#define S2_ADD(dtype, stored, computed, is_narrow, load, store)                                    \
    static void add_##dtype(void *y, const void *updates, const update *rows, int64_t n,           \
                            int64_t inner)                                                         \
    {                                                                                              \
        computed total[COLUMNS];                                                                   \
        for (int64_t first = 0; first < inner; first += COLUMNS) {                                 \
            int64_t width = smaller(COLUMNS, inner - first);                                       \
            stored *out = (stored *)y + first;                                                     \
            for (int64_t i = 0; i < width; i++)                                                    \
                total[i] = load(out[i]);                                                           \
            for (int64_t k = 0; k < n; k++) {                                                      \
                const stored *row = (const stored *)updates + rows[k].number * inner + first;      \
                for (int64_t i = 0; i < width; i++)                                                \
                    total[i] = (computed)(total[i] + load(row[i]));                                \
            }                                                                                      \
            for (int64_t i = 0; i < width; i++)                                                    \
                out[i] = store(total[i]);                                                          \
        }                                                                                          \
    }                                                                                              \
    static void add_line_##dtype(stored *restrict y, const stored *restrict x, int64_t n)          \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            y[i] = store((computed)(load(y[i]) + load(x[i])));                                     \
    }                                                                                              \
    static int add_in_order_##dtype(void *data, int64_t begin, int64_t end)                        \
    {                                                                                              \
        const job *j = data;                                                                       \
        for (int64_t outer = begin; outer < end; outer++) {                                        \
            stored *y = (stored *)j->y + outer * j->size * j->inner;                               \
            const stored *row = (const stored *)j->updates + outer * j->count * j->inner;          \
            for (int64_t i = 0; j->inner == 1 && i < j->count; i++)                                \
                y[j->places[i]] = store((computed)(load(y[j->places[i]]) + load(row[i])));         \
            for (int64_t i = 0; j->inner > 1 && i < j->count; i++, row += j->inner)                \
                add_line_##dtype(y + j->places[i] * j->inner, row, j->inner);                      \
        }                                                                                          \
        return 0;                                                                                  \
    }                                                                                              \
    int s2_add_##dtype(const void *x, const s2_named *named, const void *updates, void *y,         \
                       int64_t outer, int64_t size, int64_t inner)                                 \
    {                                                                                              \
        int64_t row = inner * (int64_t)sizeof(stored), count = named->count;                       \
        job j = {updates, y, NULL, NULL, count, size, row, inner, add_##dtype};                    \
        bool sorts = is_narrow || should_sort(&j, outer);                                          \
        j.places = all_places(named, sorts ? 2 * (size_t)count * sizeof(update) : 0);              \
        if (!j.places)                                                                             \
            return 1;                                                                              \
        s2_copy_bytes(x, y, outer * size * row);                                                   \
        if (sorts)                                                                                 \
            return add_sorted(&j, outer);                                                          \
        int64_t each = larger(1, count * inner);                                                   \
        return s2_parallel_for(outer, larger(1, WORTH_A_THREAD / each), add_in_order_##dtype, &j); \
    }                                                                                              \
    static void add_axes_##dtype(const stored *x, stored *y, int count, const s2_axis *axes)       \
    {                                                                                              \
        if (count == 0)                                                                            \
            add_line_##dtype(y, x, 1);                                                             \
        else if (count == 1 && axes->from == 1 && axes->to == 1)                                   \
            add_line_##dtype(y, x, axes->size);                                                    \
        else                                                                                       \
            for (int64_t i = 0; i < axes->size; i++)                                               \
                add_axes_##dtype(x + i * axes->from, y + i * axes->to, count - 1, axes + 1);       \
    }                                                                                              \
    int s2_add_axes_##dtype(const void *x, void *y, int count, const s2_axis *axes)                \
    {                                                                                              \
        add_axes_##dtype(x, y, count, axes);                                                       \
        return 0;                                                                                  \
    }
S2_ADD(f16, uint16_t, float, true, s2_f16_to_f32, s2_f32_to_f16)
S2_ADD(bf16, uint16_t, float, true, s2_bf16_to_f32, s2_f32_to_bf16)
S2_ADD(f32, float, float, false, , )
S2_ADD(f64, double, double, false, , )
S2_ADD(i8, int8_t, int8_t, false, , )
S2_ADD(i16, int16_t, int16_t, false, , )
S2_ADD(i32, int32_t, int32_t, false, , )
S2_ADD(i64, int64_t, int64_t, false, , )
S2_ADD(u8, uint8_t, uint8_t, false, , )

/* ---- windows ------------------------------------------------------------------------------ */

int64_t s2_window(int count, const int64_t *starts, const int64_t *sizes, const int64_t *shape)
{
    int64_t place = 0;
    for (int i = 0; i < count; i++) {
        int64_t first = starts[i] < 0 ? starts[i] + sizes[i] : starts[i];
        if (first < 0 || first > sizes[i] - shape[i])
            return -1;
        place = place * sizes[i] + first;
    }
    return place;
}
