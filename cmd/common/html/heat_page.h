/* When which keys were written, as a section of a page and as JSON. */
#ifndef HTML_HEAT_PAGE_H
#define HTML_HEAT_PAGE_H

#include "cmd/common/spread/heat_map.h"
#include "cmd/common/html/page.h"

#include <jansson.h>

/* path: where heat_map_json stands in the document. Nothing where there is nothing to show; then JSON has null. */
void heat_page_put(const struct heat_map *h, const char *path, struct page *p);
json_t *heat_map_json(const struct heat_map *h);

#endif
