/* KV_ATTRIBUTES of a table, '{"Hbase": {"TimeToLive": 3600, "MaxVersions": 3}}', as the server checks them: names without
 * case, unknown names refused, TimeToLive in seconds. */
#ifndef TABLE_KV_ATTRIBUTES_H
#define TABLE_KV_ATTRIBUTES_H

#include "table/table.h"

/* Sets rules->ttl_s and rules->versions where given. *disabled: State is "disable". Errors are ERR_USAGE without a place. */
int kv_attributes_parse(struct bytes json, struct family_rules *rules, bool *disabled, struct err *err);

#endif
