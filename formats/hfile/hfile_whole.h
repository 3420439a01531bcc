/* Reads the chosen data blocks of an HFile, which are found through its index. */
#ifndef FORMATS_HFILE_HFILE_WHOLE_H
#define FORMATS_HFILE_HFILE_WHOLE_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cell/cell.h"
#include "engine/input.h"
#include "engine/read_opts.h"
#include "hfile/hfile.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_state.h"

struct index_cursor;

struct hfile_blocks {            /* zero-initialise */
    struct block_choice choice;  /* first filled in by the caller */
    struct hfile_range span;     /* only blocks that begin in here */
    struct index_cursor *cursor; /* NULL: there are no cells */
    uint64_t number;             /* of the next block */
};

int hfile_blocks_open(struct hfile_blocks *b, const struct hfile *h, const struct hfile_range *span, struct err *err);
/* Takes the next data block. 1 = *out is one; 0 = end, -1. */
int hfile_blocks_next(struct hfile_blocks *b, struct hfile_range *out, struct err *err);
void hfile_blocks_close(struct hfile_blocks *b);

struct index_cursor;

struct hfile_floor { /* zero-initialise */
    struct index_cursor *cursor;
    uint64_t offset; /* of the data block that begins with row, or after it */
    struct buf row;
    bool begun, ended;
};

/* Blocks at or after offset hold no row before *row (valid until the next call; empty if the index cannot be read). Offsets
 * must not fall. */
int hfile_floor_at(struct hfile_floor *f, const struct hfile *h, uint64_t offset, struct bytes *row, struct err *err);
void hfile_floor_close(struct hfile_floor *f);

struct lost_range;

struct stretches {
    struct lost_range *all; /* ascending, never adjacent */
    size_t n;
};
/* scan, an HFile's, has read range `number` (0, 1, 2 …) to its end. path is for messages. A range that does not begin after the
 * end of the one before is reported to `disorder`, also if its first key is that end; NULL: it is an error, unless it is. */
int stretches_note(struct stretches *s, const char *path, const struct source *scan, uint64_t number,
                   const struct hfile_disorder_sink *disorder, struct err *err);
/* Returns whether all ranges below `count` have been noted. */
bool stretches_whole(const struct stretches *s, uint64_t count);
void stretches_free(struct stretches *s);

/* in: NULL, or what was unpacked of the path. */
struct hfile *hfile_whole_open(const char *path, const struct instream *in, size_t max_block_bytes,
                               const struct hfile_lost_sink *lost, struct err *err);
/* Returns in *why (fresh) that the file cannot be read, for the reason in *err, which is emptied; -1: that is no reason to leave
 * it out. */
int hfile_whole_unreadable(const char *path, const struct instream *in, char **why, uint64_t *claimed, struct err *err);
/* Cells that it has, by its trailer, or LOST_UNKNOWN where that cannot be read either. -1: memory or descriptors are short. */
int hfile_whole_claims(const char *path, const struct instream *in, uint64_t *cells, struct err *err);
/* All blocks, all cells, and what trailer and file info say about them. */
int hfile_whole_verify(const char *path, const struct instream *in, const struct read_opts *o, struct err *err);
/* Returns how many bits of the beginning of a file, and its name, speak for an HFile. */
int hfile_whole_sniff(struct bytes head, const char *path);
/* Returns the view of a file that no survey has read: its name may give a sequence id. */
struct hfile_view hfile_view_by_name(const char *path, const struct read_opts *o);

#endif
