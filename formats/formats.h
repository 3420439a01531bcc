/* The formats that inputs may have, and the vote over what an input is. */
#ifndef FORMATS_FORMATS_H
#define FORMATS_FORMATS_H

#include "engine/format.h"

/* All of them, for a run: read_opts.formats. Its functions are those below. */
extern const struct format_table formats_known;

const struct format *format_by_name(const char *name); /* NULL: none */
int format_names(struct buf *out, struct err *err);    /* "csv, tsv, …" */
int format_verify(const char *path, const char *name, const struct read_opts *o, uint64_t *cells, struct err *err);
const struct format *format_choose(struct instream *in, const char *name, const struct read_opts *o, struct err *err);
struct reader *format_open(const char *path, const char *name, const struct read_opts *o, const struct format **which,
                           struct err *err);
struct reader *format_open_stream(struct instream *in, const char *name, const struct read_opts *o, const struct format **which,
                                  struct err *err);
/* Finds out whether what o->blocks chooses can be read, and the rest not, as reader_ops.by_blocks. */
int format_by_blocks(const char *path, const char *name, const struct read_opts *o, struct reason *why, struct err *err);

/* The kind of a file by its first bytes. */
struct content {
    const struct format *format; /* NULL: none of ours, or an archive */
    const char *archive;         /* its kind; NULL: none */
    bool is_compressed, is_empty;
};
/* Fills *out from the first bytes of an open input, and consumes none. */
int format_look(struct instream *in, struct content *out, struct err *err);
int format_content(const char *path, size_t unpack_bytes, struct content *out, struct err *err);

#endif
