/* One HFile as text and JSON: what it is, trailer, file info, bloom filters, and on request every entry of its index and every
 * block. Trailer fields are called as HBase prints them. All of it comes from the public reader (sst/file.h). */
#include "cmd/common/report_figures.h"
#include "cmd/verify/info/info.h"

#include "base/json.h"
#include "cmd/common/output_text.h"
#include "cmd/verify/info/info_hfile.h"
#include "cmd/verify/info/info_text.h"
#include "dataset/manifest_json.h"

#include <stdio.h>
#include <stdlib.h>

static int put_head(const sst_file_info *i, struct buf *out, struct err *err) {
    char a[32], b[32];
    sst_cell first = {0}, last = {0};
    sst_error none;
    if (i->first_key.size) sst_key_parse(i->first_key.data, i->first_key.size, &first, &none);
    if (i->last_key.size) sst_key_parse(i->last_key.data, i->last_key.size, &last, &none);
    if (buf_printf(out, err, "%s: HFile v%u.%u, %s cell%s, %s\n", i->name, i->major, i->minor, report_count(i->cells, a),
                   i->cells == 1 ? "" : "s", report_bytes(i->file_bytes, b)))
        return -1;
    if (buf_printf(out, err, "  %-22s %s\n  %-22s %s\n", "codec", i->codec, "encoding", i->encoding)) return -1;
    if (buf_printf(out, err, "  %-22s %.*s\n", "bloom", i->bloom.size ? (int)i->bloom.size : 4,
                   i->bloom.size ? (const char *)i->bloom.data : "NONE"))
        return -1;
    if (buf_printf(out, err, "  %-22s tags %s, mvcc %s (largest %llu)\n", "cells carry", i->has_tags ? "yes" : "no",
                   i->has_sequence ? "yes" : "no", (unsigned long long)i->max_sequence))
        return -1;
    if (buf_printf(out, err, "  %-22s ", "first row") || info_put_bytes(out, info_bytes(first.row), err)) return -1;
    if (buf_printf(out, err, "\n  %-22s ", "last row") || info_put_bytes(out, info_bytes(last.row), err)) return -1;
    return buf_put_byte(out, '\n', err);
}

/* The middle key; -1 and why: the index is damaged. *key is freed by the caller. */
static int read_mid_key(const sst_file *f, struct buf *key, sst_error *damage, struct err *err) {
    enum { USUAL_BYTES = 4096 };
    size_t n = USUAL_BYTES, room;
    damage->code = SST_OK;
    do {
        room = n;
        if (buf_reserve(key, room, err)) return -1;
        if (sst_file_mid_key(f, key->p, room, &n, damage)) return 0;
    } while (n > room);
    key->n = n;
    return 0;
}

/* Writes the middle key. If the index is damaged, its error is printed in place of the key. */
static int put_mid_key(const sst_file *f, struct buf *out, struct err *err) {
    struct buf key = {0};
    sst_error damage;
    int rc = read_mid_key(f, &key, &damage, err);
    if (!rc) rc = buf_printf(out, err, "  %-22s ", "mid key");
    if (!rc && damage.code == SST_LIMIT)
        rc = err_set(err, ERR_LIMIT, "%s", damage.text);
    else if (!rc && damage.code)
        rc = buf_printf(out, err, "%s", damage.text);
    else if (!rc && key.n)
        rc = info_put_key(out, buf_bytes(&key), err);
    buf_free(&key);
    return rc ? -1 : buf_put_byte(out, '\n', err);
}

static int put_field(struct buf *out, const char *name, uint64_t v, struct err *err) {
    /* -1 stands for "none" in offsets */
    return buf_printf(out, err, "  %-34s %lld\n", name, (long long)v);
}

static int put_trailer(const sst_file *f, struct buf *out, struct err *err) {
    const sst_file_info *t = sst_file_get_info(f);
    if (buf_printf(out, err, " trailer:\n") || put_field(out, "fileinfoOffset", t->file_info_offset, err)) return -1;
    if (put_field(out, "loadOnOpenDataOffset", t->load_on_open_offset, err)) return -1;
    if (put_field(out, "dataIndexCount", t->data_index_entries, err)) return -1;
    if (put_field(out, "metaIndexCount", t->meta_index_entries, err)) return -1;
    if (put_field(out, "totalUncompressedBytes", t->total_unpacked_bytes, err)) return -1;
    if (put_field(out, "entryCount", t->cells, err)) return -1;
    if (put_field(out, "uncompressedDataIndexSize", t->index_unpacked_bytes, err)) return -1;
    if (put_field(out, "numDataIndexLevels", t->index_levels, err)) return -1;
    if (put_field(out, "firstDataBlockOffset", t->first_data_offset, err)) return -1;
    if (put_field(out, "lastDataBlockOffset", t->last_data_offset, err)) return -1;
    return buf_printf(out, err, "  %-34s %s\n", "comparatorClassName", sst_file_get_info(f)->comparator);
}

static int put_file_info(const sst_file *f, struct buf *out, struct err *err) {
    size_t n;
    const sst_pair *pairs = sst_file_pairs(f, &n);
    if (buf_printf(out, err, " file info:\n")) return -1;
    for (size_t k = 0; k < n; k++) {
        struct bytes key = info_bytes(pairs[k].key);
        if (buf_printf(out, err, "  %-34.*s ", (int)key.n, (const char *)key.p)) return -1;
        if (info_put_value(out, f, &pairs[k], err) || buf_put_byte(out, '\n', err)) return -1;
    }
    return 0;
}

static int put_bloom(const char *title, const sst_bloom *b, struct buf *out, struct err *err) {
    if (!b) return buf_printf(out, err, " %s: not present\n", title);
    const sst_bloom_info *i = sst_bloom_get_info(b);
    char size[32], keys[32], room[32];
    if (buf_printf(out, err, " %s:\n  %-34s %s\n", title, "size", report_bytes(i->bytes, size))) return -1;
    if (buf_printf(out, err, "  %-34s %s, room for %s (%.2f %% filled)\n", "keys", report_count(i->keys, keys),
                   report_count(i->max_keys, room), i->max_keys ? 100.0 * (double)i->keys / (double)i->max_keys : 0.0))
        return -1;
    if (buf_printf(out, err, "  %-34s %u\n  %-34s %u, %s\n", "chunks", i->chunks, "hashes", i->hashes, i->hash)) return -1;
    return buf_printf(out, err, "  %-34s %.*s\n", "comparator", i->comparator.size ? (int)i->comparator.size : 11,
                      i->comparator.size ? (const char *)i->comparator.data : "plain bytes");
}

struct blooms {
    sst_bloom *general, *family_deletes;
};

static int open_blooms(const sst_file *f, struct blooms *b, struct err *err) {
    sst_error error;
    *b = (struct blooms){.general = sst_bloom_open(f, 0, &error)};
    if (!error.code) b->family_deletes = sst_bloom_open(f, 1, &error);
    return error.code ? info_error(err, &error) : 0;
}

static void close_blooms(struct blooms *b) {
    sst_bloom_close(b->general);
    sst_bloom_close(b->family_deletes);
}

int info_hfile_text(const sst_file *f, struct buf *out, struct err *err) {
    struct blooms b;
    int rc = open_blooms(f, &b, err);
    if (!rc) rc = put_head(sst_file_get_info(f), out, err);
    if (!rc) rc = put_mid_key(f, out, err);
    if (!rc) rc = put_trailer(f, out, err);
    if (!rc) rc = put_file_info(f, out, err);
    if (!rc) rc = put_bloom("bloom filter", b.general, out, err);
    if (!rc) rc = put_bloom("delete family bloom filter", b.family_deletes, out, err);
    close_blooms(&b);
    return rc;
}

/* ---- JSON ---- */

static json_t *bloom_json(const sst_bloom *b) {
    if (!b) return json_null();
    const sst_bloom_info *i = sst_bloom_get_info(b);
    return json_new(JSON("bytes", i->bytes), JSON("keys", i->keys), JSON("max_keys", i->max_keys), JSON("chunks", i->chunks),
                    JSON("hashes", i->hashes), JSON("hash", i->hash),
                    JSON("comparator", info_text_json(info_put_bytes, info_bytes(i->comparator))));
}

static json_t *trailer_json(const sst_file *f) {
    const sst_file_info *t = sst_file_get_info(f);
    return json_new(JSON("fileinfoOffset", t->file_info_offset), JSON("loadOnOpenDataOffset", t->load_on_open_offset),
                    JSON("dataIndexCount", t->data_index_entries), JSON("metaIndexCount", t->meta_index_entries),
                    JSON("totalUncompressedBytes", t->total_unpacked_bytes), JSON("entryCount", t->cells),
                    JSON("uncompressedDataIndexSize", t->index_unpacked_bytes), JSON("numDataIndexLevels", t->index_levels),
                    JSON("firstDataBlockOffset", t->first_data_offset), JSON("lastDataBlockOffset", t->last_data_offset));
}

/* Names of pairs are ASCII in all files that HBase writes. */
static void put_pairs(const sst_file *f, json_t *decoded, json_t *hex) {
    size_t n;
    const sst_pair *pairs = sst_file_pairs(f, &n);
    for (size_t k = 0; k < n; k++) {
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)pairs[k].key.size, (const char *)pairs[k].key.data);
        for (char *p = name; *p; p++)
            if ((unsigned char)*p >= 0x80) *p = '?';
        json_put(decoded, JSON(name, info_value_json(f, &pairs[k])));
        json_put(hex, JSON(name, manifest_hex(info_bytes(pairs[k].value))));
    }
}

static const char *bloom_name(uint32_t kind) {
    static const char *const names[] = {"NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"};
    return names[kind < countof(names) ? kind : 0];
}

static json_t *make_json(const sst_file *f, const struct blooms *b, const struct buf *mid_key) {
    const sst_file_info *i = sst_file_get_info(f);
    char version[32];
    snprintf(version, sizeof version, "%u.%u", i->major, i->minor);
    json_t *decoded = json_object(), *hex = json_object();
    put_pairs(f, decoded, hex);
    json_t *j = json_new(JSON("path", json_text(i->name)), JSON("kind", "hfile"), JSON("version", version),
                         JSON("cells", i->cells), JSON("bytes", i->file_bytes), JSON("codec", i->codec),
                         JSON("encoding", i->encoding), JSON("bloom", bloom_name(i->bloom_kind)),
                         JSON("index_levels", i->index_levels), JSON("comparator", json_text(i->comparator)),
                         JSON("tags", json_boolean(i->has_tags)), JSON("mvcc", json_boolean(i->has_sequence)),
                         JSON("max_mvcc", i->max_sequence), JSON("first_key_hex", manifest_hex(info_bytes(i->first_key))),
                         JSON("last_key_hex", manifest_hex(info_bytes(i->last_key))),
                         JSON("mid_key_hex", manifest_hex(buf_bytes(mid_key))));
    json_put(j, JSON("first_key", info_text_json(info_put_key, info_bytes(i->first_key))),
             JSON("last_key", info_text_json(info_put_key, info_bytes(i->last_key))),
             JSON("mid_key", info_text_json(info_put_key, buf_bytes(mid_key))), JSON("trailer", trailer_json(f)),
             JSON("bloom_filter", bloom_json(b->general)), JSON("delete_family_bloom_filter", bloom_json(b->family_deletes)),
             JSON("file_info", decoded), JSON("file_info_hex", hex));
    return j;
}

json_t *info_hfile_json(const sst_file *f, struct err *err) {
    struct blooms b;
    struct buf mid_key = {0};
    sst_error damage;
    json_t *j = NULL;
    if (open_blooms(f, &b, err) == 0) {
        if (read_mid_key(f, &mid_key, &damage, err) == 0) j = make_json(f, &b, &mid_key);
        if (!j && !err->code) err_nomem(err, 0, "the result document");
    }
    close_blooms(&b);
    buf_free(&mid_key);
    return j;
}

/* ---- lists of index entries and blocks, written as they are read ---- */

struct list {
    const sst_file *f;
    struct info_out *out;
    bool json;
    struct err *err; /* of a visit that fails */
};

/* 1 ends the walk: the output is no longer read, or l->err says why. */
static int next_line(struct list *l) {
    if (info_out_write(l->out, false, l->err)) return 1;
    return l->out->gone ? 1 : 0;
}

static int put_json_line(struct list *l, json_t *j, struct err *err) {
    char *text = json_memory_dump(j, JSON_COMPACT, "a line of JSON", err);
    if (!text) return -1;
    int rc = buf_printf(&l->out->text, err, "%s\n", text);
    free(text);
    return rc;
}

/* ---- index ---- */

static json_t *entry_json(const struct list *l, const sst_index_entry *e) {
    return json_new(JSON("path", json_text(sst_file_get_info(l->f)->name)), JSON("kind", "index_entry"),
                    JSON("offset", e->offset), JSON("disk_bytes", e->disk_bytes),
                    JSON("key", info_text_json(info_put_key, info_bytes(e->key))),
                    JSON("key_hex", manifest_hex(info_bytes(e->key))));
}

static int visit_entry(void *context, const sst_index_entry *e) {
    struct list *l = context;
    struct buf *out = &l->out->text;
    if (l->json) return put_json_line(l, entry_json(l, e), l->err) ? 1 : next_line(l);
    if (buf_printf(out, l->err, "  %14llu %12u  ", (unsigned long long)e->offset, (unsigned)e->disk_bytes)) return 1;
    if (info_put_key(out, info_bytes(e->key), l->err) || buf_put_byte(out, '\n', l->err)) return 1;
    return next_line(l);
}

int info_list_index(const sst_file *f, bool json, struct info_out *out, struct err *err) {
    struct list l = {f, out, json, err};
    sst_error error;
    const sst_file_info *t = sst_file_get_info(f);
    if (!json && buf_printf(&out->text, err, " block index (levels: %u, entries in the root: %u):\n  %14s %12s  %s\n",
                            t->index_levels, t->data_index_entries, "offset", "on disk", "key"))
        return -1;
    if (sst_file_walk_index(f, visit_entry, &l, &error) < 0) return info_error(err, &error);
    return err->code ? -1 : 0;
}

/* ---- blocks ---- */

static json_t *block_json(const struct list *l, const sst_block *b) {
    json_t *j = json_new(JSON("path", json_text(sst_file_get_info(l->f)->name)), JSON("kind", "block"), JSON("offset", b->offset),
                         JSON("type", b->kind_name), JSON("disk_bytes", b->disk_bytes),
                         JSON("disk_bytes_without_header", b->payload_bytes), JSON("plain_bytes", b->plain_bytes),
                         JSON("prev_offset", b->prev_offset), JSON("checksum", b->checksum),
                         JSON("bytes_per_checksum", b->bytes_per_checksum), JSON("summed_bytes", b->summed_bytes));
    if (b->kind == SST_BLOCK_ENCODED_DATA) json_object_set_new(j, "encoding", json_string(b->encoding_name));
    return j;
}

static int visit_block(void *context, const sst_block *b) {
    struct list *l = context;
    if (l->json) return put_json_line(l, block_json(l, b), l->err) ? 1 : next_line(l);
    if (buf_printf(&l->out->text, l->err, "  %14llu %-9s %12u %12u %14lld  %-8s %10u%s%s\n", (unsigned long long)b->offset,
                   b->kind_name, (unsigned)b->disk_bytes, (unsigned)b->plain_bytes, (long long)b->prev_offset, b->checksum,
                   b->bytes_per_checksum, b->kind == SST_BLOCK_ENCODED_DATA ? "  " : "",
                   b->kind == SST_BLOCK_ENCODED_DATA ? b->encoding_name : ""))
        return 1;
    return next_line(l);
}

int info_list_blocks(const sst_file *f, bool json, struct info_out *out, struct err *err) {
    struct list l = {f, out, json, err};
    sst_error error;
    if (!json && buf_printf(&out->text, err, " block headers:\n  %14s %-9s %12s %12s %14s  %-8s %10s\n", "offset", "type",
                            "on disk", "payload", "previous", "checksum", "bytes per"))
        return -1;
    if (sst_file_walk_blocks(f, visit_block, &l, &error) < 0) return info_error(err, &error);
    return err->code ? -1 : 0;
}
