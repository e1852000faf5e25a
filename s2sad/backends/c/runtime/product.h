/* What do products of matrices and convolutions share: blocks of sums over an inner axis? */
#ifndef S2_PRODUCT_H
#define S2_PRODUCT_H

#include "s2sad.h"

/* Called once for each finished block of C, while the cache still holds it. */
typedef void (*s2_epilogue)(void *data, int64_t batch, int64_t row, int64_t col, int64_t rows,
                            int64_t cols);

typedef struct s2_lines s2_lines;

/* Copy elements [depth, depth + depths) of `count` lines from `line` on into a panel: element d
 * of line l to panel[d * width + l], 0 for the lines in [count, width). */
typedef void (*s2_pack)(const s2_lines *lines, void *panel, int64_t line, int64_t count,
                        int64_t depth, int64_t depths, int64_t width);

/* An operand as lines along the inner axis: the rows of A, the columns of B. */
struct s2_lines {
    s2_pack pack;
    const void *data;
    int64_t line, depth; /* strides in elements, where it is a matrix */
    const void *more;    /* for `pack` */
};

/* Round `count` sums into the stored dtype. */
typedef void (*s2_round)(void *stored, const void *sums, int64_t count);

/* C = A B, or C += A B. */
typedef struct {
    int64_t k;
    s2_lines a, b;
    bool a_in_place;   /* a is a matrix of the type that is computed in: it need not be packed */
    bool in_place;     /* element d of column j of b is data[d * depth + j], of the type that is
                        * computed in: it need not be packed */
    const int64_t *at; /* else, if not NULL, data[at[d] + j] */
    bool beyond;       /* a vector may be read beyond the last column, in place */
    void *c;
    int64_t c_row;     /* stride in elements */
    s2_round round;    /* NULL where C has the type that is computed in */
    size_t c_bytes;    /* of an element of C */
    bool onto;         /* C += A B; not where C is rounded */
    bool turned;       /* C is the transpose of A B; not where C is rounded, and not C += */
    bool loose;        /* C is kept nowhere: the epilogue, of which the data is a s2_tile then, is
                        * given each block. Not where C is rounded */
    s2_epilogue epilogue;
    void *epilogue_data;
    int64_t batch, row, col; /* what the epilogue is told about C's first element */
} s2_sums;

/* Compute the part of C that starts at (row, col), on this thread: 0, or 2 without memory. */
int s2_block_f32(const s2_sums *p, int64_t row, int64_t rows, int64_t col, int64_t cols);
int s2_block_f64(const s2_sums *p, int64_t row, int64_t rows, int64_t col, int64_t cols);
int s2_block_u32(const s2_sums *p, int64_t row, int64_t rows, int64_t col, int64_t cols);
int s2_block_u64(const s2_sums *p, int64_t row, int64_t rows, int64_t col, int64_t cols);

/* The same where both operands have strides of 1 along the inner axis and few lines. */
void s2_dots_f32(const s2_sums *p, int64_t row, int64_t rows, int64_t col, int64_t cols);
void s2_dots_f64(const s2_sums *p, int64_t row, int64_t rows, int64_t col, int64_t cols);
void s2_dots_u32(const s2_sums *p, int64_t row, int64_t rows, int64_t col, int64_t cols);
void s2_dots_u64(const s2_sums *p, int64_t row, int64_t rows, int64_t col, int64_t cols);

/* Panels of a matrix of the stored dtype. */
#define S2_PACK(name)                                                                              \
    void s2_pack_##name(const s2_lines *lines, void *panel, int64_t line, int64_t count,           \
                        int64_t depth, int64_t depths, int64_t width)
S2_PACK(f16);
S2_PACK(bf16);
S2_PACK(f32);
S2_PACK(f64);
S2_PACK(i8);
S2_PACK(i16);
S2_PACK(i32);
S2_PACK(i64);

void s2_round_f16(void *stored, const void *sums, int64_t count);
void s2_round_bf16(void *stored, const void *sums, int64_t count);
void s2_round_i8(void *stored, const void *sums, int64_t count);
void s2_round_i16(void *stored, const void *sums, int64_t count);

static inline int64_t s2_least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t s2_most(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t s2_ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* The size of equal parts of `size`, none above `most`. */
static inline int64_t s2_even(int64_t size, int64_t most)
{
    return s2_ceil_div(size, s2_most(1, s2_ceil_div(size, most)));
}

#endif
