/* What is a product of matrices, for each place along the axes before the last two? */
#ifndef S2_GEMM_H
#define S2_GEMM_H

#include "product.h"

typedef struct {
    int64_t m, n, k;
    int64_t a_row, a_col, b_row, b_col; /* strides in elements; C is contiguous */
    int64_t rank;                       /* of the batch */
    const int64_t (*batch)[3];          /* size, stride in A, stride in B of each axis */
    s2_epilogue epilogue;
    void *epilogue_data;
    bool loose; /* see s2_sums */
} s2_matmul;

/* Results: 0, or 2 where no memory is left. Narrow floats are summed in f32 and rounded once,
 * integers wrap. The sums of an element are in the same order whatever the number of threads. */
S2_API int s2_matmul_f16(const s2_matmul *what, const void *a, const void *b, void *c);
S2_API int s2_matmul_bf16(const s2_matmul *what, const void *a, const void *b, void *c);
S2_API int s2_matmul_f32(const s2_matmul *what, const void *a, const void *b, void *c);
S2_API int s2_matmul_f64(const s2_matmul *what, const void *a, const void *b, void *c);
S2_API int s2_matmul_i8(const s2_matmul *what, const void *a, const void *b, void *c);
S2_API int s2_matmul_i16(const s2_matmul *what, const void *a, const void *b, void *c);
S2_API int s2_matmul_i32(const s2_matmul *what, const void *a, const void *b, void *c);
S2_API int s2_matmul_i64(const s2_matmul *what, const void *a, const void *b, void *c);
S2_API int s2_matmul_u8(const s2_matmul *what, const void *a, const void *b, void *c);

#endif
