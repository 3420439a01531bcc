/* One output file: written sequentially under a temporary name, checksummed on the way.
 * Renaming is the publisher's business (dataset/outdir.h). A disk quota shared by many files is honoured. */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include "base/bytes.h"
#include "base/err.h"

/* Bytes that temp and output files may take together; 0 = no limit. Updated atomically. */
struct disk_quota {
    uint64_t limit_bytes;
    uint64_t used_bytes;
    uint64_t peak_bytes;
};
/* ERR_LIMIT, and nothing taken, where that is too much. q may be NULL in both. */
int disk_quota_take(struct disk_quota *q, uint64_t bytes, struct err *err);
void disk_quota_give(struct disk_quota *q, uint64_t bytes);

struct outfile;
/* Creates `path` (it must not exist). quota may be NULL. */
struct outfile *outfile_create(const char *path, struct disk_quota *quota, struct err *err);
/* ERR_LIMIT: no space or quota; ERR_OUTPUT: it cannot be written for another reason. */
int outfile_write(struct outfile *f, const void *p, size_t n, struct err *err);
uint64_t outfile_size(const struct outfile *f); /* bytes written so far = offset of the next */
const char *outfile_path(const struct outfile *f);
/* Flushes, starts writing back, closes; the XXH3-64 of all bytes comes out as 16 hex digits. Whoever publishes the file
 * must fsync it (many at once, later: waiting here for each would leave processors idle). */
int outfile_finish(struct outfile *f, char checksum_hex[17], struct err *err);
/* Closes; a file that was not finished is unlinked. */
void outfile_close(struct outfile *f);

/* The same checksum over bytes that are read: whole-file checks. */
struct file_sum;
struct file_sum *file_sum_new(struct err *err);
void file_sum_add(struct file_sum *s, const void *p, size_t n);
void file_sum_hex(const struct file_sum *s, char hex[17]);
void file_sum_free(struct file_sum *s);
/* Of a whole file, read once. */
int file_sum_of(const char *path, char hex[17], struct err *err);

#endif
