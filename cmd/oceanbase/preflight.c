/* The checks before a load. Each adds findings: PASS, WARN or FAIL, with what to do; a failed check never hides the next one,
 * so that all that is wrong is said at once. */
#include "cmd/oceanbase/catalog.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/journal.h"
#include "cmd/oceanbase/preflight.h"

#include "base/buf.h"
#include "base/fs.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/preflight_definition.h"
#include "cmd/oceanbase/preflight_rows.h"
#include "cmd/oceanbase/server_size.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

struct preflight_look {
    struct connection *c;
    const struct preflight_opts *o;
    struct preflight *p;
    const char *table; /* a table that exists and is as it should be; NULL: none is */
};

/* ---- server ---- */

static bool is_loopback(const char *host) {
    return !strcmp(host, "localhost") || !strncmp(host, "127.", 4) || !strcmp(host, "::1");
}

static int check_server(struct preflight_look *l, struct err *err) {
    const struct server_kind *s = connection_server(l->c);
    const char *cipher = connection_cipher(l->c), *host = l->o->login->address.host;
    if (preflight_add(l->p, err, FINDING_PASS, "connection", "%s:%u as %s, %s%s", host, l->o->login->address.port,
                      l->o->login->user, cipher ? "encrypted with " : "not encrypted", cipher ? cipher : ""))
        return -1;
    if (!cipher && !is_loopback(host) &&
        preflight_add(l->p, err, FINDING_WARN, "encryption",
                      "the password and the cells cross the network unencrypted; "
                      "see --tls"))
        return -1;
    if (!s->is_oceanbase)
        return preflight_add(l->p, err, FINDING_WARN, "version",
                             "%s: not OceanBase; it stores the same bytes, but places rows by other rules", s->text);
    struct load_source source = {.table = "t", .path = "/", .compression = l->o->m->compression};
    const char *obstacle = load_sql_obstacle(&l->o->target, &source);
    if (obstacle) return preflight_add(l->p, err, FINDING_FAIL, "version", "%s: %s", s->text, obstacle);
    return preflight_add(l->p, err, FINDING_PASS, "version", "%s", s->text);
}

/* ---- tables ---- */

static int check_table(struct preflight_look *l, uint32_t family, struct err *err) {
    const char *table = l->o->m->table.families[family].sql_table;
    char *ddl;
    if (catalog_definition(l->c, l->o->login->address.database, table, &ddl, err)) return -1;
    if (!ddl) return preflight_rows_missing(l->c, l->o, l->p, family, err);
    size_t failed = preflight_count(l->p, FINDING_FAIL);
    int rc = preflight_definition(l->p, l->o->m, family, ddl, connection_server(l->c)->is_oceanbase, err);
    free(ddl);
    if (!l->table && preflight_count(l->p, FINDING_FAIL) == failed) l->table = table;
    return rc ? -1 : preflight_rows(l->c, l->o, l->p, family, err);
}

static int check_forms(struct preflight_look *l, struct err *err) {
    const char *last = NULL;
    size_t direct = 0, plain = 0;
    for (size_t i = 0; i < l->o->m->n_files; i++) {
        struct load_source s = export_load_source(l->o->m, &l->o->m->files[i], "/");
        s.local = l->p->local;
        const char *obstacle = connection_server(l->c)->is_oceanbase ? load_sql_obstacle(&l->o->target, &s) : NULL;
        if (obstacle && obstacle != last &&
            preflight_add(l->p, err, FINDING_FAIL, "statement", "%s: %s", l->o->m->files[i].path, obstacle))
            return -1;
        if (obstacle) last = obstacle;
        load_sql_is_direct(&s) ? direct++ : plain++;
    }
    if (last || !connection_server(l->c)->is_oceanbase) return 0;
    return preflight_add(
        l->p, err, plain ? FINDING_WARN : FINDING_PASS, "statement",
        plain ? "%zu file%s by direct load, %zu without: these are slower, and where rows are replaced or the user "
                "may not CREATE and DROP tables, not atomic"
              : "%zu file%s by direct load",
        direct, direct == 1 ? "" : "s", plain);
}

/* ---- files ---- */

/* 1: it exists, can be read and has that many bytes (NULL: any number); 0: why not; -1: error. */
static int look_at_file(const struct preflight_look *l, const char *name, const uint64_t *bytes, char *why, size_t room,
                        struct err *err) {
    struct stat st;
    char *path = fs_join(l->o->dir, name, err);
    if (!path) return -1;
    bool fails = stat(path, &st) || access(path, R_OK);
    int sys = errno;
    free(path);
    bool good = !fails && S_ISREG(st.st_mode) && (!bytes || (uint64_t)st.st_size == *bytes);
    if (fails)
        snprintf(why, room, "%.200s: %s", name, strerror(sys));
    else if (!good && !S_ISREG(st.st_mode))
        snprintf(why, room, "%.200s: no file", name);
    else if (!good)
        snprintf(why, room, "%.200s: %llu bytes, the manifest says %llu", name, (unsigned long long)st.st_size,
                 (unsigned long long)*bytes);
    return good;
}

/* Text is estimated: escapes make it longer, short names shorter. */
static int check_made_files(struct preflight_look *l, struct err *err) {
    const struct preflight_made *made = l->o->made;
    const bool tight = made->need > made->room;
    return preflight_add(l->p, err, tight ? FINDING_FAIL : FINDING_PASS, "temporary files",
                         "%zu partition%s in %zu batch%s; two batches take about %llu MB in %.250s, %llu MB free%s",
                         l->o->m->n_files, l->o->m->n_files == 1 ? "" : "s", made->batches, made->batches == 1 ? "" : "es",
                         (unsigned long long)((made->need + (1 << 20) - 1) >> 20), l->o->dir,
                         (unsigned long long)(made->room >> 20),
                         tight ? ": a batch holds whole partitions; give --temp-dir on another disk, or more --disk-limit" : "");
}

static int check_files(struct preflight_look *l, struct err *err) {
    uint64_t bytes = 0;
    const struct export_manifest *m = l->o->m;
    size_t bad = 0, n = m->n_files + m->deletes.n;
    char first[400] = "", why[400];
    for (size_t i = 0; i <= n; i++) { /* the last: probe.kqvt */
        const struct export_delete_file *d = i >= m->n_files && i < n ? &m->deletes.files[i - m->n_files] : NULL;
        const struct export_file *f = i < m->n_files ? &m->files[i] : NULL;
        const uint64_t *size = f ? &f->file_bytes : d ? &d->file_bytes : NULL;
        int good = look_at_file(l, f ? f->path : d ? d->path : "probe.kqvt", size, why, sizeof why, err);
        if (good < 0) return -1;
        if (!good && !bad++) memcpy(first, why, sizeof first);
        if (size) bytes += *size;
    }
    l->p->damaged = bad > 0;
    if (bad)
        return preflight_add(l->p, err, FINDING_FAIL, "files",
                             "%s; in all %zu of %zu cannot be used; copy or export "
                             "them again",
                             first, bad, n + 1);
    return preflight_add(l->p, err, FINDING_PASS, "files", "%zu file%s, %llu bytes, all present", n, n == 1 ? "" : "s",
                         (unsigned long long)bytes);
}

/* why: what keeps the server from reading them. */
static int check_local(struct preflight_look *l, enum finding_state state, const char *why, struct err *err) {
    unsigned number = 0;
    l->p->local = true;
    struct access_probe probe = {l->o->dir, l->table, .local = true};
    if (l->table && preflight_try_access(l->c, &probe, &number, err)) return -1;
    if (number) return preflight_add(l->p, err, FINDING_FAIL, "file access", "%.400s", connection_why(l->c));
    return preflight_add(l->p, err, state, "file access", "files are sent from here (LOCAL)%s%.400s", *why ? ": " : "", why);
}

static int check_access(struct preflight_look *l, struct err *err) {
    unsigned number = 0;
    bool near = is_loopback(l->o->login->address.host) || l->o->server_dir_given,
         oceanbase = connection_server(l->c)->is_oceanbase;
    if (l->o->via == VIA_LOCAL) return check_local(l, FINDING_PASS, "", err);
    if (l->o->via == VIA_AUTO && !near && oceanbase)
        return check_local(l, FINDING_PASS, "the server is on another host; see --server-dir", err);
    if (oceanbase && strpbrk(l->o->server_dir, ",*?["))
        return preflight_add(
            l->p, err, FINDING_FAIL, "file access",
            "%.300s: the server treats commas, *, ? and [ as a list or pattern; move the export, or see --server-dir",
            l->o->server_dir);
    if (!l->table) return preflight_add(l->p, err, FINDING_PASS, "file access", "will be checked once the tables exist");
    struct access_probe probe = {l->o->server_dir, l->table, .local = false};
    if (preflight_try_access(l->c, &probe, &number, err)) return -1;
    char node[80];
    if (!number && server_node(l->c, node, err)) return -1;
    if (!number)
        return preflight_add(l->p, err, FINDING_PASS, "file access", "%s%s reads %.300s itself", *node ? "node " : "the server",
                             node, l->o->server_dir);
    char why[500];
    snprintf(why, sizeof why, "%.490s", connection_why(l->c));
    if (l->o->via == VIA_SERVER || !oceanbase) return preflight_add(l->p, err, FINDING_FAIL, "file access", "%s", why);
    return check_local(l, FINDING_WARN, why, err);
}

/* ---- room and privileges ---- */

struct grants {
    const char *database;
    bool insert, select, delete, file, create;
    bool make, drop; /* of tables, in it */
};

static bool ends_in(const char *text, const char *word) {
    size_t n = strlen(text), m = strlen(word);
    return n >= m && !strcmp(text + n - m, word);
}

/* on: `db`.*, db.*, *.* or a table of db. A pattern may mean any database. */
static bool is_for_database(const char *on, const char *database) {
    on += *on == '`';
    if (!strncmp(on, "*.", 2)) return true;
    for (; *on && *on != '`' && *on != '.'; on++) {
        if (*on == '%') return true;
        if (*on == '\\' && on[1]) on++;
        if (tolower((unsigned char)*on) != tolower((unsigned char)*database)) return false;
        database++;
    }
    return !*database;
}

static int take_grant(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    struct grants *g = arg;
    char text[2000];
    (void)err;
    if (!n || !f[0].p) return 0;
    snprintf(text, sizeof text, "%.*s", (int)(f[0].n < 1990 ? f[0].n : 1990), (const char *)f[0].p);
    char *on = strstr(text, " ON ");
    if (!on) return 0;
    *on = 0;
    if (!is_for_database(on + 4, g->database)) return 0;
    bool all = strstr(text, "ALL PRIVILEGES") != NULL;
    g->insert = g->insert || all || strstr(text, "INSERT");
    g->delete = g->delete || all || strstr(text, "DELETE");
    g->select = g->select || all || strstr(text, "SELECT");
    bool everywhere = !strncmp(on + 1, "ON *.*", 6); /* a table group belongs to no database */
    g->make = g->make || all || strstr(text, "CREATE,") || ends_in(text, "CREATE");
    g->drop = g->drop || all || strstr(text, "DROP,") || ends_in(text, "DROP");
    g->create = g->create || (everywhere && (all || strstr(text, "CREATE,") || ends_in(text, "CREATE")));
    g->file = g->file || (all && everywhere) || strstr(text, "FILE");
    return 0;
}

/* A server that refuses is a finding. Any other failure (it is away, memory is short) is one of the run: -1. */
static int keep_failure(const struct preflight_look *l, const struct err *own, struct err *err) {
    if (!own->code || connection_refused(l->c)) return 0;
    err_keep(err, own);
    return -1;
}

static int check_privileges(struct preflight_look *l, struct err *err) {
    struct grants g = {.database = l->o->login->address.database};
    struct err own = {0};
    if (connection_rows(l->c, "SHOW GRANTS", take_grant, &g, &own) && keep_failure(l, &own, err)) return -1;
    if (own.code) return preflight_add(l->p, err, FINDING_WARN, "privileges", "unknown: %.300s", own.text);
    const bool deletes = l->o->m->deletes.n || (l->o->made && l->o->m->delta);
    l->p->makes_tables = g.make && g.drop;
    bool makes = l->p->missing_tables && l->o->create;
    const struct {
        bool lacks;
        const char *name;
    } wanted[] = {{!g.select, "SELECT"},
                  {!g.insert, "INSERT"},
                  {deletes && !g.delete, "DELETE"},
                  {!g.file, "FILE"},
                  {makes && !g.create, "CREATE"}};
    char lacks[60] = "";
    size_t n = 0, some = 0;
    for (size_t i = 0; i < countof(wanted); i++)
        if (wanted[i].lacks) n += (size_t)snprintf(lacks + n, sizeof lacks - n, "%s%s", some++ ? ", " : "", wanted[i].name);
    if (some) /* roles may hold what is not listed */
        return preflight_add(l->p, err, FINDING_WARN, "privileges", "%s %s not among the grants of %s", lacks,
                             some > 1 ? "are" : "is", l->o->login->user);
    return preflight_add(l->p, err, FINDING_PASS, "privileges", "SELECT, INSERT%s", g.file ? ", FILE" : "");
}

static int ask_u64(struct preflight_look *l, const char *sql, uint64_t *out, bool *known, struct err *err) {
    char *text = NULL;
    struct err own = {0};
    u128 v = 0;
    *known = !connection_one(l->c, sql, &text, &own) && text && decimal_parse_u128(bytes_str(text), &v);
    *out = (uint64_t)v;
    free(text);
    return keep_failure(l, &own, err);
}

enum { BLOCK_BYTES = 2 << 20 /* a partition with rows takes at least one block of the storage */ };

static int check_room(struct preflight_look *l, struct err *err) {
    uint64_t room, need = 0;
    bool known;
    for (size_t i = 0; i < l->o->m->n_files; i++) {
        const struct export_file *f = &l->o->m->files[i];
        if (journal_state_of(l->o->journal, f->path, f->checksum) != JOURNAL_DONE)
            need += f->text_bytes > BLOCK_BYTES ? f->text_bytes : BLOCK_BYTES;
    }
    if (ask_u64(l, "SELECT MIN(total_size - used_size) FROM oceanbase.__all_virtual_disk_stat", &room, &known, err)) return -1;
    if (!known)
        return preflight_add(l->p, err, FINDING_WARN, "disk",
                             "the free space of the target is not known; the load needs up to %llu MB; this shows it: GRANT "
                             "SELECT ON oceanbase.* TO %s",
                             (unsigned long long)(need >> 20), l->o->login->user);
    return preflight_add(l->p, err, room < need ? FINDING_WARN : FINDING_PASS, "disk",
                         "%llu MB before compression, at least 2 MB a partition; %llu MB free", (unsigned long long)(need >> 20),
                         (unsigned long long)(room >> 20));
}

static int check_memory(struct preflight_look *l, struct err *err) {
    char *text = NULL;
    struct err own = {0};
    if (connection_one(l->c, "SELECT value FROM oceanbase.__all_virtual_sys_parameter_stat WHERE name = 'memory_limit'", &text,
                       &own) ||
        !text)
        return keep_failure(l, &own, err); /* tenants other than sys may not see it */
    int rc = preflight_add(l->p, err, FINDING_PASS, "memory", "memory_limit %.50s; %u threads for each statement", text,
                           l->o->target.parallel);
    free(text);
    return rc;
}

static int check_timeout(struct preflight_look *l, struct err *err) {
    uint64_t us;
    bool known;
    if (ask_u64(l, "SELECT @@ob_query_timeout", &us, &known, err)) return -1;
    return known ? preflight_add(l->p, err, FINDING_PASS, "query timeout", "%llu hours for each statement",
                                 (unsigned long long)(us / 3600000000u))
                 : 0;
}

static bool is_ascii(const char *s) {
    while (*s && !(*s & 0x80)) s++;
    return !*s;
}

/* Finds out whether a server that ignores case takes tables of these two families for one. OceanBase compares names by
 * utf8mb4_general_ci, for which e, É and é are equal: beyond ASCII it is asked. */
static int is_one_table(struct preflight_look *l, const char *a, const char *b, bool *one, struct err *err) {
    struct buf sql = {0};
    uint64_t equal = 0;
    *one = !strcasecmp(a, b);
    if (*one || (is_ascii(a) && is_ascii(b))) return 0;
    int rc = buf_printf(&sql, err, "SELECT CONVERT(") || sql_put_hex(&sql, bytes_str(a), err) ||
             buf_printf(&sql, err, " USING utf8mb4) = CONVERT(") || sql_put_hex(&sql, bytes_str(b), err) ||
             buf_printf(&sql, err, " USING utf8mb4) COLLATE utf8mb4_general_ci");
    if (!rc) rc = ask_u64(l, (const char *)sql.p, &equal, one, err);
    *one = *one && equal;
    buf_free(&sql);
    return rc ? -1 : 0;
}

static int check_names(struct preflight_look *l, struct err *err) {
    const struct table *t = &l->o->m->table;
    uint64_t mode;
    bool known, one = false;
    if (t->n_families < 2) return 0;
    if (ask_u64(l, "SELECT @@lower_case_table_names", &mode, &known, err)) return -1;
    for (uint32_t i = 0; (!known || mode) && i < t->n_families; i++)
        for (uint32_t k = 0; k < i; k++) {
            if (is_one_table(l, t->families[k].name, t->families[i].name, &one, err)) return -1;
            if (one)
                return preflight_add(l->p, err, FINDING_FAIL, "table",
                                     "%s and %s are one table in the target, which ignores case and accents "
                                     "(lower_case_table_names): give one of the families another name with --ddl and "
                                     "--families OLD=NEW, and export again",
                                     t->families[k].sql_table, t->families[i].sql_table);
        }
    return 0;
}

int preflight_run(struct connection *c, const struct preflight_opts *o, struct preflight *out, struct err *err) {
    struct preflight_look l = {.c = c, .o = o, .p = out};
    *out = (struct preflight){0};
    if (check_server(&l, err) || (o->made ? check_made_files(&l, err) : check_files(&l, err)) || check_names(&l, err)) return -1;
    if (preflight_namespace(out, &o->m->table, o->login->address.database, err)) return -1;
    for (uint32_t f = 0; f < o->m->table.n_families; f++)
        if (check_table(&l, f, err)) return -1;
    if (check_access(&l, err) || check_forms(&l, err) || check_privileges(&l, err)) return -1;
    if (!connection_server(c)->is_oceanbase) return 0;
    return check_timeout(&l, err) || check_room(&l, err) || check_memory(&l, err) ? -1 : 0;
}
