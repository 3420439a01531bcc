/* Inputs of any kind: read and placed as an import does it, sorted, and added up instead of written. */
#include "engine/load.h"
#include "cmd/verify/skew/skew.h"
#include "engine/sorter_load.h"

#include <stdlib.h>

struct run {
    struct skew_tasks tasks;
    const struct skew_inputs *in;
    struct memory_plan plan;
    struct shape_set shapes;
    struct sorter *sorter;
    uint32_t families, partitions; /* families: most */
    uint32_t *rank;                /* [family]: its place by name, where families were found while reading, in any order */
};

enum { FIGURES_OF_MEMORY = 8, FAMILIES_LEAST = 8 /* whatever they take */ };

static int put_part(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part,
                    struct err *err) {
    struct run *r = arg;
    return sorter_put(r->sorter, thread, family * r->partitions + partition, part, err);
}

static bool is_full(void *arg) {
    const struct run *r = arg;
    return sorter_full(r->sorter);
}

static int fold_bucket(void *arg, uint32_t bucket, struct err *err) {
    struct run *r = arg;
    const struct table *t = r->in->read.table;
    uint32_t family = bucket / r->partitions, to = r->rank[family] * r->partitions + bucket % r->partitions;
    struct source *src = sorter_open(r->sorter, bucket, bytes_str(t->families[family].name), err);
    int rc = src ? skew_tasks_fold(&r->tasks, to, src, sorter_bytes(r->sorter, bucket), err) : -1;
    source_close(src);
    sorter_release(r->sorter, bucket);
    return rc;
}

static int rank_families(struct run *r, struct err *err) {
    const struct table *t = r->in->read.table;
    r->rank = calloc(t->n_families + 1, sizeof *r->rank);
    if (!r->rank) return err_nomem(err, t->n_families * sizeof *r->rank, "families");
    for (uint32_t i = 0; i < t->n_families; i++) r->rank[i] = i;
    if (r->in->read.open_families) table_rank_families(t, r->rank);
    return 0;
}

static int fold_all(struct run *r, struct err *err) {
    uint32_t families = r->in->read.table->n_families; /* those that were found */
    if (sorter_finish(r->sorter, err) || rank_families(r, err) || skew_tasks_open(&r->tasks, families, r->partitions, err))
        return -1;
    for (uint32_t i = 0; i < families * r->partitions; i++) r->tasks.total += sorter_bytes(r->sorter, i);
    if (sorter_each(r->sorter, fold_bucket, r, err) || skew_tasks_finish(&r->tasks, err)) return -1;
    return table_place_families(r->in->read.table, r->rank, err);
}

static int read_all(struct run *r, struct err *err) {
    struct load_opts l = {.job = r->tasks.o->job,
                          .threads = r->plan.threads,
                          .inputs = r->in->inputs,
                          .n_inputs = r->in->n_inputs,
                          .read = r->in->read,
                          .placement = r->in->placement,
                          .consumer = {put_part, is_full, r},
                          .max_value_bytes = r->tasks.o->job->max_cell_bytes,
                          .rejects = r->in->rejects,
                          .families_most = r->families,
                          .skip_client_check = true};
    l.read.shapes = &r->shapes;
    sorter_load_limits(&r->plan, &l.read);
    struct loader *loader = loader_new(&l, err);
    if (!loader) return -1;
    int rc = sorter_load(r->sorter, loader, err);
    r->tasks.out->ledger = *loader_ledger(loader);
    loader_free(loader);
    return rc;
}

static size_t figures_memory(const struct run *r, uint32_t families) {
    return skew_tasks_memory(r->tasks.o->job->threads, families * r->partitions, r->tasks.o->heaviest);
}

/* Figures of all families that there may be have a part of the memory. */
static uint32_t count_families(const struct run *r) {
    size_t most = r->tasks.o->job->memory_bytes / FIGURES_OF_MEMORY;
    uint32_t n = load_families(&r->in->read, 0, 0), known = load_families_known(&r->in->read);
    while (n > known && n > FAMILIES_LEAST && figures_memory(r, n) > most) n--;
    return n;
}

static int set_up(struct run *r, struct err *err) {
    const struct skew_opts *o = r->tasks.o;
    struct hfile_write_opts none_written = hfile_write_defaults();
    r->partitions = placement_count(r->in->placement);
    r->families = count_families(r);
    struct job job = *o->job;
    job.resident_bytes += figures_memory(r, r->families);
    if (memory_plan_make(&job, &none_written, &r->plan, err)) return -1;
    struct sorter_opts so = {.job = o->job,
                             .plan = r->plan,
                             .buckets = r->families * r->partitions,
                             .known = load_families_known(&r->in->read) * r->partitions,
                             .shapes = &r->shapes,
                             .tie = TIE_BY_SEQUENCE};
    r->sorter = sorter_new(&so, err);
    if (!r->sorter) return -1;
    r->tasks.threads = r->plan.threads = sorter_threads(r->sorter);
    return 0;
}

int skew_inputs(const struct skew_opts *o, const struct skew_inputs *in, struct skew_result *out, struct err *err) {
    struct run r = {.tasks = {.o = o, .out = out}, .in = in};
    *out = (struct skew_result){0};
    int rc = set_up(&r, err);
    if (!rc) rc = read_all(&r, err);
    if (!rc) rc = fold_all(&r, err);
    skew_tasks_close(&r.tasks);
    free(r.rank);
    sorter_free(r.sorter);
    shape_set_free(&r.shapes);
    return rc;
}
