/* Reads --splits, which says how a table is split before anything is written, and whose forms are listed in key_bounds.h. Splits
 * of HBase's RegionSplitter come from plan/, keys are read as HBase's shell reads them. */
#include "base/fs.h"
#include "base/text.h"
#include "cmd/split/plan/choice.h"
#include "cmd/split/simulate/key_bounds.h"
#include "table/bounds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { FILE_MAX_BYTES = 64 << 20, PREFIX_WIDTH_MAX = 19 };

/* ---- first rows as text ---- */

/* The byte that \xNN stands for; -1: something else is here. */
static int escaped_byte(const uint8_t *p, size_t n) {
    return n < 4 || p[0] != '\\' || p[1] != 'x' ? -1 : hex_byte(p + 2);
}

/* As Bytes.toBytesBinary takes it. */
static int take_binary(struct bytes text, struct buf *out, struct err *err) {
    for (size_t i = 0; i < text.n; i++) {
        int byte = escaped_byte(text.p + i, text.n - i);
        if (buf_put_byte(out, byte < 0 ? text.p[i] : (uint8_t)byte, err)) return -1;
        if (byte >= 0) i += 3;
    }
    return 0;
}

static int add_text(struct key_bounds *b, struct bytes text, struct err *err) {
    static const struct bytes mark = {(const uint8_t *)"hex:", 4};
    struct buf row = {0};
    int rc;
    if (text.n >= mark.n && !memcmp(text.p, mark.p, mark.n)) {
        rc = bound_code_unhex(bytes_of(text.p + mark.n, text.n - mark.n), &row, err);
        if (rc > 0) rc = err_set(err, ERR_USAGE, "'%.*s': hex: needs an even number of hex digits", (int)text.n, text.p);
    } else {
        rc = take_binary(text, &row, err);
    }
    if (!rc && !row.n) rc = err_set(err, ERR_USAGE, "an empty key");
    if (!rc) rc = key_bounds_add(b, buf_bytes(&row), err);
    buf_free(&row);
    return rc;
}

static int add_list(struct key_bounds *b, const char *list, struct err *err) {
    for (const char *p = list;; p++) {
        const char *end = strchrnul(p, ',');
        if (add_text(b, bytes_of(p, (size_t)(end - p)), err)) return -1;
        if (!*(p = end)) return 0;
    }
}

static int add_lines(struct key_bounds *b, const char *path, struct err *err) {
    size_t n, line = 0;
    char *text = fs_read_text(path, FILE_MAX_BYTES, &n, err);
    int rc = text ? 0 : -1;
    for (char *p = text; !rc && p < text + n;) {
        char *end = memchr(p, '\n', (size_t)(text + n - p));
        size_t length = (size_t)((end ? end : text + n) - p);
        line++;
        if (length && p[length - 1] == '\r') length--;
        bool skip = !length || (length == 8 && !memcmp(p, "MAXVALUE", 8));
        if (!skip && add_text(b, bytes_of(p, length), err)) rc = err_prefix(err, "%s:%zu", path, line);
        p = end ? end + 1 : text + n;
    }
    free(text);
    return rc;
}

/* ---- numbers of regions ---- */

static int add_longs(struct key_bounds *b, uint32_t n, struct err *err) {
    struct buf row = {0};
    int rc = 0;
    for (uint32_t i = 1; i < n && !rc; i++) {
        buf_clear(&row);
        rc = buf_put_be64(&row, i, err) || key_bounds_add(b, buf_bytes(&row), err) ? -1 : 0;
    }
    buf_free(&row);
    return rc;
}

static int add_prefixes(struct key_bounds *b, uint32_t n, uint32_t width, struct err *err) {
    char text[PREFIX_WIDTH_MAX + 12];
    if (!width)
        for (uint32_t top = n - 1; top || !width; top /= 10) width++;
    for (uint32_t i = 1; i < n; i++) {
        snprintf(text, sizeof text, "%0*u", (int)width, i);
        if (strlen(text) > width)
            return err_set(err, ERR_USAGE, "%u numbers do not fit into %u digit%s", n, width, width == 1 ? "" : "s");
        if (key_bounds_add(b, bytes_str(text), err)) return -1;
    }
    return 0;
}

static int add_presplit(struct key_bounds *b, enum plan_kind kind, uint32_t n, struct err *err) {
    struct plan_choice c;
    int rc = presplit_make(&c, kind, n, err);
    for (uint32_t i = 0; i + 1 < n && !rc; i++) rc = key_bounds_add(b, buf_bytes(&c.bounds[i]), err);
    plan_choice_free(&c);
    return rc;
}

/* N, or N:WIDTH. */
static int take_numbers(const char *text, bool with_width, uint32_t *n, uint32_t *width, struct err *err) {
    char *end;
    errno = 0;
    unsigned long v = strtoul(text, &end, 10);
    bool wrong = end == text || errno || *text == '-' || v < 1 || v > REGIONS_MAX;
    *n = (uint32_t)v;
    *width = 0;
    if (!wrong && with_width && *end == ':') {
        const char *from = end + 1;
        v = strtoul(from, &end, 10);
        wrong = end == from || *from == '-' || v < 1 || v > PREFIX_WIDTH_MAX;
        *width = (uint32_t)v;
    }
    if (wrong || *end)
        return err_set(err, ERR_USAGE, "expected a number of regions from 1 to %d%s", REGIONS_MAX,
                       with_width ? ", optionally followed by :WIDTH, 1 to 19 digits" : "");
    return 0;
}

enum { SPLITS_LONGS = PLAN_KINDS, SPLITS_SAMPLED };

static int add_counted(const char *name, size_t length, const char *rest, struct key_bounds *out, uint32_t *sampled,
                       struct err *err) {
    static const struct {
        const char *name;
        int kind;
    } kinds[] = {{"HexStringSplit", PLAN_HEX},
                 {"hex", PLAN_HEX},
                 {"DecimalStringSplit", PLAN_DECIMAL},
                 {"decimal", PLAN_DECIMAL},
                 {"UniformSplit", PLAN_UNIFORM},
                 {"uniform", PLAN_UNIFORM},
                 {"prefixes", PLAN_NUMBER},
                 {"longs", SPLITS_LONGS},
                 {"sampled", SPLITS_SAMPLED}};
    uint32_t n, width;
    for (size_t i = 0; i < countof(kinds); i++) {
        int kind = kinds[i].kind;
        if (strlen(kinds[i].name) != length || memcmp(kinds[i].name, name, length)) continue;
        if (take_numbers(rest, kind == PLAN_NUMBER, &n, &width, err)) return -1;
        if (kind == SPLITS_SAMPLED) {
            *sampled = n;
            return 0;
        }
        return kind == SPLITS_LONGS  ? add_longs(out, n, err)
               : kind == PLAN_NUMBER ? add_prefixes(out, n, width, err)
               : n > 1               ? add_presplit(out, (enum plan_kind)kind, n, err)
                                     : 0;
    }
    return err_set(err, ERR_USAGE,
                   "expected none, HexStringSplit:N, DecimalStringSplit:N, UniformSplit:N, prefixes:N, longs:N, sampled:N, "
                   "keys:A,B or file:PATH");
}

int splits_parse(const char *text, struct key_bounds *out, uint32_t *sampled, struct err *err) {
    const char *colon = strchrnul(text, ':'), *rest = *colon ? colon + 1 : colon;
    *out = (struct key_bounds){0};
    *sampled = 0;
    int rc = !strcmp(text, "none")        ? 0
             : !strncmp(text, "keys:", 5) ? add_list(out, rest, err)
             : !strncmp(text, "file:", 5) ? add_lines(out, rest, err)
                                          : add_counted(text, (size_t)(colon - text), rest, out, sampled, err);
    if (!rc) rc = key_bounds_end(out, err);
    return rc ? err_prefix(err, "--splits %s", text) : 0;
}
