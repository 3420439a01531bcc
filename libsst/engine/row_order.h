/* Files whose rows ascend, by the least row that each may still hold: which is to be read from next, and below which row
 * everything has been read. Equal rows in the order of the files. */
#ifndef ENGINE_ROW_ORDER_H
#define ENGINE_ROW_ORDER_H

#include "base/buf.h"

struct row_order_file {
    struct bytes floor; /* what comes from it is not before */
    struct buf risen;   /* floor, once it has been raised */
    size_t file;        /* of its input */
    uint32_t input;
    void *open; /* the caller's */
};

struct row_order {
    struct row_order_file **files; /* a heap */
    size_t n;
};

/* Adds a file; floor is borrowed. */
int row_order_add(struct row_order *o, uint32_t input, size_t file, struct bytes floor, struct err *err);
/* NULL: all files are done. Valid until it is dropped. */
struct row_order_file *row_order_least(const struct row_order *o);
/* The least one goes on at row, which is copied: to where that belongs. */
int row_order_raise(struct row_order *o, struct bytes row, struct err *err);
/* The least one is done. */
void row_order_drop(struct row_order *o);
void row_order_free(struct row_order *o);

#endif
