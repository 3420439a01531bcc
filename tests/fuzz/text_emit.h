/* Shared by the fuzz targets of text formats: a reader over bytes in memory, and an emit that writes everything down. */
#ifndef FUZZ_TEXT_EMIT_H
#define FUZZ_TEXT_EMIT_H

#include "fuzz.h"

#include "cell/cell.h"
#include "base/warning.h"
#include "formats/formats.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct text_emit {
    struct emit base;
    struct buf text; /* accepted cells as text cells, rejects and skips, with their places */
    const struct shape_set *shapes;
    uint64_t skipped;
    enum err_code end; /* ERR_NONE: read to the end */
};

/* Returns options for text, in one chunk, that a mapping, or NULL, makes cells of. */
static inline struct read_opts text_emit_mapped(struct mapping *m, struct shape_set *shapes) {
    return (struct read_opts){
        .text.mapping = m, .default_ts_ms = 99, .shapes = shapes, .memory.chunk = 1 << 20, .memory.max_cell = 1 << 20};
}

static void text_emit_check(const struct text_emit *t, const struct row_part *part) {
    require(part->n_cells > 0 && part->row.n > 0 && part->row.n <= ROW_MAX_BYTES && part->family.n > 0);
    const struct shape *s = part->shape ? shape_get(t->shapes, part->shape) : NULL;
    for (uint32_t i = 0, at = 0; i < part->n_cells; i++, at++) {
        while (s && at < s->n && s->qualifiers[at].p != part->cells[i].qualifier.p) at++;
        require(!s || at < s->n);
        require(tags_valid(part->cells[i].tags) && cell_type_known(part->cells[i].type) && part->cells[i].ts_ms >= 0);
    }
}

static int text_emit_record(struct emit *e, const struct row_part *parts, uint32_t n, struct reason *why, struct err *err) {
    struct text_emit *t = (struct text_emit *)e;
    (void)why;
    buf_printf(&t->text, err, "# accepted at %llu\n", n ? (unsigned long long)parts[0].cells[0].rank : 0);
    for (uint32_t i = 0; i < n; i++) {
        text_emit_check(t, &parts[i]);
        require(cells_print(&t->text, &parts[i], err) == 0);
    }
    return 1;
}

static int text_emit_reject(struct emit *e, struct bytes raw, uint64_t line, uint64_t offset, const struct reason *why,
                            struct err *err) {
    struct text_emit *t = (struct text_emit *)e;
    require(why->text[0] != 0);
    buf_printf(&t->text, err, "# rejected line %llu offset %llu column %u %s ", (unsigned long long)line,
               (unsigned long long)offset, why->column, why->text);
    return buf_put(&t->text, raw.p, raw.n, err) || buf_put_byte(&t->text, '\n', err) ? -1 : 0;
}

static void text_emit_skip(struct emit *e, uint64_t records) {
    ((struct text_emit *)e)->skipped += records;
}

static struct reader *text_emit_open(const char *format, struct bytes content, const struct read_opts *o, struct err *err) {
    char path[64];
    int fd = memfd_create("fuzz", 0);
    require(fd >= 0 && write(fd, content.p, content.n) == (ssize_t)content.n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct reader *r = format_open(path, format, o, NULL, err);
    close(fd);
    return r;
}

/* Codes of warnings, and of how many things they speak: the names of files differ. */
static void text_emit_warnings(struct text_emit *t, const struct buf *warnings) {
    struct err none = {0};
    struct warning_line line;
    for (size_t at = 0; warning_next(warnings, &at, &line);)
        buf_printf(&t->text, &none, "# warning %s %llu\n", warning_name(line.code), (unsigned long long)line.n);
}

/* Everything the reader says about content, in *t (free t->text); an error is part of it. What it finds as a whole is said once
 * it was read to its end. */
static inline void text_emit_run(struct text_emit *t, const char *format, struct bytes content, const struct read_opts *opts) {
    static const struct emit_ops ops = {.record = text_emit_record, .reject = text_emit_reject, .skip = text_emit_skip};
    struct err err = {0}, no_memory = {0};
    struct chunk c = {0};
    struct buf warnings = {0};
    struct read_opts o = *opts;
    int rc = -1;
    o.warnings = &warnings;
    *t = (struct text_emit){.base.ops = &ops, .shapes = o.shapes};
    struct reader *r = text_emit_open(format, content, &o, &err);
    while (r && (rc = r->ops->next(r, &c, &err)) > 0)
        if ((rc = r->ops->parse(r, &c, 1, &t->base, &err))) break;
    if (r && !rc && r->ops->finish) rc = r->ops->finish(r, &err);
    require((rc == 0) == (err.code == ERR_NONE));
    text_emit_warnings(t, &warnings);
    buf_free(&warnings);
    t->end = err.code;
    /* The name of the file differs from run to run. */
    char *text = strchr(err.text, ':');
    for (char *p = text; p && *p; p++) /* names of an archive's members may hold anything */
        if (*p == '\n') *p = ' ';
    buf_printf(&t->text, &no_memory, "# skipped %llu, end %d %s\n", (unsigned long long)t->skipped, (int)err.code,
               text ? text : "");
    if (r) r->ops->close(r);
    buf_free(&c.data);
}

/* Reads content as one chunk, which *whole records (free its text), and in chunks of `small` bytes, which must say no less. Where
 * content ends in damage (it is an archive then), smaller chunks are handed out before that is known, so only the end counts. */
static inline void text_emit_by_chunks(struct text_emit *whole, const char *format, struct bytes content,
                                       const struct read_opts *opts, size_t small) {
    struct text_emit cut;
    struct read_opts o = *opts;
    text_emit_run(whole, format, content, &o);
    o.memory.chunk = small;
    text_emit_run(&cut, format, content, &o);
    require(whole->end == cut.end);
    require(whole->end != ERR_NONE || bytes_eq(buf_bytes(&whole->text), buf_bytes(&cut.text)));
    buf_free(&cut.text);
}

#endif
