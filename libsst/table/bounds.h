/* RANGE bounds as users and the catalogue write them: the FILE of `range:FILE`, and the hex form of b_high_bound_val. */
#ifndef TABLE_BOUNDS_H
#define TABLE_BOUNDS_H

#include "base/buf.h"
#include "base/bytes.h"
#include "table/partitioning.h"

/* The FILE of `range:FILE`: bounds one a line, or a dump of the catalogue's part_name and b_high_bound_val.
 *
 * Plain: the line's bytes are the bound (a closing CR is dropped), `hex:6162` gives it in hex; blank lines and lines
 * starting with # are skipped. N bounds make N + 1 partitions p0 … pN, the last up to MAXVALUE; a closing line MAXVALUE
 * says so openly and changes nothing. Lines that start or end with a blank are refused: hex says what is meant.
 *
 * Dump: what `SELECT part_idx, part_name, unhex(hex(b_high_bound_val)) FROM oceanbase.__all_virtual_part …` prints, with
 * TAB, commas, blanks or the client's | frame between columns, with or without the header line; part_idx and part_name may
 * be missing, further columns may precede the last. N rows make N partitions, exactly as they are: without a row of
 * MAXVALUE the last partition is bounded. Recognised by the last column being a serialised row key (bound_code_decode). */

/* Fills kind, count, bounds and names of *out (zeroed before). *is_dump: the file is a dump of the catalogue. Errors are
 * ERR_USAGE naming path and line, or ERR_INPUT. */
int bound_file_read(const char *path, struct partitioning *out, bool *is_dump, struct err *err);
int bound_file_parse(const char *path, struct bytes text, struct partitioning *out, bool *is_dump, struct err *err);

/* A RANGE bound as the catalogue's b_high_bound_val shows it: hex of a serialised row key of one cell.
 *
 *   01           number of cells
 *   16 04 3F FF  type (0x16 varchar), collation level, collation (0x3F = 63 = binary), scale
 *   03 610062 00 length (base-128 varint), bytes, a closing NUL
 * MAXVALUE is 01 19 07 00 00 and the varint of -2 (FE FF FF FF FF FF FF FF FF 01).
 * Source: measured on OceanBase seekdb 1.3.0.0 (4.3.5.3); see tests/data/oceanbase. */

enum bound_code {
    BOUND_NOT_CODE, /* no serialised row key of one cell */
    BOUND_VALUE,    /* binary string: its bytes are in *value */
    BOUND_MAXVALUE,
    BOUND_OTHER_TYPE /* a serialised row key, but not of a binary string column */
};

/* hex: the digits as text, either case. value is replaced. -1 = out of memory. */
int bound_code_decode(struct bytes hex, struct buf *value, enum bound_code *kind, struct err *err);
/* Appends the bytes of hex digits; 0 = fine, 1 = not hex or an odd count, -1 = out of memory. */
int bound_code_unhex(struct bytes hex, struct buf *out, struct err *err);

#endif
