#include "hfile/bloom_kind.h"

#include "base/bytes.h"

static const char *const names[] = {[HFILE_BLOOM_NONE] = "NONE",
                                    [HFILE_BLOOM_ROW] = "ROW",
                                    [HFILE_BLOOM_ROWCOL] = "ROWCOL",
                                    [HFILE_BLOOM_PREFIX] = "ROWPREFIX_FIXED_LENGTH"};

const char *bloom_kind_name(enum hfile_bloom kind) {
    return kind < countof(names) ? names[kind] : "unknown";
}

bool bloom_kind_by_name(struct bytes name, enum hfile_bloom *kind) {
    for (unsigned i = 0; i < countof(names); i++) {
        if (!bytes_eq(bytes_str(names[i]), name)) continue;
        *kind = (enum hfile_bloom)i;
        return true;
    }
    return false;
}

int bloom_kind_begin_column(struct buf *key, struct bytes row, struct err *err) {
    uint8_t length[2];
    put_be16(length, (uint16_t)row.n);
    buf_clear(key);
    if (buf_put(key, length, sizeof length, err) || buf_put(key, row.p, row.n, err)) return -1;
    return buf_put_byte(key, 0, err); /* length of the family */
}

int bloom_kind_end_column(struct buf *key, struct bytes qualifier, struct err *err) {
    if (buf_reserve(key, qualifier.n + BLOOM_COLUMN_TAIL_BYTES, err) || buf_put(key, qualifier.p, qualifier.n, err)) return -1;
    *put_be64(key->p + key->n, INT64_MAX) = CELL_MAXIMUM;
    key->n += BLOOM_COLUMN_TAIL_BYTES;
    return 0;
}
