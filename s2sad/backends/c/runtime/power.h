/* What are roots and powers of one element?
 *
 * pow in f64 is that of SunPro's fdlibm, `e_pow.c`, without branches, <= 1 ULP; in f32 it is
 * computed in f64 and rounded. All the edges of C's pow.
 *
 * Copyright (C) 2004 by Sun Microsystems, Inc. All rights reserved.
 * Permission to use, copy, modify, and distribute this software is freely granted,
 * provided that this notice is preserved. */
#ifndef S2SAD_POWER_H
#define S2SAD_POWER_H

#include "exp.h"
#include "log.h"

S2_INLINE float s2_sqrt_f32(float x) { return sqrtf(x); }
S2_INLINE double s2_sqrt_f64(double x) { return sqrt(x); }
S2_INLINE float s2_rsqrt_f32(float x) { return 1.0f / sqrtf(x); }
S2_INLINE double s2_rsqrt_f64(double x) { return 1.0 / sqrt(x); }

/* log2(x), the upper part in 21 bits, of x above 0. */
S2_INLINE s2_pair s2_log2_pair(double x) {
    double normal = x < 0x1p-1022 ? x * 0x1p54 : x;
    uint64_t bits = s2_bits_f64(normal), fraction = bits & 0x000fffffffffffffu;
    /* From sqrt(3/2) and from sqrt(3) on. */
    int middle = (fraction >= 0x0003988f00000000u) & (fraction < 0x000bb67a00000000u);
    uint64_t up = fraction >= 0x000bb67a00000000u ? 1u : 0u;
    double n = s2_from_bits_f64((bits >> 52) + up + 0x4330000000000000u) - (0x1p52 + 1023.0);
    n -= x < 0x1p-1022 ? 54.0 : 0.0;
    double a = s2_from_bits_f64(fraction + ((1023 - up) << 52)), base = middle ? 1.5 : 1.0;
    /* s = (a - base) / (a + base), in two parts. */
    double u = a - base, v = 1.0 / (a + base), s = u * v, s_high = s2_head(s);
    double t_high = s2_head(a + base), t_low = a - (t_high - base);
    double s_low = v * ((u - s_high * t_high) - s_high * t_low);
    double z = s * s, p = 2.30660745775561754067e-01 + z * 2.06975017800338417784e-01;
    p = 3.33333329818377432918e-01 + z * (2.72728123808534006489e-01 + z * p);
    p = 5.99999999999994648725e-01 + z * (4.28571428578550184252e-01 + z * p);
    double r = z * z * p + s_low * (s_high + s);
    z = s_high * s_high;
    t_high = s2_head(3.0 + z + r);
    t_low = r - ((t_high - 3.0) - z);
    /* The logarithm of a / base is s (3 + s**2 + ...), times 2/(3 log(2)). */
    u = s_high * t_high;
    v = s_low * t_high + t_low * s;
    double p_high = s2_head(u + v), p_low = v - (p_high - u);
    double z_high = 9.61796700954437255859e-01 * p_high;
    double z_low = -7.02846165095275826516e-09 * p_high + p_low * 9.61796693925975554329e-01 +
                   (middle ? 1.35003920212974897128e-08 : 0.0);
    double of_base = middle ? 5.84962487220764160156e-01 : 0.0;
    double high = s2_head(((z_high + z_low) + of_base) + n);
    return (s2_pair){high, z_low - (((high - n) - of_base) - z_high)};
}

/* |x|**y, given as `value` where neither is special, with the edges, and the sign.
 *
 * 2**52, in float 2**23, added rounds to an integer; all numbers beyond are integers, and from its
 * double on even. */
#define S2_POW_EDGES(dtype, type, bits_type, absolute, unit)                                       \
    S2_INLINE type s2_pow_edges_##dtype(type value, type x, type y) {                              \
        type size = absolute(x), exponent = absolute(y), half = (type)0.5 * exponent;              \
        int whole = (exponent >= unit) | ((exponent + unit) - unit == exponent);                   \
        int odd = whole & (exponent < 2 * unit) & ((half + unit) - unit != half);                  \
        type low = y < 0 ? (type)INFINITY : 0, high = y < 0 ? 0 : (type)INFINITY;                  \
        value = size == 0 ? low : value;                                                           \
        value = size == (type)INFINITY ? high : value;                                             \
        value = s2_flip_##dtype(value, odd ? s2_bits_##dtype(x) : (bits_type)0);                   \
        value = (x < 0) & (size < (type)INFINITY) & !whole ? (type)NAN : value;                    \
        value = (x != x) | (y != y) ? (type)NAN : value;                                           \
        return (x == 1) | (y == 0) ? 1 : value;                                                    \
    }
S2_POW_EDGES(f32, float, uint32_t, fabsf, 0x1p23f)
S2_POW_EDGES(f64, double, uint64_t, fabs, 0x1p52)
#undef S2_POW_EDGES

S2_INLINE double s2_pow_f64(double x, double y) {
    /* Beyond 2**65 all powers of a number other than 1 are infinite or 0. */
    double z = y < -0x1p65 ? -0x1p65 : y;
    z = z > 0x1p65 ? 0x1p65 : z;
    s2_pair t = s2_log2_pair(fabs(x));
    double head = s2_head(z), high = head * t.high, low = (z - head) * t.high + z * t.low;
    low = fabs(high) < 2048.0 ? low : 0.0; /* else it might be large */
    return s2_pow_edges_f64(s2_exp2_sum(high, low), x, y);
}

S2_INLINE float s2_pow_f32(float x, float y) {
    double z = y < -0x1p40f ? -0x1p40 : (double)y;
    z = z > 0x1p40 ? 0x1p40 : z;
    double value = s2_exp_f64(z * s2_log_total(s2_log_parts(fabs((double)x)), 0.0));
    return s2_pow_edges_f32((float)value, x, y);
}

#endif
