/* Which values of one HFile are lost because the mob file that has them is missing or damaged: added up by mob file, so that a
 * report has a line for each, however many threads and ranges of blocks there were. */
#include "base/buf.h"
#include "base/fs.h"
#include "formats/hfile/hfile_input.h"

#include <stdlib.h>
#include <string.h>

struct mob_lost_file {
    struct buf name; /* as the reference has it */
    struct buf first_row, last_row;
    char *reason; /* of one of the values */
    uint64_t cells;
};

static void free_file(struct mob_lost_file *f) {
    buf_free(&f->name);
    buf_free(&f->first_row);
    buf_free(&f->last_row);
    free(f->reason);
}

/* With the lock. NULL: err. */
static struct mob_lost_file *file_of(struct hfile_mob_lost *l, struct bytes name, const char *reason, struct err *err) {
    for (size_t i = l->n; i-- > 0;)
        if (bytes_eq(buf_bytes(&l->files[i].name), name)) return &l->files[i];
    struct mob_lost_file f = {.reason = fs_printf(err, "%s", reason)};
    if (f.reason && !buf_copy(&f.name, name, err) && !grow_array(&l->files, l->n, sizeof *l->files, "lost mob files", err)) {
        l->files[l->n] = f;
        return &l->files[l->n++];
    }
    free_file(&f);
    return NULL;
}

static int note_value(struct mob_lost_file *f, struct bytes row, struct err *err) {
    bool first = !f->cells++;
    if ((first || bytes_cmp(row, buf_bytes(&f->first_row)) < 0) && buf_copy(&f->first_row, row, err)) return -1;
    return (first || bytes_cmp(row, buf_bytes(&f->last_row)) > 0) && buf_copy(&f->last_row, row, err) ? -1 : 0;
}

static int note_lost(void *arg, const struct row_part *part, const struct cell *c, const struct err *why, struct err *err) {
    struct hfile_mob_lost *l = arg;
    struct mob_reference ref = {0};
    struct err ignored = {0};
    if (mob_cell_parse(c, &ref, &ignored)) ref.file = (struct bytes){0};
    pthread_mutex_lock(&l->lock);
    struct mob_lost_file *f = file_of(l, ref.file, why->text, err);
    int rc = f ? note_value(f, part->row, err) : -1;
    pthread_mutex_unlock(&l->lock);
    return rc;
}

void hfile_mob_lost_init(struct hfile_mob_lost *l) {
    *l = (struct hfile_mob_lost){.sink = {note_lost, l}};
    pthread_mutex_init(&l->lock, NULL);
}

static void clear_files(struct hfile_mob_lost *l) {
    for (size_t i = 0; i < l->n; i++) free_file(&l->files[i]);
    l->n = 0;
}

void hfile_mob_lost_free(struct hfile_mob_lost *l) {
    clear_files(l);
    free(l->files);
    pthread_mutex_destroy(&l->lock);
}

static int by_name(const void *a, const void *b) {
    return bytes_cmp(buf_bytes(&((const struct mob_lost_file *)a)->name), buf_bytes(&((const struct mob_lost_file *)b)->name));
}

int hfile_mob_lost_report(struct hfile_mob_lost *l, struct emit *e, struct err *err) {
    uint64_t cells = 0;
    int rc = 0;
    pthread_mutex_lock(&l->lock);
    if (l->n) qsort(l->files, l->n, sizeof *l->files, by_name);
    for (size_t i = 0; i < l->n && !rc; i++) {
        const struct mob_lost_file *f = &l->files[i];
        struct lost lost = {
            .first_row = buf_bytes(&f->first_row), .last_row = buf_bytes(&f->last_row), .reason = f->reason, .cells = f->cells};
        cells += f->cells;
        rc = e->ops->lost(e, &lost, err);
    }
    clear_files(l);
    pthread_mutex_unlock(&l->lock);
    if (cells) e->ops->lost_cells(e, cells);
    return rc;
}
