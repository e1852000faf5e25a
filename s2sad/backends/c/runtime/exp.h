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

S2_INLINE float s2_exp_f32(float x) {
    x = x < -104.0f ? -104.0f : x;
    x = x > 89.0f ? 89.0f : x;
    float rounded = x * 0x1.715476p+0f + S2_ROUND_F32, n = rounded - S2_ROUND_F32;
    float high = x - n * 0x1.62e4p-1f, low = n * 0x1.7f7d1cp-20f, r = high - low;
    float p = 0x1.123b9cp-7f + r * 0x1.6dc576p-10f;
    p = 0x1p-1f + r * (0x1.55548ep-3f + r * (0x1.55544cp-5f + r * p));
    /* What `r` and 1 + r lose goes to the rest: sigmoid and pow need so much. */
    float sum = 1.0f + r, rest = r * r * p + ((high - r) - low) + (r - (sum - 1.0f));
    return s2_scale_f32(sum + rest, (int32_t)(s2_bits_f32(rounded) - 0x4b400000u));
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
    float p = 0x1.3b2a72p-7f + r * (0x1.5f4eaap-10f + r * 0x1.43eb5cp-13f);
    p = 0x1.62e43p-1f + r * (0x1.ebfbe0p-3f + r * (0x1.c6aec0p-5f + r * p));
    return s2_scale_f32(1.0f + r * p, (int32_t)(s2_bits_f32(rounded) - 0x4b400000u));
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

S2_INLINE float s2_expm1_f32(float x) { return (float)s2_expm1_f64((double)x); }

S2_INLINE float s2_sigmoid_f32(float x) {
    float small = s2_exp_f32(-fabsf(x)), whole = 1.0f + small, lost = small - (whole - 1.0f);
    float value = (x < 0.0f ? small : 1.0f) / whole;
    return value - value * (lost * (x < 0.0f ? 1.0f - value : value)); /* 1 / whole, nearly */
}

S2_INLINE double s2_sigmoid_f64(double x) {
    double small = s2_exp_f64(-fabs(x)), whole = 1.0 + small, lost = small - (whole - 1.0);
    double value = (x < 0.0 ? small : 1.0) / whole;
    return value - value * (lost * (x < 0.0 ? 1.0 - value : value));
}

#endif
