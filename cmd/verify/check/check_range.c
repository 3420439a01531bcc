/* Ranges of blocks of one file: cut off in file order, read by any thread in any order, and joined again.
 *
 *   cut   |--0--|--1--|--2--|--3--|     block headers are compared with the index, bytes go into the checksum of the file
 *   join  |0   1|     |3|               neighbours that are both read become one: chains of blocks, order, and sums add up
 *
 * What is kept is bounded by the number of threads. */
#include "base/buf.h"
#include "base/fs.h"
#include "base/outfile.h"
#include "cell/keyvalue.h"
#include "cmd/verify/check/check_range.h"
#include "hfile/bloom.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_ranges.h"
#include "hfile/index_reader.h"

#include <stdlib.h>

struct check_range check_range_new(uint64_t number) {
    struct check_range r = {.from = number, .to = number + 1};
    r.sums.ts_min = r.sums.earliest_put = r.sums.next_expiry = INT64_MAX;
    r.sums.ts_max = INT64_MIN;
    return r;
}

void check_range_free(struct check_range *r) {
    struct check_sums *m = &r->sums;
    struct buf *all[] = {&r->index_keys, &m->biggest.key, &m->no_key.row,     &m->no_marked.row,
                         &r->first_key,  &r->last_key,    &r->first_index_key};
    for (size_t i = 0; i < countof(all); i++) buf_free(all[i]);
}

static void swap(struct buf *a, struct buf *b) {
    struct buf t = *a;
    *a = *b;
    *b = t;
}

static void add_missing(struct check_missing *a, struct check_missing *b) {
    if (!a->n) swap(&a->row, &b->row);
    a->n += b->n;
}

static void add_sums(struct check_sums *a, struct check_sums *b) {
    tally_add(&a->tally, b->tally);
    a->kv_bytes += b->kv_bytes;
    a->key_bytes += b->key_bytes;
    a->value_bytes += b->value_bytes;
    a->deletes += b->deletes;
    a->references += b->references;
    a->family_deletes += b->family_deletes;
    a->rows += b->rows;
    a->keys += b->keys;
    a->marked_rows += b->marked_rows;
    a->zero_ts |= b->zero_ts;
    add_missing(&a->no_key, &b->no_key);
    add_missing(&a->no_marked, &b->no_marked);
    if (b->max_seq > a->max_seq) a->max_seq = b->max_seq;
    if (b->ts_min < a->ts_min) a->ts_min = b->ts_min;
    if (b->ts_max > a->ts_max) a->ts_max = b->ts_max;
    if (b->earliest_put < a->earliest_put) a->earliest_put = b->earliest_put;
    if (b->next_expiry < a->next_expiry) a->next_expiry = b->next_expiry;
    if (b->max_tags > a->max_tags) a->max_tags = b->max_tags;
    if (b->biggest.bytes > a->biggest.bytes) { /* of equal ones the first counts */
        a->biggest.bytes = b->biggest.bytes;
        swap(&a->biggest.key, &b->biggest.key);
    }
}

/* Blocks name the one before them, also over the border. */
static void join_chains(const struct check_spans *s, struct check_range *a, const struct check_range *b) {
    struct hfile_passed *x = &a->passed;
    const struct hfile_passed *y = &b->passed;
    for (unsigned i = 0; i < BLOCK_TYPES; i++) {
        if (x->last[i] != HFILE_CHAIN_NONE && y->first_prev[i] >= -1 && x->last[i] != y->first_prev[i])
            check_findings_add(s->findings, FINDING_METADATA, s->path,
                               "the first %s block at or after %llu names %lld as the block before it, that was at %lld",
                               block_type_name((enum block_type)i), (unsigned long long)b->range.offset,
                               (long long)y->first_prev[i], (long long)x->last[i]);
        if (x->first_prev[i] == HFILE_CHAIN_NONE) x->first_prev[i] = y->first_prev[i];
        if (y->gap || y->last[i] != HFILE_CHAIN_NONE) x->last[i] = y->last[i];
    }
    x->gap |= y->gap;
    x->data_blocks += y->data_blocks;
    x->cells += y->cells;
    x->plain_bytes += y->plain_bytes;
}

static bool same_filter_key(const struct check_spans *s, const struct kv_key *a, const struct kv_key *b) {
    switch (s->bloom) {
    case HFILE_BLOOM_ROWCOL: return bytes_eq(a->row, b->row) && bytes_eq(a->qualifier, b->qualifier);
    case HFILE_BLOOM_PREFIX:
        return bytes_eq(bloom_kind_prefix(a->row, s->bloom_prefix), bloom_kind_prefix(b->row, s->bloom_prefix));
    default: return bytes_eq(a->row, b->row);
    }
}

/* The last cell of a, the first of b, and what the index has between them. */
static void join_cells(const struct check_spans *s, struct check_range *a, const struct check_range *b) {
    struct kv_key end, begin, key;
    unsigned long long at = b->range.offset;
    if (!kv_key_parse(buf_bytes(&a->last_key), &end) || !kv_key_parse(buf_bytes(&b->first_key), &begin)) return;
    if (kv_key_cmp(&end, &begin) > 0)
        check_findings_add(s->findings, FINDING_ORDER, s->path, "cells are not in order: keys descend at block %llu", at);
    if (!bytes_eq(end.family, begin.family))
        check_findings_add(s->findings, FINDING_METADATA, s->path, "cells of a second family from block %llu on", at);
    if (kv_key_parse(buf_bytes(&b->first_index_key), &key) && kv_key_cmp(&end, &key) >= 0)
        check_findings_add(s->findings, FINDING_HIDDEN, s->path,
                           "the index sends cells to the block at %llu that are in the block before it", at);
    if (same_filter_key(s, &end, &begin)) a->sums.keys--;
    if (!bytes_eq(end.row, begin.row)) return;
    a->sums.rows--;
    if (a->last_marked && b->first_marked) a->sums.marked_rows--;
}

/* Returns whether all of r is one row, so that what is known of its first row holds for its last. */
static bool is_one_row(const struct check_range *r) {
    struct kv_key a, b;
    return kv_key_parse(buf_bytes(&r->first_key), &a) && kv_key_parse(buf_bytes(&r->last_key), &b) && bytes_eq(a.row, b.row);
}

/* Adds b, which follows a, to a, and frees b. */
static void join_ranges(const struct check_spans *s, struct check_range *a, struct check_range *b) {
    bool a_one = is_one_row(a), b_one = is_one_row(b);
    struct kv_key end, begin;
    bool meet = kv_key_parse(buf_bytes(&a->last_key), &end) && kv_key_parse(buf_bytes(&b->first_key), &begin) &&
                bytes_eq(end.row, begin.row);
    join_chains(s, a, b);
    add_sums(&a->sums, &b->sums);
    join_cells(s, a, b);
    bool marked = b->last_marked || (meet && b_one && a->last_marked);
    if (a_one && meet) a->first_marked |= b->first_marked;
    if (b->first_key.n) {
        a->last_marked = marked;
        swap(&a->last_key, &b->last_key);
    }
    if (!a->first_key.n) {
        a->first_marked = b->first_marked;
        swap(&a->first_key, &b->first_key);
        swap(&a->first_index_key, &b->first_index_key);
    }
    a->to = b->to;
    check_range_free(b);
}

static void remove_range(struct check_spans *s, size_t at) {
    s->n--;
    memmove(s->all + at, s->all + at + 1, (s->n - at) * sizeof *s->all);
}

int check_spans_add(struct check_spans *s, struct check_range *r, struct err *err) {
    size_t at = s->n;
    buf_free(&r->index_keys);
    if (grow_array(&s->all, s->n, sizeof *s->all, "block ranges", err)) {
        check_range_free(r);
        return -1;
    }
    while (at && s->all[at - 1].from > r->from) at--;
    struct check_range *all = s->all;
    memmove(all + at + 1, all + at, (s->n++ - at) * sizeof *all);
    all[at] = *r;
    if (at + 1 < s->n && all[at].to == all[at + 1].from) {
        join_ranges(s, &all[at], &all[at + 1]);
        remove_range(s, at + 1);
    }
    if (at && all[at - 1].to == all[at].from) {
        join_ranges(s, &all[at - 1], &all[at]);
        remove_range(s, at);
    }
    return 0;
}

void check_spans_free(struct check_spans *s) {
    for (size_t i = 0; i < s->n; i++) check_range_free(&s->all[i]);
    free(s->all);
    s->all = NULL;
    s->n = 0;
}

enum {
    KEYS_BYTES = 1 << 20, /* of index keys end a range */
    WINDOW_BYTES = 256 << 10
};

struct key_head { /* of an entry in index_keys */
    uint64_t offset;
    uint32_t n;
};

/* ---- the index beside the blocks ---- */

static void next_entry(struct check_cut *c) {
    struct err mine = {0};
    int rc;
    c->has_entry = false;
    if (!c->index || (rc = index_cursor_next(c->index, &c->entry, &mine)) == 0) return;
    c->has_entry = rc == 1;
    if (rc == 1) return;
    c->index_whole = false;
    err_keep(&c->index_err, &mine);
    index_cursor_close(c->index); /* the scan reads its blocks too, and reports damage */
    c->index = NULL;
}

static void add_index_finding(struct check_cut *c, uint64_t block, const char *what) {
    check_findings_add(c->findings, FINDING_HIDDEN, hfile_info(c->h)->path, "the index %s the data block at %llu", what,
                       (unsigned long long)block);
}

static int keep_key(struct check_cut *c, struct err *err) {
    struct key_head head = {c->entry.offset, (uint32_t)c->entry.key.n};
    struct buf *b = &c->out->index_keys;
    if (buf_put(b, &head, sizeof head, err) || buf_put(b, c->entry.key.p, c->entry.key.n, err)) return -1;
    return b->n >= KEYS_BYTES;
}

static int visit_block(void *arg, const struct hfile_block *b, struct err *err) {
    struct check_cut *c = arg;
    if (block_chain(b->header.type) != BLOCK_DATA) return 0;
    c->data_blocks++;
    for (; c->has_entry && c->entry.offset < b->offset; next_entry(c))
        add_index_finding(c, c->entry.offset, "names, where none begins,");
    if (!c->has_entry || c->entry.offset != b->offset) {
        if (c->index_whole) add_index_finding(c, b->offset, "does not know");
        return 0;
    }
    if (c->entry.disk_bytes != b->disk_bytes)
        check_findings_add(c->findings, FINDING_HIDDEN, hfile_info(c->h)->path,
                           "the index says %u bytes of the block at %llu, which has %u", c->entry.disk_bytes,
                           (unsigned long long)b->offset, b->disk_bytes);
    int rc = keep_key(c, err);
    next_entry(c);
    return rc;
}

struct bytes check_cut_key(const struct check_range *r, size_t *pos, uint64_t offset) {
    struct key_head head;
    while (r->index_keys.n - *pos >= sizeof head) {
        memcpy(&head, r->index_keys.p + *pos, sizeof head);
        if (head.offset > offset) break;
        struct bytes key = bytes_of(r->index_keys.p + *pos + sizeof head, head.n);
        *pos += sizeof head + head.n;
        if (head.offset == offset) return key;
    }
    return (struct bytes){0};
}

/* ---- the checksum ---- */

/* Everything up to `end` that is not in it yet. */
static int sum_to(struct check_cut *c, uint64_t end, struct err *err) {
    while (c->sum && c->summed < end) {
        size_t n = end - c->summed < WINDOW_BYTES ? (size_t)(end - c->summed) : WINDOW_BYTES;
        if (hfile_read_raw(c->h, c->window.p, n, c->summed, err)) return -1;
        file_sum_add(c->sum, c->window.p, n);
        c->summed += n;
    }
    return 0;
}

int check_cut_sum(struct check_cut *c, char hex[17], struct err *err) {
    if (sum_to(c, hfile_info(c->h)->file_bytes, err)) return -1;
    file_sum_hex(c->sum, hex);
    return 0;
}

/* ---- ranges ---- */

/* A header is damaged: from here on ranges end where blocks can be found. */
static int begin_cutter(struct check_cut *c, struct err *err) {
    struct hfile_range span = {c->at, hfile_info(c->h)->load_on_open_offset};
    c->index_whole = false;
    index_cursor_close(c->index);
    c->index = NULL;
    c->has_entry = false;
    c->cutter = hfile_cutter_open(c->h, &span, err);
    return c->cutter ? 0 : -1;
}

static bool is_damage(const struct err *e) {
    return (e->code == ERR_INPUT && !e->sys) || e->code == ERR_LIMIT; /* a wrong size looks like a lack of memory */
}

int check_cut_next(struct check_cut *c, struct check_range *out, struct err *err) {
    struct err mine = {0};
    *out = check_range_new(c->ranges);
    c->out = out;
    int rc = c->cutter ? hfile_cutter_next(c->cutter, c->range_bytes, &out->range, &mine)
                       : hfile_range_visit(c->h, &c->at, c->range_bytes, &out->range, visit_block, c, &mine);
    if (rc < 0 && !c->cutter && is_damage(&mine)) {
        mine = (struct err){0};
        buf_clear(&out->index_keys);
        rc = begin_cutter(c, &mine) ? -1 : hfile_cutter_next(c->cutter, c->range_bytes, &out->range, &mine);
    }
    if (rc < 0) err_keep(err, &mine);
    if (rc == 1 && sum_to(c, out->range.end, err)) rc = -1;
    c->ranges += rc == 1;
    if (rc != 1) check_range_free(out);
    if (rc == 0)
        for (; c->has_entry; next_entry(c)) add_index_finding(c, c->entry.offset, "names, where none begins,");
    return rc;
}

int check_cut_open(struct check_cut *c, const struct hfile *h, bool sum, size_t range_bytes, struct check_findings *findings,
                   struct err *err) {
    struct err mine = {0};
    *c = (struct check_cut){.h = h, .findings = findings, .range_bytes = range_bytes};
    c->index = index_cursor_open(h, &mine);
    c->index_whole = c->index != NULL;
    if (!c->index && mine.code == ERR_LIMIT) {
        err_keep(err, &mine);
        return -1;
    }
    next_entry(c);
    if (!sum) return 0;
    if (!(c->sum = file_sum_new(err))) return -1;
    return buf_reserve(&c->window, WINDOW_BYTES, err);
}

void check_cut_close(struct check_cut *c) {
    hfile_cutter_close(c->cutter);
    index_cursor_close(c->index);
    file_sum_free(c->sum);
    buf_free(&c->window);
}
