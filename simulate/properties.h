/* Named settings of HBase as texts, with the place each was given at: of a file of configuration, of a table, of a family.
 * In order of their first appearance; of equal names the last counts. Zero-initialise; properties_free when done. */
#ifndef SIMULATE_PROPERTIES_H
#define SIMULATE_PROPERTIES_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct property {
    char *name, *value;
    char *place; /* "hbase-site.xml:12", "--set": what messages name */
    bool final;  /* later ones change nothing (<final>true</final>) */
};

struct properties {
    struct property *p;
    size_t n, cap;
};

enum { PROPERTIES_MAX = 100000 };

int properties_put(struct properties *l, const char *name, const char *value, const char *place, struct err *err);
/* NULL: not given. Borrowed. */
const struct property *properties_find(const struct properties *l, const char *name);
void properties_free(struct properties *l);

#endif
