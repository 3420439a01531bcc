/* Splits SQL text into tokens: words, quoted names, strings, numbers, marks. Comments are skipped, except the executable ones of
 * MySQL, whose content counts. The line of each token is kept for messages. */
#include "table/ddl_lex.h"

#include "table/bounds.h"

#include <ctype.h>
#include <strings.h>

void ddl_lex_init(struct ddl_lex *lex, const char *name, const char *text, size_t n) {
    const struct bytes whole = bytes_without_mark(bytes_of(text, n));
    const char *p = (const char *)whole.p;
    *lex = (struct ddl_lex){.name = name, .p = p, .end = p + whole.n, .line = 1};
}

static bool is_word_byte(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static size_t left(const struct ddl_lex *lex) {
    return (size_t)(lex->end - lex->p);
}

static bool starts(const struct ddl_lex *lex, const char *s) {
    size_t n = strlen(s);
    return left(lex) >= n && !memcmp(lex->p, s, n);
}

static void skip_bytes(struct ddl_lex *lex, size_t n) {
    for (size_t i = 0; i < n; i++) lex->line += lex->p[i] == '\n';
    lex->p += n;
}

/* "OceanBase 3.1.4", "5.7.25-OceanBase-v4.2.1.0": the major number after the name. */
static void note_version(struct ddl_lex *lex, const char *p, size_t n) {
    static const char name[] = "oceanbase";
    const char *end = p + n;
    for (; lex->versions && (size_t)(end - p) > sizeof name; p++) {
        if (strncasecmp(p, name, sizeof name - 1)) continue;
        const char *q = p + sizeof name - 1;
        while (q < end && memchr(" \t-_vVcCeE", *q, 10)) q++;
        if (end - q < 2 || !isdigit((unsigned char)q[0]) || q[1] != '.') continue;
        if (q[0] >= '4')
            lex->versions->has_new = true;
        else if (!lex->versions->old_line)
            lex->versions->old_line = lex->line;
    }
}

static void skip_line(struct ddl_lex *lex) {
    const char *nl = memchr(lex->p, '\n', left(lex));
    size_t n = nl ? (size_t)(nl - lex->p) : left(lex);
    note_version(lex, lex->p, n);
    skip_bytes(lex, n);
}

/* MySQL runs the content of a "bang" comment when the server is at least of the version given; MariaDB's dumps open with
 * one of version 999999 that no server runs. */
static bool is_run(const struct ddl_lex *lex, size_t *head) {
    size_t i = 3, digits = 0;
    uint32_t version = 0;
    for (; i < left(lex) && digits < 6 && isdigit((unsigned char)lex->p[i]); digits++)
        version = version * 10 + (uint32_t)(lex->p[i++] - '0');
    *head = i;
    return version < 100000;
}

static int skip_block(struct ddl_lex *lex, struct err *err) {
    size_t head;
    if (starts(lex, "/*!") && is_run(lex, &head) && !lex->in_version_comment) {
        lex->in_version_comment = true;
        skip_bytes(lex, head);
        return 0;
    }
    const char *close = left(lex) > 3 ? memmem(lex->p + 2, left(lex) - 2, "*/", 2) : NULL;
    if (!close) return err_set(err, ERR_USAGE, "%s:%u: a comment is not closed", lex->name, (unsigned)lex->line);
    size_t n = (size_t)(close - lex->p) + 2;
    note_version(lex, lex->p, n);
    skip_bytes(lex, n);
    return 0;
}

/* Two dashes start a comment only before a blank or at the end of the line. */
static bool at_dashes(const struct ddl_lex *lex) {
    return starts(lex, "--") && (left(lex) == 2 || isspace((unsigned char)lex->p[2]) || iscntrl((unsigned char)lex->p[2]));
}

static int skip_gap(struct ddl_lex *lex, struct err *err) {
    while (left(lex)) {
        if (isspace((unsigned char)*lex->p)) {
            skip_bytes(lex, 1);
        } else if (*lex->p == '#' || at_dashes(lex)) {
            skip_line(lex);
        } else if (starts(lex, "/*")) {
            if (skip_block(lex, err)) return -1;
        } else if (lex->in_version_comment && starts(lex, "*/")) {
            lex->in_version_comment = false;
            skip_bytes(lex, 2);
        } else {
            break;
        }
    }
    return 0;
}

/* Length of a quoted token with its quotes, 0 when it is not closed. A doubled quote stands for one. */
static size_t quoted_length(const char *p, const char *end, bool escapes) {
    for (const char *q = p + 1; q < end; q++) {
        if (escapes && *q == '\\') {
            q++;
        } else if (*q == *p) {
            if (q + 1 == end || q[1] != *p) return (size_t)(q - p) + 1;
            q++;
        }
    }
    return 0;
}

static int lex_quoted(struct ddl_lex *lex, struct ddl_token *tok, enum ddl_kind kind, size_t prefix, struct err *err) {
    const char *open = lex->p + prefix;
    size_t n = quoted_length(open, lex->end, *open != '`');
    if (!n)
        return err_set(err, ERR_USAGE, "%s:%u: a %s is not closed", lex->name, (unsigned)lex->line,
                       *open == '`' ? "quoted name" : "string");
    tok->kind = kind;
    tok->n = prefix + n;
    skip_bytes(lex, tok->n);
    return 1;
}

static bool all_hex(const char *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isxdigit((unsigned char)p[i])) return false;
    return true;
}

static enum ddl_kind kind_of_word(const char *p, size_t n) {
    size_t digits = 0;
    while (digits < n && isdigit((unsigned char)p[digits])) digits++;
    if (digits == n) return DDL_NUMBER;
    if (n > 2 && p[0] == '0' && p[1] == 'x' && all_hex(p + 2, n - 2)) return DDL_HEX;
    if (digits && digits + 1 < n && (p[digits] == 'e' || p[digits] == 'E')) {
        size_t i = digits + 1;
        while (i < n && isdigit((unsigned char)p[i])) i++;
        if (i == n) return DDL_NUMBER;
    }
    return DDL_WORD;
}

static int lex_word(struct ddl_lex *lex, struct ddl_token *tok, struct err *err) {
    size_t n = 1;
    while (n < left(lex) && is_word_byte(lex->p[n])) n++;
    if (n == 1 && left(lex) > 1 && lex->p[1] == '\'') {
        char c = (char)tolower((unsigned char)lex->p[0]);
        if (c == 'x' || c == 'b') return lex_quoted(lex, tok, c == 'x' ? DDL_HEX : DDL_BITS, 1, err);
    }
    tok->kind = kind_of_word(lex->p, n);
    if (tok->kind == DDL_NUMBER && n + 1 < left(lex) && lex->p[n] == '.' && isdigit((unsigned char)lex->p[n + 1])) {
        n += 2;
        while (n < left(lex) && is_word_byte(lex->p[n])) n++;
    }
    tok->n = n;
    skip_bytes(lex, n);
    return 1;
}

int ddl_lex_next(struct ddl_lex *lex, struct ddl_token *tok, struct err *err) {
    *tok = (struct ddl_token){.kind = DDL_END, .p = lex->end, .line = lex->line};
    if (skip_gap(lex, err)) return -1;
    tok->line = lex->line;
    if (!left(lex)) {
        if (lex->in_version_comment)
            return err_set(err, ERR_USAGE, "%s:%u: a comment is not closed", lex->name, (unsigned)lex->line);
        return 0;
    }
    tok->p = lex->p;
    if (*lex->p == '`') return lex_quoted(lex, tok, DDL_QUOTED, 0, err);
    if (*lex->p == '\'' || *lex->p == '"') return lex_quoted(lex, tok, DDL_STRING, 0, err);
    if (is_word_byte(*lex->p)) return lex_word(lex, tok, err);
    tok->kind = DDL_PUNCT;
    tok->n = 1;
    skip_bytes(lex, 1);
    return 1;
}

bool ddl_token_is(const struct ddl_token *tok, const char *word) {
    return tok->kind == DDL_WORD && strlen(word) == tok->n && !strncasecmp(tok->p, word, tok->n);
}

bool ddl_token_is_punct(const struct ddl_token *tok, char c) {
    return tok->kind == DDL_PUNCT && *tok->p == c;
}

/* The next byte of a name without its quotes; -1 at the end. */
static int name_byte(const struct ddl_token *tok, size_t *at) {
    bool quoted = tok->kind == DDL_QUOTED;
    if (quoted && *at == 0) *at = 1;
    if (*at + quoted >= tok->n) return -1;
    int c = (unsigned char)tok->p[(*at)++];
    if (quoted && c == '`') ++*at;
    return c;
}

bool ddl_tokens_same_name(const struct ddl_token *a, const struct ddl_token *b) {
    size_t i = 0, k = 0;
    for (;;) {
        int x = name_byte(a, &i), y = name_byte(b, &k);
        if (x < 0 || y < 0) return x == y;
        if (tolower(x) != tolower(y)) return false;
    }
}

bool ddl_token_names(const struct ddl_token *tok, const char *text) {
    struct ddl_token t = {.kind = DDL_WORD, .p = text, .n = strlen(text)};
    return (tok->kind == DDL_WORD || tok->kind == DDL_QUOTED) && ddl_tokens_same_name(tok, &t);
}

static uint8_t unescape(char c) {
    switch (c) {
    case '0': return 0;
    case 'b': return '\b';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'Z': return 0x1a;
    default: return (uint8_t)c;
    }
}

static int string_value(const struct ddl_token *tok, struct buf *out, struct err *err) {
    int doubt = 0;
    for (size_t i = 1; i + 1 < tok->n; i++) {
        uint8_t c = (uint8_t)tok->p[i];
        if (c == '\\') {
            c = unescape(tok->p[++i]);
            doubt = doubt || c == '%' || c == '_';
        } else if (c == (uint8_t)tok->p[0]) {
            i++;
        }
        if (buf_put_byte(out, c, err)) return -1;
    }
    return doubt;
}

static int hex_value(const struct ddl_token *tok, struct buf *out, struct err *err) {
    struct bytes digits = {(const uint8_t *)tok->p + 2, tok->n - 2};
    if (tok->p[0] == 'x' || tok->p[0] == 'X') {
        digits.n--;
    } else if (digits.n % 2) { /* 0xabc is 0x0abc */
        uint8_t first[2] = {'0', digits.p[0]};
        int rc = bound_code_unhex((struct bytes){first, 2}, out, err);
        if (rc) return rc;
        digits.p++;
        digits.n--;
    }
    return bound_code_unhex(digits, out, err);
}

int ddl_token_value(const struct ddl_token *tok, struct buf *out, struct err *err) {
    if (tok->kind == DDL_STRING) return string_value(tok, out, err);
    if (tok->kind == DDL_HEX) return hex_value(tok, out, err);
    size_t at = 0;
    for (int c; (c = name_byte(tok, &at)) >= 0;)
        if (buf_put_byte(out, (uint8_t)c, err)) return -1;
    return 0;
}
