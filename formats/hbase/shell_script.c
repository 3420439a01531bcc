/* Finds in a text the create statement of HBase's shell, or what `describe` printed. It may begin the text, or stand in a script
 * after other statements, or be copied from a terminal with the prompt. CREATE TABLE makes a text SQL, whatever its comments
 * hold. */
#include "base/bytes.h"
#include "formats/hbase/metadata.h"
#include "formats/hbase/shell_describe.h"
#include "formats/hbase/shell_script.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const uint8_t *skip_blanks(const uint8_t *p, const uint8_t *end) {
    while (p < end && (isspace(*p) || *p == '\\')) p++;
    return p;
}

/* `hbase(main):001:0> ` or `hbase:001:0> `. */
static const uint8_t *skip_prompt(const uint8_t *p, const uint8_t *end) {
    if (end - p < 6 || memcmp(p, "hbase", 5) != 0 || (p[5] != '(' && p[5] != ':' && p[5] != '>')) return p;
    for (const uint8_t *q = p; q < end && *q != '\n'; q++)
        if (*q == '>') return q + 1;
    return p;
}

/* `create 't'` or `create('t'`, the word in any case; CREATE TABLE has no quote there. */
static bool is_create(const uint8_t *p, const uint8_t *end) {
    if (end - p < 7 || strncasecmp((const char *)p, "create", 6) != 0) return false;
    const uint8_t *q = skip_blanks(p + 6, end);
    if (q < end && *q == '(') q = skip_blanks(q + 1, end);
    return q < end && (*q == '\'' || *q == '"');
}

/* The first line that begins with the statement; a description counts more, for it is what became of the table. What SQL holds
 * beside CREATE TABLE, such as a comment, is none. */
bool shell_create_find(struct bytes text, struct shell_text *out) {
    static const char sql[] = "create table";
    const uint8_t *p = bytes_without_mark(text).p, *const end = text.p + text.n, *found = NULL;
    *out = (struct shell_text){0};
    if (!text.n || memchr(text.p, 0, text.n)) return false;
    for (size_t n = 1; p < end; n++) {
        const uint8_t *eol = memchr(p, '\n', (size_t)(end - p)), *stop = eol ? eol : end;
        p = skip_blanks(skip_prompt(skip_blanks(p, stop), stop), stop);
        if ((size_t)(stop - p) >= sizeof sql - 1 && !strncasecmp((const char *)p, sql, sizeof sql - 1)) return false;
        const bool described = !out->is_description && shell_describe_begins(bytes_of(p, (size_t)(stop - p)));
        if (described || (!found && is_create(p, end))) {
            found = p;
            out->line = n;
            out->is_description = described;
        }
        p = eol ? eol + 1 : end;
    }
    if (found) out->text = bytes_of(found, (size_t)(end - found));
    return found != NULL;
}

bool shell_create_begins(struct bytes text) {
    struct shell_text found;
    return shell_create_find(text, &found);
}
