/* Checks that partitions hold what was loaded into them, and nothing else: the server sums up their rows, values included. It
 * runs beside the load of the next batch, over a connection of its own. */
#include "cmd/common/report_figures.h"
#include "cmd/load/load_verify.h"

#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/journal.h"

#include <stdlib.h>

struct verify_batch {
    const struct load_files_opts *o;
    struct pool pool;
    const char **names;
    struct cell_sums *want, *now;
    bool *was_empty; /* before the load */
    size_t n;
};

bool load_verify_applies(const struct load_files_opts *o, uint32_t family) {
    const struct family *f = &o->m->table.families[family];
    return o->is_oceanbase && o->target.on_duplicate == ON_DUPLICATE_ERROR && f->rules.ttl_s <= 0 && !f->has_ttl_column;
}

static int list_partitions(struct verify_batch *b, struct err *err) {
    const struct export_manifest *m = b->o->m;
    for (size_t i = 0; i < m->n_files; i++) {
        const struct export_file *f = &m->files[i];
        if (i && f[-1].partition == f->partition) continue;
        b->names[b->n] = export_partition_name(m, f->partition);
        if (journal_base(b->o->journal, m->table.families[f->family].sql_table, b->names[b->n], &b->want[b->n], err)) return -1;
        b->was_empty[b->n] = !b->want[b->n].rows;
        const struct cell_sums own = export_partition_sums(m, f->family, f->partition);
        cell_sums_add(&b->want[b->n++], &own);
    }
    return 0;
}

static int compare(struct verify_batch *b, size_t *proven, struct err *err) {
    static const struct cell_sums_opts weak = {0};
    const struct export_manifest *m = b->o->m;
    for (size_t i = 0; i < b->n; i++) {
        *proven += b->was_empty[i];
        if (sums_fit(&weak, &b->now[i], b->want[i])) continue;
        return err_set(err, ERR_OUTPUT,
                       "table %s, partition %s: holds %s rows after the load, and these are not the %s that should be there; "
                       "obkv-verify target names those that differ",
                       m->table.families[m->files[0].family].sql_table, b->names[i] ? b->names[i] : "(all)",
                       REPORT_COUNT(b->now[i].rows), REPORT_COUNT(b->want[i].rows));
    }
    return 0;
}

struct sums_scan load_verify_scan(const struct load_files_opts *o, uint32_t family) {
    const struct table *t = &o->m->table;
    return (struct sums_scan){
        .places = {.table = t->families[family].sql_table, .opts = {.ttl_column = t->families[family].has_ttl_column}},
        .database = o->login->address.database,
        .partitioning = &t->partitioning,
        .parallel = o->target.parallel};
}

/* One question; a lost connection is another try. */
static int ask(struct verify_batch *b, struct pool_worker *me, unsigned *number, struct err *err) {
    struct sums_scan scan = load_verify_scan(b->o, b->o->m->files[0].family);
    scan.places.partitions = b->names;
    scan.places.n = b->n;
    scan.want = b->want;
    struct connection *c = connection_open(b->o->login, number, err);
    if (!c) return -1;
    pool_set_session(me, connection_id(c));
    int rc = pool_halts(&b->pool) ? err_set(err, ERR_STOPPED, "stopped") : sums_query_scan(c, &scan, b->now, err);
    pool_set_session(me, 0);
    *number = rc ? connection_error(c) : 0;
    connection_close(c);
    return rc;
}

static void work(void *arg, struct pool_worker *me, struct err *err) {
    struct verify_batch *b = arg;
    for (unsigned tries = 0;; tries++) {
        struct err own = {0};
        unsigned number = 0;
        if (!ask(b, me, &number, &own)) return;
        if (pool_try_again(&b->pool, number, tries, b->o->retries)) continue;
        err_keep(err, &own);
        return;
    }
}

int load_verify_run(const struct load_files_opts *o, size_t *proven, struct err *err) {
    const size_t most = o->m->n_files;
    if (!most || !load_verify_applies(o, o->m->files[0].family)) return 0;
    struct verify_batch b = {.o = o,
                             .names = calloc(most, sizeof *b.names),
                             .want = calloc(most, sizeof *b.want),
                             .now = calloc(most, sizeof *b.now),
                             .was_empty = calloc(most, sizeof *b.was_empty)};
    const struct pool_opts p = {.login = o->login, .stop = o->stop, .jobs = 1, .work = work, .arg = &b};
    int rc = b.names && b.want && b.now && b.was_empty ? list_partitions(&b, err) : err_nomem(err, most * sizeof *b.now, "sums");
    if (!rc) {
        pool_init(&b.pool);
        rc = pool_run(&b.pool, &p, err) || compare(&b, proven, err) ? -1 : 0;
        pool_free(&b.pool);
    }
    free(b.names);
    free(b.want);
    free(b.now);
    free(b.was_empty);
    return rc;
}

/* ---- the whole table ---- */

int load_verify_was_proven(const struct load_files_opts *o, const struct export_file *f, struct err *err) {
    struct cell_sums base;
    if (!load_verify_applies(o, f->family)) return 0;
    const char *table = o->m->table.families[f->family].sql_table;
    return journal_base(o->journal, table, export_partition_name(o->m, f->partition), &base, err) ? -1 : !base.rows;
}

static int count_rest(const struct load_files_opts *o, struct connection *c, uint32_t family, uint64_t *rows, struct err *err) {
    const struct export_manifest *m = o->m;
    const uint32_t count = m->table.partitioning.count;
    const char **names = calloc(count, sizeof *names);
    struct sums_places rest = {.table = m->table.families[family].sql_table, .partitions = names};
    if (!names) return err_nomem(err, count * sizeof *names, "partitions");
    for (uint32_t i = 0; i < count; i++)
        if (!export_partition_sums(m, family, i).rows) names[rest.n++] = export_partition_name(m, i);
    const bool asks = rest.n;
    if (m->table.partitioning.kind == PARTITION_NONE) rest.n = 0; /* the whole table: nothing has a name */
    int rc = asks ? sums_query_rows(c, &rest, rows, err) : 0;
    free(names);
    return rc;
}

int load_verify_rest_is_empty(const struct load_files_opts *o, struct connection *c, bool *is_empty, struct err *err) {
    *is_empty = true;
    for (uint32_t i = 0; *is_empty && i < o->m->table.n_families; i++) {
        uint64_t rows = 0;
        if (count_rest(o, c, i, &rows, err)) return -1;
        *is_empty = !rows;
    }
    return 0;
}
