/* How are convolutions and their gradients computed, in one type?
 *
 * Included by conv_f32.c and conv_f64.c, which define S2_REAL, S2_REAL_BYTES, S2_LANE and S2_NAME.
 * Images lie in frames (conv_frames.h), in which the windows of a row follow each other.
 *
 *   conv              rows     lanes of vectors are windows of a row: sums stand where they belong
 *                     lanes    lanes of vectors are filters: windows are multiplied as they stand
 *                     sliding  few filters: windows that follow each other in the frame are columns
 *                              of B as they stand; those over the end of a row count for nothing
 *                     packed   all else: patches are packed straight into the panels of B
 *   conv_input_grad   strips   windows step by one, few taps: lanes are channels at the taps of a column
 *                     columns  the transposed product, of which columns are added onto a frame
 *   conv_filter_grad  lanes    the same as of conv, over the cotangents with filters as lanes
 *                     dots     few filters: dot products of rows of windows
 *                     packed   all else, by panels of patches
 *
 * The last sums over parts of the images, then over these.
 */
#include "conv.h"
#include "vectors.h"

#include "weave.h"

#include "conv_frames.h"

#include "conv_patches.h"

#include "conv_lanes.h"

#include "conv_rows.h"

#include "conv_forward.h"

#include "conv_strips.h"

#include "conv_input_grad.h"

#include "conv_filter_grad.h"

#define S2_DEFINE_WIDEN(name, STORED, WIDEN)                                                       \
    static void name(S2_REAL *to, const void *stored, int64_t count, int64_t step)                 \
    {                                                                                              \
        const STORED *from = stored;                                                               \
        if (step == 1)                                                                             \
            for (int64_t i = 0; i < count; i++)                                                    \
                to[i] = WIDEN(from[i]);                                                            \
        else                                                                                       \
            for (int64_t i = 0; i < count; i++)                                                    \
                to[i] = WIDEN(from[i * step]);                                                     \
    }

#define S2_DEFINE_CONV(name, KIND)                                                                 \
    int s2_conv_##name(const s2_conv *what, const void *x, const void *w, void *y)                 \
    {                                                                                              \
        return convolve(&KIND, what, x, w, y);                                                     \
    }                                                                                              \
    int s2_conv_input_grad_##name(const s2_conv *what, const void *dy, const void *w, void *dx)    \
    {                                                                                              \
        return input_grad(&KIND, what, dy, w, dx);                                                 \
    }                                                                                              \
    int s2_conv_filter_grad_##name(const s2_conv *what, const void *x, const void *dy, void *dw)   \
    {                                                                                              \
        return filter_grad(&KIND, what, x, dy, dw);                                                \
    }
