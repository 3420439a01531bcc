/* File-based store tracking (2.5+): which files of a family directory are live. Source: StoreFileListFile, StoreFileList. */
#ifndef FORMATS_HBASE_FILE_LIST_H
#define FORMATS_HBASE_FILE_LIST_H

#include "base/bytes.h"
#include "base/err.h"
#include "formats/hbase/region_info.h"

struct listed_file {
    char *name;
    uint64_t bytes;
    bool is_reference; /* newer releases keep references only here */
    struct reference reference;
};

struct file_list {
    struct listed_file *files;
    size_t n;
};

/* One track file's content: i32 length, message, i32 CRC-32. ERR_INPUT when it is not whole, ERR_UNSUPPORTED for a version that
 * HBase 2.6 does not read either. On failure nothing is left to be freed. */
int file_list_parse(struct bytes content, uint64_t *timestamp, struct file_list *out, struct err *err);
/* The live list of family_dir/.filelist: highest sequence in the names, of its two files the one with the later timestamp; half
 * written ones are passed over, damaged ones and no whole one at all are errors. A .filelist without files is an empty list.
 * 1 read, 0 there is no .filelist, -1 error. */
int file_list_read(const char *family_dir, struct file_list *out, struct err *err);
void file_list_free(struct file_list *l);

#endif
