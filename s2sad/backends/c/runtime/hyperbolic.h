/* What are hyperbolic functions of one element, and their inverses?
 *
 * tanh in f32: a minimax polynomial (Remez) near 0, elsewhere the exponential, <= 2 ULP; in f64
 * that of S. L. Moshier's Cephes, `tanh.c`. The others in f64, <= 2 ULP; their f32 results are
 * those, rounded. */
#ifndef S2SAD_HYPERBOLIC_H
#define S2SAD_HYPERBOLIC_H

#include "exp.h"
#include "log.h"

S2_INLINE float s2_tanh_f32(float x) {
    float size = fabsf(x), z = size * size;
    float p = s2_fma_f32(z, 0x1.1913bcp-9f, -0x1.0c0642p-7f);
    p = s2_fma_f32(z, s2_fma_f32(z, p, 0x1.638faep-6f), -0x1.b9ef0cp-5f);
    p = s2_fma_f32(z, s2_fma_f32(z, p, 0x1.11106ap-3f), -0x1.555554p-2f);
    float small = s2_fma_f32(size * z, p, size), far = size > 10.0f ? 10.0f : size;
    s2_exp_parts e = s2_exp_parts_f32(2.0f * far);
    float power = s2_power_f32(e.rounded, 0x3f800000u);
    float large = 1.0f - 2.0f / s2_fma_f32(power, e.excess, 1.0f + power);
    return s2_signed_f32(size < 0.625f ? small : large, x);
}

S2_INLINE double s2_tanh_f64(double x) {
    double size = fabs(x), z = size * size;
    double p = -9.64399179425052238628e-01 * z - 9.92877231001918586564e+01;
    double q = (z + 1.12811678491632931402e+02) * z + 2.23548839060100448583e+03;
    p = (p * z - 1.61468768441708447952e+03) / (q * z + 4.84406305325125486048e+03);
    double small = size + size * z * p, large = 1.0 - 2.0 / (1.0 + s2_exp_f64(2.0 * size));
    return s2_signed_f64(size < 0.625 ? small : large, x);
}

/* Half of exp(x), which does not overflow before sinh and cosh do. */
S2_INLINE double s2_half_exp(double x) { return s2_exp_sum(x, 0.0, -1); }

S2_INLINE double s2_sinh_f64(double x) {
    double size = fabs(x), z = size * size;
    double p = 0x1.ae646773869e6p-26 + z * (0x1.611a343884cd7p-33 + z * 0x1.b4d17a1dab831p-41);
    p = 0x1.a01a01a0292a4p-13 + z * (0x1.71de3a45ea3e1p-19 + z * p);
    p = z * (0x1.5555555555556p-3 + z * (0x1.11111111110a1p-7 + z * p));
    double large = s2_half_exp(size) - s2_half_exp(-size);
    return s2_signed_f64(size < 1.0 ? size + size * p : large, x);
}

S2_INLINE double s2_cosh_f64(double x) {
    return s2_half_exp(fabs(x)) + s2_half_exp(-fabs(x));
}

/* sqrt(a + low), with what the rounding of the root loses. */
S2_INLINE s2_pair s2_root(double a, double low) {
    double root = sqrt(a);
    s2_pair square = s2_product(root, root);
    double rest = ((a - square.high) - square.low) + low;
    return (s2_pair){root, root > 0.0 ? rest / (2.0 * root) : 0.0};
}

S2_INLINE double s2_asinh_f64(double x) {
    double size = fabs(x), z = size * size;
    double p = 0x1.020346b458171p-8 - z * 0x1.679fc31efa362p-10;
    p = -0x1.3e346d63420eap-7 + z * (0x1.0a3f68a079b31p-7 + z * (-0x1.9f16c899f53acp-8 + z * p));
    p = -0x1.c993fbb0c5b9dp-7 + z * (0x1.7a4d72f636f45p-7 + z * p);
    p = -0x1.6e8ba0b2981b8p-6 + z * (0x1.1c4e946bbf86dp-6 + z * p);
    p = -0x1.6db6db6d92b46p-5 + z * (0x1.f1c71c613e2e4p-6 + z * p);
    p = z * (-0x1.5555555555554p-3 + z * (0x1.33333333330c2p-4 + z * p));
    /* log(size + sqrt(size**2 + 1)); far out the root is size. */
    double inner = size < 0x1p28 ? size : 0x1p28;
    s2_pair square = s2_product(inner, inner), sum = s2_fast_sum(1.0, square.high);
    sum = square.high > 1.0 ? s2_fast_sum(square.high, 1.0) : sum;
    s2_pair root = s2_root(sum.high, sum.low + square.low), u = s2_fast_sum(root.high, inner);
    s2_log_terms t = s2_log_parts(size < 0x1p28 ? u.high : size);
    t.k += size < 0x1p28 ? 0.0 : 1.0;
    double large = s2_log_total(t, size < 0x1p28 ? (u.low + root.low) / u.high : 0.0);
    double value = size < 0.5 ? size + size * p : large;
    return s2_signed_f64(size < INFINITY ? value : size, x);
}

S2_INLINE double s2_acosh_f64(double x) {
    double inner = x < 0x1p28 ? x : 0x1p28;
    s2_pair square = s2_product(inner, inner), less = s2_fast_sum(square.high, -1.0);
    s2_pair inside = s2_fast_sum(less.high, square.low + less.low);
    s2_pair root = s2_root(inside.high, inside.low), u = s2_fast_sum(inner, root.high);
    s2_log_terms t = s2_log_parts(x < 0x1p28 ? u.high : x);
    t.k += x < 0x1p28 ? 0.0 : 1.0;
    double value = s2_log_total(t, x < 0x1p28 ? (u.low + root.low) / u.high : 0.0);
    value = x < INFINITY ? value : x;
    return x < 1.0 ? NAN : value;
}

/* Half of the logarithm of (1 + x) / (1 - x). */
S2_INLINE double s2_atanh_f64(double x) {
    double size = fabs(x), z = size * size;
    s2_pair above = s2_fast_sum(1.0, size), below = s2_fast_sum(1.0, -size);
    double ratio = above.high / below.high;
    s2_pair back = s2_product(ratio, below.high);
    double rest = ((above.high - back.high) - back.low) + above.low - ratio * below.low;
    double large = 0.5 * s2_log_sum(ratio, rest / below.high);
    double value = size < 0.17 ? size + 0.5 * size * s2_log_excess(z) : large;
    value = size == 1.0 ? INFINITY : value;
    return s2_signed_f64(size > 1.0 ? NAN : value, x);
}

S2_INLINE float s2_sinh_f32(float x) { return (float)s2_sinh_f64((double)x); }
S2_INLINE float s2_cosh_f32(float x) { return (float)s2_cosh_f64((double)x); }
S2_INLINE float s2_asinh_f32(float x) { return (float)s2_asinh_f64((double)x); }
S2_INLINE float s2_acosh_f32(float x) { return (float)s2_acosh_f64((double)x); }
S2_INLINE float s2_atanh_f32(float x) { return (float)s2_atanh_f64((double)x); }

#endif
