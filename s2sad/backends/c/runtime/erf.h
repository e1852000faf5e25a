/* What are the error functions of one element, and the inverse of one?
 *
 * f64: the rational approximations of SunPro's fdlibm, `s_erf.c`, of which each element takes the
 * coefficients of its range; erf is within 1 ULP, erfc and erfinv within 4. f32: erf by minimax
 * polynomials (Remez), <= 2 ULP; erfc and erfinv in f64, rounded, <= 1 ULP.
 *
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
 * Developed at SunPro, a Sun Microsystems, Inc. business.
 * Permission to use, copy, modify, and distribute this software is freely granted,
 * provided that this notice is preserved. */
#ifndef S2SAD_ERF_H
#define S2SAD_ERF_H

#include "exp.h"
#include "log.h"

/* From 0.927 on, erfc(x) is exp(-x q(x)). */
S2_INLINE float s2_erf_f32(float x) {
    float size = fabsf(x), z = size * size, t = size > 4.0f ? 4.0f : size;
    float p = s2_fma_f32(z, s2_fma_f32(z, 0x1.5e05ep-14f, -0x1.aaa2b8p-11f), 0x1.54d426p-8f);
    p = s2_fma_f32(z, s2_fma_f32(z, p, -0x1.b80ff2p-6f), 0x1.ce2e1cp-4f);
    p = s2_fma_f32(z, s2_fma_f32(z, p, -0x1.812744p-2f), 0x1.06eba8p-3f);
    float q = s2_fma_f32(t, s2_fma_f32(t, 0x1.82c592p-17f, -0x1.5583f8p-12f), 0x1.deed6p-9f);
    q = s2_fma_f32(t, s2_fma_f32(t, q, -0x1.85b484p-6f), 0x1.b3415ap-4f);
    q = s2_fma_f32(t, s2_fma_f32(t, q, 0x1.453082p-1f), 0x1.20ef5ap+0f);
    float small = s2_fma_f32(size, p, size), large = 1.0f - s2_exp_f32(-t * q);
    return s2_signed_f32(size < 0.927f ? small : large, x);
}

/* Of |x|: in [0, 0.84375) erf(x)/x - 1, in [0.84375, 1.25) erf(x) - 0.845..., above erfc(x). */
S2_INLINE double s2_erf_piece(double size) {
    uint64_t tiny = s2_mask(size < 0.84375), middle = s2_mask(size < 1.25);
    uint64_t near = s2_mask(size < 1.0 / 0.35);
#define S2_PICK(a, b, c, d) s2_select(tiny, a, s2_select(middle, b, s2_select(near, c, d)))
    double a = size > 28.0 ? 28.0 : size, p, q;
    double z = s2_select(tiny, a * a, s2_select(middle, a - 1.0, 1.0 / (a * a)));
    p = S2_PICK(0.0, 0.0, -9.814329344169145, 0.0);
    p = S2_PICK(0.0, -0.002166375594868791, -81.2874355063066, -483.5191916086514) + z * p;
    p = S2_PICK(0.0, 0.035478304325618236, -184.60509290671104, -1025.0951316110772) + z * p;
    p = S2_PICK(-2.3763016656650163e-05, -0.11089469428239668, -162.39666946257347,
                -637.5664433683896) + z * p;
    p = S2_PICK(-0.005770270296489442, 0.31834661990116175, -62.375332450326006,
                -160.63638485582192) + z * p;
    p = S2_PICK(-0.02848174957559851, -0.3722078760357013, -10.558626225323291,
                -17.757954917754752) + z * p;
    p = S2_PICK(-0.3250421072470015, 0.41485611868374833, -0.6938585727071818,
                -0.799283237680523) + z * p;
    p = S2_PICK(0.12837916709551256, -0.0023621185607526594, -0.009864944034847148,
                -0.0098649429247001) + z * p;
    q = S2_PICK(0.0, 0.0, -0.0604244152148581, 0.0);
    q = S2_PICK(0.0, 0.0, 6.570249770319282, -22.44095244658582) + z * q;
    q = S2_PICK(0.0, 0.011984499846799107, 108.63500554177944, 474.52854120695537) + z * q;
    q = S2_PICK(-3.960228278775368e-06, 0.01363708391202905, 429.00814002756783,
                2553.0504064331644) + z * q;
    q = S2_PICK(0.00013249473800432164, 0.12617121980876164, 645.3872717332679,
                3199.8582195085955) + z * q;
    q = S2_PICK(0.005081306281875766, 0.07182865441419627, 434.56587747522923,
                1536.729586084437) + z * q;
    q = S2_PICK(0.0650222499887673, 0.540397917702171, 137.65775414351904,
                325.7925129965739) + z * q;
    q = S2_PICK(0.39791722395915535, 0.10642088040084423, 19.651271667439257,
                30.33806074348246) + z * q;
    q = 1.0 + z * q;
#undef S2_PICK
    double ratio = p / q, head = s2_head(a);
    s2_pair sum = s2_fast_sum(-head * head - 0.5625, (head - a) * (head + a) + ratio);
    return s2_select(middle, ratio, s2_exp_sum(sum.high, sum.low, 0) / a);
}

#define S2_ERF_ONE 8.45062911510467529297e-01 /* erf(1), cut to 24 bits */

/* erf(x) and erfc(x), given the piece of |x|. */
S2_INLINE double s2_erf_of(double x, double piece) {
    double size = fabs(x), value = s2_select(s2_mask(size < 1.25), S2_ERF_ONE + piece, 1.0 - piece);
    value = s2_select(s2_mask(size < 0.84375), size + size * piece, value);
    return s2_signed_f64(value, x);
}

S2_INLINE double s2_erfc_of(double x, double piece) {
    double size = fabs(x), product = x * piece;
    uint64_t left = s2_mask(x < 0.0), quarter = s2_mask(x < 0.25);
    double tiny = s2_select(quarter, 1.0 - (x + product), 0.5 - ((x - 0.5) + product));
    double middle = s2_select(left, 1.0 + (S2_ERF_ONE + piece), (1.0 - S2_ERF_ONE) - piece);
    double value = s2_select(s2_mask(size < 1.25), middle, s2_select(left, 2.0 - piece, piece));
    return s2_select(s2_mask(size < 0.84375), tiny, value);
}

S2_INLINE double s2_erf_f64(double x) { return s2_erf_of(x, s2_erf_piece(fabs(x))); }
S2_INLINE double s2_erfc_f64(double x) { return s2_erfc_of(x, s2_erf_piece(fabs(x))); }
S2_INLINE float s2_erfc_f32(float x) { return (float)s2_erfc_f64((double)x); }

/* S. Winitzki's approximation for x from 0 to 1 ("A handy approximation for the error function and
 * its inverse", 2008). */
S2_INLINE double s2_erfinv_start(double x) {
    double logarithm = s2_log1p_f64(-x * x), part = logarithm / 0.147;
    double half = 2.0 / (3.141592653589793 * 0.147) + logarithm / 2.0;
    double root = sqrt(half * half - part);
    return sqrt(s2_select(s2_mask(half > 0.0), -part / (root + half), root - half));
}

/* A Halley step, which cubes the error of y. Above 1/2 the residual is that of erfc. */
S2_INLINE double s2_erfinv_step(double x, double y) {
    double piece = s2_erf_piece(y), above = (1.0 - x) - s2_erfc_of(y, piece);
    double residual = s2_select(s2_mask(x < 0.5), s2_erf_of(y, piece) - x, above);
    double step = residual * 0.8862269254527579 * s2_exp_f64(y * y); /* sqrt(pi)/2 */
    return y - step / (1.0 + y * step);
}

S2_INLINE double s2_erfinv_edges(double value, double x) {
    value = fabs(x) == 1.0 ? INFINITY : value;
    return s2_signed_f64(fabs(x) > 1.0 ? NAN : fabs(value), x);
}

S2_INLINE double s2_erfinv_f64(double x) {
    double size = fabs(x), y = s2_erfinv_step(size, s2_erfinv_start(size));
    return s2_erfinv_edges(s2_erfinv_step(size, s2_erfinv_step(size, y)), x);
}

S2_INLINE float s2_erfinv_f32(float x) {
    double size = fabs((double)x), y = s2_erfinv_step(size, s2_erfinv_start(size));
    return (float)s2_erfinv_edges(s2_erfinv_step(size, y), (double)x);
}

#endif
