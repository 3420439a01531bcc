/* Words of MySQL-mode SQL as OceanBase reads it with the default sql_mode: comments are skipped, strings know backslash
 * escapes, "…" is a string, `…` a name. The lexer holds no memory: tokens point into the text, and a copy of the struct
 * reads ahead without moving the original. */
#ifndef TABLE_DDL_LEX_H
#define TABLE_DDL_LEX_H

#include "base/buf.h"
#include "base/err.h"

enum ddl_kind {
    DDL_END,
    DDL_WORD,   /* keyword or plain name */
    DDL_QUOTED, /* `name` */
    DDL_STRING, /* 'text' or "text" */
    DDL_HEX,    /* x'61' or 0x61 */
    DDL_BITS,   /* b'01' */
    DDL_NUMBER,
    DDL_PUNCT /* one byte */
};

struct ddl_token {
    enum ddl_kind kind;
    const char *p; /* as written, quotes included */
    size_t n;
    uint32_t line; /* from 1 */
};

/* The server's version, by comments. */
struct ddl_versions {
    uint32_t old_line; /* a comment names an OceanBase before 4.0 here; 0 = none does */
    bool has_new;      /* a comment names 4.0 or later */
};

struct ddl_lex {
    const char *name; /* of the input, for messages */
    const char *p, *end;
    uint32_t line;
    bool in_version_comment;       /* inside an opened "slash star bang" comment, whose content counts */
    struct ddl_versions *versions; /* may be NULL */
};

void ddl_lex_init(struct ddl_lex *lex, const char *name, const char *text, size_t n);
/* 1 = a token, 0 = end (kind DDL_END), -1 = error: something is left open. */
int ddl_lex_next(struct ddl_lex *lex, struct ddl_token *tok, struct err *err);

bool ddl_token_is(const struct ddl_token *tok, const char *word); /* an unquoted word, without case */
bool ddl_token_is_punct(const struct ddl_token *tok, char c);
/* A name equals text, or another name, without case; quotes are taken off. */
bool ddl_token_names(const struct ddl_token *tok, const char *text);
bool ddl_tokens_same_name(const struct ddl_token *a, const struct ddl_token *b);

/* Appends what a name, string or hex literal stands for. 0, 1 = malformed or in doubt (odd hex digits; \% and \_, which
 * mean different things in different places), -1 = out of memory. */
int ddl_token_value(const struct ddl_token *tok, struct buf *out, struct err *err);

#endif
