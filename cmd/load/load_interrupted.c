/* The outcome of an interrupted statement: a loader or a server that was killed, a connection that broke. Statements that still
 * run are killed first; then the sums of each of their partitions show whether it holds the rows before the statement, those
 * after it, or part of them. */
#include "cmd/common/report_figures.h"
#include "cmd/load/load_files.h"

#include "cmd/load/load_external.h"
#include "cmd/load/load_interrupted.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/statements.h"
#include "cmd/oceanbase/sums_query.h"

#include <stdlib.h>
#include <time.h>

enum { WAIT_SECONDS = 600 };

struct sessions {
    uint64_t id[64];
    unsigned n;
};

static int take_session(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    struct sessions *s = arg;
    u128 id;
    (void)err;
    if (n && f[0].p && decimal_parse_u128(f[0], &id) && s->n < countof(s->id)) s->id[s->n++] = (uint64_t)id;
    return 0;
}

/* A server continues for a while after its client is gone. */
static int find_sessions(struct connection *c, const char *verb, const char *const *texts, size_t n, struct sessions *s,
                         struct err *err) {
    struct buf sql = {0};
    s->n = 0;
    int rc = buf_printf(&sql, err, "SELECT id FROM information_schema.processlist WHERE info LIKE '%s%%' AND (0", verb);
    for (size_t i = 0; !rc && i < n; i++)
        rc = buf_printf(&sql, err, " OR INSTR(info, ") || sql_put_string(&sql, bytes_str(texts[i]), err) ||
             buf_printf(&sql, err, ") > 0");
    if (!rc) rc = buf_printf(&sql, err, ")") || buf_put_byte(&sql, 0, err);
    if (!rc) rc = connection_rows(c, (char *)sql.p, take_session, s, err);
    buf_free(&sql);
    return rc ? -1 : 0;
}

int load_interrupted_end(struct connection *c, const struct stop *stop, const char *verb, const char *const *texts, size_t n,
                         struct err *err) {
    for (unsigned waited = 0; n && waited < WAIT_SECONDS * 10; waited++) {
        struct sessions s;
        if (find_sessions(c, verb, texts, n, &s, err)) return -1;
        if (!s.n) return 0;
        for (unsigned i = 0; i < s.n; i++)
            if (connection_kill(c, s.id[i], err)) return -1;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        struct err stopped = {0};
        if (stop_check(stop, &stopped)) {
            err_keep(err, &stopped);
            return -1;
        }
    }
    return n ? err_set(err, ERR_BUSY, "%s: an earlier statement is still running in the server", texts[0]) : 0;
}

/* ---- one partition ---- */

/* Files of a partition whose statements nobody saw end. */
struct batch_group {
    struct load_file *first;
    size_t n; /* of the partition, interrupted or not */
    struct cell_sums sums;
    bool any, plain;
};

static struct batch_group group_of(const struct load_settle *s, const struct load_part *p) {
    const struct load_list *l = s->list;
    struct batch_group g = {0};
    for (size_t i = 0; i < l->n; i++) {
        struct load_file *f = &l->files[i];
        if (f->file->family != p->family || f->file->partition != p->partition) continue;
        if (!g.n++) g.first = f;
        if (!f->interrupted || f->state == LOAD_IN) continue;
        const struct load_source source = export_load_source(l->o->m, f->file, "");
        g.any = true;
        g.plain = g.plain || !l->o->is_oceanbase || !load_sql_is_direct(&source);
        cell_sums_add(&g.sums, &f->file->sums);
    }
    return g;
}

static int foreign(const struct load_list *l, const struct load_part *p, const struct cell_sums *now,
                   const struct cell_sums *after, struct err *err) {
    const char *partition = export_partition_name(l->o->m, p->partition);
    return err_set(err, ERR_OUTPUT,
                   "table %s, partition %s: holds %s rows, and these are neither the %s before the file nor the %s "
                   "after it: another program wrote to it since the load began; compare with obkv-verify target, then "
                   "resume with --on-duplicate replace or ignore",
                   l->o->m->table.families[p->family].sql_table, partition ? partition : "(all)", REPORT_COUNT(now->rows),
                   REPORT_COUNT(p->before.rows), REPORT_COUNT(after->rows));
}

static bool sums_are(const struct cell_sums *now, struct cell_sums want) {
    want.md5_sum = 0;
    want.md5_xor = 0;
    return cell_sums_eq(now, &want);
}

/* now NULL: not known, but whatever is in can only be of the group. */
static int settle_group(const struct load_list *l, const struct load_part *p, const struct batch_group *g,
                        const struct cell_sums *now, bool *is_in, bool *replace, struct err *err) {
    const struct family *f = &l->o->m->table.families[p->family];
    const bool expires = f->rules.ttl_s > 0 || f->has_ttl_column; /* the server removes rows meanwhile: no sums fit */
    struct cell_sums after = p->before;
    cell_sums_add(&after, &g->sums);
    *is_in = now && sums_are(now, after);
    *replace = !*is_in && !(now && sums_are(now, p->before));
    if (!*replace || ((g->plain || expires) && p->base_empty && (!now || now->rows <= after.rows))) return 0;
    return foreign(l, p, now ? now : &p->before, &after, err);
}

/* ---- those of a batch ---- */

static int end_statements(struct connection *c, const struct load_settle *s, struct err *err) {
    const struct load_batch *b = s->batch;
    const char **texts = calloc(b->n, sizeof *texts);
    size_t n = 0;
    if (!texts) return err_nomem(err, b->n * sizeof *texts, "names of files");
    for (size_t i = 0; i < b->n; i++)
        if (b->files[i]->interrupted) texts[n++] = b->files[i]->file->path;
    int rc = load_interrupted_end(c, s->list->o->stop, "LOAD DATA", texts, n, err);
    char name[64];
    load_external_name(s->list->o, b->files[0]->file->family, name);
    texts[0] = name;
    if (!rc) rc = load_interrupted_end(c, s->list->o->stop, "INSERT", texts, 1, err);
    if (!rc) rc = load_interrupted_end(c, s->list->o->stop, "COMMIT", texts, 1, err);
    free(texts);
    return rc;
}

static int ask_sums(struct connection *c, const struct load_settle *s, struct cell_sums *now, struct err *err) {
    const struct load_files_opts *o = s->list->o;
    const struct load_batch *b = s->batch;
    const uint32_t family = b->parts[0].family;
    const char **names = calloc(b->n_parts, sizeof *names);
    if (!names) return err_nomem(err, b->n_parts * sizeof *names, "names of partitions");
    for (size_t i = 0; i < b->n_parts; i++) names[i] = export_partition_name(o->m, b->parts[i].partition);
    const struct sums_places places = {.table = o->m->table.families[family].sql_table,
                                       .partitions = names,
                                       .n = b->n_parts,
                                       .opts = {.ttl_column = export_sums_opts(o->m, family).ttl_column}};
    int rc = sums_query_each(c, &places, now, err);
    free(names);
    return rc;
}

/* Decides what became of interrupted statements. With replace or ignore, loading again changes nothing; else the sums of each
 * partition decide. Elsewhere than on OceanBase its rows are in other partitions: only that they cannot be doubled is sure. */
int load_interrupted_settle(struct connection *c, const struct load_settle *s,
                            int (*found)(void *arg, struct load_file *f, struct err *err), void *arg, struct err *err) {
    const struct load_files_opts *o = s->list->o;
    const struct load_batch *b = s->batch;
    if (end_statements(c, s, err)) return -1;
    if (o->target.on_duplicate != ON_DUPLICATE_ERROR) return 0;
    const bool known = o->is_oceanbase || !export_partition_name(o->m, b->parts[0].partition);
    struct cell_sums *now = calloc(b->n_parts, sizeof *now);
    int rc = !now ? err_nomem(err, b->n_parts * sizeof *now, "sums") : known ? ask_sums(c, s, now, err) : 0;
    for (size_t i = 0; !rc && i < b->n_parts; i++) {
        const struct batch_group g = group_of(s, &b->parts[i]);
        bool is_in, replace;
        if (!g.any) continue;
        rc = settle_group(s->list, &b->parts[i], &g, known ? &now[i] : NULL, &is_in, &replace, err);
        for (size_t k = 0; !rc && k < g.n; k++) {
            struct load_file *f = &g.first[k];
            if (!f->interrupted || f->state == LOAD_IN) continue;
            f->interrupted = false;
            f->replace = replace;
            if (is_in) rc = found(arg, f, err);
        }
    }
    free(now);
    return rc;
}
