/* Says how delimited text is cut into records and fields, and which fields are null: one value for what a program's options, a
 * mapping and the names of known dialects say. It holds no pointers, so it is copied as it is.
 *
 * What people write is NAME[,key=value...] (--dialect), a JSON object of the same keys (mappings), or the short forms
 * --delimiter, --quote, --null and --header: all of them end in dialect_set. `given` notes what was said, so that
 * dialect_resolve can lay it over what a format has by itself. */
#ifndef FORMATS_TEXT_DIALECT_H
#define FORMATS_TEXT_DIALECT_H

#include "base/bytes.h"
#include "base/err.h"

enum { DIALECT_DELIMITER_BYTES = 8, DIALECT_TEXTS = 16, DIALECT_TEXT_BYTES = 256, DIALECT_SKIP_MAX = 1000 };

/* Keys of a dialect, in the order of the names in dialect.c. */
enum dialect_key {
    DIALECT_DELIMITER,
    DIALECT_QUOTE,
    DIALECT_ESCAPE,
    DIALECT_NULL,
    DIALECT_SKIP,
    DIALECT_HEADER,
    DIALECT_COMMENT,
    DIALECT_TRIM,
    DIALECT_TRAILING,
    DIALECT_LINES,
    DIALECT_KEYS
};

enum dialect_header {
    DIALECT_HEADER_NONE,
    DIALECT_HEADER_FIRST, /* only the first file has one, whose names hold for all */
    DIALECT_HEADER_EACH
};

enum dialect_trailing {
    DIALECT_TRAILING_NO,
    DIALECT_TRAILING_YES, /* a delimiter ends each record */
    DIALECT_TRAILING_ANY  /* empty fields after the last column are no fields */
};

enum dialect_lines {
    DIALECT_LINES_AUTO, /* LF or CRLF ends a record */
    DIALECT_LINES_LF,   /* LF alone: a CR before it is content */
    DIALECT_LINES_CRLF, /* CRLF alone */
    DIALECT_LINES_ANY   /* LF, CRLF or a lone CR */
};

/* Letters that stand for other bytes after the escape; any other byte stands for itself. */
enum dialect_escapes {
    DIALECT_ESCAPES_MYSQL,    /* 0 b n r t Z */
    DIALECT_ESCAPES_POSTGRES, /* b f n r t v, 1 to 3 octal digits, x and 1 or 2 hex digits */
    DIALECT_ESCAPES_HIVE      /* n r */
};

/* A few short texts. */
struct dialect_texts {
    uint8_t n, lengths[DIALECT_TEXTS];
    uint8_t bytes[DIALECT_TEXT_BYTES];
};

struct dialect {
    char name[16];  /* "": none was named */
    unsigned given; /* bits of enum dialect_key: said by somebody; of a named dialect its own keys are not */
    uint8_t delimiter[DIALECT_DELIMITER_BYTES];
    uint8_t n_delimiter;
    int quote, escape; /* bytes; -1: none */
    struct dialect_texts nulls, comments;
    uint32_t skip; /* lines before the header */
    enum dialect_header header;
    bool trim;
    enum dialect_trailing trailing;
    enum dialect_lines lines;
    enum dialect_escapes escapes;
    bool exact;    /* a record has as many fields as there are columns; otherwise those at its end may be missing */
    bool sep_line; /* a first line sep=; names the delimiter, as Excel has it */
};

/* Returns the dialect; NULL: there is none of this name. */
const struct dialect *dialect_named(const char *name);
/* Parses the value of --dialect, NAME[,key=value...], into *d. A comma in a value is written \,. *d may hold what short forms
 * said: a key that both give is refused. ERR_USAGE without the option's name. */
int dialect_parse(struct dialect *d, const char *text, struct err *err);
/* Names the dialect: its keys hold, but for those that were given. */
int dialect_choose(struct dialect *d, const char *name, struct err *err);
/* One key. ERR_USAGE: it is unknown, has no such value, or was given before, unless it may have several values. */
int dialect_set(struct dialect *d, const char *key, struct bytes value, struct err *err);
static inline bool dialect_says(const struct dialect *d, enum dialect_key key) {
    return d && d->given >> key & 1;
}
/* Returns whether a dialect was named; NULL: false. */
static inline bool dialect_is_named(const struct dialect *d) {
    return d && d->name[0];
}

/* Lays what was said over *d, a format's own: options (NULL: nothing), then a source of a mapping (NULL: none), which beats
 * them; if it names a dialect, they do not matter. */
void dialect_resolve(struct dialect *d, const struct dialect *options, const struct dialect *source);

static inline struct bytes dialect_delimiter(const struct dialect *d) {
    return bytes_of(d->delimiter, d->n_delimiter);
}
/* The i-th of t->n. */
struct bytes dialect_text(const struct dialect_texts *t, size_t i);
/* Returns whether text is one of the texts. */
bool dialect_has_text(const struct dialect_texts *t, struct bytes text);
/* Returns whether text begins with one of the texts. */
bool dialect_begins(const struct dialect_texts *t, struct bytes text);

#endif
