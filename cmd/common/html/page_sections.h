/* When which keys were written, as a section of a page and as JSON. */
#ifndef HTML_PAGE_SECTIONS_H
#define HTML_PAGE_SECTIONS_H

#include "cmd/common/html/page.h"
#include "cmd/common/spread/heat_map.h"
#include "cmd/common/spread/spread.h"

#include <jansson.h>

/* path: where heat_map_json stands in the document. Nothing where there is nothing to show; then JSON has null. */
void heat_page_put(const struct heat_map *h, const char *path, struct page *p);
json_t *heat_map_json(const struct heat_map *h);

/* What nodes hold, as a section of a page and as JSON: bytes of KeyValues, partitions dealt out in turn and by size. */

/* A small chart of what each node holds. */
void node_page_bars(const struct node_load *load, uint32_t nodes, const char *title, const char *desc, page_number_text *number,
                    struct page *p);
/* path: where node_balance_json stands in the document. */
void node_page_put(const struct node_balance *b, const char *path, struct page *p);
json_t *node_balance_json(const struct node_balance *b);

#endif
