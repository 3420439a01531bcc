#include "engine/row_order.h"

#include "base/buf.h"
#include "base/heap.h"

#include <stdlib.h>

static bool before(const void *pa, const void *pb, const void *arg) {
    const struct row_order_file *a = *(struct row_order_file *const *)pa, *b = *(struct row_order_file *const *)pb;
    int c = bytes_cmp(a->floor, b->floor);
    (void)arg;
    if (c) return c < 0;
    return a->input != b->input ? a->input < b->input : a->file < b->file;
}

int row_order_add(struct row_order *o, uint32_t input, size_t file, struct bytes floor, struct err *err) {
    if (grow_array(&o->files, o->n, sizeof(struct row_order_file *), "the order of files", err)) return -1;
    struct row_order_file *f = calloc(1, sizeof *f);
    if (!f) return err_nomem(err, sizeof *f, "the order of files");
    *f = (struct row_order_file){.floor = floor, .file = file, .input = input};
    heap_push(o->files, o->n++, sizeof f, &f, before, NULL);
    return 0;
}

struct row_order_file *row_order_least(const struct row_order *o) {
    return o->n ? o->files[0] : NULL;
}

int row_order_raise(struct row_order *o, struct bytes row, struct err *err) {
    struct row_order_file *f = o->files[0];
    if (buf_copy(&f->risen, row, err)) return -1;
    f->floor = buf_bytes(&f->risen);
    heap_sink(o->files, o->n, sizeof f, 0, before, NULL);
    return 0;
}

static void file_free(struct row_order_file *f) {
    buf_free(&f->risen);
    free(f);
}

void row_order_drop(struct row_order *o) {
    struct row_order_file *f;
    heap_pop(o->files, o->n--, sizeof f, &f, before, NULL);
    file_free(f);
}

void row_order_free(struct row_order *o) {
    for (size_t i = 0; i < o->n; i++) file_free(o->files[i]);
    free(o->files);
    *o = (struct row_order){0};
}
