/* Turns one stretch of a file into text. */
#ifndef CMD_TEXT_EXPORT_SLICE_H
#define CMD_TEXT_EXPORT_SLICE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "base/text.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "cmd/oceanbase/cell_sums.h"
#include "cmd/oceanbase/delete_sql.h"
#include "cmd/text/export_lines.h"
#include "cmd/text/export_form.h"
#include "cmd/text/export_plan.h"
#include "engine/rejects.h"
#include "hfile/hfile_state.h"
#include "rules/ledger.h"
#include "select/selection_state.h"
#include "table/table.h"

/* Lines of one kind, with what they hold. */
struct export_piece {
    struct buf text;
    struct cell_sums sums;
    struct cell_sums_ahead ahead;
    struct buf first, last; /* keys of the first and last line */
};

struct export_slice_opts {
    const struct export_form *form;
    const struct family *family; /* of the target: lengths, TTL column, rules */
    int64_t now_ms;
    const struct stop *stop;
    bool strong, hex;
    bool replace; /* in statements for rows that are put in by hand */
    bool delta;   /* markers become statements */
    struct delete_place place;
    const struct selection *selection; /* what is taken; NULL: all */
};

struct export_slice {
    const struct export_slice_opts *o;
    const char *path;
    struct source *source;
    struct row_part next; /* borrowed from source, if it is held back for the next piece */
    bool held, ended;
    struct tally read;             /* all cells of the stretch, hashed */
    struct tally taken;            /* with a selection: of them, as they are written */
    struct export_piece data, big; /* big: lines over KQVT_MAX_LINE_BYTES */
    struct buf deletes;            /* statements, and what they hold */
    struct delete_batch batch;
    uint64_t ahead; /* markers later than now */
    struct reject_batch rejects;
    struct ledger ledger; /* rejected, and what the rules dropped; not what is written */
    struct {
        uint64_t ttl, tags;
    } lost; /* cells whose own these are, for which the form has no place */
    struct {
        int64_t t;
        uint8_t text[DECIMAL_I64_BYTES]; /* its digits */
        size_t bytes;
    } last; /* T of the last row */
    struct buf key, scratch;
    struct export_lines lines;
};

/* Most memory for the markers of a row, in an export of a delta. */
enum { EXPORT_MARKERS_BYTES = 4 << 20 };
enum { EXPORT_PIECE_BYTES = 2 << 20 /* a piece ends after the part, or run of equal cells, that reaches this */ };

/* h: of the stretch's file, and outlives the slice. Buffers of an earlier use are kept. */
int export_slice_open(struct export_slice *s, const struct export_slice_opts *o, const struct hfile *h,
                      const struct export_stretch *stretch, struct err *err);
/* As export_slice_open, for a stretch of which nothing is taken: it is not read, and has ended. */
void export_slice_pass(struct export_slice *s, const struct export_slice_opts *o, const char *path);
/* Replaces the pieces by the next; sets ended when there is no more. */
int export_slice_fill(struct export_slice *s, struct err *err);
/* Ends reading; the buffers stay. */
void export_slice_close(struct export_slice *s);
void export_slice_free(struct export_slice *s);

#endif
