/* Spreads as parts of results: when which keys were written, and what nodes hold. */
#ifndef SPREAD_SPREAD_JSON_H
#define SPREAD_SPREAD_JSON_H

#include "cmd/common/spread/heat_map.h"
#include "cmd/common/spread/spread.h"

#include <jansson.h>

/* null where there is nothing to show. */
json_t *spread_json_heat(const struct heat_map *h);
json_t *spread_json_nodes(const struct node_balance *b);

#endif
