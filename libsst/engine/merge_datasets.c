/* Compacts datasets that share one partitioning without sorting: every file is sorted already.
 *
 *     per family and partition: files of input 0 --+
 *                               files of input 1 --+--merge--> version rules --> HFiles of the new dataset
 *                               base, where linked ----------------------------> hard links
 *
 * One task per partition and family. Inputs that do not fit memory or descriptors at once go through build.c instead. */
#include "engine/merge_datasets.h"

#include "engine/memory_plan.h"
#include "engine/partition_merge.h"
#include "engine/input_facts.h"
#include "hfile/hfile_reader.h"

#include <stdlib.h>
#include <sys/resource.h>

enum { CHAIN_BYTES = 64 * 1024, SPARE_DESCRIPTORS = 12 };

/* What reading one input takes: its blocks may be of any size. Its largest file speaks for all. */
static uint64_t scan_memory(const struct merge_input *in, size_t block_limit) {
    struct err ignored = {0};
    size_t largest = 0;
    for (size_t k = 1; k < in->manifest->n_files; k++)
        if (in->manifest->files[k].file_bytes > in->manifest->files[largest].file_bytes) largest = k;
    if (in->manifest->n_files && kept_run_is(in->files[largest].path)) {
        const struct kept_run_place at = run_place(&in->files[largest]);
        return CHAIN_BYTES + kept_run_memory(&at);
    }
    struct hfile *h = in->manifest->n_files ? hfile_open(in->files[largest].path, block_limit, &ignored) : NULL;
    uint64_t bytes = CHAIN_BYTES + (h ? hfile_scan_memory(h) : 0); /* what cannot be opened is reported by the run */
    hfile_close(h);
    return bytes;
}

static uint64_t scans_memory(const struct merge_datasets_opts *o, size_t block_limit) {
    uint64_t scans = 0;
    for (uint32_t i = 0; i < o->n_inputs; i++) scans += scan_memory(&o->inputs[i], block_limit);
    return scans;
}

bool merge_datasets_fit(const struct merge_datasets_opts *o) {
    const struct memory_request request = {.job = o->job, .writer = largest_writer(&o->output)};
    struct memory_plan plan;
    struct rlimit rl;
    struct err ignored = {0};
    if (memory_plan_make(&request, &plan, &ignored)) return false;
    if (scans_memory(o, plan.block_limit) > plan.merge_bytes) return false;
    return getrlimit(RLIMIT_NOFILE, &rl) || (uint64_t)(o->n_inputs + 2) * plan.threads + SPARE_DESCRIPTORS <= rl.rlim_cur;
}

/* What scans leave of a worker's share is for version rules; by those of OceanBase, HBase's are at work as well. */
static void share_with_rules(struct dataset_merge *all) {
    struct memory_plan *p = &all->plan;
    all->scan_bytes = scans_memory(all->o, p->block_limit);
    uint64_t left = all->scan_bytes < p->merge_bytes ? p->merge_bytes - all->scan_bytes : 0;
    p->row_bytes = left / (all->o->kind == COMPACTION_OCEANBASE ? 2 : 1);
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

/* Files that are linked have their say, too, so that what is rewritten is what a compaction of everything makes of it. */
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

/* What was read is what the inputs' manifests say: nothing fell between two stretches, no file is another than when it was
 * listed. */
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

/* The same where every cell is kept: what was written is what the manifests say, so what was read needs no sum of its own. The
 * manifests count the cells of runs; their digest shows in the sum over all partitions. */
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
        qsort(o->base->report->slices, o->base->report->n, sizeof(struct base_outcome), base_outcome_order);
    rules_total_free(&all->total);
    pthread_mutex_destroy(&all->base_lock);
    return first_error_end(&all->first, err);
}

int merge_datasets_plan(const struct merge_datasets_opts *o, struct err *err) {
    const struct memory_request request = {.job = o->job, .writer = largest_writer(&o->output)};
    struct dataset_merge all = {.o = o};
    return memory_plan_make(&request, &all.plan, err) ? -1 : run_partitions(&all, err);
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
    int rc = run_partitions(&all, err);
    out->ledger = all.total.ledger;
    out->diff = all.total.diff;
    out->zeroed = all.total.zeroed;
    return rc ? -1 : ledger_check(&out->ledger, err);
}

void base_outcomes_free(struct base_outcomes *l) {
    for (size_t i = 0; i < l->n; i++) free(l->slices[i].files);
    free(l->slices);
    *l = (struct base_outcomes){0};
}
