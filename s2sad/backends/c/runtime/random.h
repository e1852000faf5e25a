/* Which random numbers does a state give?
 *
 * Philox4x32-10, as s2sad/prims/kernels/philox.py says: which words an element takes depends on its
 * place only. `state` and `after` are the key and the two halves of the counter. All give 0, or 1
 * where they failed. */
#ifndef S2_RANDOM_H
#define S2_RANDOM_H

#include "s2sad.h"

#define S2_DRAWS(dtype, type)                                                                      \
    S2_API int s2_random_uniform_##dtype(                                                          \
        const int64_t *state, type *y, int64_t *after, int64_t n);                                 \
    S2_API int s2_random_normal_##dtype(                                                           \
        const int64_t *state, type *y, int64_t *after, int64_t n);
S2_DRAWS(f16, uint16_t)
S2_DRAWS(bf16, uint16_t)
S2_DRAWS(f32, float)
S2_DRAWS(f64, double)
#undef S2_DRAWS

S2_API int s2_random_bits(const int64_t *state, int32_t *y, int64_t *after, int64_t n);
/* From `low` to `high` - 1; fails where there is none. */
S2_API int s2_random_int(
    const int64_t *state, int64_t low, int64_t high, int64_t *y, int64_t *after, int64_t n);
/* Fails where no memory is left. */
S2_API int s2_random_permutation(const int64_t *state, int64_t *y, int64_t *after, int64_t n);
S2_API int s2_random_fold(const int64_t *state, int64_t data, int64_t *after);

#endif
