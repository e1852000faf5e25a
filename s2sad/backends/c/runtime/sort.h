/* In which order do elements stand along an axis, and where would others belong?
 *
 * NaN is the largest, equal elements keep their order. All give 0, or 1 where no memory is left. */
#ifndef S2_SORT_H
#define S2_SORT_H

#include "s2sad.h"

/* s2_sort: the first `k` of the `n` elements of x[outer][n][inner] in order, or in descending
 * order, to values[outer][k][inner], and where they stood to `indices`.
 * s2_searchsorted: how many of ordered[lines][n] are smaller than each of x[lines][m], or not
 * larger where `right`. */
#define S2_SORTS(dtype, type)                                                                      \
    S2_API int s2_sort_##dtype(                                                                    \
        const type *x, type *values, int64_t *indices, int64_t outer, int64_t n, int64_t inner,    \
        int64_t k, bool descending);                                                               \
    S2_API int s2_searchsorted_##dtype(                                                            \
        const type *ordered, const type *x, int64_t *y, int64_t lines, int64_t n, int64_t m,       \
        bool right);
S2_SORTS(f16, uint16_t)
S2_SORTS(bf16, uint16_t)
S2_SORTS(f32, float)
S2_SORTS(f64, double)
S2_SORTS(i8, int8_t)
S2_SORTS(i16, int16_t)
S2_SORTS(i32, int32_t)
S2_SORTS(i64, int64_t)
S2_SORTS(u8, uint8_t)
#undef S2_SORTS

/* The numbers 0 to n - 1 in the order of their keys, which may be changed. */
S2_API int s2_order_of_keys(uint64_t *keys, int64_t *order, int64_t n);

#endif
