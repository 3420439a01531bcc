/* Bloom filters: hash vectors taken from HBase's own classes, sizing, folding, membership. */
#include "base/bytes.h"
#include "hfile/bloom.h"
#include "hfile/bloom_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Key in hex; h1 = hash(key, 0), h2 = hash(key, h1) of JenkinsHash, MurmurHash, MurmurHash3 (printed as Java ints). */
static const struct {
    const char *key;
    int32_t h[3][2];
} vectors[] = {
    {"", {{-559038737, -1118077474}, {0, 0}, {0, 0}}},
    {"61", {{1490454280, 12273821}, {-1838653602, 1529584742}, {1009084850, -1992951912}}},
    {"616263", {{238646833, 299307193}, {324500635, -211163648}, {-1277324294, 514955923}}},
    {"726f772d30303031", {{1743648622, 194781601}, {1526543397, 636375450}, {800641604, 986390727}}},
    {"ff", {{742602283, 849107454}, {-1725167783, 548319267}, {-43192051, -430692165}}},
    {"6162636480", {{-1760118583, -2058676521}, {240359155, 1218476671}, {-1146364357, -20351917}}},
    {"808182", {{1175304167, -849551477}, {1866083328, 435858580}, {1963501909, -1874476344}}},
    {"61626364656667feff80", {{1953356651, 1789311346}, {-1022798780, -965433534}, {1566215614, -1740615496}}},
    {"0002723100717fffffffffffffffff", {{-1601042174, -460110350}, {798599000, 1884541242}, {-1239948992, -91168915}}},
};

static size_t unhex(const char *hex, uint8_t *out) {
    size_t n = strlen(hex) / 2;
    for (size_t i = 0; i < n; i++) {
        unsigned v = 0;
        sscanf(hex + 2 * i, "%2x", &v);
        out[i] = (uint8_t)v;
    }
    return n;
}

static void hash_vectors(void **state) {
    (void)state;
    for (size_t i = 0; i < countof(vectors); i++) {
        uint8_t raw[32];
        size_t n = unhex(vectors[i].key, raw);
        uint8_t *key = malloc(n + !n); /* exact, so that ASan sees a hash that reads too far */
        memcpy(key, raw, n);
        for (uint32_t type = 0; type < 3; type++) {
            struct bloom_hash_pair h = bloom_hash_key((enum bloom_hash_type)type, bytes_of(key, n));
            if ((int32_t)h.h1 != vectors[i].h[type][0] || (int32_t)h.h2 != vectors[i].h[type][1])
                fail_msg("hash %u of %s: %d,%d", type, vectors[i].key, (int32_t)h.h1, (int32_t)h.h2);
        }
        free(key);
    }
}

/* Java: Math.abs((h1 + i * h2) % bits), with wrapping ints and the sign of the dividend. */
static void bit_positions(void **state) {
    (void)state;
    static const uint32_t sizes[] = {8, 1024, 1048576, 2040, 819200};
    uint64_t seed = 5;
    for (int k = 0; k < 20000; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        struct bloom_hash_pair h = {(uint32_t)(seed >> 32), (uint32_t)(seed >> 11)};
        if (k == 0) h = (struct bloom_hash_pair){0x80000000, 0};
        for (uint32_t i = 0; i < 10; i++) {
            uint32_t bits = sizes[k % countof(sizes)];
            int64_t sum = (int32_t)(h.h1 + i * h.h2), rest = sum % (int64_t)bits;
            assert_int_equal(bloom_hash_bit(h, i, bits), rest < 0 ? -rest : rest);
        }
    }
}

/* HBase's defaults: hashes and keys a chunk takes. */
static void sizing(void **state) {
    (void)state;
    struct bloom_writer b;
    struct err err = {0};
    assert_int_equal(bloom_writer_init(&b, 131072, 0.01f, &err), 0);
    assert_int_equal(b.chunk_bytes, 131072);
    assert_int_equal(b.hash_count, 7);
    assert_int_equal(b.max_keys, 109306);
    bloom_writer_free(&b);
    assert_int_equal(bloom_writer_init(&b, 1000, 0.01f, &err), 0);
    assert_int_equal(b.chunk_bytes, 1024); /* so that it can be halved 7 times */
    bloom_writer_free(&b);
    assert_int_equal(bloom_writer_init(&b, 0, 0.01f, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    err.code = ERR_NONE;
    assert_int_equal(bloom_writer_init(&b, 1024, 1.0f, &err), -1);
}

static bool has(const struct buf *bits, struct bytes key, uint32_t hash_count) {
    struct bloom_hash_pair h = bloom_hash_key(BLOOM_HASH_MURMUR, key);
    for (uint32_t i = 0; i < hash_count; i++) {
        uint32_t bit = bloom_hash_bit(h, i, (uint32_t)bits->n * 8);
        if (!(bits->p[bit / 8] >> bit % 8 & 1)) return false;
    }
    return true;
}

/* A chunk with few keys shrinks, and still knows all of them. */
static void folding(void **state) {
    (void)state;
    static const uint32_t counts[] = {1, 3, 100, 5000, 54652, 54654, 109306};
    for (size_t c = 0; c < countof(counts); c++) {
        struct bloom_writer b;
        struct err err = {0};
        assert_int_equal(bloom_writer_init(&b, 131072, 0.01f, &err), 0);
        for (uint32_t i = 0; i < counts[c]; i++) {
            uint8_t key[8];
            put_be64(key, i);
            assert_int_equal(bloom_writer_add(&b, bytes_of(key, 8), &err), 0);
        }
        assert_int_equal(bloom_writer_cut(&b, true, &err), 0);
        assert_int_equal(b.n_ready, 1);
        size_t want = 131072;
        for (uint32_t max = b.max_keys; want % 2 == 0 && max > 2 * counts[c]; max /= 2) want /= 2;
        assert_int_equal(b.ready[0].bits.n, want);
        for (uint32_t i = 0; i < counts[c]; i++) {
            uint8_t key[8];
            put_be64(key, i);
            assert_true(has(&b.ready[0].bits, bytes_of(key, 8), b.hash_count));
        }
        bloom_writer_free(&b);
    }
}

/* The chunk is cut before the key that would be one too many. */
static void full_chunks(void **state) {
    (void)state;
    struct bloom_writer b;
    struct err err = {0};
    assert_int_equal(bloom_writer_init(&b, 128, 0.01f, &err), 0);
    uint32_t n = 3 * b.max_keys + 1;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t key[8];
        put_be64(key, i);
        assert_int_equal(bloom_writer_add(&b, bytes_of(key, 8), &err), 0);
    }
    assert_int_equal(b.n_ready, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(b.ready[i].bits.n, 128);
        assert_int_equal(be64(b.ready[i].first_key.p), i * b.max_keys);
    }
    assert_int_equal(b.keys, 1);
    assert_int_equal(b.total_keys, n);
    bloom_writer_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hash_vectors), cmocka_unit_test(bit_positions), cmocka_unit_test(sizing),
                                       cmocka_unit_test(folding), cmocka_unit_test(full_chunks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
