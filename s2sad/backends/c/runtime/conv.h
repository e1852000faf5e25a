/* What are a convolution over one to three spatial axes and its two gradients? */
#ifndef S2_CONV_H
#define S2_CONV_H

#include "product.h"

/* Missing axes come first, with a size, count, kernel, stride and dilation of 1. */
typedef struct {
    int64_t batch, channels, filters, groups;
    int64_t size[3];     /* of the input */
    int64_t count[3];    /* of the windows: of the output */
    int64_t kernel[3], stride[3], dilation[3];
    int64_t before[3];   /* zeros before the input */
    s2_epilogue epilogue; /* over the result: batch, channel, position (conv, conv_input_grad);
                           * 0, filter, element of the filter (conv_filter_grad) */
    void *epilogue_data;
} s2_conv;

/* x: (batch, channels, size); w: (filters, channels / groups, kernel); y: (batch, filters, count).
 * Results: 0, or 2 where no memory is left. Narrow floats are summed in f32 and rounded once. The
 * sums of an element are in the same order whatever the number of threads. */
#define S2_DECLARE_CONV(name)                                                                      \
    S2_API int s2_conv_##name(const s2_conv *what, const void *x, const void *w, void *y);         \
    S2_API int s2_conv_input_grad_##name(const s2_conv *what, const void *dy, const void *w,       \
                                         void *dx);                                                \
    S2_API int s2_conv_filter_grad_##name(const s2_conv *what, const void *x, const void *dy,      \
                                          void *dw);
S2_DECLARE_CONV(f16)
S2_DECLARE_CONV(bf16)
S2_DECLARE_CONV(f32)
S2_DECLARE_CONV(f64)

/* The same by Winograd's tiles: for one group of filters of 3 by 3 taps side by side, strides of 1,
 * two axes or fewer, and at most 2 zeros before and behind. Sums have another order and error. */
S2_API int s2_conv_winograd_f32(const s2_conv *what, const void *x, const void *w, void *y);
S2_API int s2_conv_input_grad_winograd_f32(const s2_conv *what, const void *dy, const void *w,
                                           void *dx);
S2_API int s2_conv_filter_grad_winograd_f32(const s2_conv *what, const void *x, const void *dy,
                                            void *dw);

#endif
