/* Lists the files of a shard from the indexes of its packs, which the manifest pins: who opens the shard reads them whole, and a
 * share of a join only the entries of its partitions. */
#include "dataset/pack_list.h"

#include "base/fs.h"
#include "dataset/manifest_order.h"
#include "hfile/block.h"
#include "hfile/pack_index.h"
#include "hfile/pack_member.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { FEW_PARTS = 8 /* shares, beyond which one does not read a whole index */ };

/* Checks that a pack is there, and as long as the manifest says. */
static int check(const char *dir, const struct pack_made *p, struct err *err) {
    char *path = fs_join(dir, p->path, err);
    struct stat st;
    int rc = path ? 0 : -1;
    if (path && stat(path, &st))
        rc = err_sys(err, ERR_INPUT, errno, "%s: listed in the manifest", path);
    else if (path && (uint64_t)st.st_size != p->file_bytes)
        rc = err_set(err, ERR_INPUT, "%s: %lld bytes, the manifest says %llu", path, (long long)st.st_size,
                     (unsigned long long)p->file_bytes);
    free(path);
    return rc;
}

static int add_file(struct manifest *m, const struct pack_made *p, const struct pack_entry *e, struct err *err) {
    struct manifest_file f = {.family = p->family,
                              .partition = e->partition,
                              .number = e->number,
                              .file_bytes = e->bytes,
                              .kv_bytes = e->kv_bytes,
                              .tally = e->tally,
                              .ts_min = e->ts_min,
                              .ts_max = e->ts_max};
    if (e->partition >= m->table.partitioning.count)
        return err_set(err, ERR_INPUT, "%s: the index has partition %u of %u", p->path, e->partition,
                       m->table.partitioning.count);
    snprintf(f.checksum, sizeof f.checksum, "%016llx", (unsigned long long)e->checksum);
    f.path = pack_member_path(p->path, e->partition, e->number, e->offset, e->bytes, err);
    if (f.path && !buf_copy(&f.first_row, e->first_row, err) && !buf_copy(&f.last_row, e->last_row, err) &&
        !manifest_add_file(m, &f, err))
        return 0;
    manifest_file_free(&f);
    return -1;
}

/* The whole index, which must add up to what the manifest says. */
static int list_whole(struct pack_index *x, struct manifest *m, const struct pack_made *p, struct err *err) {
    struct pack_entry e;
    struct tally tally = {0};
    uint64_t bytes = 0, kv_bytes = 0;
    for (uint64_t i = 0; i < x->files; i++) {
        if (pack_index_get(x, i, &e, err) || add_file(m, p, &e, err)) return -1;
        tally_add(&tally, e.tally);
        bytes += e.bytes;
        kv_bytes += e.kv_bytes;
    }
    if (x->files == p->files && bytes == p->data_bytes && bytes == p->index_at && kv_bytes == p->kv_bytes &&
        tally.cells == p->tally.cells && digest_eq(tally.digest, p->tally.digest))
        return 0;
    return err_set(err, ERR_INPUT, "%s: the index does not add up to what the manifest says", x->path);
}

static int list_share(struct pack_index *x, struct manifest *m, const struct pack_made *p, struct dataset_files s,
                      struct err *err) {
    struct pack_entry e;
    for (uint64_t partition = s.first; partition < m->table.partitioning.count; partition += s.of) {
        uint64_t i;
        if (pack_index_find(x, (uint32_t)partition, &i, err)) return -1;
        for (; i < x->files; i++) {
            if (pack_index_get(x, i, &e, err)) return -1;
            if (e.partition != partition) break;
            if (add_file(m, p, &e, err)) return -1;
        }
    }
    return 0;
}

static int read_text(const struct hfile_bytes *file, const char *path, uint64_t from, struct buf *out, struct err *err) {
    const size_t n = (size_t)(file->size - from);
    if (buf_reserve(out, n, err) || hfile_bytes_read(file, out->p, n, from, path, err)) return -1;
    out->n = n;
    return 0;
}

static int list_files(const struct hfile_bytes *file, const char *path, struct manifest *m, const struct pack_made *p,
                      struct dataset_files files, struct err *err) {
    const bool part = files.of > FEW_PARTS;
    struct pack_index x = {0};
    struct buf text = {0};
    int rc = part                                             ? pack_index_of_file(&x, path, file, p->index_at, err)
             : read_text(file, path, p->index_at, &text, err) ? -1
                                                              : pack_index_of_text(&x, path, buf_bytes(&text), p->index_at, err);
    if (!rc && (x.sum != p->index_sum || x.files != p->files))
        rc = err_set(err, ERR_INPUT, "%s: has the index of another pack than the manifest says", path);
    if (!rc) rc = part ? list_share(&x, m, p, files, err) : list_whole(&x, m, p, err);
    pack_index_close(&x);
    buf_free(&text);
    return rc;
}

int pack_list_add(const char *dir, struct manifest *m, size_t i, struct dataset_files files, struct list_room *room,
                  struct err *err) {
    enum { LISTED_BYTES = 384 };
    const struct pack_made *p = &m->packs[i];
    struct hfile_bytes file;
    if (room && list_room_take(room, (p->files / files.of + 1) * LISTED_BYTES, DATASET_MANIFESTS, err)) return -1;
    if (check(dir, p, err)) return -1;
    char *path = fs_join(dir, p->path, err);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    int rc = !path ? -1 : fd < 0 ? err_sys(err, ERR_INPUT, errno, "%s: cannot open", path) : 0;
    if (!rc) rc = hfile_bytes_of_fd(fd, path, &file, err);
    if (!rc) {
        rc = list_files(&file, path, m, p, files, err);
        hfile_bytes_close(&file);
    }
    free(path);
    return rc;
}

int pack_list_all(const char *dir, struct manifest *m, struct dataset_files files, struct list_room *room, struct err *err) {
    for (size_t i = 0; i < m->n_packs; i++)
        if (pack_list_add(dir, m, i, files, room, err)) return -1;
    if (m->n_packs) manifest_order_make(m);
    return 0;
}
