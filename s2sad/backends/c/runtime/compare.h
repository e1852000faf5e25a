/* Which of two floats is larger, where one may be NaN and zeros have signs? */
#ifndef S2_COMPARE_H
#define S2_COMPARE_H

#include "s2sad.h"

/* NaN where one is NaN. Of equal elements the bits are the same, but for zeros: of the signs both
 * must be set for the larger to be -0.0, one for the smaller. */
#define S2_EXTREMES(dtype, type, bits)                                                             \
    static inline type s2_equal_sign_##dtype(type x, type y, bool both)                            \
    {                                                                                              \
        bits a, b;                                                                                 \
        memcpy(&a, &x, sizeof a);                                                                  \
        memcpy(&b, &y, sizeof b);                                                                  \
        a = both ? a & b : a | b;                                                                  \
        memcpy(&x, &a, sizeof x);                                                                  \
        return x;                                                                                  \
    }                                                                                              \
    static inline type s2_maximum_##dtype(type x, type y)                                          \
    {                                                                                              \
        type larger = x > y ? x : y;                                                               \
        larger = x == y ? s2_equal_sign_##dtype(x, y, true) : larger;                              \
        return x == x ? larger : x;                                                                \
    }                                                                                              \
    static inline type s2_minimum_##dtype(type x, type y)                                          \
    {                                                                                              \
        type smaller = x < y ? x : y;                                                              \
        smaller = x == y ? s2_equal_sign_##dtype(x, y, false) : smaller;                           \
        return x == x ? smaller : x;                                                               \
    }                                                                                              \
    static inline type s2_sign_##dtype(type x)                                                     \
    {                                                                                              \
        type sign = (type)(x > 0) - (type)(x < 0);                                                 \
        return x == x ? sign : x;                                                                  \
    }
S2_EXTREMES(f32, float, uint32_t)
S2_EXTREMES(f64, double, uint64_t)
#undef S2_EXTREMES

#define S2_EXTREMES(dtype, type, sign)                                                             \
    static inline type s2_maximum_##dtype(type x, type y) { return x > y ? x : y; }                \
    static inline type s2_minimum_##dtype(type x, type y) { return x < y ? x : y; }                \
    static inline type s2_sign_##dtype(type x) { return (type)(sign); }
S2_EXTREMES(i8, int8_t, (x > 0) - (x < 0))
S2_EXTREMES(i16, int16_t, (x > 0) - (x < 0))
S2_EXTREMES(i32, int32_t, (x > 0) - (x < 0))
S2_EXTREMES(i64, int64_t, (x > 0) - (x < 0))
S2_EXTREMES(u8, uint8_t, x > 0)
#undef S2_EXTREMES

#endif
