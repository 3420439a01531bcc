#include "pipeline/check_file.h"

#include "base/be.h"
#include "base/outfile.h"
#include "cell/keyvalue.h"
#include "hfile/hfile_reader.h"
#include "pipeline/check_bloom.h"

#include <stdlib.h>

/* What one range of blocks holds. */
struct range_result {
    struct hfile_range range;
    struct tally tally;
    uint64_t kv_bytes, blocks, family_deletes;
    int64_t ts_min, ts_max, earliest_put;
    bool zero_ts; /* a DeleteColumn or DeleteFamily widens TIMERANGE to 0 */
    uint64_t max_seq;
    struct buf first_key, last_key;
};

struct checker {
    const struct check_file_opts *o;
    struct hfile *h;
    const struct hfile_info *info;
    struct range_result *ranges;
    size_t n, cap;
    struct err err; /* stop, memory */
    bool damaged, wrong_sum;
};

/* Damage is a finding; everything else ends the run. */
static void take_error(struct checker *c, const struct err *e) {
    if (e->code == ERR_INPUT || e->code == ERR_UNSUPPORTED) {
        problems_add(c->o->problems, PROBLEM_DAMAGED, "%s", e->text);
#pragma omp atomic write
        c->damaged = true;
        return;
    }
#pragma omp critical(check_error)
    err_keep(&c->err, e);
}

/* ---- one range ---- */

static void note_cells(struct range_result *r, const struct row_part *part) {
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        r->kv_bytes += kv_size(part, c, false) + (c->tags.n ? 2 + c->tags.n : 0);
        if (c->ts_ms < r->ts_min) r->ts_min = c->ts_ms;
        if (c->ts_ms > r->ts_max) r->ts_max = c->ts_ms;
        if (c->seq > r->max_seq) r->max_seq = c->seq;
        if (c->type == CELL_PUT && c->ts_ms < r->earliest_put) r->earliest_put = c->ts_ms;
        if (c->type == CELL_DELETE_COLUMN || c->type == CELL_DELETE_FAMILY) r->zero_ts = true;
        if (cell_is_family_delete(c->type)) r->family_deletes++;
    }
}

static void check_row(const struct checker *c, const struct row_part *part) {
    const struct check_file_opts *o = c->o;
    if (!o->expected) return;
    uint32_t index = 0;
    enum place_result p = placement_of(o->placement, part->row, &index);
    if (p == PLACE_OK && index == o->expected->partition) return;
    char row[64];
    size_t n = part->row.n < 30 ? part->row.n : 30;
    for (size_t i = 0; i < n; i++) snprintf(row + 2 * i, 3, "%02x", part->row.p[i]);
    if (p == PLACE_OK)
        problems_add(o->problems, PROBLEM_MISPLACED, "%s: row hex:%s%s belongs to partition %u", o->path, n ? row : "",
                     n < part->row.n ? "…" : "", index);
    else
        problems_add(o->problems, PROBLEM_MISPLACED, "%s: row hex:%s%s: %s", o->path, n ? row : "", n < part->row.n ? "…" : "",
                     placement_why(p));
}

static int scan_range(struct checker *c, struct range_result *r, struct err *err) {
    struct hfile_scan_opts so = {.range = r->range, .tally = &r->tally};
    struct check_bloom bloom;
    struct source *scan = check_bloom_open(&bloom, c->h, c->o->problems, err) ? NULL : hfile_scan_open(c->h, &so, err);
    struct row_part part;
    int more = -1;
    while (scan && (more = source_next(scan, &part, err)) == 1) {
        note_cells(r, &part);
        if (part.first) check_row(c, &part);
        if ((more = check_bloom_part(&bloom, &part, err))) break;
    }
    if (more == 0) {
        struct bytes first, last;
        uint64_t cells;
        hfile_scan_bounds(scan, &first, &last);
        hfile_scan_counts(scan, &r->blocks, &cells);
        if (buf_copy(&r->first_key, first, err) || buf_copy(&r->last_key, last, err)) more = -1;
    }
    source_close(scan);
    check_bloom_close(&bloom);
    return more;
}

static void range_task(struct checker *c, struct range_result *r) {
    struct err mine = {0};
    if (stop_check(c->o->job->stop, &mine) || scan_range(c, r, &mine)) take_error(c, &mine);
}

static int list_ranges(struct checker *c, struct err *err) {
    uint64_t cursor = 0;
    struct hfile_range range;
    int more;
    while ((more = hfile_range_next(c->h, &cursor, c->o->range_bytes, &range, err)) == 1) {
        if (c->n == c->cap) {
            size_t cap = c->cap ? c->cap * 2 : 16;
            struct range_result *p = realloc(c->ranges, cap * sizeof *p);
            if (!p) return err_nomem(err, cap * sizeof *p, "block ranges");
            c->ranges = p;
            c->cap = cap;
        }
        c->ranges[c->n++] =
            (struct range_result){.range = range, .ts_min = INT64_MAX, .ts_max = INT64_MIN, .earliest_put = INT64_MAX};
    }
    return more;
}

/* ---- the file as a whole ---- */

/* The whole file against the manifest. */
static void check_sum(struct checker *c) {
    char hex[17] = "";
    struct err mine = {0};
    if (file_sum_of(c->o->path, hex, &mine))
        take_error(c, &mine);
    else if (strcmp(hex, c->o->expected->checksum)) {
        c->wrong_sum = true;
        problems_add(c->o->problems, PROBLEM_DAMAGED, "%s: file checksum %s, the manifest says %s", c->o->path, hex,
                     c->o->expected->checksum);
    }
}

static int visit_index(void *arg, const struct hfile_index_entry *e, struct err *err) {
    uint64_t *state = arg; /* entries seen, last offset */
    (void)err;
    state[0]++;
    state[1] = e->offset;
    return 0;
}

static void check_index(struct checker *c, uint64_t blocks) {
    struct err mine = {0};
    uint64_t state[2] = {0, 0};
    if (hfile_index_walk(c->h, visit_index, state, &mine))
        take_error(c, &mine);
    else if (!c->o->quick && state[0] != blocks)
        problems_add(c->o->problems, PROBLEM_METADATA, "%s: the index names %llu blocks, there are %llu", c->o->path,
                     (unsigned long long)state[0], (unsigned long long)blocks);
}

static void wrong(struct checker *c, const char *what, long long found, long long said) {
    problems_add(c->o->problems, PROBLEM_METADATA, "%s: %s is %lld, the file info says %lld", c->o->path, what, found, said);
}

/* File info against what the cells are. */
static void check_info(struct checker *c, const struct range_result *all) {
    const struct hfile_info *i = c->info;
    struct bytes v = hfile_find(c->h, "DELETE_FAMILY_COUNT");
    if (v.p && v.n == 8 && be64(v.p) != all->family_deletes)
        wrong(c, "the number of family delete markers", (long long)all->family_deletes, (long long)be64(v.p));
    if (i->has_ts_range && all->tally.cells) {
        int64_t min = all->zero_ts && all->ts_min > 0 ? 0 : all->ts_min;
        if (i->ts_min > min) wrong(c, "the smallest timestamp", min, i->ts_min);
        if (i->ts_max < all->ts_max) wrong(c, "the largest timestamp", all->ts_max, i->ts_max);
        if (c->o->expected && (i->ts_min != min || i->ts_max != all->ts_max)) wrong(c, "TIMERANGE (start)", min, i->ts_min);
    }
    if (i->has_earliest_put && i->earliest_put_ms != all->earliest_put)
        wrong(c, "EARLIEST_PUT_TS", all->earliest_put, i->earliest_put_ms);
    if (i->has_mvcc && i->max_mvcc < all->max_seq)
        wrong(c, "the largest sequence id", (long long)all->max_seq, (long long)i->max_mvcc);
    v = hfile_find(c->h, "OBKV.DIGEST");
    struct bytes n = hfile_find(c->h, "OBKV.CELLS");
    /* HBase copies unknown keys when it splits a file: trusted only where the count is the file's own. */
    if (v.p && v.n == 16 && n.p && n.n == 8 && be64(n.p) == i->cells &&
        (be64(v.p) != all->tally.digest.hi || be64(v.p + 8) != all->tally.digest.lo))
        problems_add(c->o->problems, PROBLEM_COUNT, "%s: the digest of its cells is not OBKV.DIGEST", c->o->path);
}

static void check_expected(struct checker *c, const struct range_result *all) {
    const struct manifest_file *m = c->o->expected;
    if (m->tally.cells != all->tally.cells || !digest_eq(m->tally.digest, all->tally.digest)) {
        char a[DIGEST_HEX], b[DIGEST_HEX];
        digest_print(all->tally.digest, a);
        digest_print(m->tally.digest, b);
        problems_add(c->o->problems, PROBLEM_COUNT, "%s: %llu cells with digest %s, the manifest says %llu with %s", c->o->path,
                     (unsigned long long)all->tally.cells, a, (unsigned long long)m->tally.cells, b);
    }
    if (m->kv_bytes != all->kv_bytes)
        problems_add(c->o->problems, PROBLEM_COUNT, "%s: %llu KeyValue bytes, the manifest says %llu", c->o->path,
                     (unsigned long long)all->kv_bytes, (unsigned long long)m->kv_bytes);
}

/* Opened trailer and file info against the manifest: all that --quick sees. */
static void check_opened(struct checker *c) {
    const struct manifest_file *m = c->o->expected;
    struct kv_key first, last;
    const struct hfile_info *i = c->info;
    if (i->cells != m->tally.cells)
        problems_add(c->o->problems, PROBLEM_COUNT, "%s: the trailer counts %llu cells, the manifest %llu", c->o->path,
                     (unsigned long long)i->cells, (unsigned long long)m->tally.cells);
    if (!i->first_key.n || !i->last_key.n || !kv_key_parse(i->first_key, &first) || !kv_key_parse(i->last_key, &last)) {
        problems_add(c->o->problems, PROBLEM_METADATA, "%s: first or last key is missing", c->o->path);
        return;
    }
    if (!bytes_eq(first.row, buf_bytes(&m->first_row)) || !bytes_eq(last.row, buf_bytes(&m->last_row)))
        problems_add(c->o->problems, PROBLEM_METADATA, "%s: first or last row is not what the manifest says", c->o->path);
    if (!bytes_eq(last.family, bytes_str(c->o->family)))
        problems_add(c->o->problems, PROBLEM_METADATA, "%s: cells of family '%.*s', the manifest says '%s'", c->o->path,
                     (int)last.family.n, (const char *)last.family.p, c->o->family);
}

static void join_ranges(struct checker *c, struct range_result *all) {
    *all = (struct range_result){.ts_min = INT64_MAX, .ts_max = INT64_MIN, .earliest_put = INT64_MAX};
    const struct range_result *prev = NULL;
    for (size_t i = 0; i < c->n; i++) {
        const struct range_result *r = &c->ranges[i];
        tally_add(&all->tally, r->tally);
        all->kv_bytes += r->kv_bytes;
        all->blocks += r->blocks;
        all->family_deletes += r->family_deletes;
        all->zero_ts |= r->zero_ts;
        if (r->ts_min < all->ts_min) all->ts_min = r->ts_min;
        if (r->ts_max > all->ts_max) all->ts_max = r->ts_max;
        if (r->earliest_put < all->earliest_put) all->earliest_put = r->earliest_put;
        if (r->max_seq > all->max_seq) all->max_seq = r->max_seq;
        struct kv_key a, b;
        if (!r->first_key.n) continue;
        if (prev && kv_key_parse(buf_bytes(&prev->last_key), &a) && kv_key_parse(buf_bytes(&r->first_key), &b) &&
            kv_key_cmp(&a, &b) > 0)
            problems_add(c->o->problems, PROBLEM_ORDER, "%s: keys descend at offset %llu", c->o->path,
                         (unsigned long long)r->range.offset);
        prev = r;
    }
}

/* A file that is not what was written may claim any size: its wrong checksum is the finding, not the memory. */
static void forgive_limits(struct checker *c) {
    if (!c->wrong_sum || c->err.code != ERR_LIMIT) return;
    c->err = (struct err){0};
    c->damaged = true;
}

static int check_blocks(struct checker *c, struct check_file_result *out, struct err *err) {
    if (list_ranges(c, err)) {
        take_error(c, err);
        *err = (struct err){0};
    }
    for (size_t i = 0; i < c->n; i++) {
        struct range_result *r = &c->ranges[i];
#pragma omp task firstprivate(r, c)
        range_task(c, r);
    }
    if (c->o->expected) check_sum(c);
#pragma omp taskwait
    forgive_limits(c);
    if (c->err.code) return err_keep(err, &c->err), -1;
    struct range_result all;
    join_ranges(c, &all);
    out->tally = all.tally;
    out->kv_bytes = all.kv_bytes;
    out->blocks = all.blocks;
    if (c->damaged) return 0;
    if (all.tally.cells != c->info->cells)
        problems_add(c->o->problems, PROBLEM_COUNT, "%s: %llu cells, the trailer says %llu", c->o->path,
                     (unsigned long long)all.tally.cells, (unsigned long long)c->info->cells);
    check_index(c, all.blocks);
    check_info(c, &all);
    if (c->o->expected) check_expected(c, &all);
    out->read = !c->damaged;
    return 0;
}

int check_file(const struct check_file_opts *o, struct check_file_result *out, struct err *err) {
    struct checker c = {.o = o};
    struct err open_err = {0};
    *out = (struct check_file_result){0};
    c.h = hfile_open(o->path, o->block_limit, &open_err);
    if (!c.h) {
        take_error(&c, &open_err);
        if (o->expected && !o->quick) check_sum(&c);
        forgive_limits(&c);
        err_keep(err, &c.err);
        return c.err.code ? -1 : 0;
    }
    c.info = hfile_info(c.h);
    out->file_bytes = c.info->file_bytes;
    out->tally.cells = c.info->cells;
    if (o->expected) check_opened(&c);
    int rc = 0;
    if (o->quick) {
        check_index(&c, 0);
        out->read = !c.damaged;
    } else {
        rc = check_blocks(&c, out, err);
    }
    for (size_t i = 0; i < c.n; i++) {
        buf_free(&c.ranges[i].first_key);
        buf_free(&c.ranges[i].last_key);
    }
    free(c.ranges);
    hfile_close(c.h);
    return rc;
}
