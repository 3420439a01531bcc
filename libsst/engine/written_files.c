/* The list of the files that a run has written, with what is counted of all of them. Any thread adds to it. The manifest of the
 * run lists them, or the packs that hold them. */
#include "engine/written_files.h"

#include "base/buf.h"

#include <stdlib.h>

void written_files_init(struct written_files *l) {
    *l = (struct written_files){0};
    l->counts = NO_FILE_COUNTS;
    pthread_mutex_init(&l->lock, NULL);
}

void written_files_free(struct written_files *l) {
    for (size_t i = 0; i < l->n; i++) {
        free(l->files[i].path);
        buf_free(&l->files[i].first_row);
        buf_free(&l->files[i].last_row);
    }
    for (size_t i = 0; i < l->n_packs; i++) free(l->packs[i].path);
    free(l->packs);
    free(l->files);
    *l = (struct written_files){0};
}

int written_files_add(struct written_files *l, const struct manifest_file *f, struct err *err) {
    pthread_mutex_lock(&l->lock);
    int rc = grow_array(&l->files, l->n, sizeof *l->files, "the list of files", err);
    if (!rc) l->files[l->n++] = *f;
    pthread_mutex_unlock(&l->lock);
    return rc;
}

void written_files_count(struct written_files *l, const struct file_counts *more) {
    pthread_mutex_lock(&l->lock);
    file_counts_add(&l->counts, more);
    pthread_mutex_unlock(&l->lock);
}
