/* Cuts the files of a dataset into stretches of whole rows, about equal in size, that are turned into text side by side. The
 * cuts follow the index of a file, so they depend on the files alone, never on threads or memory. */

#include "base/fs.h"
#include "cell/keyvalue.h"
#include "cmd/text/export_plan.h"
#include "hfile/hfile.h"
#include "hfile/hfile_open.h"
#include "hfile/index_reader.h"

#include <pthread.h>
#include <stdlib.h>

/* Head of an entry, before each row at which a file is cut. */
struct cut_head {
    uint64_t block; /* the offset of the block that begins with the row; 0: part of the row may be in the block before */
    uint64_t row_n;
};

/* The state while one file is cut. */
struct cutter {
    uint64_t want, seen; /* bytes on disk */
    struct buf rows;     /* heads, each with its row; ascending, no row twice */
    size_t last;         /* of rows: where the last entry begins */
};

static struct cut_head head_at(const struct buf *rows, size_t at) {
    struct cut_head head;
    memcpy(&head, rows->p + at, sizeof head);
    return head;
}

static struct bytes row_at(const struct buf *rows, size_t at) {
    return bytes_of(rows->p + at + sizeof(struct cut_head), head_at(rows, at).row_n);
}

static size_t after(const struct buf *rows, size_t at) {
    return at + sizeof(struct cut_head) + row_at(rows, at).n;
}

/* The key of an index entry is above all cells of the block before: is it below all of its row? */
static bool begins_row(const struct kv_key *key) {
    return kv_key_cmp(key, &(struct kv_key){.row = key->row, .ts_ms = INT64_MAX, .type = CELL_MAXIMUM}) == 0;
}

static int cut_at_entry(void *arg, const struct hfile_index_entry *e, struct err *err) {
    struct cutter *c = arg;
    struct kv_key key;
    bool cut = c->seen >= c->want;
    if (cut && kv_key_parse(e->key, &key) && !(c->rows.n && bytes_cmp(key.row, row_at(&c->rows, c->last)) <= 0)) {
        const struct cut_head head = {.block = begins_row(&key) ? e->offset : 0, .row_n = key.row.n};
        c->last = c->rows.n;
        if (buf_put(&c->rows, &head, sizeof head, err) || buf_put(&c->rows, key.row.p, key.row.n, err)) return -1;
        c->seen = 0;
    }
    c->seen += e->disk_bytes;
    return 0;
}

static int cut_file(const struct export_plan_opts *o, const struct manifest_file *f, struct buf *rows, struct err *err) {
    struct cutter c = {.want = o->stretch_bytes};
    if (f->kv_bytes < 2 * o->stretch_bytes) return 0;
    if (f->kv_bytes > f->file_bytes) c.want = (uint64_t)((double)o->stretch_bytes * (double)f->file_bytes / (double)f->kv_bytes);
    char *path = fs_join(o->dir, f->path, err);
    struct hfile *h = path ? hfile_open(path, o->block_limit, err) : NULL;
    int rc = h && hfile_index_walk(h, cut_at_entry, &c, err) == 0 ? 0 : -1;
    hfile_close(h);
    free(path);
    *rows = c.rows;
    return rc;
}

static int cut_files(const struct export_plan_opts *o, struct buf *rows, struct err *err) {
    struct err first = {0};
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#pragma omp parallel for schedule(dynamic, 1) num_threads(o->threads)
    for (size_t i = 0; i < o->n; i++) {
        struct err mine = {0};
        if (!cut_file(o, &o->m->files[o->first + i], &rows[i], &mine)) continue;
        pthread_mutex_lock(&lock);
        err_keep(&first, &mine);
        pthread_mutex_unlock(&lock);
    }
    err_keep(err, &first);
    return first.code ? -1 : 0;
}

static size_t count_rows(const struct buf *rows) {
    size_t n = 0;
    for (size_t at = 0; at < rows->n; at = after(rows, at)) n++;
    return n;
}

static void list_file(struct export_plan *p, uint32_t file, const struct buf *rows) {
    struct export_stretch next = {.file = file};
    size_t first = p->n;
    for (size_t at = 0; at < rows->n; at = after(rows, at)) {
        next.stop = row_at(rows, at);
        next.end = head_at(rows, at).block;
        p->list[p->n++] = next;
        next = (struct export_stretch){.file = file, .start = next.stop, .begin = next.end};
    }
    p->list[p->n++] = next;
    p->list[first].first = true;
    p->list[p->n - 1].last = true;
}

int export_plan_make(const struct export_plan_opts *o, struct export_plan *out, struct err *err) {
    *out = (struct export_plan){.n_files = o->n};
    size_t n = o->n;
    out->rows = calloc(o->n + 1, sizeof *out->rows);
    if (!out->rows) return err_nomem(err, o->n * sizeof *out->rows, "the plan");
    if (cut_files(o, out->rows, err)) return -1;
    for (size_t i = 0; i < o->n; i++) n += count_rows(&out->rows[i]);
    out->list = calloc(n + 1, sizeof *out->list);
    if (!out->list) return err_nomem(err, n * sizeof *out->list, "the plan");
    for (size_t i = 0; i < o->n; i++) list_file(out, (uint32_t)(o->first + i), &out->rows[i]);
    return 0;
}

void export_plan_free(struct export_plan *p) {
    for (size_t i = 0; p->rows && i < p->n_files; i++) buf_free(&p->rows[i]);
    free(p->rows);
    free(p->list);
    *p = (struct export_plan){0};
}
