#include "engine/fuse.h"

#include "hfile/hfile_reader.h"
#include "engine/fuse_base.h"
#include "engine/fuse_merge.h"
#include "engine/old_seqs.h"

#include <stdlib.h>
#include <sys/resource.h>

enum { CHAIN_BYTES = 64 * 1024, SPARE_DESCRIPTORS = 12 };

/* What reading one input takes: its blocks may be of any size. Its largest file speaks for all. */
static uint64_t scan_memory(const struct fuse_input *in, size_t block_limit) {
    struct err ignored = {0};
    size_t largest = 0;
    for (size_t k = 1; k < in->manifest->n_files; k++)
        if (in->manifest->files[k].file_bytes > in->manifest->files[largest].file_bytes) largest = k;
    struct hfile *h = in->manifest->n_files ? hfile_open(in->files[largest].path, block_limit, &ignored) : NULL;
    uint64_t bytes = CHAIN_BYTES + (h ? hfile_scan_memory(h) : 0); /* what cannot be opened is told by the run */
    hfile_close(h);
    return bytes;
}

static uint64_t scans_memory(const struct fuse_opts *o, size_t block_limit) {
    uint64_t scans = 0;
    for (uint32_t i = 0; i < o->n_inputs; i++) scans += scan_memory(&o->inputs[i], block_limit);
    return scans;
}

bool fuse_fits(const struct fuse_opts *o) {
    struct memory_plan plan;
    struct rlimit rl;
    struct err ignored = {0};
    if (memory_plan_make(o->job, store_largest_writer(&o->store), &plan, &ignored)) return false;
    if (scans_memory(o, plan.block_limit) > plan.merge_bytes) return false;
    return getrlimit(RLIMIT_NOFILE, &rl) || (uint64_t)(o->n_inputs + 2) * plan.threads + SPARE_DESCRIPTORS <= rl.rlim_cur;
}

static size_t row_bytes(const struct fuse_opts *o, const struct memory_plan *p) {
    uint64_t scans = scans_memory(o, p->block_limit), left = scans < p->merge_bytes ? p->merge_bytes - scans : 0;
    return left / (o->kind == COMPACTION_OCEANBASE ? 2 : 1); /* HBase's rules are at work as well */
}

static int old_seq_at(const struct slice_run *s, uint32_t i, size_t k, uint64_t *seq, struct err *err) {
    if (s->base && !i) return *seq = s->base[k].old_seq, 0;
    struct hfile *h = hfile_open(s->files[i][k]->path, s->f->plan.block_limit, err);
    int rc = h ? old_seq_of(s->f->o->job, h, seq, err) : -1;
    hfile_close(h);
    return rc;
}

/* Files that are taken over have their say, too, so that what is rewritten is what a compaction of everything makes of it. */
static int decide_old_seq(struct slice_run *s, struct err *err) {
    const struct fuse_opts *o = s->f->o;
    if (!o->job->keep_seq_ms || o->kind != COMPACTION_MAJOR || s->left) return 0;
    for (uint32_t i = 0; i < o->n_inputs; i++)
        for (size_t k = 0; !s->expired[i] && k < s->n_files[i]; k++) {
            uint64_t seq;
            if (old_seq_at(s, i, k, &seq, err)) return -1;
            if (seq > s->old_seq) s->old_seq = seq;
        }
    return 0;
}

/* What was read is what the inputs' manifests say: nothing fell between two stretches, no file is another than when it was
 * listed. */
static int check_read(const struct slice_run *s, struct err *err) {
    for (uint32_t i = 0; i < s->f->o->n_inputs; i++)
        for (size_t k = 0; k < s->n_files[i]; k++) {
            const struct load_input *in = s->files[i][k];
            const struct tally *said = &fuse_entry(s, i, k)->tally;
            if (i > 0 && s->left) continue; /* was not to be read */
            if (in->tally.cells != said->cells || !digest_eq(in->tally.digest, said->digest))
                return err_set(err, ERR_INPUT,
                               "%s: %llu cells were read, the manifest says %llu%s (obkv-verify check tells more)", in->path,
                               (unsigned long long)in->tally.cells, (unsigned long long)said->cells,
                               in->tally.cells == said->cells ? " with another digest" : "");
        }
    return 0;
}

static int decide_slice(struct slice_run *s, struct err *err) {
    for (uint32_t i = 0; i < s->f->o->n_inputs; i++)
        if (fuse_pick_files(s, i, err)) return -1;
    if (fuse_decide_files(s, err)) return -1;
    return s->f->o->base ? fuse_base_judge(s, err) : 0;
}

static int run_slice(struct slice_run *s, struct err *err) {
    const struct slice_stretch all = {0};
    if (decide_slice(s, err)) return -1;
    if (!s->f->out) return 0;
    if (decide_old_seq(s, err)) return -1;
    if (s->base ? fuse_base_write(s, err) : fuse_write_stretch(s, &all, err)) return -1;
    return check_read(s, err);
}

static void book(struct slice_run *s) {
    struct fuse *f = s->f;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < f->o->n_inputs; i++)
        for (size_t k = 0; k < s->n_files[i]; k++) {
            const struct load_input *in = s->files[i][k];
            tally_add(&s->ledger.in, in->tally);
            bytes += in->file_bytes;
        }
    s->ledger.records_read = s->ledger.records_accepted = s->ledger.in.cells;
#pragma omp critical(fuse_ledger)
    {
        ledger_add(&f->out->ledger, &s->ledger);
        if (s->diff) rule_diff_add(&f->out->diff, s->diff);
        f->out->zeroed += s->zeroed;
        f->done += bytes;
        if (f->o->job->progress.report) f->o->job->progress.report(f->o->job->progress.arg, "compact", f->done, f->total);
    }
}

static void slice_task(struct fuse *f, uint32_t family, uint32_t partition) {
    struct err mine = {0};
    enum err_code failed;
    uint32_t n = f->o->n_inputs;
#pragma omp atomic read
    failed = f->err.code;
    if (failed) return;
    struct slice_run s = {.f = f, .family = &f->o->table->families[family]};
    s.slot = (struct store_slot){.family_name = s.family->name,
                                 .family = family,
                                 .partition = partition,
                                 .partition_name = f->o->table->partitioning.names[partition]};
    s.files = calloc(n, sizeof *s.files);
    s.n_files = calloc(n, sizeof *s.n_files);
    s.expired = calloc(n, sizeof *s.expired);
    bool compare = f->o->kind == COMPACTION_OCEANBASE;
    if (compare) s.diff = calloc(1, sizeof *s.diff);
    if (!s.files || !s.n_files || !s.expired || (compare && !s.diff))
        err_nomem(&mine, n * sizeof *s.files, "a merge");
    else if (!stop_check(f->o->job->stop, &mine) && !run_slice(&s, &mine) && f->out)
        book(&s);
    if (!mine.code && s.base) fuse_base_report(&s, &mine);
    for (uint32_t i = 0; s.files && i < n; i++) free(s.files[i]);
    free(s.files);
    free(s.n_files);
    free(s.expired);
    free(s.diff);
    free(s.base);
    if (!mine.code) return;
#pragma omp critical(fuse_error)
    err_keep(&f->err, &mine);
}

static int make_families(const struct fuse_opts *o, struct err *err) {
    for (uint32_t i = 0; i < o->table->n_families; i++)
        if (store_make_family(o->store.dir, o->table->families[i].name, err)) return -1;
    return 0;
}

static int slice_order(const void *pa, const void *pb) {
    const struct fuse_slice *a = pa, *b = pb;
    if (a->family != b->family) return a->family < b->family ? -1 : 1;
    return (a->partition > b->partition) - (a->partition < b->partition);
}

static int run_slices(struct fuse *f, struct err *err) {
    const struct fuse_opts *o = f->o;
#pragma omp parallel num_threads(f->plan.threads)
#pragma omp single
    for (uint32_t family = 0; family < o->table->n_families; family++)
        for (uint32_t p = 0; p < o->table->partitioning.count; p++) {
#pragma omp task firstprivate(family, p)
            slice_task(f, family, p);
        }
    if (o->base && o->base->report->n) qsort(o->base->report->slices, o->base->report->n, sizeof(struct fuse_slice), slice_order);
    err_keep(err, &f->err);
    return f->err.code ? -1 : 0;
}

int fuse_plan(const struct fuse_opts *o, struct err *err) {
    struct fuse f = {.o = o};
    return memory_plan_make(o->job, store_largest_writer(&o->store), &f.plan, err) ? -1 : run_slices(&f, err);
}

int fuse_run(const struct fuse_opts *o, struct build_result *out, struct err *err) {
    struct fuse f = {.o = o, .out = out, .store = o->store};
    *out = (struct build_result){0};
    if (memory_plan_make(o->job, store_largest_writer(&o->store), &f.plan, err) || make_families(o, err)) return -1;
    f.store.batch_blocks = f.plan.batch_blocks;
    f.row_bytes = row_bytes(o, &f.plan);
    out->threads = f.plan.threads;
    for (uint32_t i = 0; i < o->n_inputs; i++)
        for (size_t k = 0; k < o->inputs[i].manifest->n_files; k++) f.total += o->inputs[i].files[k].file_bytes;
    return run_slices(&f, err) ? -1 : ledger_check(&out->ledger, err);
}

void fuse_slices_free(struct fuse_slices *l) {
    for (size_t i = 0; i < l->n; i++) free(l->slices[i].files);
    free(l->slices);
    *l = (struct fuse_slices){0};
}
