/* Attributes and configuration of tables and families: repeated pairs of texts in a protobuf message (BytesBytesPair and
 * NameStringPair, which look alike). Of equal keys the last counts, and an empty value removes the key, as in HBase's builders.
 * Typed getters leave *out as it is when the key is absent. */
#ifndef FORMATS_HBASE_ATTRIBUTES_H
#define FORMATS_HBASE_ATTRIBUTES_H

#include "base/bytes.h"
#include "base/err.h"

/* Field numbers, of ColumnFamilySchema and TableSchema both but for the table's configuration. */
enum { ATTRIBUTE_FIELD = 2, ATTRIBUTE_FAMILY_CONFIGURATION = 3, ATTRIBUTE_TABLE_CONFIGURATION = 4 };

/* A pair's message. false: it is none. */
bool attribute_pair(struct bytes in, struct bytes *key, struct bytes *value);
/* Borrowed from the message; p == NULL: absent. The message is well-formed, its pairs may not be: those are passed over. */
struct bytes attribute_find(struct bytes message, uint32_t field, const char *key);

/* As Long.parseLong takes it: decimal digits, a sign. */
bool attribute_number(struct bytes text, int64_t *out);

int attribute_int(struct bytes message, const char *key, int64_t least, int64_t *out, struct err *err); /* up to INT32_MAX */
void attribute_bool(struct bytes message, const char *key, bool *out); /* as Boolean.parseBoolean: all but "true" is false */
/* A name of letters, digits and '_', in upper case; `absent` when it is not there. Free it. NULL: error. */
char *attribute_word(struct bytes message, const char *key, const char *absent, struct err *err);

int attribute_unusable(struct err *err, const char *key, struct bytes value, const char *wanted);
bool attribute_is(struct bytes value, const char *word); /* any case */

enum { ATTRIBUTE_LIST_MOST = 1000, ATTRIBUTE_TEXT_MAX_BYTES = 1000 };

struct attribute_text {
    char *name, *value;
};

/* Zero-initialise. Of equal names the last counts. */
struct attribute_list {
    struct attribute_text *p;
    size_t n;
};

/* Adds the pairs of one field of a well-formed message. Leaves out what is not text (holds a NUL), is longer than
 * ATTRIBUTE_TEXT_MAX_BYTES or comes after ATTRIBUTE_LIST_MOST others: no setting is like that. */
int attribute_list_add(struct attribute_list *l, struct bytes message, uint32_t field, struct err *err);
void attribute_list_free(struct attribute_list *l);

#endif
