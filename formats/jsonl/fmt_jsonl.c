/* JSON lines: a value of JSON a line, which a mapping makes cells of by paths such as $.user.address[0].city; without a mapping
 * the cells that obkv-export writes. Strings in JSON contain no line end, so any thread parses any lines, and blocks can be
 * read alone. */
#include "formats/jsonl/jline.h"
#include "formats/mapping/record_map.h"
#include "formats/text/text_input.h"

#include <stdlib.h>

struct jsonl_reader {
    struct text_reader base;
    const struct mapping_source *source; /* NULL: cells */
    struct record_map *mapped;
    struct jline_paths paths;
    uint32_t *slots; /* by field of the mapping */
    int64_t default_ts_ms;
};

/* ---- lines ---- */

/* One call of parse. */
struct parse {
    const struct jsonl_reader *r;
    const struct chunk *c;
    struct emit *e;
    uint32_t input;
    struct jline_scan scan;
    struct record_mapper mapper;
    struct buf hex; /* cells: bytes given in hex */
    uint8_t tags[TTL_TAG_BYTES];
    uint64_t skipped;
};

/* null and what is missing are null to the expressions. */
static void fill_fields(struct parse *x) {
    uint8_t *const met = x->r->source->met;
    for (uint32_t i = 0; i < x->r->source->n_fields; i++) {
        struct jline_value *v = &x->scan.values[x->r->slots[i]];
        bool absent = v->kind == JLINE_ABSENT, null = absent || v->kind == JLINE_NULL;
        if (!absent && !__atomic_load_n(&met[i], __ATOMIC_RELAXED)) __atomic_store_n(&met[i], 1, __ATOMIC_RELAXED);
        x->mapper.fields[i] = null ? (struct expr_value){0} : expr_text(jline_text(&x->scan, v));
    }
}

/* 1, 0 (*why), -1. */
static int emit_mapped(struct parse *x, uint64_t rank, struct reason *why, struct err *err) {
    fill_fields(x);
    int rc = record_mapper_run(&x->mapper, rank, why, err);
    if (rc == 1 && !x->mapper.n_rows) {
        x->skipped++;
        return 1;
    }
    return rc == 1 ? x->e->ops->record(x->e, x->mapper.parts, x->mapper.n_parts, why, err) : rc;
}

static int emit_cell(struct parse *x, struct bytes line, uint64_t rank, struct reason *why, struct err *err) {
    struct row_part part = {.first = true};
    struct cell cell = {.rank = rank};
    x->hex.n = 0;
    if (buf_reserve(&x->hex, line.n + 1, err)) return -1;
    if (!jsonl_cell_take(&x->scan, x->tags, x->hex.p, &part, &cell, why)) return 0;
    if (cell.ts_ms == INT64_MAX) cell.ts_ms = x->r->default_ts_ms;
    return x->e->ops->record(x->e, &part, 1, why, err);
}

static int emit_line(struct parse *x, struct bytes line, uint64_t number, struct err *err) {
    struct reason why;
    uint64_t offset = x->c->offset + (uint64_t)(line.p - x->c->data.p), rank = rank_of(x->input, x->c->rank_base + offset);
    reason_clear(&why);
    int rc = jline_scan_line(&x->scan, line, &why, err);
    if (rc == 1) rc = x->r->source ? emit_mapped(x, rank, &why, err) : emit_cell(x, line, rank, &why, err);
    return rc ? rc : x->e->ops->reject(x->e, line, number, offset, &why, err);
}

static bool is_blank(struct bytes line) {
    for (size_t i = 0; i < line.n; i++)
        if (line.p[i] != ' ' && line.p[i] != '\t' && line.p[i] != '\r' && line.p[i] != '\n') return false;
    return true;
}

static int parse_lines(struct parse *x, struct err *err) {
    struct bytes rest = buf_bytes(&x->c->data);
    uint64_t number = x->c->line;
    for (; rest.n; number += number != 0) {
        struct bytes line = text_take_line(&rest);
        if (is_blank(line))
            x->skipped++;
        else if (emit_line(x, line, number, err) < 0)
            return -1;
    }
    if (x->skipped) x->e->ops->skip(x->e, x->skipped);
    return 0;
}

static int jsonl_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err) {
    const struct jsonl_reader *r = (const struct jsonl_reader *)base;
    struct parse x = {.r = r, .c = c, .e = e, .input = input};
    int rc = jline_scan_init(&x.scan, &r->paths, err);
    if (!rc && r->source) rc = record_mapper_init(&x.mapper, r->mapped, err);
    if (!rc) rc = parse_lines(&x, err);
    if (r->source) record_mapper_free(&x.mapper);
    jline_scan_free(&x.scan);
    buf_free(&x.hex);
    return rc;
}

/* ---- the reader ---- */

static int jsonl_by_blocks(struct reader *base, struct reason *why, struct err *err) {
    (void)err;
    const struct jsonl_reader *r = (const struct jsonl_reader *)base;
    return r->base.text.fd < 0 ? text_why(why, 0, "it is compressed") : 1;
}

static void jsonl_close(struct reader *base) {
    struct jsonl_reader *r = (struct jsonl_reader *)base;
    text_close(&r->base.text);
    record_map_free(r->mapped);
    jline_paths_free(&r->paths);
    free(r->slots);
    free(r);
}

static int by_mapping(struct jsonl_reader *r, const struct read_opts *o, struct err *err) {
    const struct mapping_source *s = r->source;
    struct record_map_opts mo = record_map_opts_of(o, s, instream_path(r->base.text.in));
    mo.by_path = true;
    if (!(r->mapped = record_map_new(&mo, err))) return -1;
    if (!(r->slots = calloc(s->n_fields + 1, sizeof *r->slots))) return err_nomem(err, s->n_fields, "a mapping");
    for (uint32_t i = 0; i < s->n_fields; i++) {
        struct bytes name = s->fields[i].name;
        if (!name.p) name = s->columns[s->fields[i].column];
        if (jline_paths_add(&r->paths, name, &r->slots[i], err)) return -1;
    }
    return 0;
}

/* The first line that is not blank; cut_off: its end is not in head. */
static struct bytes first_line(struct bytes head, bool *cut_off) {
    struct bytes line = bytes_of("", 0);
    *cut_off = false;
    while (head.n && is_blank(line)) {
        *cut_off = !memchr(head.p, '\n', head.n);
        line = text_take_line(&head);
    }
    return line;
}

/* Cells need no mapping; that other records do is said before the first of them is rejected. */
static int expect_cells(struct jsonl_reader *r, const struct read_opts *o, struct err *err) {
    struct bytes head;
    struct reason why;
    struct jline_paths open = {0};
    struct jline_scan scan;
    bool cut_off;
    if (o->text.mapping)
        return err_set(err, ERR_USAGE, "%s: no source of %s has a pattern in \"files\" that matches this name",
                       instream_path(r->base.text.in), o->text.mapping->path);
    if (jsonl_cell_paths(&r->paths, err) || instream_peek(r->base.text.in, FORMAT_SNIFF_BYTES, &head, err)) return -1;
    struct bytes line = first_line(head, &cut_off);
    if (is_blank(line) || (cut_off && head.n >= FORMAT_SNIFF_BYTES)) return 0;
    int rc = jsonl_cell_paths(&open, err) ? -1 : jline_scan_init(&scan, &open, err);
    open.closed = false;
    if (!rc) {
        rc = jline_scan_line(&scan, line, &why, err);
        if (rc == 1 && !jsonl_cell_is(&scan))
            rc =
                err_set(err, ERR_USAGE, "%s: JSON lines other than obkv-export's need --map FILE, with paths such as $.user.name",
                        instream_path(r->base.text.in));
        jline_scan_free(&scan);
    }
    jline_paths_free(&open);
    return rc < 0 ? -1 : 0;
}

static int warn_if_empty(const struct jsonl_reader *r, const struct read_opts *o, struct err *err) {
    struct bytes head;
    if (instream_peek(r->base.text.in, FORMAT_SNIFF_BYTES, &head, err)) return -1;
    return head.n < FORMAT_SNIFF_BYTES && is_blank(head) ? text_warn_empty(&r->base.text, o, err) : 0;
}

static struct reader *jsonl_open(struct instream *in, const struct read_opts *o, struct err *err) {
    static const struct reader_ops ops = {.next = text_reader_next,
                                          .parse = jsonl_parse,
                                          .input_bytes = text_reader_input_bytes,
                                          .checksum = text_reader_checksum,
                                          .by_blocks = jsonl_by_blocks,
                                          .close = jsonl_close};
    struct jsonl_reader *r = text_reader_new(sizeof *r, &ops, in, err);
    if (!r) return NULL;
    r->default_ts_ms = o->default_ts_ms;
    if (o->text.mapping) r->source = mapping_source_of(o->text.mapping, instream_path(in));
    if (text_open_hex(&r->base.text, in, o, err) == 0 && (r->source ? by_mapping(r, o, err) : expect_cells(r, o, err)) == 0 &&
        warn_if_empty(r, o, err) == 0) {
        text_reader_by_lines(&r->base);
        return &r->base.reader;
    }
    jsonl_close(&r->base.reader);
    return NULL;
}

/* ---- whose text it is ---- */

static bool is_called_so(const char *path) {
    static const char *const endings[] = {".jsonl", ".ndjson"};
    for (size_t i = 0; i < countof(endings); i++) {
        const char *p = strstr(path, endings[i]);
        char after = p ? p[strlen(endings[i])] : 'x';
        if (p && (!after || after == '.')) return true;
    }
    return false;
}

/* The first line is an object as a whole; or so it begins, in a file that is called so or whose line is longer than head. */
static int jsonl_sniff(struct bytes head, const char *path) {
    enum { BITS_LINE = 48, BITS_BEGINNING = 40 };
    const struct jline_paths none = {0};
    struct jline_scan scan;
    struct reason why;
    struct err err = {0};
    bool cut_off;
    struct bytes line = first_line(bytes_without_mark(head), &cut_off);
    while (line.n && (line.p[0] == ' ' || line.p[0] == '\t')) line = bytes_of(line.p + 1, line.n - 1);
    if (!line.n || line.p[0] != '{') return is_called_so(path) && (!line.n || line.p[0] == '[') ? BITS_BEGINNING : 0;
    bool whole = !jline_scan_init(&scan, &none, &err) && jline_scan_line(&scan, line, &why, &err) == 1;
    jline_scan_free(&scan);
    if (whole) return BITS_LINE;
    size_t i = 1;
    while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t')) i++;
    bool begins = i < line.n && (line.p[i] == '"' || line.p[i] == '}');
    return begins && (is_called_so(path) || (cut_off && head.n >= FORMAT_SNIFF_BYTES - 3)) ? BITS_BEGINNING : 0;
}

const struct format fmt_jsonl = {.name = "jsonl",
                                 .about = "JSON, one record per line; needs --map, except for lines of obkv-export",
                                 .sniff = jsonl_sniff,
                                 .open = jsonl_open,
                                 .seqs = FORMAT_SEQS_SOME,
                                 .is_text = true};
