/* The output directory of a run. */
#ifndef CMD_COMMON_SESSION_OUTPUT_H
#define CMD_COMMON_SESSION_OUTPUT_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/common/inputs.h"
#include "cmd/common/signature.h"
#include "dataset/manifest.h"
#include "dataset/outdir.h"
#include "engine/build.h"

struct environment;
struct target;
struct output;
struct session;

/* ERR_USAGE: the output is finished, but of other settings (`made`, not `asked`), inputs or whatever. Returns -1. */
int session_refuse_finished(const struct environment *env, const char *what, const json_t *made, const json_t *asked,
                            struct err *err);
/* Opens and locks the output directory; `state` is what outdir_look returned. */
int session_begin_output(struct environment *env, struct output *output, enum outdir_state state, struct err *err);
/* *done: OUT holds a finished run with the same settings and inputs. Otherwise opens and locks it. `command` becomes part of the
 * settings ("import"). */
int session_output(struct session *s, const char *command, const struct input_list *in, bool *done, int *done_code,
                   struct err *err);
/* Checks that the ledgers balance, writes the manifest, publishes. Takes ownership of r's files. */
int session_publish(struct session *s, struct input_list *in, struct build_result *r, bool compacted, const char *rules_before,
                    struct err *err);
/* The last steps, for any dataset in the output directory: signature, sync, manifest. in: the inputs that were read. */
int session_publish_manifest(struct environment *env, struct output *output, struct manifest *m, const struct input_list *in,
                             struct err *err);
/* The rules of each family, as the manifest of a compaction says them; with a NUL. */
int session_describe_rules(const struct target *target, struct buf *out, struct err *err);
/* The files of a dataset, for its signature. */
struct signed_list session_signed_list(const struct manifest *m);
/* --verify-key: the datasets among these paths must be signed. */
int session_demand_signatures(struct environment *env, char *const *paths, int n, struct err *err);

#endif
