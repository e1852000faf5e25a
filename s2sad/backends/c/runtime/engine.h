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

/* C[i, j] of a tile: element d of row i of a is a[i + d * step], or, of rows that lie whole,
 * a[i * step + d]; b's row d begins at b + at[d]. */
typedef void (*tile)(int64_t depth, const S2_REAL *a, int64_t step, const S2_REAL *b,
                     const int64_t *at, S2_REAL *c, int64_t c_row, bool onto);

/* Rows of A that lie whole are reached from pointers to every third of them. */
enum { STRIDE = 3, POINTERS = (S2_ROWS + STRIDE - 1) / STRIDE };

static inline __attribute__((always_inline)) void
sum_tile(const int rows, const int vectors, const bool lie_whole, int64_t depth,
         const S2_REAL *restrict a, int64_t step, const S2_REAL *restrict b,
         const int64_t *restrict at, S2_REAL *restrict c, int64_t c_row, bool onto)
{
    vector sums[S2_ROWS][S2_WIDE];
    const S2_REAL *lines[POINTERS];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++)
            sums[i][j] = (vector){0};
#pragma GCC unroll 8
    for (int i = 0; i < POINTERS; i++)
        lines[i] = a + (lie_whole && i * STRIDE < rows ? i * STRIDE * step : 0);
    for (int64_t d = 0; d < depth; d++) {
        const S2_REAL *row = b + at[d];
        vector y[S2_WIDE];
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++)
            y[j] = *(const loose *)(row + j * LANES);
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) {
            S2_REAL x = lie_whole ? lines[i / STRIDE][i % STRIDE * step] : a[i];
#pragma GCC unroll 4
            for (int j = 0; j < vectors; j++)
                sums[i][j] += x * y[j];
        }
#pragma GCC unroll 8
        for (int i = 0; i < POINTERS; i++)
            lines[i]++;
        a += step;
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

#define TILE(rows, vectors) TILE_OF(tile, rows, vectors, false) TILE_OF(whole, rows, vectors, true)
#define TILE_OF(name, rows, vectors, lie_whole)                                                    \
    static void name##_##rows##_##vectors(int64_t depth, const S2_REAL *a, int64_t step,           \
                                          const S2_REAL *b, const int64_t *at, S2_REAL *c,         \
                                          int64_t c_row, bool onto)                                \
    {                                                                                              \
        sum_tile(rows, vectors, lie_whole, depth, a, step, b, at, c, c_row, onto);                 \
    }
#define NAME(rows, vectors) tile_##rows##_##vectors,
#define WHOLE(rows, vectors) whole_##rows##_##vectors,

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

/* By whether rows lie whole, and by their number. */
static const tile NARROW[2][S2_ROWS + 1] = {{NULL, EACH(S2_ROWS, NAME, 1)},
                                            {NULL, EACH(S2_ROWS, WHOLE, 1)}};
static const tile USUAL[2][S2_ROWS + 1] = {{NULL, EACH(S2_ROWS, NAME, S2_VECTORS)},
                                           {NULL, EACH(S2_ROWS, WHOLE, S2_VECTORS)}};
static const tile BROAD[2][S2_ROWS + 1] = {{NULL, EACH(S2_FEW, NAME, S2_WIDE)},
                                           {NULL, EACH(S2_FEW, WHOLE, S2_WIDE)}};

typedef struct {
    const tile *tiles; /* by rows */
    const tile *narrow;
    int64_t height;    /* rows of a panel of A, at most */
    int64_t width;     /* columns of a panel of B */
} shape;

static shape choose(int64_t rows, int64_t cols, bool lie_whole)
{
    int64_t height = s2_even(rows, S2_ROWS);
    const tile *narrow = NARROW[lie_whole];
    if (cols <= LANES)
        return (shape){narrow, narrow, height, LANES};
    if (height <= S2_FEW && cols > S2_VECTORS * LANES)
        return (shape){BROAD[lie_whole], narrow, height, S2_WIDE * LANES};
    return (shape){USUAL[lie_whole], narrow, height, S2_VECTORS * LANES};
}

/* A tile of fewer columns than its vectors hold, or whose C must not be written beyond them. */
static void edge(tile whole, int64_t rows, int64_t width, int64_t depth, const S2_REAL *a,
                 int64_t step, const S2_REAL *b, const int64_t *at, S2_REAL *c, int64_t c_row,
                 bool onto, int64_t cols)
{
    _Alignas(S2_VECTOR_BYTES) S2_REAL sums[S2_ROWS * S2_WIDE * LANES];
    whole(depth, a, step, b, at, sums, width, false);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            c[i * c_row + j] = sums[i * width + j] + (onto ? c[i * c_row + j] : 0);
}

/* ---- blocks ------------------------------------------------------------------------------- */

/* The panels of one block: what a pass over the inner axis works with. */
typedef struct {
    shape shape;
    const S2_REAL *a;
    int64_t a_row;          /* from a row of A to the next, in place; 0 for panels */
    int64_t a_step;         /* of the tiles, in place */
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
            int64_t count = s2_least(height, rows - i), step = p->a_row ? p->a_step : count;
            const S2_REAL *a = p->a + i * (p->a_row ? p->a_row : p->depth);
            S2_REAL *to = c + i * c_row + (j - from);
            if (whole)
                p->shape.tiles[count](p->depth, a, step, b, at, to, c_row, onto);
            else
                edge(narrow ? p->shape.narrow[count] : p->shape.tiles[count], count,
                     narrow ? LANES : width, p->depth, a, step, b, at, to, c_row, onto, cols - j);
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

/* Of many columns that lie beside each other, all panels get some elements at a time: else each of
 * them would read short parts of rows, far from each other. */
static void pack_columns(const s2_lines *b, S2_REAL *to, int64_t col, int64_t cols, int64_t from,
                         int64_t depth, int64_t width)
{
    bool together = b->line == 1 && cols >= S2_MANY_COLUMNS;
    int64_t step = together ? S2_TOGETHER : s2_most(depth, 1);
    for (int64_t d = 0; d < depth; d += step)
        for (int64_t j = 0; j < cols; j += width)
            b->pack(b, to + j * depth + d * width, col + j, s2_least(width, cols - j), from + d,
                    s2_least(step, depth - d), width);
}

/* Let the epilogue see a part of C, of which a loose one lies in `sums`. */
static void hand_on(const s2_sums *p, const S2_REAL *sums, int64_t sums_row, int64_t row,
                    int64_t rows, int64_t col, int64_t cols)
{
    s2_tile tile;
    if (p->loose) {
        tile = *(const s2_tile *)p->epilogue_data;
        tile.block = sums, tile.stride = sums_row;
    }
    if (p->epilogue)
        p->epilogue(p->loose ? &tile : p->epilogue_data, p->batch, p->row + row, p->col + col,
                    rows, cols);
}

/* x[i][j] to y[j][i], by squares. */
static void turn_block(const S2_REAL *x, int64_t x_row, int64_t rows, int64_t cols, S2_REAL *y,
                       int64_t y_row)
{
    for (int64_t i = 0; i < rows; i += 4)
        for (int64_t j = 0; j < cols; j += 4) {
            if (i + 4 <= rows && j + 4 <= cols) {
                four square[4];
                for (int r = 0; r < 4; r++)
                    memcpy(&square[r], x + (i + r) * x_row + j, sizeof square[r]);
                turn(square);
                for (int r = 0; r < 4; r++)
                    memcpy(y + (j + r) * y_row + i, &square[r], sizeof square[r]);
                continue;
            }
            for (int64_t r = i; r < s2_least(i + 4, rows); r++)
                for (int64_t l = j; l < s2_least(j + 4, cols); l++)
                    y[l * y_row + r] = x[r * x_row + l];
        }
}

/* Hand on a finished block: rounded into C, or turned, then to the epilogue. */
static void finish(const s2_sums *p, const S2_REAL *sums, int64_t sums_row, int64_t row,
                   int64_t rows, int64_t col, int64_t cols, S2_REAL *square)
{
    if (p->round)
        for (int64_t i = 0; i < rows; i++)
            p->round((char *)p->c + ((row + i) * p->c_row + col) * (int64_t)p->c_bytes,
                     sums + i * sums_row, cols);
    if (p->turned) {
        S2_REAL *to = p->loose ? square : (S2_REAL *)p->c + col * p->c_row + row;
        turn_block(sums, sums_row, rows, cols, to, p->loose ? rows : p->c_row);
        sums = to, sums_row = rows;
        int64_t first = row, count = rows;
        row = col, rows = cols, col = first, cols = count;
    }
    hand_on(p, sums, sums_row, row, rows, col, cols);
}

/* Sums over nothing. */
static void clear(S2_REAL *c, int64_t c_row, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < rows; i++)
        memset(c + i * c_row, 0, (size_t)cols * sizeof *c);
}

/* Is A read in few columns, so that packing it would cost more than it gains? Rows that are read
 * together must not fall into one set of the first cache. */
static bool reads_in_place(const s2_sums *p, int64_t cols)
{
    int64_t line = p->a.line, depth = p->a.depth, page = 4096 / (int64_t)sizeof(S2_REAL);
    bool apart = (line == 1 ? depth : line) % page;
    return p->a_in_place && (line == 1 || depth == 1) && cols <= S2_A_IN_PLACE * (apart ? 4 : 1);
}

/* Is B, or what a tile reads of it, near enough together to be read again and again? */
static bool lies_like_panels(const s2_sums *p, int64_t cols, int64_t width)
{
    int64_t page = 4096 / (int64_t)sizeof(S2_REAL);
    return (cols <= width && p->b.depth <= 2 * width) ||
           (p->k <= S2_SHALLOW && p->b.depth % page && !p->at);
}

/* How a block of C is computed, and in which memory. */
typedef struct {
    const s2_sums *p;
    panels now;
    int64_t row, rows, col, cols; /* of C */
    int64_t most, high, wide;     /* depth, rows and columns that are dealt with at a time */
    bool a_lies, packs_tail, passes;
    S2_REAL *a, *b, *c, *square;
    int64_t c_row;
    int64_t steps[S2_DEPTH], own[S2_DEPTH]; /* from row to row of B: of panels, and in place */
} plan;

static void plan_block(plan *w, const s2_sums *p)
{
    w->p = p;
    w->a_lies = reads_in_place(p, w->cols);
    w->now = (panels){.shape = choose(w->rows, w->cols, w->a_lies && p->a.line != 1)};
    int64_t width = w->now.shape.width, height = w->now.shape.height;
    if (w->a_lies)
        w->now.a_row = p->a.line, w->now.a_step = p->a.line == 1 ? p->a.depth : p->a.line;
    w->now.in_place =
        p->in_place && (w->rows <= S2_IN_PLACE || lies_like_panels(p, w->cols, width));
    w->packs_tail = w->now.in_place && !p->beyond && w->cols % width;
    w->most = s2_even(p->k, S2_DEPTH);
    w->high = s2_least(S2_BLOCK / height * height, w->rows);
    w->wide = s2_least(S2_CHUNK / width * width, w->cols);
    /* Of what lies nowhere, and whose sums are known at once, there is one block at a time. */
    w->passes = (p->loose || p->turned) && p->k <= w->most;
    for (int64_t d = 0; d < w->most; d++)
        w->steps[d] = d * width, w->own[d] = d * p->b.depth;
}

/* 0 where no memory is left. */
static bool reserve(plan *w)
{
    const s2_sums *p = w->p;
    int64_t width = w->now.shape.width, columns = (w->cols + width - 1) / width * width;
    int64_t a_rows = w->a_lies ? 0 : w->high;
    int64_t b_columns = w->now.in_place ? w->packs_tail ? width : 0 : columns;
    w->a = s2_workspace(S2_PACK_A, (size_t)(a_rows * w->most + 1) * sizeof *w->a);
    w->b = s2_workspace(S2_PACK_B, (size_t)(b_columns * w->most + 1) * sizeof *w->b);
    bool is_apart = p->round || p->loose || p->turned;
    int64_t c_rows = w->passes ? w->high : w->rows;
    w->c_row = w->passes ? w->wide : is_apart ? w->cols : p->c_row;
    w->c = is_apart ? s2_workspace(S2_ACCUMULATE, (size_t)(c_rows * w->c_row) * sizeof *w->c)
                    : (S2_REAL *)p->c + w->row * p->c_row + w->col;
    w->square = w->c;
    if (p->turned && p->loose)
        w->square = s2_workspace(S2_TURNED, (size_t)(w->high * w->wide) * sizeof *w->square);
    if (p->k <= 0 && !p->onto && w->c)
        clear(w->c, w->c_row, c_rows, s2_least(w->cols, w->c_row));
    return w->a && w->b && w->c && w->square;
}

/* Elements of the inner axis from `from` on, of B. */
static void place_columns(plan *w, int64_t from)
{
    const s2_sums *p = w->p;
    panels *now = &w->now;
    int64_t width = now->shape.width, left = w->cols % width;
    now->at = !now->in_place ? w->steps : p->at ? p->at + from : w->own;
    now->b = w->b;
    if (now->in_place)
        now->b = (const S2_REAL *)p->b.data + w->col + (p->at ? 0 : from * p->b.depth);
    else
        pack_columns(&p->b, w->b, w->col, w->cols, from, now->depth, width);
    if (w->packs_tail) {
        p->b.pack(&p->b, w->b, w->col + w->cols - left, left, from, now->depth, width);
        now->tail = w->b, now->tail_at = w->steps;
    }
}

/* And `rows` rows of A from `row` on, of the block. */
static void place_rows(plan *w, int64_t row, int64_t rows, int64_t from)
{
    const s2_lines *a = &w->p->a;
    w->now.a = w->a;
    if (w->a_lies)
        w->now.a = (const S2_REAL *)a->data + (w->row + row) * a->line + from * a->depth;
    else
        pack_rows(a, w->a, w->row + row, rows, from, w->now.depth, w->now.shape.height);
}

int S2_NAME(block)(const s2_sums *p, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    if (rows <= 0 || cols <= 0)
        return 0;
    plan w; /* too long to be cleared for each block */
    w.row = row, w.rows = rows, w.col = col, w.cols = cols;
    plan_block(&w, p);
    if (!reserve(&w))
        return 2;
    int64_t from = 0;
    do {
        w.now.depth = s2_least(w.most, p->k - from);
        bool last = from + w.now.depth >= p->k, onto = p->onto || from;
        place_columns(&w, from);
        for (int64_t i = 0; i < rows; i += w.high) {
            int64_t high = s2_least(w.high, rows - i);
            place_rows(&w, i, high, from);
            for (int64_t j = 0; j < cols; j += w.wide) {
                int64_t end = s2_least(j + w.wide, cols);
                S2_REAL *to = w.passes ? w.c : w.c + i * w.c_row + j;
                if (p->k > 0)
                    sum_block(&w.now, high, j, end, cols, to, w.c_row, onto);
                if (last)
                    finish(p, to, w.c_row, row + i, high, col + j, end - j, w.square);
            }
        }
        from += w.most;
    } while (from < p->k);
    return 0;
}

/* ---- dot products ------------------------------------------------------------------------- */

/* Few rows or columns, of which all lie whole: element (i, j) is the dot product of two lines.
 * Lanes of the inner axis from `from` to `end` are added to `parts`, which begin with it. */
static inline __attribute__((always_inline)) void
dot_tile(const int rows, const int cols, int64_t from, int64_t end, const S2_REAL *a,
         int64_t a_row, const S2_REAL *b, int64_t b_col, vector *parts)
{
    vector sums[4][4];
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < cols; j++)
            sums[i][j] = (vector){0};
    for (int64_t d = from; d < end; d += LANES) {
        vector y[4];
#pragma GCC unroll 4
        for (int j = 0; j < cols; j++)
            y[j] = *(const loose *)(b + j * b_col + d);
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
            for (int j = 0; j < cols; j++)
                sums[i][j] += *(const loose *)(a + i * a_row + d) * y[j];
    }
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < cols; j++)
            parts[i * 4 + j] = from ? parts[i * 4 + j] + sums[i][j] : sums[i][j];
}

#define DOTS(rows, cols)                                                                           \
    static void dots_##rows##_##cols(int64_t from, int64_t end, const S2_REAL *a, int64_t a_row,   \
                                     const S2_REAL *b, int64_t b_col, vector *parts)               \
    {                                                                                              \
        dot_tile(rows, cols, from, end, a, a_row, b, b_col, parts);                                \
    }
#define DOTS_OF(rows) DOTS(rows, 1) DOTS(rows, 2) DOTS(rows, 3) DOTS(rows, 4)
DOTS_OF(1) DOTS_OF(2) DOTS_OF(3) DOTS_OF(4)
#define NAMES_OF(rows) {dots_##rows##_1, dots_##rows##_2, dots_##rows##_3, dots_##rows##_4}

/* By the number of rows and of columns, less 1. */
static void (*const DOT_TILES[4][4])(int64_t, int64_t, const S2_REAL *, int64_t, const S2_REAL *,
                                     int64_t, vector *) = {NAMES_OF(1), NAMES_OF(2), NAMES_OF(3),
                                                           NAMES_OF(4)};

/* Four rows and columns of operands, or what is left of them, and where their sums go. */
typedef struct {
    const S2_REAL *a, *b;
    int64_t high, wide;
    S2_REAL *c;
} dots;

static dots dots_at(const s2_sums *p, int64_t row, int64_t rows, int64_t col, int64_t cols,
                    S2_REAL *c)
{
    return (dots){(const S2_REAL *)p->a.data + row * p->a.line,
                  (const S2_REAL *)p->b.data + col * p->b.line, s2_least(4, rows),
                  s2_least(4, cols), c};
}

static void sum_dots(const s2_sums *p, const dots *t, int64_t from, int64_t end, vector *parts)
{
    DOT_TILES[t->high - 1][t->wide - 1](from, end, t->a, p->a.line, t->b, p->b.line, parts);
}

/* The sums of lanes, and of what is left over. */
static inline void add_dots(const s2_sums *p, const dots *t, const vector *parts, int64_t c_row)
{
    for (int64_t j = 0; j < t->wide; j++) {
        vector column[4];
        S2_REAL sums[4];
        for (int i = 0; i < 4; i++)
            column[i] = i < t->high ? parts[i * 4 + j] : (vector){0};
        across_each(column, sums);
        for (int64_t i = 0; i < t->high; i++) {
            S2_REAL rest = 0;
            for (int64_t d = p->k / LANES * LANES; d < p->k; d++)
                rest += t->a[i * p->a.line + d] * t->b[j * p->b.line + d];
            t->c[i * c_row + j] = rest + sums[i];
        }
    }
}

/* One column of which the cache holds all: four rows at a time, without calls between them. */
static void dot_column(const s2_sums *p, int64_t row, int64_t rows, int64_t col, S2_REAL *c,
                       int64_t c_row)
{
    int64_t whole = p->k / LANES * LANES;
    for (int64_t i = 0; i < rows; i += 4) {
        dots t = dots_at(p, row + i, rows - i, col, 1, c + i * c_row);
        vector parts[4 * 4];
        if (t.high == 4)
            dot_tile(4, 1, 0, whole, t.a, p->a.line, t.b, p->b.line, parts);
        else
            sum_dots(p, &t, 0, whole, parts);
        add_dots(p, &t, parts, c_row);
    }
}

/* Few rows and columns share what the cache holds of the inner axis. */
static void dot_square(const s2_sums *p, int64_t row, int64_t rows, int64_t col, int64_t cols,
                       S2_REAL *c, int64_t c_row)
{
    vector parts[S2_DOT_LINES / 4 * S2_DOT_LINES / 4][4 * 4];
    int64_t whole = p->k / LANES * LANES, from = 0;
    do {
        int64_t end = s2_least(from + S2_DOT_DEPTH, whole);
        vector(*to)[4 * 4] = parts;
        for (int64_t i = 0; i < rows; i += 4)
            for (int64_t j = 0; j < cols; j += 4, to++) {
                dots t = dots_at(p, row + i, rows - i, col + j, cols - j, c + i * c_row + j);
                sum_dots(p, &t, from, end, *to);
                if (end == whole)
                    add_dots(p, &t, *to, c_row);
            }
        from = end;
    } while (from < whole);
}

void S2_NAME(dots)(const s2_sums *p, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    S2_REAL square[S2_DOT_LINES * S2_DOT_LINES];
    for (int64_t i = row; i < row + rows; i += S2_DOT_LINES)
        for (int64_t j = col; j < col + cols; j += S2_DOT_LINES) {
            int64_t high = s2_least(S2_DOT_LINES, row + rows - i);
            int64_t wide = s2_least(S2_DOT_LINES, col + cols - j);
            S2_REAL *c = p->loose ? square : (S2_REAL *)p->c + i * p->c_row + j;
            int64_t c_row = p->loose ? S2_DOT_LINES : p->c_row;
            if (wide == 1 && p->k <= S2_DOT_DEPTH)
                dot_column(p, i, high, j, c, c_row);
            else
                dot_square(p, i, high, j, wide, c, c_row);
            if (p->loose)
                hand_on(p, c, c_row, i, high, j, wide);
        }
    if (!p->loose)
        hand_on(p, NULL, 0, row, rows, col, cols);
}
