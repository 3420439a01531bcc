/* Reuse of a base in one partition and family: its files are judged (reusable_file.c), those that stay are linked under new
 * numbers, and what is before, between and after them is merged anew.
 *
 *     rows of the base:   [file 0, keeps]   [file 1, new cells]   [file 2, keeps]
 *     new dataset:         stretch  link 0   stretch: 1 + inputs   link 2  stretch
 *
 * With exploring selection a partition may also be left for a later night: then all its files are linked. */
#include "base/link_file.h"
#include "engine/base_reuse.h"
#include "engine/block_reuse.h"
#include "engine/merge_slices.h"
#include "engine/partition_merge.h"

#include "base/fs.h"
#include "base/buf.h"

#include <stdlib.h>

/* The bytes of each input that has something here, oldest first. */
static size_t sizes_of(const struct partition_merge *s, uint64_t *bytes) {
    size_t n = 0;
    for (uint32_t i = 0; i < s->all->o->n_inputs; i++) {
        if (!s->n_files[i]) continue;
        bytes[n] = 0;
        for (size_t k = 0; k < s->n_files[i]; k++) bytes[n] += partition_merge_entry(s, i, k)->file_bytes;
        n++;
    }
    return n;
}

/* Every input counts as one file of a store. Only a compaction of all of them is done: markers may go in it. With more of them
 * than one compaction takes, that is due in any case. */
static int decide_left(struct partition_merge *s, struct err *err) {
    const struct explore_opts *o = s->all->o->base->explore;
    uint64_t *bytes = o ? calloc(s->all->o->n_inputs, sizeof *bytes) : NULL;
    if (!o) return 0;
    if (!bytes) return err_nomem(err, 0, "sizes of inputs");
    size_t n = sizes_of(s, bytes);
    struct explore_selection sel = explore_select(bytes, n, o);
    s->left = s->n_files[0] && sel.n < n && n <= o->max_files;
    free(bytes);
    return 0;
}

/* Returns whether files of the base have cells that today's rules have not judged: the new file says of all its cells that they
 * have. */
static bool needs_rules(const struct partition_merge *s) {
    for (size_t k = 0; k < s->n_files[0]; k++) {
        enum reuse_verdict verdict = s->base[k].verdict;
        if (verdict == REUSE_FOREIGN || verdict == REUSE_NO_RULES || verdict == REUSE_RULES) return true;
    }
    return false;
}

static bool stays(const struct partition_merge *s, const struct base_file *f) {
    return s->left || f->verdict == REUSE_TAKEN;
}

/* A file that becomes one of its own: linked, or written with copied blocks. */
static bool stays_a_file(const struct partition_merge *s, const struct base_file *f) {
    return stays(s, f) || f->copied.n;
}

/* Blocks of files that are rewritten because of new cells. */
static int find_blocks(struct partition_merge *s, const struct reuse_env *env, struct err *err) {
    for (size_t k = 0; !s->left && s->all->out && k < s->n_files[0]; k++)
        if (block_reuse_find(s, env, &s->base[k], err)) return -1;
    return 0;
}

static int judge_files(struct partition_merge *s, struct err *err) {
    const struct merge_datasets_opts *o = s->all->o;
    const struct reuse_env env = {.job = o->job,
                                  .block_limit = s->all->plan.block_limit,
                                  .rules = s->family->rules,
                                  .kind = o->kind,
                                  .base_now_ms = o->inputs[0].manifest->now_ms,
                                  .earliest_put_ms = s->rules.earliest_put_ms,
                                  .base_expired = s->rules.expired[0]};
    s->base = calloc(s->n_files[0] + 1, sizeof *s->base);
    if (!s->base) return err_nomem(err, s->n_files[0] * sizeof *s->base, "the files of the base");
    for (size_t k = 0; k < s->n_files[0]; k++) {
        s->base[k] = (struct base_file){.m = partition_merge_entry(s, 0, k), .in = s->files[0][k]};
        if (stop_check(o->job->stop, err) || reuse_judge(&env, &s->base[k], err)) return -1;
    }
    s->left = s->left && !needs_rules(s);
    for (uint32_t i = 1; !s->left && i < o->n_inputs; i++)
        for (size_t k = 0; k < s->n_files[i]; k++)
            if (reuse_mark_new_cells(&env, s->base, s->n_files[0], partition_merge_entry(s, i, k), s->files[i][k], err))
                return -1;
    if (find_blocks(s, &env, err)) return -1;
    for (size_t k = 0; o->base->verify && k < s->n_files[0]; k++)
        if (stays_a_file(s, &s->base[k]) && reuse_verify(&env, &s->base[k], err)) return -1;
    return 0;
}

int base_reuse_judge(struct partition_merge *s, struct err *err) {
    return decide_left(s, err) || judge_files(s, err) ? -1 : 0;
}

static void count_linked(struct dataset_merge *all, const struct manifest_file *m, enum link_way way) {
    struct base_outcomes *l = all->o->base->report;
    pthread_mutex_lock(&all->base_lock);
    l->taken[way]++;
    tally_add(&l->taken_cells, m->tally);
    pthread_mutex_unlock(&all->base_lock);
}

/* Links a file of the base under its new number: the figures are those of the manifest, which reuse_judge has compared with the
 * file. */
static int link_base_file(struct partition_merge *s, const struct base_file *f, struct err *err) {
    struct manifest_file m = *f->m;
    struct dataset_merge *all = s->all;
    m.first_row = m.last_row = (struct buf){0};
    m.family = s->slot.family;
    m.number = s->number++;
    m.path = partition_file_path(&s->slot, m.number, err);
    char *to = m.path ? fs_join(all->output.dir, m.path, err) : NULL;
    int rc = to ? link_file(f->in->path, to, all->output.quota, &m.taken, err) : -1;
    if (!rc) rc = buf_copy(&m.first_row, buf_bytes(&f->m->first_row), err);
    if (!rc) rc = buf_copy(&m.last_row, buf_bytes(&f->m->last_row), err);
    if (!rc) rc = written_files_add(&all->out->files, &m, err);
    free(to);
    if (rc) {
        buf_free(&m.first_row);
        buf_free(&m.last_row);
        free(m.path);
        return -1;
    }
    written_files_count(&all->out->files, &(struct file_counts){f->info.deletes, 0, 0, INT64_MAX}); /* times are not known */
    count_linked(all, f->m, m.taken);
    f->in->tally = f->m->tally;
    f->in->records = f->m->tally.cells;
    tally_add(&s->rules.ledger.dropped[VERDICT_KEEP], f->m->tally);
    return 0;
}

static int make_file(struct partition_merge *s, size_t k, struct err *err) {
    return s->base[k].copied.n ? block_reuse_write(s, k, err) : link_base_file(s, &s->base[k], err);
}

/* The stretch starts at the least row after the last row of the previous file; its first row is the stop row of the stretch
 * before. */
static int start_after(const struct base_file *f, struct buf *row, struct row_span *span, struct err *err) {
    if (reuse_row_after(row, buf_bytes(&f->m->last_row), err)) return -1;
    span->start = buf_bytes(row);
    return 0;
}

int base_reuse_write(struct partition_merge *s, struct err *err) {
    size_t n = s->n_files[0];
    struct buf after = {0};
    int rc = 0;
    for (struct row_stretch t = {0}; !rc && t.first <= n; t.first = t.end + 1) {
        t.end = t.first;
        while (t.end < n && !stays_a_file(s, &s->base[t.end])) t.end++;
        t.span.stop = t.end < n ? buf_bytes(&s->base[t.end].m->first_row) : (struct bytes){0};
        rc = stop_check(s->all->o->job->stop, err) ? -1 : s->left ? 0 : partition_merge_write(s, &t, err);
        if (!rc && t.end < n) rc = make_file(s, t.end, err);
        if (!rc && t.end < n) rc = start_after(&s->base[t.end], &after, &t.span, err);
    }
    buf_free(&after);
    return rc;
}

void base_reuse_report(struct partition_merge *s, struct err *err) {
    struct base_outcomes *l = s->all->o->base->report;
    struct base_outcome r = {s->slot.family, s->slot.partition, s->base, s->n_files[0], 0, 0, s->left};
    for (uint32_t i = 1; i < s->all->o->n_inputs; i++)
        for (size_t k = 0; k < s->n_files[i]; k++, r.new_files++) r.new_cells += partition_merge_entry(s, i, k)->tally.cells;
    if (!r.n_files && !r.new_files) return;
    pthread_mutex_lock(&s->all->base_lock);
    if (!grow_array(&l->partitions, l->n, sizeof *l->partitions, "the report", err)) {
        l->partitions[l->n++] = r;
        s->base = NULL;
    }
    pthread_mutex_unlock(&s->all->base_lock);
}
