/* The directory in which remote files are shown, and which file a path in it is. */
#ifndef FORMATS_REMOTE_REMOTE_TREE_H
#define FORMATS_REMOTE_REMOTE_TREE_H

#include "base/list_room.h"
#include "formats/remote/remote_store.h"

struct remote_tree {
    char *dir; /* fresh, without links in it */
    int dir_fd;
    struct remote_file **files; /* by name, once remote_tree_sort was called */
    size_t n_files, n_sorted;
    struct list_room room; /* what `files` may take and takes */
};
int remote_tree_open(struct remote_tree *t, const char *temp_dir, const struct list_room *room, struct err *err);
/* Shows a file. Names that no path can be ("..", "a//b") are ERR_INPUT; an object whose name ends with a slash is a directory. */
int remote_tree_add(struct remote_tree *t, const struct remote_source *s, const char *path, const struct remote_facts *facts,
                    struct err *err);
int remote_tree_add_directory(struct remote_tree *t, const struct remote_source *s, const char *path, struct err *err);
/* Makes a file of this length and time, without content, at the path; one that is there stays. */
int remote_tree_show(const char *path, const struct remote_facts *facts, struct err *err);
void remote_tree_sort(struct remote_tree *t);
/* The order of pointers to files: by name, for qsort and bsearch. */
int remote_tree_order(const void *a, const void *b);
const struct remote_file *remote_tree_find(const struct remote_tree *t, const char *name); /* NULL: none */
void remote_tree_close(struct remote_tree *t);

#endif
