/* Any bytes as tags and value of a cell that may be a mob reference: the first byte says how many are tags. */
#include "fuzz.h"

#include "formats/hbase/mob.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct mob_reference r;
    struct buf tags = {0};
    struct err err = {0};
    if (size < 1) return 0;
    size_t n = data[0] < size - 1 ? data[0] : size - 1;
    struct cell c = {.tags = bytes_of(data + 1, n), .value = bytes_of(data + 1 + n, size - 1 - n)};
    require(mob_cell_put_tags(&c, &tags, &err) == 0 && tags.n <= n);
    struct cell stripped = {.tags = buf_bytes(&tags)};
    require(!mob_cell_is_reference(&stripped));
    if (mob_cell_parse(&c, &r, &err)) {
        require(err.code == ERR_INPUT && err.text[0]);
    } else {
        require(r.file.n > 0 && r.file.n <= 255 && !memchr(r.file.p, '/', r.file.n) && !memchr(r.file.p, 0, r.file.n));
        require(!r.table.p || (r.table.p > data && r.table.p + r.table.n <= data + 1 + n));
    }
    buf_free(&tags);
    return 0;
}
