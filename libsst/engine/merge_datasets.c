/* Compacts datasets that share one partitioning without sorting: every file is sorted already.
 *
 *     per family and partition: files of input 0 --+
 *                               files of input 1 --+--merge--> version rules --> HFiles of the new dataset
 *                               base, where linked ----------------------------> hard links
 *
 * One task per partition and family. Inputs that do not fit memory or descriptors at once are merged in levels. */
#include "base/open_files.h"
#include "engine/base_reuse.h"
#include "dataset/manifest_order.h"
#include "engine/merge_datasets.h"

#include "engine/memory_plan.h"
#include "engine/merge_slices.h"
#include "engine/partition_merge.h"
#include "engine/input_facts.h"
#include "engine/input_order.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_scan.h"
#include "sort/kept_run.h"

#include <stdlib.h>

enum { SPARE_DESCRIPTORS = 12, OWN_DESCRIPTORS = 3 /* of a worker: output, runs of levels */, LONG_BLOCK_LEAST = 8 << 20 };

/* Returns the memory of those inputs that a worker reads at a time, where it merges in levels. */
static uint64_t levels_memory(const struct memory_plan *p) {
    return p->merge_bytes / 4 * 3;
}

/* ---- what the files of a merge take of the memory ---- */

/* A partition of a family: one file of each input is open at a time. */
struct slot_scans {
    uint64_t bytes; /* of all inputs so far */
    uint64_t last;  /* of the input that was added last */
    uint32_t input; /* that input, from 1 on */
};

static void add_file(struct slot_scans *s, uint32_t input, uint64_t bytes) {
    if (s->input != input) s->last = 0;
    if (bytes > s->last) {
        s->bytes += bytes - s->last;
        s->last = bytes;
    }
    s->input = input;
}

static bool is_of_share(const struct merge_datasets_opts *o, uint32_t partition) {
    return partition < o->table->partitioning.count && (!o->shares || partition % o->shares == o->share);
}

/* Adds the files of a dataset of another partitioning to all partitions: its rows are moved before they are merged, so its files
 * may meet those of any partition. */
static void add_to_all(const struct merge_datasets_opts *o, uint32_t i, struct slot_scans *slots) {
    const struct merge_input *in = &o->inputs[i];
    uint64_t most = 0;
    for (size_t k = 0; k < in->manifest->n_files; k++) {
        uint64_t bytes = merge_file_memory(&in->files[k], job_block_limit(o->job, 1));
        if (bytes > most) most = bytes;
    }
    for (size_t k = 0; k < (size_t)o->table->n_families * o->table->partitioning.count; k++) add_file(&slots[k], i + 1, most);
}

/* Adds the files of an input to its partitions. Where only the base has files, they are linked as a rule, and it is alone where
 * they are not. */
static void add_input(const struct merge_datasets_opts *o, uint32_t i, struct slot_scans *slots) {
    const struct merge_input *in = &o->inputs[i];
    const size_t block_limit = job_block_limit(o->job, 1);
    if (!partitioning_eq(&in->manifest->table.partitioning, &o->table->partitioning)) {
        add_to_all(o, i, slots);
        return;
    }
    for (size_t k = 0; k < in->manifest->n_files; k++) {
        const struct manifest_file *f = &in->manifest->files[k];
        int family = table_family(o->table, bytes_str(in->manifest->table.families[f->family].name));
        if (family < 0 || !is_of_share(o, f->partition)) continue;
        struct slot_scans *s = &slots[(size_t)family * o->table->partitioning.count + f->partition];
        if (!o->base || i || s->bytes) add_file(s, i + 1, merge_file_memory(&in->files[k], block_limit));
    }
}

/* Returns the memory for scans of the partition that needs most. */
static uint64_t scans_memory(const struct merge_datasets_opts *o) {
    size_t n = (size_t)o->table->n_families * o->table->partitioning.count;
    struct slot_scans *slots = calloc(n + 1, sizeof *slots);
    uint64_t most = 0;
    if (!slots) return UINT64_MAX;
    for (uint32_t i = o->n_inputs; i-- > 0;) add_input(o, i, slots);
    for (size_t k = 0; k < n; k++)
        if (slots[k].bytes > most) most = slots[k].bytes;
    free(slots);
    return most;
}

/* Returns how many inputs each worker may have open at a time: all, or so many as descriptors and memory allow. */
static uint64_t width_at(struct merge_datasets_opts *o) {
    const struct memory_request request = {.job = o->job, .writer = largest_writer(&o->output)};
    struct memory_plan plan;
    struct err ignored = {0};
    if (memory_plan_make(&request, &plan, &ignored)) return 0;
    const uint64_t limit = open_files_limit(), own = OWN_DESCRIPTORS * plan.threads + SPARE_DESCRIPTORS;
    if (!o->scan_bytes) o->scan_bytes = scans_memory(o);
    const uint64_t files = limit > own ? (limit - own) / plan.threads : 0;
    const uint64_t each = o->scan_bytes / o->n_inputs + 1, fit = levels_memory(&plan) / each;
    if (o->scan_bytes <= plan.merge_bytes && o->n_inputs <= files) return o->n_inputs;
    return files < fit ? files : fit;
}

bool merge_datasets_room(struct merge_datasets_opts *o, struct job *job) {
    const unsigned asked = job->threads;
    const uint64_t n = o->n_inputs;
    for (unsigned levels = 1; levels <= 2; levels++)
        for (job->threads = asked; job->threads; job->threads--) {
            uint64_t width = width_at(o);
            o->width = width < n ? (size_t)width : 0;
            if (width >= n || (levels == 2 && width > 1 && (job->threads == 1 || width >= (n + width - 1) / width))) return true;
        }
    job->threads = asked;
    return false;
}

/* Gives the version rules what scans leave of a worker's share; by those of OceanBase, HBase's are at work as well. Without rules
 * it goes to blocks of cells with one key. */
static void share_with_rules(struct dataset_merge *all) {
    struct memory_plan *p = &all->plan;
    all->scan_bytes = all->o->width ? levels_memory(p) : all->o->scan_bytes ? all->o->scan_bytes : scans_memory(all->o);
    uint64_t left = all->scan_bytes < p->merge_bytes ? p->merge_bytes - all->scan_bytes : 0;
    p->row_bytes = left / (all->o->kind == COMPACTION_OCEANBASE ? 2 : 1);
    if (all->o->keeps_all) all->output.long_block_bytes = left > LONG_BLOCK_LEAST ? left : LONG_BLOCK_LEAST;
}

static int old_seq_at(const struct partition_merge *s, uint32_t i, size_t k, uint64_t *seq, struct err *err) {
    if (s->base && !i) {
        *seq = s->base[k].old_seq;
        return 0;
    }
    struct hfile *h = hfile_open(s->files[i][k]->path, s->all->plan.block_limit, err);
    int rc = h ? old_seq_of(s->all->o->job, h, seq, err) : -1;
    hfile_close(h);
    return rc;
}

/* Files that are linked are counted, too, so that what is rewritten is what a compaction of everything makes of it. */
static int decide_old_seq(struct partition_merge *s, struct err *err) {
    const struct merge_datasets_opts *o = s->all->o;
    if (o->keeps_all || !o->job->keep_seq_ms || o->kind != COMPACTION_MAJOR || s->left) return 0;
    for (uint32_t i = 0; i < o->n_inputs; i++)
        for (size_t k = 0; !s->rules.expired[i] && k < s->n_files[i]; k++) {
            uint64_t seq;
            if (old_seq_at(s, i, k, &seq, err)) return -1;
            if (seq > s->rules.old_seq) s->rules.old_seq = seq;
        }
    return 0;
}

/* Checks that as much was read as the inputs' manifests say: no row fell between two stretches, no file is another than when it
 * was listed. */
static int check_read(const struct partition_merge *s, struct err *err) {
    for (uint32_t i = 0; i < s->all->o->n_inputs; i++)
        for (size_t k = 0; k < s->n_files[i]; k++) {
            const struct input *in = s->files[i][k];
            const struct tally *said = &partition_merge_entry(s, i, k)->tally;
            if (i > 0 && s->left) continue; /* was not to be read */
            if (in->tally.cells != said->cells || !digest_eq(in->tally.digest, said->digest))
                return err_set(err, ERR_INPUT, "%s: %llu cells were read, the manifest says %llu%s (run obkv-verify check)",
                               in->path, (unsigned long long)in->tally.cells, (unsigned long long)said->cells,
                               in->tally.cells == said->cells ? " with another digest" : "");
        }
    return 0;
}

/* Checks, where every cell is kept, that as much was written as the manifests say, so that what was read needs no sum of its own.
 * The manifests count the cells of runs; their digest shows in the sum over all partitions. */
static int check_kept(const struct partition_merge *s, struct err *err) {
    const struct tally *made = &s->rules.ledger.dropped[VERDICT_KEEP];
    struct tally said = {0};
    for (uint32_t i = 0; i < s->all->o->n_inputs; i++)
        for (size_t k = 0; k < s->n_files[i]; k++) {
            struct input *in = s->files[i][k];
            in->tally = partition_merge_entry(s, i, k)->tally;
            in->records = in->tally.cells;
            tally_add(&said, in->tally);
        }
    if (made->cells == said.cells && (s->all->has_runs || digest_eq(made->digest, said.digest))) return 0;
    return err_set(err, ERR_INPUT, "family %s, partition %s: %llu cells were read, the manifests say %llu%s (%s)",
                   s->slot.family_name, s->slot.partition_name, (unsigned long long)made->cells, (unsigned long long)said.cells,
                   made->cells == said.cells ? " with another digest" : "",
                   s->all->has_runs ? "remove all shards to have them made again" : "run obkv-verify check");
}

static int decide_partition(struct partition_merge *s, struct err *err) {
    for (uint32_t i = 0; i < s->all->o->n_inputs; i++)
        if (partition_merge_pick(s, i, err)) return -1;
    if (partition_merge_decide(s, err)) return -1;
    return s->all->o->base ? base_reuse_judge(s, err) : 0;
}

static int run_partition(struct partition_merge *s, struct err *err) {
    const struct row_stretch all = {0};
    if (decide_partition(s, err)) return -1;
    if (!s->all->out) return 0;
    if (decide_old_seq(s, err)) return -1;
    if (s->base ? base_reuse_write(s, err) : partition_merge_write(s, &all, err)) return -1;
    return s->all->o->keeps_all ? check_kept(s, err) : check_read(s, err);
}

static void add_to_total(struct partition_merge *s) {
    struct dataset_merge *all = s->all;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < all->o->n_inputs; i++)
        for (size_t k = 0; k < s->n_files[i]; k++) {
            const struct input *in = s->files[i][k];
            tally_add(&s->rules.ledger.in, in->tally);
            bytes += in->file_bytes;
        }
    if (all->o->keeps_all) s->rules.ledger.in = *ledger_written(&s->rules.ledger);
    s->rules.ledger.records_read = s->rules.ledger.records_accepted = s->rules.ledger.in.cells;
    rules_total_add(&all->total, &s->rules, bytes);
}

static int set_up_partition(struct partition_merge *s, struct err *err) {
    uint32_t n = s->all->o->n_inputs;
    s->files = calloc(n, sizeof *s->files);
    s->n_files = calloc(n, sizeof *s->n_files);
    if (!s->files || !s->n_files) return err_nomem(err, n * sizeof *s->files, "a merge");
    return bucket_rules_init(&s->rules, n, s->all->o->kind == COMPACTION_OCEANBASE, err);
}

static void tear_down_partition(struct partition_merge *s) {
    for (size_t k = 0; s->base && k < s->n_files[0]; k++) block_spans_free(&s->base[k].copied);
    for (uint32_t i = 0; s->files && i < s->all->o->n_inputs; i++) free(s->files[i]);
    free(s->files);
    free(s->n_files);
    bucket_rules_free(&s->rules);
    free(s->base);
}

static void merge_partition(struct dataset_merge *all, uint32_t family, uint32_t partition) {
    struct err mine = {0};
    if (first_error_failed(&all->first)) return;
    struct partition_merge s = {.all = all, .family = &all->o->table->families[family]};
    s.slot = (struct output_slot){.family_name = s.family->name,
                                  .family = family,
                                  .partition = partition,
                                  .partition_name = all->o->table->partitioning.names[partition]};
    int rc = set_up_partition(&s, &mine);
    if (!rc) rc = stop_check(all->o->job->stop, &mine) ? -1 : run_partition(&s, &mine);
    if (!rc && all->out) add_to_total(&s);
    if (!rc && s.base) base_reuse_report(&s, &mine);
    tear_down_partition(&s);
    first_error_keep(&all->first, &mine);
}

int base_outcome_order(const void *pa, const void *pb) {
    const struct base_outcome *a = pa, *b = pb;
    if (a->family != b->family) return a->family < b->family ? -1 : 1;
    return (a->partition > b->partition) - (a->partition < b->partition);
}

static int run_partitions(struct dataset_merge *all, struct err *err) {
    const struct merge_datasets_opts *o = all->o;
    if (!(all->in_order = calloc(o->n_inputs, sizeof *all->in_order))) return err_nomem(err, o->n_inputs, "a merge");
    for (uint32_t i = 0; i < o->n_inputs; i++) all->in_order[i] = manifest_order_is(o->inputs[i].manifest);
    first_error_init(&all->first);
    pthread_mutex_init(&all->base_lock, NULL);
    rules_total_init(&all->total, o->job, "compact");
    all->total.of_bytes = all->bytes;
    all->total.of_cells = all->cells;
    rules_total_begin(&all->total);
#pragma omp parallel num_threads(all->plan.threads)
#pragma omp single
    for (uint32_t p = o->share; p < o->table->partitioning.count; p += o->shares ? o->shares : 1)
        for (uint32_t family = 0; family < o->table->n_families; family++) { /* in turn: the pace stays what it is */
#pragma omp task firstprivate(family, p)
            merge_partition(all, family, p);
        }
    if (o->base && o->base->report->n)
        qsort(o->base->report->partitions, o->base->report->n, sizeof(struct base_outcome), base_outcome_order);
    rules_total_free(&all->total);
    pthread_mutex_destroy(&all->base_lock);
    free(all->in_order);
    return first_error_end(&all->first, err);
}

int merge_datasets_plan(const struct merge_datasets_opts *o, struct err *err) {
    const struct memory_request request = {.job = o->job, .writer = largest_writer(&o->output)};
    struct dataset_merge all = {.o = o};
    return memory_plan_make(&request, &all.plan, err) ? -1 : run_partitions(&all, err);
}

/* Returns whether equal cells win by ids, now or when what is written is compacted: not where the place of an input decides at
 * once. A base that is linked is the oldest of all. */
static bool orders_by_seq(const struct merge_datasets_opts *o) {
    return !o->as_one && o->n_inputs > 1 && o->kind != COMPACTION_CHANGES &&
           (o->tie == TIE_BY_SEQUENCE || o->keeps_all || table_has_new_version_behavior(o->table));
}

/* Inputs without sequence ids get the next one after those of the inputs before them. */
static int order_inputs(struct dataset_merge *all, struct err *err) {
    const struct merge_datasets_opts *o = all->o;
    const bool strict = table_has_new_version_behavior(o->table);
    uint64_t most = 0;
    if (!orders_by_seq(o) || all->has_runs) return 0;
    if (!(all->seqs = calloc(o->n_inputs, sizeof *all->seqs))) return err_nomem(err, o->n_inputs, "the order of inputs");
    for (uint32_t i = 0; i < o->n_inputs; i++) {
        struct file_seqs sum = {0};
        for (size_t k = 0; k < o->inputs[i].manifest->n_files; k++)
            if (file_seqs_read(o->job, o->inputs[i].files[k].path, &sum, err) < 0) return -1;
        if (!sum.any) all->seqs[i] = input_order_next(most, i, strict);
        if (sum.most > most) most = sum.most;
    }
    return 0;
}

int merge_datasets_run(const struct merge_datasets_opts *o, struct build_result *out, struct err *err) {
    const struct memory_request request = {.job = o->job, .writer = largest_writer(&o->output)};
    struct dataset_merge all = {.o = o, .out = out, .output = o->output};
    *out = (struct build_result){0};
    written_files_init(&out->files);
    if (memory_plan_make(&request, &all.plan, err) || make_family_directories(o->output.dir, o->table, err)) return -1;
    all.output.batch_blocks = all.plan.batch_blocks;
    all.output.passed = (struct cells_passed){rules_total_pass, &all.total};
    share_with_rules(&all);
    out->threads = all.plan.threads;
    for (uint32_t i = 0; i < o->n_inputs; i++)
        for (size_t k = 0; k < o->inputs[i].manifest->n_files; k++) {
            all.bytes += o->inputs[i].files[k].file_bytes;
            all.cells += o->inputs[i].manifest->files[k].tally.cells;
            all.kv_bytes += o->inputs[i].manifest->files[k].kv_bytes;
            all.has_runs |= kept_run_is(o->inputs[i].files[k].path);
        }
    int rc = order_inputs(&all, err);
    if (!rc) rc = run_partitions(&all, err);
    free(all.seqs);
    out->ledger = all.total.ledger;
    out->diff = all.total.diff;
    out->zeroed = all.total.zeroed;
    out->repeats = all.total.repeats;
    return rc ? -1 : ledger_check(&out->ledger, err);
}

void base_outcomes_free(struct base_outcomes *l) {
    for (size_t i = 0; i < l->n; i++) free(l->partitions[i].files);
    free(l->partitions);
    *l = (struct base_outcomes){0};
}
