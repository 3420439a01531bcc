/* Rules that a dataset has been through stay true of its cells when rows only change their partition: then the new files may
 * serve as a base too. */
#ifndef ENGINE_KEPT_RULES_H
#define ENGINE_KEPT_RULES_H

#include "dataset/manifest.h"
#include "engine/rules_text.h"

/* Of one family. */
struct kept_rules {
    char hash[RULES_HASH_BYTES]; /* OBKV.RULES of all its files; "" = there is no such thing */
    struct family_rules rules;
    int64_t now_ms; /* moments up to here have passed without dropping what is there */
};

/* Reads the file info of all files of the dataset; kept[i] is of family i of `table` (calloc'd). */
int kept_rules_read(const char *dir, const struct manifest *m, const struct table *table, struct kept_rules **kept,
                    struct err *err);

#endif
