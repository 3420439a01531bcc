/* Words of an expression. */
#ifndef FORMATS_MAPPING_EXPR_LEX_H
#define FORMATS_MAPPING_EXPR_LEX_H

#include "base/bytes.h"
#include "base/err.h"

enum expr_token {
    TOKEN_END,
    TOKEN_NAME,   /* bare: letters, digits, _ . and all bytes from 0x80 on; also $2, $.a[0] */
    TOKEN_QUOTED, /* `any name`; a doubled backquote is one */
    TOKEN_STRING, /* '…' or "…"; \\ \' \" \n \r \t \0 \xNN, a doubled quote is one */
    TOKEN_NUMBER,
    TOKEN_SIGN /* operators and brackets, one or two characters */
};

struct expr_lex {
    struct bytes text;
    size_t at;    /* after the token */
    size_t start; /* of the token */
    enum expr_token token;
    struct bytes raw; /* as in the text, without quotes; see expr_lex_unescape */
    bool columns;     /* family:qualifier is one name */
};

/* The next token; ERR_USAGE says at which character. */
int expr_lex_next(struct expr_lex *l, struct err *err);
/* "at character 7: …" (characters, not bytes, from 1); returns -1. */
int expr_lex_error(const struct expr_lex *l, struct err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool expr_lex_is(const struct expr_lex *l, const char *sign_or_word);
/* The content of a quoted token into out (room for raw.n); its length, or -1. */
int expr_lex_unescape(const struct expr_lex *l, uint8_t *out, size_t *n, struct err *err);

#endif
