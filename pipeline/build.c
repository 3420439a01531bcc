#include "pipeline/build.h"

#include "flow/compact.h"
#include "flow/next_drop.h"
#include "pipeline/facts.h"
#include "pipeline/load.h"
#include "pipeline/old_seqs.h"
#include "pipeline/rules_text.h"
#include "pipeline/sorter_load.h"

#include <stdlib.h>

struct build {
    const struct build_opts *o;
    struct build_result *out;
    struct memory_plan plan;
    struct shape_set shapes;
    uint32_t families, partitions, buckets; /* bucket = family * partitions + partition */
    struct sorter *sorter;
    struct input_facts *facts;
    bool *is_store; /* by group */
    struct store_decisions *stores;
    struct old_seqs *old_seqs;
    size_t row_bytes;
    struct loader *loader;
    struct ledger dropped; /* what version rules took away */
    uint64_t done, total;  /* bytes of buckets stored: progress */
};

/* ---- gathering ---- */

static int put_part(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part,
                    struct err *err) {
    struct build *b = arg;
    if (family >= b->families) return err_set(err, ERR_INTERNAL, "family %u appeared after the partitions were set up", family);
    uint32_t bucket = family * b->partitions + partition;
    if (b->facts) input_facts_note(b->facts, bucket, part);
    return sorter_put(b->sorter, thread, bucket, part, err);
}

static bool is_full(void *arg) {
    const struct build *b = arg;
    return sorter_full(b->sorter);
}

static struct bytes family_name(const struct build *b, uint32_t bucket) {
    return bytes_str(b->o->read.table->families[bucket / b->partitions].name);
}

/* ---- storing ---- */

/* What the version rules do to one bucket. */
struct applied {
    struct ledger ledger;
    struct rule_diff *diff; /* NULL: one set of rules only */
    bool *expired;          /* by input */
    int64_t next_drop;
    uint64_t zeroed;
};

static void applied_free(struct applied *a) {
    free(a->diff);
    free(a->expired);
}

static int applied_init(const struct build *b, struct applied *a, struct err *err) {
    bool compare = b->o->compact && b->o->kind == COMPACTION_OCEANBASE;
    *a = (struct applied){.next_drop = INT64_MAX};
    a->expired = calloc(b->o->n_groups + 1, sizeof *a->expired);
    if (compare) a->diff = calloc(1, sizeof *a->diff);
    if (a->expired && (a->diff || !compare)) return 0;
    applied_free(a);
    return err_nomem(err, b->o->n_groups + sizeof *a->diff, "file facts");
}

/* src with the version rules of its family on top; takes over src. */
static struct source *apply_rules(struct build *b, uint32_t bucket, struct source *src, struct applied *to, struct err *err) {
    const struct family *f = &b->o->read.table->families[bucket / b->partitions];
    struct compact_opts c = {.env = {.kind = b->o->kind,
                                     .family = f->rules,
                                     .now_ms = b->o->job->now_ms,
                                     .earliest_put_ms = INT64_MAX,
                                     .row_bytes = b->row_bytes},
                             .diff = to->diff,
                             .hbase_rules = family_hbase_rules(f),
                             .place = bucket,
                             .stores = b->stores ? store_decisions_of(b->stores, bucket / b->partitions) : NULL,
                             .n_stores = b->stores ? b->o->n_stores : 0,
                             .zeroed = &to->zeroed,
                             .ledger = &to->ledger,
                             .next_drop_ms = &to->next_drop};
    if (b->facts) {
        struct rules_env hbase = {.kind = b->o->kind, .family = *c.hbase_rules, .now_ms = c.env.now_ms};
        c.env.earliest_put_ms = input_facts_decide(b->facts, bucket, &hbase, to->expired, err);
        c.expired_inputs = to->expired;
        c.n_inputs = b->o->n_groups;
    }
    c.old_seq = old_seqs_upto(b->old_seqs, f->name, bucket % b->partitions, to->expired);
    if (!err->code) return compact_open(src, &c, err);
    source_close(src);
    return NULL;
}

/* The rules that a bucket's cells have been through before this run; NULL: none, or not known. */
static const struct kept_rules *kept_of(const struct build *b, uint32_t bucket) {
    uint32_t family = bucket / b->partitions;
    if (b->o->compact || !b->o->kept || family >= b->o->read.table->n_families) return NULL;
    return b->o->kept[family].hash[0] ? &b->o->kept[family] : NULL;
}

static int write_bucket(struct build *b, uint32_t bucket, struct source *src, int64_t *next_drop, struct tally *written,
                        struct err *err) {
    const struct table *t = b->o->read.table;
    struct store_slot slot = {.family = bucket / b->partitions, .partition = bucket % b->partitions};
    char hash[RULES_HASH_BYTES];
    struct store_opts o = b->o->store;
    uint32_t number = 0;
    slot.family_name = t->families[slot.family].name;
    slot.partition_name = t->partitioning.names[slot.partition];
    const struct kept_rules *kept = kept_of(b, bucket);
    if (b->o->compact) rules_text_hash(&t->families[slot.family].rules, b->o->kind, hash);
    if (b->o->compact || kept) o.rules_hash = kept ? kept->hash : hash;
    return store_partition(&o, &slot, &number, src, next_drop, &b->out->files, written, err);
}

/* Books a stored bucket. */
static void book(struct build *b, uint32_t bucket, const struct applied *a) {
#pragma omp critical(build_ledger)
    {
        ledger_add(&b->dropped, &a->ledger);
        if (a->diff) rule_diff_add(&b->out->diff, a->diff);
        b->out->zeroed += a->zeroed;
        b->done += sorter_bytes(b->sorter, bucket);
        if (b->o->job->progress.report) b->o->job->progress.report(b->o->job->progress.arg, "write", b->done, b->total);
    }
}

static int store_bucket(void *arg, uint32_t bucket, struct err *err) {
    struct build *b = arg;
    struct applied a;
    int rc = -1;
    if (applied_init(b, &a, err)) return -1;
    struct source *src = sorter_open(b->sorter, bucket, family_name(b, bucket), err);
    if (src && b->o->compact) src = apply_rules(b, bucket, src, &a, err);
    const struct kept_rules *kept = kept_of(b, bucket);
    if (src && kept) src = next_drop_open(src, &kept->rules, kept->now_ms, &a.next_drop, err);
    if (src) rc = write_bucket(b, bucket, src, b->o->compact || kept ? &a.next_drop : NULL, &a.ledger.dropped[VERDICT_KEEP], err);
    source_close(src);
    sorter_release(b->sorter, bucket);
    book(b, bucket, &a);
    applied_free(&a);
    return rc;
}

/* ---- a run ---- */

/* The table of file facts grows with inputs times partitions: it is part of --memory. */
static int reserve_facts(struct build *b, struct err *err) {
    const struct build_opts *o = b->o;
    size_t bytes = input_facts_bytes(o->read.table, b->partitions, o->n_groups) + old_seqs_bytes(o->job, o->n_inputs),
           each = bytes / b->plan.threads;
    if (bytes > b->plan.gather_bytes / 2 || each > b->plan.merge_bytes / 2)
        return err_set(err, ERR_LIMIT,
                       "with a TTL or kept deletes, %u inputs in %u partitions need %zu MB: give more --memory, or fewer inputs "
                       "at a time",
                       o->n_groups, b->partitions, (bytes >> 20) + 1);
    b->plan.gather_bytes -= bytes;
    b->plan.merge_bytes -= each;
    b->row_bytes = memory_plan_rules(&b->plan, o->kind == COMPACTION_OCEANBASE ? 2 : 1);
    return 0;
}

static int set_up_facts(struct build *b, struct err *err) {
    const struct build_opts *o = b->o;
    const struct store_decision_opts whole = {.stores = o->stores,
                                              .n = o->n_stores,
                                              .table = o->read.table,
                                              .newest = o->n_groups - 1,
                                              .kind = o->kind,
                                              .now_ms = o->job->now_ms,
                                              .keep_seq_ms = o->job->keep_seq_ms};
    b->is_store = calloc(o->n_groups + 1, sizeof *b->is_store);
    if (!b->is_store) return err_nomem(err, o->n_groups, "file facts");
    for (size_t i = 0; i < o->n_stores; i++) b->is_store[o->stores[i].group] = true;
    b->facts = input_facts_new(o->read.table, b->buckets, o->n_groups, b->is_store, err);
    if (!err->code && o->n_stores) b->stores = store_decisions_new(&whole, err);
    if (!err->code && o->kind == COMPACTION_MAJOR) b->old_seqs = old_seqs_read(o->job, o->inputs, o->n_inputs, err);
    return err->code ? -1 : 0;
}

static int set_up(struct build *b, struct err *err) {
    const struct build_opts *o = b->o;
    b->partitions = placement_count(o->placement);
    b->families = o->read.table->n_families;
    if (o->read.open_families && b->families < LOAD_FAMILIES_MAX) b->families = LOAD_FAMILIES_MAX;
    b->buckets = b->families * b->partitions;
    if (memory_plan_make(o->job, store_largest_writer(&o->store), &b->plan, err) || (o->compact && reserve_facts(b, err)))
        return -1;
    struct sorter_opts so = {.job = o->job, .plan = b->plan, .buckets = b->buckets, .shapes = &b->shapes, .tie = o->tie};
    b->sorter = sorter_new(&so, err);
    if (!b->sorter) return -1;
    b->out->threads = b->plan.threads = sorter_threads(b->sorter);
    return o->compact ? set_up_facts(b, err) : 0;
}

static int read_all(struct build *b, struct err *err) {
    struct load_opts l = {.job = b->o->job,
                          .threads = b->plan.threads,
                          .inputs = b->o->inputs,
                          .n_inputs = b->o->n_inputs,
                          .read = b->o->read,
                          .placement = b->o->placement,
                          .consumer = {put_part, is_full, b},
                          .max_value_bytes = b->o->job->max_cell_bytes,
                          .rejects = b->o->rejects};
    l.read.shapes = &b->shapes;
    sorter_load_limits(&b->plan, &l.read);
    l.read.stop = b->o->job->stop;
    b->loader = loader_new(&l, err);
    if (!b->loader) return -1;
    if (sorter_load(b->sorter, b->loader, err)) return -1;
    ledger_add(&b->out->ledger, loader_ledger(b->loader));
    b->out->client_rows = loader_client_rows(b->loader);
    return 0;
}

static int check_rejects(const struct build *b, struct err *err) {
    const struct ledger *l = &b->out->ledger;
    if (!b->o->rejects) return 0;
    if (reject_log_finish(b->o->rejects, err)) return -1;
    if (!reject_limit_exceeded(b->o->reject_limit, l->records_rejected, l->records_read)) return 0;
    return err_set(err, ERR_REJECTS,
                   "%llu of %llu records rejected, more than --max-rejects allows, see %s/reasons.tsv; first: %s",
                   (unsigned long long)l->records_rejected, (unsigned long long)l->records_read, reject_log_dir(b->o->rejects),
                   reject_log_first(b->o->rejects));
}

static int make_families(const struct build *b, struct err *err) {
    const struct table *t = b->o->read.table;
    for (uint32_t i = 0; i < t->n_families; i++)
        if (store_make_family(b->o->store.dir, t->families[i].name, err)) return -1;
    return 0;
}

static int store_all(struct build *b, struct err *err) {
    if (sorter_finish(b->sorter, err)) return -1;
    for (uint32_t i = 0; i < b->buckets; i++) b->total += sorter_bytes(b->sorter, i);
    return make_families(b, err) ? -1 : sorter_each(b->sorter, store_bucket, b, err);
}

static void tear_down(struct build *b) {
    if (b->sorter) b->out->sort = sorter_stats(b->sorter);
    loader_free(b->loader);
    sorter_free(b->sorter);
    input_facts_free(b->facts);
    store_decisions_free(b->stores);
    old_seqs_free(b->old_seqs);
    free(b->is_store);
    shape_set_free(&b->shapes);
}

int build_run(const struct build_opts *o, struct build_result *out, struct err *err) {
    struct build b = {.o = o, .out = out};
    *out = (struct build_result){0};
    int rc = set_up(&b, err);
    b.o = o;
    if (!rc) {
        struct build_opts sized = *o; /* writers get their share of the memory */
        sized.store.batch_blocks = b.plan.batch_blocks;
        b.o = &sized;
        rc = read_all(&b, err);
        if (!rc) rc = check_rejects(&b, err);
        if (!rc) rc = store_all(&b, err);
        ledger_add(&out->ledger, &b.dropped);
        if (!rc) rc = ledger_check(&out->ledger, err);
    }
    tear_down(&b);
    return rc;
}

void build_result_free(struct build_result *r) {
    stored_files_free(&r->files);
}
