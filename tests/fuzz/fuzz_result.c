/* libFuzzer target: any bytes as the value of an exported record. Nothing lies outside the value, and cells that are written as a
 * protobuf Result again are read back as they were. */
#include "formats/seqfile/hbase_result.h"
#include "fuzz.h"

#include "base/wire.h"

#include <stdlib.h>

static void inside(struct bytes value, struct bytes b) {
    require(!b.n || (b.p >= value.p && b.n <= value.n && b.p + b.n <= value.p + value.n));
}

static void write_cell(struct buf *out, const struct result_cell *c) {
    struct buf m = {0};
    struct err err = {0};
    require(!pbwire_put_bytes(&m, 1, c->row, &err) && !pbwire_put_bytes(&m, 2, c->family, &err));
    require(!pbwire_put_bytes(&m, 3, c->cell.qualifier, &err) && !pbwire_put_uint(&m, 4, (uint64_t)c->cell.ts_ms, &err));
    require(!pbwire_put_uint(&m, 5, c->cell.type, &err) && !pbwire_put_bytes(&m, 6, c->cell.value, &err));
    require(!pbwire_put_bytes(&m, 7, c->cell.tags, &err) && !pbwire_put_bytes(out, 1, buf_bytes(&m), &err));
    buf_free(&m);
}

/* Every cell, written again into *out. The result's return value. */
static int rewrite(struct bytes value, struct buf *out) {
    struct hbase_result r;
    struct result_cell c;
    struct err err = {0};
    int rc = hbase_result_open(&r, value, &err) ? -1 : 1;
    while (rc > 0 && (rc = hbase_result_next(&r, &c, &err)) > 0) {
        struct bytes all[] = {c.row, c.family, c.cell.qualifier, c.cell.value, c.cell.tags};
        for (size_t i = 0; i < countof(all); i++) inside(value, all[i]);
        write_cell(out, &c);
    }
    require((rc < 0) == (err.code == ERR_INPUT));
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct buf cells = {0}, value = {0}, again = {0};
    struct err err = {0};
    uint8_t *copy = malloc(size + !size); /* of exactly this size */
    require(copy != NULL);
    if (size) memcpy(copy, data, size);
    rewrite(bytes_of(copy, size), &cells);
    require(!pbwire_put_varint(&value, cells.n, &err) && !buf_put(&value, cells.p, cells.n, &err));
    require(rewrite(buf_bytes(&value), &again) == 0 && bytes_eq(buf_bytes(&cells), buf_bytes(&again)));
    buf_free(&cells);
    buf_free(&value);
    buf_free(&again);
    free(copy);
    return 0;
}
