/* Cuts text inputs into chunks of whole records, so that any thread can parse a chunk; line numbers and offsets of chunks are
 * exact. A format says only where whole records end (text_cut). */
#include "formats/text/text_input.h"

#include "base/fd.h"
#include "base/remote.h"
#include "base/fs.h"
#include "base/stop.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_CHUNK_BYTES = 1 << 20, DEFAULT_CELL_BYTES = 64 << 20, RECORD_EXTRA_BYTES = 64 * 1024 };
enum { FIRST_LINE_BYTES = 64 * 1024 };

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static int skip_bom(struct text_input *t, struct err *err) {
    struct bytes head;
    uint8_t bom[3];
    if (instream_peek(t->in, sizeof bom, &head, err)) return -1;
    if (head.n < sizeof bom || memcmp(head.p, "\xef\xbb\xbf", sizeof bom)) return 0;
    t->offset = t->head_bytes = sizeof bom;
    return instream_read(t->in, bom, sizeof bom, err) < 0 ? -1 : 0;
}

static int open_blocks(struct text_input *t, struct err *err) {
    struct stat st;
    if (!instream_is_file(t->in) || instream_is_temporary(t->in)) return 0;
    if ((t->fd = instream_file(t->in, err)) < 0) return -1;
    if (fstat(t->fd, &st)) return err_sys(err, ERR_INPUT, errno, "%s: cannot stat", instream_path(t->in));
    t->size = (uint64_t)st.st_size;
    (void)posix_fadvise(t->fd, 0, 0, POSIX_FADV_RANDOM); /* a hint */
    return 0;
}

int text_open(struct text_input *t, struct instream *in, const struct read_opts *o, bool cr_ends, struct err *err) {
    size_t cell_bytes = o->memory.max_cell ? o->memory.max_cell : DEFAULT_CELL_BYTES;
    if (cell_bytes > SIZE_MAX / 4) cell_bytes = SIZE_MAX / 4;
    *t = (struct text_input){.in = in, .stop = o->stop, .line = 1, .cr_ends = cr_ends};
    t->chunk_bytes = o->memory.chunk ? o->memory.chunk : DEFAULT_CHUNK_BYTES;
    t->max_record_bytes = larger(cell_bytes + RECORD_EXTRA_BYTES, t->chunk_bytes);
    t->blocks = o->blocks;
    t->part = o->text.part;
    t->fd = -1;
    if (o->blocks.of && open_blocks(t, err)) return -1;
    return skip_bom(t, err);
}

int text_open_hex(struct text_input *t, struct instream *in, const struct read_opts *o, struct err *err) {
    struct read_opts twice = *o;
    twice.memory.max_cell = o->memory.max_cell > SIZE_MAX / 4 ? SIZE_MAX / 4 : o->memory.max_cell * 2;
    return text_open(t, in, &twice, false, err);
}

/* data begins at t->offset and held `before` bytes: ends it with the first line end at or after the end of the part. */
static void end_part(struct text_input *t, struct buf *data, size_t before) {
    uint64_t beyond = t->part.end > t->offset ? t->part.end - t->offset : 0;
    size_t from = beyond > before ? (size_t)beyond : before;
    if (!t->part.end || beyond >= data->n || from >= data->n) return;
    const uint8_t *end = memchr(data->p + from, '\n', data->n - from);
    if (!end) return;
    data->n = (size_t)(end + 1 - data->p);
    t->at_end = true;
}

/* Reads until data holds `want` bytes or the input ends. */
static int read_up_to(struct text_input *t, struct buf *data, size_t want, struct err *err) {
    if (want > data->n && buf_reserve(data, want - data->n + VALUE_SPARE_BYTES, err)) return -1;
    while (data->n < want && !t->at_end) {
        ssize_t r = instream_read(t->in, data->p + data->n, want - data->n, err);
        if (r < 0) return -1;
        t->at_end = r == 0;
        data->n += (size_t)r;
        end_part(t, data, data->n - (size_t)r);
    }
    return 0;
}

static int too_long(const struct text_input *t, struct err *err) {
    return err_set(err, ERR_LIMIT,
                   "%s: the record that begins at line %llu, byte %llu, is longer than %zu bytes; check for a quote that "
                   "is never closed, or raise --memory",
                   instream_path(t->in), (unsigned long long)t->line, (unsigned long long)t->offset, t->max_record_bytes);
}

/* The buffer always begins at a record, and doubles until it holds a whole one, so each byte is searched about twice at most. */
static int fill_records(struct text_input *t, text_cut cut, const void *arg, struct buf *data, size_t *whole, struct err *err) {
    size_t want = larger(t->chunk_bytes, data->n);
    for (;;) {
        if (read_up_to(t, data, want, err)) return -1;
        *whole = t->at_end ? data->n : cut(arg, buf_bytes(data));
        if (*whole || t->at_end) return 0;
        if (data->n > t->max_record_bytes) return too_long(t, err);
        want = data->n > t->max_record_bytes / 2 ? t->max_record_bytes + 1 : data->n * 2;
    }
}

static int pass(struct text_input *t, size_t bytes, struct err *err) {
    uint8_t passed[512];
    while (bytes) {
        ssize_t n = instream_read(t->in, passed, bytes < sizeof passed ? bytes : sizeof passed, err);
        if (n < 0) return -1;
        if (!n) break;
        bytes -= (size_t)n;
    }
    return 0;
}

/* The byte order mark and skipped lines, which were read before. */
static int skip_again(struct text_input *t, struct err *err) {
    return pass(t, t->head_bytes, err);
}

int text_skip_lines(struct text_input *t, uint32_t lines, struct err *err) {
    struct bytes head;
    size_t n = 0;
    uint32_t passed = 0;
    if (!lines) return 0;
    if (instream_peek(t->in, FIRST_LINE_BYTES, &head, err)) return -1;
    for (; passed < lines && n < head.n; passed++) {
        const uint8_t *end = memchr(head.p + n, '\n', head.n - n);
        if (!end && head.n >= FIRST_LINE_BYTES)
            return err_set(err, ERR_LIMIT, "%s: the %u lines that are to be skipped take more than %d bytes",
                           instream_path(t->in), lines, FIRST_LINE_BYTES);
        n = end ? (size_t)(end + 1 - head.p) : head.n;
    }
    t->head_bytes += n;
    t->head_lines += passed;
    t->offset += n;
    t->line += passed;
    return pass(t, n, err);
}

/* Goes to the beginning of the part, and on to its first line: the line before it belongs to another part. What is read beyond it
 * is copied into the first chunk, so it is little. */
static int begin_part(struct text_input *t, struct err *err) {
    t->begun = true;
    if (!t->part.end) return 0;
    if (instream_part(t->in, t->part.begin, t->part.end, err)) return -1;
    if (!t->part.begin) return skip_again(t, err);
    t->offset = t->part.begin;
    t->line = 0;
    const size_t step = t->chunk_bytes < FIRST_LINE_BYTES ? t->chunk_bytes : FIRST_LINE_BYTES;
    for (const uint8_t *end = NULL; !end && !t->at_end;) {
        if (stop_check(t->stop, err) || read_up_to(t, &t->carry, step, err)) return -1;
        end = t->carry.n ? memchr(t->carry.p, '\n', t->carry.n) : NULL;
        size_t passed = end ? (size_t)(end + 1 - t->carry.p) : t->carry.n;
        memmove(t->carry.p, t->carry.p + passed, t->carry.n - passed);
        t->carry.n -= passed;
        t->offset += passed;
    }
    return 0;
}

int text_next(struct text_input *t, text_cut cut, const void *arg, struct chunk *c, struct err *err) {
    if (stop_check(t->stop, err)) return -1;
    size_t whole = 0;
    if (!t->begun && begin_part(t, err)) return -1;
    buf_clear(&c->data);
    if (buf_put(&c->data, t->carry.p, t->carry.n, err)) return -1;
    if (fill_records(t, cut, arg, &c->data, &whole, err)) return -1;
    if (buf_copy(&t->carry, bytes_of(c->data.p + whole, c->data.n - whole), err)) return -1;
    c->data.n = whole;
    c->offset = t->offset;
    c->line = t->line;
    t->offset += whole;
    if (t->line) t->line += text_count_lines(buf_bytes(&c->data), t->cr_ends);
    return whole > 0;
}

/* ---- blocks ---- */

/* Appends to data, which begins at file offset `from`, what follows in the file. */
static int read_on(const struct text_input *t, uint64_t from, size_t bytes, struct buf *data, struct err *err) {
    if (buf_reserve(data, bytes, err)) return -1;
    for (size_t end = data->n + bytes; data->n < end && from + data->n < t->size;) {
        ssize_t r = remote_read_at(t->fd, data->p + data->n, end - data->n, from + data->n, instream_path(t->in), err);
        if (r < 0) return -1;
        if (!r) break;
        data->n += (size_t)r;
    }
    return 0;
}

/* Returns where the line after the first line end at or after `from` begins; data->n: none. A CR at the very end may be followed
 * by its LF. */
static size_t line_after(const struct text_input *t, const struct buf *data, size_t from) {
    for (size_t i = from; i < data->n; i++) {
        if (data->p[i] == '\n') return i + 1;
        if (data->p[i] == '\r' && t->cr_ends && i + 1 < data->n) return i + 1 + (data->p[i + 1] == '\n');
    }
    return data->n;
}

/* The lines that begin in the block at `at`, which is not the first of the file. A line begins right at `at` if the byte before
 * is a line end. */
static int read_block(const struct text_input *t, uint64_t at, struct chunk *c, struct err *err) {
    enum { MORE_BYTES = 16 * 1024 };
    const size_t before = at > 0, block = t->blocks.block_bytes;
    const uint64_t from = at - before;
    struct buf *data = &c->data;
    buf_clear(data);
    if (read_on(t, from, before + block + MORE_BYTES, data, err)) return -1;
    size_t begin = before ? line_after(t, data, 0) : t->head_bytes, end;
    if (begin >= before + block || begin >= data->n) return 0;
    while ((end = line_after(t, data, before + block - 1)) == data->n && from + data->n < t->size) {
        if (data->n > t->max_record_bytes)
            return err_set(err, ERR_LIMIT, "%s: a record that begins before byte %llu is longer than %zu bytes; raise --memory",
                           instream_path(t->in), (unsigned long long)(at + block), t->max_record_bytes);
        if (read_on(t, from, data->n, data, err)) return -1;
    }
    memmove(data->p, data->p + begin, end - begin);
    data->n = end - begin;
    c->offset = from + begin;
    c->line = at == 0 ? 1 + t->head_lines : 0;
    return 1;
}

int text_next_block(struct text_input *t, struct chunk *c, struct err *err) {
    int rc = 0;
    if (stop_check(t->stop, err)) return -1;
    while (!rc) {
        uint64_t at = block_choice_next(&t->blocks, t->next_block);
        t->offset = at < t->size ? at : t->size;
        if (at >= t->size) return 0;
        t->next_block = at + t->blocks.block_bytes;
        rc = read_block(t, at, c, err);
    }
    return rc;
}

size_t text_cut_lines(const void *arg, struct bytes data) {
    (void)arg;
    const uint8_t *e = data.n ? memrchr(data.p, '\n', data.n) : NULL;
    return e ? (size_t)(e + 1 - data.p) : 0;
}

struct bytes text_take_line(struct bytes *rest) {
    const uint8_t *e = memchr(rest->p, '\n', rest->n);
    struct bytes line = {rest->p, e ? (size_t)(e - rest->p) : rest->n};
    *rest = bytes_of(rest->p + line.n + (e != NULL), rest->n - line.n - (e != NULL));
    if (line.n && line.p[line.n - 1] == '\r') line.n--;
    return line;
}

void text_close(struct text_input *t) {
    if (t->blocks.of) fd_close(t->fd);
    instream_close(t->in);
    buf_free(&t->carry);
}

/* Byte counters that cannot overflow within a stretch let the compiler count 16 bytes at a time. */
uint64_t text_count_byte(struct bytes data, uint8_t what) {
    const uint8_t *p = data.p;
    size_t n = data.n;
    uint64_t total = 0;
    while (n) {
        size_t stretch = n < 4080 ? n : 4080, i = 0;
        uint8_t part[16] = {0};
        for (; i + 16 <= stretch; i += 16)
            for (size_t j = 0; j < 16; j++) part[j] += p[i + j] == what;
        for (; i < stretch; i++) total += p[i] == what;
        for (size_t j = 0; j < 16; j++) total += part[j];
        p += stretch;
        n -= stretch;
    }
    return total;
}

uint64_t text_count_lines(struct bytes data, bool cr_ends) {
    uint64_t lines = text_count_byte(data, '\n');
    if (!cr_ends) return lines;
    for (const uint8_t *p = data.p, *end = p + data.n; p < end; p++) {
        if (!(p = memchr(p, '\r', (size_t)(end - p)))) break;
        if (p + 1 == end || p[1] != '\n') lines++;
    }
    return lines;
}

bool text_why(struct reason *why, uint32_t column, const char *fmt, ...) {
    va_list ap;
    why->column = column;
    va_start(ap, fmt);
    vsnprintf(why->text, sizeof why->text, fmt, ap);
    va_end(ap);
    return false;
}

/* ---- readers ---- */

void *text_reader_new(size_t bytes, const struct reader_ops *ops, struct instream *in, struct err *err) {
    struct text_reader *r = calloc(1, bytes);
    if (!r) {
        err_nomem(err, bytes, "a reader");
        instream_close(in);
        return NULL;
    }
    r->reader.ops = ops;
    r->reader.unpacks = instream_is_compressed(in);
    return r;
}

void text_reader_by_lines(struct text_reader *r) {
    if (!instream_is_file(r->text.in) || instream_is_temporary(r->text.in)) return;
    r->reader.by_lines = true;
    instream_sum_stretches(r->text.in);
}

int text_reader_next(struct reader *base, struct chunk *c, struct err *err) {
    struct text_input *t = &((struct text_reader *)base)->text;
    return t->blocks.of ? text_next_block(t, c, err) : text_next(t, text_cut_lines, NULL, c, err);
}

uint64_t text_reader_input_bytes(const struct reader *base) {
    const struct text_input *t = &((const struct text_reader *)base)->text;
    return t->blocks.of ? t->offset : instream_input_bytes(t->in);
}

int text_reader_checksum(const struct reader *base, char hex[17], struct err *err) {
    (void)err;
    instream_checksum(((const struct text_reader *)base)->text.in, hex);
    return 0;
}

/* ---- row keys on the command line ---- */

int hex_text_parse(const char *text, struct buf *out, struct err *err) {
    if (strncmp(text, "hex:", 4)) return buf_copy(out, bytes_str(text), err);
    struct bytes hex = bytes_str(text + 4);
    out->n = 0;
    if (buf_reserve(out, hex.n / 2 + 1, err)) return -1;
    if (!hex_read(out->p, hex)) return err_set(err, ERR_USAGE, "'%s': hex: needs an even number of hex digits", text);
    out->n = hex.n / 2;
    return 0;
}
