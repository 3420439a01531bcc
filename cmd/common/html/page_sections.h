/* Sections that several pages have: when which keys were written, also as JSON. */
#ifndef CMD_COMMON_HTML_PAGE_SECTIONS_H
#define CMD_COMMON_HTML_PAGE_SECTIONS_H

#include "cmd/common/html/page.h"
#include "cmd/common/spread/heat_map.h"
#include "cmd/common/spread/spread.h"

/* path: the place of heat_map_json in the document. Nothing where there is nothing to show; then JSON has null. */
void heat_page_put(const struct heat_map *h, const char *path, struct page *p);
json_t *heat_map_json(const struct heat_map *h);

/* A small chart of what each node holds; beside another one, both reach as far. */
struct node_bars {
    const struct node_load *load;
    uint32_t nodes;
    uint64_t reach;
};
void node_page_bars(const struct node_bars *n, const char *title, const char *desc, page_number_text *number, struct page *p);
/* Returns what the fullest of the nodes holds. */
uint64_t node_load_most(const struct node_load *load, uint32_t nodes);
/* path: the place of node_balance_json in the document. */
void node_page_put(const struct node_balance *b, const char *path, struct page *p);
json_t *node_balance_json(const struct node_balance *b);

#endif
