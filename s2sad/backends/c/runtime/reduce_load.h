/* As what are the elements of a line folded?
 *
 * Static functions for the units that include this: `n` elements of `x` in the dtype that is
 * computed in. Extremes of all dtypes are the largest of integers (order.h): for the smallest, of
 * complements. */
#ifndef S2_REDUCE_LOAD_H
#define S2_REDUCE_LOAD_H

#include "narrow.h"
#include "order.h"

typedef void (*s2_load)(const void *x, int64_t n, void *y);

/* `expression` of the element `bits`, for each; it may be in place. */
#define S2_LOAD(name, from, to, expression)                                                        \
    __attribute__((unused)) static void name(const void *x, int64_t n, void *y)                    \
    {                                                                                              \
        const char *elements = x;                                                                  \
        char *results = y;                                                                         \
        S2_IVDEP                                                                                   \
        for (int64_t i = 0; i < n; i++) {                                                          \
            from bits;                                                                             \
            memcpy(&bits, elements + i * (int64_t)sizeof bits, sizeof bits);                       \
            to result = (to)(expression);                                                          \
            memcpy(results + i * (int64_t)sizeof result, &result, sizeof result);                  \
        }                                                                                          \
    }
/* NaN is what is looked for, whether it is the largest or the smallest. */
#define S2_LOADS(dtype, integer, largest)                                                          \
    S2_LOAD(load_order_##dtype, integer, integer, s2_order_##dtype(bits))                          \
    S2_LOAD(load_rank_##dtype, integer, integer, s2_rank_##dtype(bits))                            \
    S2_LOAD(load_order_down_##dtype, integer, integer,                                             \
            s2_order_##dtype(bits) == largest ? largest : ~s2_order_##dtype(bits))                 \
    S2_LOAD(load_rank_down_##dtype, integer, integer,                                              \
            s2_rank_##dtype(bits) == largest ? largest : ~s2_rank_##dtype(bits))                   \
    S2_LOAD(store_order_##dtype, integer, integer, s2_unorder_##dtype(bits))                       \
    S2_LOAD(store_order_down_##dtype, integer, integer,                                            \
            s2_unorder_##dtype(bits == largest ? largest : (integer)~bits))
S2_LOADS(f16, int16_t, INT16_MAX)
S2_LOADS(bf16, int16_t, INT16_MAX)
S2_LOADS(f32, int32_t, INT32_MAX)
S2_LOADS(f64, int64_t, INT64_MAX)
#undef S2_LOADS

S2_LOAD(load_down_i8, int8_t, int8_t, ~bits)
S2_LOAD(load_down_i16, int16_t, int16_t, ~bits)
S2_LOAD(load_down_i32, int32_t, int32_t, ~bits)
S2_LOAD(load_down_i64, int64_t, int64_t, ~bits)
S2_LOAD(load_down_u8, uint8_t, uint8_t, ~bits)

S2_LOAD(load_f16, uint16_t, float, s2_f16_to_f32(bits))
S2_LOAD(load_bf16, uint16_t, float, s2_bf16_to_f32(bits))
S2_LOAD(store_f16, float, uint16_t, s2_f32_to_f16(bits))
S2_LOAD(store_bf16, float, uint16_t, s2_f32_to_bf16(bits))
#undef S2_LOAD

#endif
