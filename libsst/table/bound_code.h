/* A RANGE bound as the catalogue's b_high_bound_val shows it: hex of a serialised row key of one cell.
 *
 *   01           number of cells
 *   16 04 3F FF  type (0x16 varchar), collation level, collation (0x3F = 63 = binary), scale
 *   03 610062 00 length (base-128 varint), bytes, a closing NUL
 * MAXVALUE is 01 19 07 00 00 and the varint of -2 (FE FF FF FF FF FF FF FF FF 01).
 * Source: measured on OceanBase seekdb 1.3.0.0 (4.3.5.3); see tests/data/oceanbase. */
#ifndef TABLE_BOUND_CODE_H
#define TABLE_BOUND_CODE_H

#include "base/buf.h"
#include "base/bytes.h"

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
