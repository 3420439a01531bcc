/* Cells whose value is in a mob file: what their references say. */
#ifndef FORMATS_HBASE_MOB_CELL_H
#define FORMATS_HBASE_MOB_CELL_H

#include "base/buf.h"
#include "cell/cell.h"

/* Cells whose value is in a mob file: tag 5 marks them, tag 6 names the table that wrote the file, the value is the real
 * value's length (i32) and the file's name. Source: MobUtils, HMobStore. */

/* All borrowed from the cell. */
struct mob_reference {
    struct bytes file;
    struct bytes ns, table; /* table.p == NULL: not named */
    uint32_t bytes;
};

bool mob_cell_is_reference(const struct cell *c);
/* ERR_INPUT when what marks the cell and what it holds do not fit, or the name is none of a mob file. */
int mob_cell_parse(const struct cell *c, struct mob_reference *out, struct err *err);
/* Returns whether a mob file can have this name. */
bool mob_cell_names_file(struct bytes name);
/* Takes the name of a table as tag 6 has it: ns:table, or table. */
void mob_cell_table(struct bytes text, struct mob_reference *out);
/* Appends the tags the cell had before its value was moved: all but 5 and 6. */
int mob_cell_put_tags(const struct cell *c, struct buf *out, struct err *err);

#endif
