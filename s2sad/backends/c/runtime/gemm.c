/* How is a product of matrices cut into tiles, for threads and batches? */
#include "gemm.h"

#include "tiles.h"

/* What depends on the stored dtype. */
typedef struct {
    int64_t bytes;
    s2_pack pack;
    s2_round round; /* NULL where the stored dtype is the one that is computed in */
    int (*block)(const s2_sums *, int64_t row, int64_t rows, int64_t col, int64_t cols);
    void (*dots)(const s2_sums *, int64_t row, int64_t rows, int64_t col, int64_t cols);
} kind;

static const kind F16 = {2, s2_pack_f16, s2_round_f16, s2_block_f32, NULL};
static const kind BF16 = {2, s2_pack_bf16, s2_round_bf16, s2_block_f32, NULL};
static const kind F32 = {4, s2_pack_f32, NULL, s2_block_f32, s2_dots_f32};
static const kind F64 = {8, s2_pack_f64, NULL, s2_block_f64, s2_dots_f64};
static const kind I8 = {1, s2_pack_i8, s2_round_i8, s2_block_u32, NULL};
static const kind I16 = {2, s2_pack_i16, s2_round_i16, s2_block_u32, NULL};
static const kind I32 = {4, s2_pack_i32, NULL, s2_block_u32, s2_dots_u32};
static const kind I64 = {8, s2_pack_i64, NULL, s2_block_u64, s2_dots_u64};

typedef struct {
    const kind *kind;
    const s2_matmul *what;
    const char *a, *b;
    char *c;
    bool dots, turned;
    int64_t high, wide;   /* rows and columns of a tile */
    int64_t down, across; /* how many tiles there are */
} job;

static s2_sums sums_of(const job *j, int64_t batch)
{
    const s2_matmul *w = j->what;
    int64_t a = 0, b = 0, rest = batch;
    for (int64_t axis = w->rank - 1; axis >= 0; axis--) {
        a += rest % w->batch[axis][0] * w->batch[axis][1];
        b += rest % w->batch[axis][0] * w->batch[axis][2];
        rest /= w->batch[axis][0];
    }
    int64_t bytes = j->kind->bytes;
    return (s2_sums){
        .k = w->k,
        .a = {j->kind->pack, j->a + a * bytes, w->a_row, w->a_col, NULL},
        .b = {j->kind->pack, j->b + b * bytes, w->b_col, w->b_row, NULL},
        .a_in_place = !j->kind->round,
        .in_place = w->b_col == 1 && !j->kind->round,
        .c = j->c + batch * w->m * w->n * bytes,
        .c_row = j->turned ? w->m : w->n,
        .turned = j->turned,
        .c_bytes = (size_t)bytes,
        .round = j->kind->round,
        .epilogue = w->epilogue,
        .epilogue_data = w->epilogue_data,
        .loose = w->loose,
        .batch = batch,
    };
}

static int run_tiles(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    int failed = 0;
    for (int64_t t = begin; t < end && !failed; t++) {
        s2_sums p = sums_of(j, t / (j->down * j->across));
        int64_t row = t / j->across % j->down * j->high, col = t % j->across * j->wide;
        int64_t rows = s2_least(j->high, j->what->m - row);
        int64_t cols = s2_least(j->wide, j->what->n - col);
        if (j->dots)
            j->kind->dots(&p, row, rows, col, cols);
        else
            failed = j->kind->block(&p, row, rows, col, cols);
    }
    return failed;
}

/* Tiles small enough to give each thread some, which changes no result. */
static void cut(job *j, int64_t batches)
{
    const s2_matmul *w = j->what;
    int64_t threads = s2_threads(), less = j->kind->round ? 2 : 1;
    int64_t least = j->dots && w->k >= S2_LONG_DOTS ? S2_DOTS : S2_TILE_LEAST;
    j->high = s2_even(w->m, S2_TILE_ROWS / less);
    j->wide = s2_even(w->n, S2_TILE_COLUMNS / less);
    for (;;) {
        j->down = s2_ceil_div(w->m, j->high);
        j->across = s2_ceil_div(w->n, j->wide);
        if (threads == 1 || batches * j->down * j->across >= 4 * threads)
            return;
        int64_t *larger = j->high > j->wide ? &j->high : &j->wide;
        if (*larger < 2 * least)
            return;
        int64_t grain = s2_least(least, 32);
        *larger = s2_ceil_div(*larger, 2 * grain) * grain;
    }
}

static bool dots_pay(const s2_matmul *w)
{
    int64_t least = s2_least(w->m, w->n), most = s2_most(w->m, w->n);
    return w->a_col == 1 && w->b_row == 1 &&
           (least <= S2_DOTS || (most <= S2_DOT_LINES && w->k >= S2_LONG_DOTS));
}

static int multiply(const kind *kind, const s2_matmul *what, const void *a, const void *b, void *c,
                    bool turned)
{
    int64_t batches = 1;
    for (int64_t axis = 0; axis < what->rank; axis++)
        batches *= what->batch[axis][0];
    if (batches * what->m * what->n == 0)
        return 0;
    job j = {.kind = kind, .what = what, .a = a, .b = b, .c = c, .turned = turned};
    j.dots = kind->dots && !turned && dots_pay(what);
    cut(&j, batches);
    int64_t worth = s2_most(1, j.high * j.wide * what->k);
    int64_t grain = s2_most(1, S2_PRODUCT_WORTH / worth);
    return s2_parallel_for(batches * j.down * j.across, grain, run_tiles, &j);
}

/* ---- operands exchanged ------------------------------------------------------------------- */

/* A single column is a row, if its elements follow each other. */
static bool is_column(const s2_matmul *w)
{
    return w->n == 1 && w->m != 1 && w->a_row == 1 && !w->rank && !w->loose;
}

/* Where lines of both lie whole, those that become lanes are turned: let these be the few. */
static bool turning_pays(const kind *kind, const s2_matmul *w)
{
    int64_t lanes = S2_VECTOR_BYTES / kind->bytes;
    return !kind->round && !w->rank && w->a_col == 1 && w->b_row == 1 && !dots_pay(w) &&
           w->m <= S2_TURNED_ROWS && s2_ceil_div(w->m, lanes) * lanes * 8 <= w->m * 9 &&
           w->n * w->k > 2 * w->m * (w->n + w->k);
}

static void exchange(void *data, int64_t batch, int64_t row, int64_t col, int64_t rows,
                     int64_t cols)
{
    const s2_matmul *what = data;
    what->epilogue(what->epilogue_data, batch, col, row, cols, rows);
}

static int matmul(const kind *kind, const s2_matmul *what, const void *a, const void *b, void *c)
{
    bool column = is_column(what), turned = !column && turning_pays(kind, what);
    if (!column && !turned)
        return multiply(kind, what, a, b, c, false);
    s2_matmul other = {
        .m = what->n,
        .n = what->m,
        .k = what->k,
        .a_row = what->b_col,
        .a_col = what->b_row,
        .b_row = what->a_col,
        .b_col = what->a_row,
        .epilogue = what->epilogue,
        .epilogue_data = what->epilogue_data,
        .loose = what->loose,
    };
    if (column && what->epilogue)
        other.epilogue = exchange, other.epilogue_data = (void *)what;
    return multiply(kind, &other, b, a, c, turned);
}

#define DEFINE(name, KIND)                                                                         \
    int s2_matmul_##name(const s2_matmul *what, const void *a, const void *b, void *c)             \
    {                                                                                              \
        return matmul(&KIND, what, a, b, c);                                                       \
    }
DEFINE(f16, F16)
DEFINE(bf16, BF16)
DEFINE(f32, F32)
DEFINE(f64, F64)
DEFINE(i8, I8)
DEFINE(i16, I16)
DEFINE(i32, I32)
DEFINE(i64, I64)
DEFINE(u8, I8)
