/* The merged rows of one partition of one family as a source. A dataset counts as one file for the rules, however many files it
 * was cut into; its files are disjoint and ascending, so one of them is open at a time. Rows that are between linked files of a
 * base are merged as stretches of their own. */
#include "engine/partition_merge.h"

#include "dataset/manifest_order.h"
#include "engine/file_rules.h"
#include "engine/input_facts.h"
#include "engine/job.h"
#include "engine/merge_levels.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_scan.h"
#include "rules/compact.h"
#include "sort/kept_run.h"

#include <stdlib.h>

enum { CHAIN_BYTES = 64 * 1024 };

uint64_t merge_file_memory(const struct input *in, size_t block_limit) {
    struct err ignored = {0};
    if (kept_run_is(in->path)) {
        const struct kept_run_place at = run_place(in);
        return CHAIN_BYTES + kept_run_memory(&at);
    }
    struct hfile *h = hfile_open(in->path, block_limit, &ignored);
    uint64_t bytes = CHAIN_BYTES + (h ? hfile_scan_memory(h) : 0); /* what cannot be opened is reported by the run */
    hfile_close(h);
    return bytes;
}

/* ---- a dataset's files as one source ---- */

struct file_chain {
    struct source base;
    size_t n, i, block_limit;
    struct row_span span;
    struct hfile_range blocks; /* of each file; {0, 0}: all */
    struct bytes family;       /* of runs, which do not name it */
    struct hfile *file;
    struct source *scan;
    struct tally *tallies; /* one for each file; NULL: the inputs' own */
    bool sums;             /* what is read is added up there */
    uint64_t seq;          /* for cells that have no sequence id; 0: they keep none */
    struct cell *numbered; /* PART_MAX_CELLS, where there is such an id */
    struct buf last_row;   /* of the file before: files must not overlap */
    bool fresh;            /* the next part is the first of its file */
    struct input *files[];
};

static void close_file(struct file_chain *c) {
    source_close(c->scan);
    hfile_close(c->file);
    c->scan = NULL;
    c->file = NULL;
}

/* Opens a run of a shard. Runs are there to be joined, which reads all of them and adds up what it writes. */
static int open_run(struct file_chain *c, const struct input *in, struct err *err) {
    if (c->sums || c->span.start.p || c->span.stop.p)
        return err_set(err, ERR_UNSUPPORTED, "%s is a part of a shard, and is read only when its shards are joined", in->path);
    const struct kept_run_place at = run_place(in);
    c->scan = kept_run_open(&at, in->group, c->family, err);
    return c->scan ? 0 : -1;
}

static int open_file(struct file_chain *c, struct err *err) {
    struct input *in = c->files[c->i];
    c->fresh = true;
    if (kept_run_is(in->path)) return open_run(c, in, err);
    struct tally *tally = c->tallies ? &c->tallies[c->i] : &in->tally;
    struct hfile_scan_opts o = {.tally = c->sums ? tally : NULL,
                                .input = in->group,
                                .range = c->blocks,
                                .start_row = c->span.start,
                                .stop_row = c->span.stop};
    c->file = hfile_open(in->path, c->block_limit, err);
    if (c->file) c->scan = hfile_scan_open(c->file, &o, err);
    return c->scan ? 0 : -1;
}

static int check_row(struct file_chain *c, const struct row_part *part, struct err *err) {
    if (c->fresh && c->i && bytes_cmp(part->row, buf_bytes(&c->last_row)) <= 0)
        return err_set(err, ERR_INPUT, "%s: overlaps the file before it", c->files[c->i]->path);
    c->fresh = false;
    return c->i + 1 < c->n ? buf_copy(&c->last_row, part->row, err) : 0;
}

static void number_cells(struct file_chain *c, struct row_part *part) {
    memcpy(c->numbered, part->cells, part->n_cells * sizeof *c->numbered);
    for (uint32_t i = 0; i < part->n_cells; i++)
        if (!c->numbered[i].seq) c->numbered[i].seq = c->seq;
    part->cells = c->numbered;
}

static int chain_next(struct source *base, struct row_part *part, struct err *err) {
    struct file_chain *c = (struct file_chain *)base;
    for (; c->i < c->n; c->i++) {
        if (!c->scan && open_file(c, err)) return -1;
        int more = source_next(c->scan, part, err);
        if (more < 0) return -1;
        if (more && c->seq) number_cells(c, part);
        if (more) return check_row(c, part, err) ? -1 : 1;
        if (!c->tallies) c->files[c->i]->records = c->files[c->i]->tally.cells;
        close_file(c);
    }
    return 0;
}

static void chain_close(struct source *base) {
    struct file_chain *c = (struct file_chain *)base;
    close_file(c);
    buf_free(&c->last_row);
    free(c->numbered);
    free(c);
}

static const struct source_ops chain_ops = {chain_next, chain_close};

struct chain_opts {
    const struct row_span *span;
    struct hfile_range blocks;
    size_t block_limit;
    struct bytes family;
    struct tally *tallies;
    uint64_t seq;
    bool sums;
};

static struct source *open_chain(struct input *const *files, size_t n, const struct chain_opts *o, struct err *err) {
    struct file_chain *c = calloc(1, sizeof *c + n * sizeof *files);
    if (!c) {
        err_nomem(err, n * sizeof *files, "the list of files");
        return NULL;
    }
    if (o->seq && !(c->numbered = malloc(PART_MAX_CELLS * sizeof *c->numbered))) {
        free(c);
        err_nomem(err, PART_MAX_CELLS * sizeof *c->numbered, "cells");
        return NULL;
    }
    c->base.ops = &chain_ops;
    c->n = n;
    c->seq = o->seq;
    if (o->span) c->span = *o->span;
    c->blocks = o->blocks;
    c->block_limit = o->block_limit;
    c->family = o->family;
    c->tallies = o->tallies;
    c->sums = o->sums;
    memcpy(c->files, files, n * sizeof *files);
    return &c->base;
}

struct source *file_chain_open(struct input *const *files, size_t n, const struct row_span *span, size_t block_limit,
                               struct err *err) {
    return open_chain(files, n, &(struct chain_opts){.span = span, .block_limit = block_limit, .sums = true}, err);
}

/* ---- merging ---- */

static bool is_merged(const struct partition_merge *s, uint32_t i) {
    const struct merge_datasets_opts *o = s->all->o;
    if (!o->base || !o->base->merged) return false;
    return o->base
        ->merged[((size_t)i * o->table->n_families + s->slot.family) * o->table->partitioning.count + s->slot.partition];
}

int partition_merge_pick(struct partition_merge *s, uint32_t i, struct err *err) {
    const struct merge_input *in = &s->all->o->inputs[i];
    const struct manifest *m = in->manifest;
    int family = table_family(&m->table, bytes_str(s->family->name));
    size_t k, end;
    manifest_order_find(m, s->all->in_order[i], family, s->slot.partition, &k, &end);
    s->files[i] = calloc(end - k + 1, sizeof **s->files);
    if (!s->files[i]) return err_nomem(err, (end - k) * sizeof **s->files, "the list of files");
    bool earlier = is_merged(s, i);
    for (; k < end; k++) {
        if ((int)m->files[k].family != family || m->files[k].partition != s->slot.partition) continue;
        in->files[k].earlier = earlier;
        if (!earlier) s->files[i][s->n_files[i]++] = &in->files[k];
    }
    return 0;
}

/* A dataset counts as one file per partition and family, however many files it was cut into. */
static int fact_of(struct partition_merge *s, uint32_t i, struct file_facts *fact, struct err *err) {
    *fact = (struct file_facts){.max_seq = -1, .bulk_ms = INT64_MAX, .ts_max_ms = INT64_MIN, .earliest_put_ms = INT64_MAX};
    for (size_t k = 0; k < s->n_files[i]; k++) {
        struct hfile *h = hfile_open(s->files[i][k]->path, s->all->plan.block_limit, err);
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

static void add_fact(struct file_facts *a, const struct file_facts *b) {
    a->has_cells |= b->has_cells;
    if (b->ts_max_ms > a->ts_max_ms) a->ts_max_ms = b->ts_max_ms;
    if (b->earliest_put_ms < a->earliest_put_ms) a->earliest_put_ms = b->earliest_put_ms;
}

int partition_merge_decide(struct partition_merge *s, struct err *err) {
    uint32_t n = s->all->o->n_inputs;
    const struct family_rules *r = family_hbase_rules(s->family);
    const struct rules_env env = {.kind = s->all->o->kind, .family = *r, .now_ms = s->all->o->job->now_ms};
    s->rules.earliest_put_ms = INT64_MAX;
    if (s->all->o->keeps_all || (r->ttl_s <= 0 && r->keep_deleted == KEEP_DELETED_FALSE)) return 0;
    struct file_facts *facts = calloc(n, sizeof *facts);
    int rc = facts ? 0 : err_nomem(err, n * sizeof *facts, "file facts");
    for (uint32_t i = 0; !rc && i < n; i++) rc = fact_of(s, i, &facts[i], err);
    bool as_one = s->all->o->as_one;
    for (uint32_t i = 1; !rc && as_one && i < n; i++) add_fact(&facts[0], &facts[i]);
    if (!rc) rc = facts_decide(facts, as_one ? 1 : n, &env, s->rules.expired, &s->rules.earliest_put_ms, err);
    for (uint32_t i = 1; !rc && as_one && i < n; i++) s->rules.expired[i] = s->rules.expired[0];
    free(facts);
    return rc;
}

const struct manifest_file *partition_merge_entry(const struct partition_merge *s, uint32_t i, size_t k) {
    const struct merge_input *in = &s->all->o->inputs[i];
    return &in->manifest->files[s->files[i][k] - in->files];
}

/* The files of an input that reach into the stretch: they ascend and are disjoint, so these are adjacent. */
size_t partition_merge_within(const struct partition_merge *s, uint32_t i, const struct row_stretch *t, size_t *first) {
    const bool of_base = s->base && i == 0;
    const size_t end = of_base ? t->end : s->n_files[i];
    size_t k = of_base ? t->first : 0, n = 0;
    for (; t->span.start.p && k < end; k++)
        if (bytes_cmp(buf_bytes(&partition_merge_entry(s, i, k)->last_row), t->span.start) >= 0) break;
    *first = k;
    for (; k < end; k++, n++)
        if (t->span.stop.p && bytes_cmp(buf_bytes(&partition_merge_entry(s, i, k)->first_row), t->span.stop) >= 0) break;
    return n;
}

/* The part of an input that is in a stretch. */
struct stretch_input {
    uint32_t input;
    size_t first, n;       /* files */
    struct tally *tallies; /* of its files; NULL: their own */
};

/* Everything of a stretch that is merged. */
struct stretch_inputs {
    const struct partition_merge *s;
    const struct row_stretch *t;
    struct stretch_input *list;
    size_t n;
};

static int list_stretch(struct stretch_inputs *l, struct tally *tallies, struct err *err) {
    const struct partition_merge *s = l->s;
    const uint32_t n = s->all->o->n_inputs;
    if (!(l->list = calloc(n + 1, sizeof *l->list))) return err_nomem(err, n * sizeof *l->list, "a merge");
    for (uint32_t i = 0; i < n; tallies += tallies ? s->n_files[i] : 0, i++) {
        struct stretch_input in = {.input = i};
        in.n = partition_merge_within(s, i, l->t, &in.first);
        in.tallies = tallies ? tallies + in.first : NULL;
        if (in.n) l->list[l->n++] = in;
    }
    return 0;
}

static struct source *open_input(const void *arg, size_t k, struct err *err) {
    const struct stretch_inputs *l = arg;
    const struct partition_merge *s = l->s;
    const struct stretch_input *in = &l->list[k];
    const struct chain_opts chain = {.span = &l->t->span,
                                     .blocks = s->base && !in->input ? l->t->blocks : (struct hfile_range){0},
                                     .block_limit = s->all->plan.block_limit,
                                     .family = bytes_str(s->family->name),
                                     .tallies = in->tallies,
                                     .seq = s->all->seqs ? s->all->seqs[in->input] : 0,
                                     .sums = !s->all->o->keeps_all};
    return open_chain(s->files[in->input] + in->first, in->n, &chain, err);
}

/* Returns the memory of the file that takes most: one is open at a time. */
static uint64_t input_bytes(const void *arg, size_t k) {
    const struct stretch_inputs *l = arg;
    const struct stretch_input *in = &l->list[k];
    uint64_t most = 0;
    for (size_t i = in->first; i < in->first + in->n; i++) {
        uint64_t bytes = merge_file_memory(l->s->files[in->input][i], l->s->all->plan.block_limit);
        if (bytes > most) most = bytes;
    }
    return most;
}

static struct source *open_inputs(struct partition_merge *s, const struct row_stretch *t, struct tally *tallies,
                                  struct err *err) {
    struct stretch_inputs l = {.s = s, .t = t};
    const struct merge_levels levels = {.n = list_stretch(&l, tallies, err) ? 0 : l.n,
                                        .open = open_input,
                                        .bytes = s->all->o->width ? input_bytes : NULL,
                                        .arg = &l,
                                        .width = s->all->o->width,
                                        .memory = s->all->scan_bytes,
                                        .tie = s->all->o->tie,
                                        .family = bytes_str(s->family->name),
                                        .job = s->all->o->job};
    struct source *merged = err->code ? NULL : merge_levels_open(&levels, err);
    free(l.list);
    return merged;
}

struct source *partition_merge_open(struct partition_merge *s, const struct row_stretch *t, struct bucket_rules *rules,
                                    size_t row_bytes, struct tally *tallies, struct err *err) {
    struct source *src = open_inputs(s, t, tallies, err);
    if (s->all->o->keeps_all) return src;
    const struct bucket_rules_env env = {s->family, s->all->o->kind, s->all->o->job, row_bytes,
                                         (uint64_t)s->slot.family << 32 | s->slot.partition};
    return src ? bucket_rules_open(rules, &env, src, err) : NULL;
}
