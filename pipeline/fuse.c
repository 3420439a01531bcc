#include "pipeline/fuse.h"

#include "base/fs.h"
#include "flow/compact.h"
#include "flow/merge.h"
#include "hfile/hfile_reader.h"
#include "pipeline/facts.h"
#include "pipeline/file_chain.h"
#include "pipeline/guard.h"
#include "pipeline/old_seqs.h"
#include "pipeline/rules_text.h"

#include <stdlib.h>
#include <sys/resource.h>

enum { CHAIN_BYTES = 64 * 1024, SPARE_DESCRIPTORS = 12 };

struct fuse {
    const struct fuse_opts *o;
    struct build_result *out; /* NULL: nothing is written */
    struct memory_plan plan;
    size_t row_bytes; /* what version rules may hold of a row: what scans leave of a worker's share */
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
    uint64_t old_seq, zeroed;   /* sequence ids up to the first become 0 */
    struct takeover_file *base; /* as many as n_files[0]; NULL: there is no base */
    uint32_t number;            /* of the next file */
    bool left;                  /* for a later night */
};

/* Rows that are merged anew: all of a slice, or what lies between files that are taken over. */
struct stretch {
    struct row_span span;
    size_t first, end; /* files of the base */
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

/* ---- which files, and what they say ---- */

static bool is_merged(const struct slice *s, uint32_t i) {
    const struct fuse_opts *o = s->f->o;
    if (!o->base || !o->base->merged) return false;
    return o->base
        ->merged[((size_t)i * o->table->n_families + s->slot.family) * o->table->partitioning.count + s->slot.partition];
}

static int pick_files(struct slice *s, uint32_t i, struct err *err) {
    const struct fuse_input *in = &s->f->o->inputs[i];
    const struct manifest *m = in->manifest;
    int family = table_family(&m->table, bytes_str(s->family->name));
    s->files[i] = calloc(m->n_files + 1, sizeof **s->files);
    if (!s->files[i]) return err_nomem(err, m->n_files * sizeof **s->files, "the list of files");
    bool earlier = is_merged(s, i);
    for (size_t k = 0; k < m->n_files; k++) {
        if ((int)m->files[k].family != family || m->files[k].partition != s->slot.partition) continue;
        in->files[k].earlier = earlier;
        if (!earlier) s->files[i][s->n_files[i]++] = &in->files[k];
    }
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

/* ---- merging ---- */

static const struct manifest_file *entry_of(const struct slice *s, uint32_t i, size_t k) {
    const struct fuse_input *in = &s->f->o->inputs[i];
    return &in->manifest->files[s->files[i][k] - in->files];
}

/* The files of an input that reach into the stretch: they ascend and are disjoint, so these stand together. */
static size_t files_within(const struct slice *s, uint32_t i, const struct stretch *t, size_t *first) {
    size_t k = 0, n = 0;
    if (s->base && i == 0) return *first = t->first, t->end - t->first;
    for (; t->span.start.p && k < s->n_files[i]; k++)
        if (bytes_cmp(buf_bytes(&entry_of(s, i, k)->last_row), t->span.start) >= 0) break;
    *first = k;
    for (; k < s->n_files[i]; k++, n++)
        if (t->span.stop.p && bytes_cmp(buf_bytes(&entry_of(s, i, k)->first_row), t->span.stop) >= 0) break;
    return n;
}

static struct source *open_inputs(struct slice *s, const struct stretch *t, struct err *err) {
    uint32_t n = s->f->o->n_inputs;
    struct source **in = calloc(n + 1, sizeof *in);
    size_t k = 0, first, has;
    if (!in) return err_nomem(err, n * sizeof *in, "a merge"), NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!(has = files_within(s, i, t, &first))) continue;
        in[k] = file_chain_open(s->files[i] + first, has, &t->span, s->f->plan.block_limit, err);
        if (in[k++]) continue;
        while (--k) source_close(in[k - 1]);
        free(in);
        return NULL;
    }
    struct source *m = merge_open(in, k, s->f->o->tie, err);
    free(in);
    return guard_open(m, NULL, s->f->o->job->stop, err);
}

static struct rules_env rules_of(const struct slice *s) {
    return (struct rules_env){.kind = s->f->o->kind,
                              .family = s->family->rules,
                              .now_ms = s->f->o->job->now_ms,
                              .earliest_put_ms = s->earliest_put,
                              .row_bytes = s->f->row_bytes};
}

static struct source *open_stretch(struct slice *s, const struct stretch *t, struct err *err) {
    struct source *src = open_inputs(s, t, err);
    struct compact_opts c = {.env = rules_of(s),
                             .expired_inputs = s->expired,
                             .n_inputs = s->f->o->n_inputs,
                             .old_seq = s->old_seq,
                             .zeroed = &s->zeroed,
                             .ledger = &s->ledger,
                             .diff = s->diff,
                             .hbase_rules = family_hbase_rules(s->family),
                             .place = (uint64_t)s->slot.family << 32 | s->slot.partition,
                             .next_drop_ms = &s->next_drop};
    return src ? compact_open(src, &c, err) : NULL;
}

static int write_stretch(struct slice *s, const struct stretch *t, struct err *err) {
    char hash[RULES_HASH_BYTES];
    struct store_opts o = s->f->store;
    s->next_drop = INT64_MAX;
    struct source *src = open_stretch(s, t, err);
    if (!src) return -1;
    rules_text_hash(&s->family->rules, s->f->o->kind, hash);
    o.rules_hash = hash;
    int rc =
        store_partition(&o, &s->slot, &s->number, src, &s->next_drop, &s->f->out->files, &s->ledger.dropped[VERDICT_KEEP], err);
    source_close(src);
    return rc;
}

/* ---- with a base ---- */

/* The bytes of each input that has something here, oldest first. */
static size_t sizes_of(const struct slice *s, uint64_t *bytes) {
    size_t n = 0;
    for (uint32_t i = 0; i < s->f->o->n_inputs; i++) {
        if (!s->n_files[i]) continue;
        bytes[n] = 0;
        for (size_t k = 0; k < s->n_files[i]; k++) bytes[n] += entry_of(s, i, k)->file_bytes;
        n++;
    }
    return n;
}

/* Every input counts as one file of a store. Only a compaction of all of them is done: markers may go in it. With more of them
 * than one compaction takes, that is due in any case. */
static int decide_left(struct slice *s, struct err *err) {
    const struct explore_opts *o = s->f->o->base->explore;
    uint64_t *bytes = o ? calloc(s->f->o->n_inputs, sizeof *bytes) : NULL;
    if (!o) return 0;
    if (!bytes) return err_nomem(err, 0, "sizes of inputs");
    size_t n = sizes_of(s, bytes);
    struct explore_selection sel = explore_select(bytes, n, o);
    s->left = s->n_files[0] && sel.n < n && n <= o->max_files;
    free(bytes);
    return 0;
}

static bool stays(const struct slice *s, const struct takeover_file *f) {
    return s->left || f->fate == TAKEOVER_TAKEN;
}

static int judge_base(struct slice *s, struct err *err) {
    const struct fuse_opts *o = s->f->o;
    const struct takeover_env env = {.job = o->job,
                                     .block_limit = s->f->plan.block_limit,
                                     .rules = s->family->rules,
                                     .kind = o->kind,
                                     .base_now_ms = o->inputs[0].manifest->now_ms,
                                     .earliest_put_ms = s->earliest_put,
                                     .base_expired = s->expired[0]};
    s->base = calloc(s->n_files[0] + 1, sizeof *s->base);
    if (!s->base) return err_nomem(err, s->n_files[0] * sizeof *s->base, "the files of the base");
    for (size_t k = 0; k < s->n_files[0]; k++) {
        s->base[k] = (struct takeover_file){.m = entry_of(s, 0, k), .in = s->files[0][k]};
        if (stop_check(o->job->stop, err) || takeover_judge(&env, &s->base[k], err)) return -1;
    }
    for (uint32_t i = 1; !s->left && i < o->n_inputs; i++)
        for (size_t k = 0; k < s->n_files[i]; k++)
            if (takeover_touch(&env, s->base, s->n_files[0], entry_of(s, i, k), s->files[i][k], err)) return -1;
    for (size_t k = 0; o->base->verify && k < s->n_files[0]; k++)
        if (stays(s, &s->base[k]) && takeover_verify(&env, &s->base[k], err)) return -1;
    return 0;
}

static void count_taken(struct fuse_slices *l, const struct manifest_file *m, enum link_way way) {
#pragma omp critical(fuse_taken)
    {
        l->taken[way]++;
        tally_add(&l->taken_cells, m->tally);
    }
}

/* Under its new number: the figures are the manifest's, which takeover_judge has held against the file. */
static int take_over(struct slice *s, const struct takeover_file *f, struct err *err) {
    struct manifest_file m = *f->m;
    struct fuse *fuse = s->f;
    m.first_row = m.last_row = (struct buf){0};
    m.family = s->slot.family;
    m.number = s->number++;
    m.path = store_file_path(&s->slot, m.number, err);
    char *to = m.path ? fs_join(fuse->store.dir, m.path, err) : NULL;
    int rc = to ? link_file(f->in->path, to, fuse->store.quota, &m.taken, err) : -1;
    if (!rc) rc = buf_copy(&m.first_row, buf_bytes(&f->m->first_row), err);
    if (!rc) rc = buf_copy(&m.last_row, buf_bytes(&f->m->last_row), err);
    if (!rc) rc = stored_files_add(&fuse->out->files, &m, err);
    free(to);
    if (rc) {
        buf_free(&m.first_row);
        buf_free(&m.last_row);
        free(m.path);
        return -1;
    }
    stored_files_count(&fuse->out->files, f->info.deletes, 0);
    count_taken(fuse->o->base->report, f->m, m.taken);
    f->in->tally = f->m->tally;
    f->in->records = f->m->tally.cells;
    tally_add(&s->ledger.dropped[VERDICT_KEEP], f->m->tally);
    return 0;
}

/* The least row behind that of the file before the stretch; its first row is the stop of the stretch before. */
static int start_behind(const struct takeover_file *f, struct buf *row, struct row_span *span, struct err *err) {
    if (buf_copy(row, buf_bytes(&f->m->last_row), err) || buf_put_byte(row, 0, err)) return -1;
    span->start = buf_bytes(row);
    return 0;
}

/* Files that are taken over, and what lies before, between and behind them, in order of rows: so numbers follow rows. */
static int write_around(struct slice *s, struct err *err) {
    size_t n = s->n_files[0];
    struct buf behind = {0};
    int rc = 0;
    for (struct stretch t = {0}; !rc && t.first <= n; t.first = t.end + 1) {
        t.end = t.first;
        while (t.end < n && !stays(s, &s->base[t.end])) t.end++;
        t.span.stop = t.end < n ? buf_bytes(&s->base[t.end].m->first_row) : (struct bytes){0};
        rc = stop_check(s->f->o->job->stop, err) ? -1 : s->left ? 0 : write_stretch(s, &t, err);
        if (!rc && t.end < n) rc = take_over(s, &s->base[t.end], err);
        if (!rc && t.end < n) rc = start_behind(&s->base[t.end], &behind, &t.span, err);
    }
    buf_free(&behind);
    return rc;
}

/* ---- sequence ids ---- */

static int old_seq_at(const struct slice *s, uint32_t i, size_t k, uint64_t *seq, struct err *err) {
    if (s->base && !i) return *seq = s->base[k].old_seq, 0;
    struct hfile *h = hfile_open(s->files[i][k]->path, s->f->plan.block_limit, err);
    int rc = h ? old_seq_of(s->f->o->job, h, seq, err) : -1;
    hfile_close(h);
    return rc;
}

/* Files that are taken over have their say, too, so that what is rewritten is what a compaction of everything makes of it. */
static int decide_old_seq(struct slice *s, struct err *err) {
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

/* ---- one slice ---- */

/* What was read is what the inputs' manifests say: nothing fell between two stretches, no file is another than when it was
 * listed. */
static int check_read(const struct slice *s, struct err *err) {
    for (uint32_t i = 0; i < s->f->o->n_inputs; i++)
        for (size_t k = 0; k < s->n_files[i]; k++) {
            const struct load_input *in = s->files[i][k];
            const struct tally *said = &entry_of(s, i, k)->tally;
            if (i > 0 && s->left) continue; /* was not to be read */
            if (in->tally.cells != said->cells || !digest_eq(in->tally.digest, said->digest))
                return err_set(err, ERR_INPUT,
                               "%s: %llu cells were read, the manifest says %llu%s (obkv-verify check tells more)", in->path,
                               (unsigned long long)in->tally.cells, (unsigned long long)said->cells,
                               in->tally.cells == said->cells ? " with another digest" : "");
        }
    return 0;
}

static int decide_slice(struct slice *s, struct err *err) {
    for (uint32_t i = 0; i < s->f->o->n_inputs; i++)
        if (pick_files(s, i, err)) return -1;
    if (decide_files(s, err)) return -1;
    return s->f->o->base && (decide_left(s, err) || judge_base(s, err)) ? -1 : 0;
}

static int run_slice(struct slice *s, struct err *err) {
    const struct stretch all = {0};
    if (decide_slice(s, err)) return -1;
    if (!s->f->out) return 0;
    if (decide_old_seq(s, err)) return -1;
    if (s->base ? write_around(s, err) : write_stretch(s, &all, err)) return -1;
    return check_read(s, err);
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
        f->out->zeroed += s->zeroed;
        f->done += bytes;
        if (f->o->job->progress.report) f->o->job->progress.report(f->o->job->progress.arg, "compact", f->done, f->total);
    }
}

/* Takes over the slice's verdicts. */
static void report_slice(struct slice *s, struct err *err) {
    struct fuse_slices *l = s->f->o->base->report;
    struct fuse_slice r = {s->slot.family, s->slot.partition, s->base, s->n_files[0], 0, 0, s->left};
    for (uint32_t i = 1; i < s->f->o->n_inputs; i++)
        for (size_t k = 0; k < s->n_files[i]; k++, r.new_files++) r.new_cells += entry_of(s, i, k)->tally.cells;
    if (!r.n_files && !r.new_files) return;
#pragma omp critical(fuse_report)
    {
        if (l->n == l->cap) {
            size_t cap = l->cap ? l->cap * 2 : 64;
            struct fuse_slice *p = realloc(l->slices, cap * sizeof *p);
            if (p) l->slices = p, l->cap = cap;
        }
        if (l->n < l->cap)
            l->slices[l->n++] = r, s->base = NULL;
        else
            err_nomem(err, l->n * sizeof *l->slices, "the report");
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
    else if (!stop_check(f->o->job->stop, &mine) && !run_slice(&s, &mine) && f->out)
        book(&s);
    if (!mine.code && s.base) report_slice(&s, &mine);
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
