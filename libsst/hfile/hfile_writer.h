/* Writes one HFile v3.3 in the HFileOutputFormat2 profile: multi-level index, bloom chunks inline, CRC-32C, any encoding.
 *
 *   hfile_writer_open -> hfile_writer_put … -> hfile_writer_finish -> hfile_writer_close
 *
 * The writer appends to `out` and never names, syncs or publishes a file. Cells must come in cell order (the writer
 * checks, and names both keys); one family per file. Blocks are encoded and compressed as OpenMP tasks when called inside a
 * parallel region: the bytes written never depend on the number of threads. Calls for one writer come from one
 * task, which waits for its children now and then, until hfile_writer_pause. Memory: see hfile_writer_memory. */
#ifndef HFILE_HFILE_WRITER_H
#define HFILE_HFILE_WRITER_H

#include "base/err.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "hfile/hfile.h"

int cell_put_check(const struct hfile_write_opts *o, const char *path, const struct cell *c, struct err *err);
/* The cell c of part comes after one with that serialised key, but should not. */
int cell_put_disorder(const char *path, struct bytes last_key, const struct row_part *part, const struct cell *c,
                      struct err *err);

/* The HFileOutputFormat2 defaults: SNAPPY, no encoding, ROW bloom, CRC32C, tags, mvcc and sequence ids, times 0. */
struct hfile_write_opts hfile_write_defaults(void);

/* Counts of the cells written; first_row/last_row are valid until close. */
struct hfile_write_stats {
    struct tally tally; /* digest of the bytes as in the blocks */
    uint64_t puts, deletes;
    uint64_t duplicates; /* cells with the key of the cell before them (row, column, timestamp, type) */
    uint64_t kv_bytes;   /* KeyValue bytes (keyLen … value, tags if any), without mvcc */
    uint64_t file_bytes;
    int64_t ts_min, ts_max; /* plain minimum and maximum of the cells' timestamps */
    struct bytes first_row, last_row;
    uint64_t data_blocks;
};

struct outfile;

/* Upper bound of heap one writer needs for blocks of normal cells. */
size_t hfile_writer_memory(const struct hfile_write_opts *o);
/* As hfile_writer_memory, while it is paused. */
size_t hfile_writer_paused_memory(const struct hfile_write_opts *o);

struct hfile_writer;
/* Opens a writer; what o points to is borrowed until finish. */
struct hfile_writer *hfile_writer_open(const struct hfile_write_opts *o, struct outfile *out, struct err *err);
int hfile_writer_put(struct hfile_writer *w, const struct row_part *part, struct err *err);
/* Writes what is complete, so that the next calls may come from another task, and holds little until then. Does not end a
 * block. */
int hfile_writer_pause(struct hfile_writer *w, struct err *err);
/* KeyValue bytes so far: for --target-file-size. */
uint64_t hfile_writer_kv_bytes(const struct hfile_writer *w);
/* Bytes of their keys. */
uint64_t hfile_writer_key_bytes(const struct hfile_writer *w);
/* Writes indexes, blooms, file info and trailer. */
int hfile_writer_finish(struct hfile_writer *w, struct hfile_write_stats *stats, struct err *err);
void hfile_writer_close(struct hfile_writer *w); /* NULL is fine */

/* The data block being filled joins the queue. Bloom chunks that are ready follow it unless it is the last. */
int hfile_writer_end_block(struct hfile_writer *w, bool last, struct err *err);
/* key: of its first cell. */
int hfile_writer_begin_block(struct hfile_writer *w, struct bytes key, struct err *err);
/* The first cells of the file. */
int hfile_writer_first(struct hfile_writer *w, struct bytes row, struct bytes family, struct err *err);
/* A delete marker of a whole family. */
int hfile_writer_note_family_delete(struct hfile_writer *w, struct bytes row, struct err *err);

#endif
