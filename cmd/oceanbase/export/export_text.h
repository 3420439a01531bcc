/* The forms in which cells leave a dataset as text. */
#ifndef CMD_OCEANBASE_EXPORT_EXPORT_TEXT_H
#define CMD_OCEANBASE_EXPORT_EXPORT_TEXT_H

#include "base/buf.h"
#include "cell/cell.h"

struct export_form {
    const char *name; /* as --format says it, and the end of file names */
    const char *head; /* first line of every file, with its end; NULL = none */
    /* Appends the cells of a part. NULL: rows for LOAD DATA, see export_slice.c. hex: bytes in hex, where the form has a
     * choice. */
    int (*put)(struct buf *out, const struct row_part *part, bool hex, struct err *err);
};

extern const struct export_form export_kqvt, export_csv, export_jsonl, export_cells;
/* NULL: no such form. */
const struct export_form *export_form_by_name(const char *name);

#endif
