/* Prints one HFile as text and JSON. */
#ifndef CMD_VERIFY_INFO_INFO_HFILE_H
#define CMD_VERIFY_INFO_INFO_HFILE_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/verify/info/info.h"

/* ---- one file: trailer, file info, bloom filters (HFilePrettyPrinter -m) ---- */
int info_hfile_text(const sst_file *f, struct buf *out, struct err *err);
json_t *info_hfile_json(const sst_file *f, struct err *err);

/* ---- lists (HFilePrettyPrinter -b and -h); as JSON one line an item ---- */
int info_list_index(const sst_file *f, bool json, struct info_out *out, struct err *err);
int info_list_blocks(const sst_file *f, bool json, struct info_out *out, struct err *err);

#endif
