/* How are windows that slide over planes reduced?
 *
 * Planes have three axes, the first ones of size 1 where there are fewer. Every window of
 * `max_pool` has a member. Sums add members in row-major order, gradients in that of the places in
 * windows. All give 0, or 1 where no memory is left. */
#ifndef S2_POOL_H
#define S2_POOL_H

#include "s2sad.h"

typedef struct {
    int64_t size[3], kernel[3], stride[3], before[3], dilation[3], count[3];
} s2_windows;

/* `divisor` of the sums; 0 for the number of members. */
#define S2_MAX_POOL(dtype, type)                                                                   \
    S2_API int s2_max_pool_##dtype(                                                                \
        const type *x, type *y, int64_t planes, const s2_windows *w);                              \
    S2_API int s2_max_pool_argmax_##dtype(                                                         \
        const type *x, int64_t *y, int64_t planes, const s2_windows *w);
#define S2_POOL(dtype, type)                                                                       \
    S2_MAX_POOL(dtype, type)                                                                       \
    S2_API int s2_max_pool_grad_##dtype(                                                           \
        const type *x, const type *dy, type *dx, int64_t planes, const s2_windows *w);             \
    S2_API int s2_avg_pool_##dtype(                                                                \
        const type *x, type *y, int64_t planes, const s2_windows *w, double divisor);              \
    S2_API int s2_avg_pool_grad_##dtype(                                                           \
        const type *dy, type *dx, int64_t planes, const s2_windows *w, double divisor);
S2_POOL(f16, uint16_t)
S2_POOL(bf16, uint16_t)
S2_POOL(f32, float)
S2_POOL(f64, double)
S2_MAX_POOL(i8, int8_t)
S2_MAX_POOL(i16, int16_t)
S2_MAX_POOL(i32, int32_t)
S2_MAX_POOL(i64, int64_t)
S2_MAX_POOL(u8, uint8_t)
#undef S2_POOL
#undef S2_MAX_POOL

#endif
