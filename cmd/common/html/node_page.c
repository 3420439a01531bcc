#include "cmd/common/html/node_page.h"

#include "cmd/common/html/named_bars.h"
#include "cmd/common/html/page_figures.h"
#include "cmd/common/report.h"

#include <stdio.h>

enum { LISTED = 1000 };

void node_page_bars(const struct node_load *load, uint32_t nodes, const char *title, const char *desc, page_number_text *number,
                    struct page *p) {
    struct named_bars b;
    if (named_bars_open(&b, nodes, p)) {
        for (uint32_t i = 0; i < nodes; i++) {
            b.values[i] = load[i].amount;
            snprintf(b.names[i].text, sizeof b.names[i].text, "node %u", i + 1);
        }
        named_bars_put(&b, &(struct chart_bars){.text = {title, desc}, .number = number, .unit = "node", .small = true}, p);
    }
    named_bars_close(&b);
}

static void put_loads(const struct node_balance *b, const struct node_load *load, const char *title, double max_mean,
                      struct page *p) {
    char desc[160];
    snprintf(desc, sizeof desc, "The fullest of %u nodes holds %.2f times the mean.", b->nodes, max_mean);
    node_page_bars(load, b->nodes, title, desc, report_bytes, p);
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
    page_section(
        p, "nodes", "Nodes",
        "Where the partitions would lie on as many servers: dealt one after the other, or the largest first, each to the server "
        "that holds least so far.");
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
