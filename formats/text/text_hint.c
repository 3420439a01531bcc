/* Guesses what people may have meant: a record that is a single field was perhaps cut at another byte than its author used, and a
 * member of an archive may be no table at all. A hint is given only where it explains the error. Warnings about text are added
 * here, too, once however often it is opened. */
#include "formats/text/text_hint.h"
#include "formats/text/text_input.h"

#include "base/instream.h"

#include <ctype.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static size_t count_byte(struct bytes field, char byte) {
    size_t n = 0;
    for (size_t k = 0; k < field.n; k++) n += field.p[k] == (uint8_t)byte;
    return n;
}

char text_usual_delimiter(struct bytes field, size_t least) {
    static const char usual[] = {';', '\t', '|', ','};
    size_t most = 0;
    char best = 0;
    for (size_t i = 0; i < sizeof usual; i++) {
        size_t n = count_byte(field, usual[i]);
        if (n <= most || n + 1 < least) continue;
        most = n;
        best = usual[i];
    }
    return best;
}

/* 0: says nothing. */
static const char *ask_for(char delimiter, bool mapped, char out[TEXT_GUESS_BYTES]) {
    const char quoted[] = {'\'', delimiter, '\'', 0}, plain[] = {delimiter, 0};
    const bool tab = delimiter == '\t';
    out[0] = 0;
    if (delimiter && mapped)
        snprintf(out, TEXT_GUESS_BYTES, "; is %s the delimiter? Give %s\"delimiter\": \"%s\" in the mapping",
                 tab ? "TAB" : quoted, tab ? "\"format\": \"tsv\" or " : "", tab ? "\\t" : plain);
    else if (delimiter)
        snprintf(out, TEXT_GUESS_BYTES, "; is %s the delimiter? Give -d '%s'", tab ? "TAB" : quoted, tab ? "\\t" : plain);
    return out;
}

static bool is_blank(uint8_t c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

const char *text_hint_json(struct bytes text) {
    size_t at = 0;
    text = bytes_without_mark(text);
    for (;;) { /* records that are null */
        while (at < text.n && is_blank(text.p[at])) at++;
        if (text.n - at < 5 || memcmp(text.p + at, "null", 4) != 0 || !is_blank(text.p[at + 4])) break;
        at += 4;
    }
    if (at == text.n || (text.p[at] != '{' && text.p[at] != '[')) return "";
    for (at++; at < text.n && is_blank(text.p[at]);) at++;
    return at == text.n || memchr("\"{[]}", text.p[at], 5) ? "; this is JSON: give --format jsonl and --map FILE" : "";
}

const char *text_guess_delimiter(struct bytes field, size_t least, bool mapped, char out[TEXT_GUESS_BYTES]) {
    return ask_for(text_usual_delimiter(field, least), mapped, out);
}

static bool is_name(struct bytes b) {
    static const char marks[] = "_.:-$#\"'";
    for (size_t i = 0; i < b.n; i++)
        if (b.p[i] < 0x80 && !isalnum(b.p[i]) && !memchr(marks, b.p[i], sizeof marks - 1)) return false;
    return b.n > 0;
}

/* Cut at this byte, is it a list of names, or is the wanted one among them? */
static bool lists_names(struct bytes line, char delimiter, struct bytes wanted) {
    bool all = true;
    for (size_t at = 0; at <= line.n;) {
        const uint8_t *stop = memchr(line.p + at, delimiter, line.n - at);
        const size_t end = stop ? (size_t)(stop - line.p) : line.n;
        const struct bytes piece = bytes_trim(bytes_of(line.p + at, end - at));
        if (bytes_eq(piece, wanted)) return true;
        all &= is_name(piece);
        at = end + 1;
    }
    return all;
}

static bool is_in_quotes(struct bytes field, struct bytes wanted) {
    return field.n == wanted.n + 2 && field.p[0] == '"' && field.p[field.n - 1] == '"' &&
           bytes_eq(bytes_of(field.p + 1, wanted.n), wanted);
}

/* The pattern is of this member and no other: from the top, and no byte of it stands for others. "" if it would be too long. */
static const char *exclude_hint(const char *member, char out[TEXT_HINT_BYTES]) {
    static const char before[] = "; if it holds no rows, leave it out: --files '!/";
    size_t n = sizeof before - 1;
    memcpy(out, before, n);
    for (; *member && n + 4 < TEXT_HINT_BYTES; n++) {
        if (strchr("*?[\\", *member)) out[n++] = '\\';
        out[n] = *member++;
    }
    memcpy(out + n, "'", 2);
    if (*member || memchr(out + sizeof before, '\'', n - sizeof before)) out[0] = 0;
    return out;
}

const char *text_header_hint(const char *path, const struct bytes *header, uint32_t n, struct bytes name, bool mapped,
                             char out[TEXT_HINT_BYTES]) {
    const char *member = path ? strrchr(path, '!') : NULL;
    const char delimiter = n == 1 ? text_usual_delimiter(header[0], 2) : 0;
    out[0] = 0;
    for (uint32_t i = 0; i < n && !out[0]; i++)
        if (memchr(header[i].p, '\r', header[i].n))
            snprintf(out, TEXT_HINT_BYTES, "; its lines end with CR alone: convert them (tr '\\r' '\\n')");
        else if (is_in_quotes(bytes_trim(header[i]), name))
            snprintf(out, TEXT_HINT_BYTES, "; are names in quotes? Give %s",
                     mapped ? "\"quote\": \"\\\"\" in the mapping" : "--quote '\"'");
    if (out[0]) return out;
    if (delimiter && lists_names(header[0], delimiter, name)) return ask_for(delimiter, mapped, out);
    return member ? exclude_hint(member + 1, out) : out;
}

int text_warn_into(struct buf *all, enum warning code, uint64_t n, const char *text, struct err *err) {
    struct buf line = {0};
    int rc = all ? warning_add(&line, code, n, err, "%s", text) : 0;
    if (!rc && all && !(all->n && memmem(all->p, all->n, line.p, line.n))) rc = buf_put(all, line.p, line.n, err);
    buf_free(&line);
    return rc;
}

int text_warn_once(const struct read_opts *o, enum warning code, const char *text, struct err *err) {
    return text_warn_into(o->warnings, code, 1, text, err);
}

/* Returns whether a task of Hadoop, Spark or Hive has named it: part-00007, part-m-00007, part-00007-UUID.csv, 000007_0. */
static bool is_part(const char *path) {
    static const char *const patterns[] = {"part-[0-9][0-9][0-9][0-9][0-9]*", "part-[mr]-[0-9][0-9][0-9][0-9][0-9]*",
                                           "[0-9][0-9][0-9][0-9][0-9][0-9]_[0-9]*"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    bool is = false;
    for (size_t i = 0; i < countof(patterns); i++) is |= !fnmatch(patterns[i], name, 0);
    return is;
}

/* Returns whether a task that had no records wrote it, beside tasks that had some. What has no size here holds some. */
static bool is_idle_part(const char *path, const struct text_set *set) {
    struct stat st;
    for (uint32_t i = 0; set && i < set->n && is_part(path); i++)
        if (strcmp(set->paths[i], path) != 0 && (stat(set->paths[i], &st) || st.st_size)) return true;
    return false;
}

/* Warns of a file without records: among others it is most likely one whose transfer failed. */
int text_warn_empty(const struct text_input *t, const struct read_opts *o, struct err *err) {
    char line[PATH_MAX + 100];
    const char *path = instream_path(t->in);
    if (!o->warnings || o->text.part.begin || !strcmp(path, "-") || is_idle_part(path, o->text.set)) return 0;
    snprintf(line, sizeof line, "%s holds no records; check that its transfer was complete", path);
    return text_warn_once(o, WARN_EMPTY_FILE, line, err);
}
