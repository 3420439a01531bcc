/* Decides whether a run writes a whole table, or a delta whose markers must stay. */
#ifndef CMD_COMMON_TARGET_KIND_H
#define CMD_COMMON_TARGET_KIND_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "dataset/manifest.h"
#include "dataset/manifest_json.h"
#include "rules/ledger.h"
#include "rules/rules.h"

struct environment;
struct target;
struct output;

/* A delta of write-ahead logs as HBase wrote them: no compaction has been over it. */
bool target_kind_is_edits(const struct manifest *m);
/* Sets the kind of the output from --delta or what is known of the inputs. A compaction of a delta gets rules that keep its
 * markers. Call it after rule_options_kind. */
int target_kind_take(struct environment *env, struct target *target, enum dataset_kind inputs, bool compacts, struct err *err);
/* Learns the kind from what was read, where nothing said it before. */
void target_kind_learn(struct environment *env, struct target *target, bool is_shard, const struct input_list *in, bool compacts);
/* The rules for a compaction of this kind. */
enum compaction_kind target_kind_rules(const struct environment *env, const struct target *target, enum dataset_kind holds);
/* Warns of markers that were dropped although the inputs may not be the whole table. */
void target_kind_warn_purged(struct environment *env, struct target *target, const struct ledger *l);

#endif
