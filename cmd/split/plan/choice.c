/* Ways to partition a table, and what is in each partition then: by hash, by bounds that are given beforehand (presplits),
 * or by bounds that are cut between sorted rows so that partitions weigh the same. Of a sample the figures are estimates with
 * errors. */
#include "cmd/split/plan/choice.h"

#include "base/text.h"
#include "table/placement.h"

#include <math.h>
#include <stdlib.h>

int plan_choice_init(struct plan_choice *c, enum plan_kind kind, uint32_t prefix, uint32_t n, struct err *err) {
    *c = (struct plan_choice){.kind = kind, .prefix = prefix, .n = n, .room = n};
    c->parts = calloc(n, sizeof *c->parts);
    if (kind != PLAN_KEY) c->bounds = calloc(n, sizeof *c->bounds);
    if (!c->parts || (kind != PLAN_KEY && !c->bounds)) return err_nomem(err, n * sizeof *c->parts, "a plan's partitions");
    return 0;
}

void plan_choice_free(struct plan_choice *c) {
    for (uint32_t i = 0; c->bounds && i < c->room; i++) buf_free(&c->bounds[i]);
    free(c->bounds);
    free(c->parts);
    *c = (struct plan_choice){0};
}

uint32_t plan_choice_place(const struct plan_choice *c, struct bytes row) {
    if (c->kind == PLAN_KEY) {
        if (c->prefix && row.n > c->prefix) row.n = c->prefix;
        int64_t hash = placement_key_hash(row);
        return hash == INT64_MIN ? 0 : (uint32_t)(llabs(hash) % c->n);
    }
    uint32_t low = 0, high = c->n - 1; /* bounds that are not above the row */
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (bytes_cmp(buf_bytes(&c->bounds[mid]), row) <= 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

uint32_t plan_choice_place_from(const struct plan_choice *c, uint32_t from, struct bytes row) {
    while (from + 1 < c->n && bytes_cmp(buf_bytes(&c->bounds[from]), row) <= 0) from++;
    return from;
}

const char *plan_kind_name(enum plan_kind k) {
    static const char *const names[PLAN_KINDS] = {"key", "range", "hex", "decimal", "uniform", "number"};
    return names[k];
}

/* NumberStringSplit: 8 digits of the radix, lower case. */
static int put_number(struct plan_choice *c, uint32_t i, struct err *err) {
    bool hex = c->kind == PLAN_HEX;
    uint64_t step = (hex ? UINT64_C(1) << 32 : UINT64_C(100000000)) / c->n;
    return buf_printf(&c->bounds[i - 1], err, hex ? "%08llx" : "%08llu", (unsigned long long)(step * i));
}

/* Bytes.split of nothing and eight bytes ff, both included: 2^64 / n apart. */
static int put_uniform(struct plan_choice *c, uint32_t i, struct err *err) {
    uint64_t step = (uint64_t)(((unsigned __int128)1 << 64) / c->n);
    return buf_put_be64(&c->bounds[i - 1], step * i, err);
}

static int put_prefix(struct plan_choice *c, uint32_t i, struct err *err) {
    int width = 1;
    for (uint32_t top = c->n - 1; top >= 10; top /= 10) width++;
    return buf_printf(&c->bounds[i - 1], err, "%0*u", width, i);
}

int presplit_make(struct plan_choice *c, enum plan_kind kind, uint32_t n, struct err *err) {
    int rc = plan_choice_init(c, kind, 0, n, err);
    for (uint32_t i = 1; i < n && !rc; i++)
        rc = kind == PLAN_UNIFORM ? put_uniform(c, i, err) : kind == PLAN_NUMBER ? put_prefix(c, i, err) : put_number(c, i, err);
    return rc;
}

int range_cuts_init(struct range_cuts *c, uint32_t n, uint64_t total_bytes, uint64_t blocks, struct err *err) {
    *c = (struct range_cuts){.left = total_bytes};
    if (blocks && block_spread_init(&c->blocks, blocks, err)) return -1;
    return plan_choice_init(&c->choice, PLAN_RANGE, 0, n, err);
}

static void end_partition(struct range_cuts *c) {
    const struct sampled_sums sums = block_spread_take(&c->blocks);
    plan_choice_add_blocks(&c->choice, c->made, &sums);
}

/* Returns whether the partition is nearer to its share of what is left without this row than with it. */
static bool is_full(const struct range_cuts *c, const struct weighed_row *row) {
    const struct plan_part *p = &c->choice.parts[c->made];
    uint64_t share = c->left / (c->choice.n - c->made);
    return p->rows && p->bytes + row->bytes / 2 >= share;
}

/* Returns whether there was no bound without a NUL for so long that there may be none, as between numbers of 8 bytes. */
static bool is_overfull(const struct range_cuts *c) {
    const uint64_t share = c->left / (c->choice.n - c->made);
    return c->choice.parts[c->made].bytes > share + share / 32;
}

int range_cuts_add(struct range_cuts *c, struct bytes last, const struct weighed_row *row, struct err *err) {
    if (last.p && c->made + 1 < c->choice.n && is_full(c, row)) {
        int found = separator_text(last, row->row, false, &c->choice.bounds[c->made], err);
        if (!found && (c->choice.has_nul || is_overfull(c))) {
            found = separator_text(last, row->row, true, &c->choice.bounds[c->made], err);
            c->choice.has_nul |= found > 0;
        }
        if (found < 0) return -1;
        if (found) {
            end_partition(c);
            c->left -= c->choice.parts[c->made++].bytes;
        }
    }
    struct plan_part one = plan_part_of(row);
    plan_part_add(&c->choice.parts[c->made], &one);
    block_spread_add(&c->blocks, row);
    return 0;
}

void range_cuts_end(struct range_cuts *c) {
    end_partition(c);
    block_spread_free(&c->blocks);
    c->choice.n = c->made + 1;
}

void range_cuts_free(struct range_cuts *c) {
    plan_choice_free(&c->choice);
    block_spread_free(&c->blocks);
}

/* Returns how many leading bytes are whole characters, without NUL unless it is wanted. */
static size_t text_bytes(struct bytes b, bool nul) {
    size_t i = 0, step;
    uint32_t code;
    while (i < b.n && (step = utf8_next(b.p + i, b.n - i, &code)) && (code || nul)) i += step;
    return i;
}

/* The shortest prefix of row that ends between characters and is longer than `common`: 0 = none. */
static size_t prefix_bytes(struct bytes row, size_t common, size_t text) {
    uint32_t code;
    for (size_t i = 0; i < text; i += utf8_next(row.p + i, row.n - i, &code))
        if (i > common) return i;
    return text > common ? text : 0;
}

/* An ASCII character between the two at the first place where they differ; where that is no place for a character: 0. */
static uint8_t ascii_between(struct bytes before, struct bytes row, size_t common) {
    uint8_t low = common < before.n ? before.p[common] : 0, high = row.p[common];
    if (low >= 0x7f || high <= low) return 0;
    return high < 0x80 ? 0 : 0x7f; /* below 0x80 the row's own character would have been taken */
}

int separator_text(struct bytes before, struct bytes row, bool nul, struct buf *out, struct err *err) {
    size_t common = bytes_lcp(before, row), text = text_bytes(row, nul), n = prefix_bytes(row, common, text);
    buf_clear(out);
    if (n) return buf_put(out, row.p, n, err) ? -1 : 1;
    uint8_t c = text >= common ? ascii_between(before, row, common) : 0;
    if (!c) return 0;
    return buf_put(out, row.p, common, err) || buf_put_byte(out, c, err) ? -1 : 1;
}

#define DOUBT 0.003

/* A normal variable is outside of z standard deviations with less than exp(-z^2 / 2); n of them are asked at once. */
static double sigmas_for(uint32_t n) {
    return sqrt(2 * log(n / DOUBT));
}

/* Returns what a partition may hold of which next to nothing was seen. The variance is not known there: the number of draws is
 * what a Poisson variable allows, each as large as draws are in the mean; and if blocks come from sorted rows, the blocks before
 * and after may belong to it. */
static double least(double z, double share, double var, double squares, double sum) {
    return sum > 0 ? (z * z / 2 * var + 2 * squares) / sum * (1 - share) / share : 0;
}

struct precision precision_of(const struct plan_choice *c, double share, uint64_t blocks) {
    struct precision p = {.share = share, .common = blocks ? 1.0 / (double)blocks : 0, .sigmas = sigmas_for(c->n)};
    double rows = 0, bytes = 0, rows_var = 0, bytes_var = 0;
    for (uint32_t i = 0; i < c->n && share < 1; i++) {
        rows += (double)c->parts[i].rows;
        bytes += (double)c->parts[i].bytes;
        rows_var += c->parts[i].rows_var;
        bytes_var += c->parts[i].bytes_var;
    }
    p.rows_least = least(p.sigmas, share, rows_var, c->rows_sq, rows);
    p.bytes_least = least(p.sigmas, share, bytes_var, c->bytes_sq, bytes);
    return p;
}

static double error_of(const struct precision *p, double var) {
    return p->sigmas * sqrt((1 - p->share) * (var > 0 ? var : 0)) / p->share;
}

struct estimate estimate_of(const struct precision *p, const struct plan_part *part) {
    struct estimate e = {(double)part->rows, (double)part->cells / p->share, (double)part->bytes / p->share, 0, 0};
    if (p->share >= 1) return e;
    /* Not fewer than were seen, and not more than if no two were the same: sums can be outside of that. */
    double low = part->rows_low > e.rows ? part->rows_low : e.rows, high = part->rows_high > low ? part->rows_high : low;
    if (high > part->rows_most) high = part->rows_most > low ? part->rows_most : low;
    e.rows = (low + high) / 2;
    e.rows_error = error_of(p, part->rows_var) + (high - low) / 2 + p->rows_least + p->common * e.rows;
    e.bytes_error = error_of(p, part->bytes_var) + p->bytes_least + p->common * e.bytes;
    return e;
}
