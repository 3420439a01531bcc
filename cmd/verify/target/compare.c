/* An export against a database: sums of every partition, computed inside the database by a pool of connections; where they
 * differ, the rows are searched (find_rows.c). Findings of a partition are handed out together. */
#include "cmd/oceanbase/export_file.h"
#include "cmd/verify/target/compare.h"
#include "cmd/verify/target/compare_export.h"
#include "cmd/verify/target/compare_scan.h"

#include "base/buf.h"
#include "cmd/oceanbase/pool.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/verify/target/find_rows.h"
#include "cmd/verify/target/key_slices.h"

#include <stdlib.h>
#include <string.h>

const char *compare_kind_name(enum compare_kind k) {
    static const char *const names[] = {"missing", "extra", "changed", "left"};
    return names[k];
}

struct compare_run {
    const struct compare_opts *o;
    struct compare_result *r;
    struct pool pool;
    uint64_t snapshot;      /* the moment at which the target is read; 0: the server cannot read one */
    uint64_t next, of;      /* family * partitions + partition */
    uint64_t rows, rows_of; /* done, of how many */
    const bool *is_equal;   /* compare_scan: those that were found equal */
};

struct comparer {
    struct compare_run *all;
    struct pool_worker *member;
    struct connection *c;
    uint64_t snapshot;      /* comparison.snapshot, as of the partition at hand */
    uint64_t counted, most; /* of comparison.rows those of the partition at hand; how many it may count as */
};

/* ---- progress ---- */

/* Notes how many rows of the partition at hand are done. */
static void count_rows(struct comparer *w, uint64_t rows) {
    if (rows > w->most) rows = w->most;
    pthread_mutex_lock(&w->all->pool.lock);
    w->all->rows += rows - w->counted;
    pthread_mutex_unlock(&w->all->pool.lock);
    w->counted = rows;
}

/* A partition counts as one more than the export has of it, so that empty ones count. */
static uint64_t rows_expected(const struct compare_opts *o, uint32_t family, uint32_t partition) {
    uint64_t rows = 1;
    uint32_t end = o->by_partition || o->delta ? partition + 1 : o->m->table.partitioning.count;
    for (; partition < end; partition++) rows += export_partition_sums(o->m, family, partition).rows;
    return rows;
}

/* Returns the keys among which rows of the partition may be; of all partitions where rows are placed otherwise. */
static struct key_span span_of(const struct compare_opts *o, const struct compare_partition *p) {
    struct key_span s = {.rows = p->a.rows};
    for (size_t i = 0; i < o->m->n_files; i++) {
        const struct export_file *f = &o->m->files[i];
        if (f->family != p->family || (o->by_partition && f->partition != p->partition)) continue;
        struct bytes first = buf_bytes(&f->first_key), last = buf_bytes(&f->last_key);
        if (!s.first.n || bytes_cmp(first, s.first) < 0) s.first = first;
        if (bytes_cmp(last, s.last) > 0) s.last = last;
    }
    return s;
}

/* ---- one partition ---- */

/* Findings are kept until the partition is done, so that those of several do not mix. */
struct kept {
    struct buf bytes; /* keys */
    struct compare_finding *list;
    size_t n;
    uint64_t limit, found[COMPARE_KINDS];
};

static int keep_finding(void *arg, const struct compare_finding *f, struct err *err) {
    struct kept *k = arg;
    k->found[f->kind]++;
    if (k->n >= k->limit) return 0;
    if (grow_array(&k->list, k->n, sizeof *k->list, "findings", err)) return -1;
    k->list[k->n++] = *f; /* its bytes are found again by their lengths */
    return buf_put(&k->bytes, f->k.p, f->k.n, err) || buf_put(&k->bytes, f->q.p, f->q.n, err) ? -1 : 0;
}

static void kept_clear(struct kept *k) {
    buf_clear(&k->bytes);
    k->n = 0;
    memset(k->found, 0, sizeof k->found);
}

static int hand_over(const struct compare_opts *o, struct kept *k, const struct compare_partition *p, struct err *err) {
    size_t at = 0;
    for (size_t i = 0; i < k->n; i++) {
        struct compare_finding f = k->list[i];
        f.k.p = k->bytes.p + at;
        f.q.p = f.k.p + f.k.n;
        at += f.k.n + f.q.n;
        if (o->found(o->arg, &f, err)) return -1;
    }
    return o->differs(o->arg, p, err);
}

static void add_up(struct compare_run *all, const struct compare_partition *p, bool differs) {
    struct compare_result *r = all->r;
    r->partitions++;
    r->rows_a += p->a.rows;
    r->rows_b += p->b.rows;
    r->expired += p->expired;
    r->hidden += p->hidden;
    uint64_t n = 0;
    for (int i = 0; i < COMPARE_KINDS; i++) {
        r->found[i] += p->found[i];
        n += p->found[i];
    }
    r->changing += p->changing;
    r->differing += differs && (n || p->changing || !(all->o->by_partition || all->o->delta));
}

/* Returns whether the rows found account for the sums: otherwise sums and rows are those of different moments. */
static bool is_explained(const struct compare_partition *p, const struct descend_surplus *more) {
    uint64_t n = p->expired + p->hidden;
    for (int i = 0; i < COMPARE_KINDS; i++) n += p->found[i];
    return n && p->a.rows + more->rows == p->b.rows && p->a.bytes + more->bytes == p->b.bytes;
}

static int descend(struct comparer *w, const struct sums_place *place, struct compare_partition *p, struct kept *k,
                   struct err *err) {
    const struct compare_opts *o = w->all->o;
    struct descend_surplus more = {0};
    struct descend_opts d = {.compare = o,
                             .place = *place,
                             .found = keep_finding,
                             .arg = k,
                             .expired = &p->expired,
                             .hidden = &p->hidden,
                             .more = &more};
    d.rows = (struct load_rows_opts){.family = p->family, .partition = p->partition, .stop = o->stop};
    pthread_mutex_lock(&w->all->pool.lock);
    int rc = o->files(o->arg, p->family, p->partition, &d.rows.dir, &d.rows.m, err);
    pthread_mutex_unlock(&w->all->pool.lock);
    if (!rc) rc = descend_run(w->c, &d, err);
    memcpy(p->found, k->found, sizeof p->found);
    p->changing = !rc && !is_explained(p, &more);
    return rc;
}

/* The database is asked slice by slice: together they have every row once. */
static int sum_target(struct comparer *w, const struct sums_place *place, struct compare_partition *p, struct err *err) {
    const struct compare_opts *o = w->all->o;
    const struct key_span span = span_of(o, p);
    const unsigned n = key_slice_count(&span);
    struct buf where = {0};
    int rc = 0;
    for (unsigned i = 0; !rc && i < n; i++) {
        struct cell_sums sums;
        if (n > 1) rc = stop_check(o->stop, err) || key_slice_where(&span, i, n, &where, err) ? -1 : 0;
        if (!rc) rc = sums_query(w->c, place, n > 1 ? (char *)where.p : NULL, &sums, err);
        if (!rc) cell_sums_add(&p->b, &sums);
        if (!rc) count_rows(w, p->b.rows);
    }
    buf_free(&where);
    return rc;
}

/* Sums of the target, and the rows in which they differ from those of the export. */
static int compare_target(struct comparer *w, const struct sums_place *place, struct compare_partition *p, struct kept *k,
                          bool *differs, struct err *err) {
    struct cell_sums before = p->b;
    p->b = (struct cell_sums){0};
    if (sum_target(w, place, p, err)) return -1;
    *differs = !cell_sums_eq(&p->a, &p->b);
    if (!*differs) return 0;
    if (w->all->o->by_partition) return descend(w, place, p, k, err);
    p->changing = !place->snapshot && !cell_sums_eq(&before, &p->b);
    return 0;
}

/* A partition that changes while it is read is read once more; if it is still changing then, it counts as different. */
static int compare_sums(struct comparer *w, const struct sums_place *place, struct compare_partition *p, struct kept *k,
                        bool *differs, struct err *err) {
    int rc = compare_export_sums(w->all->o, &w->all->pool.lock, place, p, err);
    for (int i = 0; !rc && i < 2 && (!i || p->changing); i++) {
        kept_clear(k);
        p->changing = false;
        p->expired = p->hidden = 0;
        rc = compare_target(w, place, p, k, differs, err);
    }
    return rc;
}

/* Compares only what the delta says of the partition. */
static int compare_delta(struct comparer *w, const struct sums_place *place, struct compare_partition *p, struct kept *k,
                         struct err *err) {
    const struct compare_opts *o = w->all->o;
    struct delta_opts d = {.compare = o, .place = *place, .found = keep_finding, .arg = k};
    d.rows = (struct load_rows_opts){.family = p->family, .partition = p->partition, .stop = o->stop};
    pthread_mutex_lock(&w->all->pool.lock);
    int rc = o->files(o->arg, p->family, p->partition, &d.rows.dir, &d.rows.m, err);
    pthread_mutex_unlock(&w->all->pool.lock);
    if (!rc) rc = delta_find(w->c, &d, p, err);
    memcpy(p->found, k->found, sizeof p->found);
    return rc;
}

static int compare_one(struct comparer *w, uint32_t family, uint32_t partition, struct err *err) {
    struct compare_run *all = w->all;
    const struct compare_opts *o = all->o;
    struct compare_partition p = {.family = family, .partition = partition};
    if (o->by_partition) p.name = export_partition_name(o->m, partition);
    struct sums_place place = {o->m->table.families[family].sql_table,
                               p.name,
                               {.strong = o->strong, .ttl_column = export_sums_opts(o->m, family).ttl_column},
                               w->snapshot};
    struct kept k = {.limit = o->limit};
    bool differs = false;
    int rc = o->delta ? compare_delta(w, &place, &p, &k, err) : compare_sums(w, &place, &p, &k, &differs, err);
    if (o->delta) differs = k.n > 0;
    pthread_mutex_lock(&all->pool.lock);
    if (!rc) add_up(all, &p, differs);
    if (!rc && o->compared) rc = o->compared(o->arg, &p, err);
    if (!rc && differs) rc = hand_over(o, &k, &p, err);
    pthread_mutex_unlock(&all->pool.lock);
    free(k.list);
    buf_free(&k.bytes);
    return rc;
}

/* ---- failures of the server ---- */

/* *number: the server's; 0: a failure is none of its. */
static int try_partition(struct comparer *w, uint32_t family, uint32_t partition, unsigned *number, struct err *err) {
    *number = 0;
    if (!w->c && !(w->c = connection_open(w->all->o->login, number, err))) return -1;
    pool_set_session(w->member, connection_id(w->c));
    pthread_mutex_lock(&w->all->pool.lock);
    w->snapshot = w->all->snapshot;
    pthread_mutex_unlock(&w->all->pool.lock);
    w->most = rows_expected(w->all->o, family, partition);
    int rc = compare_one(w, family, partition, err);
    pool_set_session(w->member, 0);
    if (rc) *number = connection_error(w->c);
    count_rows(w, rc ? 0 : w->most);
    w->counted = 0;
    return rc;
}

static int give_up(struct comparer *w, uint32_t family, uint32_t partition, const struct err *why, struct err *err) {
    struct compare_run *all = w->all;
    const char *name = all->o->by_partition ? export_partition_name(all->o->m, partition) : NULL;
    pthread_mutex_lock(&all->pool.lock);
    all->r->unreached++;
    int rc = all->o->unreached(all->o->arg, family, name, why->text, err);
    pthread_mutex_unlock(&all->pool.lock);
    return rc;
}

/* A server keeps the past for half an hour or so, and not beyond a change of the table: partitions that are still to be compared
 * are read at a later moment then. */
static bool renew_snapshot(struct comparer *w) {
    struct compare_run *all = w->all;
    struct err own = {0};
    uint64_t now = 0;
    unsigned number;
    if (!w->snapshot || !(w->c = connection_open(all->o->login, &number, &own))) return false;
    bool asked = !connection_snapshot(w->c, &now, &own);
    pthread_mutex_lock(&all->pool.lock);
    if (asked && all->snapshot == w->snapshot) all->snapshot = now;
    pthread_mutex_unlock(&all->pool.lock);
    return asked;
}

/* Errors that may pass are tried again. A partition that stays out of reach is reported, and the others continue; without a
 * connection none can. */
static int compare_reached(struct comparer *w, uint32_t family, uint32_t partition, struct err *err) {
    bool renewed = false;
    for (unsigned tries = 0;; tries++) {
        unsigned number;
        struct err own = {0};
        if (!try_partition(w, family, partition, &number, &own)) return 0;
        bool connected = w->c,
             passes = number && server_error_of(number).action != SERVER_ERROR_STOP && !pool_halts(&w->all->pool);
        connection_close(w->c);
        w->c = NULL;
        if (number && !passes && !renewed && !pool_halts(&w->all->pool) && (renewed = renew_snapshot(w))) continue;
        if (passes && tries < w->all->o->retries && pool_back_off(&w->all->pool, tries)) continue;
        if (passes && connected) return give_up(w, family, partition, &own, err);
        err_keep(err, &own);
        return -1;
    }
}

/* ---- threads ---- */

/* Partition 0 stands for all, where only whole tables are compared. */
static bool is_compared(const struct compare_opts *o, uint32_t family, uint32_t partition) {
    return o->wanted(o->arg, family) && (o->by_partition || o->delta || !partition) && (!o->chosen || o->chosen[partition]);
}

static uint64_t count_expected(const struct compare_opts *o) {
    uint64_t rows = 0;
    for (uint32_t f = 0; f < o->m->table.n_families; f++)
        for (uint32_t i = 0; i < o->m->table.partitioning.count; i++)
            if (is_compared(o, f, i)) rows += rows_expected(o, f, i);
    return rows;
}

static bool next_partition(struct compare_run *all, uint32_t *family, uint32_t *partition) {
    uint32_t count = all->o->m->table.partitioning.count;
    bool found = false;
    pthread_mutex_lock(&all->pool.lock);
    while (!found && !all->pool.halt && all->next < all->of) {
        *family = (uint32_t)(all->next / count);
        *partition = (uint32_t)(all->next++ % count);
        found = is_compared(all->o, *family, *partition) && !all->is_equal[all->next - 1];
    }
    pthread_mutex_unlock(&all->pool.lock);
    return found;
}

static void work(void *arg, struct pool_worker *me, struct err *err) {
    struct comparer w = {.all = arg, .member = me};
    uint32_t family, partition;
    while (next_partition(w.all, &family, &partition) && !compare_reached(&w, family, partition, err)) {
    }
    connection_close(w.c);
}

static void tick(void *arg) {
    struct compare_run *all = arg;
    if (all->o->tick) all->o->tick(all->o->arg, all->rows, all->rows_of);
}

static int add_equal(struct compare_run *all, struct err *err) {
    const struct compare_opts *o = all->o;
    const uint32_t count = o->m->table.partitioning.count;
    for (uint64_t i = 0; i < all->of; i++) {
        struct compare_partition p = {.family = (uint32_t)(i / count), .partition = (uint32_t)(i % count)};
        if (!all->is_equal[i]) continue;
        p.name = export_partition_name(o->m, p.partition);
        p.a = p.b = export_partition_sums(o->m, p.family, p.partition);
        add_up(all, &p, false);
        if (o->compared && o->compared(o->arg, &p, err)) return -1;
    }
    return 0;
}

static int compare_rest(struct compare_run *all, struct err *err) {
    const struct compare_opts *o = all->o;
    struct pool_opts co = {.login = o->login, .stop = o->stop, .jobs = o->jobs, .work = work, .tick = tick, .arg = all};
    if (add_equal(all, err)) return -1;
    pool_init(&all->pool);
    int rc = pool_run(&all->pool, &co, err);
    pool_free(&all->pool);
    return rc;
}

int compare_run(const struct compare_opts *o, struct compare_result *r, struct err *err) {
    struct compare_run *all = calloc(1, sizeof *all);
    const uint64_t of = (uint64_t)o->m->table.n_families * o->m->table.partitioning.count;
    struct compare_scan scan = {.o = o, .is_equal = calloc(of, sizeof(bool)), .rows_of = count_expected(o)};
    *r = (struct compare_result){0};
    int rc = all && scan.is_equal ? compare_scan_run(&scan, err) : err_nomem(err, sizeof *all + of, "the comparison");
    if (!rc) {
        *all = (struct compare_run){.o = o,
                                    .r = r,
                                    .snapshot = o->snapshot,
                                    .of = of,
                                    .rows = scan.rows,
                                    .rows_of = scan.rows_of,
                                    .is_equal = scan.is_equal};
        rc = compare_rest(all, err);
    }
    free(scan.is_equal);
    free(all);
    return rc;
}
