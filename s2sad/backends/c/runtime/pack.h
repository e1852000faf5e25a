/* How are lines of a matrix copied into panels, and sums rounded?
 *
 * S2_DEFINE_PACK(name, STORED, WIDEN) defines s2_pack_<name>, S2_DEFINE_ROUND(name, STORED, ROUND)
 * s2_round_<name>, for the S2_REAL of the unit; WIDEN and ROUND convert an element.
 */
#include "product.h"

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
    /* Lines that lie whole: squares to turn. */                                                   \
    static void whole_##name(const STORED *from, S2_REAL *to, int64_t count, int64_t depths,       \
                             int64_t stride, int64_t width)                                        \
    {                                                                                              \
        int64_t l = 0, d = 0;                                                                      \
        for (; l + 4 <= count; l += 4) {                                                           \
            for (d = 0; d + 4 <= depths; d += 4) {                                                 \
                four x[4];                                                                         \
                for (int i = 0; i < 4; i++)                                                        \
                    for (int j = 0; j < 4; j++)                                                    \
                        x[i][j] = WIDEN(from[(l + i) * stride + d + j]);                           \
                turn(x);                                                                           \
                for (int i = 0; i < 4; i++)                                                        \
                    memcpy(to + (d + i) * width + l, &x[i], sizeof x[i]);                          \
            }                                                                                      \
            for (; d < depths; d++)                                                                \
                for (int i = 0; i < 4; i++)                                                        \
                    to[d * width + l + i] = WIDEN(from[(l + i) * stride + d]);                     \
        }                                                                                          \
        for (; l < count; l++)                                                                     \
            for (d = 0; d < depths; d++)                                                           \
                to[d * width + l] = WIDEN(from[l * stride + d]);                                   \
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
