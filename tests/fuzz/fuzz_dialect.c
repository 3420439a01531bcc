/* libFuzzer target: any bytes as text of any dialect. Chunks of any size must lead to the same records, and where the masks
 * read a dialect too, the general scanner must see the same fields.
 * The first three bytes choose the dialect, the fourth the chunk size; the rest is the input. */
#include "formats/csv/csv_general.h"
#include "formats/csv/csv_scan.h"
#include "fuzz.h"

#include "formats/csv/csv.h"
#include "text_emit.h"

/* Requires that both scanners, which both read dialects of one byte without escapes, find the same records. */
static void same_records(const struct dialect *d, struct bytes content) {
    struct csv_scan a, b;
    struct csv_record ra, rb;
    struct csv_field fa[4], fb[4];
    bool more;
    if (csv_is_general(d) || !content.n) return;
    csv_scan_init(&a, d, content);
    csv_scan_init(&b, d, content);
    csv_general_init(&b, d);
    do {
        more = csv_scan_record(&a, fa, 4, &ra);
        require(csv_scan_record(&b, fb, 4, &rb) == more && a.at == b.at);
        if (!more) break;
        require(ra.raw.p == rb.raw.p && ra.raw.n == rb.raw.n && ra.fault == rb.fault && ra.complete == rb.complete);
        require(ra.n_fields == rb.n_fields);
        for (size_t i = 0; i < 4 && i < ra.n_fields && !ra.fault; i++)
            require(fa[i].p == fb[i].p && fa[i].n == fb[i].n && fa[i].quoted == fb[i].quoted && fa[i].doubled == fb[i].doubled);
    } while (more);
}

static void say(struct dialect *d, const char *key, const char *value) {
    struct err err = {0};
    require(!dialect_set(d, key, bytes_str(value), &err));
}

static struct dialect choose(const uint8_t *data) {
    static const char *const names[] = {"csv", "excel", "tsv", "mysql", "postgres", "hive", "tpch"},
                             *const delimiters[] = {",", "@@@", "\\t", "ab"}, *const quotes[] = {"\"", "none"},
                             *const trailing[] = {"no", "yes", "any"}, *const lines[] = {"auto", "lf", "crlf", "any"};
    struct dialect d = {0};
    struct err err = {0};
    if (data[0] % 8 < 7) require(!dialect_choose(&d, names[data[0] % 8], &err));
    if (data[0] & 8) say(&d, "delimiter", delimiters[data[0] >> 4 & 3]);
    if (data[0] & 64) say(&d, "quote", quotes[data[0] >> 7]);
    if (data[1] & 1) say(&d, "escape", data[1] & 2 ? "\\" : "none");
    if (data[1] & 4) say(&d, "trim", data[1] & 8 ? "yes" : "no");
    if (data[1] & 16) say(&d, "trailing", trailing[(data[1] >> 5) % 3]);
    if (data[2] & 1) say(&d, "lines", lines[data[2] >> 1 & 3]);
    if (data[2] & 8) say(&d, "comment", "#");
    if (data[2] & 16) say(&d, "null", "N");
    if (data[2] & 32) say(&d, "header", "each");
    if (data[2] & 64) say(&d, "skip", "2");
    return d;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4) return 0;
    const struct dialect said = choose(data);
    struct shape_set shapes = {0};
    struct text_emit whole, cut;
    struct read_opts o = {.text.columns = "HBASE_ROW_KEY,f:a,f:b",
                          .text.dialect = &said,
                          .default_ts_ms = 99,
                          .shapes = &shapes,
                          .memory.chunk = 1 << 20,
                          .memory.max_cell = 1 << 20};
    const struct bytes content = {data + 4, size - 4};
    struct dialect d = *dialect_named("csv");
    dialect_resolve(&d, &said, NULL);
    same_records(&d, content);
    text_emit_run(&whole, "csv", content, &o);
    o.memory.chunk = 1 + data[3] % 80;
    text_emit_run(&cut, "csv", content, &o);
    require(whole.end == cut.end);
    require(whole.end != ERR_NONE || bytes_eq(buf_bytes(&whole.text), buf_bytes(&cut.text)));
    buf_free(&whole.text);
    buf_free(&cut.text);
    shape_set_free(&shapes);
    return 0;
}
