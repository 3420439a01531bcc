/* Cells that are smaller than the cell before them in their file, found while a diff reads. All count; the first ones by side,
 * file and key are kept, whichever thread found them. */
#include "cmd/verify/diff/diff_disorder.h"
#include "cmd/verify/diff/diff_walk.h"

#include "cell/keyvalue.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST_KEPT = 1000 };

struct disorder {
    unsigned side;
    struct buf path, before, key;
};

struct disorder_list {
    struct disorder *all;
    size_t n, most;
    uint64_t found;
    pthread_mutex_t lock;
};

struct disorder_list *disorder_list_new(uint64_t most, struct err *err) {
    struct disorder_list *l = calloc(1, sizeof *l);
    if (!l) {
        err_nomem(err, sizeof *l, "cells out of order");
        return NULL;
    }
    pthread_mutex_init(&l->lock, NULL);
    l->most = most < MOST_KEPT ? (size_t)most : MOST_KEPT;
    l->all = calloc(l->most + 1, sizeof *l->all);
    if (l->all) return l;
    disorder_list_free(l);
    err_nomem(err, MOST_KEPT * sizeof *l->all, "cells out of order");
    return NULL;
}

void disorder_list_free(struct disorder_list *l) {
    if (!l) return;
    for (size_t i = 0; l->all && i <= l->most; i++) {
        buf_free(&l->all[i].path);
        buf_free(&l->all[i].before);
        buf_free(&l->all[i].key);
    }
    pthread_mutex_destroy(&l->lock);
    free(l->all);
    free(l);
}

static int by_place(const void *pa, const void *pb) {
    const struct disorder *a = pa, *b = pb;
    if (a->side != b->side) return a->side < b->side ? -1 : 1;
    int c = bytes_cmp(buf_bytes(&a->path), buf_bytes(&b->path));
    return c ? c : bytes_cmp(buf_bytes(&a->key), buf_bytes(&b->key));
}

/* The slot after the last one takes the new entry; the largest then drops out. */
static int add_disorder(struct disorder_list *l, unsigned side, const char *path, struct bytes before, struct bytes key,
                        struct err *err) {
    struct disorder *x = &l->all[l->n];
    l->found++;
    x->side = side;
    if (buf_copy(&x->path, bytes_str(path), err) || buf_put_byte(&x->path, 0, err)) return -1;
    if (buf_copy(&x->before, before, err) || buf_copy(&x->key, key, err)) return -1;
    if (l->n < l->most) {
        l->n++;
        return 0;
    }
    struct disorder *largest = x;
    for (size_t i = 0; i < l->n; i++)
        if (by_place(&l->all[i], largest) > 0) largest = &l->all[i];
    struct disorder out = *largest;
    *largest = *x;
    *x = out;
    return 0;
}

int disorder_list_add(struct disorder_list *l, unsigned side, const char *path, struct bytes before, struct bytes key,
                      struct err *err) {
    pthread_mutex_lock(&l->lock);
    int rc = add_disorder(l, side, path, before, key, err);
    pthread_mutex_unlock(&l->lock);
    return rc;
}

static int report_one(const struct disorder *x, const struct diff_opts *o, struct diff_result *r, struct err *err) {
    struct kv_key before, key;
    if (!kv_key_parse(buf_bytes(&x->before), &before) || !kv_key_parse(buf_bytes(&x->key), &key))
        return err_set(err, ERR_INTERNAL, "%s: a scan returned a malformed key", (const char *)x->path.p);
    const struct diff_copy copy = {.path = (const char *)x->path.p, .ts_ms = key.ts_ms};
    const struct diff_finding f = {.kind = DIFF_MISORDERED,
                                   .row = key.row,
                                   .family = key.family,
                                   .qualifier = key.qualifier,
                                   .ts_ms = key.ts_ms,
                                   .type = key.type,
                                   .a = x->side == DIFF_A ? &copy : NULL,
                                   .b = x->side == DIFF_B ? &copy : NULL,
                                   .behind = before.row};
    return diff_report(o, r, &f, err);
}

int disorder_list_report(struct disorder_list *l, const struct diff_opts *o, struct diff_result *r, struct err *err) {
    qsort(l->all, l->n, sizeof *l->all, by_place);
    for (size_t i = 0; i < l->n; i++)
        if (report_one(&l->all[i], o, r, err)) return -1;
    r->found[DIFF_MISORDERED] += l->found - l->n;
    return 0;
}
