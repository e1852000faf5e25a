/* Products of matrices of f32, and of f16 and bf16, which are widened while they are packed. */
#include "narrow.h"

#define S2_REAL float
#define S2_LANE int32_t
#define S2_NAME(what) s2_##what##_f32
#include "engine.h"
#include "pack.h"

S2_DEFINE_PACK(f32, float, )
S2_DEFINE_PACK(f16, uint16_t, s2_f16_to_f32)
S2_DEFINE_PACK(bf16, uint16_t, s2_bf16_to_f32)
S2_DEFINE_ROUND(f16, uint16_t, s2_f32_to_f16)
S2_DEFINE_ROUND(bf16, uint16_t, s2_f32_to_bf16)
