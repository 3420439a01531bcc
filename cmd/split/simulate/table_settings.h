/* The settings that a table of HBase brings along in its descriptor. */
#ifndef SIMULATE_TABLE_SETTINGS_H
#define SIMULATE_TABLE_SETTINGS_H

#include "formats/hbase/metadata.h"
#include "cmd/split/simulate/property_list.h"

/* Adds attributes and configuration of the table to `table`, and those of family i to families[i] (t->n_families). */
int table_settings_add(const struct hbase_table *t, struct property_list *table, struct property_list *families, struct err *err);

#endif
