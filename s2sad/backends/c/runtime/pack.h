/* How are lines of a matrix copied into panels, and sums rounded?
 *
 * S2_DEFINE_PACK(name, STORED, WIDEN) defines s2_pack_<name>, S2_DEFINE_ROUND(name, STORED, ROUND)
 * s2_round_<name>, for the S2_REAL of the unit; WIDEN and ROUND convert an element.
 */
#include "product.h"

/* Rows and columns of a square that is turned in registers, and of what is turned at a time; and
 * how far ahead memory is asked for. */
enum { SIDE = 8, STRETCH = 16, AHEAD = 64 };

typedef S2_REAL side __attribute__((vector_size(SIDE * sizeof(S2_REAL))));
typedef S2_LANE side_lanes __attribute__((vector_size(SIDE * sizeof(S2_LANE))));

#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE_SIDE(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define SHUFFLE_SIDE(x, y, ...) __builtin_shuffle(x, y, (side_lanes){__VA_ARGS__})
#endif

/* x[l][d] to x[d][l]. */
static inline __attribute__((always_inline)) void turn_square(side x[SIDE])
{
    side y[SIDE], z[SIDE];
#pragma GCC unroll 8
    for (int i = 0; i < SIDE; i += 2) {
        y[i] = SHUFFLE_SIDE(x[i], x[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        y[i + 1] = SHUFFLE_SIDE(x[i], x[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
#pragma GCC unroll 8
    for (int i = 0; i < SIDE; i++) {
        int from = i / 4 * 4 + i % 2;
        z[i] = i % 4 < 2 ? SHUFFLE_SIDE(y[from], y[from + 2], 0, 1, 8, 9, 4, 5, 12, 13)
                         : SHUFFLE_SIDE(y[from], y[from + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
#pragma GCC unroll 8
    for (int i = 0; i < SIDE; i++)
        x[i] = i < 4 ? SHUFFLE_SIDE(z[i], z[i + 4], 0, 1, 2, 3, 8, 9, 10, 11)
                     : SHUFFLE_SIDE(z[i - 4], z[i], 4, 5, 6, 7, 12, 13, 14, 15);
}

#define S2_DEFINE_PACK(name, STORED, WIDEN)                                                        \
    static inline __attribute__((always_inline)) void copy_##name(                                 \
        S2_REAL *to, const STORED *from, int64_t count, const int64_t step)                        \
    {                                                                                              \
        for (int64_t l = 0; l + step <= count; l += step)                                          \
            for (int64_t i = 0; i < step; i++)                                                     \
                to[l + i] = WIDEN(from[l + i]);                                                    \
        for (int64_t i = count - step; count % step && i < count; i++)                             \
            to[i] = WIDEN(from[i]);                                                                \
    }                                                                                              \
    /* Lines that lie beside each other: short rows to copy, by steps of which the last may go     \
     * over what is there. */                                                                      \
    static void beside_##name(const STORED *from, S2_REAL *to, int64_t count, int64_t depths,      \
                              int64_t stride, int64_t width)                                       \
    {                                                                                              \
        for (int64_t d = 0; d < depths; d++, to += width, from += stride)                          \
            if (count >= 8)                                                                        \
                copy_##name(to, from, count, 8);                                                   \
            else if (count >= 4)                                                                   \
                copy_##name(to, from, count, 4);                                                   \
            else                                                                                   \
                copy_##name(to, from, count, 1);                                                   \
    }                                                                                              \
    /* 8 lines from `l` on, over a stretch: the last square may go over what is turned already. */ \
    static inline __attribute__((always_inline)) void lines_8_##name(                              \
        const STORED *from, S2_REAL *to, int64_t depths, int64_t stride, int64_t width)            \
    {                                                                                              \
        if (depths < 8) {                                                                          \
            for (int64_t d = 0; d < depths; d++)                                                   \
                for (int i = 0; i < 8; i++)                                                        \
                    to[d * width + i] = WIDEN(from[i * stride + d]);                               \
            return;                                                                                \
        }                                                                                          \
        for (int i = 0; i < 8; i++)                                                                \
            __builtin_prefetch(from + i * stride + AHEAD);                                         \
        for (int64_t at = 0; at < depths; at += 8) {                                               \
            int64_t d = s2_least(at, depths - 8);                                                  \
            side x[8];                                                                             \
            for (int i = 0; i < 8; i++)                                                            \
                for (int j = 0; j < 8; j++)                                                        \
                    x[i][j] = WIDEN(from[i * stride + d + j]);                                     \
            turn_square(x);                                                                        \
            for (int i = 0; i < 8; i++)                                                            \
                memcpy(to + (d + i) * width, &x[i], sizeof x[i]);                                  \
        }                                                                                          \
    }                                                                                              \
    /* 4 lines from `l` on, over a stretch: the last square may go over what is turned already. */ \
    static inline __attribute__((always_inline)) void lines_4_##name(                              \
        const STORED *from, S2_REAL *to, int64_t depths, int64_t stride, int64_t width)            \
    {                                                                                              \
        if (depths < 4) {                                                                          \
            for (int64_t d = 0; d < depths; d++)                                                   \
                for (int i = 0; i < 4; i++)                                                        \
                    to[d * width + i] = WIDEN(from[i * stride + d]);                               \
            return;                                                                                \
        }                                                                                          \
        for (int64_t at = 0; at < depths; at += 4) {                                               \
            int64_t d = s2_least(at, depths - 4);                                                  \
            four x[4];                                                                             \
            for (int i = 0; i < 4; i++)                                                            \
                for (int j = 0; j < 4; j++)                                                        \
                    x[i][j] = WIDEN(from[i * stride + d + j]);                                     \
            turn(x);                                                                               \
            for (int i = 0; i < 4; i++)                                                            \
                memcpy(to + (d + i) * width, &x[i], sizeof x[i]);                                  \
        }                                                                                          \
    }                                                                                              \
    /* Lines that lie whole: squares to turn, stretch by stretch of what a cache line holds. Else  \
     * short parts of many lines would be read, far from each other, again and again. */           \
    static void whole_##name(const STORED *from, S2_REAL *to, int64_t count, int64_t depths,       \
                             int64_t stride, int64_t width)                                        \
    {                                                                                              \
        for (int64_t d = 0; d < depths; d += STRETCH) {                                            \
            int64_t high = s2_least(STRETCH, depths - d), l = 0;                                   \
            const STORED *x = from + d;                                                            \
            S2_REAL *y = to + d * width;                                                           \
            for (; l + SIDE <= count; l += SIDE)                                                   \
                lines_8_##name(x + l * stride, y + l, high, stride, width);                        \
            if (l < count && count - l <= 4 && count >= 4) {                                       \
                lines_4_##name(x + (count - 4) * stride, y + count - 4, high, stride, width);      \
            } else if (l < count && count >= SIDE) {                                               \
                lines_8_##name(x + (count - SIDE) * stride, y + count - SIDE, high, stride, width);\
            } else if (l < count && count > 4) {                                                   \
                lines_4_##name(x, y, high, stride, width);                                         \
                lines_4_##name(x + (count - 4) * stride, y + count - 4, high, stride, width);      \
            } else {                                                                               \
                for (; l < count; l++)                                                             \
                    for (int64_t e = 0; e < high; e++)                                             \
                        y[e * width + l] = WIDEN(x[l * stride + e]);                               \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    S2_PACK(name)                                                                                  \
    {                                                                                              \
        int64_t step = lines->line, stride = lines->depth;                                         \
        const STORED *from = (const STORED *)lines->data + line * step + depth * stride;           \
        S2_REAL *to = panel;                                                                       \
        if (step == 1) {                                                                           \
            beside_##name(from, to, count, depths, stride, width);                                 \
        } else if (stride == 1) {                                                                  \
            whole_##name(from, to, count, depths, step, width);                                    \
        } else {                                                                                   \
            for (int64_t d = 0; d < depths; d++)                                                   \
                for (int64_t l = 0; l < count; l++)                                                \
                    to[d * width + l] = WIDEN(from[d * stride + l * step]);                        \
        }                                                                                          \
        for (int64_t d = 0; d < depths && count < width; d++)                                      \
            memset(to + d * width + count, 0, (size_t)(width - count) * sizeof *to);               \
    }

#define S2_DEFINE_ROUND(name, STORED, ROUND)                                                       \
    void s2_round_##name(void *stored, const void *sums, int64_t count)                            \
    {                                                                                              \
        STORED *to = stored;                                                                       \
        const S2_REAL *from = sums;                                                                \
        for (int64_t i = 0; i < count; i++)                                                        \
            to[i] = ROUND(from[i]);                                                                \
    }
