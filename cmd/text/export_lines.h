/* Turns cells into lines of text. */
#ifndef CMD_TEXT_EXPORT_LINES_H
#define CMD_TEXT_EXPORT_LINES_H

#include "base/buf.h"
#include "base/err.h"
#include "cell/cell.h"
#include "cmd/text/export_form.h"

/* State of the lines of one stretch, for forms that have put. */
struct export_lines {
    const struct export_form *form;
    bool hex;
    bool any;                  /* the last cell is this one, and lines of its key begin at run_at of the text: */
    struct buf row, qualifier; /* copies */
    int64_t ts_ms;
    uint8_t type;
    size_t run_at;
    struct buf cells, older; /* scratch */
};

/* The first cell has the key of the last one: its line belongs into the same text. */
bool export_lines_continue(const struct export_lines *l, const struct row_part *part);
/* Appends the cells of a part; those that continue go in before the cells of their key. */
int export_lines_put(struct export_lines *l, struct buf *out, const struct row_part *part, struct err *err);
void export_lines_free(struct export_lines *l);

#endif
