/* One run of a tool that writes a dataset: options -> table, limits, output directory -> published manifest.
 * The order of calls: session_open, session_table, session_output, (work), session_publish, session_close. */
#ifndef SESSION_H
#define SESSION_H

#include "cmd/common/inputs.h"
#include "cmd/common/write_options.h"
#include "cmd/common/metrics.h"
#include "cmd/common/report.h"
#include "cmd/common/report.h"
#include "cmd/common/table_options.h"
#include "cmd/common/signature.h"
#include "dataset/manifest.h"
#include "dataset/outdir.h"
#include "table/placement.h"
#include "formats/formats.h"
#include "hfile/hfile_writer.h"
#include "engine/build.h"
#include "engine/rejects.h"
#include "formats/mapping/mapping.h"
#include "formats/wal/wal_run.h"

struct session;
/* What a tool adds to the summary of its run: lines for people, members of the JSON document. */
struct summary_more {
    int (*print)(struct session *s, const void *arg, struct err *err);
    int (*json)(struct session *s, const void *arg, json_t *into, struct err *err);
    const void *arg;
};

struct session {
    const struct tool_about *about;
    struct options o;
    struct reporter reporter;
    struct stop stop;
    struct disk_quota quota;
    struct job job;
    struct path_patterns patterns;
    struct path_names unpacked; /* for messages: the members of archives that are in temporary directories */
    struct table table;
    struct placement *placement;
    struct mapping *mapping;     /* --map; NULL: not given */
    struct selection *selection; /* NULL: all is taken */
    bool open_families;          /* no DDL: families come from columns and inputs */
    struct outdir out;
    bool out_open;
    struct reject_limit reject_limit;
    struct reject_log *rejects;
    struct wal_run *wal;       /* write-ahead logs: what is taken of them; NULL: whole logs of one table */
    struct buf input_warnings; /* filled while inputs are read */
    enum on_damage on_damage;
    enum time_unit timestamp_unit;
    enum compaction_kind kind;        /* where version rules are applied */
    enum dataset_kind holds;          /* of the output: see session_kind.c */
    json_t *settings, *own_settings;  /* own: of the program alone; NULL = none */
    struct manifest_shard *shard;     /* of whose inputs this run reads a part; NULL: all */
    const struct summary_more *more;  /* NULL = nothing */
    struct manifest_pending *pending; /* for the manifest; borrowed */
    size_t n_pending;
    struct like like;                /* --like; n = 0: not given */
    struct output_family *writers;   /* by family, where there is such an example */
    struct minisign_secret sign_key; /* --sign-key */
    double started;                  /* steady clock */
    struct metrics metrics;          /* for --metrics */
};

/* Signals, options, reporter. *done: help was printed, exit 0. */
int session_open(struct session *s, const struct tool_about *about, int argc, char **argv, bool *done, struct err *err);
void session_close(struct session *s);
/* Instead of it, from wherever a library ends the program: only what was begun in the output directory goes. */
void session_abandon(struct session *s);
/* A further run of the same tool: options, limits and reporter are those of `whole`, everything else is its own. */
void session_begin_part(struct session *s, const struct session *whole);
void session_end_part(struct session *s);

/* --ddl or --partition, and the version-rule options on top. `fallback` (may be NULL) is used where neither is given. */
int session_table(struct session *s, const struct table *fallback, struct err *err);
/* The same where stores of HBase may be among the inputs: without --ddl and fallback the families are theirs, and the version
 * rules are theirs in any case; where the definition of the target says others, that is reported. */
int session_table_of(struct session *s, const struct table *fallback, const struct input_list *in, struct err *err);
/* --snapshot, and no input has any. */
int session_refuse_snapshot(const struct session *s, struct err *err);
/* Looks into the store files among the inputs. Without a budget for rejects, a family that the target lacks would end the run at
 * its first cell: here it is reported before. */
int session_survey(struct session *s, struct input_list *in, struct err *err);
/* How the inputs of this run are to be understood. */
struct input_opts session_input_opts(struct session *s);
/* One input of any kind joins the list. */
int session_add_input(struct session *s, struct input_list *in, const char *path, struct err *err);
/* Families of a further dataset join the table with their lengths and rules; options beat rules here too. */
int session_add_families(struct session *s, const struct table *t, struct err *err);
/* For tools that only read: any family, one partition. */
int session_open_table(struct session *s, struct err *err);
/* Families, versions: what --compact must know. ERR_USAGE asks for --versions where nothing gives it. */
int session_need_rules(struct session *s, struct err *err);

struct read_opts session_read_opts(struct session *s);
/* The same of what readers had to say; once all is read. */
void session_warn_inputs(struct session *s);
/* Clock and TTL in a unit that was hardly meant. */
void session_warn_options(struct session *s);
/* What their cells have shown. */
void session_warn_signs(struct session *s, const struct input_list *in);
/* ---- session_kind.c: a whole table, or a delta whose markers must stay ---- */

/* Takes what the inputs are, or --delta; a compaction of a delta gets rules that keep its markers. After rule_options_kind. */
int session_take_kind(struct session *s, enum dataset_kind inputs, bool compacts, struct err *err);
/* Of inputs that are no datasets: stores of HBase are whole. */
enum dataset_kind session_kind_of_inputs(const struct input_list *in);
/* Markers that were dropped although it was not said that the inputs are all there is. */
void session_warn_purged(struct session *s, const struct ledger *l);

/* Codec, bloom, sizes, times. */
int session_store_opts(struct session *s, struct output_opts *o, struct err *err);
/* For tools that only read: where to spill without --temp-dir. */
void session_temp_elsewhere(struct session *s);
/* The inputs join `in`, the table is theirs or `fallback` (session_table_of), rejects are only counted. */
int session_read_inputs(struct session *s, const struct table *fallback, struct input_list *in, struct err *err);
/* Opens and locks the output directory, which outdir_look found in this state. */
int session_begin_output(struct session *s, enum outdir_state state, struct err *err);
/* *done when OUT holds a finished run with the same settings and inputs. Else opens and locks it.
 * command goes into the settings ("import"). */
int session_output(struct session *s, const char *command, const struct input_list *in, bool *done, int *done_code,
                   struct err *err);
/* Balances, writes the manifest, publishes. Owns r's files from now on. */
int session_publish(struct session *s, struct input_list *in, struct build_result *r, bool compacted, const char *rules_before,
                    struct err *err);
/* The end of it, of any dataset that is in the output directory: signature, files on disk, manifest. in: what was read. */
int session_publish_manifest(struct session *s, struct manifest *m, const struct input_list *in, struct err *err);
/* The files of a dataset, for its signature. */
struct signed_list session_signed_list(const struct manifest *m);
/* --verify-key: the datasets among these paths must be signed. */
int session_demand_signatures(struct session *s, char *const *paths, int n, struct err *err);
/* Exit code of a run that succeeded: 0, or 3 with rejects or losses. */
int session_success_code(const struct ledger *l);

/* ---- shards (session_shard.c): what a join must know of them to warn as one run would ---- */

/* Before inputs are read: what was warned of until now, every shard has warned of. */
int session_shard_begin(struct session *s, struct err *err);
/* After it: what the cells of each input have shown. */
int session_shard_end(struct session *s, const struct input_list *in, struct err *err);
/* Counts what shards have warned of, and warns of what shows only when all are seen. whole: has the inputs of all. */
int session_shards_warn(struct session *s, const struct manifest *shards, size_t n, const struct manifest *whole,
                        struct err *err);

/* ---- write-ahead logs (session_wal.c): what of them is read, from the options and from the store files to be left out ---- */

struct session_wal {
    struct wal_run run;
    struct wal_base base;
    struct input_list after; /* --after */
    char *table, *regions;   /* copies: HBase's spelling; the list with its commas replaced */
    const char **region;     /* into regions */
};

/* Checks the options; s reads logs by them from now on, and its settings and summary name them. */
int session_wal_open(struct session *s, struct session_wal *w, struct err *err);
/* program_write.prepare, of a struct session_wal: takes what the store files among the inputs, or those of --after, hold. Edits
 * that they hold are left out. */
int session_wal_base(struct session *s, struct input_list *in, void *wal, struct err *err);
void session_wal_close(struct session_wal *w);
/* Logs alone are a delta; a store and the logs that continue it are the whole. */
/* A write-ahead log, by its format or content. */
bool session_is_log(const struct input *in);
enum dataset_kind session_wal_kind(const struct input_list *in);
/* For the summary (summary_more): nothing if no log was read. arg: struct session_wal. */
int session_wal_print(struct session *s, const void *arg, struct err *err);
int session_wal_json(struct session *s, const void *arg, json_t *into, struct err *err);

#endif
