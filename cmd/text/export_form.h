/* The forms in which cells leave a dataset as text. Those for people and pipelines belong to obkv-export. */
#ifndef CMD_TEXT_EXPORT_FORM_H
#define CMD_TEXT_EXPORT_FORM_H

#include "base/buf.h"
#include "cell/cell.h"

typedef int export_put_fn(struct buf *out, const struct row_part *part, bool hex, struct err *err);

struct export_form {
    const char *name;   /* as --format says it, and the end of file names */
    const char *head;   /* first line of every file, with its end; NULL = none */
    export_put_fn *put; /* appends the cells of a part; NULL: rows for LOAD DATA, see export_slice.c */
    bool has_hex;       /* bytes may be asked for in hex */
    bool keeps_tags;    /* all of them; else at most the TTL */
};

extern const struct export_form export_kqvt; /* load files */

#endif
