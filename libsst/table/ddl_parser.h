/* State shared by the parts of the CREATE TABLE parser: ddl.c (statements, options), ddl_columns.c, ddl_generated.c,
 * ddl_partition.c, ddl_level.c, kv_attributes.c. Private to them.
 *
 * Errors are sticky: when the lexer fails, the current token becomes the end and d->err holds the first cause, so a rule
 * only has to report the token it did not expect. */
#ifndef TABLE_DDL_PARSER_H
#define TABLE_DDL_PARSER_H

#include "base/warning.h"
#include "table/ddl_lex.h"
#include "table/partitioning.h"
#include "table/table.h"

struct ddl_column {
    struct ddl_token name, type;
    uint64_t length; /* of varbinary(N), as far as given */
    bool has_length, is_unsigned, is_text, is_generated, is_not_null;
    bool is_computed;          /* its default is */
    bool has_value;            /* unless a statement gives one: DEFAULT, AUTO_INCREMENT */
    struct ddl_lex expression; /* generated: before its first token */
};

enum { DDL_COLUMNS_MAX = 4096, DDL_PRIMARY_MAX = 8 };

/* One CREATE TABLE while it is read. */
struct ddl_table {
    char *name; /* SQL name without quotes */
    struct ddl_column *columns;
    uint32_t n_columns;
    struct ddl_token primary[DDL_PRIMARY_MAX];
    uint32_t n_primary;
    bool has_kv, is_printed;         /* printed: looks like SHOW CREATE TABLE's output */
    struct ddl_token kv;             /* a string */
    struct buf kv_text;              /* that string, where it was written without quotes or in parentheses */
    const char *kv_from, *kv_to;     /* where it was */
    const char *name_from, *name_to; /* the database in front of the table's name, which is left out */
    struct partitioning partitioning;
    struct family family;
};

struct ddl {
    struct ddl_lex lex;
    struct ddl_token tok; /* the next one, not taken yet */
    const char *taken;    /* end of the last token taken */
    struct ddl_table *t;  /* NULL between statements */
    bool unnamed;         /* the tables' names were not given: messages do not say them */
    struct buf scratch;
    struct buf *warnings;
    struct err *err;
};

void ddl_advance(struct ddl *d);
bool ddl_at(const struct ddl *d, const char *word);
bool ddl_at_punct(const struct ddl *d, char c);
/* Take the token if it is this one. */
bool ddl_accept(struct ddl *d, const char *word);
bool ddl_accept_punct(struct ddl *d, char c);
/* Takes the word that must follow. 0, or -1 with "expected … , found …". */
int ddl_expect(struct ddl *d, const char *word);
int ddl_expect_punct(struct ddl *d, char c);
int ddl_unexpected(struct ddl *d, const char *expected);
int ddl_take_name(struct ddl *d, struct ddl_token *out, const char *what);
int ddl_take_number(struct ddl *d, uint64_t max, uint64_t *out, const char *what);
/* Standing at '(': takes everything up to its ')'. */
int ddl_skip_parens(struct ddl *d);
/* Name without quotes, NUL-terminated, in d->scratch; NULL when out of memory or with a NUL inside. */
const char *ddl_name_text(struct ddl *d, const struct ddl_token *tok);

/* Sets ERR_USAGE "FILE:LINE: table `x`: …"; returns -1. */
int ddl_fail(struct ddl *d, uint32_t line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Fails with the error of a function below, and adds the place where the text is at fault. */
int ddl_fail_as(struct ddl *d, uint32_t line, const struct err *bad);
/* Adds a warning in the form of ddl_fail's errors. */
int ddl_warn(struct ddl *d, enum warning code, uint32_t line, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* ddl_generated.c: what a generated column is made of; refuses by name what cannot partition. */
enum ddl_generated { DDL_GENERATED_PREFIX, DDL_GENERATED_TIME, DDL_GENERATED_REFUSED };
enum ddl_generated ddl_generated(struct ddl *d, const struct ddl_column *c, struct key_prefix *out);

/* ddl_partition.c: standing after PARTITION BY. */
int ddl_partition(struct ddl *d);
/* A list of them, standing at '(': `word` is partition or subpartition. below (NULL: there are none): called where the
 * subpartitions of the partition just added may follow. */
struct ddl_list_opts {
    const char *word;
    struct partitioning *level;
    int (*below)(struct ddl *d, bool *has_text);
    bool has_text; /* set: a bound is plain text */
};

#endif
