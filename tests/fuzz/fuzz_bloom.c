/* libFuzzer target: any bytes as a bloom filter. The first byte chooses: 0 to 127, a meta block (u16 length, payload), a
 * chunk's bits and keys to look up; from 128 on, keys (length byte, bytes) for a filter that must know them all. */
#include "fuzz.h"

#include "hfile/bloom.h"
#include "hfile/bloom_writer.h"

#include <stdlib.h>

enum { HEAP_MAX_BYTES = 1 << 20 };

static struct bytes take(struct bytes *in, size_t n) {
    if (n > in->n) n = in->n;
    struct bytes out = bytes_of(in->p, n);
    *in = bytes_of(in->p + n, in->n - n);
    return out;
}

/* ---- a filter that was read ---- */

/* The search against a walk. */
static void look_up(const struct bloom_meta *m, struct bytes bits, struct bytes key) {
    uint32_t walked = m->n;
    for (uint32_t i = 0; i < m->n && bloom_meta_cmp(m, m->chunks[i].key, key) <= 0; i++) walked = i;
    require(bloom_meta_chunk_of(m, key) == walked);
    if (bits.n) bloom_meta_may_have(m, bits, key);
}

static void ask(const struct bloom_meta *m, struct bytes rest) {
    struct err err = {0};
    struct buf column = {0};
    struct bytes bits = take(&rest, rest.n / 2), row = take(&rest, rest.n / 2);
    require(bloom_kind_begin_column(&column, row, &err) == 0 && bloom_kind_end_column(&column, rest, &err) == 0);
    /* Cell keys have an order only among themselves; the reader asks with keys it made. */
    look_up(m, bits, buf_bytes(&column));
    if (!m->of_cells) look_up(m, bits, row);
    for (uint32_t i = 0; i < m->n; i++) require(bloom_meta_chunk_of(m, m->chunks[i].key) == i);
    buf_free(&column);
}

static void read_filter(struct bytes in) {
    struct bytes length = take(&in, 2);
    if (length.n < 2) return;
    struct bytes meta = take(&in, (size_t)length.p[0] << 8 | length.p[1]);
    uint8_t *exact = malloc(meta.n + !meta.n); /* so that a sanitizer sees a read past the end */
    struct bloom_meta m;
    struct err err = {0};
    if (!exact) return;
    if (meta.n) memcpy(exact, meta.p, meta.n);
    if (bloom_meta_parse(bytes_of(exact, meta.n), HEAP_MAX_BYTES, &m, &err) == 0) {
        require(m.n >= 1 && m.hash_count >= 1);
        ask(&m, in);
        bloom_meta_free(&m);
    } else {
        require(err.code != ERR_NONE && !m.chunks);
    }
    free(exact);
}

/* ---- a filter that is written ---- */

static void write_filter(struct bytes in, uint32_t chunk_bytes) {
    struct bloom_writer w;
    struct err err = {0};
    require(bloom_writer_init(&w, chunk_bytes, 0.01f, &err) == 0);
    struct bytes keys = in;
    while (in.n) require(bloom_writer_add(&w, take(&in, 1 + in.p[0]), &err) == 0);
    require(bloom_writer_cut(&w, true, &err) == 0);
    struct bloom_meta m = {.hash = BLOOM_HASH_MURMUR, .hash_count = w.hash_count};
    uint64_t n = 0, bytes = 0;
    for (size_t i = 0; i < w.n_ready; i++) {
        struct bytes bits = buf_bytes(&w.ready[i].bits);
        bytes += bits.n;
        for (uint32_t k = 0; keys.n && k < w.max_keys; k++, n++)
            require(bloom_meta_may_have(&m, bits, take(&keys, 1 + keys.p[0])));
    }
    require(!keys.n && n == w.total_keys && bytes == w.total_bytes && w.total_max_keys >= n);
    bloom_writer_free(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    struct bytes rest = bytes_of(data + 1, size - 1);
    if (data[0] < 128)
        read_filter(rest);
    else
        write_filter(rest, 1 + (data[0] & 127u) * 3);
    return 0;
}
