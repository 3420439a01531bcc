/* The dataset that a run writes: its directory, how its files are written, and what goes into its manifest. */
#ifndef CMD_COMMON_OUTPUT_H
#define CMD_COMMON_OUTPUT_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/common/inputs.h"
#include "cmd/common/signature.h"
#include "cmd/common/write_options.h"
#include "dataset/manifest.h"
#include "dataset/outdir.h"
#include "engine/build.h"
#include "engine/partition_writer.h"
#include "engine/rejects.h"

struct environment;
struct target;
struct intake;

struct output {
    struct outdir out;
    bool out_open;
    bool is_for_join;                 /* a shard that this program itself joins, and removes */
    bool elsewhere;                   /* its files are not here: the manifest is written alone */
    json_t *settings, *own_settings;  /* own: those of the program only; NULL = none */
    struct manifest_shard *shard;     /* this run reads a part of its inputs; NULL: all */
    struct manifest_share *share;     /* this run writes a part of the partitions; NULL: all */
    struct manifest_pending *pending; /* for the manifest; borrowed */
    size_t n_pending;
    struct like like;              /* --like; n = 0: not given */
    struct output_family *writers; /* of each family, if --like is given */
};

/* ERR_USAGE: the output is finished, but of other settings (`made`, not `asked`), inputs or whatever. Returns -1. */
int output_refuse_finished(const struct environment *env, const char *what, const json_t *made, const json_t *asked,
                           struct err *err);
/* Opens and locks the output directory; `state` is what outdir_look returned. */
int output_begin(struct environment *env, struct output *output, enum outdir_state state, struct err *err);
/* *done: OUT holds a finished run with the same settings and inputs. Otherwise opens and locks it. `command` becomes part of the
 * settings ("import"). */
int output_open(struct environment *env, struct intake *intake, struct target *target, struct output *output, const char *command,
                const struct input_list *in, bool *done, int *done_code, struct err *err);
/* Checks that the ledgers balance, writes the manifest, publishes. Takes ownership of r's files. */
int output_publish(struct environment *env, struct target *target, struct output *output, struct input_list *in,
                   struct build_result *r, bool compacted, const char *rules_before, struct err *err);
/* The last steps, for any dataset in the output directory: signature, sync, manifest. in: the inputs that were read. */
int output_publish_manifest(struct environment *env, struct output *output, struct manifest *m, const struct input_list *in,
                            struct err *err);
/* The rules of each family, as the manifest of a compaction says them; with a NUL. */
int output_describe_rules(const struct target *target, struct buf *out, struct err *err);
/* Exit code of a run that succeeded: 0, or 3 with rejects or losses. */
int output_success_code(const struct ledger *l);
/* Ends the run in the output directory: what is not published is removed. err: of the run; a full disk is explained. */
void output_close(struct environment *env, struct output *output, struct err *err);

#endif
