/* Convolutions of f32, and of f16 and bf16, which are widened while they are copied. */
#include "narrow.h"

#define S2_REAL float
#define S2_REAL_BYTES 4
#define S2_LANE int32_t
#define S2_NAME(what) s2_##what##_f32
#include "conv_engine.h"

S2_DEFINE_WIDEN(copy, float, )
S2_DEFINE_WIDEN(widen_f16, uint16_t, s2_f16_to_f32)
S2_DEFINE_WIDEN(widen_bf16, uint16_t, s2_bf16_to_f32)

static const kind F16 = {2, s2_pack_f16, s2_round_f16, widen_f16};
static const kind BF16 = {2, s2_pack_bf16, s2_round_bf16, widen_bf16};
static const kind F32 = {4, s2_pack_f32, NULL, copy};

S2_DEFINE_CONV(f16, F16)
S2_DEFINE_CONV(bf16, BF16)
S2_DEFINE_CONV(f32, F32)
