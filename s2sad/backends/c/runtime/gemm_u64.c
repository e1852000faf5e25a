/* Products of matrices of integers of 64 bits, modulo 2^64. */
#define S2_REAL uint64_t
#define S2_LANE int64_t
#define S2_NAME(what) s2_##what##_u64
#include "engine.h"
#include "pack.h"

S2_DEFINE_PACK(i64, uint64_t, )
