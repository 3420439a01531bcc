/* Samples of packing: of which codecs they are taken, when a chunk is one, and that families beyond the eighth share places. */
#include "engine/packing_sample.h"
#include "hfile/hfile_writer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

enum { MEMORY = 1 << 30 };

static struct output_opts output(enum hfile_codec codec) {
    struct output_opts o = {.hfile = hfile_write_defaults()};
    o.hfile.codec = codec;
    o.hfile.encoding = HFILE_ENC_FAST_DIFF;
    return o;
}

static bool samples(const struct output_opts *o, size_t memory) {
    struct packing_sample *s = packing_sample_new(o, memory);
    packing_sample_free(s);
    return s != NULL;
}

static void which(void **state) {
    struct output_opts o = output(HFILE_GZ);
    struct output_family other = {"f", output(HFILE_ZSTD).hfile}, same = {"f", o.hfile};
    (void)state;
    assert_true(samples(&o, MEMORY));
    assert_false(samples(&o, 1 << 20));
    o.by_family = &same;
    o.n_by_family = 1;
    assert_true(samples(&o, MEMORY));
    o.by_family = &other;
    assert_false(samples(&o, MEMORY));
    for (int codec = HFILE_LZO; codec <= HFILE_BROTLI; codec++) {
        struct output_opts one = output((enum hfile_codec)codec);
        assert_int_equal(samples(&one, MEMORY), codec == HFILE_GZ || codec == HFILE_ZSTD);
    }
    o = output(HFILE_ZSTD);
    o.as_runs = true;
    assert_false(samples(&o, MEMORY));
}

/* More than a block has room for. */
static void put_chunk(struct packing_sample *s) {
    for (unsigned i = 0; i < 5000; i++) {
        char row[16], value[32];
        snprintf(row, sizeof row, "%08u", i * 7919);
        snprintf(value, sizeof value, "%u", i * 2654435761u);
        const struct cell c = {.qualifier = bytes_str("q"), .value = bytes_str(value), .ts_ms = 7, .type = CELL_PUT};
        packing_sample_put(s, i % 11, &(struct row_part){bytes_str(row), bytes_str("f"), &c, .n_cells = 1, .first = true});
    }
}

/* Chunks 2, 4, 8 and 16 are samples, and known when the next one begins; not the eighth, during which something else happened. */
static void chunks(void **state) {
    static const enum hfile_codec codecs[] = {HFILE_GZ, HFILE_ZSTD};
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        struct output_opts o = output(codecs[k]);
        struct packing_sample *s = packing_sample_new(&o, MEMORY);
        double packing = 0;
        unsigned seen = 0;
        for (unsigned chunk = 1; chunk <= 20; chunk++) {
            if (packing_sample_chunk(s, &packing)) seen |= 1u << (chunk - 1);
            put_chunk(s);
            if (chunk == 8) packing_sample_drop(s);
        }
        assert_int_equal(seen, 1u << 2 | 1u << 4 | 1u << 16);
        assert_true(packing > 0 && isfinite(packing));
        packing_sample_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(which), cmocka_unit_test(chunks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
