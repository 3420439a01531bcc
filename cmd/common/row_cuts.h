/* Finds the rows at which HFiles are divided. */
#ifndef CMD_COMMON_ROW_CUTS_H
#define CMD_COMMON_ROW_CUTS_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

struct first_row;

/* Places of a cut: before all rows of the files, before one of them, or after all. */
enum cut_place { CUT_AT_BEGIN, CUT_AT_ROW, CUT_AT_END };
struct row_cut {
    enum cut_place place;
    struct buf row;
};

/* The rows that are read of a file; p == NULL: open. */
struct row_cut_file {
    const char *path;
    struct bytes start_row, stop_row;
};

/* The spread over rows of the bytes of files that are divided together; zero-initialise all but the first two. */
struct row_weights {
    uint64_t list_bytes; /* of the files, about */
    size_t max_block_bytes;
    struct first_row *samples;
    size_t n;
    uint64_t bytes;
};

/* 1; 0: its index cannot be read, so all of them remain undivided; -1. */
int row_weights_add(struct row_weights *w, const struct row_cut_file *f, struct err *err);
/* Sorts the samples, when all files are added. */
void row_weights_sort(struct row_weights *w);
/* Finds the row before which about part / of of the bytes are. out->row is the caller's to free. */
int row_weights_cut(const struct row_weights *w, uint64_t part, uint64_t of, struct row_cut *out, struct err *err);
void row_weights_free(struct row_weights *w);

#endif
