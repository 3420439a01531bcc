/* Reads the statements that obkv-export wrote for one partition, and hands out their conditions: only what begins as this program
 * begins a statement for this table and partition is ever sent to a server. */
#include "cmd/oceanbase/delete_lines.h"

#include "base/fs.h"
#include "base/instream.h"
#include "base/outfile.h"
#include "cmd/oceanbase/export_file.h"

#include <stdlib.h>

enum { READ_BYTES = 1 << 18, WINDOW_BYTES = 8 << 20 };

struct delete_lines {
    char *path;
    struct instream *in;
    struct buf head, text; /* text[at..] is not taken yet */
    size_t at;
    uint64_t line;
};

struct delete_place delete_lines_place(const struct export_manifest *m, const struct export_delete_file *f) {
    return (struct delete_place){.table = m->table.families[f->family].sql_table,
                                 .partition = export_partition_name(m, f->partition)};
}

static int check_sum(const struct delete_lines *l, const struct export_delete_file *f, struct err *err) {
    char sum[17];
    if (file_sum_of(l->path, sum, err)) return -1;
    return !strcmp(sum, f->checksum)
               ? 0
               : err_set(err, ERR_INPUT, "%s: its checksum is %s, the manifest says %s; copy or export it again", l->path, sum,
                         f->checksum);
}

struct delete_lines *delete_lines_open(const char *dir, const struct export_manifest *m, const struct export_delete_file *f,
                                       const struct stop *stop, struct err *err) {
    struct delete_place place = delete_lines_place(m, f);
    struct delete_lines *l = calloc(1, sizeof *l);
    if (!l) {
        err_nomem(err, sizeof *l, "a reader of statements");
        return NULL;
    }
    l->path = fs_join(dir, f->path, err);
    if (l->path && !check_sum(l, f, err) && !delete_sql_put_head(&l->head, &place, "DELETE", err))
        l->in = instream_open(l->path, stop, WINDOW_BYTES, err);
    if (l->in) return l;
    delete_lines_close(l);
    return NULL;
}

/* Reads until a whole line is at `at`; 0 = end of the file. */
static int next_line(struct delete_lines *l, struct bytes *line, struct err *err) {
    for (size_t seen = 0;;) {
        size_t n = l->text.n - l->at;
        const uint8_t *from = l->text.n ? l->text.p + l->at : NULL, *end = n > seen ? memchr(from + seen, '\n', n - seen) : NULL;
        if (end) {
            *line = bytes_of(from, (size_t)(end - from));
            l->at += line->n + 1;
            l->line++;
            return 1;
        }
        if (l->at && n) memmove(l->text.p, from, n);
        l->text.n = seen = n;
        l->at = 0;
        if (buf_reserve(&l->text, READ_BYTES, err)) return -1;
        ssize_t got = instream_read(l->in, l->text.p + n, READ_BYTES, err);
        if (got < 0) return -1;
        if (!got && !n) return 0;
        if (!got)
            return err_set(err, ERR_INPUT, "%s:%llu: the last line is incomplete", l->path, (unsigned long long)l->line + 1);
        l->text.n += (size_t)got;
    }
}

int delete_lines_next(struct delete_lines *l, struct bytes *where, struct err *err) {
    struct bytes line;
    int more;
    while ((more = next_line(l, &line, err)) == 1) {
        if (delete_sql_condition(line, buf_bytes(&l->head), where)) return 1;
        if (l->line > 1) /* the first is the session's settings, for other clients */
            return err_set(err, ERR_INPUT,
                           "%s:%llu: not a statement that deletes from this partition; copy or export "
                           "the file again",
                           l->path, (unsigned long long)l->line);
    }
    return more;
}

void delete_lines_close(struct delete_lines *l) {
    if (!l) return;
    instream_close(l->in);
    free(l->path);
    buf_free(&l->head);
    buf_free(&l->text);
    free(l);
}
