/* Cuts a bucket whose records lie sorted in memory into slices of whole rows, which threads turn into cells side by side. Only a
 * bucket that is large beside the others is cut: else they keep all threads busy. */
#include "engine/file_rules.h"
#include "engine/sorted_inputs.h"

#include "rules/compact.h"
#include "sort/sorted.h"

#include <stdlib.h>

enum {
    SLICE_BYTES = 1 << 20, /* of records, which become two to three times as many bytes of cells */
    BATCH_BYTES = 4 * SLICE_BYTES,
    SLICES_LEAST = 4,
    LONG_RECORD_BYTES = 256 << 10 /* a batch of rows has no share for such cells */
};

unsigned sorted_slices_fit(const struct sorted_inputs *s, uint32_t bucket, uint64_t all_bytes, size_t memory) {
    uint64_t bytes = sorter_bytes(s->sorter, bucket), longest = sorter_stats(s->sorter).longest;
    unsigned threads = s->plan.threads, n = 2 * threads;
    if (threads < 2 || !longest || longest > LONG_RECORD_BYTES || bytes < SLICES_LEAST * SLICE_BYTES) return 0;
    if (bytes < all_bytes / (4 * threads)) return 0;
    while (n > 1 && slices_memory(n, BATCH_BYTES) > memory) n--;
    return n > 1 ? n : 0;
}

/* Slice i has the entries [i * each, (i + 1) * each), but a row that begins in one slice is all in that one. */
struct bucket_cut {
    const struct sorted_inputs *s;
    const struct sorted_slices_opts *o;
    struct sort_entry *entries;
    uint64_t n, each;
};

/* The first entry from `at` on that begins a row. */
static uint64_t row_from(const struct bucket_cut *c, uint64_t at) {
    while (at && at < c->n && bytes_eq(record_row(c->entries[at].record), record_row(c->entries[at - 1].record))) at++;
    return at < c->n ? at : c->n;
}

static int open_slice(void *arg, size_t i, struct slice *out, struct err *err) {
    const struct bucket_cut *c = arg;
    const struct past_rules *past = c->o->past;
    uint64_t from = row_from(c, i * c->each), to = row_from(c, (i + 1) * c->each);
    int64_t *moment = past ? malloc(sizeof *moment) : NULL;
    if (past && !moment) return err_nomem(err, sizeof *moment, "a slice of a partition");
    struct source *src = segment_open(c->entries + from, to - from, &c->s->shapes, c->o->family, c->s->tie, err);
    src = stoppable_open(src, NULL, c->s->job->stop, err);
    if (moment) *moment = INT64_MAX;
    if (src && past) src = next_expiry_open(src, &past->rules, past->now_ms, moment, err);
    *out = (struct slice){.src = src, .next_drop_ms = moment, .own = moment};
    if (!src) free(moment);
    return src ? 0 : -1;
}

static int close_slice(void *arg, struct slice *slice, struct err *err) {
    (void)arg;
    (void)err;
    source_close(slice->src);
    free(slice->own);
    return 0;
}

int sorted_slices_write(const struct sorted_inputs *s, const struct sorted_slices_opts *o, struct partition_writer *w,
                        struct err *err) {
    struct bucket_cut c = {.s = s, .o = o};
    if (!(c.entries = sorter_entries(s->sorter, o->bucket, &c.n, err))) return -1;
    uint64_t n = sorter_bytes(s->sorter, o->bucket) / SLICE_BYTES;
    c.each = c.n / n + 1;
    const struct slices slices = {.n = (size_t)((c.n + c.each - 1) / c.each),
                                  .at_once = o->at_once,
                                  .batch_bytes = BATCH_BYTES,
                                  .open = open_slice,
                                  .close = close_slice,
                                  .arg = &c};
    int rc = partition_writer_put_slices(w, &slices, err);
    free(c.entries);
    return rc;
}
