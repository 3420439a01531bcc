/* libFuzzer target: any bytes as a mapping file, behind a NUL as the CSV it is about. Chunks of any size must lead to the same
 * records. The CSV is also a table for lookup: every key leads to its own record. */
#include "formats/mapping/mapping_parse.h"
#include "fuzz.h"

#include "formats/mapping/mapping.h"
#include "text_emit.h"

static void check_table(struct bytes content) {
    struct lookup_table t = {0};
    struct err err = {0};
    int rc = lookup_table_parse(&t, "table", content, ',', bytes_str("a"), &err);
    require(rc ? err.code == ERR_USAGE : !err.code);
    for (uint32_t i = 1; !rc && i < t.n_records; i++) {
        const struct bytes *record = &t.fields[(size_t)i * t.n_columns];
        for (uint32_t c = 0; c < t.n_columns; c++) require(bytes_eq(lookup_table_get(&t, record[t.key], c), record[c]));
    }
    lookup_table_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct mapping_defaults d = {0};
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    struct bytes text = {data, end ? (size_t)(end - data) : size};
    struct bytes content = end ? bytes_of(end + 1, size - text.n - 1) : bytes_of("", 0);
    struct err err = {0};
    struct shape_set shapes = {0};
    struct text_emit whole, cut;
    check_table(content);
    struct mapping *m = mapping_parse("fuzz", text, &d, &err);
    require(m ? !err.code : err.code == ERR_USAGE && !strncmp(err.text, "fuzz:", 5));
    if (!m) return 0;
    struct read_opts o = text_emit_mapped(m, &shapes);
    text_emit_run(&whole, "csv", content, &o);
    o.memory.chunk = 1 + size % 80;
    text_emit_run(&cut, "csv", content, &o);
    require(bytes_eq(buf_bytes(&whole.text), buf_bytes(&cut.text)));
    buf_free(&whole.text);
    buf_free(&cut.text);
    shape_set_free(&shapes);
    mapping_free(m);
    return 0;
}
