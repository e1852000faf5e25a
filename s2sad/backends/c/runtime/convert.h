/* What are elements in another dtype, where a cast of C leaves that open? */
#ifndef S2_CONVERT_H
#define S2_CONVERT_H

#include "narrow.h"
#include "s2sad.h"

/* Without its fraction and held in range, NaN as 0. The bounds are exact in the float type. */
#define S2_TO_INTEGER(from, type, to, integer, least, most)                                        \
    static inline integer s2_##from##_to_##to(type x)                                              \
    {                                                                                              \
        x = x == x ? x : 0;                                                                        \
        x = x < least ? least : x;                                                                 \
        x = x > most ? most : x;                                                                   \
        return (integer)x;                                                                         \
    }
S2_TO_INTEGER(f32, float, i8, int8_t, INT8_MIN, INT8_MAX)
S2_TO_INTEGER(f32, float, i16, int16_t, INT16_MIN, INT16_MAX)
S2_TO_INTEGER(f32, float, u8, uint8_t, 0, UINT8_MAX)
S2_TO_INTEGER(f64, double, i8, int8_t, INT8_MIN, INT8_MAX)
S2_TO_INTEGER(f64, double, i16, int16_t, INT16_MIN, INT16_MAX)
S2_TO_INTEGER(f64, double, i32, int32_t, INT32_MIN, INT32_MAX)
S2_TO_INTEGER(f64, double, u8, uint8_t, 0, UINT8_MAX)
#undef S2_TO_INTEGER

static inline int32_t s2_f32_to_i32(float x) { return s2_f64_to_i32(x); }

static inline int64_t s2_f64_to_i64(double x)
{
    bool inside = (x >= -0x1p63) & (x < 0x1p63);
    int64_t whole = (int64_t)(inside ? x : 0.0);
    int64_t beyond = x > 0 ? INT64_MAX : INT64_MIN;
    return inside | (x != x) ? whole : beyond;
}

static inline int64_t s2_f32_to_i64(float x) { return s2_f64_to_i64(x); }

/* From 2^17 on all integers are infinite as f16; those below are exact as float. */
static inline uint16_t s2_i64_to_f16(int64_t x)
{
    x = x < -0x20000 ? -0x20000 : x;
    x = x > 0x20000 ? 0x20000 : x;
    return s2_f32_to_f16((float)(int32_t)x);
}

/* A double has 53 bits: from 2^53 on one bit says whether the lowest eleven are not 0, which is all
 * that rounding to 8 bits asks of them. */
static inline uint16_t s2_i64_to_bf16(int64_t x)
{
    bool exact = ((x > -0x20000000000000) & (x < 0x20000000000000)) | ((x & 0x7FF) == 0);
    return s2_f64_to_bf16((double)(exact ? x : (x & ~(int64_t)0x7FF) | 0x400));
}

#endif
