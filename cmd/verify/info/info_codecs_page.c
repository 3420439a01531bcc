/* The page of `obkv-verify info --codecs --html`: the advice, size and speeds of what is worth a look, all results in a table,
 * and the command that writes a dataset with the recommended settings. Each figure names its path in the JSON document. */
#include "cmd/common/html/chart.h"
#include "cmd/common/html/page.h"
#include "cmd/common/html/page_next.h"
#include "cmd/common/html/page_origin.h"
#include "cmd/common/report_figures.h"
#include "cmd/verify/info/info.h"
#include "cmd/verify/info/info_codecs_report.h"

#include <stdio.h>
#include <string.h>

enum { CHARTED = 12 };

static void put_name(const struct codec_result *r, char *out, size_t room) {
    snprintf(out, room, "%s %s %uK", r->codec, r->encoding, r->block_bytes >> 10);
}

/* ---- the top of the page ---- */

static void put_verdict(const struct codec_page *c, struct page *p) {
    const struct codec_trial *t = c->trial;
    const double now = (double)sst_file_get_info(c->file)->file_bytes;
    const double whole = codec_trial_whole_bytes(t, t->best, sst_file_get_info(c->file));
    char name[64];
    put_name(t->best, name, sizeof name);
    page_raw(p, "<p class=\"verdict\">");
    if (t->now == t->best)
        page_raw(p, "<strong>Keep the settings:</strong> no smaller file is written and read at least half as fast.</p>\n");
    else
        page_raw(p,
                 "<strong>Take %s:</strong> the file becomes about %.0f %% of its size. It is the smallest that is written and "
                 "read at least half as fast%s.</p>\n",
                 name, now > 0 ? 100 * whole / now : 0, t->now ? " as today" : " as with SNAPPY and FAST_DIFF");
}

static void put_tiles(const struct codec_page *c, struct page *p) {
    const sst_file_info *info = sst_file_get_info(c->file);
    char x[32];
    page_raw(p, "<dl class=\"tiles\">\n");
    tile_whole(p, "cells in the sample", c->trial->cells, report_count, "codecs.sample.cells");
    tile_whole(p, "cells in the file", info->cells, report_count, "codecs.cells");
    tile_open(p, "the file now");
    page_raw(p, "%s", report_bytes(info->file_bytes, x));
    tile_close(p);
    tile_open(p, "recommended, about");
    page_raw(p, "%s", report_bytes((uint64_t)codec_trial_whole_bytes(c->trial, c->trial->best, info), x));
    tile_close(p);
    page_raw(p, "</dl>\n");
}

/* ---- charts ---- */

enum measure { SIZE, WRITE, READ };

static uint64_t value_of(const struct codec_page *c, const struct codec_result *r, enum measure m) {
    if (m == SIZE) return (uint64_t)codec_trial_whole_bytes(c->trial, r, sst_file_get_info(c->file));
    return (uint64_t)codec_trial_speed(r, m == WRITE ? r->write_s : r->read_s);
}

static const char *speed_text(uint64_t n, char out[32]) {
    snprintf(out, 32, "%llu MB/s", (unsigned long long)n);
    return out;
}

static void put_chart(const struct codec_page *c, const struct codec_result *const *list, size_t n, enum measure m,
                      uint64_t reach, struct page *p) {
    static const char *const titles[] = {"Size of the whole file, about", "Writing", "Reading"};
    static const char *const texts[] = {"Each bar is a setting of the table below, the smallest file first.",
                                        "KeyValues a second of one processor.", "KeyValues a second of one processor."};
    struct named_bars b;
    if (named_bars_open(&b, (uint32_t)n, p)) {
        for (uint32_t i = 0; i < b.n; i++) {
            b.values[i] = value_of(c, list[i], m);
            snprintf(b.names[i].text, sizeof b.names[i].text, "%u", i + 1);
        }
        named_bars_put(&b,
                       &(struct chart_bars){.text = {titles[m], texts[m]},
                                            .number = m == SIZE ? report_bytes : speed_text,
                                            .reach = reach,
                                            .unit = "setting",
                                            .small = true},
                       p);
    }
    named_bars_close(&b);
}

static void put_row(const struct codec_page *c, const struct codec_result *r, const char *number, struct page *p) {
    const unsigned i = (unsigned)(r - c->trial->results);
    char name[64], x[32];
    put_name(r, name, sizeof name);
    page_row(p);
    page_raw(p, "<th scope=\"row\">%s%s%s</th>", number, name,
             r == c->trial->best  ? " (recommended)"
             : r == c->trial->now ? " (as now)"
                                  : "");
    page_raw(p, "<td class=\"n\">%s", report_bytes(value_of(c, r, SIZE), x));
    page_cell(p, true);
    figure_whole(p, r->file_bytes, report_bytes, "codecs.results.%u.file_bytes", i);
    page_raw(p, "<td class=\"n\">%s", speed_text(value_of(c, r, WRITE), x));
    page_raw(p, "<td class=\"n\">%s", speed_text(value_of(c, r, READ), x));
}

static const char *const heads[] = {"codec, encoding, block", "#whole file, about", "#the sample", "#writing", "#reading"};

static void put_worth(const struct codec_page *c, struct page *p) {
    const struct codec_result *list[CODEC_RESULTS];
    const size_t found = codec_trial_list(c->trial, list), n = found < CHARTED ? found : CHARTED;
    uint64_t fastest = 0;
    char number[16];
    for (size_t i = 0; i < n; i++) {
        const uint64_t write = value_of(c, list[i], WRITE), read = value_of(c, list[i], READ);
        fastest = write > fastest ? write : fastest;
        fastest = read > fastest ? read : fastest;
    }
    page_section(p, "worth", "Settings that no other one beats",
                 "In size, writing and reading at once. The settings of today and the recommended ones are among them.");
    put_chart(c, list, n, SIZE, 0, p);
    page_raw(p, "<div class=\"two\">\n");
    put_chart(c, list, n, WRITE, fastest, p);
    put_chart(c, list, n, READ, fastest, p);
    page_raw(p, "</div>\n");
    page_table(p, "The smallest file first", heads, countof(heads));
    for (size_t i = 0; i < n; i++) {
        snprintf(number, sizeof number, "%zu. ", i + 1);
        put_row(c, list[i], number, p);
    }
    page_table_end(p);
    page_details(p, "Table of all results");
    page_table(p, "All codecs, encodings and block sizes", heads, countof(heads));
    for (size_t i = 0; i < c->trial->n; i++) put_row(c, &c->trial->results[i], "", p);
    page_table_end(p);
    page_details_end(p);
    page_section_end(p);
}

static void put_blooms(const struct codec_page *c, struct page *p) {
    static const char *const bloom_heads[] = {"bloom filter", "#bytes of the sample", "#the file, about"};
    const double cells = (double)sst_file_get_info(c->file)->cells / (double)c->trial->cells;
    char x[32];
    page_section(p, "blooms", "Bloom filters", NULL);
    page_table(p, "With the recommended settings", bloom_heads, countof(bloom_heads));
    for (unsigned i = 0; i < CODEC_BLOOMS; i++) {
        const struct codec_result *b = &c->trial->blooms[i];
        page_row(p);
        page_raw(p, "<th scope=\"row\">%s</th>", b->bloom);
        page_cell(p, true);
        figure_whole(p, b->bloom_bytes, report_bytes, "codecs.blooms.%u.bloom_bytes", i);
        page_raw(p, "<td class=\"n\">%s", report_bytes((uint64_t)((double)b->bloom_bytes * cells), x));
    }
    page_table_end(p);
    page_section_end(p);
}

/* ---- what to do next, settings ---- */

static void put_next(const struct codec_page *c, struct page *p) {
    const struct codec_result *b = c->trial->best;
    char codec[CODEC_NAME_BYTES], encoding[CODEC_NAME_BYTES], block[32];
    snprintf(block, sizeof block, "BLOCKSIZE=%uK", b->block_bytes >> 10);
    page_next_begin(p, "Write a dataset with these settings. obkv-import and obkv-split apply take the same options.", "");
    page_next_command(p, NULL,
                      (const char *const[]){"obkv-compact", "--codec", codec_trial_option(b->codec, codec), "--encoding",
                                            codec_trial_option(b->encoding, encoding), "--set", block, "-o", "OUT", "DATASET",
                                            NULL});
    page_next_end(p);
}

int codec_page_write(const struct codec_page *c, const char *path, struct err *err) {
    const sst_file_info *info = sst_file_get_info(c->file);
    const struct page_origin made = {c->tool, c->now_ms};
    const char *slash = strrchr(c->input, '/');
    struct page p;
    char title[300], subtitle[200], cells[32];
    snprintf(title, sizeof title, "Codecs for %.250s", slash && slash[1] ? slash + 1 : c->input);
    snprintf(subtitle, sizeof subtitle, "now %s, %s · tried with %s cells from %llu place%s", info->codec, info->encoding,
             report_count(c->trial->cells, cells), (unsigned long long)c->trial->pieces, c->trial->pieces == 1 ? "" : "s");
    page_open(&p, &(struct page_head){title, subtitle});
    put_verdict(c, &p);
    put_tiles(c, &p);
    put_worth(c, &p);
    put_blooms(c, &p);
    put_next(c, &p);
    page_origin_begin(&made, &p);
    page_setting(&p, "input", c->input);
    page_origin_end(&made, &p);
    return page_finish(&p, path, err);
}
