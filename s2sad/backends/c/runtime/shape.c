/* How are elements arranged anew, bit by bit, on all threads (shape.h)? */
#include "shape.h"
#include "narrow.h"

enum {
    MOST_AXES = 64,
    TILE = 16,             /* items along both sides of what is turned over in the cache */
    STRIP = 256,           /* rows of a turned copy that one part writes */
    ROW = 16384,           /* items of a row that one part writes */
    WORTH_A_THREAD = 65536, /* bytes */
};

/* ---- items of one size -------------------------------------------------------------------- */

typedef struct {
    uint64_t halves[2];
} pair;

/* Sizes are constants here, so that each memcpy is one instruction, whatever the alignment. A tile
 * is read by its rows and written by its columns, so that each line of the cache is met once. */
#define S2_ITEMS(bytes, type)                                                                      \
    static void move_##bytes(const char *x, char *y, int64_t n, int64_t from, int64_t to)          \
    {                                                                                              \
        if (from == 0 && to == bytes) {                                                            \
            type item;                                                                             \
            memcpy(&item, x, bytes);                                                               \
            for (int64_t i = 0; i < n; i++)                                                        \
                memcpy(y + i * bytes, &item, bytes);                                               \
            return;                                                                                \
        }                                                                                          \
        if (from == -bytes && to == bytes) {                                                       \
            for (int64_t i = 0; i < n; i++)                                                        \
                memcpy(y + i * bytes, x - i * bytes, bytes);                                       \
            return;                                                                                \
        }                                                                                          \
        if (to == bytes) {                                                                         \
            for (int64_t i = 0; i < n; i++)                                                        \
                memcpy(y + i * bytes, x + i * from, bytes);                                        \
            return;                                                                                \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++)                                                            \
            memcpy(y + i * to, x + i * from, bytes);                                               \
    }                                                                                              \
    static void turn_##bytes(const char *x, char *y, int64_t rows, int64_t columns, int64_t from,  \
                             int64_t to)                                                           \
    {                                                                                              \
        type tile[TILE][TILE], row[TILE];                                                          \
        if (rows < TILE || columns < TILE) {                                                       \
            for (int64_t r = 0; r < rows; r++)                                                     \
                for (int64_t c = 0; c < columns; c++)                                              \
                    memcpy(y + r * to + c * bytes, x + c * from + r * bytes, bytes);               \
            return;                                                                                \
        }                                                                                          \
        for (int c = 0; c < TILE; c++)                                                             \
            memcpy(tile[c], x + c * from, sizeof tile[c]);                                         \
        for (int r = 0; r < TILE; r++) {                                                           \
            for (int c = 0; c < TILE; c++)                                                         \
                row[c] = tile[c][r];                                                               \
            memcpy(y + r * to, row, sizeof row);                                                   \
        }                                                                                          \
    }
S2_ITEMS(1, uint8_t)
S2_ITEMS(2, uint16_t)
S2_ITEMS(4, uint32_t)
S2_ITEMS(8, uint64_t)
S2_ITEMS(16, pair)
#undef S2_ITEMS

static void move(int64_t item, const char *x, char *y, int64_t n, int64_t from, int64_t to)
{
    if (from == item && to == item)
        memcpy(y, x, (size_t)(n * item));
    else if (item == 1)
        move_1(x, y, n, from, to);
    else if (item == 2)
        move_2(x, y, n, from, to);
    else if (item == 4)
        move_4(x, y, n, from, to);
    else if (item == 8)
        move_8(x, y, n, from, to);
    else
        move_16(x, y, n, from, to);
}

static void turn(int64_t item, const char *x, char *y, int64_t rows, int64_t columns, int64_t from,
                 int64_t to)
{
    if (item == 1)
        turn_1(x, y, rows, columns, from, to);
    else if (item == 2)
        turn_2(x, y, rows, columns, from, to);
    else if (item == 4)
        turn_4(x, y, rows, columns, from, to);
    else if (item == 8)
        turn_8(x, y, rows, columns, from, to);
    else
        turn_16(x, y, rows, columns, from, to);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- copies ------------------------------------------------------------------------------- */

/* All axes but the last, `inner`, and for a turned copy the one before it, are gone through one by
 * one; `cut` is the axis of which a part has `block` at a time. */
typedef struct {
    const char *x;
    char *y;
    int64_t item;
    int outer;
    const s2_axis *axes, *inner, *cut;
    int64_t block, blocks;
} copy;

static void copy_block(const copy *c, const char *x, char *y, int64_t block)
{
    int64_t first = block * c->block, count = smaller(c->block, c->cut->size - first);
    const s2_axis *inner = c->inner;
    x += first * c->cut->from;
    y += first * c->cut->to;
    if (c->cut == inner) {
        move(c->item, x, y, count, inner->from, inner->to);
        return;
    }
    for (int64_t column = 0; column < inner->size; column += TILE)
        for (int64_t row = 0; row < count; row += TILE)
            turn(c->item, x + column * inner->from + row * c->item,
                 y + row * c->cut->to + column * c->item, smaller(TILE, count - row),
                 smaller(TILE, inner->size - column), inner->from, c->cut->to);
}

static int copy_part(void *data, int64_t begin, int64_t end)
{
    const copy *c = data;
    int64_t at[MOST_AXES], x = 0, y = 0, rest = begin / c->blocks, block = begin % c->blocks;
    for (int i = c->outer - 1; i >= 0; i--) {
        at[i] = rest % c->axes[i].size;
        rest /= c->axes[i].size;
        x += at[i] * c->axes[i].from;
        y += at[i] * c->axes[i].to;
    }
    for (int64_t part = begin; part < end; part++) {
        copy_block(c, c->x + x, c->y + y, block);
        block = block + 1 < c->blocks ? block + 1 : 0;
        for (int i = c->outer - 1; block == 0 && i >= 0; i--) {
            const s2_axis *axis = &c->axes[i];
            x += axis->from;
            y += axis->to;
            if (++at[i] < axis->size)
                break;
            at[i] = 0;
            x -= axis->from * axis->size;
            y -= axis->to * axis->size;
        }
    }
    return 0;
}

int s2_copy(const void *x, void *y, int64_t item, int count, const s2_axis *axes)
{
    const s2_axis one = {1, item, item}, *inner = count ? &axes[count - 1] : &one;
    copy c = {x, y, item, count ? count - 1 : 0, axes, inner, inner, ROW, 1};
    int64_t each = item, extent = 1;
    if (count > 1 && inner->to == item && inner->from != item && inner[-1].from == item) {
        c.outer--;
        c.cut = inner - 1;
        c.block = STRIP;
        each *= inner->size;
    }
    for (int i = 0; i < count; i++)
        if (axes[i].size == 0)
            return 0;
    for (int i = 0; i < c.outer; i++)
        extent *= axes[i].size;
    each *= smaller(c.block, c.cut->size);
    c.blocks = (c.cut->size - 1) / c.block + 1;
    return s2_parallel_for(extent * c.blocks, larger(1, WORTH_A_THREAD / each), copy_part, &c);
}

int s2_copy_bytes(const void *x, void *y, int64_t bytes)
{
    const s2_axis axis = {bytes, 1, 1};
    return x == y ? 0 : s2_copy(x, y, 1, 1, &axis);
}

/* ---- padding ------------------------------------------------------------------------------ */

typedef struct {
    const char *x, *value;
    char *y;
    int64_t item, row;
    int count;
    const s2_padding *axes;
    int64_t from[MOST_AXES], to[MOST_AXES]; /* bytes from one to the next */
} padding;

static int64_t padded(const s2_padding *axis)
{
    int64_t between = axis->size ? (axis->size - 1) * axis->interior : 0;
    return axis->low + axis->size + between + axis->high;
}

static void fill(const padding *p, char *y, int64_t bytes)
{
    move(p->item, p->value, y, bytes / p->item, 0, p->item);
}

/* Rows [begin, end) of the last axis, with nothing between them. */
static void pad_line(const padding *p, const char *x, char *y, int64_t begin, int64_t end)
{
    const s2_padding *axis = &p->axes[p->count - 1];
    int64_t first = smaller(larger(begin, axis->low), end);
    int64_t last = larger(smaller(end, axis->low + axis->size), first);
    fill(p, y + begin * p->row, (first - begin) * p->row);
    if (last > first)
        memcpy(y + first * p->row, x + (first - axis->low) * p->row,
               (size_t)((last - first) * p->row));
    fill(p, y + last * p->row, (end - last) * p->row);
}

static void pad_rows(const padding *p, int at, const char *x, char *y, int64_t begin, int64_t end)
{
    const s2_padding *axis = &p->axes[at];
    bool is_last = at == p->count - 1;
    int64_t every = axis->interior + 1;
    if (is_last && every == 1) {
        pad_line(p, x, y, begin, end);
        return;
    }
    for (int64_t row = begin; row < end; row++) {
        int64_t place = row - axis->low;
        char *out = y + row * p->to[at];
        if (place < 0 || place % every != 0 || place / every >= axis->size)
            fill(p, out, p->to[at]);
        else if (is_last)
            memcpy(out, x + place / every * p->from[at], (size_t)p->row);
        else
            pad_rows(p, at + 1, x + place / every * p->from[at], out, 0, padded(axis + 1));
    }
}

static int pad_part(void *data, int64_t begin, int64_t end)
{
    const padding *p = data;
    pad_rows(p, 0, p->x, p->y, begin, end);
    return 0;
}

int s2_pad(const void *x, const void *value, void *y, int64_t item, int64_t row, int count,
           const s2_padding *axes)
{
    padding p = {x, value, y, item, row, count, axes, {0}, {0}};
    int64_t from = row, to = row;
    for (int i = count - 1; i >= 0; i--) {
        p.from[i] = from;
        p.to[i] = to;
        from *= axes[i].size;
        to *= padded(&axes[i]);
    }
    if (to == 0)
        return 0;
    return s2_parallel_for(padded(axes), larger(1, WORTH_A_THREAD / p.to[0]), pad_part, &p);
}

/* ---- counting ----------------------------------------------------------------------------- */

#define S2_IOTA(dtype, type, from_number)                                                          \
    void s2_iota_##dtype(type *y, int64_t size, int64_t inner, int64_t begin, int64_t end)         \
    {                                                                                              \
        while (begin < end) {                                                                      \
            int64_t first = begin % size, count = smaller(size - first, end - begin);              \
            for (int64_t row = 0; row < count; row++) {                                            \
                int64_t number = first + row;                                                      \
                type value = (type)from_number;                                                    \
                for (int64_t i = 0; i < inner; i++)                                                \
                    y[(begin + row) * inner + i] = value;                                          \
            }                                                                                      \
            begin += count;                                                                        \
        }                                                                                          \
    }
S2_IOTA(f16, uint16_t, s2_f64_to_f16((double)number))
S2_IOTA(bf16, uint16_t, s2_f64_to_bf16((double)number))
S2_IOTA(f32, float, number)
S2_IOTA(f64, double, number)
S2_IOTA(i8, int8_t, number)
S2_IOTA(i16, int16_t, number)
S2_IOTA(i32, int32_t, number)
S2_IOTA(i64, int64_t, number)
S2_IOTA(u8, uint8_t, number)
