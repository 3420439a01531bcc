#include "engine/build.h"

#include "rules/compact.h"
#include "engine/facts.h"
#include "engine/load.h"
#include "engine/old_seqs.h"
#include "engine/rules_text.h"
#include "engine/sorter_load.h"
#include "engine/sweep.h"

#include <stdlib.h>

enum { FACTS_OF_GATHER = 8 /* of families that data may name: most that they take of its memory */ };

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
    struct lane **lanes; /* by bucket: those that stay open while the inputs are swept; NULL: they are not */
    bool sweeps;
    struct sweep_plan sweep;
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
    int64_t next_expiry;
    uint64_t zeroed;
};

static void applied_free(struct applied *a) {
    free(a->diff);
    free(a->expired);
}

static int applied_init(const struct build *b, struct applied *a, struct err *err) {
    bool compare = b->o->compact && b->o->kind == COMPACTION_OCEANBASE;
    *a = (struct applied){.next_expiry = INT64_MAX};
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
                             .next_drop_ms = &to->next_expiry};
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

/* A bucket on its way into its files. */
struct lane {
    struct applied applied;
    char hash[RULES_HASH_BYTES];
    struct store_stream *out;
};

static void lane_free(struct lane *lane) {
    if (!lane) return;
    store_stream_close(lane->out);
    applied_free(&lane->applied);
    free(lane);
}

/* For a block of cells that have one key. While stores are swept, memory is shared by windows and all writers. */
static size_t long_block_bytes(const struct build *b, uint32_t bucket) {
    return b->lanes ? 2 * b->plan.block_limit : sorter_spare(b->sorter, bucket);
}

static struct lane *lane_open(struct build *b, uint32_t bucket, struct err *err) {
    const struct table *t = b->o->read.table;
    const struct kept_rules *kept = kept_of(b, bucket);
    struct store_slot slot = {.family = bucket / b->partitions, .partition = bucket % b->partitions};
    struct store_opts o = b->o->store;
    struct lane *lane = calloc(1, sizeof *lane);
    if (!lane) return err_nomem(err, sizeof *lane, "an output"), NULL;
    slot.family_name = t->families[slot.family].name;
    slot.partition_name = t->partitioning.names[slot.partition];
    o.long_block_bytes = long_block_bytes(b, bucket);
    if (b->o->compact) rules_text_hash(&t->families[slot.family].rules, b->o->kind, lane->hash);
    if (b->o->compact || kept) o.rules_hash = kept ? kept->hash : lane->hash;
    if (!applied_init(b, &lane->applied, err))
        lane->out = store_stream_open(&o, &slot, 0, &b->out->files, &lane->applied.ledger.dropped[VERDICT_KEEP], err);
    if (lane->out) return lane;
    lane_free(lane);
    return NULL;
}

/* Closes src. */
static int lane_put(struct build *b, uint32_t bucket, struct lane *lane, struct source *src, struct err *err) {
    struct applied *a = &lane->applied;
    const struct kept_rules *kept = kept_of(b, bucket);
    if (src && b->o->compact) src = apply_rules(b, bucket, src, a, err);
    if (src && kept) src = next_expiry_open(src, &kept->rules, kept->now_ms, &a->next_expiry, err);
    int rc = src ? store_stream_put(lane->out, src, b->o->compact || kept ? &a->next_expiry : NULL, err) : -1;
    source_close(src);
    return rc;
}

static int lane_finish(struct build *b, uint32_t bucket, struct lane *lane, struct err *err) {
    int rc = store_stream_finish(lane->out, err);
    book(b, bucket, &lane->applied);
    return rc;
}

static int store_bucket(void *arg, uint32_t bucket, struct err *err) {
    struct build *b = arg;
    struct lane *lane = b->lanes ? b->lanes[bucket] : NULL;
    if (b->lanes) b->lanes[bucket] = NULL;
    if (!lane && !(lane = lane_open(b, bucket, err))) return -1;
    int rc = lane_put(b, bucket, lane, sorter_open(b->sorter, bucket, family_name(b, bucket), err), err);
    sorter_release(b->sorter, bucket);
    if (!rc) rc = lane_finish(b, bucket, lane, err);
    lane_free(lane);
    return rc;
}

/* ---- sweeping ---- */

static struct bytes swept_family(void *arg, uint32_t bucket) {
    return family_name(arg, bucket);
}

static int store_swept(void *arg, uint32_t bucket, struct source *src, struct err *err) {
    struct build *b = arg;
    struct lane **lane = &b->lanes[bucket];
    if (!*lane && !(*lane = lane_open(b, bucket, err))) return source_close(src), -1;
    return lane_put(b, bucket, *lane, src, err) ? -1 : store_stream_pause((*lane)->out, err);
}

/* Rows that are complete go to their files. Where that would leave much behind, because rows are huge or an index is none, the
 * rest is sorted as other inputs are. */
static int sweep(struct build *b, struct err *err) {
    const struct sorter_sink sink = {swept_family, store_swept, b};
    struct sorter_flushed done;
    struct bytes floor;
    int more = loader_floor(b->loader, &floor, err);
    b->out->windows++;
    if (more < 0 || sorter_flush(b->sorter, more ? &floor : NULL, &sink, &done, err)) return -1;
    if (done.left <= done.bytes / 2 && done.longest * b->buckets <= b->sweep.open_bytes) return 0;
    sorter_flush_end(b->sorter);
    b->sweeps = false;
    return 0;
}

static int read_swept(struct build *b, struct err *err) {
    int more;
    do {
        more = loader_run(b->loader, err);
        if (more < 0 || (b->sweeps ? sweep(b, err) : more && sorter_spill(b->sorter, err))) return -1;
    } while (more);
    return 0;
}

static int finish_swept(struct build *b, struct err *err) {
    struct err first = {0};
#pragma omp parallel for schedule(dynamic) num_threads(b->plan.threads)
    for (uint32_t i = 0; i < b->buckets; i++) {
        struct err mine = {0};
        enum err_code failed;
#pragma omp atomic read
        failed = first.code;
        if (failed || !b->lanes[i] || !lane_finish(b, i, b->lanes[i], &mine)) continue;
#pragma omp critical(build_swept)
        err_keep(&first, &mine);
    }
    err_keep(err, &first);
    return first.code ? -1 : 0;
}

/* ---- a run ---- */

/* The table of file facts grows with inputs times partitions: it is part of --memory. */
static int reserve_facts(struct build *b, struct err *err) {
    const struct build_opts *o = b->o;
    size_t bytes = input_facts_bytes(o->read.table, b->buckets, o->n_groups) + old_seqs_bytes(o->job, o->n_inputs),
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

/* Facts are noted of all families that there may be. */
static void count_buckets(struct build *b) {
    const struct build_opts *o = b->o;
    size_t facts = o->compact ? input_facts_bytes(o->read.table, b->partitions, o->n_groups) : 0;
    b->families = load_families(&o->read, b->plan.gather_bytes / FACTS_OF_GATHER, facts);
    b->buckets = b->families * b->partitions;
}

static bool can_sweep(struct build *b) {
    const struct build_opts *o = b->o;
    const struct sweep_opts sweep = {o->stores, o->n_stores, store_largest_writer(&o->store), b->buckets, &b->plan};
    if (!o->n_stores || o->n_stores != o->n_inputs || o->read.on_damage != DAMAGE_FAILS) return false;
    for (uint32_t i = 0; i < o->n_inputs; i++)
        if (!o->inputs[i].files || o->inputs[i].files->packed) return false;
    if (o->compact && o->kind == COMPACTION_OCEANBASE) return false; /* what it compares takes memory in each partition */
    return sweep_fits(&sweep, &b->sweep);
}

static int set_up(struct build *b, struct err *err) {
    const struct build_opts *o = b->o;
    b->partitions = placement_count(o->placement);
    if (memory_plan_make(o->job, store_largest_writer(&o->store), &b->plan, err)) return -1;
    count_buckets(b);
    if (o->compact && reserve_facts(b, err)) return -1;
    b->sweeps = can_sweep(b);
    if (b->sweeps) {
        b->plan.gather_bytes -= b->sweep.open_bytes;
        b->plan.merge_bytes -= b->sweep.open_bytes / b->plan.threads;
        if (!(b->lanes = calloc(b->buckets, sizeof *b->lanes))) return err_nomem(err, b->buckets * sizeof *b->lanes, "outputs");
    }
    struct sorter_opts so = {.job = o->job,
                             .plan = b->plan,
                             .buckets = b->buckets,
                             .known = load_families_known(&o->read) * b->partitions,
                             .shapes = &b->shapes,
                             .tie = o->tie};
    b->sorter = sorter_new(&so, err);
    if (!b->sorter) return -1;
    b->out->threads = b->plan.threads = sorter_threads(b->sorter);
    if (b->sweeps && sorter_flush_begin(b->sorter, 2 * b->sweep.window_bytes, err)) return -1;
    return o->compact ? set_up_facts(b, err) : 0;
}

static int make_families(const struct build *b, struct err *err) {
    const struct table *t = b->o->read.table;
    for (uint32_t i = 0; i < t->n_families; i++)
        if (store_make_family(b->o->store.dir, t->families[i].name, err)) return -1;
    return 0;
}

static int read_all(struct build *b, struct err *err) {
    struct load_opts l = {.job = b->o->job,
                          .threads = b->plan.threads,
                          .inputs = b->o->inputs,
                          .n_inputs = b->o->n_inputs,
                          .read = b->o->read,
                          .placement = b->o->placement,
                          .consumer = {put_part, is_full, b},
                          .by_rows = b->sweeps,
                          .max_value_bytes = b->o->job->max_cell_bytes,
                          .rejects = b->o->rejects,
                          .families_most = b->families};
    l.read.shapes = &b->shapes;
    sorter_load_limits(&b->plan, &l.read);
    if (b->sweeps) l.read.chunk_bytes = b->sweep.chunk_bytes;
    l.read.stop = b->o->job->stop;
    b->loader = loader_new(&l, err);
    if (!b->loader) return -1;
    if (b->sweeps ? make_families(b, err) || read_swept(b, err) : sorter_load(b->sorter, b->loader, err)) return -1;
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

static int store_all(struct build *b, struct err *err) {
    if (sorter_finish(b->sorter, err)) return -1;
    for (uint32_t i = 0; i < b->buckets; i++) b->total += sorter_bytes(b->sorter, i);
    if (make_families(b, err) || sorter_each(b->sorter, store_bucket, b, err)) return -1;
    return b->lanes ? finish_swept(b, err) : 0;
}

static void tear_down(struct build *b) {
    if (b->sorter) b->out->sort = sorter_stats(b->sorter);
    loader_free(b->loader);
    for (uint32_t i = 0; b->lanes && i < b->buckets; i++) lane_free(b->lanes[i]);
    free(b->lanes);
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
