/* What remains of an angle when quarter turns are taken off, however many there are?
 *
 * With the bits of 2/pi, from where the exponent says on: what is left of them without those that
 * give whole turns is multiplied exactly (Payne and Hanek, ACM SIGNUM Newsletter 18, 1983). There
 * is no branch: large arguments cost what small ones do. */
#ifndef S2SAD_ANGLE_H
#define S2SAD_ANGLE_H

#include "bits.h"

/* x is `quarters` (modulo 4) quarter turns and high + low, which is within pi/4 of 0, nearly. */
typedef struct {
    double high, low;
    uint64_t quarters;
} s2_angle;

/* 2**(e-150) 2/pi for the biased exponents e of float from 112 on, less multiples of 4: the upper
 * 29 bits, whose products with a mantissa are exact, and the rest. */
static const double s2_quarters_high[] = {
    0x1.45f306ep-39, 0x1.45f306ep-38, 0x1.45f306ep-37, 0x1.45f306ep-36, 0x1.45f306ep-35,
    0x1.45f306ep-34, 0x1.45f306ep-33, 0x1.45f306ep-32, 0x1.45f306ep-31, 0x1.45f306ep-30,
    0x1.45f306ep-29, 0x1.45f306ep-28, 0x1.45f306ep-27, 0x1.45f306ep-26, 0x1.45f306ep-25,
    0x1.45f306ep-24, 0x1.45f306ep-23, 0x1.45f306ep-22, 0x1.45f306ep-21, 0x1.45f306ep-20,
    0x1.45f306ep-19, 0x1.45f306ep-18, 0x1.45f306ep-17, 0x1.45f306ep-16, 0x1.45f306ep-15,
    0x1.45f306ep-14, 0x1.45f306ep-13, 0x1.45f306ep-12, 0x1.45f306ep-11, 0x1.45f306ep-10,
    0x1.45f306ep-9, 0x1.45f306ep-8, 0x1.45f306ep-7, 0x1.45f306ep-6, 0x1.45f306ep-5, 0x1.45f306ep-4,
    0x1.45f306ep-3, 0x1.45f306ep-2, 0x1.45f306ep-1, 0x1.45f306ep+0, -0x1.7419f24p+0, 0x1.17cc1b7p+0,
    -0x1.d067c92p+0, 0x1.7cc1b72p-2, 0x1.7cc1b72p-1, 0x1.7cc1b72p+0, -0x1.067c91bp+0,
    0x1.f306dcap+0, -0x1.9f246c7p-4, -0x1.9f246c7p-3, -0x1.9f246c7p-2, -0x1.9f246c7p-1,
    -0x1.9f246c7p+0, 0x1.836e4e4p-1, 0x1.836e4e4p+0, -0x1.f246c6fp-1, -0x1.f246c6fp+0,
    0x1.b727221p-4, 0x1.b727221p-3, 0x1.b727221p-2, 0x1.b727221p-1, 0x1.b727221p+0, -0x1.236377dp-1,
    -0x1.236377dp+0, 0x1.b939105p+0, -0x1.1b1bbebp-1, -0x1.1b1bbebp+0, 0x1.c9c882ap+0,
    -0x1.b1bbeadp-2, -0x1.b1bbeadp-1, -0x1.b1bbeadp+0, 0x1.391054ap-1, 0x1.391054ap+0,
    -0x1.8ddf56bp+0, 0x1.c882a54p-1, 0x1.c882a54p+0, -0x1.bbead6p-2, -0x1.bbead6p-1, -0x1.bbead6p+0,
    0x1.1054a7fp-1, 0x1.1054a7fp+0, -0x1.df56b02p+0, 0x1.054a7f1p-2, 0x1.054a7f1p-1, 0x1.054a7f1p+0,
    -0x1.f56b01fp+0, 0x1.529fc27p-4, 0x1.529fc27p-3, 0x1.529fc27p-2, 0x1.529fc27p-1, 0x1.529fc27p+0,
    -0x1.5ac07b1p+0, 0x1.4a7f09dp+0, -0x1.6b01ec5p+0, 0x1.29fc275p+0, -0x1.ac07b15p+0,
    0x1.4fe13acp-1, 0x1.4fe13acp+0, -0x1.603d8a8p+0, 0x1.3f84ebp+0, -0x1.80f62a1p+0, 0x1.fc2757dp-1,
    0x1.fc2757dp+0, -0x1.ec5417p-6, -0x1.ec5417p-5, -0x1.ec5417p-4, -0x1.ec5417p-3, -0x1.ec5417p-2,
    -0x1.ec5417p-1, -0x1.ec5417p+0, 0x1.3abe8fbp-3, 0x1.3abe8fbp-2, 0x1.3abe8fbp-1, 0x1.3abe8fbp+0,
    -0x1.8a82e0bp+0, 0x1.d5f47d5p-1, 0x1.d5f47d5p+0, -0x1.505c159p-2, -0x1.505c159p-1,
    -0x1.505c159p+0, 0x1.5f47d4dp+0, -0x1.4170566p+0, 0x1.7d1f535p+0, -0x1.05c1596p+0,
    0x1.f47d4d3p+0, -0x1.7056591p-4, -0x1.7056591p-3, -0x1.7056591p-2, -0x1.7056591p-1,
    -0x1.7056591p+0, 0x1.1f534dep+0, -0x1.c159644p+0, 0x1.f534ddcp-2, 0x1.f534ddcp-1,
    0x1.f534ddcp+0, -0x1.596447ep-4, -0x1.596447ep-3, -0x1.596447ep-2, -0x1.596447ep-1,
    -0x1.596447ep+0, 0x1.4d37703p+0, -0x1.65911f9p+0, 0x1.34ddc0ep+0, NAN,
};

static const double s2_quarters_low[] = {
    -0x1.b1bbead603d8bp-70, -0x1.b1bbead603d8bp-69, -0x1.b1bbead603d8bp-68, -0x1.b1bbead603d8bp-67,
    -0x1.b1bbead603d8bp-66, -0x1.b1bbead603d8bp-65, -0x1.b1bbead603d8bp-64, -0x1.b1bbead603d8bp-63,
    -0x1.b1bbead603d8bp-62, -0x1.b1bbead603d8bp-61, -0x1.b1bbead603d8bp-60, -0x1.b1bbead603d8bp-59,
    -0x1.b1bbead603d8bp-58, -0x1.b1bbead603d8bp-57, -0x1.b1bbead603d8bp-56, -0x1.b1bbead603d8bp-55,
    -0x1.b1bbead603d8bp-54, -0x1.b1bbead603d8bp-53, -0x1.b1bbead603d8bp-52, -0x1.b1bbead603d8bp-51,
    -0x1.b1bbead603d8bp-50, -0x1.b1bbead603d8bp-49, -0x1.b1bbead603d8bp-48, -0x1.b1bbead603d8bp-47,
    -0x1.b1bbead603d8bp-46, -0x1.b1bbead603d8bp-45, -0x1.b1bbead603d8bp-44, -0x1.b1bbead603d8bp-43,
    -0x1.b1bbead603d8bp-42, -0x1.b1bbead603d8bp-41, -0x1.b1bbead603d8bp-40, -0x1.b1bbead603d8bp-39,
    -0x1.b1bbead603d8bp-38, -0x1.b1bbead603d8bp-37, -0x1.b1bbead603d8bp-36, -0x1.b1bbead603d8bp-35,
    -0x1.b1bbead603d8bp-34, -0x1.b1bbead603d8bp-33, -0x1.b1bbead603d8bp-32, -0x1.b1bbead603d8bp-31,
    -0x1.b1bbead603d8bp-30, 0x1.391054a7f09d6p-31, 0x1.391054a7f09d6p-30, 0x1.c882a53f84ebp-32,
    0x1.c882a53f84ebp-31, 0x1.c882a53f84ebp-30, -0x1.bbead603d8a83p-32, -0x1.bbead603d8a83p-31,
    0x1.054a7f09d5f48p-36, 0x1.054a7f09d5f48p-35, 0x1.054a7f09d5f48p-34, 0x1.054a7f09d5f48p-33,
    0x1.054a7f09d5f48p-32, 0x1.054a7f09d5f48p-31, 0x1.054a7f09d5f48p-30, 0x1.529fc2757d1f5p-35,
    0x1.529fc2757d1f5p-34, -0x1.5ac07b1505c16p-34, -0x1.5ac07b1505c16p-33, -0x1.5ac07b1505c16p-32,
    -0x1.5ac07b1505c16p-31, -0x1.5ac07b1505c16p-30, -0x1.6b01ec5417056p-31, -0x1.6b01ec5417056p-30,
    0x1.29fc2757d1f53p-30, 0x1.4fe13abe8fa9ap-32, 0x1.4fe13abe8fa9ap-31, 0x1.4fe13abe8fa9ap-30,
    -0x1.80f62a0b82b2dp-32, -0x1.80f62a0b82b2dp-31, -0x1.80f62a0b82b2dp-30, 0x1.fc2757d1f534ep-31,
    0x1.fc2757d1f534ep-30, -0x1.ec54170565912p-36, -0x1.ec54170565912p-35, -0x1.ec54170565912p-34,
    -0x1.ec54170565912p-33, -0x1.ec54170565912p-32, -0x1.ec54170565912p-31, 0x1.3abe8fa9a6eep-34,
    0x1.3abe8fa9a6eep-33, 0x1.3abe8fa9a6eep-32, -0x1.8a82e0acb223fp-32, -0x1.8a82e0acb223fp-31,
    -0x1.8a82e0acb223fp-30, 0x1.d5f47d4d37703p-31, 0x1.5f47d4d377037p-34, 0x1.5f47d4d377037p-33,
    0x1.5f47d4d377037p-32, 0x1.5f47d4d377037p-31, 0x1.5f47d4d377037p-30, -0x1.4170565911f92p-30,
    0x1.7d1f534ddc0dbp-30, -0x1.05c1596447e49p-30, 0x1.f47d4d377036ep-30, -0x1.70565911f924fp-34,
    -0x1.70565911f924fp-33, -0x1.70565911f924fp-32, -0x1.70565911f924fp-31, -0x1.70565911f924fp-30,
    0x1.1f534ddc0db63p-30, 0x1.f534ddc0db629p-33, 0x1.f534ddc0db629p-32, -0x1.596447e493ad5p-36,
    -0x1.596447e493ad5p-35, -0x1.596447e493ad5p-34, -0x1.596447e493ad5p-33, -0x1.596447e493ad5p-32,
    -0x1.596447e493ad5p-31, -0x1.596447e493ad5p-30, -0x1.96447e493ad4dp-33, -0x1.96447e493ad4dp-32,
    -0x1.96447e493ad4dp-31, -0x1.96447e493ad4dp-30, 0x1.a6ee06db14acdp-31, -0x1.6447e493ad4cep-32,
    -0x1.6447e493ad4cep-31, -0x1.911f924eb5336p-32, -0x1.911f924eb5336p-31, -0x1.911f924eb5336p-30,
    0x1.bb81b6c52b328p-31, 0x1.bb81b6c52b328p-30, -0x1.11f924eb53362p-31, -0x1.11f924eb53362p-30,
    0x1.dc0db6295993cp-30, -0x1.f924eb53361dep-36, -0x1.f924eb53361dep-35, -0x1.f924eb53361dep-34,
    -0x1.f924eb53361dep-33, -0x1.f924eb53361dep-32, -0x1.f924eb53361dep-31, -0x1.f924eb53361dep-30,
    0x1.b6c52b3278872p-35, 0x1.b6c52b3278872p-34, 0x1.b6c52b3278872p-33, -0x1.24eb53361de38p-34,
    -0x1.24eb53361de38p-33, -0x1.24eb53361de38p-32, -0x1.24eb53361de38p-31, -0x1.24eb53361de38p-30,
    0x1.b6295993c439p-30, -0x1.275a99b0ef1bfp-31, -0x1.275a99b0ef1bfp-30, 0.0,
};

/* `low` is 0: what it would hold is beyond a float's bits. Below 2**-12, x is its own remainder. */
S2_INLINE s2_angle s2_reduce_f32(float x) {
    uint32_t bits = s2_bits_f32(x), exponent = bits >> 23 & 0xffu;
    int64_t row = (int64_t)exponent - 112;
    row &= ~(row >> 63); /* 0 where it is below, without a branch around the loads */
    double whole = (double)s2_from_bits_f32((bits & 0x807fffffu) | 0x4b000000u);
    double turns = whole * s2_quarters_high[row], rounded = turns + 0x1.8p52;
    double rest = (turns - (rounded - 0x1.8p52)) + whole * s2_quarters_low[row];
    uint64_t small = s2_mask(fabsf(x) < 0x1p-12f);
    double angle = s2_select(small, (double)x, rest * 0x1.921fb54442d18p+0);
    return (s2_angle){angle, 0.0, s2_bits_f64(rounded) & ~small};
}

/* Angles from here on are far. */
#define S2_FAR 0x1p17f

S2_INLINE int s2_is_far_f32(float x) { return fabsf(x) >= S2_FAR; }

/* The same of a float, with the remainder as a float. */
typedef struct {
    float rest;
    uint32_t quarters;
} s2_turn;

/* Of an angle that is not far: pi/2 in three parts of 24 bits (Cody and Waite). The first step is
 * exact, so the remainder is rounded twice. */
S2_INLINE s2_turn s2_near_turn_f32(float x) {
    float rounded = s2_fma_f32(x, 0x1.45f306p-1f, 0x1.8p23f), n = rounded - 0x1.8p23f;
    float rest = s2_fma_f32(n, 0x1.777a5cp-25f, s2_fma_f32(n, -0x1.921fb6p+0f, x));
    return (s2_turn){s2_fma_f32(n, 0x1.ee59dap-50f, rest), s2_bits_f32(rounded)};
}

/* Of any. */
S2_INLINE s2_turn s2_turn_f32(float x) {
    s2_turn near = s2_near_turn_f32(x);
    s2_angle far = s2_reduce_f32(x);
    uint32_t is_far = 0u - (uint32_t)s2_is_far_f32(x), bits = s2_bits_f32((float)far.high);
    uint32_t rest = (bits & is_far) | (s2_bits_f32(near.rest) & ~is_far);
    uint32_t quarters = ((uint32_t)far.quarters & is_far) | (near.quarters & ~is_far);
    return (s2_turn){s2_from_bits_f32(rest), quarters};
}

/* Of an angle that is not far, with the remainder as a double: pi/2 in 33 bits and the rest. */
S2_INLINE s2_angle s2_near_angle_f32(float x) {
    double rounded = (double)x * 0x1.45f306dc9c883p-1 + 0x1.8p52, n = rounded - 0x1.8p52;
    double angle = ((double)x - n * 0x1.921fb544p+0) - n * 0x1.0b4611a626331p-34;
    return (s2_angle){angle, 0.0, s2_bits_f64(rounded)};
}

/* Two neighbouring words, of 32 bits, of the bits of 2/pi; the first 64 bits are 0. */
static const uint64_t s2_two_by_pi[] = {
    0x0000000000000000u, 0x00000000a2f9836eu, 0xa2f9836e4e441529u, 0x4e441529fc2757d1u,
    0xfc2757d1f534ddc0u, 0xf534ddc0db629599u, 0xdb6295993c439041u, 0x3c439041fe5163abu,
    0xfe5163abdebbc561u, 0xdebbc561b7246e3au, 0xb7246e3a424dd2e0u, 0x424dd2e006492eeau,
    0x06492eea09d1921cu, 0x09d1921cfe1deb1cu, 0xfe1deb1cb129a73eu, 0xb129a73ee88235f5u,
    0xe88235f52ebb4484u, 0x2ebb4484e99c7026u, 0xe99c7026b45f7e41u, 0xb45f7e413991d639u,
    0x3991d639835339f4u, 0x835339f49c845f8bu, 0x9c845f8bbdf9283bu, 0xbdf9283b1ff897ffu,
    0x1ff897ffde05980fu, 0xde05980fef2f118bu, 0xef2f118b5a0a6d1fu, 0x5a0a6d1f6d367ecfu,
    0x6d367ecf27cb09b7u, 0x27cb09b74f463f66u, 0x4f463f669e5fea2du, 0x9e5fea2d7527bac7u,
    0x7527bac7ebe5f17bu, 0xebe5f17b3d0739f7u, 0x3d0739f78a5292eau, 0x8a5292ea6bfb5fb1u,
    0x6bfb5fb11f8d5d08u, 0x1f8d5d0856033046u, 0x56033046fc7b6babu,
};

#define S2_WORD 0xffffffffu

/* A word, below 2**32, as a double. */
S2_INLINE double s2_word(uint64_t word) {
    return s2_from_bits_f64(word | 0x4330000000000000u) - 0x1p52;
}

/* Of |x|; infinities give numbers without a meaning. */
S2_INLINE s2_angle s2_reduce_f64(double x) {
    uint64_t bits = s2_bits_f64(x) & 0x7fffffffffffffffu, exponent = bits >> 52;
    exponent = exponent < 1021u ? 1021u : exponent > 2046u ? 2046u : exponent;
    uint64_t place = exponent - 1013u, shift = place & 31u;
    const uint64_t *pair = s2_two_by_pi;
    uint64_t at = place >> 5;
    /* From the weight 2 on, to 2**-190. */
    uint64_t w0 = pair[at] << shift >> 32, w1 = pair[at + 1] << shift >> 32;
    uint64_t w2 = pair[at + 2] << shift >> 32, w3 = pair[at + 3] << shift >> 32;
    uint64_t w4 = pair[at + 4] << shift >> 32, w5 = pair[at + 5] << shift >> 32;
    uint64_t low = bits & S2_WORD, high = (bits >> 32 & 0xfffffu) | 0x100000u;
    /* Long multiplication; a4, a3, ... carry what `low` gives, t4, t3, ... the sum. */
    uint64_t a4 = low * w4 + (low * w5 >> 32), t4 = (a4 & S2_WORD) + high * w5;
    uint64_t a3 = low * w3 + (a4 >> 32), t3 = (a3 & S2_WORD) + high * w4 + (t4 >> 32);
    uint64_t a2 = low * w2 + (a3 >> 32), t2 = (a2 & S2_WORD) + high * w3 + (t3 >> 32);
    uint64_t a1 = low * w1 + (a2 >> 32), t1 = (a1 & S2_WORD) + high * w2 + (t2 >> 32);
    uint64_t t0 = (low * w0 + (a1 >> 32) + high * w1 + (t1 >> 32)) & S2_WORD;
    uint64_t quarters = (t0 + 0x20000000u) >> 30;
    /* The rest, in units of 2**-30 quarters; the uppermost word has a sign. */
    double top = s2_word((t0 - (quarters << 30) + 0x80000000u) & S2_WORD) - 0x1p31;
    s2_pair rest = s2_fast_sum(top, s2_word(t1 & S2_WORD) * 0x1p-32);
    double far = s2_word(t2 & S2_WORD) * 0x1p-64 + s2_word(t3 & S2_WORD) * 0x1p-96;
    rest = s2_fast_sum(rest.high, rest.low + far);
    s2_pair angle = s2_product(rest.high * 0x1p-30, 0x1.921fb54442d18p+0);
    angle.low += rest.high * 0x1.1a62633145c07p-84 + rest.low * 0x1.921fb54442d18p-30;
    angle = s2_fast_sum(angle.high, angle.low);
    uint64_t small = s2_mask(fabs(x) < 0x1.921fb54442d18p-1);
    angle.high = s2_select(small, fabs(x), angle.high);
    return (s2_angle){angle.high, s2_select(small, 0.0, angle.low), quarters & ~small};
}

#endif
