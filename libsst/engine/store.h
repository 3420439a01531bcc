/* Writes one partition of one family: a sorted source becomes <dir>/<family>/p00017-000.hfile, -001 … cut at rows once
 * target_file_bytes of KeyValue bytes are reached. No file for an empty partition. */
#ifndef ENGINE_STORE_H
#define ENGINE_STORE_H

#include "cell/cell.h"
#include "dataset/manifest.h"
#include "hfile/hfile_writer.h"

/* How the files of one family are written. */
struct store_family {
    const char *name; /* borrowed */
    struct hfile_write_opts hfile;
};

struct store_opts {
    const char *dir; /* family folders below it exist */
    struct disk_quota *quota;
    struct hfile_write_opts hfile;
    const struct store_family *by_family; /* instead of it, for these families */
    uint32_t n_by_family;
    unsigned batch_blocks;   /* of every writer */
    size_t long_block_bytes; /* of every writer */
    uint64_t target_file_bytes;
    const char *rules_hash; /* OBKV.RULES; NULL = none applied */
};

/* The writer that needs most memory: what memory is shared out by. */
const struct hfile_write_opts *store_largest_writer(const struct store_opts *o);

/* What is stored where. */
struct store_slot {
    const char *family_name;
    uint32_t family, partition;
    const char *partition_name;
};

/* Files collected by many threads. */
struct stored_files {
    uint64_t deletes, duplicates; /* in all files: what is kept, not what was dropped */
    struct manifest_file *files;
    size_t n;
};
void stored_files_free(struct stored_files *l);

/* By many threads. Takes over f's memory. */
int stored_files_add(struct stored_files *l, const struct manifest_file *f, struct err *err);
void stored_files_count(struct stored_files *l, uint64_t deletes, uint64_t duplicates);

/* A partition being written out of one source after the other, whose rows follow on each other. What o and slot point to is
 * borrowed; `number` is that of the first file. */
struct store_stream;
struct store_stream *store_stream_open(const struct store_opts *o, const struct store_slot *slot, uint32_t number,
                                       struct stored_files *files, struct tally *written, struct err *err);
/* Drains src (not closed); next_drop_ms as below. */
int store_stream_put(struct store_stream *s, struct source *src, int64_t *next_drop_ms, struct err *err);
int store_stream_pause(struct store_stream *s, struct err *err); /* as hfile_writer_pause */
int store_stream_finish(struct store_stream *s, struct err *err);
uint32_t store_stream_close(struct store_stream *s); /* the number behind the last file's; NULL is fine */

/* One source is all of it. Drains src (not closed). *number is that of the first file, and of the one behind the last afterwards.
 * *next_drop_ms (may be NULL) is what src lowers for each part it hands out: see rules/compact.h;
 * it is raised again to INT64_MAX. `written` adds up. */
int store_partition(const struct store_opts *o, const struct store_slot *slot, uint32_t *number, struct source *src,
                    int64_t *next_drop_ms, struct stored_files *files, struct tally *written, struct err *err);
/* family/p00017-000.hfile, relative to dir. */
char *store_file_path(const struct store_slot *slot, uint32_t number, struct err *err);
/* Makes dir/<family>. */
int store_make_family(const char *dir, const char *family, struct err *err);

#endif
