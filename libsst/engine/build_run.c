/* Imports and repartitions: inputs of any kind become the HFiles of a dataset.
 *
 *     read --> gather per (family, partition) --> sort --(memory full: spill as runs)--> merge --> version rules --> write
 *                        |
 *                        +-- stores of HBase by rows: what is complete goes to the writers at once, which stay open (windows)
 *
 * Reading and sorting are sorted_inputs.c; what happens to a sorted bucket is build_buckets.c. Here is the run as a whole, and
 * what must hold at the end: rejects within their limit, ledgers that balance. */
#include "engine/build.h"

#include "base/err.h"
#include "engine/build_buckets.h"
#include "engine/build_run.h"
#include "engine/build_state.h"
#include "engine/input_facts.h"
#include "engine/input_order.h"
#include "engine/input_outlook.h"
#include "engine/packing_sample.h"
#include "engine/sorter_gather.h"
#include "hfile/pack_files.h"
#include "sort/kept_run.h"
#include "table/placement.h"

#include <stdlib.h>

/* ---- gathering ---- */

int build_put_part(void *build, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part,
                   struct err *err) {
    struct build *b = build;
    if (family >= b->families) return err_set(err, ERR_INTERNAL, "family %u appeared after the partitions were set up", family);
    uint32_t bucket = family * b->partitions + partition;
    if (b->facts) input_facts_note(b->facts, bucket, part);
    if (b->packing && !thread) packing_sample_put(b->packing, family, part);
    return sorter_put(b->sorted.sorter, thread, bucket, part, err);
}

/* ---- stores of HBase, by rows ---- */

/* Rows that are complete go to their files. Where that would leave much, because rows are huge or an index is none, the rest is
 * sorted as other inputs are. */
static int end_window(struct build *b, struct err *err) {
    const struct sorter_sink sink = build_sink(b);
    struct sorter_flushed done;
    struct bytes floor;
    int more = input_reader_floor(b->sorted.reader, &floor, err);
    b->out->windows++;
    b->in_window = true;
    int rc = more < 0 ? -1 : sorter_flush(b->sorted.sorter, more ? &floor : NULL, &sink, &done, err);
    b->in_window = false;
    if (rc) return -1;
    if (done.left <= done.bytes / 2 && done.longest * b->buckets <= b->window.open_bytes) return 0;
    sorter_flush_end(b->sorted.sorter);
    b->by_rows = false;
    return 0;
}

static void report_phase(const struct build *b, const char *what, uint64_t done, uint64_t total) {
    const struct progress *p = &b->o->job->progress;
    if (p->report) p->report(p->arg, what, done, total);
}

static void begin_chunk(void *arg, unsigned thread, uint64_t chunk) {
    enum { ONE = 1000000 };
    const struct build *b = arg;
    double packing;
    (void)chunk;
    if (b->packing && !thread && packing_sample_chunk(b->packing, &packing))
        report_phase(b, PROGRESS_PACK, (uint64_t)(packing * ONE), ONE);
}

static int drain_memory(void *arg, bool more, struct err *err) {
    struct build *b = arg;
    if (b->packing) packing_sample_drop(b->packing);
    if (b->by_rows) return end_window(b, err);
    if (!more) return 0;
    report_phase(b, PROGRESS_SPILL, 0, 0);
    return sorter_spill(b->sorted.sorter, err);
}

/* ---- setting up ---- */

/* The table of file facts grows with inputs times partitions: it is part of --memory. */
static int reserve_facts(struct build *b, struct err *err) {
    const struct build_opts *o = b->o;
    size_t bytes = input_facts_bytes(o->read.table, b->buckets, o->n_groups) + old_seqs_bytes(o->job, o->n_inputs);
    if (!memory_plan_reserve(&b->plan, bytes))
        return err_set(err, ERR_LIMIT,
                       "with a TTL or kept deletes, %u inputs in %u partitions need %zu MB; give more --memory, or fewer "
                       "inputs at a time",
                       o->n_groups, b->partitions, (bytes >> 20) + 1);
    memory_plan_rules(&b->plan, o->kind == COMPACTION_OCEANBASE ? 2 : 1);
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

/* Returns whether equal cells win by their ids, now or when what is written is compacted: not where the place of an input decides
 * at once. */
static bool orders_by_seq(const struct build_opts *o) {
    return o->n_groups > 1 && (o->tie == TIE_BY_SEQUENCE || !o->compact || table_has_new_version_behavior(o->read.table));
}

static struct input_order_opts order_opts(const struct build_opts *o) {
    return (struct input_order_opts){.job = o->job,
                                     .inputs = o->inputs,
                                     .n_inputs = o->n_inputs,
                                     .n_groups = o->n_groups,
                                     .n_others = o->n_others,
                                     .is_shard = o->is_shard,
                                     .stores = o->stores,
                                     .n_stores = o->n_stores,
                                     .stated = o->seqs_stated,
                                     .strict = table_has_new_version_behavior(o->read.table)};
}

static int set_up_order(struct build *b, struct err *err) {
    const struct input_order_opts order = order_opts(b->o);
    if (!orders_by_seq(b->o)) return 0;
    b->order = input_order_new(&order, err);
    return b->order ? 0 : -1;
}

static int reserve_order(struct build *b, struct err *err) {
    const struct input_order_opts order = order_opts(b->o);
    size_t bytes = orders_by_seq(b->o) ? input_order_bytes(&order) : 0;
    if (memory_plan_reserve(&b->plan, bytes)) return 0;
    return err_set(err, ERR_LIMIT, "the order of %u inputs needs %zu MB; give more --memory, or fewer inputs at a time",
                   b->o->n_groups, (bytes >> 20) + 1);
}

/* Facts are noted of all families that there may be. */
static void count_buckets(struct build *b) {
    const struct build_opts *o = b->o;
    size_t facts = o->compact ? input_facts_bytes(o->read.table, b->partitions, o->n_groups) : 0;
    b->families = families_at_most(&o->read, memory_plan_facts(&b->plan), facts);
    b->buckets = b->families * b->partitions;
}

static bool can_read_by_rows(struct build *b) {
    const struct build_opts *o = b->o;
    const struct window_opts window = {o->stores, o->n_stores, largest_writer(&o->output), b->buckets, &b->plan};
    if (!o->n_stores || o->n_stores != o->n_inputs || o->read.on_damage != DAMAGE_FAILS) return false;
    for (uint32_t i = 0; i < o->n_inputs; i++)
        if (!o->inputs[i].files || o->inputs[i].files->packed) return false;
    if (o->compact && o->kind == COMPACTION_OCEANBASE) return false; /* what it compares takes memory in each partition */
    return window_plan_make(&window, &b->window);
}

static int plan_build_memory(struct build *b, struct err *err) {
    const struct build_opts *o = b->o;
    const struct memory_request request = {.job = o->job, .writer = largest_writer(&o->output)};
    if (memory_plan_make(&request, &b->plan, err)) return -1;
    count_buckets(b);
    if (reserve_order(b, err) || (o->compact && reserve_facts(b, err))) return -1;
    b->by_rows = can_read_by_rows(b) && memory_plan_reserve(&b->plan, b->window.open_bytes);
    if (!b->by_rows && input_side_by_side_plan(o->inputs, o->n_inputs, &b->plan, &b->side_by_side, err)) return -1;
    b->output = o->output;
    b->output.passed = (struct cells_passed){rules_total_pass, &b->total};
    b->output.batch_blocks = b->plan.batch_blocks;
    return 0;
}

static int set_up(struct build *b, struct err *err) {
    const struct build_opts *o = b->o;
    b->partitions = placement_count(o->placement);
    if (plan_build_memory(b, err)) return -1;
    if (b->by_rows && !(b->open = calloc(b->buckets, sizeof(struct bucket_writer *))))
        return err_nomem(err, b->buckets * sizeof *b->open, "outputs");
    b->output.all_open = b->by_rows;
    if (open_pack_files(&b->output, err)) return -1;
    const struct sorted_inputs_opts sorting = {
        .job = o->job, .plan = b->plan, .buckets = b->buckets, .known = families_known(&o->read) * b->partitions, .tie = o->tie};
    if (sorted_inputs_open(&b->sorted, &sorting, err)) return -1;
    b->out->threads = b->sorted.plan.threads;
    if (b->by_rows && sorter_flush_begin(b->sorted.sorter, 2 * b->window.window_bytes, err)) return -1;
    return set_up_order(b, err) || (o->compact && set_up_facts(b, err)) ? -1 : 0;
}

/* ---- a run ---- */

static int read_all(struct build *b, struct err *err) {
    const struct memory_drain drain = {drain_memory, b};
    struct inputs_read in = {0};
    struct input_reader_opts r = {.inputs = b->o->inputs,
                                  .n_inputs = b->o->n_inputs,
                                  .read = b->o->read,
                                  .placement = b->o->placement,
                                  .consumer = {build_put_part, NULL, b, NULL},
                                  .begin = begin_chunk,
                                  .side_by_side = b->side_by_side,
                                  .by_rows = b->by_rows,
                                  .max_value_bytes = b->o->job->max_cell_bytes,
                                  .order = b->order,
                                  .rejects = b->o->rejects,
                                  .families_most = b->families};
    if (b->o->rejects) reject_log_keep_in(b->o->rejects, b->o->job->temp_dir, b->o->job->quota);
    if (b->o->job->progress.report && !b->by_rows) b->packing = packing_sample_new(&b->o->output, b->o->job->memory_bytes);
    if (b->side_by_side) report_phase(b, PROGRESS_UNPACK, 0, 0);
    if (b->by_rows) r.read.memory.chunk = b->window.chunk_bytes;
    if (b->by_rows && make_family_directories(b->output.dir, b->o->read.table, err)) return -1;
    int rc = sorted_inputs_read(&b->sorted, &r, &drain, &in, err);
    packing_sample_free(b->packing);
    b->packing = NULL;
    if (rc) return -1;
    if (inputs_hold(b->o->inputs, b->o->n_inputs) == HOLDS_EDITS) b->kind = b->o->kind_of_edits;
    ledger_add(&b->out->ledger, &in.ledger);
    b->out->rows_client_misplaces = in.rows_client_misplaces;
    return 0;
}

static int check_rejects(const struct build *b, struct err *err) {
    const struct ledger *l = &b->out->ledger;
    if (!b->o->rejects) return 0;
    if (reject_log_finish(b->o->rejects, err)) return -1;
    return reject_limit_check(b->o->reject_limit, b->o->rejects, l->records_rejected, l->records_read, err);
}

static int write_all(struct build *b, struct err *err) {
    const struct ledger *l = &b->out->ledger;
    const struct sorter_sink sink = build_sink(b);
    if (sorter_finish(b->sorted.sorter, err)) return -1;
    for (uint32_t i = 0; i < b->buckets; i++) b->total.of_bytes += sorter_bytes(b->sorted.sorter, i);
    if (!b->open) b->total.of_cells = l->in.cells - l->rejected.cells - l->not_selected.cells;
    rules_total_begin(&b->total);
    if (b->open) b->output.as_runs = false; /* windows would make too many of them */
    if (make_family_directories(b->output.dir, b->o->read.table, err) ||
        open_run_files(&b->output, b->sorted.plan.threads, b->o->read.table->n_families, err) ||
        sorted_inputs_each(&b->sorted, &sink, err))
        return -1;
    if (b->output.runs) return kept_run_files_finish(b->output.runs, err);
    if (b->open && build_finish_open(b, err)) return -1;
    return b->output.packs ? pack_files_finish(b->output.packs, &b->out->files.packs, &b->out->files.n_packs, err) : 0;
}

static void tear_down(struct build *b) {
    if (b->sorted.sorter) b->out->sort = sorter_stats(b->sorted.sorter);
    build_close_open(b);
    packing_sample_free(b->packing);
    kept_run_files_free(b->output.runs);
    pack_files_free(b->output.packs);
    sorted_inputs_close(&b->sorted);
    input_facts_free(b->facts);
    store_decisions_free(b->stores);
    old_seqs_free(b->old_seqs);
    input_order_free(b->order);
    free(b->is_store);
}

/* Adds the totals of the rules of all buckets. Cells in runs are not added up again: their number must do, until they are
 * merged. */
static void add_rules(struct build *b) {
    struct ledger *l = &b->out->ledger;
    struct digest *written = &b->total.ledger.dropped[VERDICT_KEEP].digest;
    if (b->output.runs) {
        *written = l->in.digest;
        digest_sub(written, l->rejected.digest);
        digest_sub(written, l->not_selected.digest);
    }
    ledger_add(l, &b->total.ledger);
    b->out->diff = b->total.diff;
    b->out->zeroed = b->total.zeroed;
    b->out->repeats = b->total.repeats;
}

struct build *build_open(const struct build_opts *o, struct build_result *out, struct err *err) {
    struct build *b = calloc(1, sizeof *b);
    *out = (struct build_result){0};
    written_files_init(&out->files);
    if (!b) {
        err_nomem(err, sizeof *b, "a run");
        return NULL;
    }
    *b = (struct build){.o = o, .out = out, .kind = o->kind};
    rules_total_init(&b->total, o->job, "write");
    if (!set_up(b, err)) return b;
    build_close(b);
    return NULL;
}

int build_finish(struct build *b, struct err *err) {
    int rc = write_all(b, err);
    add_rules(b);
    return rc ? -1 : ledger_check(&b->out->ledger, err);
}

void build_close(struct build *b) {
    if (!b) return;
    tear_down(b);
    rules_total_free(&b->total);
    free(b);
}

int build_run(const struct build_opts *o, struct build_result *out, struct err *err) {
    struct build *b = build_open(o, out, err);
    int rc = !b || read_all(b, err) || check_rejects(b, err) || build_finish(b, err) ? -1 : 0;
    build_close(b);
    return rc;
}

void build_result_free(struct build_result *r) {
    written_files_free(&r->files);
}
