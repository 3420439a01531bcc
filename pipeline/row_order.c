#include "pipeline/row_order.h"

#include <stdlib.h>

static bool before(const struct row_order_file *a, const struct row_order_file *b) {
    int c = bytes_cmp(a->floor, b->floor);
    if (c) return c < 0;
    return a->input != b->input ? a->input < b->input : a->file < b->file;
}

static void swap(struct row_order_file *a, struct row_order_file *b) {
    struct row_order_file t = *a;
    *a = *b;
    *b = t;
}

static void sink(struct row_order *o) {
    for (size_t i = 0, kid; (kid = 2 * i + 1) < o->n; i = kid) {
        if (kid + 1 < o->n && before(&o->files[kid + 1], &o->files[kid])) kid++;
        if (!before(&o->files[kid], &o->files[i])) return;
        swap(&o->files[i], &o->files[kid]);
    }
}

int row_order_add(struct row_order *o, uint32_t input, size_t file, struct bytes floor, struct err *err) {
    if (o->n == o->cap) {
        size_t cap = o->cap ? o->cap * 2 : 16;
        struct row_order_file *p = reallocarray(o->files, cap, sizeof *p);
        if (!p) return err_nomem(err, cap * sizeof *p, "the order of files");
        o->files = p;
        o->cap = cap;
    }
    o->files[o->n] = (struct row_order_file){.floor = floor, .file = file, .input = input};
    for (size_t i = o->n++; i && before(&o->files[i], &o->files[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&o->files[i], &o->files[(i - 1) / 2]);
    return 0;
}

struct row_order_file *row_order_least(const struct row_order *o) {
    return o->n ? o->files : NULL;
}

int row_order_raise(struct row_order *o, struct bytes row, struct err *err) {
    struct row_order_file *f = &o->files[0];
    if (buf_copy(&f->risen, row, err)) return -1;
    f->floor = buf_bytes(&f->risen);
    sink(o);
    return 0;
}

void row_order_drop(struct row_order *o) {
    buf_free(&o->files[0].risen);
    o->files[0] = o->files[--o->n];
    sink(o);
}

void row_order_free(struct row_order *o) {
    for (size_t i = 0; i < o->n; i++) buf_free(&o->files[i].risen);
    free(o->files);
    *o = (struct row_order){0};
}
