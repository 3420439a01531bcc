/* Collects what is missing in one HFile that is read although it is damaged: noted by many threads, reported when all of it has
 * been read, because only then the number of cells that are missing is known. */
#include "base/buf.h"
#include "cell/keyvalue.h"
#include "formats/hfile/hfile_input.h"
#include "formats/hfile/hfile_lost.h"

#include <stdio.h>
#include <stdlib.h>

struct lost_place {
    uint64_t offset;
    bool no_cells, has_first, has_last;
    struct buf first_row, last_row;
    char *reason;
};

static void place_free(struct lost_place *p) {
    buf_free(&p->first_row);
    buf_free(&p->last_row);
    free(p->reason);
}

static int copy_row(struct bytes key, bool *has, struct buf *row, struct err *err) {
    struct kv_key k;
    *has = key.p && kv_key_parse(key, &k);
    return *has ? buf_copy(row, k.row, err) : 0;
}

static int append_place(struct hfile_lost_list *l, const struct lost_place *p, struct err *err) {
    if (grow_array(&l->places, l->n, sizeof *l->places, "lost blocks", err)) return -1;
    l->places[l->n++] = *p;
    l->with_cells += !p->no_cells;
    return 0;
}

static int note_lost(void *arg, const struct hfile_lost *lost, struct err *err) {
    struct hfile_lost_list *l = arg;
    struct lost_place p = {.offset = lost->offset, .no_cells = lost->no_cells, .reason = strdup(lost->reason)};
    int rc = p.reason ? 0 : err_nomem(err, strlen(lost->reason), "lost blocks");
    if (!rc) rc = copy_row(lost->first, &p.has_first, &p.first_row, err);
    if (!rc) rc = copy_row(lost->last, &p.has_last, &p.last_row, err);
    if (!rc) {
        pthread_mutex_lock(&l->lock);
        rc = append_place(l, &p, err);
        pthread_mutex_unlock(&l->lock);
    }
    if (rc) place_free(&p);
    return rc;
}

void hfile_lost_init(struct hfile_lost_list *l) {
    *l = (struct hfile_lost_list){.sink = {note_lost, l}};
    pthread_mutex_init(&l->lock, NULL);
}

void hfile_lost_free(struct hfile_lost_list *l) {
    for (size_t i = 0; i < l->n; i++) place_free(&l->places[i]);
    free(l->places);
    pthread_mutex_destroy(&l->lock);
}

static int by_offset(const void *a, const void *b) {
    uint64_t x = ((const struct lost_place *)a)->offset, y = ((const struct lost_place *)b)->offset;
    return x < y ? -1 : x > y;
}

static struct bytes row_of(bool has, const struct buf *row) {
    return has ? bytes_of(row->p ? row->p : (const uint8_t *)"", row->n) : (struct bytes){0};
}

/* No block is damaged, but the numbers differ: the trailer is. */
static int report_difference(const struct hfile_lost_count *c, uint64_t missing, struct emit *e, struct err *err) {
    char reason[120];
    struct lost lost = {.offset = c->trailer_offset, .cells = missing, .reason = reason};
    snprintf(reason, sizeof reason, "its blocks hold %llu cells, its trailer says %llu", (unsigned long long)c->found,
             (unsigned long long)c->said);
    return e->ops->lost(e, &lost, err);
}

int hfile_lost_report(struct hfile_lost_list *l, const struct hfile_lost_count *c, struct emit *e, struct err *err) {
    uint64_t missing = c->known && c->said > c->found ? c->said - c->found : 0;
    bool known = c->known && c->said >= c->found;
    if (l->n) qsort(l->places, l->n, sizeof *l->places, by_offset);
    for (size_t i = 0; i < l->n; i++) {
        const struct lost_place *p = &l->places[i];
        struct lost lost = {.offset = p->offset,
                            .first_row = row_of(p->has_first, &p->first_row),
                            .last_row = row_of(p->has_last, &p->last_row),
                            .reason = p->reason,
                            .cells = p->no_cells                   ? 0
                                     : known && l->with_cells == 1 ? missing
                                                                   : LOST_UNKNOWN};
        if (e->ops->lost(e, &lost, err)) return -1;
    }
    if (!l->with_cells && c->known && c->said != c->found && report_difference(c, missing, e, err)) return -1;
    if (missing || l->with_cells) e->ops->lost_cells(e, known ? missing : LOST_UNKNOWN);
    return 0;
}
