/* Order-free digests of sets of cells. The digest of a cell is XXH3-128 (seed 0) over its KeyValue bytes
 *   keyLen, valueLen, key, value and, only if it has tags, tagsLen and tags; without sequence id.
 * Digests add modulo 2^128, so that parts, files and threads add up in any order. Printed as 32 hex digits,
 * high half first. Worked examples: docs/design.md. */
#ifndef CELL_DIGEST_H
#define CELL_DIGEST_H

#include "cell/cell.h"

struct digest {
    uint64_t lo, hi;
};

/* A count of cells with their digest: what a ledger line holds. */
struct tally {
    uint64_t cells;
    struct digest digest;
};

enum { DIGEST_HEX = 33 };

static inline void digest_add(struct digest *a, struct digest b) {
    a->lo += b.lo;
    a->hi += b.hi + (a->lo < b.lo);
}
static inline void digest_sub(struct digest *a, struct digest b) {
    uint64_t lo = a->lo;
    a->lo -= b.lo;
    a->hi -= b.hi + (lo < b.lo);
}
static inline bool digest_eq(struct digest a, struct digest b) {
    return a.lo == b.lo && a.hi == b.hi;
}
static inline void tally_add(struct tally *a, struct tally b) {
    a->cells += b.cells;
    digest_add(&a->digest, b.digest);
}
static inline void tally_one(struct tally *a, struct digest d) {
    a->cells++;
    digest_add(&a->digest, d);
}

/* Hash of KeyValue bytes that lie contiguous already (see above for which). */
struct digest digest_kv(const void *p, size_t n);
/* Serialises into scratch (grown as needed) and hashes; for cells that are not in a block. */
struct buf;
struct err;
int digest_cell(struct buf *scratch, const struct row_part *part, const struct cell *c, struct digest *out, struct err *err);
/* Adds all cells of a part to *t. */
int digest_part(struct buf *scratch, const struct row_part *part, struct tally *t, struct err *err);

void digest_print(struct digest d, char out[DIGEST_HEX]);
bool digest_parse(const char *hex, struct digest *out);

#endif
