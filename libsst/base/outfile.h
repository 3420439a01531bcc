/* Files that are written under one disk quota: output under a temporary name, checksummed on the way (renaming it is the
 * publisher's business, dataset/outdir.h), and temporary files without a name. */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include "base/bytes.h"
#include "base/err.h"

/* Bytes that temp and output files may take together; 0 = no limit. Updated atomically. */
struct disk_quota {
    uint64_t limit_bytes;
    uint64_t used_bytes;
    uint64_t peak_bytes;
    /* For a message of how much room there should have been: bytes that were written to output files, that were or were to be
     * written to temporary ones, and whether one of these found no room. */
    uint64_t output_bytes, temp_bytes;
    bool temp_full;
};
/* ERR_LIMIT, and nothing taken, where that is too much. q may be NULL in both. */
int disk_quota_take(struct disk_quota *q, uint64_t bytes, struct err *err);
void disk_quota_give(struct disk_quota *q, uint64_t bytes);
/* Expects that so many bytes are about to be written to temporary files. */
void disk_quota_expect_temp(struct disk_quota *q, uint64_t bytes);
/* Writing to a temporary file has failed with err. */
void disk_quota_temp_failed(struct disk_quota *q, const struct err *err);

struct outfile;
/* Creates `path` (it must not exist). quota may be NULL. */
struct outfile *outfile_create(const char *path, struct disk_quota *quota, struct err *err);
/* Writes to fd, a file or a pipe, which it owns from then on, also on failure. Its bytes stay in any case; name is for
 * messages. */
struct outfile *outfile_of_fd(int fd, const char *name, struct err *err);
/* As outfile_of_fd, to a function that takes the bytes; one thread at a time calls it. */
struct outfile_sink {
    int (*write)(void *arg, const void *p, size_t n, struct err *err); /* 0, -1 */
    int (*reopen)(void *arg, uint64_t *base, struct err *err);         /* as outfile_reopen; NULL: not possible */
    void *arg;
};
struct outfile *outfile_of_sink(const struct outfile_sink *sink, const char *name, struct err *err);
/* ERR_LIMIT: no space or quota; ERR_OUTPUT: it cannot be written for another reason. */
int outfile_write(struct outfile *f, const void *p, size_t n, struct err *err);
/* From now on, until it is switched off or outfile_finish, full buffers are written by tasks of the calling one, one at a time,
 * while the next is filled: all calls come from that task, in a parallel region. Switching off waits for its tasks. An error
 * may come later than it happens. Takes OUTFILE_BACKGROUND_BYTES. */
enum { OUTFILE_BACKGROUND_BYTES = 129 * 1024 };
int outfile_in_background(struct outfile *f, bool on, struct err *err);
uint64_t outfile_size(const struct outfile *f); /* bytes written so far = offset of the next */
const char *outfile_path(const struct outfile *f);
/* Flushes, and returns a descriptor, the caller's, to read what was written, which begins at *base; -1: ERR_LIMIT (also where
 * that is not possible) or ERR_OUTPUT. */
int outfile_reopen(struct outfile *f, uint64_t *base, struct err *err);
/* Flushes, starts writing back, closes; returns the XXH3-64 of all bytes as 16 hex digits. The publisher must fsync the file
 * later, many at once: waiting here for each one would leave processors idle. */
int outfile_finish(struct outfile *f, char checksum_hex[17], struct err *err);
/* Closes; a file that was not finished is unlinked. */
void outfile_close(struct outfile *f);

/* Sums up bytes that are read as outfile_finish sums up bytes that are written: whole-file checks. */
struct file_sum;
struct file_sum *file_sum_new(struct err *err);
void file_sum_add(struct file_sum *s, const void *p, size_t n);
void file_sum_hex(const struct file_sum *s, char hex[17]);
void file_sum_free(struct file_sum *s);
/* Returns the checksum of a whole file, read once. */
int file_sum_of(const char *path, char hex[17], struct err *err);
/* As file_sum_of, of so many bytes of it (UINT64_MAX: up to its end). ERR_INPUT: it ends before. */
int file_sum_of_part(const char *path, uint64_t from, uint64_t bytes, char hex[17], struct err *err);

/* ---- temporary files: gone when the descriptor is closed, however the program ends ---- */

struct tempfile {
    int fd;
    uint64_t bytes;
    struct disk_quota *quota;
};

/* The descriptor of a new file in dir that never has a name, not even for the moment in which a kill could strike (where the
 * file system has O_TMPFILE); -1: ERR_OUTPUT. */
int tempfile_nameless(const char *dir, struct err *err);
/* Opens a nameless file in dir; dir NULL: ERR_USAGE asks for --temp-dir. quota may be NULL. */
int tempfile_open(struct tempfile *t, const char *dir, struct disk_quota *quota, struct err *err);
int tempfile_append(struct tempfile *t, const void *p, size_t n, struct err *err);
/* Gives the space back. Not to be called for a tempfile that could not be opened. */
void tempfile_close(struct tempfile *t);

#endif
