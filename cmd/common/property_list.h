/* Named settings of HBase as texts, with the place each was given at: of a file of configuration, of a table, of a family.
 * In order of their first appearance; of equal names the last counts. Zero-initialise; property_list_free when done. */
#ifndef CMD_COMMON_PROPERTY_LIST_H
#define CMD_COMMON_PROPERTY_LIST_H

#include "base/err.h"

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
/* Makes a property final from now on. */
void property_list_close(struct property_list *l, const char *name);
/* Returns the property of this name, borrowed; NULL: not given. */
const struct property *property_list_find(const struct property_list *l, const char *name);
void property_list_free(struct property_list *l);

/* ${name} in values, as Hadoop's Configuration puts other values in their place when it is asked for them:
 *   ${env.X} the environment; ${env.X-word} word where X is not set, ${env.X:-word} where it is not set or empty
 *   ${other} the value of that property, which may contain further ones: 20 in all. What is not known stays
 *   unchanged, and so does all after it. A value in which a name would come back stays as it was. System properties of
 *   Java and values that only hbase-default.xml gives are not known here.
 *
 * Substitutes in all values of l. env: NULL if the variable is not set. More than 20 in one value are ERR_USAGE, as they
 * end HBase. */
int property_vars_substitute(struct property_list *l, const char *(*env)(const char *name), struct err *err);

#endif
