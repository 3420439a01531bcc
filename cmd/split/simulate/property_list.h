/* Named settings of HBase as texts, with the place each was given at: of a file of configuration, of a table, of a family.
 * In order of their first appearance; of equal names the last counts. Zero-initialise; property_list_free when done. */
#ifndef SIMULATE_PROPERTY_LIST_H
#define SIMULATE_PROPERTY_LIST_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct property {
    char *name, *value; /* "": it has none, and it is final */
    char *place;        /* "hbase-site.xml:12", "--set": what messages name */
    bool final;         /* later ones change nothing (<final>true</final>) */
};

struct property_list {
    struct property *p;
    size_t n;
};

enum { PROPERTY_LIST_MAX = 10000 };

int property_list_put(struct property_list *l, const char *name, const char *value, const char *place, struct err *err);
/* From now on it is final. */
void property_list_close(struct property_list *l, const char *name);
/* NULL: not given. Borrowed. */
const struct property *property_list_find(const struct property_list *l, const char *name);
void property_list_free(struct property_list *l);

#endif
