/* Compares a target for the first time: a statement sums all partitions of a table, or as many as the server reads in some
 * seconds, so that progress shows. This costs the server less than a statement for each of them. Partitions that are not equal
 * are left to compare.c, as is every failure of the server. */
#include "cmd/verify/target/compare_scan.h"

#include "base/buf.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/pool.h"

#include <stdlib.h>

enum { STATEMENT_ROWS = 20 * 1000 * 1000 };

/* Partitions of a family, for one statement. */
struct stretch {
    uint32_t family, first, end;
};

struct scan {
    struct compare_scan *s;
    struct pool pool;
    struct stretch *list;
    size_t n, next;
    unsigned parallel;
};

struct scanner {
    struct scan *all;
    struct pool_worker *member;
    struct connection *c;
};

static bool is_asked(const struct compare_opts *o, uint32_t family, uint32_t partition) {
    return o->wanted(o->arg, family) && (!o->chosen || o->chosen[partition]) &&
           export_partition_sums(o->m, family, partition).rows <= STATEMENT_ROWS;
}

static int add_family(struct scan *all, uint32_t family, struct err *err) {
    const struct compare_opts *o = all->s->o;
    uint64_t rows = 0;
    struct stretch *last = NULL;
    for (uint32_t i = 0; i < o->m->table.partitioning.count; i++) {
        if (!is_asked(o, family, i)) continue;
        const uint64_t more = export_partition_sums(o->m, family, i).rows;
        if (!last || rows + more > STATEMENT_ROWS) {
            if (grow_array(&all->list, all->n, sizeof *all->list, "statements", err)) return -1;
            last = &all->list[all->n++];
            *last = (struct stretch){family, i, i};
            rows = 0;
        }
        last->end = i + 1;
        rows += more;
    }
    return 0;
}

/* ---- one statement ---- */

struct places {
    const char **names;
    uint32_t *index;
    struct cell_sums *want;
    bool *fits;
    size_t n;
};

static int places_make(struct places *p, size_t n, struct err *err) {
    *p = (struct places){.names = calloc(n, sizeof *p->names),
                         .index = calloc(n, sizeof *p->index),
                         .want = calloc(n, sizeof *p->want),
                         .fits = calloc(n, sizeof *p->fits)};
    return p->names && p->index && p->want && p->fits ? 0 : err_nomem(err, n * sizeof *p->want, "sums of partitions");
}

static void places_free(struct places *p) {
    free(p->names);
    free(p->index);
    free(p->want);
    free(p->fits);
}

static void note_equal(struct scan *all, uint32_t family, const struct places *p) {
    struct compare_scan *s = all->s;
    pthread_mutex_lock(&all->pool.lock);
    for (size_t i = 0; i < p->n; i++) {
        if (!p->fits[i]) continue;
        s->is_equal[(uint64_t)family * s->o->m->table.partitioning.count + p->index[i]] = true;
        s->rows += p->want[i].rows + 1;
    }
    pthread_mutex_unlock(&all->pool.lock);
}

static int ask(struct scanner *w, const struct stretch *at, struct err *err) {
    const struct compare_opts *o = w->all->s->o;
    const struct family *f = &o->m->table.families[at->family];
    struct places p;
    int rc = places_make(&p, at->end - at->first, err);
    for (uint32_t i = at->first; !rc && i < at->end; i++) {
        if (!is_asked(o, at->family, i)) continue;
        p.index[p.n] = i;
        p.names[p.n] = export_partition_name(o->m, i);
        p.want[p.n++] = export_partition_sums(o->m, at->family, i);
    }
    const struct sums_scan scan = {.places = {.table = f->sql_table,
                                              .partitions = p.names,
                                              .n = p.n,
                                              .opts = {.strong = o->strong, .ttl_column = f->has_ttl_column},
                                              .snapshot = o->snapshot},
                                   .database = o->login->address.database,
                                   .partitioning = &o->m->table.partitioning,
                                   .want = p.want,
                                   .parallel = w->all->parallel};
    if (!rc) rc = sums_query_fit(w->c, &scan, p.fits, err);
    if (!rc) note_equal(w->all, at->family, &p);
    places_free(&p);
    return rc;
}

/* A failure of the server is none here: the partitions stay as they are. */
static int ask_reached(struct scanner *w, const struct stretch *at, struct err *err) {
    struct err own = {0};
    unsigned number = 0;
    if (!w->c && !(w->c = connection_open(w->all->s->o->login, &number, &own))) goto failed;
    pool_set_session(w->member, connection_id(w->c));
    int rc = ask(w, at, &own);
    pool_set_session(w->member, 0);
    if (!rc) return 0;
    number = connection_error(w->c);
failed:
    connection_close(w->c);
    w->c = NULL;
    if (number && !pool_halts(&w->all->pool)) return 0;
    err_keep(err, &own);
    return -1;
}

/* ---- threads ---- */

static bool next_stretch(struct scan *all, struct stretch *at) {
    pthread_mutex_lock(&all->pool.lock);
    const bool found = !all->pool.halt && all->next < all->n;
    if (found) *at = all->list[all->next++];
    pthread_mutex_unlock(&all->pool.lock);
    return found;
}

static void work(void *arg, struct pool_worker *me, struct err *err) {
    struct scanner w = {.all = arg, .member = me};
    struct stretch at;
    while (next_stretch(w.all, &at) && !ask_reached(&w, &at, err)) {
    }
    connection_close(w.c);
}

static void tick(void *arg) {
    const struct compare_scan *s = ((struct scan *)arg)->s;
    if (s->o->tick) s->o->tick(s->o->arg, s->rows, s->rows_of);
}

/* Sums of the export must be those that are asked for. */
int compare_scan_run(struct compare_scan *s, struct err *err) {
    const struct compare_opts *o = s->o;
    if (o->delta || !o->by_partition || (o->strong && !o->m->strong)) return 0;
    struct scan all = {.s = s};
    int rc = 0;
    pool_init(&all.pool);
    for (uint32_t f = 0; !rc && f < o->m->table.n_families; f++) rc = add_family(&all, f, err);
    const unsigned jobs = all.n < o->jobs ? (unsigned)all.n : o->jobs;
    if (jobs) all.parallel = o->jobs / jobs;
    struct pool_opts co = {.login = o->login, .stop = o->stop, .jobs = jobs, .work = work, .tick = tick, .arg = &all};
    if (!rc && jobs) rc = pool_run(&all.pool, &co, err);
    pool_free(&all.pool);
    free(all.list);
    return rc;
}
