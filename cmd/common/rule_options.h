/* --versions, --ttl and the other version-rule options, on top of what a table says; and by which rules. */
#ifndef RULE_OPTIONS_H
#define RULE_OPTIONS_H

#include "cmd/common/options.h"
#include "rules/rules.h"

/* Options that were given replace those of r. ERR_USAGE names a malformed one. */
int rule_options_apply(const struct options *o, struct family_rules *r, struct err *err);

/* --keep-seq-period; 0 = for ever. */
int rule_options_keep_seq(const struct options *o, int64_t *ms, struct err *err);

/* --rules, --minor, --minor-rules. ERR_USAGE names options that do not go together. */
int rule_options_kind(const struct options *o, enum compaction_kind *kind, struct err *err);

#endif
