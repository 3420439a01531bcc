/* Reads HFiles: opens trailer and load-on-open section, then scans whole files, block ranges or row ranges.
 *
 * Every block that is passed (data, leaf index, bloom chunk) has its checksum, sizes and structure verified before
 * its bytes are used; damage is ERR_INPUT naming file, offset, block type, expected and found. Kinds we do not read
 * (v1, encrypted, other codecs and encodings, unknown comparators) are ERR_UNSUPPORTED naming the kind.
 * An open hfile is read-only and may be scanned by many threads; each scan has its own buffers. */
#ifndef HFILE_HFILE_READER_H
#define HFILE_HFILE_READER_H

#include "base/err.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "hfile/hfile.h"

struct hfile;

/* max_block_bytes: refuse larger blocks with ERR_LIMIT (0 = 1 GiB). */
struct hfile *hfile_open(const char *path, size_t max_block_bytes, struct err *err);
/* Does without index and bloom filters when they are damaged, which it reports; trailer and file info must be whole. */
struct hfile *hfile_open_damaged(const char *path, size_t max_block_bytes, const struct hfile_lost_sink *lost, struct err *err);
/* Reads from fd, and takes ownership of it, also on failure; path only names it. lost: as above; NULL: damage is an error. */
struct hfile *hfile_open_fd(int fd, const char *path, size_t max_block_bytes, const struct hfile_lost_sink *lost,
                            struct err *err);
/* The same for a file that is read through callbacks. Takes ownership of `bytes`, also on failure. */
struct hfile *hfile_open_bytes(struct hfile_bytes bytes, const char *path, size_t max_block_bytes,
                               const struct hfile_lost_sink *lost, struct err *err);
/* The number of cells according to the trailer, for a file that cannot be opened. fd remains the caller's. */
int hfile_claims(int fd, const char *path, uint64_t *cells, struct err *err);
const struct hfile_info *hfile_info(const struct hfile *h);
void hfile_close(struct hfile *h); /* NULL is fine */
/* A pair's value; p == NULL when absent. */
struct bytes hfile_find(const struct hfile *h, const char *key);
/* For format detection: is this the end of an HFile? Needs the last 4096 bytes, or the whole file. */
bool hfile_looks_like(struct bytes tail);
const char *hfile_codec_name(unsigned ordinal);
const char *hfile_encoding_name(unsigned id);

/* A run of whole blocks [offset, end) of the scanned section. */
struct hfile_range {
    uint64_t offset, end;
};
/* Cuts the scanned section into ranges of about want_bytes (unpacked), walking block headers only. Start with *cursor = 0.
 * 1 = *out filled, 0 = no more, -1 = error. */
int hfile_range_next(const struct hfile *h, uint64_t *cursor, size_t want_bytes, struct hfile_range *out, struct err *err);
/* The blocks that can hold rows from start_row (inclusive) to stop_row (exclusive), by the index; p == NULL: open. */
int hfile_row_range(const struct hfile *h, struct bytes start_row, struct bytes stop_row, struct hfile_range *out,
                    struct err *err);

/* The same for a file that may be damaged: cut where its index says that blocks begin, or where they can be found. */
struct hfile_cutter;
struct hfile_cutter *hfile_cutter_open(const struct hfile *h, const struct hfile_range *span, struct err *err);
int hfile_cutter_next(struct hfile_cutter *c, size_t want_bytes, struct hfile_range *out, struct err *err);
void hfile_cutter_close(struct hfile_cutter *c); /* NULL is fine */

/* Called in the thread that scans; keys are serialised: that of the cell before, and that of the cell which should have come
 * before it. 0, -1. */
struct hfile_disorder_sink {
    int (*put)(void *arg, const char *path, struct bytes before, struct bytes key, struct err *err);
    void *arg;
};

/* Called before the first part of each data block, with the serialised key of the cell before the block (p == NULL: it was not
 * scanned) and that of the block's first cell, both borrowed. -1 ends the scan. */
struct hfile_watch {
    int (*block)(void *arg, uint64_t offset, struct bytes before, struct bytes first, struct err *err);
    void *arg;
};

/* Which rows are wanted: asked once or more a row, in the thread that scans. */
struct hfile_rows {
    bool (*wanted)(const void *arg, struct bytes row);
    const void *arg;
};

struct hfile_scan_opts {
    struct hfile_range range;         /* {0,0}: the whole file */
    struct bytes start_row, stop_row; /* start inclusive, stop exclusive; p == NULL: open. Found through the index */
    struct tally *tally;              /* adds every cell handed out, hashed in place; NULL: no hashing */
    uint32_t input;                   /* for rank: see rank_of; positions count down … */
    uint64_t rank_top;                /* … from here; 0: from the highest there is */
    uint32_t store_file;              /* 1 + age of this file among those of its input (cell.h); 0: it has no such siblings */
    bool reset_seq;                   /* every cell has the sequence id `seq`: a bulk-loaded file (StoreFileScanner) */
    uint64_t seq;
    /* Damaged blocks are reported here and passed over, whole: nothing of them is handed out. Lack of memory and kinds we do
     * not read are no damage. The caller then compares the number of cells with the trailer's. NULL: damage ends the scan. */
    const struct hfile_lost_sink *lost;
    /* Called for cells out of order, which begin a part and are returned; first and last key may then differ from the file's,
     * too. NULL: such a cell ends the scan. */
    const struct hfile_disorder_sink *disorder;
    const struct hfile_rows
        *rows; /* other rows are checked and counted, but neither hashed nor handed out; NULL: all are wanted */
    const struct hfile_watch *watch; /* who wants to see where blocks begin; NULL: not needed */
};
/* Row parts in file order. Order (key not descending) is checked, and one family per file. */
struct source *hfile_scan_open(const struct hfile *h, const struct hfile_scan_opts *o, struct err *err);

/* A cell with its row. The public library hands it out as it is: it has the layout of sst_cell. */
struct hfile_cell {
    size_t size; /* of this struct */
    struct bytes row, family, qualifier, value, tags;
    int64_t ts_ms;
    uint64_t seq;
    uint8_t type;
    bool first; /* of its row from this scan */
};
/* The next cell alone, without the array of a part; parts and cells may be taken in turns. 1 = *out is valid until the next call,
 * 0 = end, -1: *err is replaced, whatever it held, and the end follows. Only a failure touches err. */
int hfile_scan_next_cell(struct source *scan, const struct hfile_cell **out, struct err *err);

/* What follows begins at the first cell whose row is `row` or a later one, within the scan's range and before its stop_row:
 * found through the index, forwards or backwards. What was handed out is not valid any more. Not for scans with tally, lost or
 * watch. */
int hfile_scan_seek(struct source *scan, struct bytes row, struct err *err);
/* Serialised keys of the first and last cell handed out so far (empty: none): to check order between ranges. */
void hfile_scan_bounds(const struct source *scan, struct bytes *first_key, struct bytes *last_key);
/* Offset of the block that the part or cell just handed out; a part never spans two. UINT64_MAX: there was none. */
uint64_t hfile_scan_block(const struct source *scan);
/* Data blocks and cells that this scan has passed. */
void hfile_scan_counts(const struct source *scan, uint64_t *blocks, uint64_t *cells);

/* Walks all levels and verifies blocks and structure. visit returns 0 to continue; any other value ends the walk, which returns
 * it. visit may be NULL: then the index is only verified. */
int hfile_index_walk(const struct hfile *h, int (*visit)(void *arg, const struct hfile_index_entry *e, struct err *err),
                     void *arg, struct err *err);

/* Bloom filters: the general one (info.bloom is its kind), or that of rows with delete-family markers. NULL with
 * err->code == ERR_NONE: the file has none. One chunk is kept in memory: ask in ascending order for speed.
 *
 * 1 maybe there, 0 certainly not, -1 error. A ROWCOL filter holds no rows (1), the others hold no columns: they
 * answer for the row. Markers of a whole family count as column "". */
struct hfile_bloom_reader;
struct hfile_bloom_reader *hfile_bloom_open(const struct hfile *h, struct err *err);
struct hfile_bloom_reader *hfile_bloom_open_deletes(const struct hfile *h, struct err *err);
int hfile_bloom_may_have(struct hfile_bloom_reader *b, struct bytes row, struct err *err);
int hfile_bloom_may_have_column(struct hfile_bloom_reader *b, struct bytes row, struct bytes qualifier, struct err *err);
void hfile_bloom_close(struct hfile_bloom_reader *b);

/* Bounded heap one scan needs, given the file's block size: for merge-width decisions. */
size_t hfile_scan_memory(const struct hfile *h);

#endif
