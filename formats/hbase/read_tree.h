/* The store files of a table, a snapshot or a region: which of them are read, and what was found beside them. */
#ifndef FORMATS_HBASE_READ_TREE_H
#define FORMATS_HBASE_READ_TREE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/list_room.h"
#include "formats/hbase/metadata.h"
#include "formats/hbase/region_info.h"

enum store_half { STORE_WHOLE, STORE_TOP, STORE_BOTTOM };

struct store_file {
    char *path;     /* where its bytes are */
    char *name;     /* as its store lists it; is within path where that ends with it */
    uint64_t bytes; /* size of the file at path */
    int64_t mtime_ns, ctime_ns;
    struct buf split_row; /* of TOP and BOTTOM */
    uint64_t seq;         /* as in the name; a TOP half counts one more (StoreFileReader) */
    uint32_t region;      /* index into regions */
    uint32_t family;      /* index into table.families */
    enum store_half half;
    bool via_link;
    bool owns_name;  /* it is outside of path */
    bool has_crc;    /* `.NAME.crc` is beside path: crc_file_check before the file is read */
    bool has_seq;    /* its name says with which sequence id it was bulk-loaded */
    bool keeps_seqs; /* though it looks bulk-loaded, its cells have ids of their own: those of the log they come from */
};

/* A directory that holds the mob files of a family, to look names up in. */
struct mob_directory {
    char *path;
    char *ns, *table;
    uint32_t family;
};

struct left_out { /* what was not read although it is there */
    uint64_t files, bytes;
};

struct store_files {
    struct hbase_table table;
    char *what;                  /* "snapshot snap_a of table ns1:tab", "table ns1:tab", …: for messages */
    struct region_info *regions; /* only those that are read, by start key */
    size_t n_regions;
    struct store_file *files; /* by region, family, name */
    size_t n_files;
    struct mob_directory *mob; /* HBase's search order: of the table itself, then of those it was cloned from */
    size_t n_mob;
    char *root; /* HBase's, as far as it was copied; NULL: there is none above, or it is in an archive */
    struct left_out recovered_edits, wal, untracked, parents; /* edits and WAL entries hold data that is in no HFile */
    bool is_delta;       /* an incremental backup image: what was written since the image before */
    int64_t expires_ms;  /* a snapshot's, 0 = never */
    struct buf warnings; /* one a line */
    struct buf problems; /* what is missing or damaged, one a line */
    size_t n_problems;
};

/* Adds a warning when the snapshot's time to live is over. */
int store_files_warn_expired(struct store_files *s, int64_t now_ms, struct err *err);
void store_files_free(struct store_files *s);

/* dir is a SNAPSHOT, TABLE, REGION or FAMILY; the root above it is found by walking up. A REGION or FAMILY without table
 * descriptor gets a table with the families that are there, and rules not given.
 *
 * room: for the list that is made, and as much again while it is; {0}: no limit.
 * ERR_INPUT with n_problems > 0: store files are missing, empty or of another size than listed. All of them are in problems,
 * and the rest of *out is complete without them, for callers that continue despite damage. Free *out whatever is returned. */
int store_files_read(const char *dir, struct list_room room, struct store_files *out, struct err *err);

/* The snapshot NAME of a root. ERR_USAGE lists the names there are. */
int store_files_of_snapshot(const char *root, const char *name, struct list_room room, struct store_files *out, struct err *err);

#endif
