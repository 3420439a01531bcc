/* Every entry of the index, every block: written as they are read. */
#include "cmd/verify/info/info.h"
#include "cmd/common/output_text.h"
#include "dataset/manifest_value.h"

#include <stdlib.h>

struct list {
    const struct hfile *h;
    struct info_out *out;
    bool json;
};

/* 1: nobody reads on. */
static int next_line(struct list *l, struct err *err) {
    if (info_out_write(l->out, false, err)) return -1;
    return l->out->gone ? 1 : 0;
}

static int put_json_line(struct list *l, json_t *j, struct err *err) {
    char *text = j ? json_dumps(j, JSON_COMPACT) : NULL;
    json_decref(j);
    if (!text) return err_nomem(err, 0, "a line of JSON");
    int rc = buf_printf(&l->out->text, err, "%s\n", text);
    free(text);
    return rc;
}

/* ---- index ---- */

static json_t *entry_json(const struct list *l, const struct hfile_index_entry *e) {
    return json_pack("{s:o, s:s, s:I, s:I, s:o, s:o}", "path", json_text(hfile_info(l->h)->path), "kind", "index_entry", "offset",
                     (json_int_t)e->offset, "disk_bytes", (json_int_t)e->disk_bytes, "key", info_text_json(info_put_key, e->key),
                     "key_hex", manifest_hex(e->key));
}

static int visit_entry(void *arg, const struct hfile_index_entry *e, struct err *err) {
    struct list *l = arg;
    struct buf *b = &l->out->text;
    if (l->json) return put_json_line(l, entry_json(l, e), err) ? -1 : next_line(l, err);
    if (buf_printf(b, err, "  %14llu %12u  ", (unsigned long long)e->offset, e->disk_bytes)) return -1;
    if (info_put_key(b, e->key, err) || buf_put_byte(b, '\n', err)) return -1;
    return next_line(l, err);
}

int info_list_index(const struct hfile *h, bool json, struct info_out *out, struct err *err) {
    struct list l = {h, out, json};
    const struct trailer *t = hfile_trailer(h);
    if (!json && buf_printf(&out->text, err, " block index (levels: %u, entries in the root: %u):\n  %14s %12s  %s\n",
                            t->index_levels, t->data_index_count, "offset", "on disk", "key"))
        return -1;
    return hfile_index_walk(h, visit_entry, &l, err) < 0 ? -1 : 0;
}

/* ---- blocks ---- */

static const char *sum_name(enum hfile_checksum sum) {
    return sum == HFILE_SUM_CRC32C ? "CRC32C" : sum == HFILE_SUM_CRC32 ? "CRC32" : "NULL";
}

static json_t *block_json(const struct list *l, const struct hfile_block *b) {
    const struct block_header *h = &b->header;
    json_t *j = json_pack("{s:o, s:s, s:I, s:s, s:I, s:I, s:I, s:I, s:s, s:I, s:I}", "path", json_text(hfile_info(l->h)->path),
                          "kind", "block", "offset", (json_int_t)b->offset, "type", block_type_name(h->type), "disk_bytes",
                          (json_int_t)b->disk_bytes, "disk_bytes_without_header", (json_int_t)h->disk_bytes, "plain_bytes",
                          (json_int_t)h->plain_bytes, "prev_offset", (json_int_t)h->prev_offset, "checksum", sum_name(h->sum),
                          "bytes_per_checksum", (json_int_t)h->bytes_per_sum, "summed_bytes", (json_int_t)h->summed_bytes);
    if (h->type == BLOCK_ENCODED_DATA) json_object_set_new(j, "encoding", json_string(hfile_encoding_name(b->encoding)));
    return j;
}

static int visit_block(void *arg, const struct hfile_block *b, struct err *err) {
    struct list *l = arg;
    const struct block_header *h = &b->header;
    if (l->json) return put_json_line(l, block_json(l, b), err) ? -1 : next_line(l, err);
    if (buf_printf(&l->out->text, err, "  %14llu %-9s %12u %12u %14lld  %-8s %10u%s%s\n", (unsigned long long)b->offset,
                   block_type_name(h->type), b->disk_bytes, h->plain_bytes, (long long)h->prev_offset, sum_name(h->sum),
                   h->bytes_per_sum, h->type == BLOCK_ENCODED_DATA ? "  " : "",
                   h->type == BLOCK_ENCODED_DATA ? hfile_encoding_name(b->encoding) : ""))
        return -1;
    return next_line(l, err);
}

int info_list_blocks(const struct hfile *h, bool json, struct info_out *out, struct err *err) {
    struct list l = {h, out, json};
    if (!json && buf_printf(&out->text, err, " block headers:\n  %14s %-9s %12s %12s %14s  %-8s %10s\n", "offset", "type",
                            "on disk", "payload", "previous", "checksum", "bytes per"))
        return -1;
    return hfile_blocks_walk(h, visit_block, &l, err) < 0 ? -1 : 0;
}
