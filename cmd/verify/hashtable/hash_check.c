/* Inputs against the hashes of a HashTable job: rows are sorted, reduced to what the job's scan saw (diff/visible.c), and
 * hashed batch by batch with the bounds that the job wrote. */
#include "cmd/verify/hashtable/hash_table.h"

#include "cmd/verify/diff/visible.h"
#include "engine/memory_plan.h"
#include "engine/sorted_inputs.h"
#include "engine/sorter_gather.h"
#include "engine/sorter_runs.h"
#include "table/placement.h"

#include <stdlib.h>

/* One family, as the scan sees it. */
struct family_scan {
    struct source *src;
    struct row_part part;
    bool live;
};

struct hash_check {
    const struct hash_check_opts *o;
    struct hash_check_result *out;
    size_t row_bytes; /* of version rules, for each family; before the scans are open for all */
    struct partitioning whole;
    struct placement *placement;
    struct sorted_inputs sorted;
    struct family_scan *scans; /* in the order of names */
    uint32_t n_scans;
    struct hash_reader *hashes;

    /* The batch that rows are added to. */
    struct message_digest digest;
    struct buf start, hash, next_start, next_hash, row;
    bool has_hash, has_next;
    uint64_t rows, cells, bytes;
};

/* ---- sorting ---- */

static bool in_range(const struct hash_table *t, struct bytes row) {
    if (bytes_cmp(row, buf_bytes(&t->start_row)) < 0) return false;
    return !t->stop_row.n || bytes_cmp(row, buf_bytes(&t->stop_row)) < 0;
}

static int put_part(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part,
                    struct err *err) {
    struct hash_check *c = arg;
    (void)partition;
    if (!in_range(c->o->reference, part->row)) return 0;
    /* By the name in the part: other threads may add families to the table. */
    if (!hash_table_has_family(c->o->reference, part->family)) return 0;
    return sorter_put(c->sorted.sorter, thread, family, part, err);
}

static int sort_all(struct hash_check *c, struct err *err) {
    const struct input_reader_opts r = {.inputs = c->o->inputs,
                                        .n_inputs = c->o->n_inputs,
                                        .read = c->o->read,
                                        .placement = c->placement,
                                        .consumer = {put_part, NULL, c, NULL},
                                        .skip_client_check = true};
    struct inputs_read read = {0};
    int rc = sorted_inputs_read(&c->sorted, &r, NULL, &read, err) ? -1 : sorter_finish(c->sorted.sorter, err);
    c->out->read = read.ledger.in.cells;
    return rc;
}

/* ---- rows of all families side by side ---- */

static int next_part(struct family_scan *f, struct err *err) {
    int more = source_next(f->src, &f->part, err);
    f->live = more == 1;
    return more < 0 ? -1 : 0;
}

static int by_name(const void *pa, const void *pb, void *arg) {
    const struct table *t = arg;
    return strcmp(t->families[*(const uint32_t *)pa].name, t->families[*(const uint32_t *)pb].name);
}

static int open_scan(struct hash_check *c, uint32_t family, struct err *err) {
    const struct hash_table *t = c->o->reference;
    const struct family *f = &c->o->read.table->families[family];
    const struct visible_opts v = {.family = f->rules,
                                   .versions = t->versions,
                                   .raw = t->raw,
                                   .from_ms = t->start_ms,
                                   .to_ms = t->end_ms,
                                   .now_ms = c->o->job->now_ms,
                                   .row_bytes = c->row_bytes,
                                   .stop = c->o->job->stop};
    struct family_scan *s = &c->scans[c->n_scans];
    if (!sorter_bytes(c->sorted.sorter, family)) return 0;
    s->src = sorter_open(c->sorted.sorter, family, bytes_str(f->name), err);
    if (s->src) s->src = visible_open(s->src, &v, err);
    if (!s->src) return -1;
    c->n_scans++;
    return next_part(s, err);
}

static int open_scans(struct hash_check *c, struct err *err) {
    uint32_t n = c->o->read.table->n_families, *order = calloc(n + 1, sizeof *order);
    c->scans = calloc(n + 1, sizeof *c->scans);
    int rc = order && c->scans ? 0 : err_nomem(err, n * sizeof *c->scans, "a scan");
    for (uint32_t i = 0; !rc && i < n; i++) order[i] = i;
    if (n) c->row_bytes /= n;
    sorter_at_once(c->sorted.sorter, n);
    if (!rc) qsort_r(order, n, sizeof *order, by_name, c->o->read.table);
    for (uint32_t i = 0; !rc && i < n; i++) rc = open_scan(c, order[i], err);
    free(order);
    return rc;
}

/* ---- batches ---- */

static void begin_batch(struct hash_check *c) {
    message_digest_begin(&c->digest, c->o->reference->digest);
    c->rows = c->cells = c->bytes = 0;
}

/* The batch that follows the one in hand becomes known. */
static int read_ahead(struct hash_check *c, struct err *err) {
    struct bytes row, hash;
    int more = hash_reader_next(c->hashes, &row, &hash, err);
    c->has_next = more == 1;
    if (more <= 0) return more;
    return buf_copy(&c->next_start, row, err) || buf_copy(&c->next_hash, hash, err) ? -1 : 0;
}

static int end_batch(struct hash_check *c, struct err *err) {
    uint8_t ours[MESSAGE_DIGEST_MAX_BYTES];
    message_digest_end(&c->digest, ours);
    struct hash_range r = {.start = buf_bytes(&c->start),
                           .stop = buf_bytes(c->has_next ? &c->next_start : &c->o->reference->stop_row),
                           .hash = c->has_hash ? buf_bytes(&c->hash) : (struct bytes){NULL, 0},
                           .ours = bytes_of(ours, message_digest_bytes(c->o->reference->digest)),
                           .rows = c->rows,
                           .cells = c->cells,
                           .bytes = c->bytes};
    c->out->rows += c->rows;
    c->out->cells += c->cells;
    if (!c->has_hash && !c->cells) return 0; /* nothing precedes the first batch, as expected */
    c->out->batches++;
    if (!c->cells) c->out->empty++;
    if (c->has_hash && bytes_eq(r.hash, r.ours)) {
        c->out->matched++;
        return 0;
    }
    c->out->differing++;
    return c->o->found(c->o->arg, &r, err);
}

static int next_batch(struct hash_check *c, struct err *err) {
    if (end_batch(c, err)) return -1;
    begin_batch(c);
    c->has_hash = true;
    if (buf_copy(&c->start, buf_bytes(&c->next_start), err) || buf_copy(&c->hash, buf_bytes(&c->next_hash), err)) return -1;
    return read_ahead(c, err);
}

/* HashTable.ResultHasher.hashResult. */
static void add_cell(struct hash_check *c, const struct row_part *part, const struct cell *cell) {
    uint64_t ts = (uint64_t)cell->ts_ms; /* little-endian there, and here */
    message_digest_add(&c->digest, part->row.p, part->row.n);
    message_digest_add(&c->digest, part->family.p, part->family.n);
    message_digest_add(&c->digest, cell->qualifier.p, cell->qualifier.n);
    if (!c->o->ignore_timestamps && !c->o->reference->ignore_timestamps) message_digest_add(&c->digest, &ts, sizeof ts);
    message_digest_add(&c->digest, cell->value.p, cell->value.n);
    c->bytes += part->row.n + part->family.n + cell->qualifier.n + sizeof ts + cell->value.n;
    c->cells++;
}

/* All cells of one family's row. */
static int add_family(struct hash_check *c, struct family_scan *f, struct err *err) {
    while (f->live && bytes_eq(f->part.row, buf_bytes(&c->row))) {
        for (uint32_t i = 0; i < f->part.n_cells; i++) add_cell(c, &f->part, &f->part.cells[i]);
        if (next_part(f, err)) return -1;
    }
    return 0;
}

/* The lowest current row of all families: 1, 0 = none, -1. */
static int next_row(struct hash_check *c, struct err *err) {
    const struct family_scan *least = NULL;
    for (uint32_t i = 0; i < c->n_scans; i++) {
        const struct family_scan *f = &c->scans[i];
        if (f->live && (!least || bytes_cmp(f->part.row, least->part.row) < 0)) least = f;
    }
    if (!least) return 0;
    return buf_copy(&c->row, least->part.row, err) ? -1 : 1;
}

static int compare_batches(struct hash_check *c, struct err *err) {
    int more;
    begin_batch(c);
    if (buf_copy(&c->start, buf_bytes(&c->o->reference->start_row), err) || read_ahead(c, err)) return -1;
    while ((more = next_row(c, err)) == 1) {
        while (c->has_next && bytes_cmp(buf_bytes(&c->row), buf_bytes(&c->next_start)) >= 0)
            if (next_batch(c, err)) return -1;
        c->rows++;
        for (uint32_t i = 0; i < c->n_scans; i++)
            if (add_family(c, &c->scans[i], err)) return -1;
    }
    while (!more && c->has_next)
        if (next_batch(c, err)) return -1;
    return more ? -1 : end_batch(c, err);
}

/* ---- a run ---- */

static int set_up(struct hash_check *c, struct err *err) {
    const struct memory_request request = {.job = c->o->job};
    struct sorted_inputs_opts sorting = {.job = c->o->job,
                                         .buckets = families_at_most(&c->o->read, 0, 0),
                                         .known = families_known(&c->o->read),
                                         .tie = TIE_BY_SEQUENCE};
    if (memory_plan_make(&request, &sorting.plan, err) || partitioning_parse("none", &c->whole, NULL, err)) return -1;
    memory_plan_rules(&sorting.plan, 1);
    c->row_bytes = sorting.plan.row_bytes * sorting.plan.threads; /* one thread walks */
    c->placement = placement_new(&c->whole, err);
    if (!c->placement || sorted_inputs_open(&c->sorted, &sorting, err)) return -1;
    c->hashes = hash_reader_open(c->o->reference, sorting.plan.unpack_bytes, c->o->job->stop, err);
    return c->hashes ? 0 : -1;
}

static void tear_down(struct hash_check *c) {
    for (uint32_t i = 0; i < c->n_scans; i++) source_close(c->scans[i].src);
    free(c->scans);
    hash_reader_close(c->hashes);
    sorted_inputs_close(&c->sorted);
    placement_free(c->placement);
    partitioning_free(&c->whole);
    buf_free(&c->start);
    buf_free(&c->hash);
    buf_free(&c->next_start);
    buf_free(&c->next_hash);
    buf_free(&c->row);
}

int hash_check_run(const struct hash_check_opts *o, struct hash_check_result *out, struct err *err) {
    struct hash_check c = {.o = o, .out = out};
    *out = (struct hash_check_result){0};
    int rc = set_up(&c, err);
    if (!rc) rc = sort_all(&c, err);
    if (!rc) rc = open_scans(&c, err);
    if (!rc) rc = compare_batches(&c, err);
    tear_down(&c);
    return rc;
}
