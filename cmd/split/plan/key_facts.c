/* Learns from one pass over sorted rows how their keys look, what is under each leading piece of them, and a sample of rows. The
 * sample is bottom-k: the rows with the k lowest hashes of their keys, which are the same in any order of reading.
 *
 *   hash 0 |x x  x xx|..........................| 2^64      heap with the greatest of the k on top: a lower hash replaces it */
#include "cmd/split/plan/key_facts.h"

#include "base/bytes.h"
#include "base/heap.h"
#include "base/text.h"
#include "table/placement.h"

#define XXH_INLINE_ALL
#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

#define MS_FROM INT64_C(978307200000) /* 2001-01-01: as seconds it has 9 digits still, as any 10 from September on */
#define MS_TO INT64_C(4102444800000)  /* 2100-01-01 */

enum { OCEANBASE_KEY_BYTES = 1024, MOST = 9, OF = 10 };

static size_t leading_digits(struct bytes key) {
    size_t n = 0;
    while (n < key.n && key.p[n] >= '0' && key.p[n] <= '9') n++;
    return n;
}

static int64_t parse_digits(const uint8_t *p, size_t n) {
    int64_t v = 0;
    for (size_t i = 0; i < n; i++) v = v * 10 + (p[i] - '0');
    return v;
}

static bool is_ms(int64_t ms) {
    return ms >= MS_FROM && ms < MS_TO;
}

static bool is_day(int64_t year, int64_t month, int64_t day) {
    return year >= 1970 && year < 2100 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/* HHmmss */
static bool is_clock(const uint8_t *p) {
    return parse_digits(p, 2) < 24 && parse_digits(p + 2, 2) < 60 && parse_digits(p + 4, 2) < 60;
}

static enum key_head text_head(struct bytes key) {
    size_t n = leading_digits(key);
    if (n == 13 && is_ms(parse_digits(key.p, 13))) return HEAD_EPOCH_TEXT;
    if (n == 10 && is_ms(parse_digits(key.p, 10) * 1000)) return HEAD_EPOCH_TEXT;
    if (n == 19 && key.p[0] == '9' && memcmp(key.p, "9223372036854775807", 19) <= 0 && is_ms(INT64_MAX - parse_digits(key.p, 19)))
        return HEAD_REVERSED_TEXT;
    const bool has_day = n >= 8 && is_day(parse_digits(key.p, 4), parse_digits(key.p + 4, 2), parse_digits(key.p + 6, 2));
    if (has_day && (n == 8 || n == 12 || n == 14 || (n > 14 && is_clock(key.p + 8)))) return HEAD_DATE_TEXT;
    if (n > 13 && is_ms(parse_digits(key.p, 13))) return HEAD_EPOCH_TEXT; /* with an id directly after it */
    if (n == 4 && key.n >= 10 && key.p[4] == '-' && key.p[7] == '-' && leading_digits(bytes_of(key.p + 5, 2)) == 2 &&
        leading_digits(bytes_of(key.p + 8, 2)) == 2 &&
        is_day(parse_digits(key.p, 4), parse_digits(key.p + 5, 2), parse_digits(key.p + 8, 2)))
        return HEAD_DATE_TEXT;
    return HEAD_OTHER;
}

enum key_head key_head_of(struct bytes key) {
    enum key_head text = text_head(key);
    if (text != HEAD_OTHER || key.n < 8) return text;
    int64_t v = (int64_t)be64(key.p);
    if (is_ms(v)) return HEAD_EPOCH_LONG;
    return v > 0 && is_ms(INT64_MAX - v) ? HEAD_REVERSED_LONG : HEAD_OTHER;
}

static bool is_text(struct bytes key) {
    uint32_t code;
    size_t step;
    for (size_t i = 0; i < key.n; i += step)
        if (!(step = utf8_next(key.p + i, key.n - i, &code))) return false;
    return true;
}

/* key = last + 1 where both are as long: in decimal digits if the place that differs holds one, else in bytes. */
static bool is_successor(struct bytes last, struct bytes key) {
    size_t at = bytes_lcp(last, key);
    if (last.n != key.n || at == key.n || key.p[at] != last.p[at] + 1) return false;
    bool digits = key.p[at] >= '1' && key.p[at] <= '9';
    for (size_t i = at + 1; i < key.n; i++)
        if (key.p[i] != (digits ? '0' : 0x00) || last.p[i] != (digits ? '9' : 0xff)) return false;
    return true;
}

static void add_positions(struct key_facts *f, struct bytes key) {
    for (size_t i = 0; i < KEY_POSITIONS; i++) f->values[i][i < key.n ? key.p[i] : 256]++;
}

void key_facts_add(struct key_facts *f, struct bytes last, const struct weighed_row *row) {
    struct bytes key = row->row;
    if (last.p) f->successors += is_successor(last, key);
    if (!f->rows || key.n < f->shortest) f->shortest = key.n;
    if (key.n > f->longest) f->longest = key.n;
    f->rows++;
    f->cells += row->cells;
    f->bytes += row->bytes;
    f->key_bytes += key.n;
    f->cell_key_bytes += key.n * row->cells;
    f->of_length[key.n < KEY_POSITIONS ? key.n : KEY_POSITIONS]++;
    f->too_long += key.n > OCEANBASE_KEY_BYTES;
    f->heads[key_head_of(key)]++;
    f->not_text += !is_text(key);
    add_positions(f, key);
}

double key_facts_entropy(const struct key_facts *f, unsigned position) {
    double bits = 0;
    for (unsigned i = 0; i < 257 && f->rows; i++) {
        double share = (double)f->values[position][i] / (double)f->rows;
        if (share > 0) bits -= share * log2(share);
    }
    return bits;
}

enum key_head key_facts_head(const struct key_facts *f) {
    for (unsigned h = HEAD_OTHER + 1; h < HEAD_KINDS; h++)
        if (f->rows && f->heads[h] * OF >= f->rows * MOST) return h;
    return HEAD_OTHER;
}

const char *key_head_text(enum key_head h) {
    static const char *const texts[HEAD_KINDS] = {"nothing that looks like a time",    "a time in decimal digits",
                                                  "Long.MAX - time in decimal digits", "a date",
                                                  "milliseconds as 8 bytes",           "Long.MAX - milliseconds as 8 bytes"};
    return texts[h];
}

int prefix_runs_init(struct prefix_runs *r, const uint32_t *counts, uint32_t n_counts, uint64_t blocks, struct err *err) {
    *r = (struct prefix_runs){.counts = counts, .n_counts = n_counts};
    r->choices = calloc((size_t)(PLAN_PREFIX_MAX + 1) * n_counts, sizeof *r->choices);
    if (!r->choices) return err_nomem(err, 0, "a plan's choices");
    for (uint32_t length = 0; length <= PLAN_PREFIX_MAX; length++)
        for (uint32_t i = 0; i < n_counts; i++)
            if (plan_choice_init(&r->choices[length * n_counts + i], PLAN_KEY, length, counts[i], err)) return -1;
    for (uint32_t length = 0; blocks && length <= PLAN_PREFIX_MAX; length++)
        if (block_spread_init(&r->blocks[length], blocks, err)) return -1;
    return 0;
}

static uint64_t hash_of(struct bytes key) {
    int64_t hash = placement_key_hash(key);
    return hash == INT64_MIN ? 0 : (uint64_t)llabs(hash);
}

/* The rows gathered under the last row's first `length` bytes go where those bytes go. `hash` is theirs without sign. */
static void put_run(struct prefix_runs *r, uint32_t length, uint64_t hash) {
    const struct plan_part *from = &r->before[length];
    const struct plan_part run = {r->total.rows - from->rows,           r->total.cells - from->cells,
                                  r->total.bytes - from->bytes,         r->total.rows_low - from->rows_low,
                                  r->total.rows_high - from->rows_high, r->total.rows_most - from->rows_most,
                                  r->total.rows_var - from->rows_var,   r->total.bytes_var - from->bytes_var};
    const struct sampled_sums blocks = block_spread_take(&r->blocks[length]);
    for (uint32_t i = 0; i < r->n_counts; i++) {
        struct plan_choice *c = &r->choices[length * r->n_counts + i];
        plan_part_add(&c->parts[hash % c->n], &run);
        plan_choice_add_blocks(c, (uint32_t)(hash % c->n), &blocks);
    }
    r->distinct[length]++;
    if (run.bytes > r->heaviest[length]) r->heaviest[length] = run.bytes;
    r->before[length] = r->total;
}

/* Counts the runs that end at a row that shares `common` bytes with the last one; that of the whole key always ends. */
static void put_runs(struct prefix_runs *r, struct bytes last, size_t common) {
    uint64_t whole = hash_of(last);
    put_run(r, 0, whole);
    for (uint32_t length = (uint32_t)common + 1; length < r->longest; length++)
        put_run(r, length, length >= last.n ? whole : hash_of(bytes_of(last.p, length)));
}

static void copy_parts(struct plan_choice *to, const struct plan_choice *from) {
    memcpy(to->parts, from->parts, from->n * sizeof *from->parts);
    to->rows_sq = from->rows_sq;
    to->bytes_sq = from->bytes_sq;
}

/* Copies what is known of whole keys to what is known of `length` leading bytes. */
static void copy_whole(struct prefix_runs *r, uint32_t length) {
    for (uint32_t i = 0; i < r->n_counts; i++) copy_parts(&r->choices[length * r->n_counts + i], &r->choices[i]);
    r->distinct[length] = r->distinct[0];
    r->heaviest[length] = r->heaviest[0];
    r->before[length] = r->before[0];
    block_spread_copy(&r->blocks[length], &r->blocks[0]);
}

static void raise_longest(struct prefix_runs *r, size_t key_bytes) {
    while (r->longest <= PLAN_PREFIX_MAX && r->longest < key_bytes) {
        if (r->longest) copy_whole(r, r->longest);
        r->longest++;
    }
}

void prefix_runs_add(struct prefix_runs *r, struct bytes last, const struct weighed_row *row) {
    const struct plan_part one = plan_part_of(row);
    raise_longest(r, row->row.n); /* while the last row's run is open: it may continue at these lengths */
    if (last.p) put_runs(r, last, bytes_lcp(last, row->row));
    plan_part_add(&r->total, &one);
    block_spread_add(&r->blocks[0], row);
    for (uint32_t length = 1; row->n_pieces && length < r->longest; length++) block_spread_add(&r->blocks[length], row);
}

void prefix_runs_end(struct prefix_runs *r, struct bytes last) {
    if (last.p) put_runs(r, last, 0);
    raise_longest(r, PLAN_PREFIX_MAX + 1);
    for (uint32_t i = 0; i <= PLAN_PREFIX_MAX; i++) block_spread_free(&r->blocks[i]);
}

void prefix_runs_free(struct prefix_runs *r) {
    for (uint32_t i = 0; r->choices && i < (PLAN_PREFIX_MAX + 1) * r->n_counts; i++) plan_choice_free(&r->choices[i]);
    for (uint32_t i = 0; i <= PLAN_PREFIX_MAX; i++) block_spread_free(&r->blocks[i]);
    free(r->choices);
}

static bool has_greater_hash(const void *a, const void *b, const void *arg) {
    (void)arg;
    return ((const struct sampled_row *)a)->hash > ((const struct sampled_row *)b)->hash;
}

int row_sample_add(struct row_sample *s, const struct weighed_row *row, struct err *err) {
    if (!s->rows && !(s->rows = calloc(ROW_SAMPLE_ROWS, sizeof *s->rows))) return err_nomem(err, 0, "a sample of rows");
    uint64_t hash = XXH3_64bits(row->row.p, row->row.n);
    if (s->n == ROW_SAMPLE_ROWS && hash >= s->rows[0].hash) return 0;
    struct sampled_row r = {hash, row->cells, row->bytes, row->rank, row->newest_ms, placement_key_hash(row->row), 0, {0}};
    r.n = (uint32_t)(row->row.n < ROW_SAMPLE_KEY_BYTES ? row->row.n : ROW_SAMPLE_KEY_BYTES);
    memcpy(r.key, row->row.p, r.n);
    if (s->n < ROW_SAMPLE_ROWS) {
        heap_push(s->rows, s->n++, sizeof r, &r, has_greater_hash, NULL);
    } else {
        s->rows[0] = r;
        heap_sink(s->rows, s->n, sizeof r, 0, has_greater_hash, NULL);
    }
    return 0;
}

static int newest_first(const void *a, const void *b) {
    const struct sampled_row *x = a, *y = b;
    if (x->newest_ms != y->newest_ms) return x->newest_ms < y->newest_ms ? 1 : -1;
    return (x->rank < y->rank) - (x->rank > y->rank);
}

static int by_rank(const void *a, const void *b) {
    const struct sampled_row *x = a, *y = b;
    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : (x->hash > y->hash) - (x->hash < y->hash);
}

/* Neighbours in the input, not neighbours by key: of 1, 3, 5, 2, 4, 6 repeated, keys in order are in the input's order too. */
static void count_ascending(struct row_sample *s) {
    qsort(s->rows, s->n, sizeof *s->rows, by_rank);
    for (uint32_t i = 1; i < s->n; i++)
        s->ascending += bytes_cmp(sampled_row_key(&s->rows[i - 1]), sampled_row_key(&s->rows[i])) <= 0;
}

void row_sample_end(struct row_sample *s) {
    if (!s->n) return;
    count_ascending(s);
    qsort(s->rows, s->n, sizeof *s->rows, newest_first);
}

double row_sample_ascending(const struct row_sample *s) {
    return s->n > 1 ? (double)s->ascending / (s->n - 1) : 0;
}

void row_sample_free(struct row_sample *s) {
    free(s->rows);
}
