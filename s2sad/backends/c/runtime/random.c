/* Random numbers of a counter (random.h). */
#include "random.h"
#include "log.h"
#include "narrow.h"
#include "sort.h"
#include "trig.h"

enum {
    LANES = 32,           /* blocks that are computed side by side */
    GROUP = 256,          /* blocks whose words are made into numbers together */
    WORDS = 4 * GROUP,
    GROUPS_A_THREAD = 8,
    ROUNDS = 10,
};

typedef struct {
    uint64_t key, low, high;
} counter;

/* ---- words ---------------------------------------------------------------------------------- */

/* Words of `count` blocks from block `first` after `c` on; up to LANES more are written. */
static void philox(const counter *c, uint64_t first, int64_t count, uint32_t *words)
{
    for (int64_t block = 0; block < count; block += LANES) {
        uint32_t a[LANES], b[LANES], d[LANES], e[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            uint64_t low = c->low + (first + (uint64_t)block + (uint64_t)lane);
            uint64_t high = c->high + (low < c->low);
            a[lane] = (uint32_t)low, b[lane] = (uint32_t)(low >> 32);
            d[lane] = (uint32_t)high, e[lane] = (uint32_t)(high >> 32);
        }
        uint32_t key = (uint32_t)c->key, other = (uint32_t)(c->key >> 32);
        for (int round = 0; round < ROUNDS; round++) {
            for (int lane = 0; lane < LANES; lane++) {
                uint64_t x = (uint64_t)a[lane] * 0xD2511F53u, y = (uint64_t)d[lane] * 0xCD9E8D57u;
                a[lane] = (uint32_t)(y >> 32) ^ b[lane] ^ key, b[lane] = (uint32_t)y;
                d[lane] = (uint32_t)(x >> 32) ^ e[lane] ^ other, e[lane] = (uint32_t)x;
            }
            key += 0x9E3779B9u, other += 0xBB67AE85u;
        }
        uint32_t *out = words + 4 * block;
        for (int lane = 0; lane < LANES; lane++) {
            out[4 * lane] = a[lane], out[4 * lane + 1] = b[lane];
            out[4 * lane + 2] = d[lane], out[4 * lane + 3] = e[lane];
        }
    }
}

static uint64_t joined(const uint32_t *words)
{
    return words[0] | (uint64_t)words[1] << 32;
}

/* ---- draws ---------------------------------------------------------------------------------- */

typedef struct draw draw;

/* Numbers from words: `n` elements from element `first` on; there are words for one more. */
typedef void (*maker)(const draw *d, const uint32_t *words, int64_t first, int64_t n);

struct draw {
    counter at;
    maker make;
    void *y;
    int64_t n, elements; /* elements of a group */
    int64_t low;         /* of integers, and how many there are */
    uint64_t range;
};

static int draw_groups(void *data, int64_t begin, int64_t end)
{
    const draw *d = data;
    uint32_t words[WORDS];
    for (int64_t group = begin; group < end; group++) {
        int64_t first = group * d->elements, left = d->n - first;
        int64_t n = left < d->elements ? left : d->elements, size = WORDS / d->elements;
        int64_t blocks = (n * size + 3) / 4;
        philox(&d->at, (uint64_t)group * GROUP, blocks, words);
        d->make(d, words, first, n);
    }
    return 0;
}

static void advance(counter c, uint64_t blocks, int64_t *after)
{
    uint64_t low = c.low + blocks, high = c.high + (low < c.low);
    after[0] = (int64_t)c.key, after[1] = (int64_t)low, after[2] = (int64_t)high;
}

static counter counter_of(const int64_t *state)
{
    return (counter){(uint64_t)state[0], (uint64_t)state[1], (uint64_t)state[2]};
}

/* Draw `d->n` elements of `size` words each, of which `counted` are counted. */
static int run_draw(draw *d, int64_t size, int64_t counted, int64_t *after)
{
    d->elements = WORDS / size;
    uint64_t blocks = ((uint64_t)counted * (uint64_t)size + 3) / 4;
    int64_t groups = (int64_t)((blocks + GROUP - 1) / GROUP);
    int failed = s2_parallel_for(groups, GROUPS_A_THREAD, draw_groups, d);
    advance(d->at, blocks, after);
    return failed;
}

/* ---- bits, uniform numbers and integers ------------------------------------------------------ */

#define MAKER(name, type, size, expression)                                                        \
    static void make_##name(const draw *d, const uint32_t *words, int64_t first, int64_t n)        \
    {                                                                                              \
        type *y = (type *)d->y + first;                                                            \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const uint32_t *word = words + size * i;                                               \
            y[i] = expression;                                                                     \
        }                                                                                          \
    }
MAKER(bits, uint32_t, 1, *word)
MAKER(uniform_f32, float, 1, (float)(int32_t)(*word >> 8) * 0x1p-24f)
MAKER(uniform_f16, uint16_t, 1, s2_f32_to_f16((float)(int32_t)(*word >> 8) * 0x1p-24f))
MAKER(uniform_bf16, uint16_t, 1, s2_f32_to_bf16((float)(int32_t)(*word >> 8) * 0x1p-24f))
MAKER(uniform_f64, double, 2, (double)(int64_t)(joined(word) >> 11) * 0x1p-53)
MAKER(keys, uint64_t, 2, joined(word))

/* The upper half of a product. */
static uint64_t multiply_high(uint64_t x, uint64_t y)
{
    uint64_t low = x & UINT32_MAX, high = x >> 32, y_low = y & UINT32_MAX, y_high = y >> 32;
    uint64_t middle = high * y_low + (low * y_low >> 32);
    uint64_t carry = low * y_high + (middle & UINT32_MAX);
    return high * y_high + (middle >> 32) + (carry >> 32);
}

MAKER(int, uint64_t, 2, multiply_high(joined(word), d->range) + (uint64_t)d->low)

int s2_random_bits(const int64_t *state, int32_t *y, int64_t *after, int64_t n)
{
    draw d = {.at = counter_of(state), .make = make_bits, .y = y, .n = n};
    return run_draw(&d, 1, n, after);
}

int s2_random_int(
    const int64_t *state, int64_t low, int64_t high, int64_t *y, int64_t *after, int64_t n)
{
    uint64_t range = (uint64_t)high - (uint64_t)low;
    draw d = {
        .at = counter_of(state), .make = make_int, .y = y, .n = n, .low = low, .range = range};
    return low < high ? run_draw(&d, 2, n, after) : 1;
}

int s2_random_permutation(const int64_t *state, int64_t *y, int64_t *after, int64_t n)
{
    /* The keys lie where the numbers will. */
    draw d = {.at = counter_of(state), .make = make_keys, .y = y, .n = n};
    return run_draw(&d, 2, n, after) || s2_order_of_keys((uint64_t *)y, y, n);
}

/* What makes the blocks that derive keys others than those that are drawn. */
#define FOLD_TAG 0x666F6C645F696E00u

int s2_random_fold(const int64_t *state, int64_t data, int64_t *after)
{
    uint32_t words[4 * LANES];
    counter c = counter_of(state);
    c.key ^= FOLD_TAG;
    philox(&c, 0, 1, words);
    counter tail = {joined(words), (uint64_t)data, joined(words + 2)};
    philox(&tail, 0, 1, words);
    after[0] = (int64_t)joined(words), after[1] = 0, after[2] = (int64_t)joined(words + 2);
    return 0;
}

/* ---- normal numbers -------------------------------------------------------------------------- */

/* What is left of an angle up to a turn without its quarters: pi/2 in parts of 33 bits (fdlibm,
 * e_rem_pio2.c), whose products with `quarters` are exact, as is the first difference. */
static inline s2_angle in_quarters(double angle)
{
    double shifted = angle * 0x1.45f306dc9c883p-1 + 0x1.8p52, quarters = shifted - 0x1.8p52;
    double rest = angle - quarters * 0x1.921fb544p+0, part = quarters * 0x1.0b4611a6p-34;
    double high = rest - part, back = rest - high;
    double low = (back - part) + (rest - (high + back)) - quarters * 0x1.3198a2e037073p-69;
    s2_pair sum = s2_fast_sum(high, low);
    return (s2_angle){sum.high, sum.low, s2_bits_f64(shifted)};
}

/* The two that follow: a pair of normal numbers from u and v, uniform in [0, 1) (Box and Muller,
 * 1958); in double, and nearly all digits of double. */
static inline void box_muller_short(double u, double v, double *even, double *odd)
{
    double radius = sqrt(2.0 * (0.0 - s2_log_total(s2_log_parts(1.0 - u), 0.0)));
    s2_angle angle = in_quarters(0x1.921fb54442d18p+2 * v);
    *even = radius * s2_wave_f64(angle, angle.quarters + 1u);
    *odd = radius * s2_wave_f64(angle, angle.quarters);
}

/* -2 log(x), as a sum of two. */
static inline s2_pair twice_log(double x)
{
    s2_log_terms t = s2_log_parts(x);
    s2_pair half = s2_product(0.5 * t.f, t.f);
    /* log(2) in two parts; with the first, k log(2) is exact, and 0 or larger than f. */
    s2_pair sum = s2_fast_sum(t.k * 6.93147180369123816490e-01, t.f);
    s2_pair less = s2_fast_sum(sum.high, -half.high);
    double low = (less.low + sum.low) + ((t.rest - half.low) + t.k * 1.90821492927058770002e-10);
    s2_pair log = s2_fast_sum(less.high, low);
    return (s2_pair){2.0 * (0.0 - log.high), -2.0 * log.low};
}

static inline s2_pair root(s2_pair x)
{
    double high = sqrt(x.high);
    s2_pair square = s2_product(high, high);
    double low = ((x.high - square.high) - square.low + x.low) / (2.0 * high);
    return (s2_pair){high, high > 0.0 ? low : 0.0};
}

static inline double product_of(s2_pair x, s2_pair y)
{
    s2_pair exact = s2_product(x.high, y.high);
    return exact.high + (exact.low + (x.high * y.low + x.low * y.high));
}

static inline void box_muller_long(double u, double v, double *even, double *odd)
{
    s2_pair radius = root(twice_log(1.0 - u));
    s2_angle angle = in_quarters(0x1.921fb54442d18p+2 * v);
    s2_pair sine = s2_sine(angle.high, angle.low), cosine = s2_cosine(angle.high, angle.low);
    double along = product_of(radius, sine), across = product_of(radius, cosine);
    uint64_t swap = s2_mask((angle.quarters & 1u) != 0);
    *even = s2_flip_f64(s2_select(swap, along, across), (angle.quarters + 1u) << 62);
    *odd = s2_flip_f64(s2_select(swap, across, along), angle.quarters << 62);
}

/* Pairs of a group; of an odd end one number is not taken. */
#define PAIRS(name, size, uniform)                                                                 \
    static void pairs_##name(const uint32_t *words, int64_t n, double *values)                  \
    {                                                                                              \
        for (int64_t p = 0; p < (n + 1) / 2; p++) {                                                \
            const uint32_t *u = words + 2 * size * p, *v = u + size;                               \
            box_muller_##name(uniform(u), uniform(v), values + 2 * p, values + 2 * p + 1);         \
        }                                                                                          \
    }
#define OF_32(word) (s2_from_bits_f64(0x4330000000000000u | *word) - 0x1p52) * 0x1p-32
#define OF_53(word) (double)(int64_t)(joined(word) >> 11) * 0x1p-53
PAIRS(short, 1, OF_32)
PAIRS(long, 2, OF_53)

#define NORMAL(dtype, type, width, size, rounded)                                                  \
    static void make_normal_##dtype(                                                               \
        const draw *d, const uint32_t *words, int64_t first, int64_t n)                            \
    {                                                                                              \
        double values[WORDS / size];                                                               \
        type *y = (type *)d->y + first;                                                            \
        pairs_##width(words, n, values);                                                           \
        for (int64_t i = 0; i < n; i++)                                                            \
            y[i] = rounded(values[i]);                                                             \
    }
#define DRAWS(dtype, type, width, size, rounded)                                                   \
    NORMAL(dtype, type, width, size, rounded)                                                      \
    int s2_random_uniform_##dtype(const int64_t *state, type *y, int64_t *after, int64_t n)        \
    {                                                                                              \
        draw d = {.at = counter_of(state), .make = make_uniform_##dtype, .y = y, .n = n};          \
        return run_draw(&d, size, n, after);                                                       \
    }                                                                                              \
    int s2_random_normal_##dtype(const int64_t *state, type *y, int64_t *after, int64_t n)         \
    {                                                                                              \
        draw d = {.at = counter_of(state), .make = make_normal_##dtype, .y = y, .n = n};           \
        return run_draw(&d, size, n + n % 2, after);                                               \
    }
DRAWS(f16, uint16_t, short, 1, s2_f32_to_f16)
DRAWS(bf16, uint16_t, short, 1, s2_f32_to_bf16)
DRAWS(f32, float, short, 1, (float))
DRAWS(f64, double, long, 2, )
