/* KeyValue serialisation as it stands in an unencoded HFile block:
 *   i32 keyLen | i32 valueLen | key | value | [i16 tagsLen | tags] | [vlong mvcc]
 *   key = i16 rowLen | row | i8 familyLen | family | qualifier | i64 timestamp | u8 type */
#ifndef CELL_KEYVALUE_H
#define CELL_KEYVALUE_H

#include "cell/cell.h"

enum { KV_KEY_FIXED_BYTES = 2 + 1 + 8 + 1 };

static inline size_t kv_key_size(size_t row_n, size_t family_n, size_t qualifier_n) {
    return KV_KEY_FIXED_BYTES + row_n + family_n + qualifier_n;
}
/* Without mvcc; tagsLen only when with_tags. */
static inline size_t kv_size(const struct row_part *part, const struct cell *c, bool with_tags) {
    return 8 + kv_key_size(part->row.n, part->family.n, c->qualifier.n) + c->value.n + (with_tags ? 2 + c->tags.n : 0);
}

/* Writes the key (kv_key_size bytes) and returns the end. */
uint8_t *kv_put_key(uint8_t *p, struct bytes row, struct bytes family, struct bytes qualifier, int64_t ts_ms, uint8_t type);
/* Writes keyLen … value [tagsLen tags], kv_size bytes, and returns the end. */
uint8_t *kv_put(uint8_t *p, const struct row_part *part, const struct cell *c, bool with_tags);

/* What stands inside a serialised key. */
struct kv_key {
    struct bytes row, family, qualifier;
    int64_t ts_ms;
    uint8_t type;
};
/* false: lengths that do not fit. */
bool kv_key_parse(struct bytes key, struct kv_key *out);
/* CellComparator order of keys: row, family, qualifier, ts desc, type desc. */
int kv_key_cmp(const struct kv_key *a, const struct kv_key *b);

#endif
