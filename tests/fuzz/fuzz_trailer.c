/* Trailer, file info, index in root format and block header, each fed with bytes of its own. First byte: which of them. */
#include "hfile/block.h"
#include "hfile/file_info.h"
#include "hfile/index_reader.h"
#include "hfile/trailer.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

static void fuzz_trailer(struct bytes in) {
    struct err err = {0};
    struct trailer t, again;
    struct buf out = {0};
    bool looks = trailer_looks_like(in);
    if (trailer_parse(in, &t, &err)) {
        if (err.code != ERR_INPUT && err.code != ERR_UNSUPPORTED) __builtin_trap();
        return;
    }
    if (!looks || t.bytes > in.n) __builtin_trap();
    /* Values of the trailer go through the writer unchanged. */
    if (trailer_put(&t, &out, &err) || trailer_parse(buf_bytes(&out), &again, &err)) __builtin_trap();
    if (again.entry_count != t.entry_count || again.codec != t.codec || again.last_data_offset != t.last_data_offset ||
        again.data_index_count != t.data_index_count)
        __builtin_trap();
    buf_free(&out);
}

static void fuzz_file_info(struct bytes in) {
    struct err err = {0};
    struct hfile_pair *pairs = NULL;
    size_t n = 0;
    if (file_info_parse(in, &pairs, &n, &err)) {
        if (pairs || (err.code != ERR_INPUT && err.code != ERR_LIMIT)) __builtin_trap();
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (pairs[i].key.p < in.p || pairs[i].value.p + pairs[i].value.n > in.p + in.n) __builtin_trap();
        if (i && bytes_cmp(pairs[i - 1].key, pairs[i].key) >= 0) __builtin_trap();
    }
    free(pairs);
}

static void fuzz_root_index(struct bytes in) {
    struct hfile_index_entry e;
    const uint8_t *end = in.p + in.n;
    while (index_take_root_entry(&in, &e))
        if (e.key.p + e.key.n != in.p || in.p + in.n != end) __builtin_trap();
}

static void fuzz_block_header(struct bytes in, uint32_t header_bytes) {
    struct block_header h;
    uint32_t stored, computed;
    uint8_t again[BLOCK_HEADER_BYTES];
    if (in.n < header_bytes || block_header_parse(in.p, header_bytes, &h)) return;
    uint64_t all = (uint64_t)header_bytes + h.disk_bytes;
    if (h.summed_bytes > all) __builtin_trap();
    if (header_bytes == BLOCK_HEADER_BYTES) {
        block_header_put(again, &h);
        if (memcmp(again, in.p, sizeof again)) __builtin_trap();
    }
    if (in.n >= all) block_sums_check(&h, in.p, &stored, &computed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    struct bytes in = bytes_of(data + 1, size - 1);
    switch (data[0]) {
    case 't': fuzz_trailer(in); break;
    case 'i': fuzz_file_info(in); break;
    case 'r': fuzz_root_index(in); break;
    case 'b': fuzz_block_header(in, BLOCK_HEADER_BYTES); break;
    case 'o': fuzz_block_header(in, BLOCK_HEADER_V20_BYTES); break;
    default: break;
    }
    return 0;
}
