/* Sums over blocks and cells, of one file or many, as text and as JSON. Blocks are counted by kind, cells by type, and the
 * spread of sizes is taken from histograms that the public library fills while it reads. */
#include "base/json.h"
#include "cmd/common/report_figures.h"
#include "cmd/verify/info/file_figures.h"
#include "cmd/verify/info/info.h"
#include "cmd/verify/info/info_figures.h"
#include "cmd/verify/info/info_text.h"
#include "dataset/manifest_json.h"

#include <stdio.h>

static const char *const type_names[SST_BLOCK_KINDS] = {[SST_BLOCK_DATA] = "data",
                                                        [SST_BLOCK_ENCODED_DATA] = "encoded data",
                                                        [SST_BLOCK_LEAF_INDEX] = "leaf index",
                                                        [SST_BLOCK_BLOOM_CHUNK] = "bloom chunk",
                                                        [SST_BLOCK_META] = "meta",
                                                        [SST_BLOCK_INTERMEDIATE_INDEX] = "intermediate index",
                                                        [SST_BLOCK_ROOT_INDEX] = "root index, meta index",
                                                        [SST_BLOCK_FILE_INFO] = "file info",
                                                        [SST_BLOCK_GENERAL_BLOOM_META] = "bloom meta",
                                                        [SST_BLOCK_DELETE_BLOOM_META] = "delete family bloom meta"};

/* ---- blocks ---- */

static double ratio_of(const struct block_sum *t) {
    return t->disk_bytes ? (double)t->plain_bytes / (double)t->disk_bytes : 0;
}

static int put_block_line(struct buf *out, const char *name, const struct block_sum *t, struct err *err) {
    char n[32], disk[32], plain[32];
    return buf_printf(out, err, "  %-26s %14s %18s %18s %8.2f\n", name, report_count(t->blocks, n),
                      report_count(t->disk_bytes, disk), report_count(t->plain_bytes, plain), ratio_of(t));
}

static const char *encoding_of(unsigned i) {
    return i < BLOCK_SUMS_ENCODINGS ? sst_encoding_name(i) : "unknown";
}

static struct block_sum total_of(const struct block_sums *s) {
    struct block_sum all = {0};
    for (unsigned i = 0; i < SST_BLOCK_KINDS; i++) {
        all.blocks += s->types[i].blocks;
        all.disk_bytes += s->types[i].disk_bytes;
        all.plain_bytes += s->types[i].plain_bytes;
    }
    return all;
}

/* "SNAPPY", or with how many when there are several. */
static int put_counted(struct buf *out, const char *name, uint64_t n, bool several, const char *what, struct err *err) {
    if (!n) return 0;
    if (!several) return buf_printf(out, err, " %s", name);
    return buf_printf(out, err, " %s (%llu %s)", name, (unsigned long long)n, what);
}

static bool are_several(const uint64_t *n, size_t count) {
    size_t kinds = 0;
    for (size_t i = 0; i < count; i++) kinds += n[i] > 0;
    return kinds > 1;
}

static int put_kinds_found(const struct block_sums *s, struct buf *out, struct err *err) {
    bool codecs = are_several(s->codecs, countof(s->codecs)), encodings = are_several(s->encodings, countof(s->encodings));
    if (buf_printf(out, err, "  %-26s", "codec")) return -1;
    for (unsigned i = 0; i < countof(s->codecs); i++)
        if (put_counted(out, sst_codec_name(i), s->codecs[i], codecs, "files", err)) return -1;
    if (buf_printf(out, err, "\n  %-26s", "encoding")) return -1;
    for (unsigned i = 0; i < countof(s->encodings); i++)
        if (put_counted(out, encoding_of(i), s->encodings[i], encodings, "blocks", err)) return -1;
    return buf_put_byte(out, '\n', err);
}

int info_blocks_text(const struct block_sums *s, struct buf *out, struct err *err) {
    struct block_sum all = total_of(s);
    if (buf_printf(out, err, " %-27s %14s %18s %18s %8s\n", "blocks:", "count", "bytes on disk", "bytes of payload", "ratio"))
        return -1;
    for (unsigned i = 0; i < SST_BLOCK_KINDS; i++)
        if (s->types[i].blocks && put_block_line(out, type_names[i], &s->types[i], err)) return -1;
    return put_block_line(out, "all", &all, err) || put_kinds_found(s, out, err) ? -1 : 0;
}

static json_t *block_json(const struct block_sum *t) {
    return json_new(JSON("blocks", t->blocks), JSON("disk_bytes", t->disk_bytes), JSON("plain_bytes", t->plain_bytes));
}

json_t *info_blocks_json(const struct block_sums *s) {
    json_t *types = json_object(), *encodings = json_object(), *codecs = json_object();
    struct block_sum all = total_of(s);
    for (unsigned i = 0; i < SST_BLOCK_KINDS; i++)
        if (s->types[i].blocks) json_object_set_new(types, sst_block_kind_name(i), block_json(&s->types[i]));
    for (unsigned i = 0; i <= BLOCK_SUMS_ENCODINGS; i++)
        if (s->encodings[i]) json_object_set_new(encodings, encoding_of(i), json_integer((json_int_t)s->encodings[i]));
    for (unsigned i = 0; i < BLOCK_SUMS_CODECS; i++)
        if (s->codecs[i]) json_object_set_new(codecs, sst_codec_name(i), json_integer((json_int_t)s->codecs[i]));
    return json_new(JSON("types", types), JSON("all", block_json(&all)), JSON("data_block_encodings", encodings),
                    JSON("files_by_codec", codecs), JSON("trailer_bytes", s->trailer_bytes), JSON("file_bytes", s->file_bytes));
}

/* ---- cells ---- */

static const struct {
    double share;
    const char *text, *json;
} shares[] = {{0.5, "50 % <=", "median"}, {0.75, "75 % <=", "p75"}, {0.95, "95 % <=", "p95"},
              {0.98, "98 % <=", "p98"},   {0.99, "99 % <=", "p99"}, {0.999, "99.9 % <=", "p99.9"}};

static int put_histogram(struct buf *out, const char *name, const struct histogram *h, struct err *err) {
    if (buf_printf(out, err, "  %-18s %12llu %10llu %10llu %12.2f %12.2f", name, (unsigned long long)h->n,
                   (unsigned long long)h->least, (unsigned long long)h->largest, histogram_mean(h), histogram_deviation(h)))
        return -1;
    for (size_t i = 0; i < countof(shares); i++)
        if (buf_printf(out, err, " %9llu", (unsigned long long)histogram_share(h, shares[i].share))) return -1;
    return buf_put_byte(out, '\n', err);
}

static int put_kinds(const struct cell_stats *s, struct buf *out, struct err *err) {
    const struct {
        const char *name;
        uint64_t n;
    } kinds[] = {{"Put", s->puts},
                 {"Delete", s->deletes},
                 {"DeleteFamilyVersion", s->family_version_deletes},
                 {"DeleteColumn", s->column_deletes},
                 {"DeleteFamily", s->family_deletes},
                 {"of other types", s->others}};
    char text[32];
    if (buf_printf(out, err, "  %-18s", "cells")) return -1;
    for (size_t i = 0, shown = 0; i < countof(kinds); i++)
        if (kinds[i].n && buf_printf(out, err, "%s %s %s", shown++ ? "," : "", report_count(kinds[i].n, text), kinds[i].name))
            return -1;
    if (buf_printf(out, err, "\n  %-18s %s", "with tags", report_count(s->tagged, text))) return -1;
    return buf_printf(out, err, " (%s bytes)\n", report_count(s->tag_bytes, text));
}

/* Writes what codec and encoding save together. */
static int put_whole_ratio(const struct cell_stats *s, const struct block_sums *b, struct buf *out, struct err *err) {
    struct block_sum data = block_sums_data(b);
    char text[32];
    return buf_printf(out, err, "  %-18s %s, %.2f times the data blocks on disk\n", "KeyValue bytes",
                      report_count(s->row_bytes.sum, text),
                      data.disk_bytes ? (double)s->row_bytes.sum / (double)data.disk_bytes : 0.0);
}

int info_stats_text(const struct cell_stats *s, const struct block_sums *b, struct buf *out, struct err *err) {
    char text[32];
    if (buf_printf(out, err, " %-19s %12s %10s %10s %12s %12s", "statistics:", "count", "min", "max", "mean", "stddev"))
        return -1;
    for (size_t i = 0; i < countof(shares); i++)
        if (buf_printf(out, err, " %9s", shares[i].text)) return -1;
    if (buf_put_byte(out, '\n', err) || put_histogram(out, "key length", &s->key_length, err)) return -1;
    if (put_histogram(out, "value length", &s->value_length, err)) return -1;
    if (put_histogram(out, "row size (bytes)", &s->row_bytes, err)) return -1;
    if (put_histogram(out, "row size (cells)", &s->row_cells, err) || put_kinds(s, out, err)) return -1;
    if (put_whole_ratio(s, b, out, err) || !s->biggest_row_bytes) return err->code ? -1 : 0;
    if (buf_printf(out, err, "  %-18s ", "biggest row") || info_put_bytes(out, buf_bytes(&s->biggest_row), err)) return -1;
    return buf_printf(out, err, " (%s bytes)\n", report_count(s->biggest_row_bytes, text));
}

static json_t *histogram_json(const struct histogram *h) {
    json_t *j = json_new(JSON("count", h->n), JSON("min", h->least), JSON("max", h->largest), JSON("mean", histogram_mean(h)),
                         JSON("stddev", histogram_deviation(h)));
    for (size_t i = 0; i < countof(shares); i++) json_put(j, JSON(shares[i].json, histogram_share(h, shares[i].share)));
    return j;
}

json_t *info_stats_json(const struct cell_stats *s) {
    return json_pack("{s:o, s:o, s:o, s:o, s:{s:I, s:I, s:I, s:I, s:I, s:I}, s:I, s:I, s:I, s:I, s:o}", "key_length",
                     histogram_json(&s->key_length), "value_length", histogram_json(&s->value_length), "row_bytes",
                     histogram_json(&s->row_bytes), "row_cells", histogram_json(&s->row_cells), "cells", "Put",
                     (json_int_t)s->puts, "Delete", (json_int_t)s->deletes, "DeleteFamilyVersion",
                     (json_int_t)s->family_version_deletes, "DeleteColumn", (json_int_t)s->column_deletes, "DeleteFamily",
                     (json_int_t)s->family_deletes, "other", (json_int_t)s->others, "kv_bytes", (json_int_t)s->row_bytes.sum,
                     "cells_with_tags", (json_int_t)s->tagged, "tag_bytes", (json_int_t)s->tag_bytes, "biggest_row_bytes",
                     (json_int_t)s->biggest_row_bytes, "biggest_row_hex", manifest_hex(buf_bytes(&s->biggest_row)));
}
