/* MANIFEST.json: what a finished dataset is, where it came from, and the ledgers that prove it whole.
 * docs/formats/manifest.md has the schema. Readers ignore unknown fields and refuse a higher major version. */
#ifndef DATASET_MANIFEST_H
#define DATASET_MANIFEST_H

#include "base/buf.h"
#include "base/link_file.h"
#include "base/outfile.h"
#include "dataset/manifest_json.h"
#include "hfile/pack_index.h"
#include "table/table.h"

#include <jansson.h>

enum { MANIFEST_MAJOR = 1, MANIFEST_MINOR = 0 };

struct manifest_file {
    char *path; /* relative to the dataset: family/p00017-000.hfile */
    uint32_t family, partition, number;
    uint64_t file_bytes, kv_bytes;
    uint64_t offset; /* of a run (sort/sorted.h): it has file_bytes from here on, and others have the rest of the file */
    struct tally tally;
    struct buf first_row, last_row;
    int64_t ts_min, ts_max;
    char checksum[17];   /* XXH3-64 of the whole file; of a run, the sum of its frames */
    bool misnamed;       /* read: partition_name is not that of the table's partition */
    enum link_way taken; /* reused from the run's base */
};

struct manifest_totals { /* read: what it says of all files */
    uint64_t files, file_bytes, kv_bytes;
    struct tally tally;
};

struct manifest_input {
    char *path;
    const char *format; /* static name, or "dataset" */
    uint64_t file_bytes;
    int64_t mtime_ns, ctime_ns; /* ctime 0: not known, as to version 1.0.0 */
    uint64_t records;
    struct tally tally;
    char checksum[17]; /* of the bytes read; "" when the format is not read in one pass */
    bool by_stretches; /* it is the sum over stretches of 1 MiB, not XXH3-64 of all: base/stretch_sum.h */
    bool earlier;      /* nothing was read: an earlier night has merged its cells */
};

/* One of `of` runs that read one list of inputs between them; the next one begins where this one ends. */
struct manifest_shard {
    uint32_t number, of; /* from 1; of == 0: the run read all of its inputs */
    char listing[33];    /* hash of the whole list: names, sizes, times, and where it is cut */
    uint32_t first, all; /* the first entry of inputs in that list; entries that it has */
    json_t *rows;        /* [from, to]: rows inside of an input at which it begins and ends, in hexadecimal digits, or null */
    json_t *notes;       /* what a join needs to know besides: the program's own */
};

/* Counts of the cells in files: those that are kept, not those dropped. */
struct file_counts {
    uint64_t deletes, duplicates; /* duplicates: cells with the key of another one */
    int64_t ts_min, ts_max;       /* of all cells; ts_min > ts_max: there are none */
};
#define NO_FILE_COUNTS ((struct file_counts){.ts_min = INT64_MAX, .ts_max = INT64_MIN})
static inline void file_counts_add(struct file_counts *sum, const struct file_counts *more) {
    sum->deletes += more->deletes;
    sum->duplicates += more->duplicates;
    if (more->ts_min < sum->ts_min) sum->ts_min = more->ts_min;
    if (more->ts_max > sum->ts_max) sum->ts_max = more->ts_max;
}

/* One of `of` shares of the partitions of a table, of all that was read; number and of as in struct manifest_shard. */
struct manifest_share {
    uint32_t number, of;
    bool adds_up;        /* only the ledgers of all shares together say what became of the cells: `whole` has what they read */
    struct ledger whole; /* of all that was read, such as of the shards together */
    struct file_counts counts; /* of its own files */
    json_t *notes;             /* as of a shard; NULL: none */
};

struct manifest {
    char *tool;       /* "obkv-import 1.0.0" */
    json_t *settings; /* what decides the output, normalised */
    int64_t now_ms;
    bool now_given;
    enum dataset_kind kind;
    struct table table;
    char *rules; /* version rules applied, one line; NULL = none */
    struct manifest_input *inputs;
    size_t n_inputs;
    struct manifest_file *files; /* by family, partition, number */
    size_t n_files;
    struct pack_made
        *packs; /* that hold the files, of a shard; the text lists them instead (manifest_packs.h). Written: borrowed */
    size_t n_packs;
    struct ledger ledger;
    struct manifest_totals totals;
    struct manifest_pending *pending; /* none: the dataset is whole */
    size_t n_pending;
    struct manifest_shard shard;
    struct manifest_share share;
    json_t *warnings;             /* of the run that made it, {code: count}; NULL = none. Written: borrowed */
    bool sealed;                  /* read: the text is what was written, by its own checksum */
    bool table_lent, inputs_lent; /* partitioning and DDL of the table, or the inputs, are those of another (alike_manifests.h) */
};

/* Fresh JSON text (free it); NULL and err when out of memory. */
char *manifest_print(const struct manifest *m, struct err *err);
/* name is for messages. */
int manifest_parse(const char *name, const char *text, size_t n, struct manifest *out, struct err *err);
int manifest_load(const char *dataset_dir, struct manifest *out, struct err *err);
/* As manifest_load, but out lists no files, unless somebody has edited the manifest. */
int manifest_load_inputs(const char *dataset_dir, struct manifest *out, struct err *err);
void manifest_free(struct manifest *m);
void manifest_file_free(struct manifest_file *f);                                          /* what it owns */
int manifest_add_file(struct manifest *m, const struct manifest_file *f, struct err *err); /* takes ownership of its memory */
/* The families of the table by name, and what the files say of theirs; nothing may be pending. */
int manifest_sort_families(struct manifest *m, struct err *err);

/* (manifest_same.c) NULL: the same but for inputs; else the member that differs, such as "files". a: written, b: read back. */
const char *manifest_differs(const struct manifest *a, const struct manifest *b);

/* (manifest_settings.c) Appends the first settings that differ: `codec "gz" instead of "zstd", now 2 instead of nothing and 3
 * more`. Nothing: none differs. */
int manifest_put_differences(struct buf *out, const json_t *made, const json_t *asked, struct err *err);

/* ---- shards and shares (manifest_shard.c) ---- */

/* Text of the error (ERR_LIMIT) that open manifests take more than their share of memory. */
#define DATASET_MANIFESTS "the manifests of the inputs take"

#endif
