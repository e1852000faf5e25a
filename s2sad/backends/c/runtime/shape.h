/* How are elements arranged anew, bit by bit, on all threads? */
#ifndef S2_SHAPE_H
#define S2_SHAPE_H

#include "s2sad.h"

/* An axis of a copy: how many there are, and how many bytes lie from one to the next. */
typedef struct {
    int64_t size, from, to;
} s2_axis;

/* Copy items of 1, 2, 4, 8 or 16 bytes along all `axes`, the last of which goes fastest. Strides of
 * 0 and below are possible. Always 0. */
S2_API int s2_copy(const void *x, void *y, int64_t item, int count, const s2_axis *axes);

/* Copy bytes, unless they lie there already. Always 0. */
S2_API int s2_copy_bytes(const void *x, void *y, int64_t bytes);

/* An axis that grows: what comes before, behind, and between two neighbours. */
typedef struct {
    int64_t size, low, high, interior;
} s2_padding;

/* Rows of `row` bytes of x, with copies of the `item` bytes of `value` around; one axis or more.
 * Always 0. */
S2_API int s2_pad(const void *x, const void *value, void *y, int64_t item, int64_t row, int count,
                  const s2_padding *axes);

/* Rows [begin, end) of `inner` elements: each the number of its row, from 0 again after `size`. */
S2_API void s2_iota_f16(uint16_t *y, int64_t size, int64_t inner, int64_t begin, int64_t end);
S2_API void s2_iota_bf16(uint16_t *y, int64_t size, int64_t inner, int64_t begin, int64_t end);
S2_API void s2_iota_f32(float *y, int64_t size, int64_t inner, int64_t begin, int64_t end);
S2_API void s2_iota_f64(double *y, int64_t size, int64_t inner, int64_t begin, int64_t end);
S2_API void s2_iota_i8(int8_t *y, int64_t size, int64_t inner, int64_t begin, int64_t end);
S2_API void s2_iota_i16(int16_t *y, int64_t size, int64_t inner, int64_t begin, int64_t end);
S2_API void s2_iota_i32(int32_t *y, int64_t size, int64_t inner, int64_t begin, int64_t end);
S2_API void s2_iota_i64(int64_t *y, int64_t size, int64_t inner, int64_t begin, int64_t end);
S2_API void s2_iota_u8(uint8_t *y, int64_t size, int64_t inner, int64_t begin, int64_t end);

#endif
