/* libFuzzer target: any bytes as CSV or TSV. Chunks of any size must lead to the same records.
 * The first byte chooses the dialect and options, the second the chunk size and whether the row key is an expression, the rest is
 * the input. */
#include "formats/csv/csv_cut.h"
#include "formats/csv/csv_scan.h"
#include "fuzz.h"

#include "formats/csv/csv.h"
#include "text_emit.h"

/* Records of any length cross the windows of masks anywhere; all vector instructions must see the same fields. */
static void same_fields(const struct dialect *d, struct bytes content, csv_mask_fn *find) {
    struct csv_scan a, b;
    struct csv_record ra, rb;
    struct csv_field fa[4], fb[4];
    bool more;
    size_t cut = 0;
    csv_scan_by(&a, d, content, csv_mask_by(CSV_PLAIN));
    csv_scan_by(&b, d, content, find);
    do {
        more = csv_scan_record(&a, fa, 4, &ra);
        require(csv_scan_record(&b, fb, 4, &rb) == more && a.at == b.at);
        if (!more) break;
        if (ra.complete) cut = (size_t)(a.at - content.p);
        require(ra.n_fields == rb.n_fields && ra.raw.p == rb.raw.p && ra.raw.n == rb.raw.n && ra.fault == rb.fault);
        for (size_t i = 0; i < 4 && i < ra.n_fields; i++) require(fa[i].p == fb[i].p && fa[i].n == fb[i].n);
    } while (more);
    require(csv_cut_by(d, content, find) == cut || csv_cr_ends(d)); /* where CR ends records, the cut is after the last LF */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    struct shape_set shapes = {0};
    struct text_emit whole;
    bool tsv = data[0] & 1, header = data[0] & 2, by_name = header && (data[0] & 4), key = data[1] >= 160;
    static const char *const columns[] = {"HBASE_ROW_KEY,f:a,HBASE_TS_KEY,g:b,HBASE_CELL_TTL,f:a,-",
                                          "k=HBASE_ROW_KEY,t=HBASE_TS_KEY,v=f:v,w=g:w", "f:a,g,HBASE_TS_KEY,g:b",
                                          "t=HBASE_TS_KEY,v=f:v,*=g"};
    static const char *const keys[] = {"f:a + '|' + g[0:2]", "salt(md5(k), 10) + `v` + $2"};
    struct dialect said = {0};
    struct err none = {0};
    if (header) dialect_set(&said, "header", bytes_str("each"), &none);
    if (data[0] & 8) dialect_set(&said, "delimiter", bytes_str(","), &none);
    if (data[0] & 48) dialect_set(&said, "quote", bytes_str(data[0] & 16 ? "\"" : "none"), &none);
    if (data[0] & 64) dialect_set(&said, "null", bytes_str("N"), &none);
    struct read_opts o = {.text.columns = columns[2 * key + by_name],
                          .text.key = key ? keys[header] : NULL,
                          .text.dialect = &said,
                          .text.skip_empty = data[0] & 128,
                          .default_ts_ms = 99,
                          .shapes = &shapes,
                          .memory.chunk = 1 << 20,
                          .memory.max_cell = 1 << 20};
    struct bytes content = {data + 2, size - 2};
    struct dialect dialect = *dialect_named("tsv");
    dialect.delimiter[0] = data[0] & 8 ? ',' : '\t';
    dialect.quote = data[0] & 16 ? '"' : -1;
    dialect.lines = tsv ? DIALECT_LINES_AUTO : DIALECT_LINES_ANY;
    for (unsigned v = CSV_PLAIN + 1; v < CSV_VECTORS; v++)
        if (csv_mask_by((enum csv_vector)v)) same_fields(&dialect, content, csv_mask_by((enum csv_vector)v));
    text_emit_by_chunks(&whole, tsv ? "tsv" : "csv", content, &o, 1 + data[1] % 80);
    buf_free(&whole.text);
    shape_set_free(&shapes);
    return 0;
}
