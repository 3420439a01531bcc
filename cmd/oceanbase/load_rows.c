/* The rows of one partition out of its load files, in the order of the primary key: data files follow each other, files of
 * very long lines are merged in. Order and sums are checked on the way. */
#include "cmd/common/report_figures.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/load_rows.h"

#include "base/fs.h"
#include "base/instream.h"

#include <stdlib.h>
#include <string.h>

enum { READ_BYTES = 1 << 18, WINDOW_BYTES = 128 << 20 };

/* Files of one kind, one after the other. */
struct row_lane {
    size_t next, end; /* of the manifest's files */
    bool big;
    struct instream *in;
    char *path;
    struct buf text, scratch; /* text[at..] is not taken yet */
    size_t at;
    uint64_t line;
    bool has_row;
    struct kqvt_row row;
    struct buf last_key, last_qualifier; /* of the row before, to see that they rise */
    int64_t last_t;
    bool has_last;
};

enum { LANE_DATA, LANE_BIG, LANES };

struct load_rows {
    struct load_rows_opts o;
    bool ttl_column;
    struct row_lane lanes[LANES];
    int taken; /* lane whose row is out; -1 = none */
};

static int compare_bytes(struct bytes a, struct bytes b) {
    int c = memcmp(a.n ? a.p : (const uint8_t *)"", b.n ? b.p : (const uint8_t *)"", a.n < b.n ? a.n : b.n);
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

int load_rows_compare(const struct kqvt_row *a, const struct kqvt_row *b) {
    int c = compare_bytes(a->k, b->k);
    if (!c) c = compare_bytes(a->q, b->q);
    return c ? c : (a->t > b->t) - (a->t < b->t);
}

static void close_file(struct row_lane *l) {
    instream_close(l->in);
    free(l->path);
    l->in = NULL;
    l->path = NULL;
}

/* The next file of the lane's kind; 0 = none. */
static int open_next_file(struct load_rows *r, struct row_lane *l, struct err *err) {
    const struct export_manifest *m = r->o.m;
    while (l->next < l->end && m->files[l->next].big != l->big) l->next++;
    if (l->next >= l->end) return 0;
    l->path = fs_join(r->o.dir, m->files[l->next++].path, err);
    l->in = l->path ? instream_open(l->path, r->o.stop, WINDOW_BYTES, err) : NULL;
    l->line = 0;
    return l->in ? 1 : -1;
}

/* Reads until a whole line is at `at`; 0 = end of the file. */
static int read_line(struct row_lane *l, size_t *length, struct err *err) {
    for (size_t seen = 0;;) {
        const uint8_t *from = l->text.n ? l->text.p + l->at + seen : NULL;
        const uint8_t *end = l->text.n > l->at + seen ? memchr(from, '\n', l->text.n - l->at - seen) : NULL;
        if (end) {
            *length = (size_t)(end - l->text.p) - l->at;
            return 1;
        }
        if (l->at) memmove(l->text.p, l->text.p + l->at, l->text.n - l->at);
        l->text.n -= l->at;
        l->at = 0;
        seen = l->text.n;
        if (buf_reserve(&l->text, READ_BYTES, err)) return -1;
        ssize_t got = instream_read(l->in, l->text.p + l->text.n, READ_BYTES, err);
        if (got < 0) return -1;
        if (!got && !l->text.n) return 0;
        if (!got)
            return err_set(err, ERR_INPUT, "%s:%llu: the last line is incomplete", l->path, (unsigned long long)l->line + 1);
        l->text.n += (size_t)got;
    }
}

/* Lines out of order would make nonsense of everything after; files of a partition follow each other. */
static int check_order(struct row_lane *l, struct err *err) {
    struct kqvt_row last = {.k = buf_bytes(&l->last_key), .q = buf_bytes(&l->last_qualifier), .t = l->last_t};
    if (l->has_last && load_rows_compare(&last, &l->row) >= 0)
        return err_set(err, ERR_INPUT, "%s:%llu: not after the line before it", l->path, (unsigned long long)l->line);
    l->has_last = true;
    l->last_t = l->row.t;
    return buf_copy(&l->last_key, l->row.k, err) || buf_copy(&l->last_qualifier, l->row.q, err) ? -1 : 0;
}

static int next_row(struct load_rows *r, struct row_lane *l, struct err *err) {
    size_t n = 0;
    l->has_row = false;
    for (;;) {
        int rc = l->in ? read_line(l, &n, err) : 0;
        if (rc < 0) return -1;
        if (rc) break;
        close_file(l);
        rc = open_next_file(r, l, err);
        if (rc <= 0) return rc;
    }
    l->line++;
    l->scratch.n = 0;
    if (buf_reserve(&l->scratch, n + 1, err)) return -1;
    const char *wrong = kqvt_parse((struct bytes){l->text.p + l->at, n}, r->ttl_column, l->scratch.p, &l->row);
    if (wrong) return err_set(err, ERR_INPUT, "%s:%llu: %s", l->path, (unsigned long long)l->line, wrong);
    l->at += n + 1;
    l->has_row = true;
    return check_order(l, err);
}

struct load_rows *load_rows_open(const struct load_rows_opts *o, struct err *err) {
    struct load_rows *r = calloc(1, sizeof *r);
    if (!r) {
        err_nomem(err, sizeof *r, "a reader of load files");
        return NULL;
    }
    *r = (struct load_rows){.o = *o, .ttl_column = export_sums_opts(o->m, o->family).ttl_column, .taken = -1};
    size_t from = 0, n = o->m->n_files;
    while (from < n && (o->m->files[from].family != o->family || o->m->files[from].partition != o->partition)) from++;
    size_t end = from;
    while (end < n && o->m->files[end].family == o->family && o->m->files[end].partition == o->partition) end++;
    for (int i = 0; i < LANES; i++) {
        r->lanes[i] = (struct row_lane){.next = from, .end = end, .big = i == LANE_BIG};
        if (!next_row(r, &r->lanes[i], err)) continue;
        load_rows_close(r);
        return NULL;
    }
    return r;
}

int load_rows_next(struct load_rows *r, const struct kqvt_row **row, struct err *err) {
    if (r->taken >= 0 && next_row(r, &r->lanes[r->taken], err)) return -1;
    const struct row_lane *a = &r->lanes[LANE_DATA], *b = &r->lanes[LANE_BIG];
    r->taken = !a->has_row && !b->has_row                                               ? -1
               : !b->has_row || (a->has_row && load_rows_compare(&a->row, &b->row) < 0) ? LANE_DATA
                                                                                        : LANE_BIG;
    if (r->taken < 0) return 0;
    *row = &r->lanes[r->taken].row;
    return 1;
}

int load_rows_check(const struct load_rows_opts *o, const struct cell_sums *read, struct err *err) {
    struct cell_sums want = export_partition_sums(o->m, o->family, o->partition), is = *read;
    want.md5_sum = is.md5_sum = 0; /* an export need not have them */
    want.md5_xor = is.md5_xor = 0;
    if (cell_sums_eq(&want, &is)) return 0;
    const char *partition = export_partition_name(o->m, o->partition);
    return err_set(err, ERR_INPUT,
                   "%s: the load files of table %s, partition %s, were changed after they were written (%s rows, "
                   "MANIFEST.json says %s; or other bytes); copy or export them again",
                   o->dir, o->m->table.families[o->family].sql_table, partition ? partition : "(all)", REPORT_COUNT(is.rows),
                   REPORT_COUNT(want.rows));
}

void load_rows_close(struct load_rows *r) {
    if (!r) return;
    for (int i = 0; i < LANES; i++) {
        struct row_lane *l = &r->lanes[i];
        close_file(l);
        buf_free(&l->text);
        buf_free(&l->scratch);
        buf_free(&l->last_key);
        buf_free(&l->last_qualifier);
    }
    free(r);
}
