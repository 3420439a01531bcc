/* Sections that pages of several commands share, each beside its JSON: when which keys were written (a heat map), and what nodes
 * hold when partitions are dealt out to them. */
#include "cmd/common/html/page.h"

#include "cmd/common/html/chart.h"
#include "cmd/common/html/page_sections.h"
#include "cmd/common/output_text.h"
#include "cmd/common/report_figures.h"

#include <stdio.h>

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
             "Lowest keys at the top, with about the same number of rows in each band; time runs from left to right. %s "
             "of %s cells, %s. %s",
             report_count(h->sampled, x), report_count(h->of, y), h->sampled == h->of ? "all of them" : "a fixed sample",
             "An even field: all ranges are written at all times. A diagonal: the key grows with time. A bright line: a "
             "hot row or range.");
    page_section(p, "heat", "Writes by key and time", NULL);
    chart_heat(p, &(struct chart_heat){.text = {"Cells by time and position of the row key", desc},
                                       .columns = h->columns,
                                       .rows = h->bands,
                                       .at = heat_at,
                                       .row_label = put_band,
                                       .arg = h,
                                       .from = from,
                                       .middle = h->columns > 2 ? middle : NULL,
                                       .to = h->columns > 1 ? to : NULL,
                                       .unit = "cells"});
    if (h->earlier || h->later)
        page_raw(p,
                 "<p class=\"note\">%llu sampled cells are older than the period shown and %llu are newer; they are "
                 "counted in the first and last column."
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

enum { LISTED = 1000 };

uint64_t node_load_most(const struct node_load *load, uint32_t nodes) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < nodes; i++)
        if (load[i].amount > most) most = load[i].amount;
    return most;
}

void node_page_bars(const struct node_bars *n, const char *title, const char *desc, page_number_text *number, struct page *p) {
    struct named_bars b;
    if (named_bars_open(&b, n->nodes, p)) {
        for (uint32_t i = 0; i < n->nodes; i++) {
            b.values[i] = n->load[i].amount;
            snprintf(b.names[i].text, sizeof b.names[i].text, "node %u", i + 1);
        }
        named_bars_put(
            &b, &(struct chart_bars){.text = {title, desc}, .number = number, .reach = n->reach, .unit = "node", .small = true},
            p);
    }
    named_bars_close(&b);
}

static void put_loads(const struct node_balance *b, const struct node_load *load, const char *title, double max_mean,
                      struct page *p) {
    char desc[160];
    snprintf(desc, sizeof desc, "The fullest of %u nodes holds %.2f times the mean.", b->nodes, max_mean);
    const uint64_t one = node_load_most(b->round_robin, b->nodes), other = node_load_most(b->greedy, b->nodes);
    node_page_bars(&(struct node_bars){load, b->nodes, one > other ? one : other}, title, desc, report_bytes, p);
}

static void put_node_table(const struct node_balance *b, const char *path, struct page *p) {
    static const char *const heads[] = {"node", "#partitions", "#bytes, in turn", "#partitions", "#bytes, by size"};
    page_details(p, "Table of nodes");
    page_table(p, "Partitions and KeyValue bytes of each node", heads, countof(heads));
    for (uint32_t i = 0; i < b->nodes && i < LISTED; i++) {
        page_row(p);
        page_raw(p, "<th scope=\"row\">node %u</th>", i + 1);
        page_cell(p, true);
        figure_whole(p, b->round_robin[i].partitions, report_count, "%s.round_robin.nodes.%u.partitions", path, i);
        page_cell(p, true);
        figure_whole(p, b->round_robin[i].amount, report_bytes, "%s.round_robin.nodes.%u.kv_bytes", path, i);
        page_cell(p, true);
        figure_whole(p, b->greedy[i].partitions, report_count, "%s.by_size.nodes.%u.partitions", path, i);
        page_cell(p, true);
        figure_whole(p, b->greedy[i].amount, report_bytes, "%s.by_size.nodes.%u.kv_bytes", path, i);
    }
    page_table_end(p);
    page_details_end(p);
}

void node_page_put(const struct node_balance *b, const char *path, struct page *p) {
    page_section(p, "nodes", "Nodes",
                 "Partitions distributed over this many servers: in turn, or largest first, each to the server that holds the "
                 "least so far.");
    page_raw(p, "<div class=\"two\">\n");
    put_loads(b, b->round_robin, "In turn", b->round_robin_max_mean, p);
    put_loads(b, b->greedy, "By size", b->greedy_max_mean, p);
    page_raw(p, "</div>\n");
    put_node_table(b, path, p);
    page_section_end(p);
}

static json_t *loads_json(const struct node_load *load, const struct node_balance *b, double max_mean) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < b->nodes; i++)
        json_array_append_new(
            list, json_pack("{s:i, s:I}", "partitions", (int)load[i].partitions, "kv_bytes", (json_int_t)load[i].amount));
    return json_pack("{s:f, s:o}", "max_mean", max_mean, "nodes", list);
}

json_t *node_balance_json(const struct node_balance *b) {
    return json_pack("{s:i, s:f, s:o, s:o}", "count", (int)b->nodes, "mean_kv_bytes", b->mean, "round_robin",
                     loads_json(b->round_robin, b, b->round_robin_max_mean), "by_size",
                     loads_json(b->greedy, b, b->greedy_max_mean));
}
