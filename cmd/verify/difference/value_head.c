/* The beginning of a value as people read it. A value may be secret, binary or a megabyte long: so it can be masked, is shown
 * with escapes that no terminal obeys, and is cut after a few dozen bytes. */
#include "cmd/verify/difference/value_head.h"

#include "base/plain.h"
#include "base/text.h"
#include "cmd/common/report_figures.h"
#include "cmd/common/text_width.h"

enum { SHOWN_COLUMNS = 40 };

int value_form_parse(const char *name, enum value_form *out, struct err *err) {
    static const char *const names[] = {"text", "hex", "masked"};
    *out = VALUE_TEXT;
    if (!name) return 0;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) {
            *out = (enum value_form)i;
            return 0;
        }
    return err_set(err, ERR_USAGE, "--values %s: expected text, hex or masked", name);
}

int value_plain_put(struct bytes text, size_t columns, struct buf *out, struct err *err) {
    size_t used = 0, wide = 0;
    for (size_t at = 0; at < text.n; at += used) {
        char one[PLAIN_BYTES];
        size_t n = text.p[at] == '\t' ? 0 : plain_char(text.p + at, text.n - at, one, &used);
        if (!n) {
            n = (size_t)snprintf(one, sizeof one, "\\x09");
            used = 1;
        }
        wide += text_width(one, n);
        if (wide > columns) return buf_printf(out, err, "…") ? -1 : 1;
        if (buf_put(out, one, n, err)) return -1;
    }
    return 0;
}

/* Bytes of the head without a character that it holds only in part. */
static size_t whole_characters(const struct value_head *v) {
    size_t at = v->n, follow = 0;
    if (v->n == v->bytes) return v->n;
    for (; at && follow < 3 && (v->head[at - 1] & 0xc0) == 0x80; at--) follow++;
    if (!at || v->head[at - 1] < 0xc0) return v->n;
    const size_t needs = v->head[at - 1] >= 0xf0 ? 3 : v->head[at - 1] >= 0xe0 ? 2 : 1;
    return follow < needs ? at - 1 : v->n;
}

static int put_text(const struct value_head *v, struct buf *out, struct err *err) {
    if (buf_put_byte(out, '"', err)) return -1;
    const int cut = value_plain_put(bytes_of(v->head, whole_characters(v)), SHOWN_COLUMNS, out, err);
    if (cut < 0 || (!cut && v->n < v->bytes && buf_printf(out, err, "…"))) return -1;
    return buf_put_byte(out, '"', err) ? -1 : cut || v->n < v->bytes;
}

static int put_hex(const struct value_head *v, struct buf *out, struct err *err) {
    const size_t shown = v->n < SHOWN_COLUMNS / 2 ? v->n : SHOWN_COLUMNS / 2;
    const bool cut = shown < v->bytes;
    if (buf_printf(out, err, "0x") || hex_put(out, bytes_of(v->head, shown), err)) return -1;
    return cut && buf_printf(out, err, "…") ? -1 : cut;
}

json_t *value_head_json(const struct value_head *v, enum value_form form) {
    struct buf text = {0};
    struct err no_memory = {0};
    const size_t n = form == VALUE_HEX ? v->n : whole_characters(v);
    int rc =
        form == VALUE_HEX ? hex_put(&text, bytes_of(v->head, n), &no_memory) : plain_put(&text, bytes_of(v->head, n), &no_memory);
    if (!rc && form == VALUE_TEXT && n < v->bytes) rc = buf_printf(&text, &no_memory, "…");
    json_t *j = rc ? NULL : json_stringn(text.n ? (const char *)text.p : "", text.n);
    buf_free(&text);
    return j;
}

int value_head_put(const struct value_head *v, enum value_form form, struct buf *out, struct err *err) {
    char n[32];
    const int cut = form == VALUE_MASKED ? 1 : form == VALUE_HEX ? put_hex(v, out, err) : put_text(v, out, err);
    if (cut <= 0) return cut;
    const char *plural = v->bytes == 1 ? "" : "s";
    return buf_printf(out, err, form == VALUE_MASKED ? "(%s byte%s)" : " (%s byte%s)", report_count(v->bytes, n), plural);
}
