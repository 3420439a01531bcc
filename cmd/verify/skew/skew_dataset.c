/* The skew of a dataset: its files by partition, read in full by many threads, or only their indexes (--quick), where a block
 * is known by its first key and its size. */
#include "base/fs.h"
#include "cell/keyvalue.h"
#include "engine/memory_plan.h"
#include "hfile/hfile_reader.h"
#include "engine/partition_merge.h"
#include "engine/job.h"
#include "cmd/verify/skew/skew.h"

#include <omp.h>
#include <stdlib.h>

/* The files of one family and partition. */
struct group {
    size_t first, n;
    uint64_t bytes;
    uint32_t bucket;
};

struct run {
    struct skew_tasks tasks;
    const char *dir;
    const struct manifest *m;
    size_t block_limit;
    struct group *groups; /* largest first */
    size_t n;
    struct err err;
};

static struct skew_part *part_of(struct run *r, const struct manifest_file *f) {
    return &r->tasks.out->parts[(size_t)f->family * r->m->table.partitioning.count + f->partition];
}

static int by_bytes(const void *a, const void *b) {
    const struct group *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return (x->bucket > y->bucket) - (x->bucket < y->bucket);
}

static int make_groups(struct run *r, struct err *err) {
    const struct manifest *m = r->m;
    r->groups = calloc(m->n_files + 1, sizeof *r->groups);
    if (!r->groups) return err_nomem(err, m->n_files * sizeof *r->groups, "the list of files");
    for (size_t i = 0; i < m->n_files; i++) {
        const struct manifest_file *f = &m->files[i], *prev = i ? f - 1 : NULL;
        if (!prev || prev->family != f->family || prev->partition != f->partition)
            r->groups[r->n++] = (struct group){.first = i, .bucket = f->family * m->table.partitioning.count + f->partition};
        r->groups[r->n - 1].n++;
        r->groups[r->n - 1].bytes += f->file_bytes;
        r->tasks.total += f->file_bytes;
        part_of(r, f)->files++;
        part_of(r, f)->file_bytes += f->file_bytes;
    }
    qsort(r->groups, r->n, sizeof *r->groups, by_bytes);
    return 0;
}

/* ---- every cell ---- */

static void add_digests(struct run *r, const struct input *files, size_t n) {
    pthread_mutex_lock(&r->tasks.lock);
    for (size_t i = 0; i < n; i++) digest_add(&r->tasks.out->digest, files[i].tally.digest);
    pthread_mutex_unlock(&r->tasks.lock);
}

static int fold_files(struct run *r, const struct group *g, struct input *files, struct input **list, struct err *err) {
    for (size_t i = 0; i < g->n; i++) {
        files[i].path = fs_join(r->dir, r->m->files[g->first + i].path, err);
        if (!files[i].path) return -1;
        list[i] = &files[i];
    }
    struct source *src = file_chain_open(list, g->n, NULL, r->block_limit, err);
    if (src) src = stoppable_open(src, NULL, r->tasks.o->job->stop, err);
    int rc = src ? skew_tasks_fold(&r->tasks, g->bucket, src, g->bytes, err) : -1;
    source_close(src);
    if (!rc) add_digests(r, files, g->n);
    return rc;
}

static int fold_group(struct run *r, const struct group *g, struct err *err) {
    struct input *files = calloc(g->n, sizeof *files), **list = calloc(g->n, sizeof(struct input *));
    int rc = files && list ? fold_files(r, g, files, list, err) : err_nomem(err, g->n * sizeof *files, "the list of files");
    for (size_t i = 0; files && i < g->n; i++) free((char *)files[i].path);
    free(files);
    free(list);
    return rc;
}

/* ---- manifest and indexes ---- */

/* Blocks of a file: between the key that one begins with (perhaps shortened) and that of the next. */
struct span {
    struct key_cuts *cuts;
    struct buf first; /* row of the block seen last */
    uint64_t bytes;   /* on disk; 0 = none yet */
};

static int end_span(struct span *s, struct bytes last, struct err *err) {
    const struct key_weight w = {.bytes = s->bytes};
    return s->bytes ? key_cuts_add_span(s->cuts, buf_bytes(&s->first), last, &w, err) : 0;
}

static int add_block(void *arg, const struct hfile_index_entry *e, struct err *err) {
    struct span *s = arg;
    struct kv_key k;
    if (!kv_key_parse(e->key, &k)) return err_set(err, ERR_INPUT, "the key of an index entry is malformed");
    if (end_span(s, k.row, err) || buf_copy(&s->first, k.row, err)) return -1;
    s->bytes = e->disk_bytes ? e->disk_bytes : 1;
    return 0;
}

static int index_of(struct run *r, const struct manifest_file *f, struct key_cuts *cuts, struct err *err) {
    struct span s = {.cuts = cuts};
    char *path = fs_join(r->dir, f->path, err);
    struct hfile *h = path ? hfile_open(path, r->block_limit, err) : NULL;
    int rc = h ? hfile_index_walk(h, add_block, &s, err) : -1;
    if (!rc) rc = end_span(&s, buf_bytes(&f->last_row), err);
    if (rc && h) err_prefix(err, "%s", path);
    hfile_close(h);
    buf_free(&s.first);
    free(path);
    return rc;
}

static int count_group_by_index(struct run *r, const struct group *g, struct err *err) {
    struct skew_tasks *t = &r->tasks;
    struct key_cuts cuts = {0};
    int rc = 0;
    key_cuts_limit(&cuts, t->cuts);
    for (size_t i = 0; !rc && i < g->n; i++) rc = index_of(r, &r->m->files[g->first + i], &cuts, err);
    key_cuts_finish(&cuts);
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; !rc && i < g->n; i++) {
        const struct manifest_file *f = &r->m->files[g->first + i];
        part_of(r, f)->cells += f->tally.cells;
        part_of(r, f)->kv_bytes += f->kv_bytes;
    }
    if (!rc) rc = key_cuts_merge(&t->out->sums.cuts, &cuts, err);
    pthread_mutex_unlock(&t->lock);
    key_cuts_free(&cuts);
    return rc;
}

/* ---- both ---- */

static void group_task(struct run *r, const struct group *g) {
    struct err mine = {0};
    enum err_code failed;
#pragma omp atomic read
    failed = r->err.code;
    if (failed) return;
    if (!stop_check(r->tasks.o->job->stop, &mine))
        (void)(r->tasks.out->quick ? count_group_by_index(r, g, &mine) : fold_group(r, g, &mine));
    if (!mine.code) return;
    pthread_mutex_lock(&r->tasks.lock);
    err_keep(&r->err, &mine);
    pthread_mutex_unlock(&r->tasks.lock);
}

static int run_groups(struct run *r, struct err *err) {
#pragma omp parallel num_threads(r->tasks.threads)
#pragma omp single
    for (size_t i = 0; i < r->n; i++) {
        const struct group *g = &r->groups[i];
#pragma omp task firstprivate(g)
        group_task(r, g);
    }
    err_keep(err, &r->err);
    return r->err.code ? -1 : 0;
}

int skew_dataset(const struct skew_opts *o, const char *dir, const struct manifest *m, bool quick, struct skew_result *out,
                 struct err *err) {
    struct run r = {.tasks = {.o = o, .out = out, .threads = job_readers(o->job)}, .dir = dir, .m = m};
    *out = (struct skew_result){.quick = quick, .stored = true, .ledger = m->ledger};
    r.block_limit = job_block_limit(o->job, r.tasks.threads);
    int rc = skew_tasks_open(&r.tasks, m->table.n_families, m->table.partitioning.count, err);
    if (!rc) rc = make_groups(&r, err);
    if (!rc) rc = run_groups(&r, err);
    if (!rc) rc = skew_tasks_finish(&r.tasks, err);
    skew_tasks_close(&r.tasks);
    free(r.groups);
    return rc;
}
