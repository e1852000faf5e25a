/* What is left of a tensor when axes are taken away?
 *
 * `sizes` are kept and reduced sizes in turns, as of neighbouring axes merged: 2 * pairs + 1
 * numbers, kept ones first and last. Sums and products of floats are made of blocks, in an order
 * that depends on the sizes only; f16 and bf16 are computed as float and rounded once. They give 0,
 * or 1 where no memory is left. */
#ifndef S2_REDUCE_H
#define S2_REDUCE_H

#include "s2sad.h"

#define S2_REDUCTION(what, dtype, type)                                                            \
    S2_API int s2_reduce_##what##_##dtype(                                                         \
        const type *x, type *y, int pairs, const int64_t *sizes);
#define S2_PLACE(what, dtype, type)                                                                \
    S2_API int s2_##what##_##dtype(                                                                \
        const type *x, int64_t *y, int64_t outer, int64_t n, int64_t inner);
#define S2_REDUCTIONS(dtype, type)                                                                 \
    S2_REDUCTION(sum, dtype, type)                                                                 \
    S2_REDUCTION(prod, dtype, type)                                                                \
    S2_REDUCTION(max, dtype, type)                                                                 \
    S2_REDUCTION(min, dtype, type)                                                                 \
    S2_PLACE(argmax, dtype, type)                                                                  \
    S2_PLACE(argmin, dtype, type)
S2_REDUCTIONS(f16, uint16_t)
S2_REDUCTIONS(bf16, uint16_t)
S2_REDUCTIONS(f32, float)
S2_REDUCTIONS(f64, double)
S2_REDUCTIONS(i8, int8_t)
S2_REDUCTIONS(i16, int16_t)
S2_REDUCTIONS(i32, int32_t)
S2_REDUCTIONS(i64, int64_t)
S2_REDUCTIONS(u8, uint8_t)
S2_REDUCTION(any, bool, uint8_t)
S2_REDUCTION(all, bool, uint8_t)
#undef S2_REDUCTIONS
#undef S2_PLACE
#undef S2_REDUCTION

#endif
