/* Warns of options that matched nothing in the inputs. */
#ifndef CMD_COMMON_UNMET_H
#define CMD_COMMON_UNMET_H

#include "base/err.h"
#include "dataset/manifest.h"
#include "rules/ledger.h"

struct environment;
struct intake;

/* A selection takes nothing of n things. given: its options by name, as selection_options_json; without any it is `option` alone.
 * Names the families there are, if the options name others. */
void unmet_warn_nothing(struct environment *env, struct intake *intake, uint64_t n, const json_t *given, const char *option);
/* As unmet_warn_nothing, of the selection of this run; option: what has selected where there is none. */
void unmet_warn_unselected(struct environment *env, struct intake *intake, uint64_t n, const char *option);
/* Warns that nothing was taken of the inputs: because of the selection, if there is one; else why. */
void unmet_warn_empty(struct environment *env, struct intake *intake, const char *why);
/* Warns of paths of the mapping that no record had, and of items of the selection that no cell was of. */
void unmet_warn(struct environment *env, struct intake *intake, const struct ledger *read);
/* Notes, in a shard, the names that nothing has. */
int unmet_note(const struct intake *intake, json_t *notes, struct err *err);
/* Warns of those that all shards have noted. read: what they have read together. */
void unmet_join(struct environment *env, struct intake *intake, const struct manifest *shards, size_t n,
                const struct ledger *read);

#endif
