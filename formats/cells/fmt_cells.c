/* Cells as text, in any order: what `obkv-verify dump` prints. Lines end at LF or CRLF; `#` lines and blank ones are
 * skipped. A line is a record: it is accepted or rejected by itself, so each goes out as a part of one cell. */
#include "engine/format.h"
#include "base/text.h"
#include "formats/text/text_input.h"
#include "formats/text/text_number.h"

#include <stdlib.h>

enum { CELLS_TEXT_FIELDS = 8 };

/* ---- one line ---- */

/* Takes the next field off the line. */
static bool take_field(struct bytes *line, struct bytes *field) {
    if (!line->p) return false;
    const uint8_t *tab = line->n ? memchr(line->p, '\t', line->n) : NULL;
    *field = bytes_of(line->p, tab ? (size_t)(tab - line->p) : line->n);
    *line = tab ? bytes_of(tab + 1, line->n - field->n - 1) : bytes_of(NULL, 0);
    return true;
}

static const char *field_name(uint32_t i) {
    static const char *const names[CELLS_TEXT_FIELDS] = {"row",  "family",      "qualifier", "timestamp",
                                                         "type", "sequence id", "value",     "tags"};
    return names[i];
}

static bool take_hex(struct bytes field, uint32_t i, uint8_t **scratch, struct bytes *out, struct reason *why) {
    uint8_t *p = *scratch;
    *out = bytes_of(p, 0);
    if (field.n == 1 && field.p[0] == '-') return true;
    if (!field.n) return text_why(why, i + 1, "%s is empty: \"-\" stands for no bytes", field_name(i));
    if (field.n >= 7 && !memcmp(field.p, "sha256:", 7))
        return text_why(why, i + 1, "%s is only a checksum (sha256:…): the bytes themselves are needed", field_name(i));
    if (field.n % 2) return text_why(why, i + 1, "%s has an odd number of hex digits", field_name(i));
    for (size_t k = 0; k < field.n; k += 2) {
        int v = hex_byte(field.p + k);
        if (v < 0) return text_why(why, i + 1, "%s is not hex at digit %zu", field_name(i), k + 1);
        *p++ = (uint8_t)v;
    }
    out->n = (size_t)(p - *scratch);
    *scratch = p;
    return true;
}

static bool take_numbers(const struct bytes *fields, struct cell *cell, struct reason *why) {
    uint64_t type;
    if (!text_i64(fields[3], &cell->ts_ms)) return text_why(why, 4, "timestamp is not a whole number of 64 bits");
    if (cell->ts_ms < 0) return text_why(why, 4, "timestamp %lld is negative", (long long)cell->ts_ms);
    if (!text_u64(fields[4], &type)) return text_why(why, 5, "type is not a decimal number");
    if (type > 255 || !cell_type_known((unsigned)type))
        return text_why(why, 5, "type %llu is not one that HBase writes (4, 8, 10, 12, 14)", (unsigned long long)type);
    if (!text_u64(fields[5], &cell->seq)) return text_why(why, 6, "sequence id is not a decimal number of 64 bits");
    cell->type = (uint8_t)type;
    return true;
}

static bool check_lengths(const struct row_part *part, const struct cell *cell, struct reason *why) {
    if (!part->row.n) return text_why(why, 1, "empty row key");
    if (part->row.n > ROW_MAX_BYTES)
        return text_why(why, 1, "row key of %zu bytes, at most %d are possible", part->row.n, ROW_MAX_BYTES);
    if (!part->family.n) return text_why(why, 2, "empty family");
    if (part->family.n > FAMILY_MAX_BYTES)
        return text_why(why, 2, "family of %zu bytes, at most %d are possible", part->family.n, FAMILY_MAX_BYTES);
    if (cell->tags.n > TAGS_MAX_BYTES)
        return text_why(why, 8, "tags of %zu bytes, at most %d are possible", cell->tags.n, TAGS_MAX_BYTES);
    if (!tags_valid(cell->tags)) return text_why(why, 8, "tags are malformed: each is u16 length, type byte, value");
    return true;
}

/* One line without its end into *part and *cell (part->cells = cell; rank is left alone). Bytes are decoded into scratch, which
 * has room for line.n / 2 bytes and must live as long as the cell is used. false: *why says what is wrong. */
static bool parse_line(struct bytes line, uint8_t *scratch, struct row_part *part, struct cell *cell, struct reason *why) {
    struct bytes fields[CELLS_TEXT_FIELDS];
    uint32_t n = 0;
    while (n < CELLS_TEXT_FIELDS && take_field(&line, &fields[n])) n++;
    if (n < CELLS_TEXT_FIELDS) return text_why(why, 0, "%u fields, %d are needed", n, CELLS_TEXT_FIELDS);
    if (line.p) return text_why(why, CELLS_TEXT_FIELDS + 1, "more than %d fields", CELLS_TEXT_FIELDS);
    if (!take_hex(fields[0], 0, &scratch, &part->row, why) || !take_hex(fields[1], 1, &scratch, &part->family, why) ||
        !take_hex(fields[2], 2, &scratch, &cell->qualifier, why) || !take_numbers(fields, cell, why) ||
        !take_hex(fields[6], 6, &scratch, &cell->value, why) || !take_hex(fields[7], 7, &scratch, &cell->tags, why))
        return false;
    part->cells = cell;
    part->n_cells = 1;
    return check_lengths(part, cell, why);
}

/* ---- the format ---- */

struct cells_reader {
    struct text_reader base;
    int64_t default_ts_ms;
};

static int emit_line(const struct cells_reader *r, struct bytes line, uint8_t *scratch, uint64_t line_number, uint64_t offset,
                     uint64_t rank, struct emit *e, struct err *err) {
    struct reason why;
    struct row_part part = {.first = true};
    struct cell cell = {.rank = rank};
    int rc = 0;
    reason_clear(&why);
    if (parse_line(line, scratch, &part, &cell, &why)) {
        if (cell.ts_ms == INT64_MAX) cell.ts_ms = r->default_ts_ms;
        rc = e->ops->record(e, &part, 1, &why, err);
    }
    return rc ? rc : e->ops->reject(e, line, line_number, offset, &why, err);
}

static int cells_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err) {
    const struct cells_reader *r = (const struct cells_reader *)base;
    struct bytes rest = buf_bytes(&c->data);
    uint64_t line_number = c->line, skipped = 0;
    uint8_t *scratch = malloc(rest.n / 2 + 1);
    int rc = scratch ? 0 : err_nomem(err, rest.n / 2 + 1, "parsing a chunk");
    for (; rc >= 0 && rest.n; line_number++) {
        uint64_t offset = c->offset + (uint64_t)(rest.p - c->data.p);
        struct bytes line = text_take_line(&rest);
        if (!line.n || line.p[0] == '#')
            skipped++;
        else
            rc = emit_line(r, line, scratch, line_number, offset, rank_of(input, c->rank_base + offset), e, err);
    }
    free(scratch);
    if (rc >= 0 && skipped) e->ops->skip(e, skipped);
    return rc < 0 ? -1 : 0;
}

static void cells_close(struct reader *base) {
    struct cells_reader *r = (struct cells_reader *)base;
    text_close(&r->base.text);
    free(r);
}

static struct reader *cells_open(struct instream *in, const struct read_opts *o, struct err *err) {
    static const struct reader_ops ops = {.next = text_reader_next,
                                          .parse = cells_parse,
                                          .input_bytes = text_reader_input_bytes,
                                          .checksum = text_reader_checksum,
                                          .close = cells_close};
    struct cells_reader *r = text_reader_new(sizeof *r, &ops, in, err);
    if (!r) return NULL;
    r->default_ts_ms = o->default_ts_ms;
    if (text_open_hex(&r->base.text, in, o, err) == 0) {
        text_reader_by_lines(&r->base);
        return &r->base.reader;
    }
    cells_close(&r->base.reader);
    return NULL;
}

static bool is_field(struct bytes f, bool number) {
    if (!f.n) return false;
    if (!number && f.n == 1 && f.p[0] == '-') return true;
    for (size_t i = 0; i < f.n; i++) {
        uint8_t c = f.p[i];
        bool digit = c >= '0' && c <= '9', letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'f';
        if (!digit && (number || !letter) && !(number && i == 0 && c == '-')) return false;
    }
    return true;
}

/* The first line that is not a comment has eight fields, some of them decimal and the others hex; a line cut off by the end of
 * head needs the first six and a TAB, unless its value or row is what fills the head. */
static int cells_sniff(struct bytes head, const char *path) {
    (void)path;
    struct bytes line = {0};
    while (head.n && (!line.n || line.p[0] == '#')) line = text_take_line(&head);
    if (!line.n || line.p[0] == '#') return 0;
    bool cut_off = !head.n;
    uint32_t n = 0;
    for (;;) {
        const uint8_t *tab = memchr(line.p, '\t', line.n);
        struct bytes f = {line.p, tab ? (size_t)(tab - line.p) : line.n};
        if (n == CELLS_TEXT_FIELDS || !is_field(f, n >= 3 && n <= 5)) return 0;
        n++;
        if (!tab) break;
        line = bytes_of(tab + 1, line.n - f.n - 1);
    }
    return n == CELLS_TEXT_FIELDS ? 64 : cut_off && n >= 7 ? 48 : 0;
}

const struct format fmt_cells = {.name = "cells",
                                 .about = "cells as text, one per line, as obkv-verify dump prints them",
                                 .sniff = cells_sniff,
                                 .open = cells_open,
                                 .seqs = FORMAT_SEQS_SOME,
                                 .is_text = true};
