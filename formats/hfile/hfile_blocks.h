/* The chosen ones of the data blocks of an HFile, found through its index. */
#ifndef FORMATS_HFILE_HFILE_BLOCKS_H
#define FORMATS_HFILE_HFILE_BLOCKS_H

#include "engine/block_choice.h"
#include "hfile/hfile_reader.h"

struct index_cursor;

struct hfile_blocks {            /* zero-initialise */
    struct block_choice choice;  /* first filled in by the caller */
    struct hfile_range span;     /* only blocks that begin in here */
    struct index_cursor *cursor; /* NULL: there are no cells */
    uint64_t number;             /* of the next block */
};

int hfile_blocks_open(struct hfile_blocks *b, const struct hfile *h, const struct hfile_range *span, struct err *err);
/* 1 = *out is one data block; 0 = end, -1. */
int hfile_blocks_next(struct hfile_blocks *b, struct hfile_range *out, struct err *err);
void hfile_blocks_close(struct hfile_blocks *b);

#endif
