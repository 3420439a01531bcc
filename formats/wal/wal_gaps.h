/* Evidence, in the logs of a run themselves, that one of them is missing: sequence ids of a region that should lie between two
 * logs and are in none. Not thread-safe: the caller's lock is over it. */
#include "base/buf.h"
#ifndef FORMATS_WAL_WAL_GAPS_H
#define FORMATS_WAL_WAL_GAPS_H

/* Consecutive ids of one region in one log; later, those of several logs that follow on each other. */
struct wal_stretch {
    uint32_t region, first_log, last_log;
    bool opens, closes; /* begins with the entry that opened the region; ends with that which closed it */
    uint64_t first, last;
};

struct wal_gaps {
    size_t room; /* bytes that it may take in all; it takes none beyond them, and then judges nothing */
    bool is_full, has_markers;
    struct buf names; /* of logs and regions, and the first row that was seen of each region */
    struct wal_gaps_region {
        size_t name, name_n, row, row_n;
        uint64_t inside; /* most ids that are missing at one place within a log */
        uint32_t next;   /* with the same hash; one more than its number */
    } * regions;
    struct wal_gaps_log {
        size_t name, name_n, server, server_n; /* server: a part of the name; 0 bytes: not known */
        uint64_t began;
        bool is_damaged, is_after_hole;
    } * logs;
    struct wal_stretch *stretches;
    size_t n_regions, n_logs, n_stretches;
    uint32_t heads[1024]; /* of lists of regions; one more than the number of the first */
};

/* One log while it is read. */
struct wal_gaps_open {
    bool is_begun;
    uint32_t log, latest; /* the region of the entry before */
    size_t n;
    struct wal_stretch *at; /* by region; last == 0: none is open */
};

enum wal_gaps_kind { WAL_GAPS_EDIT, WAL_GAPS_MARKER, WAL_GAPS_OPENS, WAL_GAPS_CLOSES };

void wal_gaps_begin(struct wal_gaps *g, struct wal_gaps_open *o, const char *path);
/* Entries of a log in their order. row: of an edit, else empty. */
void wal_gaps_note(struct wal_gaps *g, struct wal_gaps_open *o, struct bytes region, struct bytes row, uint64_t seq,
                   enum wal_gaps_kind kind);
void wal_gaps_end(struct wal_gaps *g, struct wal_gaps_open *o, bool damaged);
void wal_gaps_free(struct wal_gaps *g);

/* A place where a log is missing: before `after`'s entries of n regions, of which this is the one that lacks most. Borrowed. */
struct wal_hole {
    uint64_t first, last; /* ids that are in no log */
    uint32_t before, after;
    struct bytes region, before_name, after_name;
    uint64_t n_regions;
};

/* Returns, once all logs are read: does the base hold all edits of the row's region up to this id? Then they are not missing. */
typedef bool wal_gaps_held(const void *arg, struct bytes row, uint64_t seq);
/* Returns how many places there are; the first `most` of them come out. */
size_t wal_gaps_find(struct wal_gaps *g, wal_gaps_held *held, const void *arg, struct wal_hole *out, size_t most);

#endif
