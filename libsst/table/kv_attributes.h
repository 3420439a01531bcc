/* KV_ATTRIBUTES of a table as the server checks them. */
#ifndef TABLE_KV_ATTRIBUTES_H
#define TABLE_KV_ATTRIBUTES_H

#include "table/ddl_parser.h"

/* kv_attributes.c: the JSON of KV_ATTRIBUTES, '{"Hbase": {"TimeToLive": 3600, "MaxVersions": 3}}', as the server checks it. */
/* Standing at KV_ATTRIBUTES. */
int kv_attributes_take(struct ddl *d);
/* Sets rules.ttl_s and rules.versions of the family where they are given. */
int kv_attributes_rules(struct ddl *d);

#endif
