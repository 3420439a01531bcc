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

int dataset_open_part(const char *dir, struct manifest *out, struct err *err) {
    if (manifest_load(dir, out, err)) return -1;
    if (!out->sealed) {
        manifest_free(out);
        return err_set(err, ERR_INPUT,
                       "%s/MANIFEST.json: edited or damaged: its checksum does not match; obkv-verify check %s finds what else "
                       "is wrong, and obkv-import reads its HFiles one by one",
                       dir, dir);
    }
    for (size_t i = 0; i < out->n_files; i++)
        if (check_dataset_file(dir, &out->files[i], err)) {
            manifest_free(out);
            return -1;
        }
    return 0;
}

static int refuse_part(const char *dir, struct manifest *m, struct err *err) {
    const struct manifest_shard *shard = &m->shard;
    const struct manifest_share *share = &m->share;
    err_set(err, ERR_UNSUPPORTED, "%s is %s %u of %u: obkv-split join makes one dataset of all", dir,
            shard->of ? "shard" : "share", shard->of ? shard->number : share->number, shard->of ? shard->of : share->of);
    manifest_free(m);
    return -1;
}

int dataset_refuse_runs(const char *dir, const struct manifest *m, struct err *err) {
    if (!m->n_files || !kept_run_is(m->files[0].path)) return 0;
    return err_set(
        err, ERR_UNSUPPORTED,
        "%s is shard %u of %u of a run that was interrupted, in a form that only joins read: start obkv-import --shards "
        "again as before",
        dir, m->shard.number, m->shard.of);
}

int dataset_open_waiting(const char *dir, struct manifest *out, struct err *err) {
    if (dataset_open_part(dir, out, err)) return -1;
    return out->shard.of || out->share.of ? refuse_part(dir, out, err) : 0;
}

int dataset_open(const char *dir, struct manifest *out, struct err *err) {
    if (dataset_open_or_shard(dir, out, err)) return -1;
    return out->shard.of ? refuse_part(dir, out, err) : 0;
}

int dataset_open_or_shard(const char *dir, struct manifest *out, struct err *err) {
    if (dataset_open_part(dir, out, err)) return -1;
    if (out->share.of) return refuse_part(dir, out, err);
    if (out->n_pending)
        err_set(err, ERR_UNSUPPORTED,
                "%s waits for cells of %zu other dataset%s, first %s; run obkv-compact --base %s with them and --policy all to "
                "complete it",
                dir, out->n_pending, out->n_pending == 1 ? "" : "s", out->pending[0].path, dir);
    else if (!dataset_refuse_runs(dir, out, err))
        return 0;
    manifest_free(out);
    return -1;
}
