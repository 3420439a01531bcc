/* Cells as CSV. */
#ifndef CMD_EXPORT_EXPORT_CSV_H
#define CMD_EXPORT_EXPORT_CSV_H

#include "cmd/text/export_form.h"

extern const struct export_form export_csv;

/* CSV by one kind of vector instructions, all with the same result; NULL: not on this machine. The form takes the last one that
 * there is. */
enum export_vector { EXPORT_PLAIN, EXPORT_SSE2, EXPORT_AVX2, EXPORT_VECTORS };
export_put_fn *export_csv_by(enum export_vector v);

#endif
