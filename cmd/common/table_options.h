/* Reads the options of a table: the families that --columns and --map name, its version rules, which cells and partitions are
 * taken. */
#ifndef CMD_COMMON_TABLE_OPTIONS_H
#define CMD_COMMON_TABLE_OPTIONS_H

#include "cmd/common/inputs.h"
#include "cmd/common/options.h"
#include "formats/mapping/mapping.h"
#include "rules/rules.h"
#include "select/selection_state.h"
#include "table/table.h"

#include <jansson.h>

/* Reads the mapping of o->map, which is given. NULL: error. */
struct mapping *column_options_mapping(const struct options *o, struct err *err);
/* Fills *d with what --dialect, its short forms and --columns auto say of text. ERR_USAGE. */
int column_options_dialect(const struct options *o, struct dialect *d, struct err *err);
/* Checks options that go together. ERR_USAGE: --key alone. */
int column_options_check(const struct options *o, struct err *err);
/* The families they name, and that the selection takes, join a table without definition; *open: some more may come from the data.
 * m: that of --map, or NULL. */
int column_options_families(const struct options *o, const struct mapping *m, const struct selection *selection, struct table *t,
                            bool *open, struct err *err);
/* An option that only text knows and that was given, as it is written; NULL: none. */
const char *column_options_given(const struct options *o);
/* Refuses options of text where there is none. ERR_USAGE: such an option is given, and no input can be text. */
int column_options_wanted(const struct options *o, const struct input_list *in, struct err *err);

/* Options that were given replace those of r. ERR_USAGE names a malformed one. */
int rule_options_apply(const struct options *o, struct family_rules *r, struct err *err);

/* The period after which sequence ids become 0; 0 = for ever. */
int rule_options_keep_seq(const struct options *o, int64_t *ms, struct err *err);

/* Returns which HBase's rules a minor compaction has: "since" HBASE-30036, "before" it, or NULL: --rules asks for none. */
const char *rule_options_minor(const struct options *o);
/* --rules but none. ERR_USAGE names options that do not go together. */
int rule_options_kind(const struct options *o, enum compaction_kind *kind, struct err *err);

/* ---- partition_choice.c: which partitions a run reads ---- */

/* --partitions: *chosen has a flag for each partition, or is NULL: all. `what` is partitioned so, for messages. Free *chosen,
 * also after an error. */
int partition_options_choose(const struct opt_list *asked, const struct partitioning *p, const char *what, bool **chosen,
                             struct err *err);

#endif
