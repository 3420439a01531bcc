/* JSON lines: a value of JSON a line, which a mapping makes cells of by paths such as $.user.address[0].city; without a mapping
 * the cells that obkv-export writes. Strings in JSON contain no line end, so any thread parses any lines, and blocks can be
 * read alone. Documents over several lines are gone through by one thread, which leaves only their records
 * (json_document.c). */
#include "formats/jsonl/json_document.h"
#include "formats/jsonl/json_layout.h"
#include "formats/jsonl/jsonl_cell.h"
#include "formats/mapping/record_map.h"
#include "formats/mapping/record_mapper.h"
#include "formats/text/text_hint.h"
#include "formats/text/text_input.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes that show the layout. */
enum { JSON_HEAD_BYTES = 64 * 1024 };

/* Records with dates in hours that a change of the clock skips, and repeats, and where the first one is. */
struct jsonl_hours {
    uint64_t n[2], at[2], line[2];
};

/* Records that have become rows: with a cell, and without any. */
struct jsonl_rows {
    uint64_t full, bare;
};

struct jsonl_reader {
    struct text_reader base;
    pthread_mutex_t lock; /* for hours and rows, which all calls of parse add to */
    struct jsonl_hours hours;
    struct jsonl_rows rows;
    bool is_alone;                       /* what no record has, no input has, which the run says as a whole */
    struct buf *warnings;                /* NULL: they are not wanted */
    const struct mapping_source *source; /* NULL: cells */
    struct record_map *mapped;
    struct jline_paths paths;
    uint32_t *slots; /* by field of the mapping; JLINE_NONE: a part of a list */
    bool by_document;
    uint64_t comments_end; /* before this offset, lines may be comments; a byte order mark counts */
    struct json_document document;
    int64_t default_ts_ms;
};

/* ---- lines ---- */

/* One call of parse. */
struct jsonl_parsing {
    const struct jsonl_reader *r;
    const struct chunk *c;
    struct emit *e;
    uint32_t input;
    struct jline_scan scan;
    struct record_mapper mapper;
    struct buf hex; /* cells: bytes given in hex */
    uint8_t tags[TTL_TAG_BYTES];
    uint64_t skipped;
    struct jsonl_hours hours;
    struct jsonl_rows rows;
};

static void add_hours(struct jsonl_hours *sum, int i, uint64_t n, uint64_t at, uint64_t line) {
    if (n && (!sum->n[i] || at < sum->at[i])) {
        sum->at[i] = at;
        sum->line[i] = line;
    }
    sum->n[i] += n;
}

/* null and what is missing are null to the expressions. */
static void fill_fields(struct jsonl_parsing *x) {
    uint8_t *const met = x->r->source->met;
    for (uint32_t i = 0; i < x->r->source->n_fields; i++) {
        if (x->r->slots[i] == JLINE_NONE) continue;
        struct jline_value *v = &x->scan.values[x->r->slots[i]];
        bool absent = v->kind == JLINE_ABSENT, null = absent || v->kind == JLINE_NULL;
        if (!absent) mapping_meet(met, i);
        x->mapper.fields[i] = null ? (struct expr_value){0} : expr_text(jline_text(&x->scan, v));
    }
}

/* Emits a record as its mapping has it. 1, 0 (*why), -1. */
static int emit_mapped(struct jsonl_parsing *x, uint64_t rank, struct reason *why, struct err *err) {
    fill_fields(x);
    int rc = record_mapper_run(&x->mapper, rank, why, err);
    if (rc == 1 && !x->mapper.n_rows) {
        x->skipped++;
        return 1;
    }
    if (rc != 1) return rc;
    if (x->mapper.n_parts)
        x->rows.full++;
    else
        x->rows.bare++;
    return x->e->ops->record(x->e, x->mapper.parts, x->mapper.n_parts, why, err);
}

static int emit_cell(struct jsonl_parsing *x, struct bytes line, uint64_t rank, struct reason *why, struct err *err) {
    struct row_part part = {.first = true};
    struct cell cell = {.rank = rank};
    x->hex.n = 0;
    if (buf_reserve(&x->hex, line.n + 1, err)) return -1;
    if (!jsonl_cell_take(&x->scan, x->tags, x->hex.p, &part, &cell, why)) return 0;
    if (cell.ts_ms == INT64_MAX) cell.ts_ms = x->r->default_ts_ms;
    return x->e->ops->record(x->e, &part, 1, why, err);
}

static int emit_line(struct jsonl_parsing *x, struct bytes line, uint64_t number, struct err *err) {
    struct reason why;
    uint64_t offset = x->c->offset + (uint64_t)(line.p - x->c->data.p), rank = rank_of(x->input, x->c->rank_base + offset);
    reason_clear(&why);
    int rc = jline_scan_line(&x->scan, line, &why, err);
    if (rc == 1) rc = x->r->source ? emit_mapped(x, rank, &why, err) : emit_cell(x, line, rank, &why, err);
    const struct expr_scratch *s = &x->mapper.scratch;
    add_hours(&x->hours, 0, rc == 1 && s->hour_skipped, offset, number);
    add_hours(&x->hours, 1, rc == 1 && s->hour_repeated, offset, number);
    return rc ? rc : x->e->ops->reject(x->e, line, number, offset, &why, err);
}

/* null makes no record, and neither do comments before the first one. */
static int parse_lines(struct jsonl_parsing *x, struct err *err) {
    struct bytes rest = buf_bytes(&x->c->data);
    uint64_t number = x->c->line;
    for (; rest.n; number += number != 0) {
        struct bytes line = text_take_line(&rest);
        const uint64_t offset = x->c->offset + (uint64_t)(line.p - x->c->data.p);
        const bool begun = offset >= x->r->comments_end;
        if (json_text_is_blank(line) || json_text_is_null(line) || (!begun && json_text_is_comment(line))) {
            x->skipped++;
            continue;
        }
        if (emit_line(x, line, number, err) < 0) return -1;
    }
    return 0;
}

static int parse_documents(struct jsonl_parsing *x, struct err *err) {
    struct bytes rest = buf_bytes(&x->c->data), record;
    uint64_t number = x->c->line;
    while (json_document_take(&rest, &record, &number)) {
        if (emit_line(x, record, number, err) < 0) return -1;
        number += text_count_byte(record, '\r');
    }
    return 0;
}

static void sum_up(struct jsonl_reader *r, const struct jsonl_parsing *x) {
    const struct jsonl_hours *h = &x->hours;
    pthread_mutex_lock(&r->lock);
    for (int i = 0; i < 2; i++) add_hours(&r->hours, i, h->n[i], h->at[i], h->line[i]);
    r->rows.full += x->rows.full;
    r->rows.bare += x->rows.bare;
    pthread_mutex_unlock(&r->lock);
}

/* Warns of one input among others whose records become nothing: most likely its keys have other names. */
static int warn_bare(const struct jsonl_reader *r, struct err *err) {
    const unsigned long long n = r->rows.bare;
    char text[PATH_MAX + 400];
    const char *path = instream_path(r->base.text.in);
    if (r->document.begun && r->source && r->source->rows_at.p && !r->document.met)
        snprintf(text, sizeof text, "%s: no document has %.*s, which \"rows\" names, so it has no records; check the spelling",
                 path, (int)r->source->rows_at.n, (const char *)r->source->rows_at.p);
    else if (n && !r->rows.full && !r->is_alone)
        snprintf(text, sizeof text, "%s: no record (of %llu) has a value for a cell; check the paths (--preview 5 %s)", path, n,
                 "shows the first cells");
    else
        return 0;
    return text_warn_into(r->warnings, WARN_PATH_MISSING, 1, text, err);
}

static int jsonl_finish(struct reader *base, struct err *err) {
    const struct jsonl_reader *r = (const struct jsonl_reader *)base;
    char text[PATH_MAX + 400];
    int rc = r->warnings ? warn_bare(r, err) : 0;
    for (int i = 0; !rc && i < 2 && r->warnings; i++) {
        const unsigned long long n = r->hours.n[i], line = r->hours.line[i];
        const bool by_line = line != 0;
        if (!n) continue;
        const int at = snprintf(text, sizeof text, "%s%s%llu: ", instream_path(r->base.text.in), by_line ? ":" : ", byte ",
                                by_line ? line : (unsigned long long)r->hours.at[i]);
        const size_t room = sizeof text - (size_t)at;
        if (i)
            snprintf(text + at, room, TEXT_HOUR_REPEATED, n, n == 1 ? "" : "s");
        else
            snprintf(text + at, room, TEXT_HOUR_SKIPPED, n, n == 1 ? "" : "s");
        rc = text_warn_into(r->warnings, WARN_CLOCK_CHANGE, n, text, err);
    }
    return rc;
}

static int jsonl_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err) {
    const struct jsonl_reader *r = (const struct jsonl_reader *)base;
    struct jsonl_parsing x = {.r = r, .c = c, .e = e, .input = input};
    int rc = jline_scan_init(&x.scan, &r->paths, err);
    if (!rc && r->source) rc = record_mapper_init(&x.mapper, r->mapped, err);
    if (!rc) rc = r->by_document ? parse_documents(&x, err) : parse_lines(&x, err);
    if (!rc && x.skipped) e->ops->skip(e, x.skipped);
    if (!rc) sum_up((struct jsonl_reader *)base, &x);
    if (r->source) record_mapper_free(&x.mapper);
    jline_scan_free(&x.scan);
    buf_free(&x.hex);
    return rc;
}

/* ---- the reader ---- */

/* The fault's place, counted from the chunk's. */
static int document_fault(const struct jsonl_reader *r, const struct chunk *c, const struct json_fault *f, struct err *err) {
    uint64_t line =
        c->line + text_count_byte(bytes_of(c->data.p, f->at), '\r') + text_count_byte(bytes_of(c->data.p, f->at), '\n');
    return err_set(err, ERR_INPUT, "%s: line %llu, byte %llu: %s", instream_path(r->base.text.in), (unsigned long long)line,
                   (unsigned long long)(c->offset + f->at), f->text);
}

static int jsonl_next(struct reader *base, struct chunk *c, struct err *err) {
    struct jsonl_reader *r = (struct jsonl_reader *)base;
    struct text_input *t = &r->base.text;
    struct json_fault fault;
    if (!r->by_document) return text_reader_next(base, c, err);
    int rc = text_next(t, json_document_cut, &r->document, c, err);
    if (rc < 0) return -1;
    return json_document_blank(&r->document, &c->data, t->at_end && !t->carry.n, &fault) ? rc : document_fault(r, c, &fault, err);
}

static int jsonl_by_blocks(struct reader *base, struct reason *why, struct err *err) {
    (void)err;
    const struct jsonl_reader *r = (const struct jsonl_reader *)base;
    if (r->by_document) return text_why(why, 0, "it is a JSON document, not a record a line");
    return r->base.text.fd < 0 ? text_why(why, 0, "it is compressed") : 1;
}

static void jsonl_close(struct reader *base) {
    struct jsonl_reader *r = (struct jsonl_reader *)base;
    text_close(&r->base.text);
    record_map_free(r->mapped);
    jline_paths_free(&r->paths);
    json_document_free(&r->document);
    free(r->slots);
    pthread_mutex_destroy(&r->lock);
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
        r->slots[i] = JLINE_NONE;
        if (s->fields[i].is_item) continue;
        if (!name.p) name = s->columns[s->fields[i].column];
        if (jline_paths_add(&r->paths, name, &r->slots[i], err)) return -1;
    }
    return 0;
}

/* A path from the record into an array, $[0], says that a record is an array. */
static bool records_are_arrays(const struct mapping_source *s) {
    for (uint32_t i = 0; s && i < s->n_fields; i++)
        if (s->fields[i].name.n > 2 && s->fields[i].name.p[0] == '$' && s->fields[i].name.p[1] == '[') return true;
    return false;
}

/* Lines or documents; an input without a record is said to be empty. */
/* The offset of the first record, or of the end of head. */
static uint64_t first_record(struct bytes head) {
    struct bytes rest = head, line = {head.p, 0};
    while (rest.n) {
        line = text_take_line(&rest);
        if (!json_text_is_blank(line) && !json_text_is_null(line) && !json_text_is_comment(line))
            return (uint64_t)(line.p - head.p);
    }
    return head.n;
}

static int find_layout(struct jsonl_reader *r, const struct read_opts *o, struct bytes head, bool whole, struct err *err) {
    const struct bytes rows_at = r->source ? r->source->rows_at : (struct bytes){0};
    const enum json_layout layout = json_layout_of(head, whole);
    r->comments_end = r->base.text.offset + first_record(head);
    r->by_document = rows_at.p || (layout == JSON_LAYOUT_DOCUMENTS && !records_are_arrays(r->source));
    if (r->by_document && json_document_init(&r->document, rows_at, err)) return -1;
    return whole && json_text_is_blank(head) ? text_warn_empty(&r->base.text, o, err) : 0;
}

/* The first record of head, if it is there as a whole; head is changed. */
static bool take_first(const struct jsonl_reader *r, struct buf *head, bool whole, struct bytes *record) {
    struct json_document d = r->document; /* its path is only read */
    struct json_fault why;
    uint64_t lines = 0;
    struct bytes rest;
    if (r->by_document) {
        head->n = whole ? head->n : json_document_cut(&d, buf_bytes(head));
        rest = buf_bytes(head);
        return json_document_blank(&d, head, false, &why) && json_document_take(&rest, record, &lines);
    }
    for (rest = buf_bytes(head); rest.n;) {
        bool ends = whole || memchr(rest.p, '\n', rest.n);
        *record = text_take_line(&rest);
        if (!json_text_is_blank(*record) && !json_text_is_null(*record) && !json_text_is_comment(*record)) return ends;
    }
    return false;
}

/* Cells need no mapping; that other records do is said before the first of them is rejected. */
static int expect_cells(struct jsonl_reader *r, const struct read_opts *o, struct bytes head, bool whole, struct err *err) {
    struct reason why;
    struct jline_paths open = {0};
    struct jline_scan scan = {0};
    struct buf copy = {0};
    struct bytes record;
    if (o->text.mapping)
        return err_set(err, ERR_USAGE, "%s: no source of %s has a pattern in \"files\" that matches this name",
                       instream_path(r->base.text.in), o->text.mapping->path);
    int rc = jsonl_cell_paths(&r->paths, err) || jsonl_cell_paths(&open, err) || buf_put(&copy, head.p, head.n, err) ? -1 : 0;
    open.closed = false;
    if (!rc && take_first(r, &copy, whole, &record)) {
        rc = jline_scan_init(&scan, &open, err);
        if (!rc) rc = jline_scan_line(&scan, record, &why, err);
        if (rc == 1 && !jsonl_cell_is(&scan))
            rc = err_set(err, ERR_USAGE, "%s: JSON other than obkv-export's needs --map FILE, with paths such as $.user.name",
                         instream_path(r->base.text.in));
        jline_scan_free(&scan);
    }
    buf_free(&copy);
    jline_paths_free(&open);
    return rc < 0 ? -1 : 0;
}

/* Plans columns or mapping, with r->base.text open. */
static int plan(struct jsonl_reader *r, const struct read_opts *o, struct err *err) {
    struct bytes head;
    if (instream_peek(r->base.text.in, JSON_HEAD_BYTES, &head, err)) return -1;
    const bool whole = head.n < JSON_HEAD_BYTES;
    if (find_layout(r, o, head, whole, err)) return -1;
    return r->source ? by_mapping(r, o, err) : expect_cells(r, o, head, whole, err);
}

static struct reader *jsonl_open(struct instream *in, const struct read_opts *o, struct err *err) {
    static const struct reader_ops ops = {.next = jsonl_next,
                                          .parse = jsonl_parse,
                                          .input_bytes = text_reader_input_bytes,
                                          .checksum = text_reader_checksum,
                                          .by_blocks = jsonl_by_blocks,
                                          .finish = jsonl_finish,
                                          .close = jsonl_close};
    struct jsonl_reader *r = text_reader_new(sizeof *r, &ops, in, err);
    if (!r) return NULL;
    r->default_ts_ms = o->default_ts_ms;
    r->warnings = o->warnings;
    r->is_alone = (!o->text.set || o->text.set->n < 2) && !strchr(instream_path(in), '!'); /* that of an archive is not */
    pthread_mutex_init(&r->lock, NULL);
    if (o->text.mapping) r->source = mapping_source_of(o->text.mapping, instream_path(in));
    if (text_open_hex(&r->base.text, in, o, err) == 0 && plan(r, o, err) == 0) {
        if (!r->by_document) text_reader_by_lines(&r->base);
        return &r->base.reader;
    }
    jsonl_close(&r->base.reader);
    return NULL;
}

/* ---- whose text it is ---- */

static bool is_called_so(const char *path) {
    static const char *const endings[] = {".jsonl", ".ndjson", ".json"};
    for (size_t i = 0; i < countof(endings); i++) {
        const char *p = strstr(path, endings[i]);
        char after = p ? p[strlen(endings[i])] : 'x';
        if (p && (!after || after == '.')) return true;
    }
    return false;
}

/* The name decides where there is nothing yet, and for text that is no JSON: then this format says what is wrong with it, and no
 * other looks for a header in it. */
static int jsonl_sniff(struct bytes head, const char *path) {
    enum { BITS_LINE = 48, BITS_BEGINNING = 40 };
    switch (json_layout_of(bytes_without_mark(head), head.n < FORMAT_SNIFF_BYTES)) {
    case JSON_LAYOUT_LINES: return BITS_LINE;
    case JSON_LAYOUT_DOCUMENTS: return BITS_BEGINNING;
    case JSON_LAYOUT_EMPTY: return is_called_so(path) ? BITS_BEGINNING : 0;
    default: return is_called_so(path) && !memchr(head.p, 0, head.n) ? BITS_BEGINNING : 0;
    }
}

const struct format fmt_jsonl = {.name = "jsonl",
                                 .about = "JSON, a record a line or in documents; needs --map, except for lines of obkv-export",
                                 .sniff = jsonl_sniff,
                                 .open = jsonl_open,
                                 .seqs = FORMAT_SEQS_SOME,
                                 .is_text = true};
