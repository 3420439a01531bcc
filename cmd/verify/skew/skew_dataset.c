/* The skew of a dataset: its files by partition, read in full by many threads, or only their indexes (--quick), where a block
 * is known by its first key and its size. */
#include "base/fs.h"
#include "cell/keyvalue.h"
#include "engine/memory_plan.h"
#include "engine/partition_merge.h"
#include "engine/job.h"
#include "cmd/verify/skew/skew.h"
#include "hfile/hfile_open.h"
#include "hfile/index_reader.h"

#include <omp.h>
#include <stdlib.h>

/* The files of one family and partition. */
struct group {
    size_t first, n;
    uint32_t family, partition;
};

/* The groups of one partition, which are read side by side. */
struct partition_groups {
    size_t first, n;
    uint64_t bytes; /* of their files */
    uint32_t partition;
};

struct skew_dataset_run {
    struct skew_tasks tasks;
    const char *dir;
    const struct manifest *m;
    size_t block_limit;
    struct group *groups; /* by partition */
    size_t n;
    struct partition_groups *partitions; /* largest first */
    size_t n_partitions;
};

static struct skew_part *part_of(struct skew_dataset_run *r, const struct manifest_file *f) {
    return &r->tasks.out->parts[(size_t)f->family * r->m->table.partitioning.count + f->partition];
}

static int by_bytes(const void *a, const void *b) {
    const struct partition_groups *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return (x->partition > y->partition) - (x->partition < y->partition);
}

static int by_partition(const void *a, const void *b) {
    const struct group *x = a, *y = b;
    if (x->partition != y->partition) return x->partition < y->partition ? -1 : 1;
    return (x->family > y->family) - (x->family < y->family);
}

static uint64_t group_bytes(const struct skew_dataset_run *r, const struct group *g) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < g->n; i++) bytes += r->m->files[g->first + i].file_bytes;
    return bytes;
}

static void gather_partitions(struct skew_dataset_run *r) {
    for (size_t i = 0; i < r->n; i++) {
        struct partition_groups *p = r->n_partitions ? &r->partitions[r->n_partitions - 1] : NULL;
        if (!p || p->partition != r->groups[i].partition) {
            p = &r->partitions[r->n_partitions++];
            *p = (struct partition_groups){.first = i, .partition = r->groups[i].partition};
        }
        p->n++;
        p->bytes += group_bytes(r, &r->groups[i]);
    }
    qsort(r->partitions, r->n_partitions, sizeof *r->partitions, by_bytes);
}

static int make_groups(struct skew_dataset_run *r, struct err *err) {
    const struct manifest *m = r->m;
    r->groups = calloc(m->n_files + 1, sizeof *r->groups);
    r->partitions = calloc(m->n_files + 1, sizeof *r->partitions);
    if (!r->groups || !r->partitions) return err_nomem(err, m->n_files * sizeof *r->groups, "the list of files");
    for (size_t i = 0; i < m->n_files; i++) {
        const struct manifest_file *f = &m->files[i], *prev = i ? f - 1 : NULL;
        if (!prev || prev->family != f->family || prev->partition != f->partition)
            r->groups[r->n++] = (struct group){.first = i, .family = f->family, .partition = f->partition};
        r->groups[r->n - 1].n++;
        r->tasks.total += f->file_bytes;
    }
    qsort(r->groups, r->n, sizeof *r->groups, by_partition);
    gather_partitions(r);
    return 0;
}

static void note_files(struct skew_dataset_run *r) {
    for (size_t i = 0; i < r->m->n_files; i++) {
        part_of(r, &r->m->files[i])->files++;
        part_of(r, &r->m->files[i])->file_bytes += r->m->files[i].file_bytes;
    }
}

/* ---- every cell ---- */

static void add_digests(struct skew_dataset_run *r, const struct input *files, size_t n) {
    pthread_mutex_lock(&r->tasks.lock);
    for (size_t i = 0; i < n; i++) digest_add(&r->tasks.out->digest, files[i].tally.digest);
    pthread_mutex_unlock(&r->tasks.lock);
}

/* Open files of a group. */
struct opened {
    struct input *files, **list;
};

static struct source *open_group(struct skew_dataset_run *r, const struct group *g, struct opened *o, struct err *err) {
    o->files = calloc(g->n, sizeof *o->files);
    o->list = calloc(g->n, sizeof(struct input *));
    if (!o->files || !o->list) {
        err_nomem(err, g->n * sizeof *o->files, "the list of files");
        return NULL;
    }
    for (size_t i = 0; i < g->n; i++) {
        o->files[i].path = fs_join(r->dir, r->m->files[g->first + i].path, err);
        if (!o->files[i].path) return NULL;
        o->list[i] = &o->files[i];
    }
    struct source *src = file_chain_open(o->list, g->n, NULL, r->block_limit, err);
    return src ? stoppable_open(src, NULL, r->tasks.o->job->stop, err) : NULL;
}

static void close_group(const struct group *g, struct opened *o) {
    for (size_t i = 0; o->files && i < g->n; i++) free((char *)o->files[i].path);
    free(o->files);
    free(o->list);
}

static int fold_opened(struct skew_dataset_run *r, const struct partition_groups *p, struct opened *opened,
                       struct skew_stream *streams, struct err *err) {
    const struct group *g = &r->groups[p->first];
    uint32_t n = 0;
    int rc = 0;
    while (!rc && n < p->n) {
        streams[n] = (struct skew_stream){g[n].family, open_group(r, &g[n], &opened[n], err)};
        rc = streams[n].src ? 0 : -1;
        n += !rc;
    }
    if (!rc) rc = skew_tasks_fold(&r->tasks, p->partition, streams, n, p->bytes, err);
    while (n) source_close(streams[--n].src);
    for (size_t i = 0; !rc && i < p->n; i++) add_digests(r, opened[i].files, g[i].n);
    return rc;
}

static int fold_partition(struct skew_dataset_run *r, const struct partition_groups *p, struct err *err) {
    struct opened *opened = calloc(p->n, sizeof *opened);
    struct skew_stream *streams = calloc(p->n, sizeof *streams);
    int rc = opened && streams ? fold_opened(r, p, opened, streams, err)
                               : err_nomem(err, p->n * sizeof *streams, "the families of a partition");
    for (size_t i = 0; opened && i < p->n; i++) close_group(&r->groups[p->first + i], &opened[i]);
    free(opened);
    free(streams);
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

static int index_of(struct skew_dataset_run *r, const struct manifest_file *f, struct key_cuts *cuts, struct err *err) {
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

static int count_group_by_index(struct skew_dataset_run *r, const struct group *g, struct err *err) {
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

static int count_by_index(struct skew_dataset_run *r, const struct partition_groups *p, struct err *err) {
    for (size_t i = 0; i < p->n; i++)
        if (count_group_by_index(r, &r->groups[p->first + i], err)) return -1;
    return 0;
}

static int count_partition(void *arg, size_t i, struct err *err) {
    struct skew_dataset_run *r = arg;
    const struct partition_groups *p = &r->partitions[i];
    return r->tasks.out->quick ? count_by_index(r, p, err) : fold_partition(r, p, err);
}

/* Memory that a reader holds of a block, packed and unpacked, with room for decoding; and that the program takes besides. */
enum { READER_BLOCKS = 4, BLOCK_USUAL = 256 << 10, BESIDES_BYTES = 12 << 20 };

/* All families of a partition are read side by side, on as many threads as leave each reader room for usual blocks. A larger
 * block is refused, and the caller tries with fewer threads. */
static void share_memory(struct skew_dataset_run *r) {
    const struct job *job = r->tasks.o->job;
    const uint64_t taken = job->resident_bytes + BESIDES_BYTES, room = job->memory_bytes > taken ? job->memory_bytes - taken : 0;
    uint64_t lanes = 1;
    for (size_t i = 0; i < r->n_partitions && !r->tasks.out->quick; i++)
        if (r->partitions[i].n > lanes) lanes = r->partitions[i].n;
    r->tasks.threads = job_readers(job);
    r->block_limit = job_block_limit(job, r->tasks.threads);
    if (lanes == 1) return;
    const uint64_t fit = room / (lanes * READER_BLOCKS * BLOCK_USUAL), each = lanes * READER_BLOCKS;
    r->tasks.threads = fit < 1 ? 1 : fit < job->threads ? (unsigned)fit : job->threads;
    r->block_limit = (size_t)(room / each / r->tasks.threads);
}

int skew_dataset(const struct skew_opts *o, const char *dir, const struct manifest *m, bool quick, struct skew_result *out,
                 struct err *err) {
    struct skew_dataset_run r = {.tasks = {.o = o, .out = out, .threads = 1}, .dir = dir, .m = m};
    *out = (struct skew_result){.quick = quick, .stored = true, .ledger = m->ledger};
    int rc = make_groups(&r, err);
    share_memory(&r);
    bool opened = !rc;
    if (!rc) rc = skew_tasks_open(&r.tasks, m->table.n_families, m->table.partitioning.count, err);
    if (!rc) note_files(&r);
    if (!rc) rc = skew_tasks_each(&r.tasks, r.n_partitions, count_partition, &r, err);
    if (!rc) rc = skew_tasks_finish(&r.tasks, err);
    if (opened) skew_tasks_close(&r.tasks);
    free(r.groups);
    free(r.partitions);
    return rc;
}
