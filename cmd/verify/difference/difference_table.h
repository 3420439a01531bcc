/* Differences as people read them: one line each, with the old and the new value, in columns that fit. */
#ifndef VERIFY_DIFFERENCE_TABLE_H
#define VERIFY_DIFFERENCE_TABLE_H

#include "base/buf.h"
#include "cmd/verify/difference/value_head.h"

/* Everything is borrowed. */
struct difference {
    const char *kind;      /* "missing", "changed" … */
    const char *partition; /* NULL: not known */
    struct bytes row, family, qualifier;
    int64_t ts_ms;
    const char *marker;             /* type of a delete marker; NULL: it is a put */
    const struct value_head *a, *b; /* NULL: that side has none */
    const char *note;               /* in place of the values; NULL: they are shown */
};

/* Zero-initialise; title is set once: what stands above the values of both sides. */
struct difference_table {
    const char *title[2];
    enum value_form values;
    struct buf cells; /* of lines that are not printed yet: texts, each with a NUL */
    size_t lines;
    size_t width[8];
    bool begun; /* the heading is printed */
};

/* Prints a hundred lines when they are there. *gone: standard output is no longer read. */
int difference_table_add(struct difference_table *t, const struct difference *d, bool *gone, struct err *err);
/* Prints the lines that were added since, and that there are `more` differences, if there are. */
int difference_table_print(struct difference_table *t, uint64_t more, bool *gone, struct err *err);
void difference_table_free(struct difference_table *t);

#endif
