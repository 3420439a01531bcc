/* Sorted buckets on their way into files: as a whole, cut into slices, or window by window, each with version rules where they
 * are asked for. Which cells a bucket has does not depend on the way it goes. */
#include "engine/build_buckets.h"
#include "engine/build_state.h"

#include "engine/input_facts.h"
#include "engine/sorted_slices.h"
#include "engine/sorter_gather.h"
#include "engine/sorter_runs.h"
#include "rules/compact.h"

#include <stdlib.h>

static const struct family *family_of(const struct build *b, uint32_t bucket) {
    return &b->o->read.table->families[bucket / b->partitions];
}

static struct bytes family_name(void *arg, uint32_t bucket) {
    return bytes_str(family_of(arg, bucket)->name);
}

/* ---- writing a bucket ---- */

/* A bucket on its way into its files. */
struct bucket_writer {
    struct bucket_rules rules;
    char hash[RULES_HASH_BYTES];
    struct partition_writer *out;
};

static void bucket_writer_free(struct bucket_writer *w) {
    if (!w) return;
    partition_writer_close(w->out);
    bucket_rules_free(&w->rules);
    free(w);
}

/* The rules that a bucket's cells have been through before this run; NULL: none, or not known. */
static const struct past_rules *past_of(const struct build *b, uint32_t bucket) {
    uint32_t family = bucket / b->partitions;
    if (b->o->compact || !b->o->past || family >= b->o->read.table->n_families) return NULL;
    return b->o->past[family].hash[0] ? &b->o->past[family] : NULL;
}

/* Returns the memory for a block of cells that have one key. While stores are read by rows, memory is shared by windows and all
 * writers. */
static size_t long_block_bytes(const struct build *b, uint32_t bucket) {
    return b->open ? 2 * b->plan.block_limit : sorter_spare(b->sorted.sorter, bucket);
}

static struct bucket_writer *open_writer(struct build *b, uint32_t bucket, bool sliced, struct err *err) {
    const struct table *t = b->o->read.table;
    const struct past_rules *past = past_of(b, bucket);
    const bool compares = b->o->compact && b->kind == COMPACTION_OCEANBASE;
    struct output_slot slot = {.family = bucket / b->partitions, .partition = bucket % b->partitions};
    struct output_opts o = b->output;
    struct bucket_writer *w = calloc(1, sizeof *w);
    if (!w) {
        err_nomem(err, sizeof *w, "an output");
        return NULL;
    }
    slot.family_name = t->families[slot.family].name;
    slot.partition_name = t->partitioning.names[slot.partition];
    o.long_block_bytes = long_block_bytes(b, bucket) / (sliced ? 2 : 1);
    if (b->o->compact) rules_text_hash(&t->families[slot.family].rules, b->kind, w->hash);
    if (b->o->compact || past) o.rules_hash = past ? past->hash : w->hash;
    if (!bucket_rules_init(&w->rules, b->o->n_groups, compares, err))
        w->out = partition_writer_open(&o, &slot, 0, &b->out->files, &w->rules.ledger.dropped[VERDICT_KEEP], err);
    if (w->out) return w;
    bucket_writer_free(w);
    return NULL;
}

static struct bucket_rules_env rules_env_of(const struct build *b, uint32_t bucket) {
    return (struct bucket_rules_env){family_of(b, bucket), b->kind, b->o->job, b->plan.row_bytes, bucket};
}

/* Gives the version rules the facts about whole inputs. */
static int take_facts(struct build *b, uint32_t bucket, struct bucket_rules *r, struct err *err) {
    const struct family *f = family_of(b, bucket);
    if (b->stores) {
        r->stores = store_decisions_of(b->stores, bucket / b->partitions);
        r->n_stores = b->o->n_stores;
    }
    if (b->facts) {
        const struct rules_env hbase = {.kind = b->kind, .family = *family_hbase_rules(f), .now_ms = b->o->job->now_ms};
        r->earliest_put_ms = input_facts_decide(b->facts, bucket, &hbase, r->expired, err);
    }
    r->old_seq = old_seqs_upto(b->old_seqs, f->name, bucket % b->partitions, r->expired);
    return err->code ? -1 : 0;
}

/* Applies the version rules of the family to src. Takes ownership of src. */
static struct source *apply_rules(struct build *b, uint32_t bucket, struct source *src, struct bucket_rules *r, struct err *err) {
    const struct bucket_rules_env env = rules_env_of(b, bucket);
    if (!take_facts(b, bucket, r, err)) return bucket_rules_open(r, &env, src, err);
    source_close(src);
    return NULL;
}

/* Closes src. */
static int put_bucket(struct build *b, uint32_t bucket, struct bucket_writer *w, struct source *src, struct err *err) {
    struct bucket_rules *r = &w->rules;
    const struct past_rules *past = past_of(b, bucket);
    if (src && b->o->compact) src = apply_rules(b, bucket, src, r, err);
    if (src && past) src = next_expiry_open(src, &past->rules, past->now_ms, &r->next_drop_ms, err);
    int rc = src ? partition_writer_put(w->out, src, b->o->compact || past ? &r->next_drop_ms : NULL, err) : -1;
    source_close(src);
    return rc;
}

static int finish_bucket(struct build *b, uint32_t bucket, struct bucket_writer *w, struct err *err) {
    int rc = partition_writer_finish(w->out, err);
    rules_total_add(&b->total, &w->rules, sorter_bytes(b->sorted.sorter, bucket));
    return rc;
}

/* Returns the writer of a bucket: one that a window before has left open, or a new one. */
static struct bucket_writer *writer_of(struct build *b, uint32_t bucket, bool sliced, struct err *err) {
    struct bucket_writer *w = b->open && b->open[bucket] ? b->open[bucket] : open_writer(b, bucket, sliced, err);
    if (b->in_window) b->open[bucket] = w;
    return w;
}

/* After a window the writer stays open for the next one; otherwise the bucket is complete. rc: of what was put. */
static int end_put(struct build *b, uint32_t bucket, struct bucket_writer *w, int rc, struct err *err) {
    if (b->in_window) return rc ? -1 : partition_writer_pause(w->out, err);
    if (!rc) rc = finish_bucket(b, bucket, w, err);
    if (b->open) b->open[bucket] = NULL;
    bucket_writer_free(w);
    return rc;
}

/* As sorter_sink.take. */
static int take_bucket(void *arg, uint32_t bucket, struct source *src, struct err *err) {
    struct build *b = arg;
    struct bucket_writer *w = writer_of(b, bucket, false, err);
    if (w) return end_put(b, bucket, w, put_bucket(b, bucket, w, src, err), err);
    source_close(src);
    return -1;
}

/* Options for cutting a bucket, and the rules that its slices go through. */
struct bucket_cut_opts {
    struct sorted_slices_opts o;
    struct bucket_rules_env env;
};

/* records: NULL, or those of a window. */
static void plan_slices(const struct build *b, uint32_t bucket, const struct sorted_records *records, uint64_t all_bytes,
                        size_t memory, struct bucket_cut_opts *c) {
    c->env = rules_env_of(b, bucket);
    c->o = (struct sorted_slices_opts){.bucket = bucket,
                                       .records = records,
                                       .family = bytes_str(family_of(b, bucket)->name),
                                       .past = past_of(b, bucket),
                                       .env = b->o->compact ? &c->env : NULL};
    sorted_slices_fit(&b->sorted, all_bytes, memory, &c->o);
}

/* As sorted_slices_write. */
static int put_slices(struct build *b, struct bucket_cut_opts *c, struct bucket_writer *w, struct err *err) {
    c->o.rules = &w->rules;
    if (c->o.env && take_facts(b, c->o.bucket, &w->rules, err)) return -1;
    return sorted_slices_write(&b->sorted, &c->o, w->out, err);
}

/* Slices take half of the memory that is left; those of a window what windows leave, of which each thread may cut one. */
static size_t slices_share(const struct build *b, uint32_t bucket) {
    unsigned at_once = b->buckets < b->sorted.plan.threads ? b->buckets : b->sorted.plan.threads;
    if (!b->in_window) return long_block_bytes(b, bucket) / 2;
    return (b->plan.gather_bytes - 2 * b->window.window_bytes) / at_once;
}

/* As sorter_sink.divide, of a large bucket or window. */
static int divide_bucket(void *arg, uint32_t bucket, const struct sorted_records *records, struct err *err) {
    struct build *b = arg;
    struct bucket_cut_opts cut;
    if (!b->in_window && (b->open || b->output.runs)) return 0;
    uint64_t all_bytes = b->in_window ? b->window.window_bytes : b->total.of_bytes;
    plan_slices(b, bucket, records, all_bytes, slices_share(b, bucket), &cut);
    if (!cut.o.at_once) return 0;
    struct bucket_writer *w = writer_of(b, bucket, !b->in_window, err);
    int rc = w ? put_slices(b, &cut, w, err) : -1;
    if (rc == 1) return end_put(b, bucket, w, 0, err) ? -1 : 1;
    if (!b->in_window) bucket_writer_free(w);
    return rc;
}

struct sorter_sink build_sink(struct build *b) {
    return (struct sorter_sink){family_name, take_bucket, divide_bucket, b};
}

int build_finish_open(struct build *b, struct err *err) {
    struct first_error first;
    first_error_init(&first);
#pragma omp parallel for schedule(dynamic) num_threads(b->sorted.plan.threads)
    for (uint32_t i = 0; i < b->buckets; i++) {
        struct err mine = {0};
        if (!first_error_failed(&first) && b->open[i]) (void)finish_bucket(b, i, b->open[i], &mine);
        first_error_keep(&first, &mine);
    }
    return first_error_end(&first, err);
}

void build_close_open(struct build *b) {
    for (uint32_t i = 0; b->open && i < b->buckets; i++) bucket_writer_free(b->open[i]);
    free(b->open);
}
