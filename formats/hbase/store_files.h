/* The store files to read, and what was found beside them: the face of this room. */
#ifndef FORMATS_HBASE_STORE_FILES_H
#define FORMATS_HBASE_STORE_FILES_H

#include "base/err.h"
#include "base/list_room.h"
#include "base/warning.h"
#include "formats/hbase/snapshot.h"

/* Which part of what HBase leaves on disk a directory is. */

enum tree_kind {
    TREE_NONE,     /* not something HBase left */
    TREE_BACKUPS,  /* images of HBase's backups: see backup.h */
    TREE_IMAGE,    /* one of them: BACKUPS/ID */
    TREE_ROOT,     /* hbase.rootdir, an ExportSnapshot destination, or a cut-out: holds .hbase-snapshot, data, archive … */
    TREE_SNAPSHOT, /* …/.hbase-snapshot/NAME */
    TREE_TABLE,    /* …/data/ns/table, also in archive/ and mobdir/; or a table directory on its own */
    TREE_REGION,
    TREE_FAMILY /* a directory of store files */
};

/* What dir is, by names in it only. -1 = error. */
int tree_kind_of(const char *dir, enum tree_kind *out, struct err *err);

/* The store files to read, and what was found beside them. */

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

/* From what is on disk to the store files to read: a snapshot, a table, region or family directory as HBase would see it
 * when it opens the regions. Links and references are followed, split and merge parents read once, files that are not live
 * left out. Nothing is opened but small metadata files, so 100,000 store files take seconds. */

/* dir is a SNAPSHOT, TABLE, REGION or FAMILY; the root above it is found by walking up. A REGION or FAMILY without table
 * descriptor gets a table with the families that are there, and rules not given.
 *
 * room: for the list that is made, and as much again while it is; {0}: no limit.
 * ERR_INPUT with n_problems > 0: store files are missing, empty or of another size than listed. All of them are in problems,
 * and the rest of *out is complete without them, for callers that continue despite damage. Free *out whatever is returned. */
int store_files_read(const char *dir, struct list_room room, struct store_files *out, struct err *err);

/* Tables and snapshots of a root. */

/* What a root holds. */
struct tree_catalog {
    struct tree_catalog_entry {
        char *ns, *table; /* of a snapshot: the table it was taken of */
        char *snapshot;   /* NULL: a table of data/ */
        char *dir;
    } * entries; /* tables by namespace and name, then snapshots by name */
    size_t n;
};
int tree_catalog_read(const char *root, struct tree_catalog *out, struct err *err);
void tree_catalog_free(struct tree_catalog *c);

/* Warns of store files of a root that are in none of its tables: appended to warnings. */
int root_strays_warn(const char *root, struct buf *warnings, struct err *err);

/* The snapshot NAME of a root. ERR_USAGE lists the names there are. */
int store_files_of_snapshot(const char *root, const char *name, struct list_room room, struct store_files *out, struct err *err);

#endif
