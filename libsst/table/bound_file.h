/* The FILE of `range:FILE`: bounds one a line, or a dump of the catalogue's part_name and b_high_bound_val.
 *
 * Plain: the line's bytes are the bound (a closing CR is dropped), `hex:6162` gives it in hex; blank lines and lines
 * starting with # are skipped. N bounds make N + 1 partitions p0 … pN, the last up to MAXVALUE; a closing line MAXVALUE
 * says so openly and changes nothing. Lines that start or end with a blank are refused: hex says what is meant.
 *
 * Dump: what `SELECT part_idx, part_name, unhex(hex(b_high_bound_val)) FROM oceanbase.__all_virtual_part …` prints, with
 * TAB, commas, blanks or the client's | frame between columns, with or without the header line; part_idx and part_name may
 * be missing, further columns may stand before the last. N rows make N partitions, exactly as they are: without a row of
 * MAXVALUE the last partition is bounded. Recognised by the last column being a serialised row key (bound_code.h). */
#ifndef TABLE_BOUND_FILE_H
#define TABLE_BOUND_FILE_H

#include "table/table.h"

/* Fills kind, count, bounds and names of *out (zeroed before). *is_dump tells which form it was. Errors are ERR_USAGE
 * naming path and line, or ERR_INPUT. */
int bound_file_read(const char *path, struct partitioning *out, bool *is_dump, struct err *err);
int bound_file_parse(const char *path, struct bytes text, struct partitioning *out, bool *is_dump, struct err *err);

#endif
