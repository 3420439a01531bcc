/* Checks that the rows of a batch went into the partitions that they were exported for: the server places rows by itself, and its
 * sums of these partitions must be those of the export. It is asked before the last files of a partition count as loaded. Only
 * the keys are summed, by one scan: about an eighth of the server's work; where the caller
 * wants the values proven, too, a fourth.
 *
 * Where rows are replaced or kept, others may be in the partitions, so those are counted that were written since the statement
 * began. Other clients may have written since, and a server may give old rows a new time (a major compaction): where sums differ,
 * each row is looked up. Servers before 4.3.5, on which this could not be tried, are not asked. */
#include "cmd/common/report_figures.h"
#include "cmd/load/load_files.h"
#include "cmd/load/load_small.h"
#include "cmd/load/load_verify.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/sums_query.h"

#include <stdlib.h>

struct placed {
    struct load_placed_opts *o;
    struct cell_sums_opts opts;
    const struct load_part **parts; /* that are due */
    const char **names;
    struct cell_sums *want, *now;
    size_t n;
};

static bool is_strict(const struct placed *p) {
    return p->o->loader->target.on_duplicate == ON_DUPLICATE_ERROR;
}

/* Sums of keys are known: an export of an earlier version has none, nor has the journal of what was there before. */
static bool has_keys(const struct placed *p) {
    const struct load_batch *b = p->o->batch;
    for (size_t i = 0; i < b->n_parts; i++) {
        const struct load_part *q = &b->parts[i];
        if ((q->batch.rows && !q->batch.key_sum) || (is_strict(p) && !q->base_empty)) return false;
    }
    return true;
}

/* Returns whether a partition is to be examined. Where nobody else writes, a partition of several batches is examined once, when
 * all of it is in. */
static bool is_due(const struct placed *p, const struct load_part *q) {
    return !is_strict(p) || q->n == q->left;
}

static struct cell_sums wanted(const struct placed *p, const struct load_part *q) {
    struct cell_sums want = q->batch;
    if (is_strict(p)) cell_sums_add(&want, &q->before);
    return want;
}

static int ask(struct placed *p, struct err *err) {
    struct sums_scan scan = load_verify_scan(p->o->loader, p->parts[0]->family);
    scan.places.partitions = p->names;
    scan.places.n = p->n;
    scan.places.opts = p->opts;
    scan.places.since = is_strict(p) ? 0 : p->o->since;
    scan.want = p->want;
    pool_set_session(p->o->member, connection_id(p->o->c));
    int rc = pool_halts(p->o->member->pool) ? err_set(err, ERR_STOPPED, "stopped") : sums_query_scan(p->o->c, &scan, p->now, err);
    pool_set_session(p->o->member, 0);
    return rc;
}

static bool concerns(const struct placed *p, const struct load_part *q, const struct export_file *f) {
    const struct load_batch *b = p->o->batch;
    bool in_batch = is_strict(p);
    if (f->family != q->family || f->partition != q->partition) return false;
    for (size_t i = 0; !in_batch && i < b->n; i++) in_batch = b->files[i]->file == f;
    return in_batch;
}

static int look_up(const struct placed *p, const struct load_part *q, struct err *err) {
    const struct load_files_opts *l = p->o->loader;
    const char *name = export_partition_name(l->m, q->partition);
    uint64_t missing = 0;
    for (size_t i = 0; i < l->m->n_files; i++) {
        const struct load_small_opts s = {l, &l->m->files[i], p->o->c, p->o->member};
        uint64_t n = 0;
        if (concerns(p, q, s.file) && load_small_missing(&s, &n, err)) return -1;
        missing += n;
    }
    if (!missing) return 0;
    return err_set(
        err, ERR_OUTPUT,
        "table %s, partition %s: %s row%s that went into the table %s not there: the server places rows otherwise than "
        "the export, or another program wrote to the table; compare with obkv-verify target, and export again for the "
        "present table",
        l->m->table.families[q->family].sql_table, name ? name : "(all)", REPORT_COUNT(missing), missing == 1 ? "" : "s",
        missing == 1 ? "is" : "are");
}

static int check_parts(struct placed *p, struct err *err) {
    const struct load_batch *b = p->o->batch;
    for (size_t i = 0; i < b->n_parts; i++) {
        if (!is_due(p, &b->parts[i])) continue;
        p->parts[p->n] = &b->parts[i];
        p->want[p->n] = wanted(p, p->parts[p->n]);
        p->names[p->n++] = export_partition_name(p->o->loader->m, b->parts[i].partition);
    }
    const bool asks = is_strict(p) || p->opts.keys;
    int rc = asks && p->n ? ask(p, err) : 0;
    for (size_t i = 0; !rc && i < p->n; i++) {
        if (!asks || !sums_fit(&p->opts, &p->now[i], p->want[i]))
            rc = look_up(p, p->parts[i], err);
        else
            p->o->proven += is_strict(p) && !p->opts.keys && p->parts[i]->base_empty;
    }
    return rc;
}

int load_placed_check(struct load_placed_opts *o, struct err *err) {
    const struct load_batch *b = o->batch;
    const struct load_files_opts *l = o->loader;
    struct placed p = {.o = o, .opts = {.ttl_column = export_sums_opts(l->m, b->parts[0].family).ttl_column}};
    if (!is_strict(&p) && (l->target.version < LOAD_VERSION(4, 3, 5, 0) || !o->since)) return 0;
    p.opts.keys = !l->by_values && has_keys(&p);
    p.parts = calloc(b->n_parts, sizeof *p.parts);
    p.names = calloc(b->n_parts, sizeof *p.names);
    p.want = calloc(b->n_parts, sizeof *p.want);
    p.now = calloc(b->n_parts, sizeof *p.now);
    int rc = p.parts && p.names && p.want && p.now ? check_parts(&p, err) : err_nomem(err, b->n_parts * sizeof *p.now, "sums");
    free(p.parts);
    free(p.names);
    free(p.want);
    free(p.now);
    return rc;
}
