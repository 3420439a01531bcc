/* Reads RANGE bounds: plain lines, or a dump of the catalogue, which is recognised by its last column being a serialised row key.
 * Nothing is guessed: what may mean two things is refused with its line. */
#include "table/bounds.h"

#include "base/fs.h"
#include "base/plain.h"
#include "base/text.h"
#include "base/wire.h"
#include "table/partitioning.h"

#include <stdlib.h>
#include <strings.h>

enum { TYPE_VARCHAR = 0x16, TYPE_EXTEND = 0x19, COLLATION_BINARY = 63 };

int bound_code_unhex(struct bytes hex, struct buf *out, struct err *err) {
    if (hex.n % 2) return 1;
    if (buf_reserve(out, hex.n / 2 + 1, err)) return -1;
    if (!hex_read(out->p + out->n, hex)) return 1;
    out->n += hex.n / 2;
    return 0;
}

static enum bound_code classify_code(struct bytes in, struct bytes *value) {
    if (in.n < 6 || in.p[0] != 1) return BOUND_NOT_CODE;
    uint8_t type = in.p[1], collation = in.p[3];
    struct bytes rest = {in.p + 5, in.n - 5};
    uint64_t v;
    if (!pb_varint_take(&rest, &v)) return BOUND_NOT_CODE;
    if (type == TYPE_EXTEND) return rest.n == 0 && (int64_t)v == -2 ? BOUND_MAXVALUE : BOUND_NOT_CODE;
    if (type == TYPE_VARCHAR && rest.n >= 1 && v == rest.n - 1 && rest.p[rest.n - 1] == 0) {
        *value = (struct bytes){rest.p, rest.n - 1};
        return collation == COLLATION_BINARY ? BOUND_VALUE : BOUND_OTHER_TYPE;
    }
    /* Integers: the varint is the value. Anything else is left unread. */
    return rest.n == 0 && type < TYPE_VARCHAR ? BOUND_OTHER_TYPE : BOUND_NOT_CODE;
}

int bound_code_decode(struct bytes hex, struct buf *value, enum bound_code *kind, struct err *err) {
    *kind = BOUND_NOT_CODE;
    buf_clear(value);
    int rc = bound_code_unhex(hex, value, err);
    if (rc) return rc < 0 ? -1 : 0;
    struct bytes inner = {0};
    *kind = classify_code(buf_bytes(value), &inner);
    if (*kind == BOUND_VALUE) memmove(value->p, inner.p, inner.n);
    value->n = *kind == BOUND_VALUE ? inner.n : 0;
    return 0;
}

/* ---- the file of range:FILE ---- */

enum { FILE_LIMIT_BYTES = 1 << 28, NO_INDEX = -1 };

struct bounds_reader {
    const char *path;
    struct bytes rest;
    uint32_t line;
    struct buf value; /* scratch: a decoded bound */
    struct err *err;
};

/* One row of a dump. */
struct dump_row {
    struct bytes name; /* n == 0: none */
    int64_t index;     /* part_idx, or NO_INDEX */
    uint32_t line;
    struct bytes hex;
};

static bool is_blank(uint8_t c) {
    return c == ' ' || c == '\t';
}

/* The next line that says something; false at the end. */
static bool next_line(struct bounds_reader *r, struct bytes *line) {
    while (r->rest.n) {
        const uint8_t *nl = memchr(r->rest.p, '\n', r->rest.n);
        size_t n = nl ? (size_t)(nl - r->rest.p) : r->rest.n;
        *line = (struct bytes){r->rest.p, n};
        n += nl != NULL;
        r->rest.p += n;
        r->rest.n -= n;
        r->line++;
        if (line->n && line->p[line->n - 1] == '\r') line->n--;
        if (bytes_trim(*line).n && line->p[0] != '#') return true;
    }
    return false;
}

static int fail(struct bounds_reader *r, uint32_t line, const char *what) {
    return err_set(r->err, ERR_USAGE, "%s:%u: %s", r->path, (unsigned)line, what);
}

/* Cuts a dump's line into columns and keeps the first two and the last. */
struct columns {
    struct bytes first, second, last;
    uint32_t n;
};

static uint8_t separator_of(struct bytes line) {
    if (memchr(line.p, '|', line.n)) return '|';
    if (memchr(line.p, '\t', line.n)) return '\t';
    return memchr(line.p, ',', line.n) ? ',' : ' ';
}

static struct bytes unquote(struct bytes s) {
    s = bytes_trim(s);
    if (s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0]) return (struct bytes){s.p + 1, s.n - 2};
    return s;
}

static struct columns cut_columns(struct bytes line) {
    struct columns c = {0};
    uint8_t sep = separator_of(line);
    line = bytes_trim(line);
    if (sep == '|') {
        for (; line.n && (line.p[0] == '|' || is_blank(line.p[0])); line.p++) line.n--;
        while (line.n && (line.p[line.n - 1] == '|' || is_blank(line.p[line.n - 1]))) line.n--;
    }
    while (line.n) {
        const uint8_t *at = memchr(line.p, sep, line.n);
        size_t n = at ? (size_t)(at - line.p) : line.n;
        struct bytes field = unquote((struct bytes){line.p, n});
        n += at != NULL;
        line.p += n;
        line.n -= n;
        if (sep == ' ' && field.n == 0) continue;
        if (c.n == 0) c.first = field;
        if (c.n == 1) c.second = field;
        c.last = field;
        c.n++;
    }
    return c;
}

/* +----+ of the client's frame. */
static bool is_frame(struct bytes line) {
    bool frame = line.p[0] == '+';
    for (size_t i = 0; i < line.n && frame; i++) frame = line.p[i] == '+' || line.p[i] == '-' || is_blank(line.p[i]);
    return frame;
}

/* The line with the column names. */
static bool is_header(const struct columns *c) {
    static const char name[] = "high_bound_val";
    for (size_t i = 0; i + sizeof name - 1 <= c->last.n; i++)
        if (!strncasecmp((const char *)c->last.p + i, name, sizeof name - 1)) return true;
    return false;
}

static int64_t index_of(struct bytes s) {
    int64_t v = 0;
    if (s.n == 0 || s.n > 9) return NO_INDEX;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9') return NO_INDEX;
        v = v * 10 + (s.p[i] - '0');
    }
    return v;
}

static struct dump_row row_of(const struct columns *c, uint32_t line) {
    struct dump_row row = {.index = NO_INDEX, .line = line, .hex = c->last};
    if (c->n >= 3) row.index = index_of(c->first);
    if (c->n == 2 || row.index == NO_INDEX) row.name = c->n >= 2 ? c->first : (struct bytes){0};
    if (c->n >= 3 && row.index != NO_INDEX) row.name = c->second;
    return row;
}

/* Counts of lines by kind; frame lines count as none. */
struct census {
    uint32_t coded, plain; /* lines that end in a serialised row key, or do not */
    uint32_t first_plain;  /* line number of the first of the latter */
    uint32_t header;       /* line number of the column names, 0 = none */
};

static int count_kinds(struct bounds_reader r, struct census *out) {
    struct bytes line;
    *out = (struct census){0};
    while (next_line(&r, &line)) {
        struct columns c = cut_columns(line);
        if (is_frame(line)) continue;
        enum bound_code kind;
        if (bound_code_decode(c.last, &r.value, &kind, r.err)) {
            buf_free(&r.value);
            return -1;
        }
        if (kind != BOUND_NOT_CODE) {
            out->coded++;
        } else if (is_header(&c)) {
            out->header = r.line;
        } else if (out->plain++ == 0) {
            out->first_plain = r.line;
        }
    }
    buf_free(&r.value);
    return 0;
}

static int add_plain(struct bounds_reader *r, struct bytes line, struct partitioning *out, bool *closed) {
    if (*closed) return fail(r, r->line, "a bound after MAXVALUE");
    if (bytes_eq(line, bytes_str("MAXVALUE"))) {
        *closed = true;
        return 0;
    }
    if (is_blank(line.p[0]) || is_blank(line.p[line.n - 1]))
        return fail(r, r->line, "the bound starts or ends with a blank; write it as hex:… if that is intended");
    buf_clear(&r->value);
    if (line.n >= 4 && !memcmp(line.p, "hex:", 4)) {
        int rc = bound_code_unhex((struct bytes){line.p + 4, line.n - 4}, &r->value, r->err);
        if (rc > 0) return fail(r, r->line, "hex: must be followed by an even number of hex digits");
        if (rc < 0) return -1;
    } else if (buf_put(&r->value, line.p, line.n, r->err)) {
        return -1;
    }
    if (r->value.n == 0) return fail(r, r->line, "the bound is empty, so no row can be below it");
    struct bytes bound = buf_bytes(&r->value);
    if (out->count && bytes_cmp(out->bounds[out->count - 1], bound) >= 0)
        return fail(r, r->line, "the bound is not above the one before it");
    return partitioning_add(out, NULL, &bound, r->err);
}

static int read_plain(struct bounds_reader *r, struct partitioning *out) {
    struct bytes line, max = {0};
    bool closed = false;
    while (next_line(r, &line))
        if (add_plain(r, line, out, &closed)) return -1;
    if (out->count == 0) return err_set(r->err, ERR_USAGE, "%s: holds no bound", r->path);
    return partitioning_add(out, NULL, &max, r->err);
}

static int compare_rows(const void *a, const void *b) {
    const struct dump_row *x = a, *y = b;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static int collect_rows(struct bounds_reader *r, struct dump_row *rows, uint32_t room, uint32_t *n) {
    struct bytes line;
    *n = 0;
    while (next_line(r, &line)) {
        struct columns c = cut_columns(line);
        if (is_frame(line) || is_header(&c)) continue;
        if (*n == room) return err_set(r->err, ERR_INTERNAL, "%s: more rows than counted", r->path);
        rows[(*n)++] = row_of(&c, r->line);
        if (rows[*n - 1].index != NO_INDEX && rows[0].index == NO_INDEX)
            return fail(r, r->line, "this line starts with a part_idx, earlier ones do not");
        if (rows[*n - 1].index == NO_INDEX && rows[0].index != NO_INDEX)
            return fail(r, r->line, "no part_idx at the start of this line, earlier ones have it");
    }
    return 0;
}

static int add_rows(struct bounds_reader *r, const struct dump_row *rows, uint32_t n, struct partitioning *out) {
    for (uint32_t i = 0; i < n; i++) {
        enum bound_code kind;
        if (bound_code_decode(rows[i].hex, &r->value, &kind, r->err)) return -1;
        if (kind == BOUND_OTHER_TYPE) return fail(r, rows[i].line, "this bound is not of a varbinary column: RANGE must be on K");
        struct bytes bound = kind == BOUND_MAXVALUE ? (struct bytes){0} : buf_bytes(&r->value);
        if (kind == BOUND_VALUE && bound.n == 0) bound.p = (const uint8_t *)"";
        if (rows[i].name.n > PARTITION_NAME_BYTES || !plain_is_name(rows[i].name))
            return fail(r, rows[i].line, "a partition's name that is too long or holds a control character");
        if (partitioning_add(out, rows[i].name.n ? &rows[i].name : NULL, &bound, r->err)) return -1;
    }
    return 0;
}

static int read_dump(struct bounds_reader *r, uint32_t n, struct partitioning *out) {
    if (n > PARTITIONS_MAX) return err_set(r->err, ERR_USAGE, "%s: more than %d partitions", r->path, PARTITIONS_MAX);
    struct dump_row *rows = calloc(n, sizeof *rows);
    if (!rows) return err_nomem(r->err, n * sizeof *rows, "the rows of a bounds file");
    int rc = collect_rows(r, rows, n, &n);
    if (!rc) {
        qsort(rows, n, sizeof *rows, compare_rows);
        rc = add_rows(r, rows, n, out);
    }
    free(rows);
    return rc;
}

int bound_file_parse(const char *path, struct bytes text, struct partitioning *out, bool *is_dump, struct err *err) {
    *out = (struct partitioning){.kind = PARTITION_RANGE};
    struct bounds_reader r = {.path = path, .rest = bytes_without_mark(text), .err = err};
    struct census found;
    int rc = count_kinds(r, &found);
    *is_dump = found.coded > 0;
    if (!rc && found.header && !found.coded)
        rc = fail(&r, found.header,
                  "a dump's header, but no row with a b_high_bound_val; check that the table is "
                  "partitioned by RANGE");
    if (!rc && found.coded && found.plain)
        rc = fail(&r, found.first_plain, "does not end in a b_high_bound_val as other lines do: dump or plain bounds, not both");
    if (!rc) rc = found.coded ? read_dump(&r, found.coded, out) : read_plain(&r, out);
    if (!rc && partitioning_check(out, err)) rc = err_prefix(err, "%s", path);
    buf_free(&r.value);
    if (rc) partitioning_free(out);
    return rc;
}

int bound_file_read(const char *path, struct partitioning *out, bool *is_dump, struct err *err) {
    size_t n;
    char *text = fs_read_text(path, FILE_LIMIT_BYTES, &n, err);
    if (!text) return -1;
    int rc = bound_file_parse(path, bytes_of(text, n), out, is_dump, err);
    free(text);
    return rc;
}
