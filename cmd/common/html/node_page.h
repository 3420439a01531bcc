/* What nodes hold, as a section of a page and as JSON: bytes of KeyValues, partitions dealt out in turn and by size. */
#ifndef HTML_NODE_PAGE_H
#define HTML_NODE_PAGE_H

#include "cmd/common/spread/node_balance.h"
#include "cmd/common/html/page.h"

#include <jansson.h>

/* A small chart of what each node holds. */
void node_page_bars(const struct node_load *load, uint32_t nodes, const char *title, const char *desc, page_number_text *number,
                    struct page *p);
/* path: where node_balance_json stands in the document. */
void node_page_put(const struct node_balance *b, const char *path, struct page *p);
json_t *node_balance_json(const struct node_balance *b);

#endif
