/* What the blocks of HFiles take, by type, and with which codec and encodings they were found. */
#ifndef CHECK_BLOCK_SUMS_H
#define CHECK_BLOCK_SUMS_H

#include "hfile/hfile_layout.h"

enum { BLOCK_SUMS_ENCODINGS = 8, BLOCK_SUMS_CODECS = HFILE_BROTLI + 1 };

struct block_sum {
    uint64_t blocks, disk_bytes, plain_bytes; /* disk: with headers and checksums; plain: payloads, decompressed */
};

struct block_sums { /* zero-initialise */
    struct block_sum types[BLOCK_TYPES];
    uint64_t trailer_bytes, file_bytes;
    uint64_t encodings[BLOCK_SUMS_ENCODINGS + 1]; /* data blocks by the id in them; 0 = without, the last = unknown ids */
    uint64_t codecs[BLOCK_SUMS_CODECS];           /* files */
};

int block_sums_add(struct block_sums *s, const struct hfile *h, struct err *err);
void block_sums_merge(struct block_sums *to, const struct block_sums *from);
/* Data blocks, encoded or not. */
struct block_sum block_sums_data(const struct block_sums *s);

#endif
