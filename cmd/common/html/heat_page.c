#include "cmd/common/html/heat_page.h"

#include "cmd/common/output_text.h"
#include "cmd/common/html/page_figures.h"
#include "cmd/common/report.h"
#include "cmd/common/html/chart.h"

static uint32_t heat_at(const void *arg, uint32_t row, uint32_t column) {
    const struct heat_map *h = arg;
    return h->cells[row][column];
}

static void put_band(struct page *p, const void *arg, uint32_t row) {
    const struct heat_map *h = arg;
    page_bytes(p, bytes_of(h->band[row].last, h->band[row].n));
}

static void put_heat_table(const struct heat_map *h, const char *path, struct page *p) {
    const char *heads[HEAT_COLUMNS + 1] = {"up to row"};
    char times[HEAT_COLUMNS][50];
    for (uint32_t c = 0; c < h->columns; c++) {
        times[c][0] = '#';
        moment_text(heat_map_time(h, c), true, times[c] + 1);
        heads[c + 1] = times[c];
    }
    page_details(p, "Table of the heat map");
    page_table(p, "Sampled cells by row (bands of about equally many rows) and time (from)", heads, h->columns + 1);
    for (uint32_t b = 0; b < h->bands; b++) {
        page_row(p);
        page_raw(p, "<th scope=\"row\"><code>");
        put_band(p, h, b);
        page_raw(p, "</code></th>");
        for (uint32_t c = 0; c < h->columns; c++) {
            page_cell(p, true);
            figure_whole(p, h->cells[b][c], report_count, "%s.bands.%u.cells.%u", path, b, c);
        }
    }
    page_table_end(p);
    page_details_end(p);
}

void heat_page_put(const struct heat_map *h, const char *path, struct page *p) {
    char desc[400], from[48], middle[48], to[48], x[32], y[32];
    if (!h->columns) return;
    bool with_time = h->to_ms - h->from_ms < INT64_C(10) * 86400000;
    moment_text(h->from_ms, with_time, from);
    moment_text(h->from_ms + (h->to_ms - h->from_ms) / 2, with_time, middle);
    moment_text(h->to_ms, with_time, to);
    snprintf(desc, sizeof desc,
             "Lowest keys above, each band with about as many rows; time from left to right. %s of %s cells, %s. %s",
             report_count(h->sampled, x), report_count(h->of, y), h->sampled == h->of ? "all there are" : "a fixed sample",
             "An even field is written everywhere at all times; a diagonal is a key that grows with time; a bright line is a hot "
             "row or range.");
    page_section(p, "heat", "When which keys were written", NULL);
    chart_heat(p, &(struct chart_heat){.text = {"Cells by time and position of the row key", desc},
                                       .columns = h->columns,
                                       .rows = h->bands,
                                       .at = heat_at,
                                       .row_label = put_band,
                                       .arg = h,
                                       .most = h->most,
                                       .from = from,
                                       .middle = h->columns > 2 ? middle : NULL,
                                       .to = h->columns > 1 ? to : NULL,
                                       .unit = "cells"});
    if (h->earlier || h->later)
        page_raw(p,
                 "<p class=\"note\">%llu sampled cells are older than shown and %llu newer: they are counted in the first and "
                 "last column."
                 "</p>\n",
                 (unsigned long long)h->earlier, (unsigned long long)h->later);
    put_heat_table(h, path, p);
    page_section_end(p);
}

json_t *heat_map_json(const struct heat_map *h) {
    if (!h->columns) return json_null();
    json_t *times = json_array(), *bands = json_array();
    for (uint32_t c = 0; c <= h->columns; c++) json_array_append_new(times, json_integer(heat_map_time(h, c)));
    for (uint32_t b = 0; b < h->bands; b++) {
        json_t *cells = json_array();
        for (uint32_t c = 0; c < h->columns; c++) json_array_append_new(cells, json_integer(h->cells[b][c]));
        json_array_append_new(
            bands, json_pack("{s:o, s:o}", "to_row", json_hex(bytes_of(h->band[b].last, h->band[b].n)), "cells", cells));
    }
    return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o}", "sampled_cells", (json_int_t)h->sampled, "of_cells", (json_int_t)h->of,
                     "earlier", (json_int_t)h->earlier, "later", (json_int_t)h->later, "time_ms", times, "bands", bands);
}
