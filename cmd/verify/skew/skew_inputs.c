/* The skew of inputs of any format: rows are placed as an import would place them, sorted by partition, and counted. Nothing is
 * written but spilled runs. */
#include "engine/memory_plan.h"
#include "engine/sorted_inputs.h"
#include "cmd/verify/skew/skew.h"
#include "engine/sorter_gather.h"
#include "engine/sorter_runs.h"
#include "table/placement.h"

#include <stdlib.h>

struct weighed_partition {
    uint32_t partition;
    uint64_t bytes; /* of its records */
};

struct skew_inputs_run {
    struct skew_tasks tasks;
    const struct skew_inputs *in;
    struct sorted_inputs sorted;
    uint32_t families, partitions; /* families: most */
    uint32_t *rank;                /* [family]: its place by name, where families were found while reading, in any order */
    struct weighed_partition *order;
};

enum { FAMILIES_LEAST = 8 /* whatever they take */ };

static int put_part(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part,
                    struct err *err) {
    struct skew_inputs_run *r = arg;
    return sorter_put(r->sorted.sorter, thread, family * r->partitions + partition, part, err);
}

/* ---- partitions, each with all of its families ---- */

static uint64_t bytes_of_partition(const struct skew_inputs_run *r, uint32_t p) {
    uint64_t bytes = 0;
    for (uint32_t f = 0; f < r->in->read.table->n_families; f++) bytes += sorter_bytes(r->sorted.sorter, f * r->partitions + p);
    return bytes;
}

static int open_families(struct skew_inputs_run *r, uint32_t p, struct skew_stream *streams, uint32_t *n, struct err *err) {
    const struct table *t = r->in->read.table;
    for (uint32_t f = 0; f < t->n_families; f++) {
        const uint32_t bucket = f * r->partitions + p;
        if (!sorter_bytes(r->sorted.sorter, bucket)) continue;
        streams[*n] =
            (struct skew_stream){r->rank[f], sorter_open(r->sorted.sorter, bucket, bytes_str(t->families[f].name), err)};
        if (!streams[*n].src) return -1;
        ++*n;
    }
    return 0;
}

static int fold_partition(void *arg, size_t i, struct err *err) {
    struct skew_inputs_run *r = arg;
    const uint32_t p = r->order[i].partition, families = r->in->read.table->n_families;
    struct skew_stream *streams = calloc(families + 1, sizeof *streams);
    uint32_t n = 0;
    int rc = streams ? open_families(r, p, streams, &n, err) : err_nomem(err, families * sizeof *streams, "families");
    if (!rc && n) rc = skew_tasks_fold(&r->tasks, p, streams, n, r->order[i].bytes, err);
    while (n) source_close(streams[--n].src);
    for (uint32_t f = 0; f < families; f++) sorter_release(r->sorted.sorter, f * r->partitions + p);
    free(streams);
    return rc;
}

static int by_bytes(const void *a, const void *b) {
    const struct weighed_partition *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return (x->partition > y->partition) - (x->partition < y->partition);
}

/* The largest first, so that none is left for one thread at the end. */
static int order_partitions(struct skew_inputs_run *r, struct err *err) {
    r->order = calloc((size_t)r->partitions + 1, sizeof *r->order);
    if (!r->order) return err_nomem(err, r->partitions * sizeof *r->order, "the order of partitions");
    for (uint32_t p = 0; p < r->partitions; p++) {
        r->order[p] = (struct weighed_partition){p, bytes_of_partition(r, p)};
        r->tasks.total += r->order[p].bytes;
    }
    qsort(r->order, r->partitions, sizeof *r->order, by_bytes);
    return 0;
}

static int rank_families(struct skew_inputs_run *r, struct err *err) {
    const struct table *t = r->in->read.table;
    r->rank = calloc(t->n_families + 1, sizeof *r->rank);
    if (!r->rank) return err_nomem(err, t->n_families * sizeof *r->rank, "families");
    for (uint32_t i = 0; i < t->n_families; i++) r->rank[i] = i;
    if (r->in->read.open_families) table_rank_families(t, r->rank);
    return 0;
}

static int fold_all(struct skew_inputs_run *r, struct err *err) {
    const uint32_t families = r->in->read.table->n_families; /* those that were found */
    if (sorter_finish(r->sorted.sorter, err) || rank_families(r, err) ||
        skew_tasks_open(&r->tasks, families, r->partitions, err) || order_partitions(r, err))
        return -1;
    if (families > 1) sorter_at_once(r->sorted.sorter, families * r->tasks.threads);
    if (skew_tasks_each(&r->tasks, r->partitions, fold_partition, r, err) || skew_tasks_finish(&r->tasks, err)) return -1;
    return table_place_families(r->in->read.table, r->rank, err);
}

static int read_all(struct skew_inputs_run *r, struct err *err) {
    struct inputs_read in = {0};
    const struct input_reader_opts o = {.inputs = r->in->inputs,
                                        .n_inputs = r->in->n_inputs,
                                        .read = r->in->read,
                                        .placement = r->in->placement,
                                        .consumer = {put_part, NULL, r, NULL},
                                        .max_value_bytes = r->tasks.o->job->max_cell_bytes,
                                        .rejects = r->in->rejects,
                                        .families_most = r->families,
                                        .skip_client_check = true};
    int rc = sorted_inputs_read(&r->sorted, &o, NULL, &in, err);
    r->tasks.out->ledger = in.ledger;
    return rc;
}

static size_t figures_memory(const struct skew_inputs_run *r, uint32_t families) {
    return skew_tasks_memory(r->tasks.o->job->threads, families, r->partitions, r->tasks.o->heaviest);
}

/* Figures of all families that there may be have a part of the memory. */
static uint32_t count_families(const struct skew_inputs_run *r) {
    size_t most = memory_share(r->tasks.o->job, MEMORY_SKEW_FIGURES);
    uint32_t n = families_at_most(&r->in->read, 0, 0), known = families_known(&r->in->read);
    while (n > known && n > FAMILIES_LEAST && figures_memory(r, n) > most) n--;
    return n;
}

static int set_up(struct skew_inputs_run *r, struct err *err) {
    r->partitions = placement_count(r->in->placement);
    r->families = count_families(r);
    const struct memory_request request = {.job = r->tasks.o->job, .own_bytes = figures_memory(r, r->families)};
    struct sorted_inputs_opts sorting = {.job = r->tasks.o->job,
                                         .buckets = r->families * r->partitions,
                                         .known = families_known(&r->in->read) * r->partitions,
                                         .tie = TIE_BY_SEQUENCE};
    if (memory_plan_make(&request, &sorting.plan, err) || sorted_inputs_open(&r->sorted, &sorting, err)) return -1;
    r->tasks.threads = r->sorted.plan.threads;
    return 0;
}

int skew_inputs(const struct skew_opts *o, const struct skew_inputs *in, struct skew_result *out, struct err *err) {
    struct skew_inputs_run r = {.tasks = {.o = o, .out = out}, .in = in};
    *out = (struct skew_result){0};
    int rc = set_up(&r, err);
    if (!rc) rc = read_all(&r, err);
    if (!rc) rc = fold_all(&r, err);
    skew_tasks_close(&r.tasks);
    free(r.rank);
    free(r.order);
    sorted_inputs_close(&r.sorted);
    return rc;
}
