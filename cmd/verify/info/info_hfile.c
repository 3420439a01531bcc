/* One HFile: what it is, trailer, file info and bloom filters. Trailer fields are called as HBase prints them. */
#include "base/bytes.h"
#include "cell/keyvalue.h"
#include "cmd/common/output_text.h"
#include "cmd/verify/info/info.h"
#include "dataset/manifest_value.h"
#include "hfile/bloom.h"

#include <stdio.h>

static int put_head(const struct hfile_info *i, struct buf *out, struct err *err) {
    char a[32], b[32];
    struct kv_key first = {0}, last = {0};
    if (i->first_key.n) kv_key_parse(i->first_key, &first);
    if (i->last_key.n) kv_key_parse(i->last_key, &last);
    if (buf_printf(out, err, "%s: HFile v%u.%u, %s cells, %s\n", i->path, i->major, i->minor, report_count(i->cells, a),
                   report_bytes(i->file_bytes, b)))
        return -1;
    if (buf_printf(out, err, "  %-22s %s\n  %-22s %s\n", "codec", hfile_codec_name(i->codec), "encoding",
                   hfile_encoding_name(i->encoding)))
        return -1;
    if (buf_printf(out, err, "  %-22s %.*s\n", "bloom", i->bloom_type_name.n ? (int)i->bloom_type_name.n : 4,
                   i->bloom_type_name.n ? (const char *)i->bloom_type_name.p : "NONE"))
        return -1;
    if (buf_printf(out, err, "  %-22s tags %s, mvcc %s (largest %llu)\n", "cells carry", i->has_tags ? "yes" : "no",
                   i->has_mvcc ? "yes" : "no", (unsigned long long)i->max_mvcc))
        return -1;
    if (buf_printf(out, err, "  %-22s ", "first row") || info_put_bytes(out, first.row, err)) return -1;
    if (buf_printf(out, err, "\n  %-22s ", "last row") || info_put_bytes(out, last.row, err)) return -1;
    return buf_put_byte(out, '\n', err);
}

/* An index that is damaged is told where the key would stand. */
static int put_mid_key(const struct hfile *h, struct buf *out, struct err *err) {
    struct buf key = {0};
    struct err damage = {0};
    int rc = buf_printf(out, err, "  %-22s ", "mid key");
    if (!rc && hfile_mid_key(h, &key, &damage))
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

static int put_trailer(const struct hfile *h, struct buf *out, struct err *err) {
    const struct trailer *t = hfile_trailer(h);
    if (buf_printf(out, err, " trailer:\n") || put_field(out, "fileinfoOffset", t->file_info_offset, err)) return -1;
    if (put_field(out, "loadOnOpenDataOffset", t->load_on_open_offset, err)) return -1;
    if (put_field(out, "dataIndexCount", t->data_index_count, err)) return -1;
    if (put_field(out, "metaIndexCount", t->meta_index_count, err)) return -1;
    if (put_field(out, "totalUncompressedBytes", t->total_plain_bytes, err)) return -1;
    if (put_field(out, "entryCount", t->entry_count, err)) return -1;
    if (put_field(out, "uncompressedDataIndexSize", t->index_plain_bytes, err)) return -1;
    if (put_field(out, "numDataIndexLevels", t->index_levels, err)) return -1;
    if (put_field(out, "firstDataBlockOffset", t->first_data_offset, err)) return -1;
    if (put_field(out, "lastDataBlockOffset", t->last_data_offset, err)) return -1;
    return buf_printf(out, err, "  %-34s %s\n", "comparatorClassName", hfile_info(h)->comparator);
}

static int put_file_info(const struct hfile *h, struct buf *out, struct err *err) {
    const struct hfile_info *i = hfile_info(h);
    if (buf_printf(out, err, " file info:\n")) return -1;
    for (size_t k = 0; k < i->n_pairs; k++) {
        struct bytes key = i->pairs[k].key;
        if (buf_printf(out, err, "  %-34.*s ", (int)key.n, (const char *)key.p)) return -1;
        if (info_put_value(out, h, &i->pairs[k], err) || buf_put_byte(out, '\n', err)) return -1;
    }
    return 0;
}

static int put_bloom(const char *title, const struct hfile_bloom_reader *b, struct buf *out, struct err *err) {
    if (!b) return buf_printf(out, err, " %s: not present\n", title);
    struct hfile_bloom_facts f = hfile_bloom_facts(b);
    char size[32], keys[32], room[32];
    if (buf_printf(out, err, " %s:\n  %-34s %s\n", title, "size", report_bytes(f.bytes, size))) return -1;
    if (buf_printf(out, err, "  %-34s %s, room for %s (%.2f %% filled)\n", "keys", report_count(f.keys, keys),
                   report_count(f.max_keys, room), f.max_keys ? 100.0 * (double)f.keys / (double)f.max_keys : 0.0))
        return -1;
    if (buf_printf(out, err, "  %-34s %u\n  %-34s %u, %s\n", "chunks", f.chunks, "hashes", f.hash_count, f.hash)) return -1;
    return buf_printf(out, err, "  %-34s %.*s\n", "comparator", f.comparator.n ? (int)f.comparator.n : 11,
                      f.comparator.n ? (const char *)f.comparator.p : "plain bytes");
}

struct blooms {
    struct hfile_bloom_reader *general, *family_deletes;
};

static int open_blooms(const struct hfile *h, struct blooms *b, struct err *err) {
    *b = (struct blooms){.general = hfile_bloom_open(h, err)};
    if (!err->code) b->family_deletes = hfile_bloom_open_deletes(h, err);
    return err->code ? -1 : 0;
}

static void close_blooms(struct blooms *b) {
    hfile_bloom_close(b->general);
    hfile_bloom_close(b->family_deletes);
}

int info_hfile_text(const struct hfile *h, struct buf *out, struct err *err) {
    struct blooms b;
    int rc = open_blooms(h, &b, err);
    if (!rc) rc = put_head(hfile_info(h), out, err);
    if (!rc) rc = put_mid_key(h, out, err);
    if (!rc) rc = put_trailer(h, out, err);
    if (!rc) rc = put_file_info(h, out, err);
    if (!rc) rc = put_bloom("bloom filter", b.general, out, err);
    if (!rc) rc = put_bloom("delete family bloom filter", b.family_deletes, out, err);
    close_blooms(&b);
    return rc;
}

/* ---- JSON ---- */

static json_t *bloom_json(const struct hfile_bloom_reader *b) {
    if (!b) return json_null();
    struct hfile_bloom_facts f = hfile_bloom_facts(b);
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:s, s:o}", "bytes", (json_int_t)f.bytes, "keys", (json_int_t)f.keys, "max_keys",
                     (json_int_t)f.max_keys, "chunks", (json_int_t)f.chunks, "hashes", (json_int_t)f.hash_count, "hash", f.hash,
                     "comparator", info_text_json(info_put_bytes, f.comparator));
}

static json_t *trailer_json(const struct hfile *h) {
    const struct trailer *t = hfile_trailer(h);
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "fileinfoOffset", (json_int_t)t->file_info_offset,
                     "loadOnOpenDataOffset", (json_int_t)t->load_on_open_offset, "dataIndexCount",
                     (json_int_t)t->data_index_count, "metaIndexCount", (json_int_t)t->meta_index_count, "totalUncompressedBytes",
                     (json_int_t)t->total_plain_bytes, "entryCount", (json_int_t)t->entry_count, "uncompressedDataIndexSize",
                     (json_int_t)t->index_plain_bytes, "numDataIndexLevels", (json_int_t)t->index_levels, "firstDataBlockOffset",
                     (json_int_t)t->first_data_offset, "lastDataBlockOffset", (json_int_t)t->last_data_offset);
}

/* Names of pairs are ASCII in all files that HBase writes. */
static void put_pairs(const struct hfile *h, json_t *decoded, json_t *hex) {
    const struct hfile_info *i = hfile_info(h);
    for (size_t k = 0; k < i->n_pairs; k++) {
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)i->pairs[k].key.n, (const char *)i->pairs[k].key.p);
        for (char *p = name; *p; p++)
            if ((unsigned char)*p >= 0x80) *p = '?';
        json_object_set_new(decoded, name, info_value_json(h, &i->pairs[k]));
        json_object_set_new(hex, name, manifest_hex(i->pairs[k].value));
    }
}

static json_t *make_json(const struct hfile *h, const struct blooms *b, const struct buf *mid_key) {
    const struct hfile_info *i = hfile_info(h);
    char version[32];
    snprintf(version, sizeof version, "%u.%u", i->major, i->minor);
    json_t *decoded = json_object(), *hex = json_object();
    put_pairs(h, decoded, hex);
    json_t *j =
        json_pack("{s:o, s:s, s:s, s:I, s:I, s:s, s:s, s:s, s:I, s:o, s:b, s:b, s:I, s:o, s:o, s:o}", "path", json_text(i->path),
                  "kind", "hfile", "version", version, "cells", (json_int_t)i->cells, "bytes", (json_int_t)i->file_bytes, "codec",
                  hfile_codec_name(i->codec), "encoding", hfile_encoding_name(i->encoding), "bloom", bloom_kind_name(i->bloom),
                  "index_levels", (json_int_t)i->index_levels, "comparator", json_text(i->comparator), "tags", (int)i->has_tags,
                  "mvcc", (int)i->has_mvcc, "max_mvcc", (json_int_t)i->max_mvcc, "first_key_hex", manifest_hex(i->first_key),
                  "last_key_hex", manifest_hex(i->last_key), "mid_key_hex", manifest_hex(buf_bytes(mid_key)));
    json_object_set_new(j, "first_key", info_text_json(info_put_key, i->first_key));
    json_object_set_new(j, "last_key", info_text_json(info_put_key, i->last_key));
    json_object_set_new(j, "mid_key", info_text_json(info_put_key, buf_bytes(mid_key)));
    json_object_set_new(j, "trailer", trailer_json(h));
    json_object_set_new(j, "bloom_filter", bloom_json(b->general));
    json_object_set_new(j, "delete_family_bloom_filter", bloom_json(b->family_deletes));
    json_object_set_new(j, "file_info", decoded);
    json_object_set_new(j, "file_info_hex", hex);
    return j;
}

json_t *info_hfile_json(const struct hfile *h, struct err *err) {
    struct blooms b;
    struct buf mid_key = {0};
    struct err damage = {0};
    json_t *j = NULL;
    if (open_blooms(h, &b, err) == 0) {
        if (hfile_mid_key(h, &mid_key, &damage)) buf_clear(&mid_key);
        j = make_json(h, &b, &mid_key);
        if (!j) err_nomem(err, 0, "the result document");
    }
    close_blooms(&b);
    buf_free(&mid_key);
    return j;
}
