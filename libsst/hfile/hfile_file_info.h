/* Reads from file info what it says of the cells of an HFile that is being opened. */
#ifndef HFILE_HFILE_FILE_INFO_H
#define HFILE_HFILE_FILE_INFO_H

#include "base/bytes.h"
#include "base/err.h"

struct hfile;

/* A pair's value; p == NULL when absent. */
struct bytes hfile_find(const struct hfile *h, const char *key);

/* The error's text without the file's name in front. */
const char *hfile_reason(const struct hfile *h, const struct err *err);
/* Reports, while opening (hfile_file_info.c), damage that can be done without: 0, and *err is empty again. Else -1. */
int hfile_do_without(struct hfile *h, uint64_t offset, uint64_t end, struct err *err);
/* An index in root format must hold as many entries as the trailer says; `extra` bytes or none follow them. */
int hfile_check_root(const struct hfile *h, const char *what, struct bytes payload, uint32_t count, size_t extra,
                     struct err *err);
/* Fills info, layout and encoding from the payload of file info. */
int hfile_read_file_info(struct hfile *h, struct err *err);

#endif
