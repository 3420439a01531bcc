/* libFuzzer target: any bytes as an encoded block. The first byte chooses: bits 0-1 the encoding, 2 tags, 3 sequence ids,
 * 4 tags in a dictionary; bit 5: the rest is plain cells. What can be decoded, or is whole cells, must come through encoder
 * and decoder unchanged. */
#include "fuzz.h"

#include "cell/cell.h"
#include "hfile/encoding.h"
#include "tests/unit/all_codecs.h"

#include <stdlib.h>
#include <string.h>

enum { PLAIN_MAX_BYTES = 1 << 20, TAGS = 4, SEQS = 8, DICTIONARY = 16, IS_PLAIN = 32 };

/* Whole cells of one family with whole tags: what the writer gives to an encoder. */
static bool is_ours(struct bytes plain, const struct cell_layout *layout) {
    struct plain_cell c;
    struct bytes family = {0};
    while (plain.n) {
        if (!plain_cell_take(&plain, layout, &c) || !tags_valid(c.tags)) return false;
        struct bytes mine = bytes_of(c.key.p + c.family_at, c.qualifier_at - c.family_at);
        if (family.p && !bytes_eq(mine, family)) return false;
        family = mine;
    }
    return true;
}

static void both_ways(const struct encoding *e, struct bytes plain, const struct cell_layout *layout) {
    struct buf encoded = {0}, again = {0};
    struct err err = {0};
    bool ours = is_ours(plain, layout);
    int rc = e->encode(plain, layout, &encoded, &err);
    require(rc == 0 || (!ours && err.code == ERR_INTERNAL));
    if (plain.n && ours) {
        require(e->decode(buf_bytes(&encoded), layout, plain.n, &again, &err) == 0);
        require(bytes_eq(buf_bytes(&again), plain));
    }
    buf_free(&encoded);
    buf_free(&again);
}

static void decode(const struct encoding *e, struct bytes in, const struct cell_layout *layout) {
    struct buf plain = {0};
    struct err err = {0};
    if (e->decode(in, layout, PLAIN_MAX_BYTES, &plain, &err) == 0) {
        require(plain.n <= PLAIN_MAX_BYTES);
        both_ways(e, buf_bytes(&plain), layout);
    } else {
        require(err.code == ERR_INPUT || err.code == ERR_LIMIT);
    }
    require(plain.cap < 2 * PLAIN_MAX_BYTES);
    buf_free(&plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct encoding *const all[] = {&encoding_prefix, &encoding_diff, &encoding_fast_diff, &encoding_row_index};
    if (!size) return 0;
    struct cell_layout layout = {
        .tags = data[0] & TAGS, .mvcc = data[0] & SEQS, .tags_compressed = (data[0] & TAGS) && (data[0] & DICTIONARY)};
    const struct encoding *e = all[data[0] & 3];
    uint8_t *exact = malloc(size > 1 ? size - 1 : 1); /* so that a sanitizer sees a read past the end */
    if (!exact) return 0;
    memcpy(exact, data + 1, size - 1);
    if (data[0] & IS_PLAIN)
        both_ways(e, bytes_of(exact, size - 1), &layout);
    else
        decode(e, bytes_of(exact, size - 1), &layout);
    free(exact);
    return 0;
}
