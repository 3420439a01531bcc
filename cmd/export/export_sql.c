/* load.sql and check.sql. load.sql first loads two cells with all byte values and stops if they do not arrive as they are: a
 * server that changes bytes is found before data is in it. */

#include "base/fs.h"
#include "cmd/export/export_sql.h"
#include "cmd/oceanbase/check_sql.h"
#include "cmd/text/export_files.h"
#include "cmd/text/export_probe.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/kqvt.h"
#include "cmd/oceanbase/statements.h"

#include <stdlib.h>

static const char verdict[] = "LOAD DATA changes bytes on this server: nothing was loaded";

/* The escapes in names and statements are those of this mode, and outside of direct load only it refuses what does not fit. A
 * client may begin with latin1, in which names beyond ASCII would be those of other tables. */
static int put_session(struct buf *out, struct err *err) {
    return buf_printf(out, err, "SET NAMES utf8mb4;\nSET sql_mode = 'STRICT_ALL_TABLES';\n") || load_sql_put_session(out, err)
               ? -1
               : 0;
}

static int put_probe_load(const struct export_manifest *m, bool generated, struct buf *out, struct err *err) {
    char *path = fs_printf(err, "%s/probe.kqvt", m->server_dir);
    struct load_source s = {.table = "obkv_probe", .path = path, .generated = generated};
    struct load_target t = m->target;
    t.on_duplicate = ON_DUPLICATE_ERROR;
    int rc = path ? load_sql_put(out, &t, &s, err) : -1;
    free(path);
    return rc ? -1 : buf_printf(out, err, ";\n");
}

/* A duplicate key is an error that stops every client, and its text can say why. */
static int put_probe(const struct export_manifest *m, bool generated, struct buf *out, struct err *err) {
    const struct cell_sums_opts o = {0};
    struct cell_sums want;
    struct buf lines = {0};
    char sum[DECIMAL_U128_BYTES + 1];
    int rc = export_probe_put(&lines, &want, err);
    buf_free(&lines);
    decimal_print_u128(want.crc_sum, sum);
    if (rc ||
        buf_printf(out, err,
                   "\n-- Two cells with all byte values: does LOAD DATA keep them, %s? If not, the second INSERT fails.\n"
                   "DROP TABLE IF EXISTS obkv_probe, obkv_probe_verdict;\n"
                   "CREATE TABLE obkv_probe (K varbinary(1024) NOT NULL, Q varbinary(1024) NOT NULL, T bigint NOT NULL, "
                   "V varbinary(1024) NOT NULL%s, PRIMARY KEY (K, Q, T));\n"
                   "CREATE TABLE obkv_probe_verdict (verdict varchar(200) NOT NULL PRIMARY KEY);\n",
                   generated ? "without direct load" : "by direct load",
                   generated ? ", K_PREFIX varbinary(1024) GENERATED ALWAYS AS (substring(K, 1, 4))" : "") ||
        put_probe_load(m, generated, out, err) ||
        buf_printf(out, err, "INSERT INTO obkv_probe_verdict VALUES ('%s');\nINSERT INTO obkv_probe_verdict SELECT '%s' FROM (",
                   verdict, verdict) ||
        check_sql_put_query(out, &(struct check_query){.table = "obkv_probe", .opts = o}, err))
        return -1;
    return buf_printf(out, err,
                      ") d WHERE NOT (row_count = 2 AND byte_count = %llu AND crc_sum = %s AND crc_xor = %u);\n"
                      "DROP TABLE obkv_probe, obkv_probe_verdict;\n",
                      (unsigned long long)want.bytes, sum, want.crc_xor);
}

static int put_statement(const struct export_manifest *m, const struct export_file *f, struct buf *out, struct err *err) {
    char *path = fs_printf(err, "%s/%s", m->server_dir, f->path);
    struct load_source s = export_load_source(m, f, path);
    const char *why = load_sql_obstacle(&m->target, &s);
    int rc = why ? err_set(err, ERR_USAGE, "%s: %s", f->path, why) : path ? load_sql_put(out, &m->target, &s, err) : -1;
    free(path);
    return rc ? -1 : buf_printf(out, err, ";\n");
}

/* Writes one statement for all files of a table. Before 'inc', every statement would rewrite what the ones before it loaded: all
 * files of a table go into one. */
static int put_together(const struct export_manifest *m, const struct export_file *f, struct buf *out, struct err *err) {
    const char *table = m->table.families[f->family].sql_table;
    char *pattern = export_name_pattern(f->path, err), *path = pattern ? fs_printf(err, "%s/%s", m->server_dir, pattern) : NULL;
    struct load_source s = export_load_source(m, f, path);
    s.partitions = NULL;
    int rc = path ? buf_printf(out, err, "-- all files of %s\n", table) || load_sql_put(out, &m->target, &s, err) : -1;
    free(pattern);
    free(path);
    return rc ? -1 : buf_printf(out, err, ";\n");
}

int export_sql_load_files(const struct export_manifest *m, struct buf *out, struct err *err) {
    for (size_t i = 0; i < m->n_files; i++) {
        const struct export_file *f = &m->files[i];
        const struct load_source s = export_load_source(m, f, "");
        bool together = load_sql_is_direct(&s) && !load_sql_has_inc(m->target.version);
        bool new_family = i == 0 || f[-1].family != f->family;
        if (new_family && buf_printf(out, err, "\n")) return -1;
        if (f->big &&
            buf_printf(out, err, "-- lines over %d bytes, which direct load refuses (error 1235)\n", KQVT_MAX_LINE_BYTES))
            return -1;
        if (together && !f->big ? new_family && put_together(m, f, out, err) : put_statement(m, f, out, err)) return -1;
    }
    return 0;
}

int export_sql_load(const struct export_manifest *m, struct buf *out, struct err *err) {
    bool direct = false, plain = false;
    uint64_t rows = 0;
    for (size_t i = 0; i < m->n_files; i++) {
        const struct load_source s = export_load_source(m, &m->files[i], "");
        direct = direct || load_sql_is_direct(&s);
        plain = plain || !load_sql_is_direct(&s);
        rows += m->files[i].sums.rows;
    }
    if (buf_printf(out, err,
                   "-- %s: %llu row%s in %zu file%s. Run it in the database of the tables, for instance\n"
                   "--   mysql --comments -h HOST -P PORT -u USER -p DATABASE < load.sql\n"
                   "-- (--comments: without it the mariadb client strips the hints, and loads are slow and not atomic).\n"
                   "-- It stops at the first error. Afterwards, %s checks that everything was loaded.\n"
                   "-- MariaDB also runs it unchanged, in tables with the same partitions (except KEY, whose hash differs).\n",
                   m->tool, (unsigned long long)rows, rows == 1 ? "" : "s", m->n_files, m->n_files == 1 ? "" : "s",
                   m->delta ? "obkv-verify target" : "check.sql") ||
        put_session(out, err) || (direct && put_probe(m, false, out, err)) || (plain && put_probe(m, true, out, err)))
        return -1;
    return 0;
}

static int check_family(const struct export_manifest *m, uint32_t family, struct buf *out, struct err *err) {
    uint32_t n = m->table.partitioning.count;
    const struct cell_sums_opts o = export_sums_opts(m, family);
    struct check_want *want = calloc(n, sizeof *want);
    if (!want) return err_nomem(err, n * sizeof *want, "check.sql");
    for (uint32_t i = 0; i < n; i++)
        want[i] = (struct check_want){export_partition_name(m, i), export_partition_sums(m, family, i)};
    int rc = check_sql_put_script(out, m->table.families[family].sql_table, want, n, &o, err);
    free(want);
    return rc;
}

int export_sql_check(const struct export_manifest *m, struct buf *out, struct err *err) {
    if (buf_printf(out, err,
                   "-- %s: compares rows, bytes and sums of every partition with the export. Each query shows the partitions\n"
                   "-- that differ; the last row of a table gives the number checked.\n",
                   m->tool) ||
        put_session(out, err))
        return -1;
    for (uint32_t i = 0; i < m->table.n_families; i++)
        if (check_family(m, i, out, err)) return -1;
    return 0;
}
