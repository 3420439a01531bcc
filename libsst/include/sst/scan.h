/* Reading cells in order: of a file, of a piece of it, of several sources merged, with HBase's version rules if wanted. Datasets
 * hand out scans too (sst/dataset.h).
 *
 * Threads: a scan belongs to one thread at a time; different scans of one file run side by side. */
#ifndef SST_SCAN_H
#define SST_SCAN_H

#include "sst/cell.h"
#include "sst/file.h"

SST_BEGIN

typedef struct sst_scan sst_scan;

typedef struct sst_scan_options {
    size_t size;
    sst_bytes start_row;             /* first row, inclusive; data NULL = from the beginning. Copied */
    sst_bytes stop_row;              /* exclusive; data NULL = to the end. Copied */
    uint64_t range_start, range_end; /* a piece from sst_file_next_range; both 0 = the whole file. Not with rows */
} sst_scan_options;

/* The cells of a file. Nothing is read before the first sst_scan_next or sst_scan_seek. The file must outlive the scan.
 * NULL on failure: SST_USAGE = options that cannot be, SST_LIMIT = no memory. */
SST_API sst_scan *sst_scan_open(const sst_file *file, const sst_scan_options *options, sst_error *error);
/* Takes the next cell: 1 = *cell is set and valid until the next call on this scan, 0 = end, -1 = failed. After 0 or -1 the
 * scan stays there until sst_scan_seek. Memory: one block. The order of cells and all checksums are verified on the way
 * (SST_INPUT: they are wrong); a scan of a whole file also compares what it read with the trailer. */
SST_API int sst_scan_next(sst_scan *scan, const sst_cell **cell, sst_error *error);

/* A cell of a part: its row and family are those of the part. The size of this struct is fixed for good, as parts hold arrays. */
typedef struct sst_part_cell {
    sst_bytes qualifier, value, tags; /* as in sst_cell */
    int64_t timestamp;                /* milliseconds since 1970 */
    uint64_t sequence;                /* 0 = none */
    uint64_t reserved;
    uint8_t type; /* enum sst_type */
} sst_part_cell;

/* Cells of one row that the scan has at hand together, at most 1024; a row may come in several parts. The size of this struct is
 * fixed for good. */
typedef struct sst_part {
    sst_bytes row, family;
    const sst_part_cell *cells; /* in cell order */
    uint32_t n;                 /* at least 1 */
    uint32_t reserved;
    uint8_t row_starts; /* 1: the first cell is the first of its row from this scan */
    uint8_t row_ends;   /* 1: no more cells of the row follow; 0: there may be some */
} sst_part;

/* Takes all cells at hand, or the next ones; may be mixed with sst_scan_next. It saves the caller a call for each cell: both read
 * a file within 3 % of the time that the library needs by itself (tests/bench/read_speed.c). Returns as sst_scan_next does; *part
 * is valid until the next call on this scan. */
SST_API int sst_scan_next_part(sst_scan *scan, const sst_part **part, sst_error *error);

/* Moves, forwards or backwards, so that the next cell is the first whose row is not less than `row`, within the scan's own
 * limits. Uses the index. 0, or -1. Not for a piece of a file or a whole dataset: SST_USAGE. */
SST_API int sst_scan_seek(sst_scan *scan, const void *row, size_t row_size, sst_error *error);
/* Offset in the file, in bytes, of the block the last cell is in; UINT64_MAX = no cell was read, or the scan reads several
 * files. */
SST_API uint64_t sst_scan_block_offset(const sst_scan *scan);
/* Reads what is left: *cells and *digest are set to the number of these cells and their digest (sst/cell.h). 0, or -1 as
 * sst_scan_next: both are then of the cells before the failure. */
SST_API int sst_scan_digest(sst_scan *scan, uint64_t *cells, sst_digest *digest, sst_error *error);
SST_API void sst_scan_close(sst_scan *scan);

/* ---- merging ---- */

/* Compactions of HBase that decide what stays. Source: docs/compaction-rules.md. */
enum sst_rules {
    SST_RULES_NONE = 0,     /* every cell stays, duplicates too */
    SST_RULES_MAJOR = 1,    /* a major compaction: of all files of a store */
    SST_RULES_MINOR = 2,    /* a minor one: delete markers stay, but for those another one covers */
    SST_RULES_OCEANBASE = 3 /* what OceanBase's OBKV-HBase reads show: no markers stay */
};

/* Rules for which of two cells with the same row, column, timestamp and type is newer, and comes first. */
enum sst_ties {
    SST_TIES_BY_SEQUENCE = 0, /* the larger sequence id, then the later source: files of one store, oldest first */
    SST_TIES_BY_SOURCE = 1    /* the later source: loads done one after the other */
};

/* The family's attributes are those of HBase's ColumnFamilyDescriptor. */
typedef struct sst_merge_options {
    size_t size;
    int rules;                      /* enum sst_rules */
    int ties;                       /* enum sst_ties */
    uint32_t versions;              /* VERSIONS; 0 = 1, UINT32_MAX = all */
    uint32_t min_versions;          /* MIN_VERSIONS: so many stay although their TTL has passed */
    int64_t ttl_seconds;            /* TTL; 0 = forever */
    int keep_deleted;               /* KEEP_DELETED_CELLS: 0 = FALSE, 1 = TRUE, 2 = TTL */
    int new_version_behavior;       /* NEW_VERSION_BEHAVIOR: 0 = off, others on */
    int64_t purge_deletes_after_ms; /* hbase.hstore.time.to.purge.deletes; 0 = no delay */
    int64_t now_ms;                 /* what a TTL counts from, milliseconds since 1970; 0 = the clock, once, when opened */
    size_t row_marker_bytes;        /* memory for the delete markers of one row, beyond which SST_LIMIT; 0 = 64 MiB */
} sst_merge_options;

/* One scan of several, all of one column family (SST_USAGE otherwise). Takes ownership of the scans, also on failure: they are
 * closed with the merge and must not be used on their own. Memory: that of each scan. Rules judge each cell: HBase drops whole
 * expired files before it compacts, this function does not. NULL on failure: SST_USAGE also for a scan that was read already, a
 * merge, or a scan of a whole dataset; SST_LIMIT for 1048576 scans or more. */
SST_API sst_scan *sst_merge_open(sst_scan *const *scans, size_t n, const sst_merge_options *options, sst_error *error);

/* Reasons why rules drop a cell. Source: docs/compaction-rules.md. */
enum sst_drop {
    SST_DROP_EXPIRED = 1,    /* TTL of the family or of the cell */
    SST_DROP_SUPERSEDED = 2, /* beyond VERSIONS */
    SST_DROP_DUPLICATE = 3,  /* same row, column, timestamp and type as a newer cell */
    SST_DROP_DELETED = 4,    /* hidden by a delete marker */
    SST_DROP_PURGED = 5      /* a delete marker that is no longer needed */
};
/* Returns how many cells the rules of a merge have dropped so far, since it was opened or last moved by sst_scan_seek. reason:
 * enum sst_drop; 0 for others, and for scans without rules. */
SST_API uint64_t sst_scan_dropped(const sst_scan *scan, int reason);

SST_END

#endif
