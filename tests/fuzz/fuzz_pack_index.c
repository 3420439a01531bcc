/* libFuzzer target: any bytes as the index of a pack, once as they are and once with the right checksums. What is read stays
 * within the index; what an entry says lies before it. */
#include "fuzz.h"

#include "base/hash.h"
#include "hfile/pack_index.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { ENTRY_BYTES = 104, FOOTER_BYTES = 32, INDEX_AT = 1 << 20 };

static void look_at(struct bytes text) {
    struct err err = {0};
    struct pack_index x;
    struct pack_entry e;
    uint64_t at = 0;
    unsigned sum = 0;
    if (pack_index_of_text(&x, "fuzz", text, INDEX_AT, &err) == 0) {
        for (uint64_t i = 0; i < x.files; i++) {
            struct err why = {0};
            if (pack_index_get(&x, i, &e, &why)) {
                require(why.code == ERR_INPUT);
                continue;
            }
            require(e.offset <= INDEX_AT && e.bytes <= INDEX_AT - e.offset);
            for (size_t k = 0; k < e.first_row.n; k++) sum += e.first_row.p[k];
            for (size_t k = 0; k < e.last_row.n; k++) sum += e.last_row.p[k];
        }
        require(sum != 1u << 31); /* all bytes have been read */
        if (pack_index_find(&x, 3, &at, &err) == 0) require(at <= x.files);
    }
    require(!err.code || err.code == ERR_INPUT);
    pack_index_close(&x);
}

/* Makes the checksums right: of entries as many as the footer then says, of their rows where these are in the text. */
static void mend(uint8_t *p, size_t n) {
    const size_t room = n - FOOTER_BYTES, entries = room / ENTRY_BYTES, rows = room - entries * ENTRY_BYTES;
    uint8_t *footer = p + room;
    memcpy(footer, "OBKVPAK1", 8);
    put_be64(put_be64(footer + 8, entries), rows);
    for (size_t i = 0; i < entries; i++) {
        uint8_t *e = p + i * ENTRY_BYTES;
        const uint64_t at = be64(e + 80), all = (uint64_t)be32(e + 88) + be32(e + 92);
        if (at <= rows && all <= rows - at) put_be32(e + 96, crc32c(0, p + entries * ENTRY_BYTES + at, all));
        put_be32(e + 100, crc32c(0, e, 100));
    }
    put_be64(footer + 24, XXH3_64bits(p, n - 8));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size + 1);
    require(copy != NULL);
    if (size) memcpy(copy, data, size);
    look_at(bytes_of(copy, size));
    if (size >= FOOTER_BYTES) mend(copy, size);
    look_at(bytes_of(copy, size));
    free(copy);
    return 0;
}
