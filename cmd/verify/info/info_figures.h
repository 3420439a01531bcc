/* Prints sums over blocks and cells, of one file or many, as text and as JSON. */
#ifndef CMD_VERIFY_INFO_INFO_FIGURES_H
#define CMD_VERIFY_INFO_INFO_FIGURES_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/verify/info/info.h"

/* ---- blocks and cells, of one file or many (HFilePrettyPrinter -s) ---- */
int info_blocks_text(const struct block_sums *s, struct buf *out, struct err *err);
json_t *info_blocks_json(const struct block_sums *s);
int info_stats_text(const struct cell_stats *s, const struct block_sums *b, struct buf *out, struct err *err);
json_t *info_stats_json(const struct cell_stats *s);

#endif
