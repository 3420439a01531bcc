#include "engine/fuse_merge.h"

#include "rules/compact.h"
#include "sort/sorted.h"
#include "hfile/hfile_reader.h"
#include "engine/facts.h"
#include "engine/guard.h"
#include "engine/rules_text.h"

#include <stdlib.h>

static bool is_merged(const struct slice_run *s, uint32_t i) {
    const struct fuse_opts *o = s->f->o;
    if (!o->base || !o->base->merged) return false;
    return o->base
        ->merged[((size_t)i * o->table->n_families + s->slot.family) * o->table->partitioning.count + s->slot.partition];
}

int fuse_pick_files(struct slice_run *s, uint32_t i, struct err *err) {
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
static int fact_of(struct slice_run *s, uint32_t i, struct file_facts *fact, struct err *err) {
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

int fuse_decide_files(struct slice_run *s, struct err *err) {
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

const struct manifest_file *fuse_entry(const struct slice_run *s, uint32_t i, size_t k) {
    const struct fuse_input *in = &s->f->o->inputs[i];
    return &in->manifest->files[s->files[i][k] - in->files];
}

/* The files of an input that reach into the stretch: they ascend and are disjoint, so these stand together. */
static size_t files_within(const struct slice_run *s, uint32_t i, const struct slice_stretch *t, size_t *first) {
    size_t k = 0, n = 0;
    if (s->base && i == 0) return *first = t->first, t->end - t->first;
    for (; t->span.start.p && k < s->n_files[i]; k++)
        if (bytes_cmp(buf_bytes(&fuse_entry(s, i, k)->last_row), t->span.start) >= 0) break;
    *first = k;
    for (; k < s->n_files[i]; k++, n++)
        if (t->span.stop.p && bytes_cmp(buf_bytes(&fuse_entry(s, i, k)->first_row), t->span.stop) >= 0) break;
    return n;
}

static struct source *open_inputs(struct slice_run *s, const struct slice_stretch *t, struct err *err) {
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

static struct rules_env rules_of(const struct slice_run *s) {
    return (struct rules_env){.kind = s->f->o->kind,
                              .family = s->family->rules,
                              .now_ms = s->f->o->job->now_ms,
                              .earliest_put_ms = s->earliest_put,
                              .row_bytes = s->f->row_bytes};
}

static struct source *open_stretch(struct slice_run *s, const struct slice_stretch *t, struct err *err) {
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
                             .next_drop_ms = &s->next_expiry};
    return src ? compact_open(src, &c, err) : NULL;
}

int fuse_write_stretch(struct slice_run *s, const struct slice_stretch *t, struct err *err) {
    char hash[RULES_HASH_BYTES];
    struct store_opts o = s->f->store;
    s->next_expiry = INT64_MAX;
    struct source *src = open_stretch(s, t, err);
    if (!src) return -1;
    rules_text_hash(&s->family->rules, s->f->o->kind, hash);
    o.rules_hash = hash;
    int rc =
        store_partition(&o, &s->slot, &s->number, src, &s->next_expiry, &s->f->out->files, &s->ledger.dropped[VERDICT_KEEP], err);
    source_close(src);
    return rc;
}
