/* obkv-import --shards N, started again: which shards are finished? The first one is checked like any output: all inputs are
 * listed and opened. That list is kept, and the manifests of the other shards are compared with it and with the first manifest. A
 * file has not changed if its name, its size and both of its times are the same. So a finished shard takes only the time to read
 * its manifest, however many inputs there are. A shard that differs, or cannot be read, is not judged here: it is checked like
 * the first one. */
#include "cmd/common/input_list.h"
#include "cmd/common/output.h"
#include "cmd/import/import.h"

#include "base/fs.h"
#include "base/outfile.h"
#include "base/remote.h"
#include "cmd/common/join.h"
#include "cmd/import/import_finished.h"
#include "dataset/dataset_open.h"

#include <stdlib.h>
#include <string.h>

enum { PER_ALLOCATION = 16 }; /* bytes that malloc adds */

static int take_input(const struct input_list *l, const struct input *in, struct manifest_input *out, struct err *err) {
    out->path = input_full_path(l, in, err);
    out->file_bytes = in->file_bytes;
    out->mtime_ns = in->mtime_ns;
    out->ctime_ns = in->in_manifest || remote_name(in->path) ? 0 : in->ctime_ns;
    if (in->files) memcpy(out->checksum, in->checksum, sizeof out->checksum);
    return out->path ? 0 : -1;
}

/* The shard's inputs come first in l, then those before it and after it. */
int import_finished_list(struct import_finished *f, const struct input_list *l, uint32_t first, struct err *err) {
    uint32_t all = l->n + l->n_others;
    if (!(f->inputs = calloc((size_t)all + 1, sizeof *f->inputs)))
        return err_nomem(err, all * sizeof *f->inputs, "the list of inputs");
    f->bytes = (all + 1) * sizeof *f->inputs;
    for (uint32_t i = 0; i < all; i++) {
        uint32_t at = i < first ? l->n + i : i < first + l->n ? i - first : i;
        if (take_input(l, &l->inputs[at], &f->inputs[f->n_inputs], err)) return -1;
        f->bytes += strlen(f->inputs[f->n_inputs++].path) + PER_ALLOCATION;
    }
    f->listed = true;
    return 0;
}

/* Text has its checksum only when it was read; stores have that of their list of files. */
static bool same_input(const struct manifest_input *now, const struct manifest_input *then) {
    return !strcmp(now->path, then->path) && now->file_bytes == then->file_bytes && now->mtime_ns == then->mtime_ns &&
           now->ctime_ns == then->ctime_ns && (!now->checksum[0] || !strcmp(now->checksum, then->checksum));
}

static bool same_inputs(const struct import_finished *f, const struct manifest *m) {
    if (m->shard.first > f->n_inputs || m->n_inputs > f->n_inputs - m->shard.first) return false;
    for (size_t i = 0; i < m->n_inputs; i++)
        if (!same_input(&f->inputs[m->shard.first + i], &m->inputs[i])) return false;
    return true;
}

static bool same_settings(const struct manifest *a, const struct manifest *b) {
    return !strcmp(a->tool, b->tool) && json_equal(a->settings, b->settings) && a->now_ms == b->now_ms && a->kind == b->kind;
}

static bool same_run(const struct manifest *a, const struct manifest *b) {
    return same_settings(a, b) && a->shard.of == b->shard.of && a->shard.all == b->shard.all &&
           !strcmp(a->shard.listing, b->shard.listing);
}

/* 1 opened, without its files, which the join reads; 0 there is no dataset that can be read, -1. */
static int open_piece(const char *dir, struct manifest *m, struct err *err) {
    struct err why = {0};
    int there = dataset_is(dir, err);
    if (there <= 0) return there;
    if (!manifest_load_inputs(dir, m, &why)) {
        if (m->sealed) return 1;
        manifest_free(m);
        return 0;
    }
    if (why.code != ERR_LIMIT) return 0;
    err_keep(err, &why);
    return -1;
}

/* Opens a shard as open_piece does, and the first one, too, as f->first. */
static int open_beside_first(struct import_finished *f, const char *dir, struct manifest *m, struct err *err) {
    int rc = f->listed ? open_piece(dir, m, err) : 0;
    if (rc <= 0 || f->first.tool || !manifest_load_inputs(f->first_dir, &f->first, err)) return rc;
    manifest_free(m);
    return -1;
}

int import_finished_is(struct import_finished *f, const char *dir, uint32_t number, bool *is, int *code, struct err *err) {
    struct manifest m;
    *is = false;
    int rc = open_beside_first(f, dir, &m, err);
    if (rc <= 0) return rc;
    *is = m.shard.number == number && same_run(&f->first, &m) && same_inputs(f, &m);
    if (*is && output_success_code(&m.ledger) > *code) *code = output_success_code(&m.ledger);
    manifest_free(&m);
    return 0;
}

/* Checks the files of a shard: they are linked into the output as they are, whatever a loss of power has left of them. */
static int check_files(const char *dir, bool *is, const struct stop *stop, struct err *err) {
    struct manifest m;
    struct err why = {0};
    int rc = dataset_open_part(dir, &m, &why);
    *is = !rc;
    if (rc && why.code == ERR_LIMIT) err_keep(err, &why);
    if (rc) return err->code ? -1 : 0;
    for (size_t i = 0; !rc && *is && i < m.n_files; i++) {
        char sum[17], *path = fs_join(dir, m.files[i].path, err);
        rc = path && !stop_check(stop, err) ? file_sum_of(path, sum, err) : -1;
        *is = !rc && !strcmp(sum, m.files[i].checksum);
        free(path);
    }
    manifest_free(&m);
    return rc;
}

int import_finished_share(struct import_finished *f, const char *dir, const struct join_opts *share, const struct stop *stop,
                          bool *is, struct err *err) {
    struct manifest m;
    *is = false;
    int rc = open_beside_first(f, dir, &m, err);
    if (rc <= 0) return rc;
    *is = m.share.number == share->share && m.share.of == share->shares && m.n_inputs == f->n_inputs &&
          same_settings(&f->first, &m) && same_inputs(f, &m);
    manifest_free(&m);
    return *is ? check_files(dir, is, stop, err) : 0;
}

void import_finished_free(struct import_finished *f) {
    for (size_t i = 0; i < f->n_inputs; i++) free(f->inputs[i].path);
    free(f->inputs);
    manifest_free(&f->first);
    *f = (struct import_finished){0};
}
