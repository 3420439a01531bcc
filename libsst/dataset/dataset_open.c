/* Opens a dataset: its manifest, and every file that it lists, which must be there and as long as it says. Nothing of the files
 * is read. A directory is a dataset if it holds a manifest; one that waits for further nights is opened only by who says so. */
#include "dataset/dataset_open.h"
#include "dataset/manifest.h"

#include "base/fs.h"
#include "dataset/publication.h"
#include "sort/kept_run.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

int dataset_is(const char *dir, struct err *err) {
    char *path = publication_recover(dir, err) ? NULL : fs_join(dir, "MANIFEST.json", err);
    int rc = path ? fs_exists(path, err) : -1;
    if (rc < 0 && err->code == ERR_OUTPUT) err->code = ERR_INPUT;
    free(path);
    return rc;
}

int dataset_room(const char *dir, struct list_room *room, struct err *err) {
    char *path = fs_join(dir, "MANIFEST.json", err);
    int rc = path ? list_room_take_file(room, path, DATASET_MANIFESTS, err) : -1;
    free(path);
    return rc;
}

static int check_dataset_file(const char *dir, const struct manifest_file *f, struct err *err) {
    char *path = fs_join(dir, f->path, err);
    if (!path) return -1;
    const uint64_t end = f->offset + f->file_bytes;
    struct stat st;
    int rc = 0;
    if (stat(path, &st))
        rc = err_sys(err, ERR_INPUT, errno, "%s: listed in the manifest", path);
    else if (kept_run_is(path) ? (uint64_t)st.st_size < end : (uint64_t)st.st_size != end)
        rc = err_set(err, ERR_INPUT, "%s: %lld bytes, the manifest says %llu", path, (long long)st.st_size,
                     (unsigned long long)end);
    free(path);
    return rc;
}

static int check_sealed(const char *dir, const struct manifest *m, struct err *err) {
    if (m->sealed) return 0;
    return err_set(err, ERR_INPUT,
                   "%s/MANIFEST.json: edited or damaged: its checksum does not match; obkv-verify check %s finds what else "
                   "is wrong, and obkv-import reads its HFiles one by one",
                   dir, dir);
}

static int check_files(const char *dir, struct dataset_files files, const struct manifest *m, struct err *err) {
    for (size_t i = 0; i < m->n_files; i++)
        if (m->files[i].partition % files.of == files.first && check_dataset_file(dir, &m->files[i], err)) return -1;
    return 0;
}

/* rc: whether m is what was asked for. */
static int accepted(struct manifest *m, int rc) {
    if (rc) manifest_free(m);
    return rc ? -1 : 0;
}

int dataset_open_files(const char *dir, struct dataset_files files, struct list_room *room, struct manifest *out,
                       struct err *err) {
    if (manifest_load(dir, out, err)) return -1;
    return accepted(out, check_sealed(dir, out, err) || check_files(dir, files, out, err) ||
                             (files.first < files.of && pack_list_all(dir, out, files, room, err)));
}

int dataset_open_part(const char *dir, struct manifest *out, struct err *err) {
    return dataset_open_files(dir, DATASET_ALL_FILES, NULL, out, err);
}

static int refuse_part(const char *dir, const struct manifest *m, struct err *err) {
    const struct manifest_shard *shard = &m->shard;
    const struct manifest_share *share = &m->share;
    return err_set(err, ERR_UNSUPPORTED, "%s is %s %u of %u: obkv-split join makes one dataset of all", dir,
                   shard->of ? "shard" : "share", shard->of ? shard->number : share->number, shard->of ? shard->of : share->of);
}

int dataset_refuse_runs(const char *dir, const struct manifest *m, struct err *err) {
    if (!m->n_files || !kept_run_is(m->files[0].path)) return 0;
    return err_set(
        err, ERR_UNSUPPORTED,
        "%s is shard %u of %u of a run that was interrupted, in a form that only joins read: start obkv-import --shards "
        "again as before",
        dir, m->shard.number, m->shard.of);
}

static int refuse_waiting(const char *dir, const struct manifest *m, struct err *err) {
    return err_set(
        err, ERR_UNSUPPORTED,
        "%s waits for cells of %zu other dataset%s, first %s; run obkv-compact --base %s with them and --policy all to "
        "complete it",
        dir, m->n_pending, m->n_pending == 1 ? "" : "s", m->pending[0].path, dir);
}

/* A shard may be. */
static int check_whole(const char *dir, const struct manifest *m, struct err *err) {
    if (m->share.of) return refuse_part(dir, m, err);
    return m->n_pending ? refuse_waiting(dir, m, err) : dataset_refuse_runs(dir, m, err);
}

int dataset_open_waiting(const char *dir, struct manifest *out, struct err *err) {
    if (dataset_open_part(dir, out, err)) return -1;
    return accepted(out, out->shard.of || out->share.of ? refuse_part(dir, out, err) : 0);
}

int dataset_open_or_shard(const char *dir, struct dataset_files files, struct list_room *room, struct manifest *out,
                          struct err *err) {
    if (dataset_open_files(dir, files, room, out, err)) return -1;
    return accepted(out, check_whole(dir, out, err));
}

int dataset_open(const char *dir, struct manifest *out, struct err *err) {
    if (dataset_open_or_shard(dir, DATASET_ALL_FILES, NULL, out, err)) return -1;
    return accepted(out, out->shard.of ? refuse_part(dir, out, err) : 0);
}

int dataset_of_text(const char *name, const char *text, size_t n, struct manifest *out, struct err *err) {
    if (manifest_parse(name, text, n, out, err)) return -1;
    const bool refused = check_sealed(name, out, err) || check_whole(name, out, err);
    return accepted(out, refused || (out->shard.of ? refuse_part(name, out, err) : 0));
}
