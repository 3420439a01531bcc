/* The store files to read, and what was found beside them. */
#ifndef FORMATS_HBASE_STORE_FILES_H
#define FORMATS_HBASE_STORE_FILES_H

#include "formats/hbase/snapshot.h"

enum store_half { STORE_WHOLE, STORE_TOP, STORE_BOTTOM };

struct store_file {
    char *path;     /* where its bytes lie */
    char *name;     /* as its store lists it; lies within path where that ends with it */
    uint64_t bytes; /* size of the file at path */
    int64_t mtime_ns;
    struct buf split_row; /* of TOP and BOTTOM */
    uint64_t seq;         /* as in the name; a TOP half counts one more (StoreFileReader) */
    uint32_t region;      /* index into regions */
    uint32_t family;      /* index into table.families */
    enum store_half half;
    bool via_link;
    bool owns_name; /* it lies outside of path */
    bool has_crc;   /* `.NAME.crc` lies beside path: crc_file_check before the file is read */
    bool has_seq;   /* its name says with which sequence id it was bulk-loaded */
};

/* A folder that holds the mob files of a family, to look names up in. */
struct mob_folder {
    char *path;
    char *ns, *table;
    uint32_t family;
};

struct left_out { /* what was not read although it lies there */
    uint64_t files, bytes;
};

struct store_files {
    struct hbase_table table;
    char *what;                  /* "snapshot snap_a of table ns1:tab", "table ns1:tab", …: for messages */
    struct region_info *regions; /* only those that are read, by start key */
    size_t n_regions;
    struct store_file *files; /* by region, family, name */
    size_t n_files;
    struct mob_folder *mob; /* HBase's search order: of the table itself, then of those it was cloned from */
    size_t n_mob;
    struct left_out recovered_edits, wal, untracked, parents; /* edits and WAL entries hold data that is in no HFile */
    int64_t expires_ms;                                       /* a snapshot's, 0 = never */
    struct buf warnings;                                      /* one a line */
    struct buf problems;                                      /* what is missing or damaged, one a line */
    size_t n_problems;
};

/* Adds a warning when the snapshot's time to live is over. */
int store_files_warn_expired(struct store_files *s, int64_t now_ms, struct err *err);
void store_files_free(struct store_files *s);

#endif
