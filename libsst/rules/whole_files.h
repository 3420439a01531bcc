/* Decides from whole files in a compaction, before it reads a cell: how they rank by age, which of them the TTL removes, the
 * oldest Put, which sequence ids become 0, and which files a minor compaction takes. Pure functions over facts that the caller
 * has read. */
#ifndef RULES_WHOLE_FILES_H
#define RULES_WHOLE_FILES_H

#include "base/bytes.h"
#include "base/err.h"
#include "table/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Facts about the whole files of one (partition, family), by which a compaction decides before it reads a cell: their age, which
 * of them the TTL removes, the oldest remaining Put, and which sequence ids are no longer needed. Pure functions. Source: HBase
 * StoreFileComparators.SEQ_ID, HStore.removeUnneededFiles, Compactor.getFileDetails; docs/compaction-rules.md. */

struct file_facts {
    struct bytes name; /* borrowed */
    uint64_t bytes;    /* size of the file */
    int64_t max_seq;   /* largest sequence id, of a bulk-loaded file the one it was given; -1 = unknown */
    int64_t bulk_ms;   /* BULKLOAD_TIMESTAMP; INT64_MAX = not bulk loaded */
    bool has_cells;
    int64_t ts_max_ms;       /* over all cells, markers too; INT64_MAX = unknown. Counts only when has_cells */
    int64_t earliest_put_ms; /* over all Puts; INT64_MAX = none, INT64_MIN = unknown. Counts only when has_cells */
    int64_t made_ms;         /* when the file was changed last */
    int64_t created_ms;      /* hfile.CREATE_TIME_TS; 0 = unknown */
    uint64_t max_mvcc;       /* MAX_MEMSTORE_TS_KEY: the largest sequence id stored in it; 0 = none, or unknown */
};

/* Age order: < 0 when a is older. By sequence id, then the larger file is older, then bulk time, then name. */
int file_facts_age_cmp(const struct file_facts *a, const struct file_facts *b);

/* files: in age order, oldest first, by file_facts_age_cmp or as the caller ranks them. Sets dropped[i] for the files
 * that go whole: with a TTL and MIN_VERSIONS 0, all that hold nothing but expired cells, except the newest file, even
 * if that has no cells. Returns their number. */
size_t file_facts_expire(const struct file_facts *files, size_t n, const struct family_rules *family, int64_t now_ms,
                         bool *dropped);

/* Under NEW_VERSION_BEHAVIOR, where the rules do not check a cell's time first, this makes a difference: the newest file is not
 * read either when it holds only expired cells (StoreScanner does not open it). Its oldest Put counts all the same. */
void file_facts_leave_out(const struct file_facts *files, size_t n, const struct family_rules *family, int64_t now_ms,
                          bool *dropped);

/* The oldest Put of the files that are not dropped (dropped may be NULL): what rules_env wants. INT64_MAX when there is
 * no Put; INT64_MIN when a file does not say, so that no marker is taken for older than every Put. */
int64_t file_facts_earliest_put(const struct file_facts *files, size_t n, const bool *dropped);

/* A major compaction writes 0 for the sequence ids of all cells, of whichever file, up to the largest one that is stored in a
 * file older than keep_ms: this file's say in it. 0 = none. keep_ms 0: ids are kept for ever. */
uint64_t file_facts_old_seq(const struct file_facts *f, int64_t now_ms, int64_t keep_ms);

/* Decisions from whole files in a major compaction where an input is a store of HBase: its files are in regions, and HBase
 * considers one region's files of a family together, whatever partitions their cells go to here. Source: as file_facts. */

/* Facts about the regions of one input and family. All borrowed. */
struct region_facts {
    uint32_t input;
    const bool *expired; /* by rank_file: whole files that the TTL removes */
    uint32_t n_files;
    const struct bytes *starts;     /* first row of each region, ascending */
    const int64_t *earliest_put_ms; /* of each region: as in file_facts */
    const uint64_t *old_seq;        /* of each region: the largest of its files, see file_facts_old_seq */
    size_t n_regions;
};
/* Returns how many of n regions start at or before row: it is in the last of them. */
size_t region_facts_to(const struct bytes *starts, size_t n, struct bytes row);

bool region_facts_expired(const struct region_facts *f, size_t n, uint64_t rank);
/* The earliest Put beside the given one that counts for cells of this row. */
int64_t region_facts_earliest_put(const struct region_facts *f, size_t n, struct bytes row, int64_t earliest_ms);
/* As region_facts_earliest_put, of sequence ids that a major compaction writes as 0. */
uint64_t region_facts_old_seq(const struct region_facts *f, size_t n, struct bytes row, uint64_t old_seq);

/* HBase's exploring selection: which files of a store, in the order of their age, a minor compaction takes. Pure.
 * Source: ExploringCompactionPolicy.applyCompactionPolicy and RatioBasedCompactionPolicy.skipLargeFiles, branch-2.6. */

struct explore_opts {
    double ratio;                  /* no file is larger than ratio times the others together: hbase.hstore.compaction.ratio */
    size_t min_files, max_files;   /* hbase.hstore.compaction.min, .max */
    uint64_t min_bytes, max_bytes; /* a selection below min_bytes needs no ratio; one above max_bytes is none */
    size_t blocking_files;         /* with so many something must be selected: hbase.hstore.blockingStoreFiles */
};
/* HBase's defaults: 1.2, 3, 10, 128 MiB, no limit, 16. */
struct explore_opts explore_defaults(void);

struct explore_selection {
    size_t first, n; /* n == 0: nothing is worth it */
};
/* bytes: sizes of the files, oldest first. Those at the front that are larger than max_bytes are left out. */
struct explore_selection explore_select(const uint64_t *bytes, size_t n, const struct explore_opts *o);
/* The policy alone: none is left out before, and the caller knows whether something must be selected. */
struct explore_selection explore_windows(const uint64_t *bytes, size_t n, const struct explore_opts *o, bool stuck);

#endif
