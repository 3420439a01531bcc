/* `narrow FILE CELLS`: writes CELLS cells without values into one file, and prints their number, the bytes of their KeyValues and
 * their digest as docs/formats/manifest.md defines it, which is computed here. With 2^31 cells and more they take a few gigabytes
 * as KeyValues and little on disk: whatever counts cells or bytes must not do so in 32 bits. */
#include <sst/writer.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { ROW = 4, QUALIFIER = 2, KEYVALUE = 8 + 2 + ROW + 1 + 1 + QUALIFIER + 8 + 1, AT_ROW = 10, AT_QUALIFIER = AT_ROW + ROW + 2 };

static void put_number(uint8_t *p, size_t n, uint64_t v) {
    for (; n; v >>= 8) p[--n] = (uint8_t)v;
}

int main(int argc, char **argv) {
    /* i32 length of the key, i32 length of the value; u16 length of the row, row, u8 length of the family, family, qualifier,
     * i64 timestamp, u8 type Put */
    uint8_t kv[KEYVALUE] = {0, 0, 0, KEYVALUE - 8, 0, 0, 0, 0, 0, ROW};
    memcpy(kv + AT_ROW + ROW, "\1f", 2);
    memcpy(kv + AT_QUALIFIER + QUALIFIER, "\0\0\0\0\0\0\0\1\4", 9);
    if (argc != 3) return 2;
    uint64_t cells = strtoull(argv[2], NULL, 10), high = 0, low = 0;
    sst_error error;
    sst_writer_options o = {0};
    o.size = sizeof o;
    o.encoding = "FAST_DIFF";
    sst_writer *w = sst_writer_open(argv[1], &o, &error);
    sst_cell c = {0};
    c.size = sizeof c;
    c.row = (sst_bytes){kv + AT_ROW, ROW};
    c.family = (sst_bytes){(const uint8_t *)"f", 1};
    c.qualifier = (sst_bytes){kv + AT_QUALIFIER, QUALIFIER};
    c.timestamp = 1;
    c.type = SST_PUT;
    for (uint64_t i = 0; w && i < cells; i++) {
        put_number(kv + AT_ROW, ROW, i >> 16);
        put_number(kv + AT_QUALIFIER, QUALIFIER, i & 0xffff);
        XXH128_hash_t h = XXH3_128bits(kv, sizeof kv);
        low += h.low64;
        high += h.high64 + (low < h.low64);
        if (!sst_writer_put(w, &c, &error)) continue;
        sst_writer_close(w);
        w = NULL;
    }
    if (!w || sst_writer_finish(w, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const sst_written *made = sst_writer_get_written(w);
    if (made->cells != cells || made->puts != cells || made->key_value_bytes != cells * KEYVALUE || made->digest.low != low ||
        made->digest.high != high) {
        fprintf(stderr, "the writer says %" PRIu64 " cells, %" PRIu64 " bytes\n", made->cells, made->key_value_bytes);
        return 1;
    }
    printf("%" PRIu64 " %" PRIu64 " %016" PRIx64 "%016" PRIx64 "\n", cells, cells * KEYVALUE, high, low);
    sst_writer_close(w);
    return 0;
}
