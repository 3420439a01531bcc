/* Searches records as they pass for signs that they are not what their owner means. */
#ifndef FORMATS_CSV_CSV_LOOK_H
#define FORMATS_CSV_CSV_LOOK_H

#include "engine/format.h"

struct csv_field;
struct csv_look;
struct csv_reader;
struct csv_record;

void csv_look_begin(struct csv_look *l, const struct csv_reader *r, const struct chunk *c);
/* Examines a record that is not blank. */
void csv_look_closely(struct csv_look *l, const struct csv_record *rec, const struct csv_field *fields, size_t stored,
                      bool sample);
void csv_look_header(struct csv_look *l, const struct csv_record *rec, const struct csv_field *fields, size_t stored);

#endif
