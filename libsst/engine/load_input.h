/* One input of a run: a file, or the HFiles of a store of HBase; and what reading it came to. */
#ifndef ENGINE_LOAD_INPUT_H
#define ENGINE_LOAD_INPUT_H

#include "cell/keyvalue.h"
#include "engine/format.h"
#include "engine/hfile_view.h"

/* The HFiles of an input that is a store of HBase. */
struct load_files {
    size_t n;
    bool packed;                                                           /* they lie in an archive, and are not unpacked yet */
    const char *(*at)(const void *arg, size_t i, struct hfile_view *view); /* the path, and how the store sees the file */
    const void *arg;
};

enum { LOAD_ANY_PLACE, LOAD_FIRST_PLACE };

struct load_input {
    const char *path;
    const char *format_name;        /* forced format, or NULL = by content */
    const struct load_files *files; /* NULL: it is the one file at path; else sizes, times and checksum are filled in already */
    uint32_t group;                 /* logical input, ascending: goes into rank; the files of a dataset share one */
    uint32_t place;                 /* LOAD_FIRST_PLACE + the partition all its rows are in, LOAD_ANY_PLACE = not known */
    /* Results: */
    const struct format *format;
    uint64_t file_bytes;
    int64_t mtime_ns;
    uint64_t records;
    struct tally tally;
    char checksum[17]; /* of the file; "" when its format is not read in one pass; of a store: of the list of its files */
    bool earlier;      /* of a delta: an earlier night has merged it, it is not read */
};

/* Fills in size and time of a file, which must exist. What is a store, or standard input, stays as it is. */
int load_input_look(struct load_input *in, struct err *err);

#endif
