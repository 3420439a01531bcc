/* The options of all tools: one struct, filled by one table that is also the usage text. */
#ifndef CMD_OPT_H
#define CMD_OPT_H

#include "base/buf.h"
#include "base/err.h"
#include "formats/archive_limits.h"

#include <stdio.h>

enum tool { /* bits: which tools know an option */
            TOOL_IMPORT = 1,
            TOOL_SPLIT = 2,
            TOOL_COMPACT = 4,
            TOOL_VERIFY = 8,
            TOOL_EXPORT = 16,
            TOOL_LOAD = 32,
            TOOL_TARGETS = TOOL_LOAD | TOOL_VERIFY, /* that speak to a database */
            TOOL_WRITERS = TOOL_IMPORT | TOOL_SPLIT | TOOL_COMPACT,
            TOOL_READERS = TOOL_IMPORT | TOOL_COMPACT | TOOL_VERIFY,
            TOOL_LOOKERS = TOOL_READERS | TOOL_SPLIT,              /* that take any input */
            TOOL_CELLS = TOOL_WRITERS | TOOL_VERIFY | TOOL_EXPORT, /* that read or write cells themselves */
            TOOL_ALL = TOOL_CELLS | TOOL_LOAD
};

enum { OPT_SIDE_MAX = 16 };

enum { TRIES_MAX = 15 };

struct options {
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
    uint64_t plan_sample, expect, years, take, generate, seed, interval, cell_bytes;
    /* simulate */
    const char *splits, *order, *clock;
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
    const char *commands; /* sub-commands with one line each; NULL = none */
};

enum opt_result { OPT_RUN, OPT_DONE }; /* DONE: help or version was printed */
/* Defaults, then argv. ERR_USAGE on anything unknown. */
int opt_parse(const struct tool_about *about, int argc, char **argv, struct options *o, enum opt_result *result, struct err *err);
/* The options of one side of a diff: those of all inputs, with its own instead where it has them. */
int opt_side(const struct tool_about *about, const struct options *o, unsigned side, struct options *out, struct err *err);
void opt_usage(const struct tool_about *about, FILE *out);
/* "64M", "4G", "1T", plain bytes. */
/* "5%" or "0.05": above 0, at most 1. */
int opt_share(const char *text, double *out);
int opt_size(const char *text, uint64_t *out);
/* ms since 1970, or RFC 3339 (2026-11-21T12:00:00Z, with fraction and offset). */
int opt_time(const char *text, int64_t *ms);

extern const char obkv_version[];

#endif
