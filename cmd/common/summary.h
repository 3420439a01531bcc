/* The end of a run that wrote a dataset. */
#ifndef CMD_COMMON_SUMMARY_H
#define CMD_COMMON_SUMMARY_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "engine/build.h"

#include <jansson.h>

struct environment;
struct intake;
struct target;
struct output;

/* --dry-run: what would be read and written; touches nothing. */
int summary_dry_run(struct environment *env, struct intake *intake, struct target *target, struct output *output,
                    const struct input_list *in, json_t *own, struct err *err);
/* --json of a run that found its work done. */
int summary_nothing(struct environment *env, struct err *err);
/* Gives the warnings of the run as a whole; before it is published. */
void summary_warn(struct environment *env, struct intake *intake, struct target *target, struct output *output,
                  const struct build_result *r);
/* Does a format hold records, of which a mapping makes cells? */
bool summary_is_of_records(const char *format);
/* Gives the warnings that depend on all records, so that a shard cannot. selection: its options by name, or NULL. */
void summary_warn_whole(struct environment *env, struct intake *intake, const struct target *target, const struct build_result *r,
                        const json_t *selection);
/* own: members that the program adds to the JSON document; NULL: none. */
int summary_print(struct environment *env, struct target *target, struct output *output, const char *did,
                  const struct input_list *in, const struct build_result *r, json_t *own, struct err *err);

#endif
