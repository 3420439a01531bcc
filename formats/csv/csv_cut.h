/* Finds where a chunk of delimited text ends. */
#ifndef FORMATS_CSV_CSV_CUT_H
#define FORMATS_CSV_CSV_CUT_H

#include "base/bytes.h"
#include "formats/csv/csv_mask.h"
#include "formats/text/dialect.h"

/* Length of the whole records at the head, as csv_scan_record would say: a text_cut, its argument is the dialect. Where a lone CR
 * ends records, it may leave more than the last one. */
size_t csv_cut(const void *dialect, struct bytes data);
/* Cuts as csv_cut does, with a csv_mask_fn of the caller's choice. */
size_t csv_cut_by(const struct dialect *d, struct bytes data, csv_mask_fn *find);

#endif
