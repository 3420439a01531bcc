/* A shard's manifest names its packs, which are few whatever the number of partitions, and pins the index of each by its
 * checksum. The list of files is in the indexes: who opens the shard reads them, and a share of a join only the entries of its
 * partitions. */
#include "dataset/manifest_packs.h"

#include "base/fs.h"
#include "hfile/block.h"
#include "hfile/pack_index.h"
#include "hfile/pack_member.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { INDEX_MAX_BYTES = 1 << 30, FEW_PARTS = 8 /* shares, beyond which one does not read a whole index */ };

/* ---- the head of a manifest ---- */

static json_t *pack_json(const struct pack_made *p, const struct table *t) {
    char digest[DIGEST_HEX], sum[17];
    digest_print(p->tally.digest, digest);
    snprintf(sum, sizeof sum, "%016llx", (unsigned long long)p->index_sum);
    return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:s}", "path", manifest_text(p->path), "family",
                     manifest_text(t->families[p->family].name), "files", (json_int_t)p->files, "cells",
                     (json_int_t)p->tally.cells, "bytes", (json_int_t)p->file_bytes, "file_bytes", (json_int_t)p->data_bytes,
                     "kv_bytes", (json_int_t)p->kv_bytes, "index_at", (json_int_t)p->index_at, "digest", digest, "index_sum",
                     sum);
}

int manifest_packs_put(const struct manifest *m, json_t *head) {
    if (!m->n_packs) return 0;
    json_t *list = json_array();
    for (size_t i = 0; i < m->n_packs; i++)
        if (json_array_append_new(list, pack_json(&m->packs[i], &m->table))) {
            json_decref(list);
            return -1;
        }
    return json_object_set_new(head, "packs", list);
}

static int parse_place(const json_t *j, const struct table *t, struct pack_made *p, struct err *err) {
    char *family = NULL, *end = NULL;
    const char *sum = json_string_value(json_object_get(j, "index_sum"));
    if (manifest_text_parse(json_object_get(j, "path"), "a path", &p->path, err) ||
        manifest_text_parse(json_object_get(j, "family"), "a family", &family, err))
        return -1;
    const int of = family ? table_family(t, bytes_str(family)) : -1;
    bool good =
        p->path && of >= 0 && manifest_text_is_safe(p->path, family) && pack_member_pack_is(p->path) && sum && strlen(sum) == 16;
    free(family);
    if (good) p->index_sum = strtoull(sum, &end, 16);
    good = good && !*end && p->index_at <= p->file_bytes && p->file_bytes - p->index_at <= INDEX_MAX_BYTES;
    if (!good) return err_set(err, ERR_INPUT, "manifest: the entry of pack '%.100s' is malformed", p->path ? p->path : "");
    p->family = (uint32_t)of;
    return 0;
}

static int parse_pack(const json_t *j, const struct table *t, struct pack_made *p, struct err *err) {
    return manifest_u64(j, "files", &p->files, err) || manifest_u64(j, "bytes", &p->file_bytes, err) ||
                   manifest_u64(j, "file_bytes", &p->data_bytes, err) || manifest_u64(j, "kv_bytes", &p->kv_bytes, err) ||
                   manifest_u64(j, "index_at", &p->index_at, err) || manifest_tally_parse(j, &p->tally, err) ||
                   parse_place(j, t, p, err)
               ? -1
               : 0;
}

int manifest_packs_parse(const json_t *head, struct manifest *m, struct err *err) {
    const json_t *list = json_object_get(head, "packs"), *j;
    size_t i;
    if (!json_array_size(list)) return 0;
    m->packs = calloc(json_array_size(list), sizeof *m->packs);
    if (!m->packs) return err_nomem(err, json_array_size(list) * sizeof *m->packs, "packs");
    json_array_foreach(list, i, j) {
        m->n_packs++;
        if (parse_pack(j, &m->table, &m->packs[i], err)) return -1;
    }
    return 0;
}

void manifest_packs_free(struct manifest *m) {
    for (size_t i = 0; i < m->n_packs; i++) free(m->packs[i].path);
    free(m->packs);
    m->packs = NULL;
    m->n_packs = 0;
}

/* ---- the files in them ---- */

int manifest_packs_check(const char *dir, const struct pack_made *p, struct err *err) {
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

static int list_share(struct pack_index *x, struct manifest *m, const struct pack_made *p, struct pack_share s, struct err *err) {
    struct pack_entry e;
    for (uint64_t partition = s.number - 1; partition < m->table.partitioning.count; partition += s.of) {
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
                      struct pack_share share, struct err *err) {
    const bool part = share.of > FEW_PARTS;
    struct pack_index x = {0};
    struct buf text = {0};
    int rc = part                                             ? pack_index_of_file(&x, path, file, p->index_at, err)
             : read_text(file, path, p->index_at, &text, err) ? -1
                                                              : pack_index_of_text(&x, path, buf_bytes(&text), p->index_at, err);
    if (!rc && (x.sum != p->index_sum || x.files != p->files))
        rc = err_set(err, ERR_INPUT, "%s: has the index of another pack than the manifest says", path);
    if (!rc) rc = part ? list_share(&x, m, p, share, err) : list_whole(&x, m, p, err);
    pack_index_close(&x);
    buf_free(&text);
    return rc;
}

int manifest_packs_list(const char *dir, struct manifest *m, size_t i, struct pack_share share, struct err *err) {
    const struct pack_made *p = &m->packs[i];
    struct hfile_bytes file;
    if (manifest_packs_check(dir, p, err)) return -1;
    char *path = fs_join(dir, p->path, err);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    int rc = !path ? -1 : fd < 0 ? err_sys(err, ERR_INPUT, errno, "%s: cannot open", path) : 0;
    if (!rc) rc = hfile_bytes_of_fd(fd, path, &file, err);
    if (!rc) {
        rc = list_files(&file, path, m, p, share, err);
        hfile_bytes_close(&file);
    }
    free(path);
    return rc;
}

int manifest_packs_list_all(const char *dir, struct manifest *m, struct pack_share share, struct err *err) {
    for (size_t i = 0; i < m->n_packs; i++)
        if (manifest_packs_list(dir, m, i, share, err)) return -1;
    if (m->n_packs) manifest_sort_files(m);
    return 0;
}
