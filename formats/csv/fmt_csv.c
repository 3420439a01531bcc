/* CSV (RFC 4180 quotes) and TSV (HBase ImportTsv's rules): one reader, two dialects.
 *
 * csv: LF or CRLF, quotes, every record has exactly the mapped number of fields.
 * tsv: LF, CRLF or CR, no quotes unless asked for; trailing fields may be missing, but a line without a delimiter is bad. */
#include "formats/csv/csv_reader.h"

#include <stdlib.h>

static int csv_next(struct reader *base, struct chunk *c, struct err *err) {
    struct csv_reader *r = (struct csv_reader *)base;
    if (r->text.blocks.of) return text_next_block(&r->text, c, err);
    return text_next(&r->text, csv_cut, &r->dialect, c, err);
}

/* Records whose quotes are all around whole fields without a line end inside. A block that begins inside quotes cannot look like
 * that: the closing quote would stand in it. */
static bool block_is_plain(struct csv_reader *r, const struct chunk *c, struct csv_field *fields) {
    struct csv_scan scan;
    struct csv_record rec;
    csv_scan_init(&scan, &r->dialect, buf_bytes(&c->data));
    while (csv_scan_record(&scan, fields, r->map.n_columns, &rec)) {
        if (rec.fault || (r->strict && !r->open_ended && rec.raw.n && rec.n_fields != r->map.n_columns)) return false;
        if (rec.n_fields > r->map.n_columns && memchr(rec.raw.p, r->dialect.quote, rec.raw.n)) return false;
        for (size_t i = 0; i < rec.n_fields && i < r->map.n_columns; i++) {
            const struct csv_field *f = &fields[i];
            if (f->quoted ? memchr(f->p, '\n', f->n) != NULL : f->n && memchr(f->p, r->dialect.quote, f->n)) return false;
        }
    }
    return true;
}

static int csv_by_blocks(struct reader *base, struct reason *why, struct err *err) {
    struct csv_reader *r = (struct csv_reader *)base;
    struct chunk c = {0};
    struct csv_field *fields = NULL;
    int more = 0;
    if (r->text.fd < 0) return text_why(why, 0, "it is compressed");
    if (r->dialect.quote < 0) return 1;
    if (!(fields = calloc(r->map.n_columns + 1, sizeof *fields))) return err_nomem(err, 0, "fields");
    bool plain = true;
    while (plain && (more = text_next_block(&r->text, &c, err)) == 1) plain = block_is_plain(r, &c, fields);
    if (!plain)
        text_why(why, 0, "line ends may stand inside quotes, or records are not whole, about byte %llu",
                 (unsigned long long)c.offset);
    free(fields);
    buf_free(&c.data);
    return more < 0 ? -1 : plain;
}

static uint64_t csv_input_bytes(const struct reader *base) {
    const struct csv_reader *r = (const struct csv_reader *)base;
    if (r->text.blocks.of) return r->text.offset;
    return instream_input_bytes(((const struct csv_reader *)base)->text.in);
}

static void csv_checksum(const struct reader *base, char hex[17]) {
    instream_checksum(((const struct csv_reader *)base)->text.in, hex);
}

static void csv_close(struct reader *base) {
    struct csv_reader *r = (struct csv_reader *)base;
    text_close(&r->text);
    colmap_free(&r->map);
    record_map_free(r->mapped);
    free(r);
}

static struct reader *open_dialect(struct instream *in, const struct read_opts *o, struct csv_dialect d, bool strict,
                                   struct err *err) {
    static const struct reader_ops ops = {.next = csv_next,
                                          .parse = csv_parse,
                                          .input_bytes = csv_input_bytes,
                                          .checksum = csv_checksum,
                                          .by_blocks = csv_by_blocks,
                                          .close = csv_close};
    struct csv_reader *r = calloc(1, sizeof *r);
    if (!r) {
        err_nomem(err, sizeof *r, "a reader");
        instream_close(in);
        return NULL;
    }
    r->base.ops = &ops;
    r->strict = strict;
    r->skip_empty = o->skip_empty;
    r->default_ts_ms = o->default_ts_ms;
    if (o->mapping) r->source = mapping_source_of(o->mapping, instream_path(in));
    csv_plan_dialect(r, o, d);
    if (text_open(&r->text, in, o, d.cr_ends, err) == 0 && csv_plan(r, o, err) == 0) return &r->base;
    csv_close(&r->base);
    return NULL;
}

static struct reader *csv_open(struct instream *in, const struct read_opts *o, struct err *err) {
    return open_dialect(in, o, (struct csv_dialect){.delimiter = ',', .quote = '"'}, true, err);
}

static struct reader *tsv_open(struct instream *in, const struct read_opts *o, struct err *err) {
    return open_dialect(in, o, (struct csv_dialect){.delimiter = '\t', .quote = -1, .cr_ends = true}, false, err);
}

/* `.csv`, also before a compressor's ending. */
static bool has_ending(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    for (const char *p = path; n >= m && (p = strstr(p, ending)); p++) {
        char after = p[m];
        if (!after) return true;
        if (after == '.' && strlen(p + m) <= 5 && !strchr(p + m, '/')) return true;
    }
    return false;
}

/* How often the byte stands in the first line; -1: what is there is not text. */
static int in_first_line(struct bytes head, uint8_t byte) {
    int n = 0;
    for (size_t i = 0; i < head.n && head.p[i] != '\n'; i++) {
        if (!head.p[i]) return -1;
        n += head.p[i] == byte;
    }
    return n;
}

enum { BITS_ENDING = 24, BITS_DELIMITER = 8 };

static int csv_sniff(struct bytes head, const char *path) {
    int commas = in_first_line(head, ',');
    if (commas < 0) return 0;
    return (has_ending(path, ".csv") ? BITS_ENDING : 0) + (commas > 0 ? BITS_DELIMITER : 0);
}

static int tsv_sniff(struct bytes head, const char *path) {
    int tabs = in_first_line(head, '\t');
    if (tabs < 0) return 0;
    return (has_ending(path, ".tsv") || has_ending(path, ".tab") ? BITS_ENDING : 0) + (tabs > 0 ? BITS_DELIMITER : 0);
}

const struct format fmt_csv = {.name = "csv",
                               .about = "text with delimiters and RFC 4180 quotes; needs --columns or --map",
                               .sniff = csv_sniff,
                               .open = csv_open,
                               .is_text = true};
const struct format fmt_tsv = {.name = "tsv",
                               .about = "text with TABs, HBase ImportTsv's rules; needs --columns or --map",
                               .sniff = tsv_sniff,
                               .open = tsv_open,
                               .is_text = true};
