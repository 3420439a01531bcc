/* Reads inputs, sorts them within the memory, and hands each bucket to a sink.
 *
 *     inputs --read--> parts --consumer: which bucket?--> gathered --memory full: sorted, spilled as runs--> (reading continues)
 *                                                            |                                  |
 *                                                            +----- each bucket, merged --------+--> sink, one task a bucket
 *
 * Imports write what they are handed; checks and plans add it up. */
#include "engine/memory_plan.h"
#include "engine/sorted_inputs.h"
#include "engine/sorter_gather.h"
#include "engine/sorter_runs.h"

#include <malloc.h>

int sorted_inputs_open(struct sorted_inputs *s, const struct sorted_inputs_opts *o, struct err *err) {
    *s = (struct sorted_inputs){.job = o->job, .plan = o->plan, .tie = o->tie};
    if (!o->buckets) return 0;
    const struct sorter_opts sorter = {
        .job = o->job, .plan = o->plan, .buckets = o->buckets, .known = o->known, .shapes = &s->shapes, .tie = o->tie};
    s->sorter = sorter_new(&sorter, err);
    if (!s->sorter) return -1;
    s->plan.threads = sorter_threads(s->sorter);
    return 0;
}

/* Closes all, and gives memory back to the system: the next step shares it out anew, so nothing may stay with the C library. */
void sorted_inputs_close(struct sorted_inputs *s) {
    if (!s->job) return;
    input_reader_free(s->reader);
    sorter_free(s->sorter);
    shape_set_free(&s->shapes);
    malloc_trim(0);
    *s = (struct sorted_inputs){0};
}

void sorted_inputs_limits(const struct memory_plan *plan, struct read_opts *read) {
    if (!read->memory.chunk) read->memory.chunk = plan->chunk_bytes;
    read->memory.max_cell = plan->block_limit;
    read->memory.max_block = plan->block_limit;
    read->memory.unpack = plan->unpack_bytes;
}

static int read_all(struct sorted_inputs *s, const struct memory_drain *drain, struct err *err) {
    int more;
    do {
        more = input_reader_run(s->reader, err);
        if (more < 0) return -1;
        int rc = drain ? drain->drain(drain->arg, more, err) : more ? sorter_spill(s->sorter, err) : 0;
        if (rc) return -1;
    } while (more);
    return 0;
}

int sorted_inputs_read(struct sorted_inputs *s, const struct input_reader_opts *o, const struct memory_drain *drain,
                       struct inputs_read *out, struct err *err) {
    struct input_reader_opts r = *o;
    r.job = s->job;
    r.threads = s->plan.threads;
    r.sorter = s->sorter;
    r.read.shapes = &s->shapes;
    r.read.stop = s->job->stop;
    sorted_inputs_limits(&s->plan, &r.read);
    r.read.unpackers = r.side_by_side > 1 ? 1 : s->plan.threads;
    s->reader = input_reader_new(&r, err);
    int rc = s->reader ? read_all(s, drain, err) : -1;
    if (s->reader && out) *out = (struct inputs_read){*input_reader_ledger(s->reader), input_reader_client_rows(s->reader)};
    input_reader_free(s->reader);
    s->reader = NULL;
    malloc_trim(0);
    return rc;
}

struct handing {
    struct sorter *sorter;
    const struct sorter_sink *sink;
};

static int hand_bucket(void *arg, uint32_t bucket, struct err *err) {
    const struct handing *h = arg;
    int divided = h->sink->divide ? h->sink->divide(h->sink->arg, bucket, NULL, err) : 0;
    if (divided) return divided < 0 ? -1 : 0;
    struct source *src = sorter_open(h->sorter, bucket, h->sink->family(h->sink->arg, bucket), err);
    int rc = src ? h->sink->take(h->sink->arg, bucket, src, err) : -1;
    sorter_release(h->sorter, bucket);
    return rc;
}

int sorted_inputs_each(struct sorted_inputs *s, const struct sorter_sink *sink, struct err *err) {
    struct handing h = {s->sorter, sink};
    return sorter_finish(s->sorter, err) || sorter_each(s->sorter, hand_bucket, &h, err) ? -1 : 0;
}
