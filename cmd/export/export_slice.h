/* A stretch of whole rows of one HFile as text: filled a piece at a time, so that a row of any width needs no more memory than
 * others. For LOAD DATA the OceanBase rules are applied and every cell is held against the table. */
#ifndef CMD_EXPORT_EXPORT_SLICE_H
#define CMD_EXPORT_EXPORT_SLICE_H

#include "rules/ledger.h"
#include "hfile/hfile_reader.h"
#include "cmd/oceanbase/cell_sums.h"
#include "cmd/export/export_text.h"
#include "engine/rejects.h"
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
    bool strong, hex;
    bool replace; /* in statements for rows that are put in by hand */
};

struct export_slice {
    const struct export_slice_opts *o;
    const char *path;
    struct source *source;
    bool ended;
    struct tally read;             /* all cells of the stretch, hashed */
    struct export_piece data, big; /* big: lines over KQVT_MAX_LINE_BYTES */
    struct reject_batch rejects;
    struct ledger ledger; /* rejected, and what the rules dropped; not what is written */
    uint64_t ttl_lost;
    int64_t t; /* the last one, and its digits */
    uint8_t t_text[DECIMAL_I64_BYTES];
    size_t t_bytes;
    struct buf key, scratch;
};

enum { EXPORT_PIECE_BYTES = 2 << 20 /* a piece ends behind the part that reaches this */ };

/* rows: from start (inclusive) to stop (exclusive); p == NULL: open. h outlives the slice. Buffers of an earlier use are kept. */
int export_slice_open(struct export_slice *s, const struct export_slice_opts *o, const struct hfile *h, struct bytes start,
                      struct bytes stop, struct err *err);
/* Replaces the pieces by the next; sets ended when there is no more. */
int export_slice_fill(struct export_slice *s, struct err *err);
/* Ends reading; the buffers stay. */
void export_slice_close(struct export_slice *s);
void export_slice_free(struct export_slice *s);

#endif
