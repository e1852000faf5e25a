/* What are logarithms of one element?
 *
 * x = 2**k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2). f64: SunPro's fdlibm, `e_log.c` and
 * `s_log1p.c`, and FreeBSD's `e_log2.c` and `e_log10.c`, <= 1 ULP. f32: a minimax polynomial
 * (Remez), <= 1 ULP; log2 and log10 in f64, rounded.
 *
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
 * Developed at SunPro, a Sun Microsystems, Inc. business.
 * Permission to use, copy, modify, and distribute this software is freely granted,
 * provided that this notice is preserved. */
#ifndef S2SAD_LOG_H
#define S2SAD_LOG_H

#include "bits.h"

/* `value`, but -inf at 0, NaN below, x at inf and NaN. */
S2_INLINE float s2_log_edges_f32(float value, float x) {
    value = x < INFINITY ? value : x;
    value = x < 0.0f ? NAN : value;
    return x == 0.0f ? -INFINITY : value;
}

S2_INLINE double s2_log_edges_f64(double value, double x) {
    value = x < INFINITY ? value : x;
    value = x < 0.0 ? NAN : value;
    return x == 0.0 ? -INFINITY : value;
}

/* (log(1 + f) - f + f**2 / 2) / f**3, 1 + f from sqrt(1/2) to sqrt(2). */
S2_INLINE float s2_log_rest_f32(float f) {
    float p = s2_fma_f32(f, s2_fma_f32(f, 0x1.1c8fb0p-4f, -0x1.e5fbd6p-4f), 0x1.e72ceap-4f);
    p = s2_fma_f32(f, s2_fma_f32(f, p, -0x1.fae056p-4f), 0x1.232594p-3f);
    p = s2_fma_f32(f, s2_fma_f32(f, p, -0x1.5564aap-3f), 0x1.99a54ep-3f);
    return s2_fma_f32(f, s2_fma_f32(f, p, -0x1.ffffe8p-3f), 0x1.555548p-2f);
}

/* log of 2**k (1 + f + lost), where `lost` is far below f. */
S2_INLINE float s2_log_sum_f32(float k, float f, float lost) {
    float square = f * f;
    float rest = s2_fma_f32(square * f, s2_log_rest_f32(f), s2_fma_f32(k, -0x1.05c61p-29f, lost));
    return s2_fma_f32(k, 0x1.62e43p-1f, f + s2_fma_f32(-0.5f, square, rest));
}

S2_INLINE float s2_log_f32(float x) {
    float normal = x < 0x1p-126f ? x * 0x1p23f : x;
    uint32_t bits = s2_bits_f32(normal), above = bits - 0x3f3504f3u; /* sqrt(1/2) */
    float k = (float)((int32_t)above >> 23) - (x < 0x1p-126f ? 23.0f : 0.0f);
    float f = s2_from_bits_f32(bits - (above & 0xff800000u)) - 1.0f;
    return s2_log_edges_f32(s2_log_sum_f32(k, f, 0.0f), x);
}

/* log of 2**k (1 + f) is k log(2) + f - (half - rest). */
typedef struct {
    double k, f, half, rest;
} s2_log_terms;

/* log((1 + s) / (1 - s)) / s - 2, where z is s**2. */
S2_INLINE double s2_log_excess(double z) {
    double p = 1.531383769920937332e-01 + z * 1.479819860511658591e-01;
    p = 2.222219843214978396e-01 + z * (1.818357216161805012e-01 + z * p);
    p = 3.999999999940941908e-01 + z * (2.857142874366239149e-01 + z * p);
    return z * (6.666666666666735130e-01 + z * p);
}

/* Of a normal x above 0. */
S2_INLINE s2_log_terms s2_log_parts(double x) {
    uint64_t bits = s2_bits_f64(x), above = bits - 0x3fe6a09e667f3bcdu; /* sqrt(1/2) */
    uint64_t biased = (above + 0x3ff0000000000000u) >> 52;
    double k = s2_from_bits_f64(biased | 0x4330000000000000u) - (0x1p52 + 1023.0);
    double f = s2_from_bits_f64(bits - (above & 0xfff0000000000000u)) - 1.0;
    double s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
    return (s2_log_terms){k, f, half, s * (half + s2_log_excess(z))};
}

/* log(2**k (1 + f)) + low. */
S2_INLINE double s2_log_total(s2_log_terms t, double low) {
    double rest = t.rest + (t.k * 1.90821492927058770002e-10 + low);
    return t.k * 6.93147180369123816490e-01 - ((t.half - rest) - t.f);
}

/* The terms of any x above 0. */
S2_INLINE s2_log_terms s2_log_parts_any(double x) {
    s2_log_terms t = s2_log_parts(x < 0x1p-1022 ? x * 0x1p54 : x);
    t.k -= x < 0x1p-1022 ? 54.0 : 0.0;
    return t;
}

S2_INLINE double s2_log_f64(double x) {
    return s2_log_edges_f64(s2_log_total(s2_log_parts_any(x), 0.0), x);
}

/* log(high + low) of a normal `high` above 0, with `low` far below. */
S2_INLINE double s2_log_sum(double high, double low) {
    return s2_log_total(s2_log_parts(high), low / high);
}

/* The logarithm to a base: `inverse` is 1/log(base), `unit` is log(2)/log(base), in two parts. */
S2_INLINE double s2_log_to_base(double x, double inverse, double inverse_low, double unit,
                                    double unit_low) {
    s2_log_terms t = s2_log_parts_any(x);
    double high = s2_head(t.f - t.half), low = ((t.f - high) - t.half) + t.rest;
    double large = high * inverse, y = t.k * unit, sum = y + large;
    double small = t.k * unit_low + (low + high) * inverse_low + low * inverse;
    return s2_log_edges_f64((small + ((y - sum) + large)) + sum, x);
}

S2_INLINE double s2_log2_f64(double x) {
    return s2_log_to_base(x, 1.44269504072144627571e+00, 1.67517131648865118353e-10, 1.0, 0.0);
}

S2_INLINE double s2_log10_f64(double x) {
    return s2_log_to_base(x, 4.34294481878168880939e-01, 2.50829467116452752298e-11,
                          3.01029995663611771306e-01, 3.69423907715893078616e-13);
}

/* log of u = 1 + x rounded, and of what u lost. */
S2_INLINE double s2_log1p_f64(double x) {
    double u = 1.0 + x, lost = u > 2.0 ? 1.0 - (u - x) : x - (u - 1.0);
    double value = s2_log_sum(u, lost);
    value = fabs(x) < 0x1p-54 ? x : value; /* keeps -0.0, and the bits of a subnormal x */
    value = x < INFINITY ? value : x;
    value = x < -1.0 ? NAN : value;
    return x == -1.0 ? -INFINITY : value;
}

S2_INLINE float s2_log1p_f32(float x) {
    float u = 1.0f + x, left = x > 1.0f ? 1.0f - (u - x) : x - (u - 1.0f);
    uint32_t bits = s2_bits_f32(u), power = (bits - 0x3f3504f3u) & 0xff800000u;
    float scale = s2_from_bits_f32(0x3f800000u - power); /* 2**-k */
    float lost = x < 0x1p24f ? left * scale : 0.0f, f = s2_from_bits_f32(bits - power) - 1.0f;
    float g = f + lost, k = (float)((int32_t)power >> 23);
    float value = s2_log_sum_f32(k, g, (f - g) + lost);
    value = fabsf(x) < 0x1p-24f ? x : value; /* keeps -0.0, and the bits of a subnormal x */
    value = x < INFINITY ? value : x;
    value = x < -1.0f ? NAN : value;
    return x == -1.0f ? -INFINITY : value;
}

S2_INLINE float s2_log2_f32(float x) { return (float)(s2_log_f64(x) * 0x1.71547652b82fep+0); }
S2_INLINE float s2_log10_f32(float x) { return (float)(s2_log_f64(x) * 0x1.bcb7b1526e50ep-2); }

#endif
