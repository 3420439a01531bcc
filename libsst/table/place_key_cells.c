/* KEY(K, Q) and KEY(K, Q, T), the latter also as KEY(): the hash of each column is the seed of the next; T as stored, 8 bytes
 * little-endian. */
#include "base/hash.h"
#include "table/place_ops.h"

static enum place_result of_cell(const struct placement *p, struct bytes row, const struct cell *c, uint32_t *index) {
    uint64_t h = murmur64a(row.p, row.n, 0);
    h = murmur64a(c->qualifier.p, c->qualifier.n, h);
    if (p->spec->by == BY_CELL) {
        int64_t t = (int64_t) - (uint64_t)c->ts_ms;
        h = murmur64a((const uint8_t *)&t, sizeof t, h);
    }
    return place_hash(h, p->spec->count, index);
}

static int prepare(struct placement *p, struct err *err) {
    if (!p->spec->k_pad) return 0;
    return err_set(err, ERR_USAGE, "KEY over several columns with K binary(%u) is not supported: make it varbinary",
                   (unsigned)p->spec->k_pad);
}

const struct place_ops place_key_cells = {.kind = PARTITION_KEY, .by_cell = true, .prepare = prepare, .of_cell = of_cell};
