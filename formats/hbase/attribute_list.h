/* All attributes and settings of a table or family as texts, for whoever knows more of them than a descriptor does. */
#ifndef FORMATS_HBASE_ATTRIBUTE_LIST_H
#define FORMATS_HBASE_ATTRIBUTE_LIST_H

#include "base/bytes.h"
#include "base/err.h"

enum { ATTRIBUTE_LIST_MOST = 1000, ATTRIBUTE_TEXT_MAX_BYTES = 1000 };

struct attribute_text {
    char *name, *value;
};

/* Zero-initialise. Of equal names the last counts. */
struct attribute_list {
    struct attribute_text *p;
    size_t n;
};

/* Adds the pairs of one field (attributes.h) of a message that is well-formed. What is no text (a NUL in it), is longer than
 * ATTRIBUTE_TEXT_MAX_BYTES or comes behind ATTRIBUTE_LIST_MOST others is left out: no setting is like that. */
int attribute_list_add(struct attribute_list *l, struct bytes message, uint32_t field, struct err *err);
void attribute_list_free(struct attribute_list *l);

#endif
