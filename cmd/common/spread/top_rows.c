#include "cmd/common/spread/top_rows.h"

#include <stdlib.h>

static bool stands_before(const struct top_row *a, const struct top_row *b) {
    if (a->bytes != b->bytes) return a->bytes > b->bytes;
    int c = bytes_cmp(top_row_key(a), top_row_key(b));
    return c ? c < 0 : a->family < b->family;
}

static int put(struct top_rows *t, const struct top_row *r, struct err *err) {
    if (!t->rows && !(t->rows = calloc(t->most, sizeof *t->rows)))
        return err_nomem(err, t->most * sizeof *t->rows, "the heaviest rows");
    if (t->n == t->most && !stands_before(r, &t->rows[t->n - 1])) return 0;
    uint32_t i = t->n < t->most ? t->n++ : t->n - 1;
    for (; i && stands_before(r, &t->rows[i - 1]); i--) t->rows[i] = t->rows[i - 1];
    t->rows[i] = *r;
    return 0;
}

/* Rows too light to be kept are not worth their copy. */
static bool is_too_light(const struct top_rows *t, uint64_t bytes) {
    return !t->most || (t->n == t->most && bytes < t->rows[t->n - 1].bytes);
}

int top_rows_add(struct top_rows *t, const struct top_row *row, struct bytes key, struct err *err) {
    if (is_too_light(t, row->bytes)) return 0;
    struct top_row r = *row;
    r.row_bytes = (uint32_t)key.n;
    memcpy(r.row, key.p, top_row_key(&r).n);
    return put(t, &r, err);
}

int top_rows_merge(struct top_rows *to, const struct top_rows *from, struct err *err) {
    for (uint32_t i = 0; i < from->n; i++)
        if (!is_too_light(to, from->rows[i].bytes) && put(to, &from->rows[i], err)) return -1;
    return 0;
}

void top_rows_free(struct top_rows *t) {
    free(t->rows);
    *t = (struct top_rows){0};
}
