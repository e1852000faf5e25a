/* Sorting along an axis, and searching in what is in order (sort.h). */
#include "sort.h"
#include "order.h"

enum {
    RUN = 16, /* words that are put in order by insertion */
    FEW = 400, /* up to so many words it is merged, beyond counted */
    BLOCK = 512, /* words that are looked at together where only the first are wanted */
    WORTH_A_THREAD = 4096,
};

/* x[outer][n][inner], whose lines are put in order. */
typedef struct {
    const char *x;
    char *values;
    int64_t *indices;
    int64_t n, inner, k;
    void (*keys)(const char *x, int64_t stride, int64_t n, uint64_t *keys);
    int bytes; /* of an element and of its key */
    bool descending;
} job;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Words that are held for a line. */
static int64_t capacity(const job *j)
{
    return j->k == j->n ? j->n : j->k + (j->k > 2 * BLOCK ? j->k : 2 * BLOCK);
}

static void move(char *to, const char *from, int bytes)
{
    switch (bytes) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    default: memcpy(to, from, 8);
    }
}

/* Unsigned keys in the order of elements. */
#define KEYS(dtype, integer, unsigned_integer, rank, sign)                                         \
    static void keys_##dtype(const char *x, int64_t stride, int64_t n, uint64_t *keys)             \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            integer bits;                                                                          \
            memcpy(&bits, x + i * stride, sizeof bits);                                            \
            keys[i] = (unsigned_integer)((unsigned_integer)rank(bits) ^ sign);                     \
        }                                                                                          \
    }
KEYS(f16, int16_t, uint16_t, s2_rank_f16, 0x8000)
KEYS(bf16, int16_t, uint16_t, s2_rank_bf16, 0x8000)
KEYS(f32, int32_t, uint32_t, s2_rank_f32, 0x80000000)
KEYS(f64, int64_t, uint64_t, s2_rank_f64, 0x8000000000000000)
KEYS(i8, int8_t, uint8_t, , 0x80)
KEYS(i16, int16_t, uint16_t, , 0x8000)
KEYS(i32, int32_t, uint32_t, , 0x80000000)
KEYS(i64, int64_t, uint64_t, , 0x8000000000000000)
KEYS(u8, uint8_t, uint8_t, , 0)

/* `count` words of the line at `x`, from element `first` on. */
#define LOAD(name, word, shift)                                                                    \
    static void name(const job *j, const char *x, int64_t first, int64_t count, word *words)       \
    {                                                                                              \
        uint64_t keys[BLOCK], down = j->descending ? UINT64_MAX >> (64 - 8 * j->bytes) : 0;        \
        int64_t stride = j->inner * j->bytes;                                                      \
        for (int64_t done = 0; done < count; done += BLOCK) {                                      \
            int64_t some = smaller(BLOCK, count - done), start = first + done;                     \
            j->keys(x + start * stride, stride, some, keys);                                       \
            for (int64_t i = 0; i < some; i++)                                                     \
                words[done + i] = (word)(keys[i] ^ down) << shift | (word)(start + i);             \
        }                                                                                          \
    }
LOAD(short_load, uint64_t, 32)
LOAD(long_load, unsigned __int128, 64)

#define NAME(part) short_##part
#define WORD uint64_t
#define BITS 32
#include "sort_words.h"
#define NAME(part) long_##part
#define WORD unsigned __int128
#define BITS 64
#include "sort_words.h"

static int sort_lines(job *j, int64_t lines)
{
    if (lines == 0 || j->k == 0)
        return 0;
    bool is_short = j->bytes <= 4 && j->n <= UINT32_MAX;
    int64_t grain = WORTH_A_THREAD / j->n + 1;
    return s2_parallel_for(lines, grain, is_short ? short_lines : long_lines, j);
}

int s2_order_of_keys(uint64_t *keys, int64_t *order, int64_t n)
{
    if (n == 0)
        return 0;
    size_t size = (size_t)n;
    unsigned __int128 *words = s2_workspace(S2_SORT, 2 * size * sizeof *words);
    if (!words)
        return 1;
    for (int64_t i = 0; i < n; i++)
        words[i] = (unsigned __int128)keys[i] << 64 | (uint64_t)i;
    words = long_sort(words, words + size, n, 8);
    for (int64_t i = 0; i < n; i++)
        order[i] = (int64_t)(uint64_t)words[i];
    return 0;
}

/* ---- searching ------------------------------------------------------------------------------ */

typedef struct {
    const char *ordered, *x;
    int64_t *y;
    int64_t n, m;
    bool right;
} search;

#define SORT(dtype, type, integer, rank)                                                           \
    int s2_sort_##dtype(                                                                           \
        const type *x, type *values, int64_t *indices, int64_t outer, int64_t n, int64_t inner,    \
        int64_t k, bool descending)                                                                \
    {                                                                                              \
        job j = {(const char *)x, (char *)values, indices, n, inner, k, keys_##dtype,              \
                 sizeof(type), descending};                                                        \
        return sort_lines(&j, outer * inner);                                                      \
    }                                                                                              \
    static inline integer rank_##dtype(const char *x, int64_t i)                                   \
    {                                                                                              \
        integer bits;                                                                              \
        memcpy(&bits, x + i * (int64_t)sizeof bits, sizeof bits);                                  \
        return rank(bits);                                                                         \
    }                                                                                              \
    static int search_##dtype(void *data, int64_t begin, int64_t end)                              \
    {                                                                                              \
        const search *s = data;                                                                    \
        for (int64_t i = begin; i < end; i++) {                                                    \
            const char *line = s->ordered + i / s->m * s->n * (int64_t)sizeof(type);               \
            integer value = rank_##dtype(s->x, i);                                                 \
            int64_t found = 0;                                                                     \
            for (int64_t left = s->n; left > 0;) {                                                 \
                int64_t half = left - left / 2;                                                    \
                integer middle = rank_##dtype(line, found + half - 1);                             \
                found += (middle < value) | (s->right & (middle == value)) ? half : 0;             \
                left /= 2;                                                                         \
            }                                                                                      \
            s->y[i] = found;                                                                       \
        }                                                                                          \
        return 0;                                                                                  \
    }                                                                                              \
    int s2_searchsorted_##dtype(                                                                   \
        const type *ordered, const type *x, int64_t *y, int64_t lines, int64_t n, int64_t m,       \
        bool right)                                                                                \
    {                                                                                              \
        search s = {(const char *)ordered, (const char *)x, y, n, m, right};                       \
        return s2_parallel_for(lines * m, WORTH_A_THREAD / 4, search_##dtype, &s);                 \
    }
SORT(f16, uint16_t, int16_t, s2_rank_f16)
SORT(bf16, uint16_t, int16_t, s2_rank_bf16)
SORT(f32, float, int32_t, s2_rank_f32)
SORT(f64, double, int64_t, s2_rank_f64)
SORT(i8, int8_t, int8_t, )
SORT(i16, int16_t, int16_t, )
SORT(i32, int32_t, int32_t, )
SORT(i64, int64_t, int64_t, )
SORT(u8, uint8_t, uint8_t, )
