#include "pipeline/diff.h"

#include "pipeline/sorter.h"

#include <stdlib.h>
#include <xxhash.h>

enum { BUCKETS = 1 << 16, SIDES = 2 };

struct diff {
    const struct diff_opts *o;
    struct diff_result *out;
    struct memory_plan plan;
    struct partitioning whole; /* one partition: placement has nothing to say */
    struct placement *placement;
    struct shape_set shapes[SIDES];
    struct shape_set all;      /* pass 2 */
    struct tally *sums[SIDES]; /* [thread][BUCKETS] */
    bool *differs;             /* [BUCKETS] */
    struct buf *scratch;       /* [thread] */
    struct sorter *sorter;
    unsigned side;
};

static uint32_t bucket_of(struct bytes row) {
    return (uint32_t)(XXH3_64bits(row.p, row.n) & (BUCKETS - 1));
}

/* What of a cell is compared: markers and timestamps may be left out. */
static bool view(const struct diff_opts *o, const struct cell *c, struct cell *seen) {
    if (o->ignore_deleted && cell_is_delete(c->type)) return false;
    *seen = *c;
    if (o->ignore_timestamps) seen->ts_ms = 0;
    return true;
}

/* ---- pass 1 ---- */

static int sum_part(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part,
                    struct err *err) {
    struct diff *d = arg;
    struct tally *t = &d->sums[d->side][(size_t)thread * BUCKETS + bucket_of(part->row)];
    (void)family;
    (void)partition;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        struct cell seen;
        struct digest one;
        if (!view(d->o, &part->cells[i], &seen)) continue;
        if (digest_cell(&d->scratch[thread], part, &seen, &one, err)) return -1;
        tally_one(t, one);
    }
    return 0;
}

static int read_side(struct diff *d, unsigned side, struct load_consumer consumer, struct shape_set *shapes, struct err *err) {
    const struct diff_side *in = side ? &d->o->b : &d->o->a;
    struct load_opts l = {.job = d->o->job,
                          .threads = d->plan.threads,
                          .inputs = in->inputs,
                          .n_inputs = in->n_inputs,
                          .read = d->o->read,
                          .placement = d->placement,
                          .consumer = consumer,
                          .skip_client_check = true};
    l.read.shapes = shapes;
    l.read.chunk_bytes = d->plan.chunk_bytes;
    l.read.max_cell_bytes = d->plan.block_limit;
    l.read.max_block_bytes = d->plan.block_limit;
    l.read.unpack_bytes = d->plan.unpack_bytes;
    d->side = side;
    struct loader *loader = loader_new(&l, err);
    if (!loader) return -1;
    int more;
    while ((more = loader_run(loader, err)) == 1)
        if (sorter_spill(d->sorter, err)) {
            more = -1;
            break;
        }
    loader_free(loader);
    return more;
}

static int sum_side(struct diff *d, unsigned side, struct tally *total, struct err *err) {
    d->sums[side] = calloc((size_t)d->plan.threads * BUCKETS, sizeof(struct tally));
    if (!d->sums[side]) return err_nomem(err, (size_t)d->plan.threads * BUCKETS * sizeof(struct tally), "comparing");
    if (read_side(d, side, (struct load_consumer){sum_part, NULL, d}, &d->shapes[side], err)) return -1;
    for (unsigned t = 1; t < d->plan.threads; t++)
        for (uint32_t b = 0; b < BUCKETS; b++) tally_add(&d->sums[side][b], d->sums[side][(size_t)t * BUCKETS + b]);
    for (uint32_t b = 0; b < BUCKETS; b++) tally_add(total, d->sums[side][b]);
    return 0;
}

static uint32_t find_differing(struct diff *d) {
    uint32_t n = 0;
    for (uint32_t b = 0; b < BUCKETS; b++) {
        const struct tally *x = &d->sums[0][b], *y = &d->sums[1][b];
        d->differs[b] = x->cells != y->cells || !digest_eq(x->digest, y->digest);
        n += d->differs[b];
    }
    return n;
}

/* ---- pass 2 ---- */

/* One sorter for both sides: bucket = family * SIDES + side. */
static int keep_part(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part,
                     struct err *err) {
    struct diff *d = arg;
    (void)partition;
    if (!d->differs[bucket_of(part->row)]) return 0;
    return sorter_put(d->sorter, thread, family * SIDES + d->side, part, err);
}

static bool is_full(void *arg) {
    const struct diff *d = arg;
    return sorter_full(d->sorter);
}

/* One side of the walk: a cell at a time out of a source of parts. */
struct walker {
    struct source *src;
    struct row_part part;
    uint32_t i;
    bool live;
};

static int walker_step(const struct diff_opts *o, struct walker *w, struct err *err) {
    for (;;) {
        if (w->live && ++w->i < w->part.n_cells) {
            if (o->ignore_deleted && cell_is_delete(w->part.cells[w->i].type)) continue;
            return 0;
        }
        int more = w->src ? source_next(w->src, &w->part, err) : 0;
        w->live = more == 1;
        w->i = UINT32_MAX;
        if (more <= 0) return more;
    }
}

static int compare_position(const struct diff_opts *o, const struct walker *a, const struct walker *b) {
    if (!a->live || !b->live) return a->live ? -1 : 1;
    int c = bytes_cmp(a->part.row, b->part.row);
    if (c) return c;
    const struct cell *x = &a->part.cells[a->i], *y = &b->part.cells[b->i];
    if (!o->ignore_timestamps) return cell_key_cmp(x, y);
    c = bytes_cmp(x->qualifier, y->qualifier);
    return c ? c : (int)y->type - (int)x->type;
}

static int tell(struct diff *d, enum diff_kind k, const struct walker *a, const struct walker *b, struct err *err) {
    uint64_t *count[] = {&d->out->missing, &d->out->extra, &d->out->changed};
    ++*count[k];
    return d->o->found(d->o->arg, k, a ? &a->part : &b->part, a ? &a->part.cells[a->i] : NULL, b ? &b->part.cells[b->i] : NULL,
                       err);
}

static int walk(struct diff *d, struct walker *a, struct walker *b, struct err *err) {
    if (walker_step(d->o, a, err) || walker_step(d->o, b, err)) return -1;
    while (a->live || b->live) {
        int c = compare_position(d->o, a, b), rc = 0;
        if (c < 0)
            rc = tell(d, DIFF_MISSING, a, NULL, err);
        else if (c > 0)
            rc = tell(d, DIFF_EXTRA, NULL, b, err);
        else {
            const struct cell *x = &a->part.cells[a->i], *y = &b->part.cells[b->i];
            if (!bytes_eq(x->value, y->value) || !bytes_eq(x->tags, y->tags)) rc = tell(d, DIFF_CHANGED, a, b, err);
        }
        if (rc || (c <= 0 && walker_step(d->o, a, err)) || (c >= 0 && walker_step(d->o, b, err))) return -1;
        if (stop_check(d->o->job->stop, err)) return -1;
    }
    return 0;
}

static int walk_family(struct diff *d, uint32_t family, struct err *err) {
    struct walker w[SIDES] = {{0}, {0}};
    struct bytes name = bytes_str(d->o->read.table->families[family].name);
    int rc = 0;
    for (unsigned side = 0; !rc && side < SIDES; side++) {
        uint32_t bucket = family * SIDES + side;
        if (!sorter_bytes(d->sorter, bucket)) continue;
        w[side].src = sorter_open(d->sorter, bucket, name, err);
        if (!w[side].src) rc = -1;
    }
    if (!rc) rc = walk(d, &w[0], &w[1], err);
    for (unsigned side = 0; side < SIDES; side++) source_close(w[side].src);
    return rc;
}

static int compare_rows(struct diff *d, struct err *err) {
    uint32_t families = d->o->read.table->n_families; /* a table without definition may get more in this pass */
    if (families < LOAD_FAMILIES_MAX) families = LOAD_FAMILIES_MAX;
    struct sorter_opts so = {
        .job = d->o->job, .plan = d->plan, .buckets = families * SIDES, .shapes = &d->all, .tie = TIE_BY_SEQUENCE};
    d->sorter = sorter_new(&so, err);
    if (!d->sorter) return -1;
    struct load_consumer keep = {keep_part, is_full, d};
    int rc = read_side(d, 0, keep, &d->all, err);
    if (!rc) rc = read_side(d, 1, keep, &d->all, err);
    if (!rc) rc = sorter_finish(d->sorter, err);
    for (uint32_t f = 0; !rc && f < d->o->read.table->n_families; f++) rc = walk_family(d, f, err);
    return rc;
}

static int set_up(struct diff *d, struct err *err) {
    struct hfile_write_opts none_written = hfile_write_defaults();
    if (memory_plan_make(d->o->job, &none_written, &d->plan, err)) return -1;
    size_t sums = (size_t)d->plan.threads * BUCKETS * (sizeof(struct tally) * SIDES + 1);
    if (sums > d->plan.gather_bytes / 2) d->plan.threads = 1, sums = BUCKETS * (sizeof(struct tally) * SIDES + 1);
    d->plan.gather_bytes -= sums < d->plan.gather_bytes ? sums : 0;
    d->differs = calloc(BUCKETS, sizeof *d->differs);
    d->scratch = calloc(d->plan.threads, sizeof *d->scratch);
    if (!d->differs || !d->scratch) return err_nomem(err, BUCKETS, "comparing");
    if (partitioning_parse("none", &d->whole, NULL, err)) return -1;
    d->placement = placement_new(&d->whole, err);
    return d->placement ? 0 : -1;
}

int diff_run(const struct diff_opts *o, struct diff_result *out, struct err *err) {
    struct diff d = {.o = o, .out = out};
    *out = (struct diff_result){.buckets = BUCKETS};
    int rc = set_up(&d, err);
    if (!rc) rc = sum_side(&d, 0, &out->a, err);
    if (!rc) rc = sum_side(&d, 1, &out->b, err);
    if (!rc && (out->differing = find_differing(&d)) > 0) rc = compare_rows(&d, err);
    for (unsigned t = 0; d.scratch && t < d.plan.threads; t++) buf_free(&d.scratch[t]);
    free(d.scratch);
    free(d.differs);
    free(d.sums[0]);
    free(d.sums[1]);
    sorter_free(d.sorter);
    placement_free(d.placement);
    partitioning_free(&d.whole);
    shape_set_free(&d.shapes[0]);
    shape_set_free(&d.shapes[1]);
    shape_set_free(&d.all);
    return rc;
}
