/* One run of a program: from options to table, limits, inputs and output directory, up to the published manifest.
 * The order of calls: session_open, session_table, session_output, (work), session_publish, session_close. */
#ifndef SESSION_H
#define SESSION_H

#include "cmd/common/disk_need.h"
#include "cmd/common/inputs.h"
#include "cmd/common/write_options.h"
#include "cmd/common/metrics.h"
#include "cmd/common/remote_inputs.h"
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
/* What a program adds to the summary of its run: lines of text, and members of the JSON document. */
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
    struct disk_need need; /* in case the disk is full */
    struct job job;
    struct path_patterns patterns;
    struct remote_inputs remote;
    struct path_names unpacked; /* for messages: the members of archives that are in temporary directories */
    struct table table;
    struct placement *placement;
    struct mapping *mapping;     /* --map; NULL: not given */
    struct dialect dialect;      /* what options say of text */
    struct text_set texts;       /* the inputs, once session_note_texts was called */
    struct selection *selection; /* NULL: all is taken */
    json_t *families;            /* of a join: what all shards say of families, see unmet.c; NULL: see selection */
    bool open_families;          /* no DDL: families come from columns and inputs */
    bool one_of_tables;          /* of several that one run imports */
    bool from_records;           /* cells are made of records, not read of a dataset, where they may be delivered again */
    struct list_room manifests;  /* that are open */
    struct outdir out;
    bool out_open;
    struct reject_limit reject_limit;
    struct reject_log *rejects;
    struct wal_run *wal;       /* write-ahead logs: which edits are read; NULL: whole logs of one table */
    struct buf input_warnings; /* filled while inputs are read */
    struct first_header first_header;
    enum on_damage on_damage;
    enum time_unit timestamp_unit;
    enum compaction_kind kind;        /* where version rules are applied */
    enum dataset_kind holds;          /* kind of the output: see session_kind.c */
    json_t *settings, *own_settings;  /* own: those of the program only; NULL = none */
    struct manifest_shard *shard;     /* this run reads a part of its inputs; NULL: all */
    bool is_for_join;                 /* the output is a shard that this program itself joins, and removes */
    struct manifest_share *share;     /* this run writes a part of the partitions; NULL: all */
    const struct summary_more *more;  /* NULL = nothing */
    struct manifest_pending *pending; /* for the manifest; borrowed */
    size_t n_pending;
    struct like like;                /* --like; n = 0: not given */
    struct output_family *writers;   /* of each family, if --like is given */
    struct minisign_secret sign_key; /* --sign-key */
    double started;                  /* steady clock */
    struct metrics metrics;          /* for --metrics */
};

/* Signals, options, reporter. *done: help was printed, exit 0. */
int session_open(struct session *s, const struct tool_about *about, int argc, char **argv, bool *done, struct err *err);
void session_close(struct session *s);
/* In place of session_close, when a library ends the program: removes only what was begun in the output directory. */
void session_abandon(struct session *s);
/* Another run of the same program: it shares options, limits and reporter with `whole`, and nothing else. */
void session_begin_part(struct session *s, const struct session *whole);
/* To an error of a full disk: which directory it is, and how much it needs. For a part, before it ends. */
void session_explain_full(const struct session *s, struct err *err);
void session_end_part(struct session *s);

/* --ddl or --partition; options for version rules override them. `fallback` (may be NULL) is used if neither is given. */
int session_table(struct session *s, const struct table *fallback, struct err *err);
/* The same if the inputs may contain HBase stores. Without --ddl and fallback, families are taken from the stores. Version rules
 * are always taken from them; if the definition of the target has others, a warning says so. */
int session_table_of(struct session *s, const struct table *fallback, const struct input_list *in, struct err *err);
/* ERR_USAGE: --snapshot is given, but no input has snapshots. */
int session_refuse_snapshot(const struct session *s, struct err *err);
/* Surveys the store files among the inputs. If no rejects are allowed, a family that the target lacks would end the run at its
 * first cell; this reports it before anything is read. */
int session_survey(struct session *s, struct input_list *in, struct err *err);
/* How this run interprets its inputs. */
struct input_opts session_input_opts(struct session *s);
/* --staged: the names that inputs of the list have in manifests. */
int session_name_copies(struct session *s, struct input_list *in, struct err *err);
/* Adds one input of any kind to the list. */
int session_add_input(struct session *s, struct input_list *in, const char *path, struct err *err);
/* Adds the families of another dataset to the table, with their lengths and rules. Options override the rules here too. */
int session_add_families(struct session *s, const struct table *t, struct err *err);
/* For programs that only read: any family, one partition. */
int session_open_table(struct session *s, struct err *err);
/* Checks that families and versions are known, as --compact requires. ERR_USAGE asks for --versions if they are not. */
int session_need_rules(struct session *s, struct err *err);

/* Before a dataset is opened whose manifest stays: whether there is room for it beside those before it. */
int session_dataset_room(struct session *s, const char *dir, struct err *err);
int session_manifest_room(struct session *s, uint64_t bytes, struct err *err);
/* Before partitions are read from --ddl or --partition: whether there is room for them. */
int session_partition_room(const struct session *s, struct err *err);

struct read_opts session_read_opts(struct session *s);
/* Prints the warnings of the readers, after everything is read. */
void session_warn_inputs(struct session *s);
/* Warns if clock or TTL seem to be in the wrong unit. */
void session_warn_options(struct session *s);
/* Warns of datasets and files that are among the inputs twice. */
int session_warn_twice(struct session *s, struct err *err);
/* Warns if `now` was given and is before the cells that were written, and cells may expire. */
void session_warn_clock(struct session *s, bool given, int64_t now, const struct file_counts *written);
/* Warns of what the cells of the inputs have shown. */
void session_warn_signs(struct session *s, const struct input_list *in);

/* ---- unmet.c ---- */

/* A selection takes nothing of n things. given: its options by name, as selection_options_json; without any it is `option` alone.
 * Names the families there are, if the options name others. */
void session_warn_nothing_selected(struct session *s, uint64_t n, const json_t *given, const char *option);
/* The same of the selection of this run; option: what has selected where there is none. */
void session_warn_unselected(struct session *s, uint64_t n, const char *option);
/* Warns that nothing was taken of the inputs: because of the selection, if there is one; else why. */
void session_warn_empty(struct session *s, const char *why);
/* Warns of paths of the mapping that no record had, and of items of the selection that no cell was of. */
void session_warn_unmet(struct session *s, const struct ledger *read);
/* In a shard: notes them. */
int session_note_unmet(const struct session *s, json_t *notes, struct err *err);
/* Warns of those that all shards have noted. read: what they have read together. */
void session_join_unmet(struct session *s, const struct manifest *shards, size_t n, const struct ledger *read);

/* ---- session_kind.c: a whole table, or a delta whose markers must stay ---- */

/* A delta of write-ahead logs as HBase wrote them: no compaction has been over it. */
bool session_is_edits(const struct manifest *m);
/* Sets the kind of the output from --delta or what is known of the inputs. A compaction of a delta gets rules that keep its
 * markers. Call it after rule_options_kind. */
int session_take_kind(struct session *s, enum dataset_kind inputs, bool compacts, struct err *err);
/* Learns the kind from what was read, where nothing said it before. */
void session_learn_kind(struct session *s, const struct input_list *in, bool compacts);
/* The rules for a compaction of this kind. */
enum compaction_kind session_rules_of(const struct session *s, enum dataset_kind holds);
/* Warns of markers that were dropped although the inputs may not be the whole table. */
void session_warn_purged(struct session *s, const struct ledger *l);

/* The inputs are listed, and will live as long as they are read: readers may ask which is the first. */
int session_note_texts(struct session *s, struct input_list *in, struct err *err);

/* What decides the bytes of the output (session_settings.c); NULL: no memory, or text that JSON cannot hold. */
json_t *session_settings(const struct session *s, const char *command);

/* Codec, bloom, sizes, times. */
int session_store_opts(struct session *s, struct output_opts *o, struct err *err);
/* For programs that only read: where to spill without --temp-dir. */
void session_temp_elsewhere(struct session *s);
/* Adds the inputs to `in`. The table is theirs or `fallback` (session_table_of); rejects are only counted. */
int session_read_inputs(struct session *s, const struct table *fallback, struct input_list *in, struct err *err);
/* ERR_USAGE: the output is finished, but of other settings (`made`, not `asked`), inputs or whatever. Returns -1. */
int session_refuse_finished(const struct session *s, const char *what, const json_t *made, const json_t *asked, struct err *err);
/* Opens and locks the output directory; `state` is what outdir_look returned. */
int session_begin_output(struct session *s, enum outdir_state state, struct err *err);
/* *done: OUT holds a finished run with the same settings and inputs. Otherwise opens and locks it. `command` becomes part of the
 * settings ("import"). */
int session_output(struct session *s, const char *command, const struct input_list *in, bool *done, int *done_code,
                   struct err *err);
/* Checks that the ledgers balance, writes the manifest, publishes. Takes ownership of r's files. */
int session_publish(struct session *s, struct input_list *in, struct build_result *r, bool compacted, const char *rules_before,
                    struct err *err);
/* The last steps, for any dataset in the output directory: signature, sync, manifest. in: the inputs that were read. */
int session_publish_manifest(struct session *s, struct manifest *m, const struct input_list *in, struct err *err);
/* The rules of each family, as the manifest of a compaction says them; with a NUL. */
int session_describe_rules(const struct session *s, struct buf *out, struct err *err);
/* The files of a dataset, for its signature. */
struct signed_list session_signed_list(const struct manifest *m);
/* --verify-key: the datasets among these paths must be signed. */
int session_demand_signatures(struct session *s, char *const *paths, int n, struct err *err);
/* Exit code of a run that succeeded: 0, or 3 with rejects or losses. */
int session_success_code(const struct ledger *l);

/* ---- shards and shares (session_shard.c): what a join needs to know of them, to warn as one run would ---- */

/* Before inputs are read: every shard or share has given the warnings so far. */
int session_shard_begin(struct session *s, struct err *err);
/* After inputs were read: records what the cells of each input have shown. */
int session_shard_end(struct session *s, const struct input_list *in, struct err *err);
/* Counts the warnings of shards, and gives those that need all shards. whole: has the inputs of all. */
int session_shards_warn(struct session *s, const struct manifest *shards, size_t n, const struct manifest *whole,
                        struct err *err);
/* The same of shares whose ledgers add up. */
void session_shares_warn(struct session *s, const struct manifest *shares, size_t n);

/* ---- write-ahead logs (session_wal.c): which edits are read, from options and from store files that already hold them ---- */

struct session_wal {
    struct wal_run run;
    struct wal_base base;
    struct input_list after; /* --after */
    char *table, *regions;   /* copies: HBase's spelling; the list with its commas replaced */
    const char **region;     /* into regions */
};

/* Checks the options and applies them to all logs that s reads; settings and summary name them. */
int session_wal_open(struct session *s, struct session_wal *w, struct err *err);
/* program_write.prepare, with a struct session_wal: finds out which edits the store files among the inputs, or those of --after,
 * already hold. These edits are left out. */
int session_wal_base(struct session *s, struct input_list *in, void *wal, struct err *err);
void session_wal_close(struct session_wal *w);
/* Warns of options for logs where none was read, and where nothing was taken of logs: is_empty. True: it said why. */
bool session_wal_warn(struct session *s, bool is_empty);
/* For the summary (summary_more): prints nothing if no log was read. arg: struct session_wal. */
int session_wal_print(struct session *s, const void *arg, struct err *err);
int session_wal_json(struct session *s, const void *arg, json_t *into, struct err *err);

#endif
