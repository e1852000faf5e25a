/* Convolutions of f64. */
#define S2_REAL double
#define S2_REAL_BYTES 8
#define S2_LANE int64_t
#define S2_NAME(what) s2_##what##_f64
#include "conv_engine.h"

S2_DEFINE_WIDEN(copy, double, )

static const kind F64 = {8, s2_pack_f64, NULL, copy};

S2_DEFINE_CONV(f64, F64)
