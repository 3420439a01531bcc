/* One run of a program: from options to table, limits, inputs and output directory, up to the published manifest.
 * The order of calls: session_open, session_table, session_output, (work), session_publish, session_close. */
#ifndef SESSION_H
#define SESSION_H

#include "cmd/common/disk_need.h"
#include "cmd/common/inputs.h"
#include "cmd/common/metrics.h"
#include "cmd/common/minisign.h"
#include "cmd/common/remote_inputs.h"
#include "cmd/common/report.h"
#include "cmd/common/write_options.h"
#include "dataset/manifest.h"
#include "dataset/outdir.h"
#include "engine/partition_writer.h"
#include "engine/rejects.h"
#include "formats/mapping/mapping.h"
#include "formats/wal/wal_run.h"
#include "select/selection_state.h"
#include "table/partitioner.h"

struct reject_log;

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
/* How this run interprets its inputs. */
struct input_opts session_input_opts(struct session *s);
/* --staged: the names that inputs of the list have in manifests. */
int session_name_copies(struct session *s, struct input_list *in, struct err *err);
/* Adds one input of any kind to the list. */
int session_add_input(struct session *s, struct input_list *in, const char *path, struct err *err);

/* Before a dataset is opened whose manifest stays: whether there is room for it beside those before it. */
int session_dataset_room(struct session *s, const char *dir, struct err *err);
int session_manifest_room(struct session *s, uint64_t bytes, struct err *err);
/* Before partitions are read from --ddl or --partition: whether there is room for them. */
int session_partition_room(const struct session *s, struct err *err);

struct read_opts session_read_opts(struct session *s);
/* Prints the warnings of the readers, after everything is read. */
void session_warn_inputs(struct session *s);
/* Warns of datasets and files that are among the inputs twice. */
int session_warn_twice(struct session *s, struct err *err);

/* ---- session_kind.c: a whole table, or a delta whose markers must stay ---- */

/* The inputs are listed, and will live as long as they are read: readers may ask which is the first. */
int session_note_texts(struct session *s, struct input_list *in, struct err *err);

/* Returns what decides the bytes of the output (session_settings.c); NULL: no memory, or text that JSON cannot hold. */
json_t *session_settings(const struct session *s, const char *command);

/* Codec, bloom, sizes, times. */
int session_store_opts(struct session *s, struct output_opts *o, struct err *err);
/* Exit code of a run that succeeded: 0, or 3 with rejects or losses. */
int session_success_code(const struct ledger *l);

#endif
