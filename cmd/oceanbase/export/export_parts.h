/* The stages of an export, for export.c: files are cut into stretches, stretches become text, and text is packed into files. */
#ifndef CMD_OCEANBASE_EXPORT_EXPORT_PARTS_H
#define CMD_OCEANBASE_EXPORT_EXPORT_PARTS_H

#include "base/buf.h"
#include "cell/cell.h"

/* ---- export_text.c: the forms in which cells leave a dataset as text ---- */

typedef int export_put_fn(struct buf *out, const struct row_part *part, bool hex, struct err *err);

struct export_form {
    const char *name; /* as --format says it, and the end of file names */
    const char *head; /* first line of every file, with its end; NULL = none */
    /* Appends the cells of a part. NULL: rows for LOAD DATA, see export_slice.c. hex: bytes in hex, where the form has a
     * choice. */
    export_put_fn *put;
    bool keeps_tags; /* all of them; else at most the TTL */
};

extern const struct export_form export_kqvt, export_csv, export_jsonl, export_cells;
/* NULL: no such form. */
const struct export_form *export_form_by_name(const char *name);

/* CSV by one kind of vector instructions, all with the same result; NULL: not on this machine. The form takes the last one that
 * there is. */
enum export_vector { EXPORT_PLAIN, EXPORT_SSE2, EXPORT_AVX2, EXPORT_VECTORS };
export_put_fn *export_csv_by(enum export_vector v);

#endif
