/* Which integers stand in the order of numbers?
 *
 * NaN of either sign is the largest. `order` tells -0.0 from the larger 0.0, `rank` does not. The
 * complement of such an integer gives the opposite order. */
#ifndef S2_ORDER_H
#define S2_ORDER_H

#include "s2sad.h"

/* A float's bits as an integer: its sign, and below it what grows with its size. */
#define S2_ORDER(dtype, integer, largest, infinity, quiet)                                         \
    static inline integer s2_order_##dtype(integer bits)                                           \
    {                                                                                              \
        integer mirrored = bits < 0 ? (integer)(bits ^ largest) : bits;                            \
        return (bits & largest) > infinity ? largest : mirrored;                                   \
    }                                                                                              \
    static inline integer s2_rank_##dtype(integer bits)                                            \
    {                                                                                              \
        integer size = (integer)(bits & largest), ranked = bits < 0 ? (integer)-size : size;       \
        return size > infinity ? largest : ranked;                                                 \
    }                                                                                              \
    /* Bits of the float whose `order` it is. */                                                   \
    static inline integer s2_unorder_##dtype(integer order)                                        \
    {                                                                                              \
        integer bits = order < 0 ? (integer)(order ^ largest) : order;                             \
        return order == largest ? quiet : bits;                                                    \
    }
S2_ORDER(f16, int16_t, INT16_MAX, 0x7C00, 0x7E00)
S2_ORDER(bf16, int16_t, INT16_MAX, 0x7F80, 0x7FC0)
S2_ORDER(f32, int32_t, INT32_MAX, 0x7F800000, 0x7FC00000)
S2_ORDER(f64, int64_t, INT64_MAX, 0x7FF0000000000000, 0x7FF8000000000000)
#undef S2_ORDER

#endif
