/* What reading an HFile by ranges of blocks keeps about the file as a whole. Exports: stretches */
#ifndef FORMATS_HFILE_HFILE_INPUT_H
#define FORMATS_HFILE_HFILE_INPUT_H

#include "base/buf.h"
#include "cell/cell.h"
#include "engine/read_opts.h"
#include "engine/format.h"
#include "formats/hbase/mob.h"
#include "formats/hbase/store_files.h"
#include "hfile/hfile_reader.h"

#include <pthread.h>

/* The chosen ones of the data blocks of an HFile, found through its index. */

struct index_cursor;

struct hfile_blocks {            /* zero-initialise */
    struct block_choice choice;  /* first filled in by the caller */
    struct hfile_range span;     /* only blocks that begin in here */
    struct index_cursor *cursor; /* NULL: there are no cells */
    uint64_t number;             /* of the next block */
};

int hfile_blocks_open(struct hfile_blocks *b, const struct hfile *h, const struct hfile_range *span, struct err *err);
/* 1 = *out is one data block; 0 = end, -1. */
int hfile_blocks_next(struct hfile_blocks *b, struct hfile_range *out, struct err *err);
void hfile_blocks_close(struct hfile_blocks *b);

/* Below which row an HFile has no more cells while its blocks are read in order, as its index shows. */

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

/* The order between block ranges of one HFile that are read in any order. Each scan checks its own cells; finished neighbours are
 * joined into stretches, of which only the outer keys are kept. Not locked. */

struct lost_range;

struct stretches {
    struct lost_range *all; /* ascending, never adjacent */
    size_t n;
};

struct hfile_disorder_sink;
/* scan, an HFile's, has read range `number` (0, 1, 2 …) to its end. path is for messages. A range that does not begin after the
 * end of the one before is reported to `disorder`, also if its first key is that end; NULL: it is an error, unless it is. */
int stretches_note(struct stretches *s, const char *path, const struct source *scan, uint64_t number,
                   const struct hfile_disorder_sink *disorder, struct err *err);
/* Have all ranges below `count` been noted? */
bool stretches_whole(const struct stretches *s, uint64_t count);
void stretches_free(struct stretches *s);

/* What is missing of a damaged HFile that is read anyway: noted by many threads, reported when all of it has been read, because
 * only then the number of cells is known. */

struct hfile_lost_list {
    struct hfile_lost_sink sink; /* for hfile_open_damaged and scans */
    pthread_mutex_t lock;
    struct lost_place *places;
    size_t n;
    size_t with_cells; /* places that may have held cells */
};

void hfile_lost_init(struct hfile_lost_list *l);
void hfile_lost_free(struct hfile_lost_list *l);
/* How many cells are missing, when that is known: found were read, the trailer says `said`. In file order. */
struct hfile_lost_count {
    bool known;
    uint64_t found, said;
    uint64_t trailer_offset;
};
int hfile_lost_report(struct hfile_lost_list *l, const struct hfile_lost_count *c, struct emit *e, struct err *err);

/* Values in mob files that are missing or damaged, of one HFile whose references lead to them: noted by many threads, reported by
 * mob file once the HFile has been read. */
struct hfile_mob_lost {
    struct mob_lost_sink sink; /* for mob_source_open */
    pthread_mutex_t lock;
    struct mob_lost_file *files;
    size_t n;
};

void hfile_mob_lost_init(struct hfile_mob_lost *l);
void hfile_mob_lost_free(struct hfile_mob_lost *l);
/* What was noted since the last time. */
int hfile_mob_lost_report(struct hfile_mob_lost *l, struct emit *e, struct err *err);

/* A file that is read by itself, not as one of a store: its references lead nowhere. */
struct hfile_mob_own {
    struct store_files store;    /* of this file alone */
    struct mob_resolver *values; /* NULL: it can have no references */
};
/* Names the mob files that it refers to, where it lists them. ERR_INPUT, as of a store: they are missing; not if `lost`. */
int hfile_mob_own_open(struct hfile_mob_own *own, const struct hfile *h, const struct read_opts *o, bool lost, struct err *err);
void hfile_mob_own_close(struct hfile_mob_own *own);

/* ---- opening and verifying a whole file (hfile_whole.c) ---- */

/* in: NULL, or what was unpacked of the path. */
struct hfile *hfile_whole_open(const char *path, const struct instream *in, size_t max_block_bytes,
                               const struct hfile_lost_sink *lost, struct err *err);
/* Why it cannot be read (fresh), for the reason in *err, which is emptied; -1: that is no reason to leave it out. */
int hfile_whole_unreadable(const char *path, const struct instream *in, char **why, uint64_t *claimed, struct err *err);
/* Cells that it has, by its trailer, or LOST_UNKNOWN where that cannot be read either. -1: memory or descriptors are short. */
int hfile_whole_claims(const char *path, const struct instream *in, uint64_t *cells, struct err *err);
/* All blocks, all cells, and what trailer and file info say about them. */
int hfile_whole_verify(const char *path, const struct instream *in, const struct read_opts *o, struct err *err);
/* How many bits of the beginning of a file, and its name, speak for an HFile. */
int hfile_whole_sniff(struct bytes head, const char *path);
/* For a file that no survey has read: its name may give a sequence id. */
struct hfile_view hfile_view_by_name(const char *path, const struct read_opts *o);

#endif
