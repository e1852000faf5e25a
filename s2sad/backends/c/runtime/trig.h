/* What are trigonometric functions of one element, and their inverses?
 *
 * f64: SunPro's fdlibm, `k_sin.c`, `k_cos.c`, `e_asin.c`, `e_acos.c`, `s_atan.c`, without
 * branches, <= 1 ULP, tan and atan2 <= 2. f32: sin and cos by minimax polynomials (Remez),
 * <= 2 ULP; the others in f64, rounded. Those called `near` are for angles that are not far, and
 * give what the others give.
 *
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
 * Developed at SunPro, a Sun Microsystems, Inc. business.
 * Permission to use, copy, modify, and distribute this software is freely granted,
 * provided that this notice is preserved. */
#ifndef S2SAD_TRIG_H
#define S2SAD_TRIG_H

#include "angle.h"

/* The sine, or for odd `quarters` the cosine, with the sign of its quadrant. */
S2_INLINE float s2_wave_f32(float r, uint32_t quarters) {
    float z = r * r, sine = s2_fma_f32(z, -0x1.994b6ap-13f, 0x1.110756p-7f);
    float cosine = s2_fma_f32(z, 0x1.99ffcep-16f, -0x1.6c0c84p-10f);
    cosine = s2_fma_f32(z, cosine, 0x1.55554ap-5f);
    sine = s2_fma_f32(r * z, s2_fma_f32(z, sine, -0x1.555546p-3f), r);
    cosine = s2_fma_f32(z * z, cosine, s2_fma_f32(z, -0.5f, 1.0f));
    return s2_flip_f32(quarters & 1u ? cosine : sine, quarters << 30);
}

S2_INLINE float s2_sine_f32(float x, s2_turn turn) {
    float value = s2_wave_f32(turn.rest, turn.quarters);
    return fabsf(x) < 0x1p-12f ? x : value; /* keeps -0.0 */
}

S2_INLINE float s2_near_sin_f32(float x) { return s2_sine_f32(x, s2_near_turn_f32(x)); }
S2_INLINE float s2_sin_f32(float x) { return s2_sine_f32(x, s2_turn_f32(x)); }

S2_INLINE float s2_near_cos_f32(float x) {
    s2_turn turn = s2_near_turn_f32(x);
    return s2_wave_f32(turn.rest, turn.quarters + 1u);
}

S2_INLINE float s2_cos_f32(float x) {
    s2_turn turn = s2_turn_f32(x);
    return s2_wave_f32(turn.rest, turn.quarters + 1u);
}

/* The sine of high + low, which is within pi/4 of 0, nearly, as a sum of two. */
S2_INLINE s2_pair s2_sine(double high, double low) {
    double z = high * high, v = z * high;
    double p = -2.50507602534068634195e-08 + z * 1.58969099521155010221e-10;
    p = -1.98412698298579493134e-04 + z * (2.75573137070700676789e-06 + z * p);
    p = 8.33333333332248946124e-03 + z * p;
    return (s2_pair){high, (low - z * (0.5 * low - v * p)) + v * -1.66666666666666324348e-01};
}

S2_INLINE s2_pair s2_cosine(double high, double low) {
    double z = high * high, half = 0.5 * z, near = 1.0 - half;
    double p = 2.08757232129817482790e-09 + z * -1.13596475577881948265e-11;
    p = 2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07 + z * p);
    p = z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * p));
    return (s2_pair){near, ((1.0 - near) - half) + (z * p - high * low)};
}

S2_INLINE double s2_wave_f64(s2_angle angle, uint64_t quarters) {
    s2_pair sine = s2_sine(angle.high, angle.low), cosine = s2_cosine(angle.high, angle.low);
    double value = quarters & 1u ? cosine.high + cosine.low : sine.high + sine.low;
    return s2_flip_f64(value, quarters << 62);
}

S2_INLINE double s2_sin_f64(double x) {
    s2_angle angle = s2_reduce_f64(x);
    double value = s2_flip_f64(s2_wave_f64(angle, angle.quarters), s2_bits_f64(x));
    value = fabs(x) < 0x1p-27 ? x : value;
    return fabs(x) < INFINITY ? value : NAN;
}

S2_INLINE double s2_cos_f64(double x) {
    s2_angle angle = s2_reduce_f64(x);
    double value = s2_wave_f64(angle, angle.quarters + 1u);
    return fabs(x) < INFINITY ? value : NAN;
}

/* The quotient of two sums. */
S2_INLINE double s2_quotient(s2_pair a, s2_pair b) {
    double value = a.high / b.high;
    s2_pair back = s2_product(value, b.high);
    return value + (((a.high - back.high) - back.low) + a.low - value * b.low) / b.high;
}

S2_INLINE double s2_tan_f64(double x) {
    s2_angle angle = s2_reduce_f64(x);
    s2_pair sine = s2_sine(angle.high, angle.low), cosine = s2_cosine(angle.high, angle.low);
    sine = s2_fast_sum(sine.high, sine.low);
    cosine = s2_fast_sum(cosine.high, cosine.low);
    int odd = (angle.quarters & 1u) != 0;
    s2_pair above = odd ? cosine : sine, below = odd ? sine : cosine;
    double value = s2_flip_f64(s2_quotient(above, below), s2_bits_f64(x) ^ angle.quarters << 63);
    value = fabs(x) < 0x1p-27 ? x : value;
    return fabs(x) < INFINITY ? value : NAN;
}

S2_INLINE float s2_tangent_f32(float x, double rest, uint64_t quarters) {
    s2_pair sine = s2_sine(rest, 0.0), cosine = s2_cosine(rest, 0.0);
    double s = sine.high + sine.low, c = cosine.high + cosine.low;
    float value = (float)((quarters & 1u ? -c : s) / (quarters & 1u ? s : c));
    return fabsf(x) < 0x1p-12f ? x : value;
}

S2_INLINE float s2_near_tan_f32(float x) {
    s2_angle angle = s2_near_angle_f32(x);
    return s2_tangent_f32(x, angle.high, angle.quarters);
}

S2_INLINE float s2_tan_f32(float x) {
    s2_angle near = s2_near_angle_f32(x), far = s2_reduce_f32(x);
    uint64_t is_far = s2_mask(s2_is_far_f32(x));
    double rest = s2_select(is_far, far.high, near.high);
    return s2_tangent_f32(x, rest, (far.quarters & is_far) | (near.quarters & ~is_far));
}

/* asin(sqrt(z)) / sqrt(z) - 1 for z up to 1/4. */
S2_INLINE double s2_asin_excess(double z) {
    double p = 7.91534994289814532176e-04 + z * 3.47933107596021167570e-05;
    p = 2.01212532134862925881e-01 + z * (-4.00555345006794114027e-02 + z * p);
    p = 1.66666666666666657415e-01 + z * (-3.25565818622400915405e-01 + z * p);
    double q = -6.88283971605453293030e-01 + z * 7.70381505559019352791e-02;
    q = -2.40339491173441421878e+00 + z * (2.02094576023350569471e+00 + z * q);
    return z * p / (1.0 + z * q);
}

/* The square root of z, its upper bits first. */
S2_INLINE s2_pair s2_root_head(double z) {
    double root = sqrt(z), head = s2_head(root);
    return (s2_pair){head, root > 0.0 ? (z - head * head) / (root + head) : 0.0};
}

/* From 1/2 on, with the half angle: asin(x) = pi/2 - 2 asin(sqrt((1 - x)/2)). */
S2_INLINE double s2_asin_f64(double x) {
    double size = fabs(x), z = size < 0.5 ? size * size : (1.0 - size) * 0.5;
    double excess = s2_asin_excess(z);
    s2_pair root = s2_root_head(z);
    double less = 2.0 * sqrt(z) * excess - (6.12323399573676603587e-17 - 2.0 * root.low);
    double large = 0x1.921fb54442d18p-1 - (less - (0x1.921fb54442d18p-1 - 2.0 * root.high));
    return s2_signed_f64(fabs(size < 0.5 ? size + size * excess : large), x);
}

S2_INLINE double s2_acos_f64(double x) {
    double size = fabs(x), z = size < 0.5 ? x * x : (1.0 - size) * 0.5;
    double excess = s2_asin_excess(z), root = sqrt(z), turn = 6.12323399573676603587e-17;
    s2_pair parts = s2_root_head(z);
    double middle = 0x1.921fb54442d18p+0 - (x - (turn - x * excess));
    double left = 2.0 * (0x1.921fb54442d18p+0 - (root + (root * excess - turn)));
    double right = 2.0 * (parts.high + (root * excess + parts.low));
    return size < 0.5 ? middle : x < 0.0 ? left : right;
}

S2_INLINE double s2_atan_f64(double x) {
    double size = fabs(x);
    /* The angle less that with the tangent 0, 1/2, 1, 3/2 or infinity, whichever is near. */
    uint64_t m0 = s2_mask(size < 0.4375), m1 = s2_mask(size < 0.6875);
    uint64_t m2 = s2_mask(size < 1.1875), m3 = s2_mask(size < 2.4375);
#define S2_PICK(a, b, c, d, e) \
    s2_select(m0, a, s2_select(m1, b, s2_select(m2, c, s2_select(m3, d, e))))
    double a = S2_PICK(size, 2.0 * size - 1.0, size - 1.0, size - 1.5, -1.0);
    double b = S2_PICK(1.0, 2.0 + size, size + 1.0, 1.0 + 1.5 * size, size);
    double high = S2_PICK(0.0, 4.63647609000806093515e-01, 7.85398163397448278999e-01,
                          9.82793723247329054082e-01, 1.57079632679489655800e+00);
    double low = S2_PICK(0.0, 2.26987774529616870924e-17, 3.06161699786838301793e-17,
                         1.39033110312309984516e-17, 6.12323399573676603587e-17);
#undef S2_PICK
    double t = a / b, z = t * t;
    double p = -3.65315727442169155270e-02 + z * 1.62858201153657823623e-02;
    p = -5.83357013379057348645e-02 + z * (4.97687799461593236017e-02 + z * p);
    p = -7.69187620504482999495e-02 + z * (6.66107313738753120669e-02 + z * p);
    p = -1.11111104054623557880e-01 + z * (9.09088713343650656196e-02 + z * p);
    p = -1.99999999998764832476e-01 + z * (1.42857142725034663711e-01 + z * p);
    p = z * (3.33333333333329318027e-01 + z * p);
    return s2_signed_f64(fabs(high - ((t * p - low) - t)), x);
}

S2_INLINE double s2_atan2_f64(double y, double x) {
    double above = fabs(y), right = fabs(x);
    uint64_t both = s2_mask((above == INFINITY) & (right == INFINITY));
    double ratio = s2_select(both, 1.0, above / right);
    ratio = s2_select(s2_mask(above == 0.0), 0.0, ratio);
    double angle = s2_atan_f64(ratio);
    double turned = 0x1.921fb54442d18p+1 - (angle - 1.2246467991473531772e-16);
    angle = s2_select(0u - (s2_bits_f64(x) >> 63), turned, angle);
    return (x != x) | (y != y) ? NAN : s2_signed_f64(angle, y);
}

S2_INLINE float s2_asin_f32(float x) { return (float)s2_asin_f64((double)x); }
S2_INLINE float s2_acos_f32(float x) { return (float)s2_acos_f64((double)x); }
S2_INLINE float s2_atan_f32(float x) { return (float)s2_atan_f64((double)x); }

S2_INLINE float s2_atan2_f32(float y, float x) {
    return (float)s2_atan2_f64((double)y, (double)x);
}

#endif
