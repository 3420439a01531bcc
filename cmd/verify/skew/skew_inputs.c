/* The skew of inputs of any format: rows are placed as an import would place them, sorted by partition, and counted. Nothing is
 * written but spilled runs. */
#include "engine/memory_plan.h"
#include "engine/sorted_inputs.h"
#include "cmd/verify/skew/skew.h"

#include <stdlib.h>

struct run {
    struct skew_tasks tasks;
    const struct skew_inputs *in;
    struct sorted_inputs sorted;
    uint32_t families, partitions; /* families: most */
    uint32_t *rank;                /* [family]: its place by name, where families were found while reading, in any order */
};

enum { FAMILIES_LEAST = 8 /* whatever they take */ };

static int put_part(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part,
                    struct err *err) {
    struct run *r = arg;
    return sorter_put(r->sorted.sorter, thread, family * r->partitions + partition, part, err);
}

static struct bytes family_name(void *arg, uint32_t bucket) {
    const struct run *r = arg;
    return bytes_str(r->in->read.table->families[bucket / r->partitions].name);
}

static int fold_bucket(void *arg, uint32_t bucket, struct source *src, struct err *err) {
    struct run *r = arg;
    uint32_t to = r->rank[bucket / r->partitions] * r->partitions + bucket % r->partitions;
    int rc = skew_tasks_fold(&r->tasks, to, src, sorter_bytes(r->sorted.sorter, bucket), err);
    source_close(src);
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
    const struct sorter_sink sink = {family_name, fold_bucket, r};
    uint32_t families = r->in->read.table->n_families; /* those that were found */
    if (sorter_finish(r->sorted.sorter, err) || rank_families(r, err) || skew_tasks_open(&r->tasks, families, r->partitions, err))
        return -1;
    for (uint32_t i = 0; i < families * r->partitions; i++) r->tasks.total += sorter_bytes(r->sorted.sorter, i);
    if (sorted_inputs_each(&r->sorted, &sink, err) || skew_tasks_finish(&r->tasks, err)) return -1;
    return table_place_families(r->in->read.table, r->rank, err);
}

static int read_all(struct run *r, struct err *err) {
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

static size_t figures_memory(const struct run *r, uint32_t families) {
    return skew_tasks_memory(r->tasks.o->job->threads, families * r->partitions, r->tasks.o->heaviest);
}

/* Figures of all families that there may be have a part of the memory. */
static uint32_t count_families(const struct run *r) {
    size_t most = memory_share(r->tasks.o->job, MEMORY_SKEW_FIGURES);
    uint32_t n = families_at_most(&r->in->read, 0, 0), known = families_known(&r->in->read);
    while (n > known && n > FAMILIES_LEAST && figures_memory(r, n) > most) n--;
    return n;
}

static int set_up(struct run *r, struct err *err) {
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
    struct run r = {.tasks = {.o = o, .out = out}, .in = in};
    *out = (struct skew_result){0};
    int rc = set_up(&r, err);
    if (!rc) rc = read_all(&r, err);
    if (!rc) rc = fold_all(&r, err);
    skew_tasks_close(&r.tasks);
    free(r.rank);
    sorted_inputs_close(&r.sorted);
    return rc;
}
