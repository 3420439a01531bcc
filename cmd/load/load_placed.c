/* Checks that the rows of a batch went into the partitions that they were exported for: the server places rows by itself, and its
 * sums of these partitions must be those of the export. It is asked before the last files of a partition count as loaded. Only
 * the keys are summed, by one scan: about an eighth of the server's work.
 *
 * Where rows are replaced or kept, others may be in the partitions, so those are counted that were written since the statement
 * began. Other clients may have written since, and a server may give old rows a new time (a major compaction): where sums differ,
 * each row is looked up. Servers before 4.3.5, on which this could not be tried, are not asked. */
#include "cmd/load/load_files.h"
#include "cmd/load/load_small.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/sums_query.h"

#include <stdlib.h>

struct placed {
    const struct load_placed_opts *o;
    struct cell_sums_opts opts;
    const struct load_part **parts; /* that are due */
    const char **names;
    struct cell_sums *now;
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

/* The n partitions from the first on. */
static struct sums_places places_of(const struct placed *p, size_t n) {
    const struct load_files_opts *l = p->o->loader;
    return (struct sums_places){.table = l->m->table.families[p->parts[0]->family].sql_table,
                                .partitions = p->names,
                                .n = n,
                                .opts = p->opts,
                                .since = is_strict(p) ? 0 : p->o->since};
}

/* Leaves those that do not fit. */
static void keep_doubtful(struct placed *p, const bool *fits) {
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (fits[i]) continue;
        p->parts[n] = p->parts[i];
        p->names[n++] = p->names[i];
    }
    p->n = n;
}

static int ask_all(struct placed *p, struct err *err) {
    const struct load_files_opts *l = p->o->loader;
    struct cell_sums *want = calloc(p->n, sizeof *want);
    bool *fits = calloc(p->n, sizeof *fits);
    const struct sums_scan scan = {.places = places_of(p, p->n),
                                   .database = l->login->address.database,
                                   .partitioning = &l->m->table.partitioning,
                                   .want = want,
                                   .parallel = l->target.parallel};
    for (size_t i = 0; want && i < p->n; i++) want[i] = wanted(p, p->parts[i]);
    int rc = want && fits ? sums_query_fit(p->o->c, &scan, fits, err) : err_nomem(err, p->n * sizeof *want, "sums");
    if (!rc) keep_doubtful(p, fits);
    free(want);
    free(fits);
    return rc;
}

/* A scan shows which partitions hold what they should; the others are asked for what they hold. */
static int ask(struct placed *p, struct err *err) {
    pool_set_session(p->o->member, connection_id(p->o->c));
    int rc = pool_halts(p->o->member->pool) ? err_set(err, ERR_STOPPED, "stopped") : ask_all(p, err);
    const struct sums_places places = places_of(p, p->n);
    if (!rc && p->n) rc = sums_query_each(p->o->c, &places, p->now, err);
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
        "table %s, partition %s: %llu row%s that went into the table %s not there: the server places rows otherwise than "
        "the export, or another program wrote to the table; compare with obkv-verify target, and export again for the "
        "present table",
        l->m->table.families[q->family].sql_table, name ? name : "(all)", (unsigned long long)missing, missing == 1 ? "" : "s",
        missing == 1 ? "is" : "are");
}

static int check_parts(struct placed *p, struct err *err) {
    const struct load_batch *b = p->o->batch;
    for (size_t i = 0; i < b->n_parts; i++) {
        if (!is_due(p, &b->parts[i])) continue;
        p->parts[p->n] = &b->parts[i];
        p->names[p->n++] = export_partition_name(p->o->loader->m, b->parts[i].partition);
    }
    const bool asks = is_strict(p) || p->opts.keys;
    int rc = asks && p->n ? ask(p, err) : 0;
    for (size_t i = 0; !rc && i < p->n; i++)
        if (!asks || !sums_fit(&p->opts, &p->now[i], wanted(p, p->parts[i]))) rc = look_up(p, p->parts[i], err);
    return rc;
}

int load_placed_check(const struct load_placed_opts *o, struct err *err) {
    const struct load_batch *b = o->batch;
    const struct load_files_opts *l = o->loader;
    struct placed p = {.o = o, .opts = {.ttl_column = export_sums_opts(l->m, b->parts[0].family).ttl_column}};
    if (!is_strict(&p) && (l->target.version < LOAD_VERSION(4, 3, 5, 0) || !o->since)) return 0;
    p.opts.keys = has_keys(&p);
    p.parts = calloc(b->n_parts, sizeof *p.parts);
    p.names = calloc(b->n_parts, sizeof *p.names);
    p.now = calloc(b->n_parts, sizeof *p.now);
    int rc = p.parts && p.names && p.now ? check_parts(&p, err) : err_nomem(err, b->n_parts * sizeof *p.now, "sums");
    free(p.parts);
    free(p.names);
    free(p.now);
    return rc;
}
