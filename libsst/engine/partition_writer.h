/* Writes one partition of one family: a sorted source becomes <dir>/<family>/p00017-000.hfile, -001 … cut at rows once
 * target_file_bytes of KeyValue bytes are reached. No file for an empty partition.
 * Exports: largest_writer, make_family_directory, make_family_directories, write_partition */
#ifndef ENGINE_PARTITION_WRITER_H
#define ENGINE_PARTITION_WRITER_H

#include "cell/cell.h"
#include "dataset/manifest.h"
#include "engine/written_files.h"
#include "hfile/hfile.h"
#include "hfile/hfile_writer_state.h"

struct kept_run_files;
struct pack_files;

/* Options by which the files of one family are written. */
struct output_family {
    const char *name; /* borrowed */
    struct hfile_write_opts hfile;
};

/* Called now and then by any thread: so many more cells were written. add may be NULL. */
struct cells_passed {
    void (*add)(void *arg, uint64_t cells);
    void *arg;
};

struct output_opts {
    const char *dir; /* its family directories exist */
    struct disk_quota *quota;
    struct hfile_write_opts hfile;
    const struct output_family *by_family; /* instead of it, for these families */
    uint32_t n_by_family;
    unsigned batch_blocks;   /* of every writer */
    size_t long_block_bytes; /* of every writer */
    uint64_t target_file_bytes;
    bool as_runs;                /* runs may be written, which the program itself merges: the digest of what is written stays 0 */
    struct kept_run_files *runs; /* where (open_run_files); NULL: HFiles are written */
    bool as_packs;               /* HFiles share files: of a shard */
    bool all_open;               /* many HFiles are written side by side */
    struct pack_files *packs;    /* where (open_pack_files); NULL: each is a file */
    const char *rules_hash;      /* OBKV.RULES; NULL = none applied */
    struct cells_passed passed;
};

/* The writer that needs most memory: what memory is shared out by. */
const struct hfile_write_opts *largest_writer(const struct output_opts *o);

/* Returns the options by which files of the family are written. */
const struct hfile_write_opts *output_family_writer(const struct output_opts *o, const char *family);

/* The family and partition that a file is of. */
struct output_slot {
    const char *family_name;
    uint32_t family, partition;
    const char *partition_name;
};

/* A partition being written out of one source after the other, whose rows follow on each other. What o and slot point to is
 * borrowed; `number` is that of the first file. */
struct partition_writer;
struct partition_writer *partition_writer_open(const struct output_opts *o, const struct output_slot *slot, uint32_t number,
                                               struct written_files *files, struct tally *written, struct err *err);
/* Drains src (not closed); next_drop_ms as in write_partition. */
int partition_writer_put(struct partition_writer *s, struct source *src, int64_t *next_drop_ms, struct err *err);
/* One batch after the other, made by this function, which follow on each other. */
struct row_batch;
void partition_writer_batch(const struct partition_writer *s, struct row_batch *b);
int partition_writer_put_batch(struct partition_writer *s, const struct row_batch *b, struct err *err);
/* Batches that were put stay as they are until this function has returned, which waits for tasks of the calling one. */
void partition_writer_release_batches(struct partition_writer *s);
/* Files are written in the background, or no longer: see outfile_in_background. */
int partition_writer_in_background(struct partition_writer *s, bool on, struct err *err);
/* Blocks of another file, whose rows follow on what was put, into the file being written: see hfile_writer_copy. */
struct hfile;
struct block_span;
struct copied_cells;
int partition_writer_copy(struct partition_writer *s, const struct hfile *h, const struct block_span *span, struct err *err);
/* Adds what is known of all cells that were copied into the file, and when time may drop one of them. */
int partition_writer_count_copied(struct partition_writer *s, const struct copied_cells *c, int64_t next_drop_ms,
                                  struct err *err);
const struct hfile_writer *partition_writer_file(const struct partition_writer *s); /* being written; NULL: none */
int partition_writer_pause(struct partition_writer *s, struct err *err);            /* as hfile_writer_pause */
int partition_writer_finish(struct partition_writer *s, struct err *err);
uint32_t partition_writer_close(struct partition_writer *s); /* returns the number after the last file's; accepts NULL */

/* Writes one source that is the whole partition. Drains src (does not close it). *number is the first file's number, and
 * afterwards the one after the last. *next_drop_ms (may be NULL) is the value that src lowers for each part (see
 * rules/compact.h); it is reset to INT64_MAX. `written` accumulates. */
int write_partition(const struct output_opts *o, const struct output_slot *slot, uint32_t *number, struct source *src,
                    int64_t *next_drop_ms, struct written_files *files, struct tally *written, struct err *err);
/* Makes o->runs, for so many workers, if o is to be written as runs. The caller frees it. */
int open_run_files(struct output_opts *o, unsigned workers, uint32_t families, struct err *err);
/* Makes o->packs, if o is to be written as packs. The caller frees it. */
int open_pack_files(struct output_opts *o, struct err *err);
/* family/p00017-000.hfile, relative to dir. */
char *partition_file_path(const struct output_slot *slot, uint32_t number, struct err *err);
/* Makes dir/<family>. */
int make_family_directory(const char *dir, const char *family, struct err *err);
/* Makes dir/<family> for all families of the table. */
int make_family_directories(const char *dir, const struct table *t, struct err *err);

#endif
