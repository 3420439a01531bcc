/* Cells as bytes, and the digest of those bytes. KeyValue serialisation as in an unencoded HFile block:
 *   i32 keyLen | i32 valueLen | key | value | [i16 tagsLen | tags] | [vlong mvcc]
 *   key = i16 rowLen | row | i8 familyLen | family | qualifier | i64 timestamp | u8 type */
#ifndef CELL_KEYVALUE_H
#define CELL_KEYVALUE_H

#include "base/buf.h"
#include "cell/cell.h"

enum { KV_KEY_FIXED_BYTES = 2 + 1 + 8 + 1 };

static inline size_t kv_key_size(size_t row_n, size_t family_n, size_t qualifier_n) {
    return KV_KEY_FIXED_BYTES + row_n + family_n + qualifier_n;
}
/* Returns the bytes of a KeyValue, without mvcc; tagsLen only when with_tags. */
static inline size_t kv_size(const struct row_part *part, const struct cell *c, bool with_tags) {
    return 8 + kv_key_size(part->row.n, part->family.n, c->qualifier.n) + c->value.n + (with_tags ? 2 + c->tags.n : 0);
}
/* Returns the KeyValue bytes of all cells of the part, with the tags of those that have some. */
static inline uint64_t kv_part_size(const struct row_part *part) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < part->n_cells; i++) bytes += kv_size(part, &part->cells[i], part->cells[i].tags.n > 0);
    return bytes;
}

/* Writes the key (kv_key_size bytes) and returns the end. */
uint8_t *kv_put_key(uint8_t *p, struct bytes row, struct bytes family, struct bytes qualifier, int64_t ts_ms, uint8_t type);
/* Writes keyLen … value [tagsLen tags], kv_size bytes, and returns the end. */
uint8_t *kv_put(uint8_t *p, const struct row_part *part, const struct cell *c, bool with_tags);

/* The parts of a serialised key. */
struct kv_key {
    struct bytes row, family, qualifier;
    int64_t ts_ms;
    uint8_t type;
};
/* Parses a serialised key; false: its lengths do not fit. */
bool kv_key_parse(struct bytes key, struct kv_key *out);
/* CellComparator order of keys: row, family, qualifier, ts desc, type desc. */
int kv_key_cmp(const struct kv_key *a, const struct kv_key *b);

/* ---- digests ----
 *
 * Order-free digests of sets of cells. The digest of a cell is XXH3-128 (seed 0) over its KeyValue bytes
 *   keyLen, valueLen, key, value and, only if it has tags, tagsLen and tags; without sequence id.
 * Digests add modulo 2^128, so that parts, files and threads add up in any order. Printed as 32 hex digits, high half first.
 * Worked examples: docs/design.md. */

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

/* Returns the hash of KeyValue bytes that are contiguous already. */
struct digest digest_kv(const void *p, size_t n);
/* Serialises into scratch (grown as needed) and hashes; for cells that are not in a block. */
int digest_cell(struct buf *scratch, const struct row_part *part, const struct cell *c, struct digest *out, struct err *err);
/* Adds all cells of a part to *t. */
int digest_part(struct buf *scratch, const struct row_part *part, struct tally *t, struct err *err);

void digest_print(struct digest d, char out[DIGEST_HEX]);
bool digest_parse(const char *hex, struct digest *out);

#endif
