/* The command line: tables of options, from which arguments are read and --help is printed, and the options that programs share.
 *
 * A program lists the groups of options that it has, or that each of its commands has. A group is a table of rows and the struct
 * that the rows fill: one of those below, by theme, or the program's own. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "base/err.h"
#include "cmd/common/opt_config.h"
#include "formats/archive/archive_source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum opt_kind {
    OPT_FLAG,    /* bool */
    OPT_TEXT,    /* const char * */
    OPT_LATER,   /* const char *: a file that is written at the end; that it can be is checked before the work */
    OPT_LIST,    /* struct opt_list: may be given several times */
    OPT_SIZE,    /* uint64_t: 512M */
    OPT_COUNT,   /* uint64_t */
    OPT_SECONDS, /* uint64_t: 90, 90s or 2m, not 0 */
    OPT_TIME,    /* int64_t, ms since 1970 */
    OPT_PARTS,   /* NAME=VALUE,…: rows of the groups under this option */
    OPT_HELP,    /* from here on: not from a file */
    OPT_CONFIG,  /* a file of options: read before all others */
    OPT_VERSION
};

enum { OPT_LIST_MAX = 256, OPT_ROWS_MAX = 128 };

struct opt_list {
    unsigned n;
    const char *item[OPT_LIST_MAX];
};

/* Says whether an option decides the bytes that a run writes. If it does, it is among the settings of the manifest: a run with
 * other settings is another run. Every row says so, or the compiler complains. */
struct opt_bytes {
    enum opt_effect {
        OPT_SAME_BYTES,      /* the same bytes with and without it */
        OPT_SETTING,         /* a setting of every output: null, false or 0 where it is not given, also by programs without it */
        OPT_SETTING_IF,      /* a setting where it is given */
        OPT_SETTING_THROUGH, /* through what is made of it: the table, the list of inputs, the selection, the dialect … */
    } effect;
    const char *key; /* of the setting; NULL: the name of the option, with _ for - */
};
#define SAME_BYTES \
    { OPT_SAME_BYTES, NULL }
#define SETTING \
    { OPT_SETTING, NULL }
#define SETTING_AS(key) \
    { OPT_SETTING, key }
#define SETTING_IF \
    { OPT_SETTING_IF, NULL }
#define SETTING_IF_AS(key) \
    { OPT_SETTING_IF, key }
#define SETTING_THROUGH \
    { OPT_SETTING_THROUGH, NULL }

struct opt_row {
    const char *name;
    char letter; /* 0 = none */
    enum opt_kind kind;
    size_t at;    /* where its value goes in the struct of its group */
    size_t given; /* 0, or where a bool says that it was given; of a list: the most values */
    const char *arg, *help;
    struct opt_bytes bytes;
};

struct opt_group {
    const char *title; /* over the rows in --help; neighbours with the same title are printed together */
    const struct opt_row *rows;
    size_t n;
    size_t at; /* its struct in struct options, or OPT_OWN: the program's own */
    const char
        *under; /* NULL: options. Else no options: parts of the option of this name, or, if it is "", lines of --config alone */
};
#define OPT_OWN SIZE_MAX
#define OPT_GROUP(title, rows, at) \
    { title, rows, sizeof(rows) / sizeof *(rows), at, NULL }
#define OPT_GROUP_UNDER(under, rows, at) \
    { NULL, rows, sizeof(rows) / sizeof *(rows), at, under }

struct environment;
struct intake;
/* A command of a tool, such as obkv-split plan. */
struct tool_command {
    const char *name, *inputs, *summary;
    const struct opt_group *const *groups; /* up to NULL */
    const char *const *first;              /* names of the options that most runs need, up to NULL; NULL: --help shows all */
    int (*run)(struct environment *env, struct intake *intake, int *code, struct err *err);
    bool datasets; /* a directory among the inputs must be one */
    bool may_have_no_input;
};

struct tool_about {
    const char *name;  /* obkv-import */
    const char *usage; /* after the name */
    const char *summary;
    const struct opt_group *const *groups; /* up to NULL; those of a tool without commands */
    const struct tool_command *commands;   /* the last one has no name; NULL = none */
    const char *const *first;              /* as in a command */
    const char *commit;                    /* of which the program was built */
    const char *(*client)(void);           /* name and version of the database library; NULL: it has none */
    const void *own;                       /* defaults of the program's own options; NULL = it has none */
    size_t own_bytes;
    const char *when_stopped; /* what is kept, and how to resume; NULL: it says so itself, or nothing */
};

/* ---- what programs share ---- */

/* Inputs to read, and how text becomes cells. */
struct input_options {
    const char *format, *snapshot, *backup;
    const char *columns, *key, *map, *timestamp_unit;
    const char *dialect, *delimiter, *quote; /* column_options_dialect reads them */
    struct opt_list nulls;
    bool header, skip_empty;
    bool timestamp_given;
    int64_t timestamp_ms;
    struct archive_limits archive;
    struct opt_list files;  /* patterns of names of files in directories and archives; !PATTERN: not these */
    struct opt_list staged; /* DIR=URL */
};

/* Write-ahead logs: what of them is read. */
struct wal_options {
    const char *table; /* NAME[/REGION,…]; obkv-import: or a pattern of tables */
    const char *after;
};

/* The selection of what is taken of the inputs, and how it is changed. */
struct selection_options {
    struct opt_list families, rows, qualifiers, masks;
    const char *time_range;
};

struct table_options {
    const char *ddl, *partition;
};

/* The versions that a compaction leaves, and by whose rules. */
struct rule_options {
    const char *versions, *min_versions, *ttl, *keep_deleted, *purge_deletes_after, *keep_seq_period;
    bool new_version_behavior, compact;
    bool delta, purge_deletes; /* of what the run writes: see target_kind.c */
    const char *rules, *rank;  /* rules: table_options.h reads it */
};

/* Settings by which cell files are written. */
struct write_options {
    const char *like, *codec, *encoding, *bloom, *keep_seq;
    bool compress_tags;
    uint64_t block_size, target_file_size, max_cell_size;
};

/* The place of results, and what may be lost on the way. */
struct output_options {
    const char *dir; /* -o */
    bool overwrite, dry_run;
    const char *max_rejects, *on_damage;
};

/* Keys of those who have signed the inputs, and of the one who signs the output. */
struct trust_options {
    const char *sign_key;
    struct opt_list verify_keys;
    bool signed_after_given;
    int64_t signed_after_ms;
};

struct resource_options {
    uint64_t memory, disk_limit, threads;
    const char *temp_dir;
    bool now_given;
    int64_t now_ms;
};

/* Inputs on servers: see remote_inputs.h. */
struct remote_options {
    const char *s3_endpoint, *s3_region, *namenodes, *hdfs_user, *hdfs_token_file, *ca_file;
    bool s3_in_host, negotiate;
    uint64_t retries, timeout_s, s3_part_size;
};

struct message_options {
    bool quiet, verbose, json, strict;
    const char *progress, *log_format;
    const char *metrics;   /* FILE; NULL: none */
    const char *html;      /* FILE; NULL: none */
    struct opt_list allow; /* codes of warnings that --strict lets pass */
};

/* A database, and how to talk to it. */
struct target_options {
    const char *address, *user, *password_file, *tls, *tls_ca, *tls_cert, *tls_key;
    uint64_t jobs, retries;
};

/* Servers that rows are spread over, and what is too much. */
struct spread_options {
    uint64_t nodes, max_partition;
};

struct options {
    const struct tool_command *command; /* NULL: the tool has none */
    char **inputs;
    int n_inputs;
    struct input_options in;
    struct wal_options wal;
    struct selection_options selection;
    struct table_options table;
    struct rule_options rules;
    struct write_options write;
    struct output_options out;
    struct trust_options trust;
    struct resource_options resources;
    struct remote_options remote;
    struct message_options messages;
    struct target_options target;
    struct spread_options spread;
    void *own; /* the program's own struct */
    /* for opt.c: the groups of the command, and the rows that were given */
    const struct opt_group *const *groups;
    struct {
        struct opt_given {
            const struct opt_row *row;
            const char *under;                                                         /* of its group */
            enum opt_from { OPT_FROM_FILE, OPT_FROM_ENVIRONMENT, OPT_FROM_LINE } from; /* the later beat the earlier */
            const char *place;                                                         /* the file, or the variable */
            unsigned line;                                                             /* of the file */
            const char *value;                                                         /* NULL: a flag */
        } list[OPT_ROWS_MAX];
        unsigned n;
        char *parts[64]; /* what values of OPT_PARTS point into; owned */
    } given;
    struct opt_config config; /* what --config holds */
};

extern const struct opt_group opt_input, opt_snapshot; /* snapshot: that alone */
extern const struct opt_group opt_backup;              /* a line of --config, with each of them */
extern const struct opt_group opt_text;                /* how text becomes cells */
extern const struct opt_group opt_names;               /* which files of directories and archives */
extern const struct opt_group opt_archive_limits;      /* lines of --config */
extern const struct opt_group opt_staged;              /* for those that write where inputs are from into a manifest */
extern const struct opt_group opt_key;                 /* of text: for those without a --key of their own */
extern const struct opt_group opt_wal;                 /* write-ahead logs */
extern const struct opt_group opt_selection;           /* what is taken of the inputs */
extern const struct opt_group opt_ddl, opt_partition;  /* of struct table_options */
extern const struct opt_group opt_rules;               /* versions and TTL */
extern const struct opt_group opt_setting;             /* --set, for those that have one of the next groups */
extern const struct opt_group opt_set_rules, opt_set_deletes, opt_set_compaction, opt_set_files, opt_set_size;
extern const struct opt_group opt_compact;              /* whether to apply the rules */
extern const struct opt_group opt_compaction, opt_rank; /* a compaction that writes a dataset; which of equal cells is newer */
extern const struct opt_group opt_delta;                /* what is written is a part of a table; or its markers go nevertheless */
extern const struct opt_group opt_delta_alone, opt_purge_line; /* the same, the second one a line of --config */
extern const struct opt_group opt_cell_files, opt_damage, opt_rejects;
extern const struct opt_group opt_keep_seq;            /* a line of --config, with opt_cell_files */
extern const struct opt_group opt_output, opt_dry_run; /* output: a dataset */
extern const struct opt_group opt_sign, opt_verify_key;
extern const struct opt_group opt_resources, opt_spill;
extern const struct opt_group opt_messages, opt_json, opt_log; /* json: and html; log: lines of --config */
extern const struct opt_group opt_html;
extern const struct opt_group opt_remote; /* who has it reads URLs */
extern const struct opt_group opt_target;
extern const struct opt_group opt_from, opt_login;              /* from: a database that is read; login: user and password */
extern const struct opt_group opt_login_tls, opt_login_retries; /* lines of --config */
extern const struct opt_group opt_nodes, opt_max_partition;     /* of struct spread_options */

/* All of these groups, up to NULL. */
extern const struct opt_group *const opt_shared[];

/* The row of the option with this name; NULL: no group has it. Parts of options are none. */
const struct opt_row *opt_row_named(const struct opt_group *const *groups, const char *name);
/* Returns whether the command has this group. */
bool opt_has_group(const struct options *o, const struct opt_group *g);
/* The values of options that are not given. */
struct options options_default(void);
/* Returns where files go that are no output: --temp-dir (NULL: not given), else $TMPDIR, else /var/tmp (/tmp may be in memory),
 * else /tmp. */
const char *temp_dir_of(const char *given);

/* ---- reading the command line (opt.c) ---- */

enum opt_result { OPT_RUN, OPT_DONE }; /* DONE: help or version was printed */

/* ---- for opt.c ---- */

/* A row and its group; row NULL = none. */
struct opt_found {
    const struct opt_group *group;
    const struct opt_row *row;
};
extern const struct opt_given opt_from_line;

enum { OPT_RENAMED_BYTES = 600 };
/* Returns what an option that is gone is called now, for the message after "--NAME is no option of PROGRAM any more: "
 * (opt_renamed.c), with the value that was given (NULL: none). NULL: these groups never had it. */
const char *opt_renamed(const struct opt_group *const *groups, const char *name, const char *value, char out[OPT_RENAMED_BYTES]);

#endif
