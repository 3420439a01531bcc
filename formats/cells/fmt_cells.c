/* Cells as text, in any order: what `obkv-verify dump` prints. Lines end at LF or CRLF; `#` lines and blank ones are passed
 * over. A line is a record: it is accepted or rejected by itself, so each goes out as a part of one cell. */
#include "formats/cells/cells_parse.h"
#include "engine/format.h"
#include "formats/text/text.h"

#include <stdlib.h>

struct cells_reader {
    struct reader base;
    struct text_input text;
    int64_t default_ts_ms;
};

static size_t cut_lines(const void *arg, struct bytes data) {
    (void)arg;
    const uint8_t *e = data.n ? memrchr(data.p, '\n', data.n) : NULL;
    return e ? (size_t)(e + 1 - data.p) : 0;
}

static int cells_next(struct reader *base, struct chunk *c, struct err *err) {
    struct cells_reader *r = (struct cells_reader *)base;
    return text_next(&r->text, cut_lines, NULL, c, err);
}

/* Takes a line, without its end, off *rest. */
static struct bytes take_line(struct bytes *rest) {
    const uint8_t *e = memchr(rest->p, '\n', rest->n);
    struct bytes line = {rest->p, e ? (size_t)(e - rest->p) : rest->n};
    *rest = bytes_of(rest->p + line.n + (e != NULL), rest->n - line.n - (e != NULL));
    if (line.n && line.p[line.n - 1] == '\r') line.n--;
    return line;
}

static int put_line(const struct cells_reader *r, struct bytes line, uint8_t *scratch, uint64_t line_number, uint64_t offset,
                    uint64_t rank, struct emit *e, struct err *err) {
    struct reason why;
    struct row_part part = {.first = true};
    struct cell cell = {.rank = rank};
    int rc = 0;
    reason_clear(&why);
    if (cells_parse_line(line, scratch, &part, &cell, &why)) {
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
        struct bytes line = take_line(&rest);
        if (!line.n || line.p[0] == '#')
            skipped++;
        else
            rc = put_line(r, line, scratch, line_number, offset, rank_of(input, c->rank_base + offset), e, err);
    }
    free(scratch);
    if (rc >= 0 && skipped) e->ops->skip(e, skipped);
    return rc < 0 ? -1 : 0;
}

static uint64_t cells_input_bytes(const struct reader *base) {
    return instream_input_bytes(((const struct cells_reader *)base)->text.in);
}

static void cells_checksum(const struct reader *base, char hex[17]) {
    instream_checksum(((const struct cells_reader *)base)->text.in, hex);
}

static void cells_close(struct reader *base) {
    struct cells_reader *r = (struct cells_reader *)base;
    text_close(&r->text);
    free(r);
}

static struct reader *cells_open(struct instream *in, const struct read_opts *o, struct err *err) {
    static const struct reader_ops ops = {.next = cells_next,
                                          .parse = cells_parse,
                                          .input_bytes = cells_input_bytes,
                                          .checksum = cells_checksum,
                                          .close = cells_close};
    struct cells_reader *r = calloc(1, sizeof *r);
    if (!r) {
        err_nomem(err, sizeof *r, "a reader");
        instream_close(in);
        return NULL;
    }
    r->base.ops = &ops;
    r->default_ts_ms = o->default_ts_ms;
    /* Hex doubles what a cell takes. */
    struct read_opts twice = *o;
    twice.max_cell_bytes = o->max_cell_bytes > SIZE_MAX / 4 ? SIZE_MAX / 4 : o->max_cell_bytes * 2;
    if (text_open(&r->text, in, &twice, false, err) == 0) return &r->base;
    cells_close(&r->base);
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
    while (head.n && (!line.n || line.p[0] == '#')) line = take_line(&head);
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
                                 .about = "cells as text, one a line, as obkv-verify dump prints them",
                                 .sniff = cells_sniff,
                                 .open = cells_open,
                                 .is_text = true};
