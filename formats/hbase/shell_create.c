/* A `create` statement of HBase's shell as a table: `create 't', {NAME => 'f', VERSIONS => 3}, SPLITS => ['a', 'm']`.
 *
 * People keep these statements beside their code, so they serve as an example of families and attributes. The text becomes the
 * TableSchema message that HBase would make of it; hbase_table_parse decodes it, so attributes have one meaning wherever they
 * come from. Only literals are read: Ruby code, such as a loop or a variable, is refused with its line. Splits are passed over:
 * they say how regions begin, not what the table is. */
#include "base/bytes.h"
#include "base/fs.h"
#include "base/near_name.h"
#include "base/text.h"
#include "base/wire.h"
#include "formats/hbase/descriptor.h"
#include "formats/hbase/metadata.h"
#include "formats/hbase/names.h"
#include "formats/hbase/shell_create.h"
#include "formats/hbase/shell_describe.h"
#include "formats/hbase/shell_script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TABLE_NAME = 1, TABLE_FAMILY = 3, FAMILY_NAME = 1, NAMESPACE = 1, QUALIFIER = 2, PAIR_KEY = 1, PAIR_VALUE = 2 };
enum { SHELL_FILE_MAX_BYTES = 16 << 20 };

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_TEXT, TOKEN_ARROW, TOKEN_BYTE, TOKEN_BAD };

struct create_token {
    enum token_kind kind;
    uint8_t byte; /* of TOKEN_BYTE */
    struct buf text;
    size_t line;
};

struct shell {
    const uint8_t *p, *end;
    size_t line;
    struct create_token tok; /* the next one */
    struct buf table, family, name, key;
    struct err *err;
};

/* ---- words ---- */

static void skip_space(struct shell *s) {
    while (s->p < s->end) {
        if (*s->p == '#')
            while (s->p < s->end && *s->p != '\n') s->p++;
        else if (isspace(*s->p) || *s->p == '\\')
            s->line += *s->p++ == '\n';
        else
            return;
    }
}

static bool is_word_byte(uint8_t c) {
    return isalnum(c) || c == '_' || c == '.' || c == ':' || c == '-' || c == '+' || c == '$'; /* coprocessor$1 */
}

/* Takes what follows a backslash: in '…' only \' and \\ mean something, in "…" also \xNN and the usual letters. */
static uint8_t take_escape(struct shell *s, char quote) {
    uint8_t c = *s->p++;
    if (quote == '\'') {
        if (c == '\'' || c == '\\') return c;
        s->p--;
        return '\\';
    }
    if (c == 'x' && s->end - s->p >= 2 && hex_byte(s->p) >= 0) {
        c = (uint8_t)hex_byte(s->p);
        s->p += 2;
        return c;
    }
    return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == '0' ? 0 : c;
}

static int take_text(struct shell *s) {
    const char quote = (char)*s->p++;
    while (s->p < s->end && *s->p != (uint8_t)quote) {
        uint8_t c = *s->p++;
        s->line += c == '\n';
        if (c == '\\' && s->p < s->end) c = take_escape(s, quote);
        if (buf_put_byte(&s->tok.text, c, s->err)) return -1;
    }
    s->tok.kind = s->p < s->end ? TOKEN_TEXT : TOKEN_BAD;
    if (s->p < s->end) s->p++;
    return 0;
}

static int advance(struct shell *s) {
    skip_space(s);
    buf_clear(&s->tok.text);
    s->tok.line = s->line;
    if (s->p == s->end) {
        s->tok.kind = TOKEN_END;
        return 0;
    }
    if (*s->p == '\'' || *s->p == '"') return take_text(s);
    if (s->end - s->p >= 2 && s->p[0] == '=' && s->p[1] == '>') {
        s->tok.kind = TOKEN_ARROW;
        s->p += 2;
        return 0;
    }
    const uint8_t *start = s->p;
    while (s->p < s->end && is_word_byte(*s->p)) s->p++;
    s->tok.kind = s->p > start ? TOKEN_WORD : TOKEN_BYTE;
    if (s->p > start) return buf_put(&s->tok.text, start, (size_t)(s->p - start), s->err);
    s->tok.byte = *s->p++;
    return buf_put_byte(&s->tok.text, s->tok.byte, s->err);
}

static bool at_byte(const struct shell *s, char c) {
    return s->tok.kind == TOKEN_BYTE && s->tok.byte == (uint8_t)c;
}

static bool at_word(const struct shell *s, const char *word) {
    return s->tok.kind == TOKEN_WORD && bytes_eq(buf_bytes(&s->tok.text), bytes_str(word));
}

static bool at_scalar(const struct shell *s) {
    return s->tok.kind == TOKEN_WORD || s->tok.kind == TOKEN_TEXT;
}

static int unexpected(struct shell *s, const char *wanted) {
    char shown[DISK_NAME_SHOWN_BYTES];
    if (s->err->code) return -1;
    if (s->tok.kind == TOKEN_BAD) return err_set(s->err, ERR_USAGE, "line %zu: a string without its end", s->tok.line);
    if (s->tok.kind == TOKEN_END) return err_set(s->err, ERR_USAGE, "line %zu: expected %s, found the end", s->tok.line, wanted);
    return err_set(s->err, ERR_USAGE, "line %zu: expected %s, found '%s'; only literals are read, no Ruby code", s->tok.line,
                   wanted, disk_name_shown(s->tok.kind == TOKEN_ARROW ? bytes_str("=>") : buf_bytes(&s->tok.text), shown));
}

/* ---- the message ---- */

static int put_pair(struct buf *message, uint32_t field, struct bytes key, struct bytes value, struct err *err) {
    struct buf pair = {0};
    int rc = pbwire_put_bytes(&pair, PAIR_KEY, key, err);
    if (!rc) rc = pbwire_put_bytes(&pair, PAIR_VALUE, value, err);
    if (!rc) rc = pbwire_put_bytes(message, field, buf_bytes(&pair), err);
    buf_free(&pair);
    return rc;
}

static int put_table_name(struct shell *s) {
    struct buf message = {0};
    char *ns, *name;
    if (table_name_split(buf_bytes(&s->tok.text), &ns, &name, s->err)) return -1;
    int rc = pbwire_put_bytes(&message, NAMESPACE, bytes_str(ns), s->err);
    if (!rc) rc = pbwire_put_bytes(&message, QUALIFIER, bytes_str(name), s->err);
    if (!rc) rc = pbwire_put_bytes(&s->table, TABLE_NAME, buf_bytes(&message), s->err);
    buf_free(&message);
    free(ns);
    free(name);
    return rc;
}

static int end_family(struct shell *s) {
    struct buf message = {0};
    int rc = pbwire_put_bytes(&message, FAMILY_NAME, buf_bytes(&s->name), s->err);
    if (!rc) rc = buf_put(&message, s->family.p, s->family.n, s->err);
    if (!rc) rc = pbwire_put_bytes(&s->table, TABLE_FAMILY, buf_bytes(&message), s->err);
    buf_free(&message);
    return rc;
}

/* ---- the statement ---- */

/* A list or a hash that says nothing of families; nested ones with it. */
static int skip_brackets(struct shell *s) {
    size_t open = 0;
    do {
        if (s->tok.kind == TOKEN_END || s->tok.kind == TOKEN_BAD) return unexpected(s, "']' or '}'");
        open += at_byte(s, '[') || at_byte(s, '{');
        open -= at_byte(s, ']') || at_byte(s, '}');
        if (advance(s)) return -1;
    } while (open);
    return 0;
}

/* Turns a time to live into that of a descriptor: seconds, and FOREVER the largest. */
static int settle_ttl(struct shell *s) {
    char shown[DISK_NAME_SHOWN_BYTES];
    uint32_t seconds;
    if (bytes_eq(buf_bytes(&s->tok.text), bytes_str("-1"))) return 0;
    if (!ttl_parse(buf_bytes(&s->tok.text), &seconds))
        return err_set(s->err, ERR_USAGE, "line %zu: TTL is '%s', not seconds, a time such as '90 DAYS', or FOREVER", s->tok.line,
                       disk_name_shown(buf_bytes(&s->tok.text), shown));
    buf_clear(&s->tok.text);
    return buf_printf(&s->tok.text, s->err, "%u", seconds ? seconds : (unsigned)INT32_MAX);
}

/* '65536 B (64KB)': the number says it all. */
static void settle_size(struct shell *s) {
    struct buf *text = &s->tok.text;
    size_t n = 0;
    while (n < text->n && isdigit(text->p[n])) n++;
    if (n && n + 1 < text->n && text->p[n] == ' ' && text->p[n + 1] == 'B') text->n = n;
}

/* Reduces a value as the shell shows it to people, and takes it, to its number: '86400 SECONDS (1 DAY)'. */
static int settle_value(struct shell *s) {
    static const char *const sizes[] = {"BLOCKSIZE", "MAX_FILESIZE", "MEMSTORE_FLUSHSIZE"};
    for (unsigned i = 0; i < countof(sizes); i++)
        if (bytes_eq(buf_bytes(&s->key), bytes_str(sizes[i]))) settle_size(s);
    return bytes_eq(buf_bytes(&s->key), bytes_str("TTL")) ? settle_ttl(s) : 0;
}

/* Standing at '{' of CONFIGURATION or METADATA: pairs of texts. */
static int take_texts(struct shell *s, struct buf *message, uint32_t field) {
    if (advance(s)) return -1;
    while (!at_byte(s, '}')) {
        if (!at_scalar(s)) return unexpected(s, "a name");
        if (buf_copy(&s->key, buf_bytes(&s->tok.text), s->err) || advance(s)) return -1;
        if (s->tok.kind != TOKEN_ARROW) return unexpected(s, "'=>'");
        if (advance(s)) return -1;
        if (!at_scalar(s)) return unexpected(s, "a value");
        if (put_pair(message, field, buf_bytes(&s->key), buf_bytes(&s->tok.text), s->err) || advance(s)) return -1;
        if (at_byte(s, ',') ? advance(s) : at_byte(s, '}') ? 0 : unexpected(s, "',' or '}'")) return -1;
    }
    return advance(s);
}

/* Standing after '=>': the value of s->key. */
static int take_value(struct shell *s, struct buf *message, bool *is_family) {
    const struct bytes key = buf_bytes(&s->key);
    bool is_configuration = bytes_eq(key, bytes_str("CONFIGURATION")), is_metadata = bytes_eq(key, bytes_str("METADATA"));
    if (at_byte(s, '{') && (is_configuration || is_metadata)) {
        uint32_t configuration = message == &s->table ? ATTRIBUTE_TABLE_CONFIGURATION : ATTRIBUTE_FAMILY_CONFIGURATION;
        return take_texts(s, message, is_configuration ? configuration : ATTRIBUTE_FIELD);
    }
    if (at_byte(s, '[') || at_byte(s, '{')) return skip_brackets(s);
    if (!at_scalar(s)) return unexpected(s, "a value");
    if (is_family && bytes_eq(key, bytes_str("NAME"))) {
        if (s->tok.kind != TOKEN_TEXT) return unexpected(s, "the family's name in quotes");
        *is_family = true;
        return buf_copy(&s->name, buf_bytes(&s->tok.text), s->err) || advance(s) ? -1 : 0;
    }
    if (settle_value(s)) return -1;
    return put_pair(message, ATTRIBUTE_FIELD, key, buf_bytes(&s->tok.text), s->err) || advance(s) ? -1 : 0;
}

static const char *const known_attributes[] = {"NAME",
                                               "VERSIONS",
                                               "MIN_VERSIONS",
                                               "TTL",
                                               "KEEP_DELETED_CELLS",
                                               "COMPRESSION",
                                               "BLOOMFILTER",
                                               "DATA_BLOCK_ENCODING",
                                               "INDEX_BLOCK_ENCODING",
                                               "NEW_VERSION_BEHAVIOR",
                                               "BLOCKSIZE",
                                               "BLOCKCACHE",
                                               "IN_MEMORY",
                                               "IN_MEMORY_COMPACTION",
                                               "REPLICATION_SCOPE",
                                               "METADATA",
                                               "CONFIGURATION",
                                               "IS_MOB",
                                               "MOB_THRESHOLD",
                                               "CACHE_DATA_ON_WRITE",
                                               "SPLITS",
                                               "CACHE_INDEX_ON_WRITE"};

bool shell_create_knows(struct bytes name) {
    for (unsigned i = 0; i < countof(known_attributes); i++)
        if (bytes_eq(name, bytes_str(known_attributes[i]))) return true;
    return false;
}

/* HBase has more attributes in each release, so an unknown name is taken, unless it looks like one that is known. */
static int check_name(struct shell *s) {
    char text[NEAR_NAME_MAX + 48], shown[DISK_NAME_SHOWN_BYTES];
    const struct bytes name = buf_bytes(&s->tok.text);
    if (shell_create_knows(name)) return 0;
    struct near_name near = near_name_to(name);
    for (unsigned i = 0; i < countof(known_attributes); i++) near_name_offer(&near, bytes_str(known_attributes[i]));
    if (!near.best.p) return 0;
    return err_set(s->err, ERR_USAGE, "line %zu: no attribute is named '%s'%s", s->tok.line, disk_name_shown(name, shown),
                   near_name_text(&near, "", text));
}

/* KEY => value. */
static int take_setting(struct shell *s, struct buf *message, bool *is_family) {
    if (!at_scalar(s)) return unexpected(s, "an attribute such as VERSIONS");
    if (check_name(s)) return -1;
    if (buf_copy(&s->key, buf_bytes(&s->tok.text), s->err) || advance(s)) return -1;
    if (s->tok.kind != TOKEN_ARROW) return unexpected(s, "'=>'");
    return advance(s) || take_value(s, message, is_family) ? -1 : 0;
}

/* Moves settings in braces without NAME to the table. The table's message has another number for configuration. */
static int end_table_settings(struct shell *s) {
    struct bytes rest = buf_bytes(&s->family);
    struct pbwire_field f;
    while (pbwire_next(&rest, &f) == 1) {
        uint32_t to = f.number == ATTRIBUTE_FAMILY_CONFIGURATION ? ATTRIBUTE_TABLE_CONFIGURATION : f.number;
        if (pbwire_put_bytes(&s->table, to, f.bytes, s->err)) return -1;
    }
    return 0;
}

/* A family in braces, or settings of the table in braces: NAME decides. */
static int take_braces(struct shell *s) {
    bool is_family = false;
    buf_clear(&s->family);
    if (advance(s)) return -1;
    while (!at_byte(s, '}')) {
        if (take_setting(s, &s->family, &is_family)) return -1;
        if (at_byte(s, ',') ? advance(s) : at_byte(s, '}') ? 0 : unexpected(s, "',' or '}'")) return -1;
    }
    if (advance(s)) return -1;
    return is_family ? end_family(s) : end_table_settings(s);
}

static int take_argument(struct shell *s) {
    if (at_byte(s, '{')) return take_braces(s);
    if (s->tok.kind == TOKEN_WORD) return take_setting(s, &s->table, NULL);
    if (s->tok.kind != TOKEN_TEXT) return unexpected(s, "a family");
    buf_clear(&s->family);
    return buf_copy(&s->name, buf_bytes(&s->tok.text), s->err) || end_family(s) || advance(s) ? -1 : 0;
}

static int take_statement(struct shell *s) {
    s->p += strlen("create");
    if (advance(s)) return -1;
    bool in_parens = at_byte(s, '(');
    if (in_parens && advance(s)) return -1;
    if (s->tok.kind != TOKEN_TEXT) return unexpected(s, "the table's name in quotes");
    if (put_table_name(s) || advance(s)) return -1;
    while (at_byte(s, ','))
        if (advance(s) || take_argument(s)) return -1;
    if (in_parens && (at_byte(s, ')') ? advance(s) : unexpected(s, "')'"))) return -1;
    while (at_byte(s, ';') || at_word(s, "exit") || at_word(s, "quit"))
        if (advance(s)) return -1;
    if (at_word(s, "create"))
        return err_set(s->err, ERR_USAGE, "line %zu: a second create; keep the statement of one table", s->tok.line);
    return s->tok.kind == TOKEN_END ? 0 : unexpected(s, "',' or the end of the statement");
}

int shell_create_parse(struct bytes text, struct hbase_table *out, struct err *err) {
    struct shell_text found;
    struct buf described = {0};
    *out = (struct hbase_table){0};
    if (!shell_create_find(text, &found)) return err_set(err, ERR_USAGE, "no create statement of HBase's shell");
    int rc = found.is_description ? shell_describe_statement(found.text, found.line, &described, err) : 0;
    if (found.is_description) found.text = described.n ? buf_bytes(&described) : bytes_str("");
    struct shell s = {.p = found.text.p, .end = found.text.p + found.text.n, .line = found.line, .err = err};
    if (!rc) rc = take_statement(&s);
    if (!rc) rc = hbase_table_parse(buf_bytes(&s.table), out, err);
    if (!rc && !out->n_families) {
        hbase_table_free(out);
        rc = err_set(err, ERR_USAGE, "the %s names no family", found.is_description ? "description" : "create statement");
    }
    if (rc && err->code == ERR_INPUT) err->code = ERR_USAGE; /* what people write is not damaged */
    buf_free(&described);
    buf_free(&s.tok.text);
    buf_free(&s.table);
    buf_free(&s.family);
    buf_free(&s.name);
    buf_free(&s.key);
    return rc;
}

int shell_create_read(const char *path, struct hbase_table *out, struct err *err) {
    size_t n;
    struct stat st;
    *out = (struct hbase_table){0};
    if (!stat(path, &st) && st.st_size > SHELL_FILE_MAX_BYTES) return 0;
    char *text = fs_read_text(path, SHELL_FILE_MAX_BYTES, &n, err);
    if (!text) return -1;
    struct bytes all = bytes_of(text, n);
    int rc = shell_create_begins(all) ? 1 : 0;
    if (rc && shell_create_parse(all, out, err)) rc = err_prefix(err, "%s", path);
    free(text);
    return rc;
}
