/* Prints bytes, keys and values of file info for people and for JSON. */
#ifndef CMD_VERIFY_INFO_INFO_TEXT_H
#define CMD_VERIFY_INFO_INFO_TEXT_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cmd/verify/info/info.h"

/* Writes the text when there is enough of it, or in any case. */
int info_out_write(struct info_out *o, bool all, struct err *err);

/* ---- pieces of text ---- */
/* Printable bytes as they are, the rest as \xNN; at most 120, then "…". */
int info_put_bytes(struct buf *b, struct bytes v, struct err *err);
/* A serialised key as HBase prints it: row/family:qualifier/timestamp/Type, without a colon if the family is empty. */
int info_put_key(struct buf *b, struct bytes key, struct err *err);
/* The first as a fresh JSON string. */
json_t *info_text_json(int (*put)(struct buf *b, struct bytes v, struct err *err), struct bytes v);

/* ---- file info ---- */
/* A pair's value as what its key says it is. */
int info_put_value(struct buf *b, const sst_file *f, const sst_pair *p, struct err *err);
json_t *info_value_json(const sst_file *f, const sst_pair *p);

#endif
