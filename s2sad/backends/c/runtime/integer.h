/* What do operators of C leave open for integers: division, powers and shifts?
 *
 * Integers wrap (-fwrapv). The small ones are divided as floats, whose mantissas hold quotients
 * exactly: loops over those become vector code. */
#ifndef S2_INTEGER_H
#define S2_INTEGER_H

#include "s2sad.h"

/* Quotient rounded down; by 0 it is 0, and the least integer by -1 is itself. With the quotient
 * n - e, e is 1/|y| or more and |n * y| at most 2^31, so that no float or double but n - 1 or n
 * lies next to it. */
#define S2_FLOOR_DIV(dtype, type, wide, floor_of)                                                  \
    static inline type s2_floor_div_##dtype(type x, type y)                                        \
    {                                                                                              \
        type divisor = (y == 0) | (y == -1) ? (type)1 : y;                                         \
        type quotient = (type)floor_of((wide)x / (wide)divisor);                                   \
        quotient = y == -1 ? (type)-x : quotient;                                                  \
        return y == 0 ? (type)0 : quotient;                                                        \
    }
S2_FLOOR_DIV(i8, int8_t, float, __builtin_floorf)
S2_FLOOR_DIV(i16, int16_t, float, __builtin_floorf)
S2_FLOOR_DIV(i32, int32_t, double, __builtin_floor)
#undef S2_FLOOR_DIV

static inline int64_t s2_floor_div_i64(int64_t x, int64_t y)
{
    int64_t divisor = (y == 0) | (y == -1) ? 1 : y;
    int64_t quotient = x / divisor, rest = x % divisor;
    quotient -= (rest != 0) & ((rest ^ divisor) < 0);
    quotient = y == -1 ? -x : quotient;
    return y == 0 ? 0 : quotient;
}

static inline uint8_t s2_floor_div_u8(uint8_t x, uint8_t y)
{
    uint8_t divisor = y == 0 ? (uint8_t)1 : y;
    uint8_t quotient = (uint8_t)((float)x / (float)divisor);
    return y == 0 ? (uint8_t)0 : quotient;
}

/* What floor_div leaves, with the sign of y; 0 where y is 0. */
#define S2_MOD(dtype, type)                                                                        \
    static inline type s2_mod_##dtype(type x, type y)                                              \
    {                                                                                              \
        type rest = (type)(x - (type)(s2_floor_div_##dtype(x, y) * y));                            \
        return y == 0 ? (type)0 : rest;                                                            \
    }
S2_MOD(i8, int8_t)
S2_MOD(i16, int16_t)
S2_MOD(i32, int32_t)
S2_MOD(i64, int64_t)
S2_MOD(u8, uint8_t)
#undef S2_MOD

/* `start` times x to the power y, wrapping. */
static inline uint64_t s2_wrapped_power(uint64_t start, uint64_t x, uint64_t y)
{
    for (; y; y >>= 1) {
        start *= y & 1 ? x : 1;
        x *= x;
    }
    return start;
}

/* x to the power y, wrapping; below the power 0 it is 0, but for 1 and -1. */
#define S2_POW(dtype, type)                                                                        \
    static inline type s2_pow_##dtype(type x, type y)                                              \
    {                                                                                              \
        bool unit = (x == 1) | (x == -1);                                                          \
        uint64_t start = (y >= 0) | unit;                                                          \
        return (type)s2_wrapped_power(start, (uint64_t)x, (uint64_t)(y < 0 ? y & 1 : y));          \
    }
S2_POW(i8, int8_t)
S2_POW(i16, int16_t)
S2_POW(i32, int32_t)
S2_POW(i64, int64_t)
#undef S2_POW

static inline uint8_t s2_pow_u8(uint8_t x, uint8_t y)
{
    return (uint8_t)s2_wrapped_power(1, x, y);
}

/* Counts below 0 and of the width or more move all bits out: what is left is 0, or the sign. */
#define S2_SHIFT(dtype, type, unsigned_type, width)                                                \
    static inline type s2_shift_left_##dtype(type x, type count)                                   \
    {                                                                                              \
        type shifted = (type)((unsigned_type)x << (count & (width - 1)));                          \
        return (count >= 0) & (count < width) ? shifted : (type)0;                                 \
    }                                                                                              \
    static inline type s2_shift_right_##dtype(type x, type count)                                  \
    {                                                                                              \
        return (type)(x >> ((count >= 0) & (count < width) ? count : width - 1));                  \
    }
S2_SHIFT(i8, int8_t, uint32_t, 8)
S2_SHIFT(i16, int16_t, uint32_t, 16)
S2_SHIFT(i32, int32_t, uint32_t, 32)
S2_SHIFT(i64, int64_t, uint64_t, 64)
#undef S2_SHIFT

static inline uint8_t s2_shift_left_u8(uint8_t x, uint8_t count)
{
    return count < 8 ? (uint8_t)(x << (count & 7)) : (uint8_t)0;
}

static inline uint8_t s2_shift_right_u8(uint8_t x, uint8_t count)
{
    return (uint8_t)(x >> (count < 8 ? count : 8));
}

#endif
