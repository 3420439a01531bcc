/* A fresh folder for files whose names others chose. Every step of a path is opened by itself, below the step before, and never
 * through a link, so that nothing is made outside. Paths are as member_name_clean leaves them. */
#ifndef FORMATS_ARCHIVE_PRIVATE_FOLDER_H
#define FORMATS_ARCHIVE_PRIVATE_FOLDER_H

#include "base/buf.h"

struct private_folder {
    char *path; /* without links in it */
    int fd;
    struct buf parent; /* path of the folder that parent_fd is: members of one folder mostly come together */
    int parent_fd;
};

/* Below dir, with a name of its own. */
int private_folder_make(struct private_folder *f, const char *dir, struct err *err);
/* Makes a folder and those above it. */
int private_folder_add(struct private_folder *f, const char *path, struct err *err);
/* A new, empty file, for writing; one of this name before is replaced. The descriptor, or -1. */
int private_folder_file(struct private_folder *f, const char *path, struct err *err);
/* Another name of a file that is there. 1, 0 = there is no such file, -1. */
int private_folder_link(struct private_folder *f, const char *from, const char *to, struct err *err);
/* An existing file, for reading. -1 with err->code == ERR_NONE: there is none. */
int private_folder_open(struct private_folder *f, const char *path, struct err *err);
/* Removes everything. */
void private_folder_remove(struct private_folder *f);

#endif
