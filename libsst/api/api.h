/* What the implementations of the public headers share: the library types that theirs stand for, and the parts of a scan.
 * Exports: sst */
#ifndef API_API_H
#define API_API_H

#include "base/buf.h"
#include "cell/cell.h"
#include "hfile/hfile_reader.h"
#include "rules/ledger.h"
#include "sst/cell.h"
#include "sst/file.h"
#include "sst/partitioning.h"
#include "sst/scan.h"
#include "table/placement.h"

/* The public struct is the inner one under another name: nothing is copied where an error is reported. */
static inline struct err *api_err(sst_error *error) {
    return (struct err *)error;
}
/* A public function begins: what an earlier call left is gone. */
static inline struct err *api_begin(sst_error *error) {
    error->code = SST_OK;
    error->system = 0;
    error->text[0] = 0;
    return (struct err *)error;
}
static inline sst_bytes api_bytes(struct bytes b) {
    return (sst_bytes){b.p, b.n};
}
static inline struct bytes api_taken(sst_bytes b) {
    return (struct bytes){b.data, b.size};
}

struct sst_file {
    struct hfile *hfile;
    sst_file_info info;
};

/* A cell of the caller as the library's: part borrows from *one and *cell. -1 with ERR_USAGE: there can be no such cell. */
int api_part_of(const sst_cell *cell, struct cell *one, struct row_part *part, struct err *err);

/* The fields of an option struct that the caller knows of, the rest zero. -1 with ERR_USAGE: its size cannot be. */
int api_options(void *own, size_t own_size, const void *given, const char *what, struct err *err);

/* What a public scan is: a recipe for a source of row parts, and the caller's position in the one that is open. Moving a scan
 * opens its recipe anew at another row; a merge opens the recipes of its inputs, each with a number of its own. */

struct sst_dataset_file;

struct scan_recipe {
    /* A fresh source of the cells from row `start` on (p == NULL: from the beginning). input: goes into ranks. */
    struct source *(*open)(sst_scan *scan, struct bytes start, uint32_t input, struct err *err);
    /* Moves the source that is open; NULL, or none is open: a fresh one is opened instead. 0, -1. */
    int (*seek)(sst_scan *scan, struct bytes start, struct err *err);
    /* The oldest Put, as file_facts_earliest_put has it. 0, -1. */
    int (*earliest_put)(sst_scan *scan, int64_t *ms, struct err *err);
    void (*release)(sst_scan *scan);
    bool unordered; /* not in cell order over all: neither to be moved nor merged */
};

struct sst_scan {
    const struct scan_recipe *recipe;
    struct source *source;             /* NULL: not opened yet, ended or failed */
    const struct cell *at, *end;       /* what is left of the current part */
    sst_cell cell;                     /* what was handed out last */
    struct row_part part;              /* what the source gave last */
    struct buf start, stop;            /* the caller's limits */
    bool has_start, has_stop, started; /* started: a source was opened */
    struct buf family;                 /* as far as it is known before reading: empty = it is not */

    const sst_file *file; /* of a file */
    struct hfile_range range;
    const struct sst_dataset_file *files; /* of a dataset */
    size_t n_files;
    struct api_merge *merge; /* of a merge */
    struct ledger *ledger;   /* of its rules */
};

/* A scan by this recipe with the rows of options (NULL: all). NULL with err. */
sst_scan *scan_new(const struct scan_recipe *recipe, const sst_scan_options *options, struct err *err);
/* The larger of the caller's start row and `row`. */
struct bytes scan_start(const sst_scan *s, struct bytes row);
struct bytes scan_stop(const sst_scan *s);

/* A public partitioning: an inner one with what asking it needs prepared. A dataset makes its own out of its manifest. */

struct sst_partitioning {
    struct table table; /* holds the partitioning */
    struct placement *placement;
    struct buf text;
};

/* Prepares what questions need, once p->table.partitioning is set. 0, -1. */
int api_partitioning_prepare(sst_partitioning *p, struct err *err);

#endif
