/* How are words put in order? Included once for each NAME, of words of the type WORD: the upper
 * half is a key and the lower, of BITS bits, says where it stood. So no two are equal. */

static void NAME(insert)(WORD *x, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        WORD word = x[i];
        int64_t j = i;
        for (; j > 0 && word < x[j - 1]; j--)
            x[j] = x[j - 1];
        x[j] = word;
    }
}

static void NAME(merge)(const WORD *a, int64_t n, const WORD *b, int64_t m, WORD *out)
{
    int64_t i = 0, j = 0;
    while (i < n && j < m) {
        bool second = b[j] < a[i];
        *out++ = second ? b[j] : a[i];
        i += !second, j += second;
    }
    memcpy(out, a + i, (size_t)(n - i) * sizeof *a);
    memcpy(out + (n - i), b + j, (size_t)(m - j) * sizeof *b);
}

/* The two that follow give which of `x` and `spare` holds the words in order. */
static WORD *NAME(merge_sort)(WORD *x, WORD *spare, int64_t n)
{
    for (int64_t i = 0; i < n; i += RUN)
        NAME(insert)(x + i, smaller(RUN, n - i));
    for (int64_t run = RUN; run < n; run *= 2) {
        for (int64_t i = 0; i < n; i += 2 * run) {
            int64_t first = smaller(run, n - i), second = smaller(run, n - i - first);
            NAME(merge)(x + i, first, x + i + first, second, spare + i);
        }
        WORD *swap = x;
        x = spare, spare = swap;
    }
    return x;
}

static WORD *NAME(radix_sort)(WORD *x, WORD *spare, int64_t n, int bytes)
{
    int64_t counts[8][256] = {{0}};
    for (int64_t i = 0; i < n; i++)
        for (int byte = 0; byte < bytes; byte++)
            counts[byte][(uint8_t)(x[i] >> (BITS + 8 * byte))]++;
    for (int byte = 0; byte < bytes; byte++) {
        int64_t *places = counts[byte], next = 0;
        int shift = BITS + 8 * byte;
        if (places[(uint8_t)(x[0] >> shift)] == n)
            continue; /* it is the same in all words */
        for (int digit = 0; digit < 256; digit++) {
            int64_t count = places[digit];
            places[digit] = next, next += count;
        }
        for (int64_t i = 0; i < n; i++)
            spare[places[(uint8_t)(x[i] >> shift)]++] = x[i];
        WORD *swap = x;
        x = spare, spare = swap;
    }
    return x;
}

static WORD *NAME(sort)(WORD *x, WORD *spare, int64_t n, int bytes)
{
    return n <= FEW ? NAME(merge_sort)(x, spare, n) : NAME(radix_sort)(x, spare, n, bytes);
}

/* The first `k` words of a line, of which blocks are looked at in turns: those that may be among
 * them are gathered, and cut to `k` when there is no place for another block. */
static WORD *NAME(first)(const job *j, const char *x, WORD *words, WORD *spare)
{
    int64_t have = 0;
    bool is_full = false;
    WORD block[BLOCK], last = 0;
    for (int64_t i = 0; i < j->n; i += BLOCK) {
        int64_t count = smaller(BLOCK, j->n - i);
        NAME(load)(j, x, i, count, block);
        for (int64_t b = 0; b < count; b++) {
            words[have] = block[b];
            have += !is_full | (block[b] < last);
        }
        if (have + BLOCK <= capacity(j) && i + BLOCK < j->n)
            continue;
        WORD *found = NAME(sort)(words, spare, have, j->bytes);
        spare = found == words ? spare : words, words = found;
        if (have >= j->k)
            is_full = true, have = j->k, last = words[j->k - 1];
    }
    return words;
}

static int NAME(lines)(void *data, int64_t begin, int64_t end)
{
    const job *j = data;
    /* One more word than they hold: a word is written before it is known to count. */
    size_t size = (size_t)capacity(j) + 1;
    WORD *words = s2_workspace(S2_SORT, 2 * size * sizeof *words);
    if (!words)
        return 1;
    for (int64_t line = begin; line < end; line++) {
        int64_t outer = line / j->inner, inner = line % j->inner;
        const char *x = j->x + (outer * j->n * j->inner + inner) * j->bytes;
        const WORD *found = words;
        if (j->k == j->n) {
            NAME(load)(j, x, 0, j->n, words);
            found = NAME(sort)(words, words + size, j->n, j->bytes);
        } else {
            found = NAME(first)(j, x, words, words + size);
        }
        int64_t at = outer * j->k * j->inner + inner;
        for (int64_t i = 0; i < j->k; i++, at += j->inner) {
            int64_t place = (int64_t)(found[i] & (((WORD)1 << BITS) - 1));
            j->indices[at] = place;
            move(j->values + at * j->bytes, x + place * j->inner * j->bytes, j->bytes);
        }
    }
    return 0;
}

#undef NAME
#undef WORD
#undef BITS
