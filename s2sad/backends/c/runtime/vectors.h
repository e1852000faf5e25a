/* What are vectors of S2_REAL? S2_LANE is the integer of its size. */
#include "shuffle.h"
#include "tiles.h"

enum { LANES = S2_VECTOR_BYTES / sizeof(S2_REAL) };

typedef S2_REAL vector __attribute__((vector_size(S2_VECTOR_BYTES)));
/* Somewhere in memory, at an element. */
typedef S2_REAL loose
    __attribute__((vector_size(S2_VECTOR_BYTES), aligned(sizeof(S2_REAL)), may_alias));

/* The sum of its lanes. */
static inline S2_REAL across(vector x)
{
    S2_REAL parts[LANES];
    memcpy(parts, &x, sizeof x);
    for (int half = LANES / 2; half; half /= 2)
        for (int l = 0; l < half; l++)
            parts[l] += parts[l + half];
    return parts[0];
}

typedef S2_REAL four __attribute__((vector_size(4 * sizeof(S2_REAL))));

/* x[l][d] to x[d][l]. */
static inline __attribute__((always_inline)) void turn(four x[4])
{
    four a = SHUFFLE(x[0], x[1], 0, 4, 1, 5), b = SHUFFLE(x[0], x[1], 2, 6, 3, 7);
    four c = SHUFFLE(x[2], x[3], 0, 4, 1, 5), d = SHUFFLE(x[2], x[3], 2, 6, 3, 7);
    x[0] = SHUFFLE(a, c, 0, 1, 4, 5);
    x[1] = SHUFFLE(a, c, 2, 3, 6, 7);
    x[2] = SHUFFLE(b, d, 0, 1, 4, 5);
    x[3] = SHUFFLE(b, d, 2, 3, 6, 7);
}

/* The sum of the lanes of each of four vectors. */
static inline __attribute__((always_inline)) void across_each(const vector x[4], S2_REAL to[4])
{
    four sums[4];
    for (int i = 0; i < 4; i++) {
        four parts[LANES / 4 ? LANES / 4 : 1];
        if (LANES < 4)
            sums[i] = (four){across(x[i])};
        else {
            memcpy(parts, &x[i], sizeof parts);
            sums[i] = parts[0];
            for (int l = 1; l < LANES / 4; l++)
                sums[i] += parts[l];
        }
    }
    turn(sums);
    sums[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    memcpy(to, &sums[0], sizeof sums[0]);
}
