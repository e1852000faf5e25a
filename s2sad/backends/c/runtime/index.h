/* Which rows do indices name, and how are those read, replaced or added to?
 *
 * A negative index counts from the end. Where one is out of range, all give 1; those that write
 * have written nothing then. */
#ifndef S2_INDEX_H
#define S2_INDEX_H

#include "shape.h"

/* Types of indices. */
typedef enum { S2_INDEX_I8, S2_INDEX_I16, S2_INDEX_I32, S2_INDEX_I64, S2_INDEX_U8 } s2_index_type;

/* Places that indices name, one after the other, in a tensor of which some axes are `sizes`.
 *
 * With an `axis` of -1, `depth` indices a place stand side by side, and the place is a row of those
 * axes taken as one. Else the indices have `shape`, as many axes as the tensor: each names the
 * element that has it along `axis`, and its own place along the others. */
typedef struct {
    const void *indices;
    s2_index_type type;
    int axis, depth;
    int64_t count;
    const int64_t *sizes, *shape;
} s2_named;

/* 1 if an index is out of range. */
S2_API int s2_check(const s2_named *named);

/* Rows [begin, end) of y, of `row` bytes: those that are named, of the first `size` rows of x, then
 * of the next `size` ones, and so on. */
S2_API int s2_take(const void *x, const s2_named *named, void *y, int64_t size, int64_t row,
                   int64_t begin, int64_t end);

/* x, `outer` times `size` rows, with the rows of `updates` in place of those that are named; the
 * last one counts. y may be x. */
S2_API int s2_set(const void *x, const s2_named *named, const void *updates, void *y, int64_t outer,
                  int64_t size, int64_t row);

/* x, `outer` times `size` rows of `inner` elements, with the rows of `updates` added to those that
 * are named, in this order; narrow floats are rounded once. y may be x. */
#define S2_ADD(dtype)                                                                              \
    S2_API int s2_add_##dtype(const void *x, const s2_named *named, const void *updates, void *y,  \
                              int64_t outer, int64_t size, int64_t inner);                         \
    /* y += x along all `axes`, whose strides are in elements. */                                  \
    S2_API int s2_add_axes_##dtype(const void *x, void *y, int count, const s2_axis *axes);
S2_ADD(f16)
S2_ADD(bf16)
S2_ADD(f32)
S2_ADD(f64)
S2_ADD(i8)
S2_ADD(i16)
S2_ADD(i32)
S2_ADD(i64)
S2_ADD(u8)
#undef S2_ADD

/* Which element is the first of a window of `shape` that starts at `starts` in a tensor of `sizes`;
 * -1 where it does not lie inside. */
S2_API int64_t s2_window(int count, const int64_t *starts, const int64_t *sizes,
                         const int64_t *shape);

#endif
