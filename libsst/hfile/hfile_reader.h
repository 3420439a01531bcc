/* Reads HFiles: opens trailer and load-on-open section, then scans whole files, block ranges or row ranges.
 *
 * Every block that is passed (data, leaf index, bloom chunk) has its checksum, sizes and structure verified before
 * its bytes are used; damage is ERR_INPUT naming file, offset, block type, expected and found. Kinds we do not read
 * (v1, encrypted, other codecs and encodings, unknown comparators) are ERR_UNSUPPORTED naming the kind.
 * An open hfile is read-only and may be scanned by many threads; each scan has its own buffers. */
#ifndef HFILE_HFILE_READER_H
#define HFILE_HFILE_READER_H

#include "base/err.h"
#include "cell/keyvalue.h"
#include "hfile/hfile.h"

/* A run of whole blocks [offset, end) of the scanned section. */
struct hfile_range {
    uint64_t offset, end;
};

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

/* Says which rows are wanted: asked once or more a row, in the thread that scans. */
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

/* A cell with its row. The public library hands it out as it is: it has the layout of sst_cell. */
struct hfile_cell {
    size_t size; /* of this struct */
    struct bytes row, family, qualifier, value, tags;
    int64_t ts_ms;
    uint64_t seq;
    uint8_t type;
    bool first; /* of its row from this scan */
};

#endif
