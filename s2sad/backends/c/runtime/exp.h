/* What are exponentials, and the logistic function, of one element?
 *
 * x = n log(2) + r with |r| <= log(2)/2 (Cody and Waite); a minimax polynomial (Remez) gives
 * exp(r), and 2**n comes in two factors, so that subnormal results are rounded once. All are
 * <= 2 ULP, exp <= 1. */
#ifndef S2SAD_EXP_H
#define S2SAD_EXP_H

#include "bits.h"

/* Adding these to a small number rounds it, ties to even, into the lowest bits. */
#define S2_ROUND_F32 0x1.8p23f
#define S2_ROUND_F64 0x1.8p52

/* x * 2**n, n from -252 to 254. */
S2_INLINE float s2_scale_f32(float x, int32_t n) {
    int32_t half = n >> 1;
    float first = s2_from_bits_f32((uint32_t)(half + 127) << 23);
    return x * first * s2_from_bits_f32((uint32_t)(n - half + 127) << 23);
}

/* x * 2**n, n from -2044 to 2046, given the bits of n + S2_ROUND_F64. */
S2_INLINE double s2_scale_f64(double x, uint64_t rounded) {
    uint64_t n = rounded - (0x4338000000000000u - 2046), half = n >> 1; /* n + 2046 is positive */
    double first = s2_from_bits_f64(half << 52);
    return x * first * s2_from_bits_f64((n - half) << 52);
}

/* exp(x) = 2**n (1 + excess). */
typedef struct {
    uint32_t rounded; /* the bits of n + S2_ROUND_F32 */
    float n, excess;
} s2_exp_parts;

S2_INLINE s2_exp_parts s2_exp_parts_f32(float x) {
    float rounded = s2_fma_f32(x, 0x1.715476p+0f, S2_ROUND_F32), n = rounded - S2_ROUND_F32;
    float r = s2_fma_f32(n, 0x1.05c61p-29f, s2_fma_f32(n, -0x1.62e43p-1f, x));
    float p = s2_fma_f32(r, 0x1.9fbdf8p-13f, 0x1.6d4078p-10f);
    p = s2_fma_f32(r, s2_fma_f32(r, p, 0x1.1111cap-7f), 0x1.5554f2p-5f);
    p = s2_fma_f32(r, s2_fma_f32(r, p, 0x1.555554p-3f), 0.5f);
    return (s2_exp_parts){s2_bits_f32(rounded), n, s2_fma_f32(r * r, p, r)};
}

/* 2**n * factor, n from -126 to 127 less that of the factor, a power of 2 given by its bits. */
S2_INLINE float s2_power_f32(uint32_t rounded, uint32_t factor) {
    return s2_from_bits_f32((rounded << 23) + factor);
}

S2_INLINE float s2_exp_f32(float x) {
    x = x < -104.0f ? -104.0f : x;
    s2_exp_parts e = s2_exp_parts_f32(x > 89.0f ? 89.0f : x);
    return s2_scale_f32(1.0f + e.excess, (int32_t)(e.rounded - 0x4b400000u));
}

/* exp(r) - 1 - r for |r| <= log(2)/2. */
S2_INLINE double s2_exp_rest(double r) {
    double p = 0x1.af6d0fbd117f0p-26 + r * 0x1.1faacdf15f0d9p-29;
    p = 0x1.71ddef6deb89bp-19 + r * (0x1.27e4b707be43bp-22 + r * p);
    p = 0x1.a01a01b3ca155p-13 + r * (0x1.a01a01b81d287p-16 + r * p);
    p = 0x1.111111110eb8dp-7 + r * (0x1.6c16c16c12929p-10 + r * p);
    p = 0x1p-1 + r * (0x1.555555555555cp-3 + r * (0x1.555555555556p-5 + r * p));
    return r * r * p;
}

/* exp(r + lost), where `lost` is far below r; what 1 + r loses goes to the rest too. */
S2_INLINE double s2_exp_near(double r, double lost) {
    double sum = 1.0 + r, rest = s2_exp_rest(r) + (lost + lost * r);
    return sum + (rest + (r - (sum - 1.0)));
}

/* exp(high + low) * 2**shift, where `low` is far below `high`. */
S2_INLINE double s2_exp_sum(double high, double low, int shift) {
    high = high < -746.0 ? -746.0 : high;
    high = high > 711.0 ? 711.0 : high;
    double rounded = high * 0x1.71547652b82fep+0 + S2_ROUND_F64, n = rounded - S2_ROUND_F64;
    double near = high - n * 0x1.62e42feep-1, far = n * 0x1.a39ef35793c76p-33 - low;
    double r = near - far, value = s2_exp_near(r, (near - r) - far);
    return s2_scale_f64(value, s2_bits_f64(rounded) + (uint64_t)(int64_t)shift);
}

S2_INLINE double s2_exp_f64(double x) { return s2_exp_sum(x, 0.0, 0); }

S2_INLINE float s2_exp2_f32(float x) {
    x = x < -151.0f ? -151.0f : x;
    x = x > 129.0f ? 129.0f : x;
    float rounded = x + S2_ROUND_F32, r = x - (rounded - S2_ROUND_F32);
    float p = s2_fma_f32(r, 0x1.43eb5cp-13f, 0x1.5f4eaap-10f);
    p = s2_fma_f32(r, s2_fma_f32(r, p, 0x1.3b2a72p-7f), 0x1.c6aec0p-5f);
    p = s2_fma_f32(r, s2_fma_f32(r, p, 0x1.ebfbe0p-3f), 0x1.62e43p-1f);
    return s2_scale_f32(s2_fma_f32(r, p, 1.0f), (int32_t)(s2_bits_f32(rounded) - 0x4b400000u));
}

/* 2**(high + low), where `low` is far below 1. */
S2_INLINE double s2_exp2_sum(double high, double low) {
    high = high < -1076.0 ? -1076.0 : high;
    high = high > 1025.0 ? 1025.0 : high;
    double rounded = high + S2_ROUND_F64, r = high - (rounded - S2_ROUND_F64), head = s2_head(r);
    /* Times log(2), whose upper bits give an exact product. */
    double large = head * 0x1.62e42fp-1;
    double small = ((r - head) + low) * 0x1.62e42fefa39efp-1 + head * 0x1.df473de6af279p-26;
    s2_pair sum = s2_fast_sum(large, small);
    return s2_scale_f64(s2_exp_near(sum.high, sum.low), s2_bits_f64(rounded));
}

S2_INLINE double s2_exp2_f64(double x) { return s2_exp2_sum(x, 0.0); }

/* 2**n (exp(r) - 1) + (2**n - 1), with half of each power, which does not overflow. */
S2_INLINE double s2_expm1_f64(double x) {
    double y = x < -56.0 ? -56.0 : x;
    y = y > 710.0 ? 710.0 : y; /* n is 1024 there */
    double rounded = y * 0x1.71547652b82fep+0 + S2_ROUND_F64, n = rounded - S2_ROUND_F64;
    double high = y - n * 0x1.62e42feep-1, low = n * 0x1.a39ef35793c76p-33, r = high - low;
    double lost = (high - r) - low;
    double rest = s2_exp_rest(r) + lost * (1.0 + r);
    double power = s2_from_bits_f64((s2_bits_f64(rounded) - (0x4338000000000000u - 1022)) << 52);
    /* The larger of the two leading terms first: what the sum of both loses goes to the rest. */
    double term = power * r, base = power - 0.5, sum = base + term;
    double back = sum - base, error = (base - (sum - back)) + (term - back);
    double scaled = 2.0 * (sum + (error + power * rest));
    return s2_signed_f64(fabs(n == 0.0 ? r + rest : scaled), x);
}

/* With half of the power, which does not overflow. */
S2_INLINE float s2_expm1_f32(float x) {
    float y = x < -20.0f ? -20.0f : x;
    s2_exp_parts e = s2_exp_parts_f32(y > 89.0f ? 89.0f : y);
    float half = s2_power_f32(e.rounded, 0x3f000000u);
    float value = 2.0f * s2_fma_f32(half, e.excess, half - 0.5f);
    return s2_signed_f32(fabsf(e.n == 0.0f ? e.excess : value), x);
}

S2_INLINE float s2_sigmoid_f32(float x) {
    float small = s2_exp_f32(-fabsf(x)), whole = 1.0f + small, lost = small - (whole - 1.0f);
    float value = (x < 0.0f ? small : 1.0f) / whole;
    /* 1 / whole, nearly. */
    return s2_fma_f32(-value, lost * (x < 0.0f ? 1.0f - value : value), value);
}

S2_INLINE double s2_sigmoid_f64(double x) {
    double small = s2_exp_f64(-fabs(x)), whole = 1.0 + small, lost = small - (whole - 1.0);
    double value = (x < 0.0 ? small : 1.0) / whole;
    return value - value * (lost * (x < 0.0 ? 1.0 - value : value));
}

#endif
