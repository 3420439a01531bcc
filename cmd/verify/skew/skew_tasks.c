#include "cmd/verify/skew/skew_tasks.h"

#include <omp.h>
#include <stdlib.h>

/* Cuts of all partitions together, and of one: with 97 partitions a prefix is known to within a tenth of a percent. */
enum { CUTS_MOST = 1 << 17, CUTS_LEAST = 16, CUTS_OF_ONE = 1024 };

static uint32_t cuts_of(uint32_t buckets) {
    uint32_t n = CUTS_MOST / (buckets ? buckets : 1);
    return n < CUTS_LEAST ? CUTS_LEAST : n > CUTS_OF_ONE ? CUTS_OF_ONE : n;
}

size_t skew_tasks_memory(unsigned threads, uint32_t buckets, uint32_t heaviest) {
    size_t cuts = cuts_of(buckets), all = cuts * buckets * sizeof(struct key_cut), rows = heaviest * sizeof(struct top_row);
    size_t task = sizeof(struct skew_fold) + 2 * cuts * sizeof(struct key_cut) + rows;
    return cell_sample_memory(threads) + all + all / 4 + buckets * sizeof(struct skew_part) + threads * task + rows;
}

int skew_tasks_open(struct skew_tasks *t, uint32_t families, uint32_t partitions, struct err *err) {
    uint32_t buckets = families * partitions;
    t->cuts = cuts_of(buckets);
    t->out->families = families;
    t->out->partitions = partitions;
    t->out->sums.heaviest.most = t->o->heaviest;
    t->out->parts = calloc((size_t)buckets + 1, sizeof *t->out->parts);
    t->samplers = calloc(t->threads, sizeof *t->samplers);
    if (!t->out->parts || !t->samplers) return err_nomem(err, buckets * sizeof *t->out->parts, "figures of partitions");
    for (unsigned i = 0; i < t->threads; i++)
        if (cell_sampler_open(&t->samplers[i], &t->out->sample, err)) return -1;
    return 0;
}

static int book(struct skew_tasks *t, uint32_t bucket, const struct skew_fold *f, uint64_t weight, struct err *err) {
    const struct progress *p = &t->o->job->progress;
    int rc;
#pragma omp critical(skew_book)
    {
        skew_part_add(&t->out->parts[bucket], &f->part);
        rc = skew_sums_merge(&t->out->sums, &f->sums, err);
        t->done += weight;
        if (p->report) p->report(p->arg, "count", t->done, t->total);
    }
    return rc;
}

int skew_tasks_fold(struct skew_tasks *t, uint32_t bucket, struct source *src, uint64_t weight, struct err *err) {
    struct skew_fold *f = calloc(1, sizeof *f);
    if (!f) return err_nomem(err, sizeof *f, "figures of a partition");
    f->sampler = &t->samplers[omp_get_thread_num()];
    f->family = bucket / t->out->partitions;
    f->partition = bucket % t->out->partitions;
    f->sums.heaviest.most = t->o->heaviest;
    key_cuts_limit(&f->sums.cuts, t->cuts);
    int rc = skew_fold_run(f, src, err);
    if (!rc) rc = book(t, bucket, f, weight, err);
    skew_sums_free(&f->sums);
    free(f);
    return rc;
}

int skew_tasks_finish(struct skew_tasks *t, struct err *err) {
    for (unsigned i = 0; i < t->threads; i++)
        if (cell_sampler_flush(&t->samplers[i], err)) return -1;
    cell_sample_finish(&t->out->sample);
    key_cuts_sort(&t->out->sums.cuts);
    return 0;
}

void skew_tasks_close(struct skew_tasks *t) {
    for (unsigned i = 0; t->samplers && i < t->threads; i++) cell_sampler_close(&t->samplers[i]);
    free(t->samplers);
    t->samplers = NULL;
}
