#include "engine/fuse_base.h"

#include "base/buf.h"
#include "base/fs.h"

#include <stdlib.h>

/* The bytes of each input that has something here, oldest first. */
static size_t sizes_of(const struct slice_run *s, uint64_t *bytes) {
    size_t n = 0;
    for (uint32_t i = 0; i < s->f->o->n_inputs; i++) {
        if (!s->n_files[i]) continue;
        bytes[n] = 0;
        for (size_t k = 0; k < s->n_files[i]; k++) bytes[n] += fuse_entry(s, i, k)->file_bytes;
        n++;
    }
    return n;
}

/* Every input counts as one file of a store. Only a compaction of all of them is done: markers may go in it. With more of them
 * than one compaction takes, that is due in any case. */
static int decide_left(struct slice_run *s, struct err *err) {
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

static bool stays(const struct slice_run *s, const struct takeover_file *f) {
    return s->left || f->fate == TAKEOVER_TAKEN;
}

static int judge_files(struct slice_run *s, struct err *err) {
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
        s->base[k] = (struct takeover_file){.m = fuse_entry(s, 0, k), .in = s->files[0][k]};
        if (stop_check(o->job->stop, err) || takeover_judge(&env, &s->base[k], err)) return -1;
    }
    for (uint32_t i = 1; !s->left && i < o->n_inputs; i++)
        for (size_t k = 0; k < s->n_files[i]; k++)
            if (takeover_touch(&env, s->base, s->n_files[0], fuse_entry(s, i, k), s->files[i][k], err)) return -1;
    for (size_t k = 0; o->base->verify && k < s->n_files[0]; k++)
        if (stays(s, &s->base[k]) && takeover_verify(&env, &s->base[k], err)) return -1;
    return 0;
}

int fuse_base_judge(struct slice_run *s, struct err *err) {
    return decide_left(s, err) || judge_files(s, err) ? -1 : 0;
}

static void count_taken(struct fuse_slices *l, const struct manifest_file *m, enum link_way way) {
#pragma omp critical(fuse_taken)
    {
        l->taken[way]++;
        tally_add(&l->taken_cells, m->tally);
    }
}

/* Under its new number: the figures are the manifest's, which takeover_judge has held against the file. */
static int take_over(struct slice_run *s, const struct takeover_file *f, struct err *err) {
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

int fuse_base_write(struct slice_run *s, struct err *err) {
    size_t n = s->n_files[0];
    struct buf behind = {0};
    int rc = 0;
    for (struct slice_stretch t = {0}; !rc && t.first <= n; t.first = t.end + 1) {
        t.end = t.first;
        while (t.end < n && !stays(s, &s->base[t.end])) t.end++;
        t.span.stop = t.end < n ? buf_bytes(&s->base[t.end].m->first_row) : (struct bytes){0};
        rc = stop_check(s->f->o->job->stop, err) ? -1 : s->left ? 0 : fuse_write_stretch(s, &t, err);
        if (!rc && t.end < n) rc = take_over(s, &s->base[t.end], err);
        if (!rc && t.end < n) rc = start_behind(&s->base[t.end], &behind, &t.span, err);
    }
    buf_free(&behind);
    return rc;
}

void fuse_base_report(struct slice_run *s, struct err *err) {
    struct fuse_slices *l = s->f->o->base->report;
    struct fuse_slice r = {s->slot.family, s->slot.partition, s->base, s->n_files[0], 0, 0, s->left};
    for (uint32_t i = 1; i < s->f->o->n_inputs; i++)
        for (size_t k = 0; k < s->n_files[i]; k++, r.new_files++) r.new_cells += fuse_entry(s, i, k)->tally.cells;
    if (!r.n_files && !r.new_files) return;
#pragma omp critical(fuse_report)
    {
        if (!grow_array(&l->slices, l->n, sizeof *l->slices, "the report", err)) {
            l->slices[l->n++] = r;
            s->base = NULL;
        }
    }
}
