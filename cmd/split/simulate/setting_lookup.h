/* One setting after the other out of lists in which the narrower one wins, as numbers the way Hadoop's Configuration and
 * HBase's descriptors read them. Exports: setting */
#ifndef CMD_SPLIT_SIMULATE_SETTING_LOOKUP_H
#define CMD_SPLIT_SIMULATE_SETTING_LOOKUP_H

#include "base/err.h"
#include "cmd/common/property_list.h"

#include <stdint.h>

struct setting_lookup {
    const struct property_list *lists[3]; /* family, table, site; NULL: none */
    struct err *err;
};

enum setting_type {
    SETTING_LONG,   /* Configuration.getLong, getInt: decimal or 0x…, no unit */
    SETTING_FLOAT,  /* getFloat: rounded to 32 bits */
    SETTING_DOUBLE, /* getDouble */
    SETTING_BOOL,   /* getBoolean: true or false, else the default */
    SETTING_BYTES   /* of a descriptor: a number of bytes; the shell's units (10GB) are taken too */
};

/* A row of a table of settings: a field of a struct, its type and the range that HBase can do something with. */
struct setting {
    const char *name;
    size_t field; /* offset */
    uint8_t size; /* of the field: 1 (bool), 4, 8 */
    uint8_t type;
    double least, most;
};

/* Returns the property that counts for a setting; NULL: not given, or empty. */
const struct property *setting_find(const struct setting_lookup *l, const char *name);
/* Sets the fields of those that are given. A value HBase could not use is ERR_USAGE. */
int setting_read_all(const struct setting_lookup *l, const struct setting *settings, size_t n, void *base);
bool setting_known(const struct setting *settings, size_t n, const char *name);
/* The index of the word whose last part (after the package) the setting is; -1: not given; -2: ERR_UNSUPPORTED. */
int setting_class(const struct setting_lookup *l, const char *name, const char *package, const char *const *words, size_t n);

#endif
