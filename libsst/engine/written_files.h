/* The files of an output, collected by many threads. */
#ifndef ENGINE_WRITTEN_FILES_H
#define ENGINE_WRITTEN_FILES_H

#include "base/err.h"
#include "dataset/manifest.h"

#include <pthread.h>

struct written_files {
    pthread_mutex_t lock;
    struct file_counts counts;
    struct manifest_file *files;
    size_t n;
    struct pack_made *packs; /* that hold them; none: they are files */
    size_t n_packs;
};
void written_files_init(struct written_files *l);
void written_files_free(struct written_files *l);

/* Thread-safe. Takes ownership of f's memory. */
int written_files_add(struct written_files *l, const struct manifest_file *f, struct err *err);
void written_files_count(struct written_files *l, const struct file_counts *more);

#endif
