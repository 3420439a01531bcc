/* Splits delimited text into records and fields. */
#ifndef FORMATS_CSV_CSV_SCAN_H
#define FORMATS_CSV_CSV_SCAN_H

#include "base/bytes.h"
#include "formats/csv/csv.h"
#include "formats/csv/csv_mask.h"
#include "formats/text/dialect.h"

void csv_scan_init(struct csv_scan *s, const struct dialect *d, struct bytes data);
/* Begins a scan as csv_scan_init does, with a csv_mask_fn of the caller's choice. */
void csv_scan_by(struct csv_scan *s, const struct dialect *d, struct bytes data, csv_mask_fn *find);
/* One record; at most `max` fields are stored. false: no more. */
bool csv_scan_record(struct csv_scan *s, struct csv_field *fields, size_t max, struct csv_record *r);
/* Field content with doubled quotes made single into out (room for f->n); the length. */
size_t csv_unquote(uint8_t *out, const struct csv_field *f, uint8_t quote);

#endif
