/* Splits text of dialects that csv_scan.c's masks do not know. */
#ifndef FORMATS_CSV_CSV_GENERAL_H
#define FORMATS_CSV_CSV_GENERAL_H

#include "formats/csv/csv.h"
#include "formats/text/dialect.h"

void csv_general_init(struct csv_scan *s, const struct dialect *d);
bool csv_general_record(struct csv_scan *s, struct csv_field *fields, size_t max, struct csv_record *r);
/* Content of a field with escapes, and of quotes with doubled ones, decoded into out (room for f->n); the length. */
size_t csv_unescape(uint8_t *out, const struct csv_field *f, const struct dialect *d);

#endif
