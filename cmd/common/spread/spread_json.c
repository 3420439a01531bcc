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
        json_array_append_new(bands,
                              json_new(JSON("to_row", json_hex(bytes_of(h->band[b].last, h->band[b].n))), JSON("cells", cells)));
    }
    return json_new(JSON("sampled_cells", h->sampled), JSON("of_cells", h->of), JSON("earlier", h->earlier),
                    JSON("later", h->later), JSON("time_ms", times), JSON("bands", bands));
}

static json_t *loads_json(const struct node_load *load, const struct node_balance *b, double max_mean) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < b->nodes; i++)
        json_array_append_new(list, json_new(JSON("partitions", load[i].partitions), JSON("kv_bytes", load[i].amount)));
    return json_new(JSON("max_mean", max_mean), JSON("nodes", list));
}

json_t *spread_json_nodes(const struct node_balance *b) {
    return json_new(JSON("count", b->nodes), JSON("mean_kv_bytes", b->mean),
                    JSON("round_robin", loads_json(b->round_robin, b, b->round_robin_max_mean)),
                    JSON("by_size", loads_json(b->greedy, b, b->greedy_max_mean)));
}
