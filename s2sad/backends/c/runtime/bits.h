/* How are the bits of a float read, written and chosen between without a branch? */
#ifndef S2SAD_BITS_H
#define S2SAD_BITS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Also where there are many calls: only loops over functions that are inlined are vectorised. */
#define S2_INLINE static inline __attribute__((always_inline))

S2_INLINE uint32_t s2_bits_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

S2_INLINE float s2_from_bits_f32(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

S2_INLINE uint64_t s2_bits_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

S2_INLINE double s2_from_bits_f64(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* a * b + c, rounded once. Where the processor has no such instruction the sum is one of doubles,
 * which is rounded twice, but hardly ever to another number. */
S2_INLINE float s2_fma_f32(float a, float b, float c) {
#if defined(__FP_FAST_FMAF) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return __builtin_fmaf(a, b, c);
#else
    return (float)((double)a * b + c);
#endif
}

/* `value` with its sign flipped where the highest bit of `sign` is set. */
S2_INLINE float s2_flip_f32(float value, uint32_t sign) {
    return s2_from_bits_f32(s2_bits_f32(value) ^ (sign & 0x80000000u));
}

S2_INLINE double s2_flip_f64(double value, uint64_t sign) {
    return s2_from_bits_f64(s2_bits_f64(value) ^ (sign & 0x8000000000000000u));
}

/* `value`, which is 0 or above, with the sign of `sign`. */
S2_INLINE float s2_signed_f32(float value, float sign) {
    return s2_flip_f32(value, s2_bits_f32(sign));
}

S2_INLINE double s2_signed_f64(double value, double sign) {
    return s2_flip_f64(value, s2_bits_f64(sign));
}

/* All bits where `condition` is 1, none where it is 0. */
S2_INLINE uint64_t s2_mask(int condition) { return 0u - (uint64_t)condition; }

/* `a` where the mask is set, else `b`. A `?:` on which much hangs becomes a branch, with which no
 * loop is vectorised: long selections use this. */
S2_INLINE double s2_select(uint64_t mask, double a, double b) {
    uint64_t other = s2_bits_f64(b);
    return s2_from_bits_f64(other ^ (mask & (s2_bits_f64(a) ^ other)));
}

/* The upper 21 bits: products of two such numbers are exact. */
S2_INLINE double s2_head(double x) {
    return s2_from_bits_f64(s2_bits_f64(x) & 0xffffffff00000000u);
}

/* A number as the sum of two: `high` is that sum rounded. */
typedef struct {
    double high, low;
} s2_pair;

/* a + b exactly, where |a| >= |b| or a is 0 (Dekker, Numerische Mathematik 18, 1971). */
S2_INLINE s2_pair s2_fast_sum(double a, double b) {
    double high = a + b;
    return (s2_pair){high, b - (high - a)};
}

/* The upper 26 bits, and the rest; |a| is below 2**996. */
S2_INLINE s2_pair s2_split(double a) {
    double scaled = a * 134217729.0, high = scaled - (scaled - a);
    return (s2_pair){high, a - high};
}

/* a * b exactly, where nothing overflows and no part is subnormal (Dekker). */
S2_INLINE s2_pair s2_product(double a, double b) {
    s2_pair x = s2_split(a), y = s2_split(b);
    double high = a * b;
    return (s2_pair){
        high, ((x.high * y.high - high) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

#endif
