/* Finds the inputs of a program, from the paths it was given: files, directories of files, datasets, HBase directories and
 * archives of these. */
#ifndef CMD_COMMON_INPUTS_H
#define CMD_COMMON_INPUTS_H

#include "base/bytes.h"
#include "base/err.h"
#include "engine/input.h"
#include "engine/job.h"
#include "formats/hbase/backup_images.h"
#include "formats/hbase/read_tree.h"
#include "formats/hbase/store_files.h"
#include "formats/hbase/survey.h"

struct mob_resolver;

struct archive_limits;
struct input_opts {
    struct job *job;      /* for looking into store files; its resident_bytes grow with the lists */
    const char *format;   /* of files; NULL = by content */
    const char *snapshot; /* of a root: this snapshot; NULL = the only thing there is */
    const char *backup;   /* of a directory of backups: this image; NULL = the newest */
    const struct archive_limits *limits;
    const char *output; /* where the run writes: passed over inside a directory of inputs; NULL: nowhere */
};

/* Files as they were when they were listed (input_watch.c). */
enum watch_kind { WATCH_FILE, WATCH_STORE, WATCH_DATASET };
struct input_watch {
    struct watched_file {
        const char *path; /* borrowed */
        uint64_t state;   /* of inode, size and time of change, as one number */
        uint64_t changed; /* ctime */
        uint32_t links;
        enum watch_kind kind;
        bool own; /* path is */
    } * files;
    size_t n;
    const struct input_watch *also; /* checked with this one; borrowed */
    bool relinks;                   /* this run makes and removes links to files of datasets: their ctime says nothing */
};

/* A snapshot, table, region or family directory: one input of many files. */
struct input_store {
    struct store_files files;
    struct survey survey;
    struct mob_resolver *mob;         /* NULL: no family keeps values in mob files */
    struct input_watch mob_files;     /* those that were opened */
    struct bytes start_row, stop_row; /* borrowed; where not empty, only these rows are seen */
    struct input_files as_input;
    struct store_file *listed; /* all files, where `files` has only those of a shard; NULL: it has all */
    size_t n_listed;
    struct bytes from_row, to_row; /* of the first region of `files`, and of the last: only these rows; p == NULL: open */
    struct archive_tree *tree;     /* it is in an archive; NULL: on disk */
};

struct input_list {
    struct input_watch watch;  /* of all files, archives included */
    const char *const *staged; /* DIR=URL: what is below DIR is a copy, and has the name of the original; borrowed */
    unsigned n_staged;
    struct input *inputs;
    uint32_t n, groups;
    uint32_t n_others;   /* after the first n: listed, and read by other shards */
    struct input *packs; /* of shards that are inputs: whole, whatever members of them are read */
    uint32_t n_packs;
    struct list_room room; /* for it, without what stores take */
    const char **in_order; /* paths of all, before shards are cut; NULL: intake_note_texts was not called */
    char **paths;          /* of inputs that were let go, see input_list_forget */
    uint32_t n_paths;
    struct buf from_row, to_row; /* where the shard that is read begins and ends inside of its first and its last input */
    struct input_store **stores;
    struct store_input *store_inputs; /* as the engine wants them */
    uint32_t n_stores;
};

struct archive_tree;
/* The part that is read of the store that an input stands for: files `first` to `end`, those of some regions: of the first region
 * from this row on, of the last one up to that row (p == NULL: all; borrowed). Before the survey. */
struct store_part {
    size_t first, end;
    struct bytes from_row, to_row;
};
/* Whatever path is. Text of warnings (one a line) is added to `warnings`. */
int input_list_add_any(struct input_list *l, const char *path, const struct input_opts *o, struct buf *warnings, struct err *err);
/* Lists what HBase left at path, without a look into the store files. *out must be freed, whatever is returned. */
int input_read_store(const char *path, const struct input_opts *o, struct store_files *out, struct err *err);
/* ERR_INPUT: a root directory of HBase without tables. Returns -1. */
int input_refuse_root(const char *root, struct err *err);
/* Files that are among the inputs twice, whatever their paths: text of warnings. */
int input_list_warn_twice(const struct input_list *l, struct buf *warnings, struct err *err);
/* As input_list_warn_twice, of n paths as they were given, datasets and all. NULL: passed over. */
int input_paths_warn_twice(char *const *paths, size_t n, struct buf *warnings, struct err *err);

/* ---- images of HBase's backups (input_backup.c) ---- */

/* The directories to read for path, oldest first: 1; 0 = none of a backup is asked for, path itself; -1. Free *out after 1.
 * id: as in input_opts. */
int input_backup_dirs(const char *path, enum tree_kind kind, const char *id, struct backup_chain *out, struct err *err);

/* ---- directories of HBase inside an archive (input_tree.c) ---- */

/* ERR_USAGE: it is a URL; the text names what copies it. NULL is fine. */
int local_path_check(const char *path, bool output, struct err *err);

/* The files that quoted patterns match, in the place of the patterns. */
struct path_patterns {
    char **paths;
    int n; /* 0: there is no pattern among the inputs */
    struct list_room room;
};

#endif
