/* Small files go in by REPLACE, some hundred rows a statement: a LOAD DATA takes half a second and more before its first row, and
 * a night has many small files. Only where rows are replaced: then a file that was interrupted is sent again, and rows that are
 * in already change nothing. Measured on 4.3.5.3: 2,100 rows in 22 files 1.0 s instead of 36 s, 66,000 in 7 files 3.3 s instead
 * of 10.7 s. */
#include "cmd/load/load_files.h"

#include "base/fs.h"
#include "base/instream.h"
#include "cmd/oceanbase/pool.h"
#include "cmd/oceanbase/statements.h"

#include <stdlib.h>

enum { BATCH_ROWS = 500, BATCH_BYTES = 1 << 20, WINDOW_BYTES = 8 << 20 };

bool load_small_is(const struct load_files_opts *o, const struct export_file *f) {
    return o->target.on_duplicate == ON_DUPLICATE_REPLACE && export_file_is_small(f);
}

/* A file on its way. */
struct sender {
    const struct load_small_opts *o;
    bool ttl_column;
    struct buf text, scratch, sql;
    uint64_t in_batch, rows;
};

static int begin_statement(struct sender *s, struct err *err) {
    const struct load_files_opts *l = s->o->loader;
    const char *partition = export_partition_name(l->m, s->o->file->partition);
    buf_clear(&s->sql);
    if (buf_printf(&s->sql, err, "REPLACE INTO ") ||
        sql_put_name(&s->sql, l->m->table.families[s->o->file->family].sql_table, err))
        return -1;
    if (l->is_oceanbase && partition &&
        (buf_printf(&s->sql, err, " PARTITION (") || sql_put_name(&s->sql, partition, err) || buf_put_byte(&s->sql, ')', err)))
        return -1;
    return buf_printf(&s->sql, err, " (K, Q, T, %sV) VALUES ", s->ttl_column ? "TTL, " : "");
}

static int put_row(struct sender *s, const struct kqvt_row *row, struct err *err) {
    if (!s->in_batch && begin_statement(s, err)) return -1;
    if (buf_printf(&s->sql, err, s->in_batch ? ", (" : "(") || sql_put_hex(&s->sql, row->k, err) ||
        buf_printf(&s->sql, err, ", ") || sql_put_hex(&s->sql, row->q, err) ||
        buf_printf(&s->sql, err, ", %lld, ", (long long)row->t))
        return -1;
    if (s->ttl_column &&
        (row->has_ttl ? buf_printf(&s->sql, err, "%lld, ", (long long)row->ttl_ms) : buf_printf(&s->sql, err, "NULL, ")))
        return -1;
    s->in_batch++;
    s->rows++;
    return sql_put_hex(&s->sql, row->v, err) || buf_put_byte(&s->sql, ')', err) ? -1 : 0;
}

static int send_batch(struct sender *s, struct err *err) {
    if (!s->in_batch) return 0;
    if (buf_put_byte(&s->sql, 0, err)) return -1;
    s->in_batch = 0;
    if (pool_halts(s->o->member->pool)) return err_set(err, ERR_STOPPED, "stopped");
    pool_set_session(s->o->member, connection_id(s->o->c));
    int rc = connection_run(s->o->c, (const char *)s->sql.p, NULL, err);
    pool_set_session(s->o->member, 0);
    return rc;
}

/* The whole file, which is small. */
static int read_text(struct sender *s, const char *path, struct err *err) {
    struct instream *in = instream_open(path, s->o->loader->stop, WINDOW_BYTES, err);
    ssize_t n = in ? 1 : -1;
    while (n > 0) {
        n = buf_reserve(&s->text, BATCH_BYTES, err) ? -1 : instream_read(in, s->text.p + s->text.n, BATCH_BYTES, err);
        if (n > 0) s->text.n += (size_t)n;
        if (s->text.n > 2 * (size_t)EXPORT_SMALL_BYTES) n = err_set(err, ERR_INPUT, "%s: longer than the manifest says", path);
    }
    instream_close(in);
    return n < 0 ? -1 : 0;
}

static int send_lines(struct sender *s, const char *path, struct err *err) {
    struct bytes rest = buf_bytes(&s->text);
    if (buf_reserve(&s->scratch, rest.n + 1, err)) return -1;
    for (const uint8_t *end; rest.n && (end = memchr(rest.p, '\n', rest.n));) {
        struct kqvt_row row;
        struct bytes line = bytes_of(rest.p, (size_t)(end - rest.p));
        const char *wrong = kqvt_parse(line, s->ttl_column, s->scratch.p, &row);
        if (wrong) return err_set(err, ERR_INPUT, "%s:%llu: %s", path, (unsigned long long)s->rows + 1, wrong);
        if (put_row(s, &row, err)) return -1;
        if ((s->in_batch == BATCH_ROWS || s->sql.n >= BATCH_BYTES) && send_batch(s, err)) return -1;
        rest = bytes_of(end + 1, rest.n - line.n - 1);
    }
    if (rest.n) return err_set(err, ERR_INPUT, "%s: the last line is incomplete", path);
    return send_batch(s, err);
}

int load_small_send(const struct load_small_opts *o, struct err *err) {
    struct sender s = {.o = o, .ttl_column = export_sums_opts(o->loader->m, o->file->family).ttl_column};
    char *path = fs_join(o->loader->dir, o->file->path, err);
    int rc = path && !read_text(&s, path, err) ? send_lines(&s, path, err) : -1;
    if (!rc && s.rows != o->file->sums.rows)
        rc = err_set(err, ERR_INPUT, "%s: %llu rows, the manifest says %llu; copy or export it again", path,
                     (unsigned long long)s.rows, (unsigned long long)o->file->sums.rows);
    free(path);
    buf_free(&s.text);
    buf_free(&s.scratch);
    buf_free(&s.sql);
    return rc;
}
