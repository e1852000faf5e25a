/* How are blocks of sums of products computed, in one type?
 *
 * Included once a type by gemm_<type>.c, which defines S2_REAL and S2_NAME. Operands are packed
 * into panels: element d of line l of a panel at d * width + l, so that a tile reads both in
 * order. Each element of C is summed in the order of the inner axis, in parts of S2_DEPTH, by
 * whichever tile computes it: how C is cut changes nothing.
 */
#include "product.h"
#include "vectors.h"

/* ---- tiles -------------------------------------------------------------------------------- */

/* C[i, j] of a tile; b's row d begins at b + at[d]. */
typedef void (*tile)(int64_t depth, const S2_REAL *a, const S2_REAL *b, const int64_t *at,
                     S2_REAL *c, int64_t c_row, bool onto);

static inline __attribute__((always_inline)) void
sum_tile(const int rows, const int vectors, int64_t depth, const S2_REAL *restrict a,
         const S2_REAL *restrict b, const int64_t *restrict at, S2_REAL *restrict c, int64_t c_row,
         bool onto)
{
    vector sums[S2_ROWS][S2_WIDE];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++)
            sums[i][j] = (vector){0};
    for (int64_t d = 0; d < depth; d++, a += rows) {
        const S2_REAL *row = b + at[d];
        vector y[S2_WIDE];
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++)
            y[j] = *(const loose *)(row + j * LANES);
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
            for (int j = 0; j < vectors; j++)
                sums[i][j] += a[i] * y[j];
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) {
            loose *to = (loose *)(c + i * c_row + j * LANES);
            if (onto)
                sums[i][j] += *to;
            *to = sums[i][j];
        }
}

#define TILE(rows, vectors)                                                                        \
    static void tile_##rows##_##vectors(int64_t depth, const S2_REAL *a, const S2_REAL *b,         \
                                        const int64_t *at, S2_REAL *c, int64_t c_row, bool onto)   \
    {                                                                                              \
        sum_tile(rows, vectors, depth, a, b, at, c, c_row, onto);                                  \
    }
#define NAME(rows, vectors) tile_##rows##_##vectors,

#define UP_TO_3(DO, v) DO(1, v) DO(2, v) DO(3, v)
#define UP_TO_6(DO, v) UP_TO_3(DO, v) DO(4, v) DO(5, v) DO(6, v)
#define UP_TO_8(DO, v) UP_TO_6(DO, v) DO(7, v) DO(8, v)
#define UP_TO_14(DO, v)                                                                            \
    UP_TO_8(DO, v) DO(9, v) DO(10, v) DO(11, v) DO(12, v) DO(13, v) DO(14, v)
#define JOIN(a, b) a##b
#define EACH(count, DO, v) JOIN(UP_TO_, count)(DO, v)

EACH(S2_ROWS, TILE, 1)
EACH(S2_ROWS, TILE, S2_VECTORS)
EACH(S2_FEW, TILE, S2_WIDE)

/* By the number of rows. */
static const tile NARROW[] = {NULL, EACH(S2_ROWS, NAME, 1)};
static const tile USUAL[] = {NULL, EACH(S2_ROWS, NAME, S2_VECTORS)};
static const tile BROAD[] = {NULL, EACH(S2_FEW, NAME, S2_WIDE)};

typedef struct {
    const tile *tiles; /* by rows */
    int64_t height;    /* rows of a panel of A, at most */
    int64_t width;     /* columns of a panel of B */
} shape;

static shape choose(int64_t rows, int64_t cols)
{
    int64_t height = s2_even(rows, S2_ROWS);
    if (cols <= LANES)
        return (shape){NARROW, height, LANES};
    if (height <= S2_FEW && cols > S2_VECTORS * LANES)
        return (shape){BROAD, height, S2_WIDE * LANES};
    return (shape){USUAL, height, S2_VECTORS * LANES};
}

/* A tile of fewer columns than its vectors hold, or whose C must not be written beyond them. */
static void edge(tile whole, int64_t rows, int64_t width, int64_t depth, const S2_REAL *a,
                 const S2_REAL *b, const int64_t *at, S2_REAL *c, int64_t c_row, bool onto,
                 int64_t cols)
{
    _Alignas(S2_VECTOR_BYTES) S2_REAL sums[S2_ROWS * S2_WIDE * LANES];
    whole(depth, a, b, at, sums, width, false);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            c[i * c_row + j] = sums[i * width + j] + (onto ? c[i * c_row + j] : 0);
}

/* ---- blocks ------------------------------------------------------------------------------- */

/* The panels of one block: what a pass over the inner axis works with. */
typedef struct {
    shape shape;
    const S2_REAL *a;
    const S2_REAL *b;       /* panels of B, or B itself in place */
    const S2_REAL *tail;    /* the last panel, where it is packed though B is in place */
    const int64_t *at;      /* rows of B within a panel, or in place */
    const int64_t *tail_at;
    int64_t depth;
    bool in_place;
} panels;

/* Rows [0, rows) by columns [from, end) of the product to `c`; `cols` is where B ends. */
static void sum_block(const panels *p, int64_t rows, int64_t from, int64_t end, int64_t cols,
                      S2_REAL *c, int64_t c_row, bool onto)
{
    int64_t width = p->shape.width, height = p->shape.height;
    for (int64_t j = from; j < end; j += width) {
        bool whole = j + width <= cols, tail = !whole && p->tail;
        const S2_REAL *b = tail ? p->tail : p->in_place ? p->b + j : p->b + j * p->depth;
        const int64_t *at = tail ? p->tail_at : p->at;
        bool narrow = j + LANES >= cols;
        for (int64_t i = 0; i < rows; i += height) {
            int64_t count = s2_least(height, rows - i);
            const S2_REAL *a = p->a + i * p->depth;
            S2_REAL *to = c + i * c_row + (j - from);
            if (whole)
                p->shape.tiles[count](p->depth, a, b, at, to, c_row, onto);
            else if (narrow)
                edge(NARROW[count], count, LANES, p->depth, a, b, at, to, c_row, onto, cols - j);
            else
                edge(p->shape.tiles[count], count, width, p->depth, a, b, at, to, c_row, onto,
                     cols - j);
        }
    }
}

static void pack_rows(const s2_lines *a, S2_REAL *to, int64_t row, int64_t rows, int64_t from,
                      int64_t depth, int64_t height)
{
    for (int64_t i = 0; i < rows; i += height) {
        int64_t count = s2_least(height, rows - i);
        a->pack(a, to + i * depth, row + i, count, from, depth, count);
    }
}

static void pack_columns(const s2_lines *b, S2_REAL *to, int64_t col, int64_t cols, int64_t from,
                         int64_t depth, int64_t width)
{
    for (int64_t j = 0; j < cols; j += width)
        b->pack(b, to + j * depth, col + j, s2_least(width, cols - j), from, depth, width);
}

/* Hand on a finished block: rounded into C, then to the epilogue. */
static void finish(const s2_sums *p, const S2_REAL *sums, int64_t sums_row, int64_t row,
                   int64_t rows, int64_t col, int64_t cols)
{
    if (p->round)
        for (int64_t i = 0; i < rows; i++)
            p->round((char *)p->c + ((row + i) * p->c_row + col) * (int64_t)p->c_bytes,
                     sums + i * sums_row, cols);
    if (p->loose) {
        s2_tile tile = *(const s2_tile *)p->epilogue_data;
        tile.block = sums, tile.stride = sums_row;
        p->epilogue(&tile, p->batch, p->row + row, p->col + col, rows, cols);
    } else if (p->epilogue)
        p->epilogue(p->epilogue_data, p->batch, p->row + row, p->col + col, rows, cols);
}

/* Sums over nothing. */
static void clear(S2_REAL *c, int64_t c_row, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < rows; i++)
        memset(c + i * c_row, 0, (size_t)cols * sizeof *c);
}

int S2_NAME(block)(const s2_sums *p, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    if (rows <= 0 || cols <= 0)
        return 0;
    panels now = {.shape = choose(rows, cols), .in_place = p->in_place && rows <= S2_IN_PLACE};
    int64_t width = now.shape.width, height = now.shape.height;
    int64_t most = s2_even(p->k, S2_DEPTH), block = S2_BLOCK / height * height;
    bool pack_tail = now.in_place && !p->beyond && cols % width;
    int64_t packed = now.in_place ? pack_tail ? width : 0 : (cols + width - 1) / width * width;
    S2_REAL *a = s2_workspace(S2_PACK_A, (size_t)(s2_least(rows, block) * most + 1) * sizeof *a);
    S2_REAL *b = s2_workspace(S2_PACK_B, (size_t)(packed * most + 1) * sizeof *b);
    int64_t steps[S2_DEPTH], own[S2_DEPTH], chunk = S2_CHUNK / width * width;
    /* Of a loose C whose sums are known at once, there is one block at a time. */
    bool passing = p->loose && p->k <= most, apart = p->round || p->loose;
    int64_t c_rows = passing ? s2_least(rows, block) : rows;
    int64_t c_row = passing ? s2_least(cols, chunk) : apart ? cols : p->c_row;
    S2_REAL *c = apart ? s2_workspace(S2_ACCUMULATE, (size_t)(c_rows * c_row) * sizeof *c)
                       : (S2_REAL *)p->c + row * p->c_row + col;
    if (!a || !b || !c)
        return 2;
    for (int64_t d = 0; d < most; d++)
        steps[d] = d * width, own[d] = d * p->b.depth;
    if (p->k <= 0 && !p->onto)
        clear(c, c_row, c_rows, s2_least(cols, c_row));
    int64_t from = 0;
    do {
        now.depth = s2_least(most, p->k - from);
        bool last = from + now.depth >= p->k, onto = p->onto || from;
        now.a = a;
        now.at = !now.in_place ? steps : p->at ? p->at + from : own;
        now.b = !now.in_place ? b : (const S2_REAL *)p->b.data + col + (p->at ? 0 : from * p->b.depth);
        if (!now.in_place) {
            pack_columns(&p->b, b, col, cols, from, now.depth, width);
        } else if (pack_tail) {
            int64_t left = cols % width;
            p->b.pack(&p->b, b, col + cols - left, left, from, now.depth, width);
            now.tail = b;
            now.tail_at = steps;
        }
        for (int64_t i = 0; i < rows; i += block) {
            int64_t high = s2_least(block, rows - i);
            pack_rows(&p->a, a, row + i, high, from, now.depth, height);
            for (int64_t j = 0; j < cols; j += chunk) {
                int64_t end = s2_least(j + chunk, cols);
                S2_REAL *to = passing ? c : c + i * c_row + j;
                if (p->k > 0)
                    sum_block(&now, high, j, end, cols, to, c_row, onto);
                if (last)
                    finish(p, to, c_row, row + i, high, col + j, end - j);
            }
        }
        from += most;
    } while (from < p->k);
    return 0;
}

/* ---- dot products ------------------------------------------------------------------------- */

/* Few rows or columns, of which all lie whole: element (i, j) is the dot product of two lines. */
static inline __attribute__((always_inline)) void
dot_tile(const int rows, const int cols, int64_t k, const S2_REAL *a, int64_t a_row,
         const S2_REAL *b, int64_t b_col, S2_REAL *c, int64_t c_row)
{
    vector sums[4][4];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            sums[i][j] = (vector){0};
    int64_t d = 0;
    for (; d + LANES <= k; d += LANES) {
        vector y[4];
        for (int j = 0; j < cols; j++)
            y[j] = *(const loose *)(b + j * b_col + d);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++)
                sums[i][j] += *(const loose *)(a + i * a_row + d) * y[j];
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            S2_REAL total = 0;
            for (int64_t e = d; e < k; e++)
                total += a[i * a_row + e] * b[j * b_col + e];
            c[i * c_row + j] = total + across(sums[i][j]);
        }
}

#define DOTS(rows, cols)                                                                           \
    static void dots_##rows##_##cols(int64_t k, const S2_REAL *a, int64_t a_row, const S2_REAL *b, \
                                     int64_t b_col, S2_REAL *c, int64_t c_row)                     \
    {                                                                                              \
        dot_tile(rows, cols, k, a, a_row, b, b_col, c, c_row);                                     \
    }
#define DOTS_OF(rows) DOTS(rows, 1) DOTS(rows, 2) DOTS(rows, 3) DOTS(rows, 4)
DOTS_OF(1) DOTS_OF(2) DOTS_OF(3) DOTS_OF(4)
#define NAMES_OF(rows) {dots_##rows##_1, dots_##rows##_2, dots_##rows##_3, dots_##rows##_4}

/* By the number of rows and of columns, less 1. */
static void (*const DOT_TILES[4][4])(int64_t, const S2_REAL *, int64_t, const S2_REAL *, int64_t,
                                     S2_REAL *, int64_t) = {NAMES_OF(1), NAMES_OF(2), NAMES_OF(3),
                                                            NAMES_OF(4)};

void S2_NAME(dots)(const s2_sums *p, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    for (int64_t i = row; i < row + rows; i += 4)
        for (int64_t j = col; j < col + cols; j += 4) {
            int64_t high = s2_least(4, row + rows - i), wide = s2_least(4, col + cols - j);
            DOT_TILES[high - 1][wide - 1](p->k, (const S2_REAL *)p->a.data + i * p->a.line,
                                          p->a.line, (const S2_REAL *)p->b.data + j * p->b.line,
                                          p->b.line, (S2_REAL *)p->c + i * p->c_row + j, p->c_row);
        }
    if (p->epilogue)
        p->epilogue(p->epilogue_data, p->batch, p->row + row, p->col + col, rows, cols);
}
