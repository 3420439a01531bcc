/* The parts that `obkv-verify info` prints, as text for people and as JSON. */
#ifndef INFO_INFO_H
#define INFO_INFO_H

#include "cmd/common/report.h"
#include "dataset/manifest.h"
#include "cmd/verify/info/file_figures.h"
#include "sst/scan.h"

#include <jansson.h>

/* Text on its way to standard output; gone: nobody reads it any more. */
struct info_out {
    struct buf text;
    bool gone, json;
};
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

/* ---- one file: trailer, file info, bloom filters (HFilePrettyPrinter -m) ---- */
int info_hfile_text(const sst_file *f, struct buf *out, struct err *err);
json_t *info_hfile_json(const sst_file *f, struct err *err);

/* ---- blocks and cells, of one file or many (HFilePrettyPrinter -s) ---- */
int info_blocks_text(const struct block_sums *s, struct buf *out, struct err *err);
json_t *info_blocks_json(const struct block_sums *s);
int info_stats_text(const struct cell_stats *s, const struct block_sums *b, struct buf *out, struct err *err);
json_t *info_stats_json(const struct cell_stats *s);

/* ---- lists (HFilePrettyPrinter -b and -h); as JSON one line an item ---- */
int info_list_index(const sst_file *f, bool json, struct info_out *out, struct err *err);
int info_list_blocks(const sst_file *f, bool json, struct info_out *out, struct err *err);

#endif
