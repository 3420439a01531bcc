#include "pipeline/fuse.h"

#include "flow/compact.h"
#include "flow/merge.h"
#include "hfile/hfile_reader.h"
#include "pipeline/facts.h"
#include "pipeline/file_chain.h"
#include "pipeline/guard.h"
#include "pipeline/rules_text.h"

#include <stdlib.h>
#include <sys/resource.h>

enum { CHAIN_BYTES = 64 * 1024, SPARE_DESCRIPTORS = 12 };

struct fuse {
    const struct fuse_opts *o;
    struct build_result *out;
    struct memory_plan plan;
    struct store_opts store;
    struct err err;
    uint64_t done, total;
};

/* One partition of one family on its way through. */
struct slice {
    struct fuse *f;
    struct store_slot slot;
    const struct family *family;
    struct load_input ***files; /* [input]: its files here */
    size_t *n_files;
    struct ledger ledger;
    struct rule_diff *diff; /* NULL: one set of rules only */
    bool *expired;
    int64_t earliest_put, next_drop;
};

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

bool fuse_fits(const struct fuse_opts *o) {
    struct memory_plan plan;
    struct rlimit rl;
    struct err ignored = {0};
    if (memory_plan_make(o->job, store_largest_writer(&o->store), &plan, &ignored)) return false;
    uint64_t scans = 0;
    for (uint32_t i = 0; i < o->n_inputs; i++) scans += scan_memory(&o->inputs[i], plan.block_limit);
    if (scans > plan.merge_bytes) return false;
    return getrlimit(RLIMIT_NOFILE, &rl) || (uint64_t)(o->n_inputs + 2) * plan.threads + SPARE_DESCRIPTORS <= rl.rlim_cur;
}

/* ---- which files, and what they say ---- */

static int pick_files(struct slice *s, uint32_t i, struct err *err) {
    const struct fuse_input *in = &s->f->o->inputs[i];
    const struct manifest *m = in->manifest;
    int family = table_family(&m->table, bytes_str(s->family->name));
    s->files[i] = calloc(m->n_files + 1, sizeof **s->files);
    if (!s->files[i]) return err_nomem(err, m->n_files * sizeof **s->files, "the list of files");
    for (size_t k = 0; k < m->n_files; k++)
        if ((int)m->files[k].family == family && m->files[k].partition == s->slot.partition)
            s->files[i][s->n_files[i]++] = &in->files[k];
    return 0;
}

/* A dataset counts as one file per partition and family, however many files it was cut into. */
static int fact_of(struct slice *s, uint32_t i, struct file_facts *fact, struct err *err) {
    *fact = (struct file_facts){.max_seq = -1, .bulk_ms = INT64_MAX, .ts_max_ms = INT64_MIN, .earliest_put_ms = INT64_MAX};
    for (size_t k = 0; k < s->n_files[i]; k++) {
        struct hfile *h = hfile_open(s->files[i][k]->path, s->f->plan.block_limit, err);
        if (!h) return -1;
        const struct hfile_info *info = hfile_info(h);
        int64_t ts = info->has_ts_range ? info->ts_max : INT64_MAX,
                put = info->has_earliest_put ? info->earliest_put_ms : INT64_MIN;
        fact->has_cells = true;
        if (ts > fact->ts_max_ms) fact->ts_max_ms = ts;
        if (put < fact->earliest_put_ms) fact->earliest_put_ms = put;
        hfile_close(h);
    }
    return 0;
}

static int decide_files(struct slice *s, struct err *err) {
    uint32_t n = s->f->o->n_inputs;
    const struct family_rules *r = family_hbase_rules(s->family);
    const struct rules_env env = {.kind = s->f->o->kind, .family = *r, .now_ms = s->f->o->job->now_ms};
    s->earliest_put = INT64_MAX;
    if (r->ttl_s <= 0 && r->keep_deleted == KEEP_DELETED_FALSE) return 0;
    struct file_facts *facts = calloc(n, sizeof *facts);
    int rc = facts ? 0 : err_nomem(err, n * sizeof *facts, "file facts");
    for (uint32_t i = 0; !rc && i < n; i++) rc = fact_of(s, i, &facts[i], err);
    if (!rc) rc = facts_decide(facts, n, &env, s->expired, &s->earliest_put, err);
    free(facts);
    return rc;
}

/* ---- the stages of one slice ---- */

static struct source *open_inputs(struct slice *s, struct err *err) {
    uint32_t n = s->f->o->n_inputs;
    struct source **in = calloc(n + 1, sizeof *in);
    size_t k = 0;
    if (!in) return err_nomem(err, n * sizeof *in, "a merge"), NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!s->n_files[i]) continue;
        in[k] = file_chain_open(s->files[i], s->n_files[i], s->f->plan.block_limit, err);
        if (in[k++]) continue;
        while (--k) source_close(in[k - 1]);
        free(in);
        return NULL;
    }
    struct source *m = merge_open(in, k, s->f->o->tie, err);
    free(in);
    return guard_open(m, NULL, s->f->o->job->stop, err);
}

static struct source *open_slice(struct slice *s, struct err *err) {
    struct source *src = open_inputs(s, err);
    struct compact_opts c = {.env = {.kind = s->f->o->kind,
                                     .family = s->family->rules,
                                     .now_ms = s->f->o->job->now_ms,
                                     .earliest_put_ms = s->earliest_put},
                             .expired_inputs = s->expired,
                             .n_inputs = s->f->o->n_inputs,
                             .ledger = &s->ledger,
                             .diff = s->diff,
                             .hbase_rules = family_hbase_rules(s->family),
                             .place = (uint64_t)s->slot.family << 32 | s->slot.partition,
                             .next_drop_ms = &s->next_drop};
    return src ? compact_open(src, &c, err) : NULL;
}

static int run_slice(struct slice *s, struct err *err) {
    char hash[RULES_HASH_BYTES];
    struct store_opts o = s->f->store;
    s->next_drop = INT64_MAX;
    for (uint32_t i = 0; i < s->f->o->n_inputs; i++)
        if (pick_files(s, i, err)) return -1;
    if (decide_files(s, err)) return -1;
    struct source *src = open_slice(s, err);
    if (!src) return -1;
    rules_text_hash(&s->family->rules, s->f->o->kind, hash);
    o.rules_hash = hash;
    int rc = store_partition(&o, &s->slot, src, &s->next_drop, &s->f->out->files, &s->ledger.dropped[VERDICT_KEEP], err);
    source_close(src);
    return rc;
}

static void book(struct slice *s) {
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
    struct slice s = {.f = f, .family = &f->o->table->families[family]};
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
    else if (!stop_check(f->o->job->stop, &mine) && !run_slice(&s, &mine))
        book(&s);
    for (uint32_t i = 0; s.files && i < n; i++) free(s.files[i]);
    free(s.files);
    free(s.n_files);
    free(s.expired);
    free(s.diff);
    if (!mine.code) return;
#pragma omp critical(fuse_error)
    err_keep(&f->err, &mine);
}

static int make_families(const struct fuse_opts *o, struct err *err) {
    for (uint32_t i = 0; i < o->table->n_families; i++)
        if (store_make_family(o->store.dir, o->table->families[i].name, err)) return -1;
    return 0;
}

int fuse_run(const struct fuse_opts *o, struct build_result *out, struct err *err) {
    struct fuse f = {.o = o, .out = out, .store = o->store};
    *out = (struct build_result){0};
    if (memory_plan_make(o->job, store_largest_writer(&o->store), &f.plan, err) || make_families(o, err)) return -1;
    f.store.batch_blocks = f.plan.batch_blocks;
    out->threads = f.plan.threads;
    for (uint32_t i = 0; i < o->n_inputs; i++)
        for (size_t k = 0; k < o->inputs[i].manifest->n_files; k++) f.total += o->inputs[i].files[k].file_bytes;
#pragma omp parallel num_threads(f.plan.threads)
#pragma omp single
    for (uint32_t family = 0; family < o->table->n_families; family++)
        for (uint32_t p = 0; p < o->table->partitioning.count; p++) {
#pragma omp task firstprivate(family, p)
            slice_task(&f, family, p);
        }
    err_keep(err, &f.err);
    return f.err.code ? -1 : ledger_check(&out->ledger, err);
}
