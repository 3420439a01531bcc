/* Turns the output of `describe` of HBase's shell into the create statement that would make such a table:
 *     Table t is ENABLED
 *     t, {TABLE_ATTRIBUTES => {MAX_FILESIZE => '10737418240', METADATA => {…}}}
 *     COLUMN FAMILIES DESCRIPTION
 *     {NAME => 'f', VERSIONS => '3', DATA_BLOCK_ENCO
 *     DING => 'NONE', …}
 *     1 row(s)
 * HBase 1 and later print it so. The terminal cuts lines, in words and in texts, so line ends between braces are nothing. They
 * follow the family instead: then messages about the statement have the lines of the description. */
#include "base/bytes.h"
#include "formats/hbase/names.h"
#include "formats/hbase/shell_describe.h"

#include <ctype.h>
#include <string.h>

static const char before_families[] = "COLUMN FAMILIES DESCRIPTION";

struct description {
    struct bytes rest;
    size_t line; /* of rest, from 1 */
    struct buf *out;
    struct err *err;
};

/* The next line without blanks around it; false: there is none. */
static bool take_line(struct description *d, struct bytes *line) {
    if (!d->rest.n) return false;
    const uint8_t *eol = memchr(d->rest.p, '\n', d->rest.n);
    size_t n = eol ? (size_t)(eol - d->rest.p) + 1 : d->rest.n;
    *line = bytes_of(d->rest.p, n);
    d->rest = bytes_of(d->rest.p + n, d->rest.n - n);
    d->line += eol != NULL;
    while (line->n && isspace(line->p[0])) *line = bytes_of(line->p + 1, line->n - 1);
    while (line->n && isspace(line->p[line->n - 1])) line->n--;
    return true;
}

static bool begins(struct bytes line, const char *with) {
    return line.n >= strlen(with) && !memcmp(line.p, with, strlen(with));
}

/* The first line of a description; name: of the table. */
static bool is_first(struct bytes line, struct bytes *name) {
    static const char head[] = "Table ";
    static const char *const states[] = {" is ENABLED", " is DISABLED"};
    while (line.n && isspace(line.p[line.n - 1])) line.n--;
    for (unsigned i = 0; i < countof(states) && begins(line, head); i++) {
        const size_t n = strlen(states[i]), all = n + sizeof head - 1;
        if (line.n <= all || memcmp(line.p + line.n - n, states[i], n) != 0) continue;
        *name = bytes_of(line.p + sizeof head - 1, line.n - all);
        return true;
    }
    return false;
}

bool shell_describe_begins(struct bytes line) {
    struct bytes name;
    return is_first(line, &name) || begins(line, before_families);
}

/* Standing at '{', which `indent` blanks precede in its line: up to the '}' that closes it. */
static int take_family(struct description *d, size_t indent) {
    const size_t first = d->line;
    size_t open = 0, i = 0;
    bool in_text = false;
    if (buf_printf(d->out, d->err, ", ")) return -1;
    for (; i < d->rest.n; i++) {
        const uint8_t c = d->rest.p[i];
        if (c == '\n') {
            d->line++;
            for (size_t k = 0; k < indent && i + 1 < d->rest.n && (d->rest.p[i + 1] == ' ' || d->rest.p[i + 1] == '\t'); k++) i++;
        } else if (c != '\r' && buf_put_byte(d->out, c, d->err)) {
            return -1;
        }
        if (c == '\'') in_text = !in_text;
        if (in_text) continue;
        open += c == '{';
        if (c == '}' && !--open) break;
    }
    if (i == d->rest.n) return err_set(d->err, ERR_USAGE, "line %zu: the '}' of this family is missing; copy it too", first);
    d->rest = bytes_of(d->rest.p + i + 1, d->rest.n - i - 1);
    for (size_t k = first; k < d->line; k++)
        if (buf_put_byte(d->out, '\n', d->err)) return -1;
    return 0;
}

/* Families, with empty lines between them. */
static int take_families(struct description *d) {
    size_t indent = 0;
    while (d->rest.n && (isspace(d->rest.p[0]) || d->rest.p[0] == '{')) {
        const uint8_t c = d->rest.p[0];
        if (c == '{') {
            if (take_family(d, indent)) return -1;
            continue;
        }
        indent = c == '\n' ? 0 : indent + 1;
        d->line += c == '\n';
        d->rest = bytes_of(d->rest.p + 1, d->rest.n - 1);
        if (c == '\n' && buf_put_byte(d->out, '\n', d->err)) return -1;
    }
    return 0;
}

/* ---- attributes of the table ---- */

/* Standing at '{': how long the text is up to the '}' that closes it; 0: there is none. */
static size_t braces_length(struct bytes text) {
    size_t open = 0;
    bool in_text = false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\'') in_text = !in_text;
        if (in_text) continue;
        open += text.p[i] == '{';
        if (text.p[i] == '}' && !--open) return i + 1;
    }
    return 0;
}

static void skip_to(struct bytes *text, const char *what) {
    while (text->n && isspace(text->p[0])) *text = bytes_of(text->p + 1, text->n - 1);
    if (begins(*text, what)) *text = bytes_of(text->p + strlen(what), text->n - strlen(what));
}

/* `n:t, {TABLE_ATTRIBUTES => {…}, CONFIGURATION => {…}}` in one line: as arguments of create, each in braces. HBase 1 leaves
 * the last '}' out. */
static int put_attributes(struct description *d, struct bytes text, size_t line) {
    const uint8_t *outer = text.n ? memchr(text.p, '{', text.n) : NULL;
    if (!outer) return 0;
    text = bytes_of(outer + 1, (size_t)(text.p + text.n - outer) - 1);
    skip_to(&text, "TABLE_ATTRIBUTES");
    skip_to(&text, "=>");
    skip_to(&text, "");
    const bool named = begins(text, "{");
    const size_t n = named ? braces_length(text) : 0;
    if (named && !n)
        return err_set(d->err, ERR_USAGE, "line %zu: the '}' of the table's attributes is missing; copy it too", line);
    if (named && buf_printf(d->out, d->err, ", %.*s", (int)n, (const char *)text.p)) return -1;
    text = bytes_of(text.p + n, text.n - n);
    skip_to(&text, ",");
    if (!text.n || begins(text, "}")) return 0;
    const bool closed = text.p[text.n - 1] == '}' && text.n > 1 && text.p[text.n - 2] == '}';
    return buf_printf(d->out, d->err, ", {%.*s%s", (int)text.n, (const char *)text.p, closed ? "" : "}");
}

/* The line of the table, those that continue it, and that above the families. */
static int take_attributes(struct description *d) {
    const size_t first = d->line;
    struct buf text = {0};
    struct bytes line;
    int rc = 0;
    bool found = false;
    while (!rc && (found = take_line(d, &line)) && !begins(line, before_families)) rc = buf_put(&text, line.p, line.n, d->err);
    if (!rc && !found) rc = err_set(d->err, ERR_USAGE, "line %zu: no line '%s' follows", first - 1, before_families);
    if (!rc) rc = buf_put_byte(d->out, '\n', d->err);
    if (!rc) rc = put_attributes(d, buf_bytes(&text), first);
    for (size_t k = first; !rc && k < d->line; k++) rc = buf_put_byte(d->out, '\n', d->err);
    buf_free(&text);
    return rc;
}

static int refuse_second(struct description *d) {
    struct bytes line;
    for (size_t at = d->line; take_line(d, &line); at = d->line)
        if (shell_describe_begins(line))
            return err_set(d->err, ERR_USAGE, "line %zu: a second description; keep that of one table", at);
    return 0;
}

int shell_describe_statement(struct bytes text, size_t line, struct buf *out, struct err *err) {
    struct description d = {.rest = text, .line = line, .out = out, .err = err};
    struct bytes found, name;
    if (!take_line(&d, &found) || !is_first(found, &name))
        return err_set(err, ERR_USAGE, "line %zu: a description without the line 'Table NAME is ENABLED'; copy it too", line);
    if (memchr(name.p, '\'', name.n)) return err_set(err, ERR_USAGE, "line %zu: that is no name of a table", line);
    if (buf_printf(out, err, "create '%.*s'", (int)name.n, (const char *)name.p)) return -1;
    return take_attributes(&d) || take_families(&d) || refuse_second(&d) ? -1 : 0;
}
