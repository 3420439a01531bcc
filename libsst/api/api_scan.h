/* A public scan: a recipe for a source of row parts, and the caller's position in the one that is open. Moving a scan
 * opens its recipe anew at another row; a merge opens the recipes of its inputs, each with a number of its own. */
#ifndef API_API_SCAN_H
#define API_API_SCAN_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cell/cell.h"
#include "hfile/hfile_reader.h"
#include "rules/ledger.h"
#include "sst/scan.h"
#include "sst/sorter.h"

struct api_merge;
struct sst_dataset;
struct sst_dataset_file;

struct scan_recipe {
    /* A fresh source of the cells from row `start` on (p == NULL: from the beginning). input: goes into ranks. */
    struct source *(*open)(sst_scan *scan, struct bytes start, uint32_t input, struct err *err);
    /* Moves the source that is open; NULL, or none is open: a fresh one is opened instead. 0, -1. */
    int (*seek)(sst_scan *scan, struct bytes start, struct err *err);
    /* The oldest Put, as file_facts_earliest_put has it. 0, -1. */
    int (*earliest_put)(sst_scan *scan, int64_t *ms, struct err *err);
    void (*release)(sst_scan *scan);
    const char *alone; /* what it is, if it can neither be moved nor merged; NULL: it can */
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
    const struct sst_dataset *dataset;
    const struct sst_dataset_file *files; /* of a dataset */
    size_t n_files;
    sst_sorter *sorter;      /* of a sorter */
    struct api_merge *merge; /* of a merge */
    struct ledger *ledger;   /* of its rules */
};

/* A scan by this recipe with the rows of options (NULL: all). NULL with err. */
sst_scan *scan_new(const struct scan_recipe *recipe, const sst_scan_options *options, struct err *err);
/* The larger of the caller's start row and `row`. */
struct bytes scan_start(const sst_scan *s, struct bytes row);
struct bytes scan_stop(const sst_scan *s);

#endif
