/* Small file-system steps with errors that name the path. Exports: directory */
#ifndef BASE_FS_H
#define BASE_FS_H

#include "base/bytes.h"
#include "base/err.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Joined path in a fresh string (free it); NULL and err when out of memory. */
char *fs_join(const char *dir, const char *name, struct err *err);
char *fs_printf(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* As fs_printf, into a path of the caller, without memory. 0, or -1: too long for the system. */
int fs_path(char path[PATH_MAX], struct err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* mkdir -p. */
int fs_mkdirs(const char *path, struct err *err);
/* Removes a tree; a path that is not there is fine. */
int fs_remove_tree(const char *path, struct err *err);
int fs_rename(const char *from, const char *to, struct err *err);
int fs_fsync_path(const char *path, struct err *err); /* file or directory */
/* Returns whether path is there: 1, 0, -1 error. A link counts as such. */
int fs_exists(const char *path, struct err *err);
/* Fills *st with what path is, links followed. 1 there, 0 not there, as a link that leads nowhere, -1 it cannot be found out
 * (ERR_INPUT). */
int fs_look(const char *path, struct stat *st, struct err *err);
/* Two paths of one file or directory, links followed: 1, 0 also if one of them is not there, -1. */
int fs_same(const char *a, const char *b, struct err *err);
/* As fs_exists, for DIR/NAME. */
int fs_exists_in(const char *dir, const char *name, struct err *err);
int fs_remove_in(const char *dir, const char *name, struct err *err);

/* pread until n bytes have come. Fewer = ERR_INPUT "ends at …". */
int fs_pread_full(int fd, void *p, size_t n, uint64_t offset, const char *path, struct err *err);
/* write(2) until all is out; ERR_OUTPUT or ERR_LIMIT. */
int fs_write_full(int fd, const void *p, size_t n, const char *path, struct err *err);
int fs_pwrite_full(int fd, const void *p, size_t n, uint64_t offset, const char *path, struct err *err);
/* A small file, written, synced and closed. What had the name goes first, so that nothing is written through a link. */
int fs_write_file(const char *path, struct bytes content, struct err *err);
/* A small file is complete under its name, or what was there before stays: PATH.PID.tmp, fsync, rename. */
int fs_replace_file(const char *path, struct bytes content, struct err *err);
/* Checks before long work: does the directory exist, and is the name free or taken by a file that may be replaced? ERR_OUTPUT. */
int fs_check_replace(const char *path, struct err *err);
/* The whole of a small file (at most `limit` bytes) as a NUL-terminated string; NULL on error. */
char *fs_read_text(const char *path, size_t limit, size_t *n, struct err *err);
/* Reads the file at path once, in order: take gets each piece of it. 0; -1: ERR_INPUT, or take did not return 0. */
int fs_read_pieces(const char *path, int (*take)(void *arg, const void *p, size_t n, struct err *err), void *arg,
                   struct err *err);
/* As fs_read_pieces, so many bytes of it (UINT64_MAX: up to its end). ERR_INPUT: it ends before. */
int fs_read_part(const char *path, uint64_t from, uint64_t bytes,
                 int (*take)(void *arg, const void *p, size_t n, struct err *err), void *arg, struct err *err);

/* ---- directories ---- */

/* Called for every name but "." and "..", in no particular order. Links are followed: is_dir describes what they point to. 0 =
 * continue, 1 = enough, -1 = error. */
typedef int directory_visit(void *arg, const char *name, bool is_dir, struct err *err);

/* The next entry but "." and "..". NULL: the end, or an error, which errno then names; it is 0 at the end. */
struct dirent *directory_next(DIR *d);

/* 1 = walked (to the end, or until visit had enough), 0 = no such directory, -1 = error (visit's, or ERR_INPUT). */
int directory_each(const char *path, directory_visit *visit, void *arg, struct err *err);

/* The last name of a path without a slash at its end; borrowed. */
const char *directory_name(const char *path);
/* The parent directory of a path without a trailing slash, newly allocated: "/" of "/a" and of "/", "." of "a". */
char *directory_above(const char *path, struct err *err);

#endif
