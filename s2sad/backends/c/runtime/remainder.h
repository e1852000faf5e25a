/* What are the quotient of floats, rounded down, and its remainder?
 *
 * As Python has them: the remainder has the sign of y, and the quotient is the whole number nearest
 * to (x - remainder) / y. By 0 they are x / 0 and NaN. */
#ifndef S2_REMAINDER_H
#define S2_REMAINDER_H

#include "s2sad.h"

#define S2_REMAINDER(dtype, type, f)                                                               \
    static inline type s2_mod_##dtype(type x, type y)                                              \
    {                                                                                              \
        type rest = __builtin_fmod##f(x, y);                                                       \
        type turned = (y < 0) != (rest < 0) ? rest + y : rest;                                     \
        turned = rest == 0 ? __builtin_copysign##f(0, y) : turned;                                 \
        return y == 0 ? rest : turned;                                                             \
    }                                                                                              \
    static inline type s2_floor_div_##dtype(type x, type y)                                        \
    {                                                                                              \
        type rest = __builtin_fmod##f(x, y);                                                       \
        type quotient = (x - rest) / y;                                                            \
        quotient = (rest != 0) & ((y < 0) != (rest < 0)) ? quotient - 1 : quotient;                \
        type whole = __builtin_floor##f(quotient);                                                 \
        whole = quotient - whole > (type)0.5 ? whole + 1 : whole;                                  \
        whole = quotient == 0 ? __builtin_copysign##f(0, x / y) : whole;                           \
        return y == 0 ? x / y : whole;                                                             \
    }
S2_REMAINDER(f32, float, f)
S2_REMAINDER(f64, double, )
#undef S2_REMAINDER

#endif
