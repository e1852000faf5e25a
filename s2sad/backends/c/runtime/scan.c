/* What has been gathered so far along an axis, at each of its places (scan.h)? */
#include "scan.h"
#include "narrow.h"

enum {
    COLUMNS = 256,          /* lines that are gone along side by side */
    LINES = 8,              /* those that are contiguous each: more would not stay in registers */
    WORTH_A_THREAD = 32768, /* elements */
};

/* Elements [begin, end) of lines are the same for all operands. */
typedef struct {
    const void *x, *factor;
    void *y;
    int64_t *places;
    int64_t outer, n, inner, blocks;
    bool reverse, exclusive;
} job;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int run(job *j, s2_task part)
{
    int64_t lines = j->inner == 1 ? LINES : smaller(j->inner, COLUMNS), each = j->n * lines;
    if (each == 0)
        return 0;
    int64_t grain = each < WORTH_A_THREAD ? WORTH_A_THREAD / each : 1;
    j->blocks = (j->inner - 1) / COLUMNS + 1;
    int64_t extent = j->inner == 1 ? (j->outer + LINES - 1) / LINES : j->outer * j->blocks;
    return s2_parallel_for(extent, grain, part, j);
}

/* Block `part` of lines: where its first element stands, and how many lines it has. Lines that are
 * contiguous lie `n` apart, others beside one another. */
static int64_t block(const job *j, int64_t part, int64_t *width)
{
    if (j->inner == 1) {
        *width = smaller(LINES, j->outer - part * LINES);
        return part * LINES * j->n;
    }
    int64_t column = part % j->blocks * COLUMNS;
    *width = smaller(COLUMNS, j->inner - column);
    return part / j->blocks * j->n * j->inner + column;
}

/* The place that comes as number `k`. */
static int64_t place(const job *j, int64_t k)
{
    return j->reverse ? j->n - 1 - k : k;
}

/* Parts of a job, for a function that goes along `width` lines that lie `beside` one another. With
 * `is_common` both are constants: what lines have gathered stays in registers then. */
#define S2_PARTS(along, is_common)                                                                 \
    static int along##_part(void *data, int64_t begin, int64_t end)                                \
    {                                                                                              \
        const job *j = data;                                                                       \
        for (int64_t part = begin, width; part < end; part++) {                                    \
            int64_t at = block(j, part, &width);                                                   \
            if (is_common && j->inner == 1 && width == LINES)                                      \
                along(j, at, LINES, j->n);                                                         \
            else                                                                                   \
                along(j, at, width, j->inner == 1 ? j->n : 1);                                     \
        }                                                                                          \
        return 0;                                                                                  \
    }

#define S2_INLINE static inline __attribute__((always_inline))

#define S2_RUNNING(name, dtype, is_common, stored, computed, identity, combine, load, store)       \
    S2_INLINE void name##_##dtype(const job *j, int64_t at, int64_t width, int64_t beside)         \
    {                                                                                              \
        const stored *restrict x = (const stored *)j->x + at;                                      \
        stored *restrict y = (stored *)j->y + at;                                                  \
        computed total[COLUMNS];                                                                   \
        int64_t step = j->reverse ? -j->inner : j->inner;                                          \
        int64_t in = place(j, 0) * j->inner, out = in;                                             \
        for (int64_t i = 0; i < width; i++) {                                                      \
            total[i] = j->exclusive ? identity : load(x[in + i * beside]);                         \
            y[out + i * beside] = store(total[i]);                                                 \
        }                                                                                          \
        in -= j->exclusive ? step : 0;                                                             \
        for (int64_t k = 1; k < j->n; k++) {                                                       \
            in += step;                                                                            \
            out += step;                                                                           \
            for (int64_t i = 0; i < width; i++) {                                                  \
                total[i] = (computed)(total[i] combine load(x[in + i * beside]));                  \
                y[out + i * beside] = store(total[i]);                                             \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    S2_PARTS(name##_##dtype, is_common)                                                            \
    int s2_##name##_##dtype(const void *x, void *y, int64_t outer, int64_t n, int64_t inner,       \
                            bool reverse, bool exclusive)                                          \
    {                                                                                              \
        job j = {x, NULL, y, NULL, outer, n, inner, 1, reverse, exclusive};                        \
        return run(&j, name##_##dtype##_part);                                                     \
    }

/* With `beats`, whether an element is the new extreme; the first is. */
#define S2_EXTREME(name, dtype, is_common, stored, computed, beats, is_nan, load, store)           \
    S2_INLINE void name##_##dtype(const job *j, int64_t at, int64_t width, int64_t beside)         \
    {                                                                                              \
        const stored *restrict x = (const stored *)j->x + at;                                      \
        stored *restrict y = (stored *)j->y + at;                                                  \
        int64_t *restrict places = j->places + at;                                                 \
        computed most[COLUMNS];                                                                    \
        int64_t found[COLUMNS];                                                                    \
        for (int64_t i = 0; i < width; i++) {                                                      \
            most[i] = load(x[place(j, 0) * j->inner + i * beside]);                                \
            found[i] = place(j, 0);                                                                \
        }                                                                                          \
        for (int64_t k = 0; k < j->n; k++) {                                                       \
            int64_t here = place(j, k), row = here * j->inner;                                     \
            for (int64_t i = 0; i < width; i++) {                                                  \
                computed value = load(x[row + i * beside]);                                        \
                bool is_most = is_nan(value) | (value beats most[i]);                              \
                most[i] = is_most ? value : most[i];                                               \
                found[i] = is_most ? here : found[i];                                              \
                y[row + i * beside] = store(most[i]);                                              \
                places[row + i * beside] = found[i];                                               \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    S2_PARTS(name##_##dtype, is_common)                                                            \
    int s2_##name##_##dtype(const void *x, void *y, int64_t *places, int64_t outer, int64_t n,     \
                            int64_t inner, bool reverse)                                           \
    {                                                                                              \
        job j = {x, NULL, y, places, outer, n, inner, 1, reverse, false};                          \
        return run(&j, name##_##dtype##_part);                                                     \
    }

#define S2_IS_NAN(value) ((value) != (value))
#define S2_NEVER(value) false
#define S2_SCANS(dtype, is_common, stored, computed, is_nan, load, store)                          \
    S2_RUNNING(cumsum, dtype, is_common, stored, computed, 0, +, load, store)                      \
    S2_RUNNING(cumprod, dtype, is_common, stored, computed, 1, *, load, store)                     \
    S2_EXTREME(cummax, dtype, is_common, stored, computed, >=, is_nan, load, store)                \
    S2_EXTREME(cummin, dtype, is_common, stored, computed, <=, is_nan, load, store)
S2_SCANS(f16, false, uint16_t, float, S2_IS_NAN, s2_f16_to_f32, s2_f32_to_f16)
S2_SCANS(bf16, false, uint16_t, float, S2_IS_NAN, s2_bf16_to_f32, s2_f32_to_bf16)
S2_SCANS(f32, true, float, float, S2_IS_NAN, , )
S2_SCANS(f64, true, double, double, S2_IS_NAN, , )
S2_SCANS(i8, false, int8_t, int8_t, S2_NEVER, , )
S2_SCANS(i16, false, int16_t, int16_t, S2_NEVER, , )
S2_SCANS(i32, false, int32_t, int32_t, S2_NEVER, , )
S2_SCANS(i64, false, int64_t, int64_t, S2_NEVER, , )
S2_SCANS(u8, false, uint8_t, uint8_t, S2_NEVER, , )

#define S2_RECURRENCE(dtype, is_common, stored, computed, load, store)                             \
    S2_INLINE void recurrence_##dtype(const job *j, int64_t at, int64_t width, int64_t beside)     \
    {                                                                                              \
        const stored *restrict addend = (const stored *)j->x + at;                                 \
        const stored *restrict factor = (const stored *)j->factor + at;                            \
        stored *restrict y = (stored *)j->y + at;                                                  \
        computed state[COLUMNS];                                                                   \
        for (int64_t i = 0; i < width; i++) {                                                      \
            state[i] = load(addend[place(j, 0) * j->inner + i * beside]);                          \
            y[place(j, 0) * j->inner + i * beside] = store(state[i]);                              \
        }                                                                                          \
        for (int64_t k = 1; k < j->n; k++) {                                                       \
            int64_t row = place(j, k) * j->inner;                                                  \
            for (int64_t i = 0; i < width; i++) {                                                  \
                computed product = load(factor[row + i * beside]) * state[i];                      \
                state[i] = load(addend[row + i * beside]) + product;                               \
                y[row + i * beside] = store(state[i]);                                             \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    S2_PARTS(recurrence_##dtype, is_common)                                                        \
    int s2_linear_recurrence_##dtype(const void *factor, const void *addend, void *y,              \
                                     int64_t outer, int64_t n, int64_t inner, bool reverse)        \
    {                                                                                              \
        job j = {addend, factor, y, NULL, outer, n, inner, 1, reverse, false};                     \
        return run(&j, recurrence_##dtype##_part);                                                 \
    }
S2_RECURRENCE(f16, false, uint16_t, float, s2_f16_to_f32, s2_f32_to_f16)
S2_RECURRENCE(bf16, false, uint16_t, float, s2_bf16_to_f32, s2_f32_to_bf16)
S2_RECURRENCE(f32, true, float, float, , )
S2_RECURRENCE(f64, true, double, double, , )
