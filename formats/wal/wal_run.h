/* Counts what a run takes of write-ahead logs, and what became of the rest. Shared by the readers of all logs of the run. */
#ifndef FORMATS_WAL_WAL_RUN_H
#define FORMATS_WAL_WAL_RUN_H

#include "formats/wal/wal_gaps.h"

#include "cell/keyvalue.h"
#include "formats/wal/wal_key.h"

#include <pthread.h>

/* The largest sequence id of a region, by family, that the store files of a base already hold. */
struct wal_base_region {
    struct bytes start, end; /* borrowed; end empty: open */
    uint64_t *seq;           /* by family; 0: nothing */
};
struct wal_base {
    struct wal_base_region *regions; /* by start, without overlaps */
    size_t n_regions;
    const char **families; /* borrowed */
    uint32_t n_families;
};

struct wal_counts {
    uint64_t logs, unclosed, empty;
    uint64_t entries, cells; /* of the table, before regions and the base are asked */
    uint64_t other_tables, other_regions, held;
    uint64_t markers[WAL_MARKER_KINDS]; /* cells that HBase wrote about the table's regions */
    uint64_t bulk_files;                /* named by markers, and not in the base */
};

struct wal_run {
    const char *table;          /* as HBase writes it, ns:name or name; NULL: the logs have to be of one table */
    const char *const *regions; /* encoded names; n = 0: all */
    size_t n_regions;
    const struct wal_base *base; /* NULL: none */
    bool passes_bulk_loads;      /* files that were bulk-loaded are listed; false: they end the run */
    pthread_mutex_t lock;        /* over what follows */
    struct buf only;             /* table == NULL: the one that was seen */
    struct buf others;           /* table != NULL: the first other tables, as "t1, ns:t2" */
    struct buf bulk_files;       /* region/family/name, one a line */
    struct wal_counts counts;
    struct wal_gaps gaps; /* room: 0 until the caller gives it some */
};

void wal_run_init(struct wal_run *r);
void wal_run_free(struct wal_run *r);

/* Finds out whether the entry is of the run's table and regions. 1; 0: *why has been counted; -1: of a second table, where none
 * was chosen. */
int wal_run_wants(struct wal_run *r, const struct wal_key *key, struct err *err);
/* Returns whether the base holds the edit. *at: the region of the row before, for the caller to keep (0 at first). */
bool wal_run_holds(const struct wal_run *r, size_t *at, struct bytes row, struct bytes family, uint64_t seq);
/* Cells that HBase wrote about a region: counted. Files that were bulk-loaded and are not in the base are ERR_UNSUPPORTED, or
 * listed, with a warning each. `cells`: as wal_cells gives them. */
int wal_run_markers(struct wal_run *r, const struct wal_key *key, struct bytes cells, struct buf *warnings, struct err *err);

/* A log is read from its beginning to its end; its entries, in their order, show whether one between them is missing. */
void wal_run_begin_log(struct wal_run *r, struct wal_gaps_open *o, const char *path);
/* first: the key of the entry's first cell. */
void wal_run_note(struct wal_run *r, struct wal_gaps_open *o, const struct wal_key *key, const struct kv_key *first);
void wal_run_end_log(struct wal_run *r, struct wal_gaps_open *o, bool damaged);
/* Finds where logs are missing, as wal_gaps_find; without what the base holds anyway. Once all logs are read. */
size_t wal_run_missing(struct wal_run *r, struct wal_hole *out, size_t most);

#endif
