/* What can be asked of the programs: all tools and their commands, and one struct for the options of them all. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "base/err.h"
#include "formats/archive/archive_limits.h"

#include <stdbool.h>
#include <stdint.h>

enum tool { /* bits: which tools, and which of their commands, know an option */
            TOOL_IMPORT = 1,
            TOOL_COMPACT = 1 << 1,
            TOOL_EXPORT = 1 << 2,
            TOOL_LOAD = 1 << 3,
            SPLIT_PLAN = 1 << 4,
            SPLIT_SIMULATE = 1 << 5,
            SPLIT_APPLY = 1 << 6,
            VERIFY_ACCOUNT = 1 << 7,
            VERIFY_CHECK = 1 << 8,
            VERIFY_DIFF = 1 << 9,
            VERIFY_DUMP = 1 << 10,
            VERIFY_HASHTABLE = 1 << 11,
            VERIFY_INFO = 1 << 12,
            VERIFY_SKEW = 1 << 13,
            VERIFY_TARGET = 1 << 14,
            TOOL_SPLIT = SPLIT_PLAN | SPLIT_SIMULATE | SPLIT_APPLY,
            TOOL_VERIFY = VERIFY_ACCOUNT | VERIFY_CHECK | VERIFY_DIFF | VERIFY_DUMP | VERIFY_HASHTABLE | VERIFY_INFO |
                          VERIFY_SKEW | VERIFY_TARGET,
            TOOL_TARGETS = TOOL_LOAD | VERIFY_TARGET, /* that speak to a database */
            TOOL_WRITERS = TOOL_IMPORT | TOOL_SPLIT | TOOL_COMPACT,
            TOOL_MAKERS = TOOL_IMPORT | SPLIT_APPLY | TOOL_COMPACT, /* that write a dataset */
            VERIFY_ANY = VERIFY_DIFF | VERIFY_DUMP | VERIFY_HASHTABLE | VERIFY_SKEW,
            VERIFY_RULES = VERIFY_DIFF | VERIFY_HASHTABLE, /* that know what a compaction would leave */
            SPLIT_LOOKS = SPLIT_PLAN | SPLIT_SIMULATE,
            TOOL_READERS = TOOL_IMPORT | TOOL_COMPACT | VERIFY_ANY,
            TOOL_LOOKERS = TOOL_READERS | SPLIT_LOOKS, /* that take any input */
            TOOL_RULES = TOOL_IMPORT | TOOL_COMPACT | VERIFY_RULES,
            TOOL_CELLS = TOOL_WRITERS | TOOL_VERIFY | TOOL_EXPORT, /* that read or write cells themselves */
            TOOL_SPILLS = TOOL_CELLS & ~(VERIFY_ACCOUNT | VERIFY_CHECK | VERIFY_INFO),
            TOOL_ALL = TOOL_CELLS | TOOL_LOAD
};

enum { OPT_SIDE_MAX = 16 };

enum { TRIES_MAX = 15, SETTINGS_MAX = 256, OPT_ROWS_MAX = 192 };

struct session;
/* What a tool does under a name of its own. */
struct tool_command {
    const char *name;
    unsigned bit; /* its options */
    const char *inputs, *summary;
    int (*run)(struct session *s, int *code, struct err *err);
    bool datasets; /* a folder among the inputs must be one */
    bool may_have_no_input;
};

struct options {
    bool seen[OPT_ROWS_MAX];            /* see opt_given */
    const struct tool_command *command; /* NULL: the tool has none */
    char **inputs;
    int n_inputs;
    const char *output, *format;
    /* what HBase left on disk */
    const char *snapshot, *tables, *like;
    bool list;
    /* text inputs */
    const char *columns, *map, *null_text;
    uint64_t preview; /* rows to show; 0 = not asked for */
    bool header, skip_empty;
    int delimiter, quote;
    bool timestamp_given;
    int64_t timestamp_ms;
    struct archive_limits archive;
    /* table */
    const char *ddl, *partition;
    const char *versions, *min_versions, *ttl, *keep_deleted, *purge_deletes_after, *keep_seq_period;
    bool new_version_behavior, minor;
    const char *minor_rules, *rules;
    bool compact;
    const char *rank, *base, *policy;
    bool verify_base, explain;
    /* cell files */
    const char *codec, *encoding, *bloom, *keep_seq;
    bool compress_tags;
    uint64_t block_size, target_file_size, max_cell_size;
    /* limits */
    const char *max_rejects, *on_damage;
    uint64_t memory, disk_limit;
    uint64_t threads;
    const char *temp_dir;
    /* run */
    bool now_given;
    int64_t now_ms;
    bool dry_run, overwrite, quiet, verbose, json;
    const char *progress;
    /* export */
    const char *table_name, *compress, *on_duplicate, *target_version, *server_dir;
    bool create, strong, hex;
    /* verify */
    bool quick, ignore_timestamps, ignore_deleted;
    bool compacted, trust_manifest;
    const char *sample;
    const char *side[2][OPT_SIDE_MAX]; /* --a and --b, as given */
    unsigned n_side[2];
    bool blocks, index, headers, stats, raw;
    uint64_t limit;
    const char *start_row, *stop_row;
    /* skew */
    uint64_t nodes, max_partition, top;
    /* plan */
    const char *counts, *growth, *key;
    const char *tries[TRIES_MAX];
    int n_tries;
    const char *sample_by;
    uint64_t plan_sample, expect, years, take, generate, seed, interval, cell_bytes;
    /* simulate */
    const char *splits, *order, *clock, *mode, *site, *file_ratio;
    const char *settings[SETTINGS_MAX]; /* --set */
    int n_settings;
    uint64_t sample_rows, rate, servers;
    /* database */
    const char *target, *user, *password_file, *tls, *tls_ca, *tls_cert, *tls_key;
    uint64_t jobs, retries;
    const char *duplicates, *via, *journal, *metrics, *from_target; /* duplicates NULL: as exported */
    bool restart;
    const char *html;
};

/* What a tool is: for --help and --version. */
struct tool_about {
    enum tool tool;
    const char *name;  /* obkv-import */
    const char *usage; /* after the name */
    const char *summary;
    const struct tool_command *commands; /* the last one has no name; NULL = none */
};

#endif
