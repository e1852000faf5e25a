/* How do compilers combine partial results of a loop that looks for an extreme? */
#ifndef S2SAD_FOLDS_H
#define S2SAD_FOLDS_H

#include "compare.h"

#pragma omp declare reduction(s2_maximum_f32:float : omp_out = s2_maximum_f32(omp_out, omp_in)) \
    initializer(omp_priv = -__builtin_inff())
#pragma omp declare reduction(s2_minimum_f32:float : omp_out = s2_minimum_f32(omp_out, omp_in)) \
    initializer(omp_priv = __builtin_inff())
#pragma omp declare reduction(s2_maximum_f64:double : omp_out = s2_maximum_f64(omp_out, omp_in)) \
    initializer(omp_priv = -__builtin_inf())
#pragma omp declare reduction(s2_minimum_f64:double : omp_out = s2_minimum_f64(omp_out, omp_in)) \
    initializer(omp_priv = __builtin_inf())
#pragma omp declare reduction(s2_maximum_i8:int8_t : omp_out = s2_maximum_i8(omp_out, omp_in)) \
    initializer(omp_priv = INT8_MIN)
#pragma omp declare reduction(s2_minimum_i8:int8_t : omp_out = s2_minimum_i8(omp_out, omp_in)) \
    initializer(omp_priv = INT8_MAX)
#pragma omp declare reduction(s2_maximum_i16:int16_t : omp_out = s2_maximum_i16(omp_out, omp_in)) \
    initializer(omp_priv = INT16_MIN)
#pragma omp declare reduction(s2_minimum_i16:int16_t : omp_out = s2_minimum_i16(omp_out, omp_in)) \
    initializer(omp_priv = INT16_MAX)
#pragma omp declare reduction(s2_maximum_i32:int32_t : omp_out = s2_maximum_i32(omp_out, omp_in)) \
    initializer(omp_priv = INT32_MIN)
#pragma omp declare reduction(s2_minimum_i32:int32_t : omp_out = s2_minimum_i32(omp_out, omp_in)) \
    initializer(omp_priv = INT32_MAX)
#pragma omp declare reduction(s2_maximum_i64:int64_t : omp_out = s2_maximum_i64(omp_out, omp_in)) \
    initializer(omp_priv = INT64_MIN)
#pragma omp declare reduction(s2_minimum_i64:int64_t : omp_out = s2_minimum_i64(omp_out, omp_in)) \
    initializer(omp_priv = INT64_MAX)
#pragma omp declare reduction(s2_maximum_u8:uint8_t : omp_out = s2_maximum_u8(omp_out, omp_in)) \
    initializer(omp_priv = 0)
#pragma omp declare reduction(s2_minimum_u8:uint8_t : omp_out = s2_minimum_u8(omp_out, omp_in)) \
    initializer(omp_priv = UINT8_MAX)

#endif
