/* How are half and bfloat16 bits widened to float, and floats rounded to them?
 *
 * Once, to nearest, ties to even; NaN stays NaN, with its quiet bit set. Branch-free integers, so
 * that no `_Float16` is needed. */
#ifndef S2SAD_NARROW_H
#define S2SAD_NARROW_H

#include "bits.h"

S2_INLINE float s2_bf16_to_f32(uint16_t half) { return s2_from_bits_f32((uint32_t)half << 16); }

S2_INLINE uint16_t s2_f32_to_bf16(float x) {
    uint32_t bits = s2_bits_f32(x), top = bits >> 16;
    uint32_t rounded = (bits + 0x7fffu + (top & 1u)) >> 16;
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? top | 0x40u : rounded);
}

S2_INLINE float s2_f16_to_f32(uint16_t half) {
    uint32_t size = half & 0x7fffu, moved = size << 13;
    /* A subnormal one is 2**-14 with these bits, less 2**-14. */
    float subnormal = s2_from_bits_f32(moved + 0x38800000u) - 0x1p-14f;
    uint32_t bits = moved + (size < 0x7c00u ? 0x38000000u : 0x70000000u);
    bits |= size > 0x7c00u ? 0x00400000u : 0u;
    bits = size < 0x0400u ? s2_bits_f32(subnormal) : bits;
    return s2_from_bits_f32(bits | (uint32_t)(half & 0x8000u) << 16);
}

S2_INLINE uint16_t s2_f32_to_f16(float x) {
    uint32_t bits = s2_bits_f32(x), size = bits & 0x7fffffffu;
    /* The last place of 0.5 is the smallest subnormal one. */
    uint32_t subnormal = s2_bits_f32(s2_from_bits_f32(size) + 0.5f) - 0x3f000000u;
    uint32_t half = (size + 0xfffu + (size >> 13 & 1u) - 0x38000000u) >> 13;
    half = size < 0x38800000u ? subnormal : half;
    half = size < 0x477ff000u ? half : 0x7c00u; /* from 65520 on */
    half = size > 0x7f800000u ? 0x7e00u | (size >> 13 & 0x3ffu) : half;
    return (uint16_t)(half | (bits >> 16 & 0x8000u));
}

/* float, of two the one with an odd last bit: rounding it once more, to fewer bits, is as rounding
 * `x` directly (Boldo and Melquiond, 2008). */
S2_INLINE float s2_f64_to_odd(double x) {
    float near = (float)x;
    double back = (double)near;
    uint32_t bits = s2_bits_f32(near), beyond = fabs(back) > fabs(x) ? 1u : 0u;
    uint32_t inexact = (back < x) | (back > x) ? 1u : 0u;
    return s2_from_bits_f32((bits - beyond) | inexact);
}

S2_INLINE uint16_t s2_f64_to_bf16(double x) { return s2_f32_to_bf16(s2_f64_to_odd(x)); }
S2_INLINE uint16_t s2_f64_to_f16(double x) { return s2_f32_to_f16(s2_f64_to_odd(x)); }

#endif
