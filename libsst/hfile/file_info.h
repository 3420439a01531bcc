/* File info: a block of key-value pairs sorted by key, as a protobuf message or, before HBase 0.96, as Writables. */
#ifndef HFILE_FILE_INFO_H
#define HFILE_FILE_INFO_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "hfile/hfile.h"

/* Collects pairs, then puts them out sorted. Keys and values are copied. */
struct file_info {
    struct buf text; /* all keys and values */
    struct file_info_span {
        size_t key_at, key_n, value_at, value_n;
    } * spans;
    size_t n;
};

int file_info_add(struct file_info *f, const char *key, struct bytes value, struct err *err);
int file_info_add_i32(struct file_info *f, const char *key, uint32_t v, struct err *err);
int file_info_add_i64(struct file_info *f, const char *key, uint64_t v, struct err *err);
int file_info_add_bool(struct file_info *f, const char *key, bool v, struct err *err);
/* The block's payload. A key that was added twice is ERR_INTERNAL. */
int file_info_put(struct file_info *f, struct buf *out, struct err *err);
void file_info_free(struct file_info *f);

/* Parses a payload into pairs that borrow from it; *pairs is malloc'd, sorted. */
int file_info_parse(struct bytes payload, struct hfile_pair **pairs, size_t *n, struct err *err);

#endif
