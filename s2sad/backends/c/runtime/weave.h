/* How are squares of LANES vectors turned, so that lanes become vectors?
 *
 * Behind vectors.h, S2_REAL_BYTES being the size of S2_REAL. Halves of two vectors are woven, log2(LANES) times. */

/* The first halves of x and y, alternating, and the last ones. */
#if S2_VECTOR_BYTES / S2_REAL_BYTES == 16
#define WEAVE_FIRST(x, y)                                                                          \
    SHUFFLE(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define WEAVE_LAST(x, y)                                                                           \
    SHUFFLE(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#elif S2_VECTOR_BYTES / S2_REAL_BYTES == 8
#define WEAVE_FIRST(x, y) SHUFFLE(x, y, 0, 8, 1, 9, 2, 10, 3, 11)
#define WEAVE_LAST(x, y) SHUFFLE(x, y, 4, 12, 5, 13, 6, 14, 7, 15)
#elif S2_VECTOR_BYTES / S2_REAL_BYTES == 4
#define WEAVE_FIRST(x, y) SHUFFLE(x, y, 0, 4, 1, 5)
#define WEAVE_LAST(x, y) SHUFFLE(x, y, 2, 6, 3, 7)
#else
#define WEAVE_FIRST(x, y) SHUFFLE(x, y, 0, 2)
#define WEAVE_LAST(x, y) SHUFFLE(x, y, 1, 3)
#endif

/* x[i][l] to x[l][i]. */
static inline __attribute__((always_inline)) void turn_square(vector x[LANES])
{
    vector y[LANES];
#pragma GCC unroll 4
    for (int done = 1; done < LANES; done *= 2) {
#pragma GCC unroll 16
        for (int i = 0; i < LANES / 2; i++) {
            y[2 * i] = WEAVE_FIRST(x[i], x[i + LANES / 2]);
            y[2 * i + 1] = WEAVE_LAST(x[i], x[i + LANES / 2]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++)
            x[i] = y[i];
    }
}
