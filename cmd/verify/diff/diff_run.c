/* Two sides compared in two passes: sums of digests by row hash first, then only the rows of buckets that differ, sorted and
 * walked side by side (diff_walk.c).
 *
 *   pass 1   A, B --hash of row--> buckets of sums      equal and nothing to inspect: done
 *   pass 2   A, B --rows of the other buckets--> sorter --> walk --> findings */
#include "cmd/common/report_figures.h"
#include "cmd/verify/diff/diff.h"

#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "cmd/verify/diff/diff_buckets.h"
#include "cmd/verify/diff/diff_compaction.h"
#include "cmd/verify/diff/diff_disorder.h"
#include "cmd/verify/diff/diff_progress.h"
#include "cmd/verify/diff/diff_sums.h"
#include "cmd/verify/diff/diff_walk.h"
#include "cmd/verify/diff/late_sums.h"
#include "cmd/verify/diff/visible.h"
#include "engine/memory_plan.h"
#include "engine/sorted_inputs.h"
#include "engine/sorter_gather.h"
#include "engine/sorter_runs.h"
#include "hfile/hfile_reader.h"
#include "table/placement.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { RULES_AT_A_TIME = 3 /* a side is compacted, markers of both are applied */ };

struct diff {
    const struct diff_opts *o;
    struct diff_result *out;
    struct memory_plan plan;
    unsigned workers;          /* threads with scratch: sorting may use fewer */
    struct partitioning whole; /* one partition: placement has nothing to say */
    struct placement *placement;
    struct diff_buckets buckets;
    struct job job; /* the run's, with progress of its own */
    struct diff_progress progress;
    struct diff_worker *worker;      /* [thread] */
    uint64_t again[DIFF_SIDES];      /* cells that pass 2 found again */
    struct tally walked[DIFF_SIDES]; /* what the walk saw */
    struct diff_compacted *compacted;
    struct disorder_list *disorder;
    struct sorted_inputs sorted;
    uint32_t families, partitions;
    unsigned side;
    bool again_now;       /* pass 2 */
    pthread_mutex_t lock; /* over out->dropped */
};

static const struct diff_side *side_now(const struct diff *d) {
    return &d->o->sides[d->side];
}

static bool is_compacted(const struct diff *d) {
    return d->side == DIFF_A && d->compacted;
}

/* Returns in *seen what of a cell is compared; false: nothing. Markers and timestamps may be left out. */
static bool view(const struct diff_opts *o, const struct cell *c, struct cell *seen) {
    if (o->ignore_deleted && cell_is_delete(c->type)) return false;
    *seen = *c;
    if (o->ignore_timestamps) seen->ts_ms = 0;
    return true;
}

/* ---- pass 1 ---- */

/* Returns whether the row is not in its partition, or belongs to another file of it. */
static bool misplaced(const struct diff *d, const struct row_part *part) {
    const struct diff_file *files = side_now(d)->files, *f = files ? &files[rank_input(part->cells[0].rank)] : NULL;
    uint32_t partition;
    if (!f || !f->placement) return false;
    enum place_result r = placement_check(f->placement, part, f->partition, &partition);
    if (r != PLACE_OK || partition != f->partition) return true;
    return f->first_row.p && (bytes_cmp(part->row, f->first_row) < 0 || bytes_cmp(part->row, f->last_row) > 0);
}

/* Cells that are compared otherwise than they are. *left_out: some are not compared. */
static int sum_viewed(const struct diff *d, unsigned thread, const struct row_part *part, struct tally *sum, bool *left_out,
                      struct err *err) {
    for (uint32_t i = 0; i < part->n_cells; i++) {
        struct cell seen;
        struct digest one;
        if (!view(d->o, &part->cells[i], &seen)) {
            *left_out = true;
            continue;
        }
        if (digest_cell(&d->worker[thread].scratch, part, &seen, &one, err)) return -1;
        tally_one(sum, one);
    }
    return 0;
}

/* Sums up the order of cells of one key. *look: they must be read again. */
static int note_order(struct diff *d, unsigned thread, uint64_t hash, uint32_t family, const struct row_part *part, bool *look,
                      struct err *err) {
    const struct repeats_of of = {.scratch = &d->worker[thread].scratch,
                                  .row_hash = hash,
                                  .family = family,
                                  .in_order = side_now(d)->in_order && !is_compacted(d) && !d->o->ignore_deleted};
    struct repeats found;
    if (last_key_repeats(&d->worker[thread].last, &of, part, &found, err)) return -1;
    if (found.order) diff_buckets_order(&d->buckets, d->side, hash, found.order);
    *look = *look || found.unsure;
    return 0;
}

/* known: number and digest of the part's cells; NULL: not known. */
static int add_part(struct diff *d, unsigned thread, uint32_t family, const struct row_part *part, const struct tally *known,
                    struct err *err) {
    uint64_t hash = XXH3_64bits(part->row.p, part->row.n);
    struct diff_buckets *b = &d->buckets;
    struct tally sum = {0};
    bool viewed = d->o->ignore_deleted || d->o->ignore_timestamps;
    bool look = misplaced(d, part);
    int rc = viewed  ? sum_viewed(d, thread, part, &sum, &look, err)
             : known ? 0
                     : digest_part(&d->worker[thread].scratch, part, &sum, err);
    if (rc || (!d->o->ignore_timestamps && note_order(d, thread, hash, family, part, &look, err))) return -1;
    late_sums_add(&d->worker[thread].late, &b->sums[d->side][hash & (b->n - 1)], viewed || !known ? &sum : known);
    if (look) diff_buckets_look(b, hash);
    return 0;
}

static int sum_part(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part,
                    struct err *err) {
    (void)partition;
    return add_part(arg, thread, family, part, NULL, err);
}

/* Cells of an HFile were hashed when they left their block. */
static int sum_hashed_part(void *arg, unsigned thread, uint32_t family, const struct row_part *part, const struct tally *sum,
                           struct err *err) {
    return add_part(arg, thread, family, part, sum, err);
}

/* ---- reading a side ---- */

/* Two ranges of blocks may also meet between cells of one key, of which no thread has seen both. */
static int note_disorder(void *arg, const char *path, struct bytes before, struct bytes key, struct err *err) {
    struct diff *d = arg;
    struct kv_key k;
    if (d->again_now) return 0;
    if (!bytes_eq(before, key)) return disorder_list_add(d->disorder, d->side, path, before, key, err);
    if (kv_key_parse(key, &k)) diff_buckets_look(&d->buckets, XXH3_64bits(k.row.p, k.row.n));
    return 0;
}

/* Returns whether pass 2 compares the row; others are dropped as soon as it sees them. */
static bool is_looked_at(const void *arg, struct bytes row) {
    const struct diff *d = arg;
    return diff_buckets_looked(&d->buckets, XXH3_64bits(row.p, row.n));
}

static int read_side(struct diff *d, unsigned side, struct part_consumer consumer, struct err *err) {
    const struct diff_side *in = &d->o->sides[side];
    const struct hfile_disorder_sink disorder = {note_disorder, d};
    const struct hfile_rows rows = {is_looked_at, d};
    struct input_reader_opts r = {.inputs = in->inputs,
                                  .n_inputs = in->n_inputs,
                                  .read = in->read,
                                  .placement = d->placement,
                                  .consumer = consumer,
                                  .families_most = d->families,
                                  .skip_client_check = true};
    r.read.hfile.disorder = &disorder;
    if (d->again_now) r.read.hfile.rows = &rows;
    d->side = side;
    diff_progress_side(&d->progress, side, d->again_now);
    return sorted_inputs_read(&d->sorted, &r, NULL, NULL, err);
}

/* ---- sorting ---- */

static uint32_t bucket_of(const struct diff *d, uint32_t family, uint32_t partition, unsigned side) {
    return (family * d->partitions + partition) * DIFF_SIDES + side;
}

/* Nothing is sorted where sums are all that is wanted. */
static int reading_begin(struct diff *d, bool sorts, struct err *err) {
    const struct sorted_inputs_opts sorting = {.job = &d->job,
                                               .plan = d->plan,
                                               .buckets = sorts ? d->families * d->partitions * DIFF_SIDES : 0,
                                               .known = families_known(&d->o->sides[DIFF_A].read) * d->partitions * DIFF_SIDES,
                                               .tie = d->o->compaction ? d->o->compaction->tie : TIE_BY_SEQUENCE};
    if (sorted_inputs_open(&d->sorted, &sorting, err)) return -1;
    d->plan.threads = d->sorted.plan.threads;
    return 0;
}

/* Rows to sort: all of a side that is compacted, or those of the buckets that are inspected. */
static int sort_part(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part,
                     struct err *err) {
    struct diff *d = arg;
    uint64_t hash = XXH3_64bits(part->row.p, part->row.n), n = part->n_cells;
    partition = diff_compacted_partition(d->compacted, part->row);
    if (!d->again_now) diff_compacted_note(d->compacted, family, partition, part);
    if (d->again_now && !diff_buckets_looked(&d->buckets, hash)) return 0;
    for (uint32_t i = 0; d->o->ignore_deleted && i < part->n_cells; i++) n -= cell_is_delete(part->cells[i].type);
    if (d->again_now) __atomic_fetch_add(&d->again[d->side], n, __ATOMIC_RELAXED);
    return sorter_put(d->sorted.sorter, thread, bucket_of(d, family, partition, d->side), part, err);
}

/* Opens what was sorted of a side, as it is compared. *out NULL: nothing. */
static int open_sorted(struct diff *d, uint32_t family, uint32_t partition, unsigned side, struct ledger *ledger,
                       struct source **out, struct err *err) {
    const struct family *f = &d->o->sides[0].read.table->families[family];
    const struct visible_opts puts = {.family = f->rules, .row_bytes = d->plan.row_bytes, .stop = d->o->job->stop};
    uint32_t bucket = bucket_of(d, family, partition, side);
    *out = NULL;
    if (!sorter_bytes(d->sorted.sorter, bucket)) return 0;
    *out = sorter_open(d->sorted.sorter, bucket, bytes_str(f->name), err);
    if (*out && side == DIFF_A && d->compacted)
        *out = diff_compacted_open(d->compacted, family, partition, d->plan.row_bytes, *out, ledger, err);
    if (*out && d->o->ignore_deleted) *out = undeleted_open(*out, &puts, err);
    return *out ? 0 : -1;
}

/* ---- pass 1 of a compacted side ---- */

static struct bytes family_name(void *arg, uint32_t bucket) {
    const struct diff *d = arg;
    return bytes_str(d->o->sides[0].read.table->families[bucket / DIFF_SIDES / d->partitions].name);
}

static int sum_compacted(void *arg, uint32_t bucket, struct source *src, struct err *err) {
    struct diff *d = arg;
    uint32_t family = bucket / DIFF_SIDES / d->partitions, partition = bucket / DIFF_SIDES % d->partitions;
    struct ledger dropped = {0};
    struct row_part part;
    int more = 1;
    src = diff_compacted_open(d->compacted, family, partition, d->plan.row_bytes, src, &dropped, err);
    while (src && more == 1 && (more = source_next(src, &part, err)) == 1)
        if (sum_part(d, (unsigned)omp_get_thread_num(), family, 0, &part, err)) more = -1;
    if (!src) more = -1;
    source_close(src);
    pthread_mutex_lock(&d->lock);
    ledger_add(&d->out->dropped, &dropped);
    pthread_mutex_unlock(&d->lock);
    return more;
}

static int sum_sorted_side(struct diff *d, struct err *err) {
    const struct sorter_sink sink = {.family = family_name, .take = sum_compacted, .arg = d};
    int rc = reading_begin(d, true, err);
    if (!rc) rc = read_side(d, DIFF_A, (struct part_consumer){sort_part, NULL, d, NULL}, err);
    if (!rc) rc = sorter_finish(d->sorted.sorter, err) || diff_compacted_decide(d->compacted, err) ? -1 : 0;
    if (!rc) rc = sorted_inputs_each(&d->sorted, &sink, err);
    return rc;
}

static int sum_side(struct diff *d, unsigned side, struct err *err) {
    int rc = 0;
    d->side = side;
    for (unsigned t = 0; t < d->plan.threads; t++) d->worker[t].last.any = false;
    if (is_compacted(d)) {
        rc = sum_sorted_side(d, err);
    } else {
        rc = reading_begin(d, false, err);
        if (!rc) rc = read_side(d, side, (struct part_consumer){sum_part, NULL, d, sum_hashed_part}, err);
    }
    sorted_inputs_close(&d->sorted);
    for (unsigned t = 0; t < d->workers; t++) late_sums_end(&d->worker[t].late);
    return rc;
}

/* ---- pass 2 ---- */

static int walk_all(struct diff *d, uint64_t cells, struct err *err) {
    struct diff_walk *w = diff_walk_new(d->o, d->out, cells, err);
    struct ledger dropped = {0}; /* counted in pass 1 */
    int rc = w ? 0 : -1;
    uint32_t families = d->o->sides[0].read.table->n_families;
    for (uint32_t i = 0; !rc && i < families * d->partitions; i++) {
        uint32_t family = i / d->partitions, partition = i % d->partitions;
        struct source *src[DIFF_SIDES] = {NULL, NULL};
        for (unsigned k = 0; !rc && k < DIFF_SIDES; k++) rc = open_sorted(d, family, partition, k, &dropped, &src[k], err);
        struct bytes name = bytes_str(d->o->sides[0].read.table->families[family].name);
        if (!rc && (src[0] || src[1])) rc = diff_walk_run(w, name, src[DIFF_A], src[DIFF_B], d->walked, err);
        for (unsigned k = 0; k < DIFF_SIDES; k++) {
            source_close(src[k]);
            sorter_release(d->sorted.sorter, bucket_of(d, family, partition, k));
        }
    }
    diff_walk_free(w);
    return rc;
}

/* Checks that what was read twice was the same twice. */
static int check_again(const struct diff *d, struct err *err) {
    for (unsigned k = 0; k < DIFF_SIDES; k++) {
        uint64_t again = k == DIFF_A && d->compacted ? d->walked[k].cells : d->again[k];
        uint64_t cells = diff_buckets_cells(&d->buckets, k);
        if (k == DIFF_A && d->compacted && d->o->ignore_deleted) continue;
        if (cells != again)
            return err_set(err, ERR_INPUT,
                           "side %c changed while it was compared: %s cells were read, and then %s of the same rows",
                           k == DIFF_A ? 'A' : 'B', REPORT_COUNT(cells), REPORT_COUNT(again));
    }
    return 0;
}

static int compare_rows(struct diff *d, struct err *err) {
    const struct part_consumer keep = {sort_part, NULL, d, NULL};
    const uint64_t cells = diff_buckets_cells(&d->buckets, DIFF_A) + diff_buckets_cells(&d->buckets, DIFF_B);
    d->again_now = true;
    diff_progress_again(&d->progress, cells, diff_buckets_all(&d->buckets));
    int rc = reading_begin(d, true, err);
    if (!rc) rc = read_side(d, DIFF_A, keep, err);
    if (!rc) rc = read_side(d, DIFF_B, keep, err);
    if (!rc) diff_progress_walk(&d->progress, cells);
    if (!rc) rc = sorter_finish(d->sorted.sorter, err);
    if (!rc) rc = walk_all(d, cells, err);
    sorted_inputs_close(&d->sorted);
    return rc ? -1 : check_again(d, err);
}

/* Counts the cells compared. Where deleted cells are ignored, only the walk knows which of the rows it saw are left. */
static void count_cells(struct diff *d) {
    for (unsigned k = 0; k < DIFF_SIDES; k++) {
        struct tally *t = &d->out->cells[k];
        for (uint64_t b = 0; b < d->buckets.n; b++)
            if (!d->o->ignore_deleted || !diff_buckets_looked(&d->buckets, b)) tally_add(t, d->buckets.sums[k][b]);
        if (d->o->ignore_deleted) tally_add(t, d->walked[k]);
    }
}

/* ---- a run ---- */

/* Returns the memory held beside that for sorting. */
static size_t own_bytes(const struct diff *d) {
    return diff_buckets_bytes(d->out->buckets) + diff_walk_memory() + diff_compacted_memory(d->o, d->families);
}

/* Plans memory, with fewer threads where the shares of all would leave too little for sorting. */
static int plan_diff_memory(struct diff *d, struct err *err) {
    struct job job = *d->o->job;
    const struct memory_request request = {.job = &job};
    size_t own = 0;
    for (; job.threads; job.threads = d->plan.threads - 1) {
        if (memory_plan_make(&request, &d->plan, err)) return -1;
        d->families = families_at_most(&d->o->sides[DIFF_A].read, memory_plan_facts(&d->plan), diff_compacted_memory(d->o, 1));
        own = own_bytes(d);
        if (memory_plan_reserve(&d->plan, own)) return 0;
    }
    return err_set(err, ERR_LIMIT, "comparing needs %zu MB in addition to sorting; give more --memory", (own >> 20) + 1);
}

static int set_up_sums(struct diff *d, struct err *err) {
    if (diff_buckets_number(d->o, &d->out->buckets, err) || plan_diff_memory(d, err)) return -1;
    if (d->o->compaction || d->o->ignore_deleted) memory_plan_rules(&d->plan, RULES_AT_A_TIME);
    if (diff_buckets_init(&d->buckets, d->out->buckets, err)) return -1;
    d->workers = d->plan.threads;
    d->worker = calloc(d->workers, sizeof *d->worker);
    return d->worker ? 0 : err_nomem(err, d->workers * sizeof *d->worker, "comparing");
}

static int set_up(struct diff *d, struct err *err) {
    if (set_up_sums(d, err)) return -1;
    d->compacted = diff_compacted_new(d->o, d->families, err);
    d->partitions = diff_compacted_partitions(d->compacted);
    d->disorder = err->code ? NULL : disorder_list_new(d->o->most_found, err);
    if (!d->disorder || partitioning_parse("none", &d->whole, NULL, err)) return -1;
    for (unsigned k = 0; k < DIFF_SIDES; k++) /* from here on, a rank leads to its file */
        for (uint32_t i = 0; i < d->o->sides[k].n_inputs; i++) d->o->sides[k].inputs[i].group = i;
    diff_progress_begin(&d->progress, d->o, &d->job);
    d->placement = placement_new(&d->whole, err);
    return d->placement ? 0 : -1;
}

static void tear_down(struct diff *d) {
    for (unsigned t = 0; d->worker && t < d->workers; t++) buf_free(&d->worker[t].scratch);
    free(d->worker);
    diff_buckets_release(&d->buckets);
    sorted_inputs_close(&d->sorted);
    disorder_list_free(d->disorder);
    diff_compacted_free(d->compacted);
    placement_free(d->placement);
    partitioning_free(&d->whole);
}

int diff_run(const struct diff_opts *o, struct diff_result *out, struct err *err) {
    struct diff d = {.o = o, .out = out};
    *out = (struct diff_result){0};
    pthread_mutex_init(&d.lock, NULL);
    int rc = set_up(&d, err);
    if (!rc) rc = sum_side(&d, DIFF_A, err);
    if (!rc) rc = sum_side(&d, DIFF_B, err);
    if (!rc) rc = disorder_list_report(d.disorder, o, out, err);
    if (!rc) out->looked = diff_buckets_choose(&d.buckets);
    if (!rc && out->looked) rc = compare_rows(&d, err);
    if (!rc) count_cells(&d);
    tear_down(&d);
    pthread_mutex_destroy(&d.lock);
    return rc;
}
