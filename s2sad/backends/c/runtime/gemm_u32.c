/* Products of matrices of integers of up to 32 bits: the low bits of sums modulo 2^32. */
#define S2_REAL uint32_t
#define S2_LANE int32_t
#define S2_NAME(what) s2_##what##_u32
#include "engine.h"
#include "pack.h"

S2_DEFINE_PACK(i8, uint8_t, )
S2_DEFINE_PACK(i16, uint16_t, )
S2_DEFINE_PACK(i32, uint32_t, )
S2_DEFINE_ROUND(i8, uint8_t, (uint8_t))
S2_DEFINE_ROUND(i16, uint16_t, (uint16_t))
