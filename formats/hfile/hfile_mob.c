/* Counts the values of one HFile that are lost because the mob file that has them is missing or damaged: added up by mob file, so
 * that a report has a line for each, however many threads and ranges of blocks there were. */
#include "base/buf.h"
#include "base/fs.h"
#include "formats/hbase/mob_follow.h"
#include "formats/hfile/hfile_input.h"
#include "formats/hfile/hfile_mob.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_open.h"

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

/* Returns what is known of a mob file, with the lock. NULL: err. */
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

/* ---- a file that is in no store ---- */

/* Names the only family of the file, which is in the key of its last cell. */
static int name_family(struct store_files *s, const struct hfile *h, struct err *err) {
    const struct bytes last = hfile_info(h)->last_key;
    struct kv_key key;
    if (!last.n || !kv_key_parse(last, &key)) return 1;
    s->what = fs_printf(err, "%s", hfile_info(h)->path);
    s->table.ns = fs_printf(err, "default");
    s->table.name = fs_printf(err, "?");
    s->table.families = calloc(1, sizeof *s->table.families);
    if (!s->what || !s->table.ns || !s->table.name || !s->table.families)
        return err_nomem(err, sizeof *s->table.families, "a family");
    s->table.n_families = 1;
    s->table.families[0].name = fs_printf(err, "%.*s", (int)key.family.n, (const char *)key.family.p);
    s->files = calloc(1, sizeof *s->files);
    if (!s->table.families[0].name || !s->files) return err_nomem(err, sizeof *s->files, "a file");
    return (s->files[0].path = fs_printf(err, "%s", s->what)) ? 0 : -1;
}

static const char *only_file(const void *arg, size_t i, struct hfile_view *v) {
    const struct hfile_mob_own *own = arg;
    *v = (struct hfile_view){.mob = own->values};
    return own->store.files[i].path;
}

static int follow_listed(const struct hfile_mob_own *own, const struct read_opts *o, bool lost, struct err *err) {
    enum { MEMORY_BYTES = 1 << 20 };
    const struct job job = {.stop = o->stop, .threads = 1};
    const struct input_files files = {.n = 1, .at = only_file, .arg = own};
    const struct mob_follow_opts follow = {.job = &job,
                                           .stores = &own->store,
                                           .files = &files,
                                           .selection = o->selection,
                                           .memory_bytes = MEMORY_BYTES,
                                           .block_limit = o->memory.max_block};
    struct mob_follow_result r;
    int rc = mob_follow(&follow, &r, err);
    if (!rc) rc = mob_follow_report(&r, &own->store, lost, o->warnings, err);
    mob_follow_free(&r);
    return rc;
}

int hfile_mob_own_open(struct hfile_mob_own *own, const struct hfile *h, const struct read_opts *o, bool lost, struct err *err) {
    const struct bytes tags = hfile_find(h, "hfile.MAX_TAGS_LEN"), listed = hfile_find(h, "MOB_FILE_REFS");
    const struct mob_opts opts = {.max_block_bytes = o->memory.max_block};
    *own = (struct hfile_mob_own){0};
    if (tags.n != 4 || !be32(tags.p) || hfile_find(h, "OBKV.KEY_BYTES").p) return 0; /* ours hold values */
    const int rc = name_family(&own->store, h, err);
    if (rc) return rc < 0 ? -1 : 0;
    own->store.n_files = 1;
    if (!(own->values = mob_open(&own->store, &opts, err))) return -1;
    return listed.n ? follow_listed(own, o, lost, err) : 0;
}

void hfile_mob_own_close(struct hfile_mob_own *own) {
    mob_close(own->values);
    store_files_free(&own->store);
}
