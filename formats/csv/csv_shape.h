/* Checks that a record has the fields that are mapped. */
#ifndef FORMATS_CSV_CSV_SHAPE_H
#define FORMATS_CSV_CSV_SHAPE_H

#include "engine/format.h"
#include "formats/csv/csv.h"

/* Returns whether the record has the fields that are mapped. */
bool csv_shape_fits(const struct csv_reader *r, struct csv_record *rec);
/* Sets *why to the reason why a record that does not fit is refused, and returns false. line: of the record, 0 = not known. */
bool csv_shape_why(const struct csv_reader *r, const struct csv_record *rec, const struct csv_field *fields, uint64_t line,
                   struct reason *why);

#endif
