/* Below which row an HFile has nothing more, while its blocks are handed out one after the other: its index tells. */
#ifndef FORMATS_HFILE_HFILE_FLOOR_H
#define FORMATS_HFILE_HFILE_FLOOR_H

#include "base/buf.h"
#include "hfile/hfile_reader.h"

struct index_cursor;

struct hfile_floor { /* zero-initialise */
    struct index_cursor *cursor;
    uint64_t offset; /* of the data block that begins with row, or behind it */
    struct buf row;
    bool begun, ended;
};

/* Blocks at or behind offset hold no row before *row (valid until the next call; empty where the index cannot be read). Offsets
 * must not fall. */
int hfile_floor_at(struct hfile_floor *f, const struct hfile *h, uint64_t offset, struct bytes *row, struct err *err);
void hfile_floor_close(struct hfile_floor *f);

#endif
