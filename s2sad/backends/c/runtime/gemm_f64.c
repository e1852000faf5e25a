/* Products of matrices of f64. */
#define S2_REAL double
#define S2_LANE int64_t
#define S2_NAME(what) s2_##what##_f64
#include "engine.h"
#include "pack.h"

S2_DEFINE_PACK(f64, double, )
