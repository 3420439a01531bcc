/* Makes JSON of a heat map, and of what nodes hold when partitions are dealt out to them. The results of plan and of skew have
 * both, under the same names, so that one part of the page shows either. */
#include "cmd/common/spread/spread_json.h"

#include "cmd/common/output_text.h"

json_t *spread_json_heat(const struct heat_map *h) {
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

static json_t *loads_json(const struct node_load *load, const struct node_balance *b, double max_mean) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < b->nodes; i++)
        json_array_append_new(
            list, json_pack("{s:i, s:I}", "partitions", (int)load[i].partitions, "kv_bytes", (json_int_t)load[i].amount));
    return json_pack("{s:f, s:o}", "max_mean", max_mean, "nodes", list);
}

json_t *spread_json_nodes(const struct node_balance *b) {
    return json_pack("{s:i, s:f, s:o, s:o}", "count", (int)b->nodes, "mean_kv_bytes", b->mean, "round_robin",
                     loads_json(b->round_robin, b, b->round_robin_max_mean), "by_size",
                     loads_json(b->greedy, b, b->greedy_max_mean));
}
