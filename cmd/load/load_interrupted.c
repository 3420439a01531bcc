/* The outcome of an interrupted statement: a loader or a server that was killed, a connection that broke. Statements
 * that still run are killed first; then the sums of the partition show whether it holds the rows before the file, those after
 * it, or part of them. */
#include "cmd/load/load_files.h"

#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/statements.h"

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
static int find_sessions(struct connection *c, const char *verb, const char *text, struct sessions *s, struct err *err) {
    struct buf sql = {0};
    s->n = 0;
    int rc =
        buf_printf(&sql, err, "SELECT id FROM information_schema.processlist WHERE info LIKE '%s%%' AND INSTR(info, ", verb) ||
                sql_put_string(&sql, bytes_str(text), err) || buf_printf(&sql, err, ") > 0") || buf_put_byte(&sql, 0, err)
            ? -1
            : connection_rows(c, (char *)sql.p, take_session, s, err);
    buf_free(&sql);
    return rc;
}

int load_interrupted_end(struct connection *c, const struct stop *stop, const char *verb, const char *text, struct err *err) {
    for (unsigned waited = 0; waited < WAIT_SECONDS * 10; waited++) {
        struct sessions s;
        if (find_sessions(c, verb, text, &s, err)) return -1;
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
    return err_set(err, ERR_BUSY, "%s: an earlier statement is still running in the server", text);
}

static bool is_direct(const struct load_interrupted_opts *o) {
    struct load_source s = export_load_source(o->loader->m, o->file, "");
    return o->loader->is_oceanbase && load_sql_is_direct(&s);
}

static int foreign(const struct load_interrupted_opts *o, const struct cell_sums *now, struct err *err) {
    const char *partition = export_partition_name(o->loader->m, o->file->partition);
    return err_set(err, ERR_OUTPUT,
                   "table %s, partition %s: holds %llu rows, and these are neither the %llu before the file nor the %llu "
                   "after it: another program wrote to it since the load began; compare with obkv-verify target, then "
                   "resume with --on-duplicate replace or ignore",
                   o->loader->m->table.families[o->file->family].sql_table, partition ? partition : "(all)",
                   (unsigned long long)now->rows, (unsigned long long)o->before.rows,
                   (unsigned long long)(o->before.rows + o->file->sums.rows));
}

/* With replace or ignore, loading again changes nothing; else the sums of the partition decide. */
int load_interrupted_find(struct connection *c, const struct load_interrupted_opts *o, enum load_interrupted_answer *answer,
                          struct err *err) {
    const struct load_files_opts *l = o->loader;
    struct cell_sums now, after = o->before;
    *answer = INTERRUPTED_OUT;
    if (load_interrupted_end(c, l->stop, "LOAD DATA", o->file->path, err)) return -1;
    if (l->target.on_duplicate != ON_DUPLICATE_ERROR) return 0;
    struct sums_place place = {l->m->table.families[o->file->family].sql_table,
                               export_partition_name(l->m, o->file->partition),
                               {.ttl_column = export_sums_opts(l->m, o->file->family).ttl_column},
                               0};
    if (!l->is_oceanbase && place.partition) { /* its rows are elsewhere: only that they cannot be doubled is sure */
        if (!o->base_empty) return foreign(o, &o->before, err);
        *answer = INTERRUPTED_PARTLY;
        return 0;
    }
    if (sums_query(c, &place, NULL, &now, err)) return -1;
    struct cell_sums before = o->before;
    cell_sums_add(&after, &o->file->sums);
    before.md5_sum = after.md5_sum = 0;
    before.md5_xor = after.md5_xor = 0;
    if (cell_sums_eq(&now, &after)) *answer = INTERRUPTED_IN;
    if (cell_sums_eq(&now, &before) || *answer == INTERRUPTED_IN) return 0;
    if (is_direct(o) || !o->base_empty || now.rows > after.rows) return foreign(o, &now, err);
    *answer = INTERRUPTED_PARTLY;
    return 0;
}
