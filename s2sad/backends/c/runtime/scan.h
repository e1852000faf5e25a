/* What has been gathered so far along an axis, at each of its places?
 *
 * Tensors are `outer` times `n` times `inner` elements; the axis is the middle one, gone through
 * from the last place to the first with `reverse`. All give 0. */
#ifndef S2_SCAN_H
#define S2_SCAN_H

#include "s2sad.h"

/* Sums and products, of narrow floats in float, each rounded; with `exclusive` without the element
 * at the place itself. */
#define S2_SCANS(dtype)                                                                            \
    S2_API int s2_cumsum_##dtype(const void *x, void *y, int64_t outer, int64_t n, int64_t inner,  \
                                 bool reverse, bool exclusive);                                    \
    S2_API int s2_cumprod_##dtype(const void *x, void *y, int64_t outer, int64_t n, int64_t inner, \
                                  bool reverse, bool exclusive);                                   \
    /* Extremes, of equal ones the latest, NaN before all; and their places. */                    \
    S2_API int s2_cummax_##dtype(const void *x, void *y, int64_t *places, int64_t outer,           \
                                 int64_t n, int64_t inner, bool reverse);                          \
    S2_API int s2_cummin_##dtype(const void *x, void *y, int64_t *places, int64_t outer,           \
                                 int64_t n, int64_t inner, bool reverse);
S2_SCANS(f16)
S2_SCANS(bf16)
S2_SCANS(f32)
S2_SCANS(f64)
S2_SCANS(i8)
S2_SCANS(i16)
S2_SCANS(i32)
S2_SCANS(i64)
S2_SCANS(u8)
#undef S2_SCANS

/* y[k] = addend[k] + factor[k] * y[k-1]; of narrow floats in float, each rounded. */
#define S2_RECURRENCE(dtype)                                                                       \
    S2_API int s2_linear_recurrence_##dtype(const void *factor, const void *addend, void *y,       \
                                            int64_t outer, int64_t n, int64_t inner,               \
                                            bool reverse);
S2_RECURRENCE(f16)
S2_RECURRENCE(bf16)
S2_RECURRENCE(f32)
S2_RECURRENCE(f64)
#undef S2_RECURRENCE

#endif
