/* `obkv-verify info --codecs` as text and as JSON. The text lists what is worth a look: combinations that no other one beats in
 * size, writing and reading at once, the smallest first. The document has all of them. */
#include "base/json.h"
#include "cmd/common/next_steps.h"
#include "cmd/common/report_figures.h"
#include "cmd/verify/info/info.h"
#include "cmd/verify/info/info_codecs_report.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED_MOST = 15 };

static double speed_of(const struct codec_result *r, double seconds) {
    return seconds > 0 ? (double)r->kv_bytes / 1e6 / seconds : 0;
}

/* The size of the whole file today, times what the sample shrinks by. If today's settings were not tried, the sample's own size
 * for each cell. */
static double whole_bytes(const struct codec_trial *t, const struct codec_result *r, const sst_file_info *info) {
    double cells = t->cells ? (double)info->cells / (double)t->cells : 0;
    return t->now ? (double)info->file_bytes * (double)r->file_bytes / (double)t->now->file_bytes : (double)r->file_bytes * cells;
}

/* Returns whether another codec is not worse in anything, and better in something. */
static bool is_beaten(const struct codec_trial *t, const struct codec_result *r) {
    for (size_t i = 0; i < t->n; i++) {
        const struct codec_result *x = &t->results[i];
        bool as_good = x->file_bytes <= r->file_bytes && x->write_s <= r->write_s && x->read_s <= r->read_s;
        if (as_good && (x->file_bytes < r->file_bytes || x->write_s < r->write_s || x->read_s < r->read_s)) return true;
    }
    return false;
}

static int by_size(const void *a, const void *b) {
    const struct codec_result *x = *(const struct codec_result *const *)a, *y = *(const struct codec_result *const *)b;
    return x->file_bytes < y->file_bytes ? -1 : x->file_bytes > y->file_bytes;
}

/* Lists what is worth a look: combinations that no other one beats in size, writing and reading at once, those of today and the
 * recommended ones, the smallest first. Returns how many. */
static size_t list_worth(const struct codec_trial *t, const struct codec_result *list[CODEC_RESULTS]) {
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        if (&t->results[i] == t->now || &t->results[i] == t->best || !is_beaten(t, &t->results[i])) list[n++] = &t->results[i];
    qsort(list, n, sizeof *list, by_size);
    return n;
}

static int put_result(const struct codec_trial *t, const struct codec_result *r, const sst_file_info *info, struct buf *out,
                      struct err *err) {
    char block[32], whole[32];
    return buf_printf(out, err, "  %-7s %-13s %10s %11s %8.1f %% %9.0f %9.0f%s\n", r->codec, r->encoding,
                      report_bytes(r->block_bytes, block), report_bytes((uint64_t)whole_bytes(t, r, info), whole),
                      t->now ? 100.0 * (double)r->file_bytes / (double)t->now->file_bytes : 0.0, speed_of(r, r->write_s),
                      speed_of(r, r->read_s),
                      r == t->best  ? "  recommended"
                      : r == t->now ? "  as now"
                                    : "");
}

static const char *option_name(const char *name, char out[CODEC_NAME_BYTES]) {
    size_t n = 0;
    for (; name[n] && n < CODEC_NAME_BYTES - 1; n++) out[n] = (char)tolower((unsigned char)name[n]);
    out[n] = 0;
    return out;
}

static int put_advice(const struct codec_trial *t, struct buf *out, struct err *err) {
    char codec[CODEC_NAME_BYTES], encoding[CODEC_NAME_BYTES];
    const struct codec_result *b = t->best;
    if (t->now == b)
        return buf_printf(out, err,
                          "  Keep the settings: no smaller file is written and read at least half as fast, with blocks of at "
                          "most 64 KiB.\n");
    return buf_printf(out, err,
                      "  Recommended: --codec %s --encoding %s --set BLOCKSIZE=%uK\n"
                      "  This is the smallest file that is written and read at least half as fast as %s.\n"
                      "  Blocks have at most 64 KiB, because a Get reads a whole block. --json has all results.\n",
                      option_name(b->codec, codec), option_name(b->encoding, encoding), b->block_bytes >> 10,
                      t->now ? "with the codec and encoding of today" : "with SNAPPY and FAST_DIFF");
}

static int put_blooms(const struct codec_trial *t, const sst_file_info *info, struct buf *out, struct err *err) {
    const double cells = (double)info->cells / (double)t->cells;
    if (buf_printf(out, err, "  Bloom filters of the whole file, about:")) return -1;
    for (size_t i = 0; i < CODEC_BLOOMS; i++) {
        char bytes[32];
        report_bytes((uint64_t)((double)t->blooms[i].bloom_bytes * cells), bytes);
        if (buf_printf(out, err, "%s %s %s", i ? "," : "", t->blooms[i].bloom, bytes)) return -1;
    }
    return buf_put_byte(out, '\n', err);
}

int codec_trial_text(const struct codec_trial *t, const sst_file *f, struct buf *out, struct err *err) {
    const sst_file_info *info = sst_file_get_info(f);
    const struct codec_result *list[CODEC_RESULTS];
    const size_t n = list_worth(t, list);
    char cells[32], all[32], bytes[32], now[32];
    if (buf_printf(out, err,
                   " codecs tried with %s of %s cells (%s as KeyValues) from %llu places; the file: %s, %s, %s\n"
                   "  %-7s %-13s %10s %11s %10s %9s %9s\n  %-7s %-13s %10s %11s %10s %9s %9s\n",
                   report_count(t->cells, cells), report_count(info->cells, all), report_bytes(t->best->kv_bytes, bytes),
                   (unsigned long long)t->pieces, info->codec, info->encoding, report_bytes(info->file_bytes, now), "", "", "",
                   "whole file", "", "write", "read", "codec", "encoding", "block", "about", "of now", "MB/s", "MB/s"))
        return -1;
    for (size_t i = 0; i < n; i++)
        if ((i < LISTED_MOST || list[i] == t->now || list[i] == t->best) && put_result(t, list[i], info, out, err)) return -1;
    return put_advice(t, out, err) || put_blooms(t, info, out, err) ? -1 : 0;
}

static json_t *result_json(const struct codec_result *r) {
    return json_new(JSON("codec", r->codec), JSON("encoding", r->encoding), JSON("bloom", r->bloom),
                    JSON("block_size", r->block_bytes), JSON("file_bytes", r->file_bytes), JSON("bloom_bytes", r->bloom_bytes),
                    JSON("write_cpu_s", r->write_s), JSON("read_cpu_s", r->read_s));
}

json_t *codec_trial_json(const struct codec_trial *t, const sst_file *f) {
    json_t *results = json_array(), *blooms = json_array();
    for (size_t i = 0; i < t->n; i++) json_array_append_new(results, result_json(&t->results[i]));
    for (size_t i = 0; i < CODEC_BLOOMS; i++) json_array_append_new(blooms, result_json(&t->blooms[i]));
    char codec[CODEC_NAME_BYTES], encoding[CODEC_NAME_BYTES], block[32];
    const struct codec_result *b = t->best;
    struct err lost = {0};
    json_t *next =
        next_steps_new("Write a dataset with these settings. obkv-import and obkv-split apply take the same options.", NULL);
    snprintf(block, sizeof block, "BLOCKSIZE=%uK", b->block_bytes >> 10);
    if (next_steps_add(next, NULL,
                       (const char *const[]){"obkv-compact", "--codec", option_name(b->codec, codec), "--encoding",
                                             option_name(b->encoding, encoding), "--set", block, "-o", "OUT", "DATASET", NULL},
                       &lost))
        json_memory_note_lost();
    return json_pack("{s:{s:I, s:I, s:I}, s:I, s:o, s:o, s:o, s:o, s:o}", "sample", "cells", (json_int_t)t->cells, "kv_bytes",
                     (json_int_t)t->best->kv_bytes, "places", (json_int_t)t->pieces, "cells",
                     (json_int_t)sst_file_get_info(f)->cells, "now", t->now ? result_json(t->now) : json_null(), "recommended",
                     result_json(t->best), "results", results, "blooms", blooms, "next", next);
}
