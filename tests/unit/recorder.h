/* An emit that writes down what it is given, one line per event, and a way to run a reader over bytes. For unit tests. */
#ifndef TESTS_UNIT_RECORDER_H
#define TESTS_UNIT_RECORDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cell/cell.h"
#include "formats/formats.h"
#include "formats/text/dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct recorder {
    struct emit base;
    struct buf text; /* "+ row fam:qual@ts=value …", "! line offset column reason |raw|" */
    const struct shape_set *shapes;
    uint64_t accepted, rejected, skipped, cells;
    const char *refuse_row; /* record() refuses this row */
};

static void recorder_bytes(struct buf *out, struct bytes b) {
    struct err err = {0};
    for (size_t i = 0; i < b.n; i++) {
        bool plain = b.p[i] > ' ' && b.p[i] < 0x7f;
        assert_int_equal(buf_printf(out, &err, plain ? "%c" : "\\x%02x", b.p[i]), 0);
    }
}

/* The contract of shapes: each qualifier is the shape's own pointer, in ascending position. */
static void recorder_check_shape(const struct recorder *r, const struct row_part *part) {
    if (!part->shape) return;
    const struct shape *s = shape_get(r->shapes, part->shape);
    uint32_t at = 0;
    assert_true(bytes_eq(s->family, part->family));
    for (uint32_t i = 0; i < part->n_cells; i++, at++) {
        while (at < s->n && s->qualifiers[at].p != part->cells[i].qualifier.p) at++;
        assert_true(at < s->n);
    }
}

static void recorder_part(struct recorder *r, const struct row_part *part) {
    struct err err = {0};
    assert_true(part->n_cells > 0 && part->first);
    recorder_check_shape(r, part);
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        int64_t ttl;
        buf_put_byte(&r->text, ' ', &err);
        recorder_bytes(&r->text, part->family);
        buf_put_byte(&r->text, ':', &err);
        recorder_bytes(&r->text, c->qualifier);
        buf_printf(&r->text, &err, "@%lld=", (long long)c->ts_ms);
        recorder_bytes(&r->text, c->value);
        if (cell_ttl_ms(c->tags, &ttl)) buf_printf(&r->text, &err, "~%lld", (long long)ttl);
        if (c->type != CELL_PUT || c->seq) buf_printf(&r->text, &err, "#%u,%llu", c->type, (unsigned long long)c->seq);
        assert_int_equal(c->rank, part->cells[0].rank);
    }
    r->cells += part->n_cells;
}

static int recorder_record(struct emit *e, const struct row_part *parts, uint32_t n, struct reason *why, struct err *err) {
    struct recorder *r = (struct recorder *)e;
    if (n && r->refuse_row && bytes_eq(parts[0].row, bytes_str(r->refuse_row))) {
        *why = (struct reason){.column = 0, .text = "refused by the test"};
        return 0;
    }
    r->accepted++;
    buf_put_byte(&r->text, '+', err);
    if (n) {
        buf_printf(&r->text, err, " <%llu> ", (unsigned long long)(parts[0].cells[0].rank));
        recorder_bytes(&r->text, parts[0].row);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (i && !bytes_eq(parts[i].row, parts[i - 1].row)) {
            buf_printf(&r->text, err, " & <%llu> ", (unsigned long long)parts[i].cells[0].rank);
            recorder_bytes(&r->text, parts[i].row);
        }
        recorder_part(r, &parts[i]);
    }
    return buf_put_byte(&r->text, '\n', err) ? -1 : 1;
}

static int recorder_cells(struct emit *e, const struct row_part *part, const struct tally *tally, struct err *err) {
    struct recorder *r = (struct recorder *)e;
    r->cells += part->n_cells;
    assert_true(!tally || tally->cells == part->n_cells);
    return cells_print(&r->text, part, err);
}

static int recorder_reject(struct emit *e, struct bytes raw, uint64_t line, uint64_t offset, const struct reason *why,
                           struct err *err) {
    struct recorder *r = (struct recorder *)e;
    r->rejected++;
    buf_printf(&r->text, err, "! line %llu offset %llu column %u %s |", (unsigned long long)line, (unsigned long long)offset,
               why->column, why->text);
    recorder_bytes(&r->text, raw);
    return buf_put(&r->text, "|\n", 2, err);
}

static void recorder_skip(struct emit *e, uint64_t records) {
    ((struct recorder *)e)->skipped += records;
}

static void recorder_init(struct recorder *r, const struct shape_set *shapes) {
    static const struct emit_ops ops = {
        .record = recorder_record, .cells = recorder_cells, .reject = recorder_reject, .skip = recorder_skip};
    *r = (struct recorder){.base.ops = &ops, .shapes = shapes};
}

/* All chunks of a reader, one after the other. 0 or -1. */
static int recorder_drain(struct recorder *r, struct reader *reader, uint32_t input, struct err *err) {
    struct chunk c = {0};
    int rc;
    while ((rc = reader->ops->next(reader, &c, err)) > 0)
        if ((rc = reader->ops->parse(reader, &c, input, &r->base, err))) break;
    if (!rc && reader->ops->finish) rc = reader->ops->finish(reader, err);
    buf_free(&c.data);
    return rc;
}

/* The path of an anonymous file with these bytes; close *fd when done. */
static const char *recorder_file(struct bytes content, int *fd, char path[64]) {
    *fd = memfd_create("test", 0);
    assert_true(*fd >= 0);
    assert_int_equal(write(*fd, content.p, content.n), content.n);
    snprintf(path, 64, "/proc/self/fd/%d", *fd);
    return path;
}

/* Opens format `name` over content, and records everything. 0 or -1; err says why. */
static int recorder_run(struct recorder *r, const char *name, struct bytes content, const struct read_opts *o, struct err *err) {
    int fd;
    char path[64];
    const struct format *f;
    struct reader *reader = format_open(recorder_file(content, &fd, path), name, o, &f, err);
    int rc = reader ? recorder_drain(r, reader, 0, err) : -1;
    if (reader) reader->ops->close(reader);
    close(fd);
    return rc;
}

/* A handmade table, options and a recorder. */
struct fixture {
    struct table table;
    struct shape_set shapes;
    struct read_opts o;
    struct dialect dialect; /* what is said of text, once fixture_say is called */
    struct recorder rec;
    struct err err;
};

static inline void fixture_begin(struct fixture *f, const char *columns) {
    *f = (struct fixture){0};
    assert_int_equal(table_handmade(&f->table, &f->err), 0);
    f->o = (struct read_opts){
        .text.columns = columns, .default_ts_ms = 77, .table = &f->table, .open_families = true, .shapes = &f->shapes};
    recorder_init(&f->rec, &f->shapes);
}

/* A key of the dialect. */
static inline void fixture_say_bytes(struct fixture *f, const char *key, struct bytes value) {
    f->o.text.dialect = &f->dialect;
    assert_int_equal(dialect_set(&f->dialect, key, value, &f->err), 0);
}

static inline void fixture_say(struct fixture *f, const char *key, const char *value) {
    fixture_say_bytes(f, key, bytes_str(value));
}

static inline void fixture_end(struct fixture *f) {
    buf_free(&f->rec.text);
    table_free(&f->table);
    shape_set_free(&f->shapes);
}

/* Runs and compares the whole recording. */
static inline void fixture_expect_bytes(struct fixture *f, const char *name, struct bytes input, const char *want) {
    int rc = recorder_run(&f->rec, name, input, &f->o, &f->err);
    assert_string_equal(f->err.text, "");
    assert_int_equal(rc, 0);
    assert_int_equal(buf_put_byte(&f->rec.text, 0, &f->err), 0);
    assert_string_equal((char *)f->rec.text.p, want);
}

static inline void fixture_expect(struct fixture *f, const char *name, const char *input, const char *want) {
    fixture_expect_bytes(f, name, bytes_str(input), want);
}

/* Runs and wants an error with this code whose text holds `text`. */
static inline void fixture_expect_error(struct fixture *f, const char *name, const char *input, enum err_code code,
                                        const char *text) {
    assert_int_equal(recorder_run(&f->rec, name, bytes_str(input), &f->o, &f->err), -1);
    if (!strstr(f->err.text, text)) assert_string_equal(f->err.text, text);
    assert_int_equal(f->err.code, code);
}

static inline uint64_t test_random(uint64_t *s) {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

#endif
