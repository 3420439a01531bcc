/* The steps from a directory to store files, as read_tree.c takes them; for this room only. */
#ifndef FORMATS_HBASE_TREE_H
#define FORMATS_HBASE_TREE_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "formats/hbase/metadata.h"
#include "formats/hbase/snapshot.h"
#include "formats/hbase/store_files.h"

#include <sys/stat.h>

/* What is said about the files of a table: things left out or odd, counted by kind, and what is missing or damaged. */

enum note_kind {
    NOTE_OTHER_NAMES,
    NOTE_OTHER_FAMILIES,
    NOTE_UNTRACKED,
    NOTE_STRAYS,
    NOTE_MISNAMED_REGIONS,
    NOTE_NO_FILE_LIST,
    NOTE_EDITS,
    NOTE_EDITS_AS_HFILES,
    NOTE_WAL,
    NOTE_NO_REGION_INFO,
    NOTE_OTHER_REGION_NAME,
    NOTE_REPLICAS,
    NOTE_PARENTS,
    NOTE_LONE_PARENTS,
    NOTE_UNFINISHED,
    NOTE_MOB_FILES,
    NOTE_ROOT_STRAYS,
    NOTE_KINDS
};

struct findings {
    struct noted {
        uint64_t n; /* of what the note is about: regions, directories or files */
        uint64_t files, bytes;
        char *first; /* by name */
    } of[NOTE_KINDS];
    struct buf warnings;           /* one a line */
    struct buf problems;           /* one a line */
    struct list_room listed, kept; /* for what directories and manifests list; for the regions and files that come of it */
    size_t n_problems;
    bool missing; /* some of the problems: files that are nowhere */
};

/* files and bytes are added to what was noted before; name is copied if it is the first by name. */
int findings_note(struct findings *r, enum note_kind kind, const char *name, uint64_t files, uint64_t bytes, struct err *err);
int findings_problem(struct findings *r, struct err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A problem that came as an error; running out of memory and the like stay errors: -1. */
int findings_take_damage(struct findings *r, struct err *damage, struct err *err);
void findings_forget_notes(struct findings *r);
/* Appends a line for every kind noted to the warnings. */
int findings_list_notes(struct findings *r, struct err *err);
void findings_free(struct findings *r);

/* Store files where HBase does not look for them (stray_files.c), noted by directory. */

/* Is the file called name at path a store file, by its trailer or by a name that nothing else has? 1 (perhaps empty), 0, -1. */
int store_file_is(const char *path, const char *name, struct stat *st, struct err *err);

/* Those of one directory. Zero-initialise. */
struct stray_files {
    uint64_t n, bytes;
    char *first; /* by name, as shown */
};

/* dir/name, a file that is not read: counts it if it is a store file. shown: dir, for messages; may be empty. */
int stray_files_look(struct stray_files *s, const char *dir, const char *shown, const char *name, struct err *err);
/* Notes and forgets what was found. Takes rc of what was done before. */
int stray_files_end(struct stray_files *s, enum note_kind note, struct findings *report, int rc, struct err *err);
/* All below a directory that is not read. */
int stray_files_below(const char *dir, const char *shown, enum note_kind note, struct findings *report, struct err *err);
/* table_dir/name, a directory whose name is no region's: all below it. */
int stray_files_beside_regions(const char *table_dir, const char *name, struct findings *report, struct err *err);

/* Whether regions follow each other without gaps from the empty key to the empty key. */

/* regions by start key. Warns about every hole and overlap: keys in hex, the first ten of each. */
int findings_check_ranges(const struct region_info *regions, size_t n, struct findings *report, struct err *err);

/* Where the store files of a table may be: data/, archive/, .tmp/ and mobdir/ of its root, in HBase's order (HFileLink), and
 * the layouts without namespaces of 0.94 and of directories that were copied out. */

struct search_place {
    char *dir;
    bool has_namespaces; /* dir/ns/table/…, else dir/table/… of the default namespace */
};

struct search_path {
    char *root;                     /* NULL: nothing like a root is above */
    char *own, *own_ns, *own_table; /* the directory of the table that is read is searched first; NULL: a snapshot */
    struct search_place place[8];   /* those that are there */
    size_t n;
};

/* One store file. All borrowed. */
struct file_address {
    struct bytes ns, table, region, family, name;
};

/* dir: …/.hbase-snapshot/NAME. */
int search_path_of_snapshot(const char *dir, struct search_path *out, struct err *err);
/* table_dir: absolute. Its names are taken from the path where it is under a root (else the namespace is "default"). */
int search_path_of_table(const char *table_dir, struct search_path *out, struct err *err);
void search_path_free(struct search_path *p);

/* 1 = *path fresh (free it) and *st filled, 0 = nowhere, -1 = error. */
int search_path_find(const struct search_path *p, const struct file_address *a, char **path, struct stat *st, struct err *err);

/* The files in one family's directory that are its store's, by name and .filelist; and edits that wait to be replayed. */

enum file_tracking {
    FILES_UNTRACKED,    /* every file in the directory is live */
    FILES_TRACKED,      /* only those that .filelist names */
    FILES_MAYBE_TRACKED /* no descriptor says it: as TRACKED when there is a .filelist */
};

/* The files of dir, sorted by name. shown: "region/family", for messages. */
int family_files_read(const char *dir, const char *shown, enum file_tracking tracking, struct snapshot_family *out,
                      struct findings *report, struct err *err);
/* Notes what is in the recovered.edits of a region. */
int family_files_note_edits(const char *region_dir, const char *shown, struct findings *report, struct err *err);
/* Counts the store files of a directory that is not read. */
int family_files_note_skipped(const char *dir, const char *shown, enum note_kind note, struct findings *report, struct err *err);

/* What the directories of a table hold, or a snapshot lists, before it is decided which files are read. Both take the form of a
 * snapshot. */

struct region_state {
    char *directory; /* name of its directory; NULL: its encoded name */
    bool no_range;   /* start and end are not known: no .regioninfo, or 0.94's */
    bool is_mob;     /* the region that mob files are filed under: they are no store files */
    bool left_out;
};

struct listing {
    struct snapshot s;          /* families and files by name */
    struct region_state *state; /* one a region */
    bool has_descriptor;
};

/* dir: …/.hbase-snapshot/NAME. */
int listing_of_snapshot(const char *dir, struct listing *out, struct findings *report, struct err *err);
/* ns and table: what the path says it is called, for want of a descriptor. */
int listing_of_table(const char *dir, const char *ns, const char *table, struct listing *out, struct findings *report,
                     struct err *err);
/* One region of a table, or only one family of it (else NULL). */
int listing_of_region(const char *table_dir, const char *region, const char *family, const char *ns, const char *table,
                      struct listing *out, struct findings *report, struct err *err);
void listing_free(struct listing *l);

/* Name of the directory region i is in; borrowed. */
const char *listing_directory(const struct listing *l, size_t i);
/* NULL: the region has no such family. */
const struct snapshot_family *listing_family(const struct snapshot_region *r, const char *name);

/* Regions that were split or merged: their directories, or entries in a snapshot, remain long after newer regions hold their
 * cells. */

/* Sets left_out of the regions that are not to be read. On disk HBase does not mark parents, so:
 *
 *   a region whose files others refer to, or whose key range newer regions cover, is a parent and left out;
 *   unless the split or merge did not come to its end: no newer region on its range has a file of its own, and one of its
 *   files is referred to by none, or part of its range has no newer region. Then it is read, and left out are the regions
 *   on its range that hold nothing but references. Nothing is lost or read twice either way.
 *
 * Snapshots mark split parents; one that is covered by no newer region is read all the same, and said.
 *
 * table_dir: where to look up how large the files are that are left out; NULL: the snapshot says it. */
int split_parents_leave_out(struct listing *l, const char *table_dir, struct findings *report, struct err *err);

/* From names that are listed to files on disk. */

/* Fills files of out, whose regions are those of `order` (indexes in the listing). What is missing, of another size than listed
 * or empty is a problem of the report; mob files listed by a snapshot are looked for too. */
int resolve_files(const struct listing *l, const uint32_t *order, size_t n_regions, const struct search_path *places,
                  struct store_files *out, struct findings *report, struct err *err);

/* One more of a list of struct store_file, a whole file or half of one: its room, then itself. Takes path. name: as in the
 * store. */
int store_file_room(struct list_room *room, const char *path, const struct reference *half, struct err *err);
int store_file_add(struct buf *files, char *path, const char *name, const struct stat *st, const struct reference *half,
                   uint32_t region, uint32_t family, struct err *err);

/* The files of a table in an incremental image of HBase's backups. */

/* Is dir a table's directory in one? 1: by its manifest (then *id is fresh), or because store files are only where such an image
 * has them; 0; -1: ERR_INPUT if they are in regions, too, and no manifest says so. */
int image_files_are(const char *dir, const struct listing *l, char **id, struct err *err);
/* Fills regions and files of out, whose table is known. */
int image_files_list(const char *dir, struct store_files *out, struct findings *report, struct err *err);

/* Directories in which to search for the mob files of a table's families. */

/* Those of the table itself, then those of the tables that links in it or in its mob directories name: its cells were written
 * there. */
int mob_directories_find(const struct listing *l, const struct search_path *places, struct store_files *out, struct err *err);
/* Encoded name of the region a table's mob files are filed under (MobUtils.getMobRegionInfo). */
int mob_directories_region(const char *ns, const char *table, char encoded[REGION_ENCODED_BYTES], struct err *err);

/* Write-ahead logs that may hold edits which no store file has. */

/* Looks for the regions' encoded names in root/WALs and 0.94's root/.logs: they are text in the key of every edit. Reads
 * the first 64 MiB of a log and 1 GiB in all, and warns when that was not everything. */
int wal_search(const char *root, const struct region_info *regions, size_t n, struct findings *report, struct err *err);

#endif
