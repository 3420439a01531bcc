/* A new directory for files whose names may be hostile: nothing is created outside of it. Paths are as member_name_clean leaves
 * them. */
#ifndef FORMATS_ARCHIVE_PRIVATE_DIRECTORY_H
#define FORMATS_ARCHIVE_PRIVATE_DIRECTORY_H

#include "base/buf.h"
#include "base/err.h"

struct private_directory {
    char *path; /* without links in it */
    int fd;
    struct buf parent; /* path of parent_fd: members of one directory mostly follow each other */
    int parent_fd;
};

/* Below dir, with a name of its own. */
int private_directory_make(struct private_directory *f, const char *dir, struct err *err);
/* Makes a directory and those above it. */
int private_directory_add(struct private_directory *f, const char *path, struct err *err);
/* A new, empty file, for writing; one of this name before is replaced. The descriptor, or -1. */
int private_directory_file(struct private_directory *f, const char *path, struct err *err);
/* Gives an existing file another name. 1, 0 = there is no such file, -1. */
int private_directory_link(struct private_directory *f, const char *from, const char *to, struct err *err);
/* An existing file, for reading. -1 with err->code == ERR_NONE: no such file. */
int private_directory_open(struct private_directory *f, const char *path, struct err *err);
/* Removes everything. */
void private_directory_remove(struct private_directory *f);

#endif
