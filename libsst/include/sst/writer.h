/* Writing an HFile, version 3.3, as HFileOutputFormat2 of HBase 2.6 does: HBase reads it and bulk-loads it.
 *
 *   sst_writer_open -> sst_writer_put … -> sst_writer_finish -> sst_writer_close
 *
 * The file appears under its name only when sst_writer_finish succeeds; until then it is PATH.PID.tmp, which sst_writer_close
 * removes. The bytes depend on cells and options alone, not on the number of threads.
 *
 * Threads: a writer belongs to one thread at a time; several writers run side by side. */
#ifndef SST_WRITER_H
#define SST_WRITER_H

#include "sst/cell.h"
#include "sst/file.h"

SST_BEGIN

typedef struct sst_writer sst_writer;

/* A pair of file info to be written: the key must not be one of HBase's. */
typedef struct sst_new_pair {
    const char *key; /* ends with a zero byte */
    sst_bytes value;
} sst_new_pair;

typedef struct sst_writer_options {
    size_t size;
    const char *codec;           /* "NONE", "SNAPPY", "LZ4", "ZSTD", "GZ", "BROTLI" …, any case; NULL = "SNAPPY" */
    int codec_level;             /* 0 = the codec's default; others: SST_USAGE names the range */
    const char *encoding;        /* "NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"; NULL = "NONE" */
    const char *bloom;           /* "NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"; NULL = "ROW" */
    uint32_t bloom_prefix_bytes; /* for ROWPREFIX_FIXED_LENGTH: 1 to 32767 */
    uint32_t block_bytes;        /* BLOCKSIZE: unpacked size at which a data block is closed; 0 = 65536 */
    int compress_tags;           /* with an encoding: COMPRESS_TAGS */
    int no_tags, no_sequences;   /* leave them out of the file: smaller; a cell with tags is then refused */
    int64_t create_time;         /* file info hfile.CREATE_TIME_TS, milliseconds since 1970; 0 is written as it is */
    int64_t
        bulkload_time; /* file info BULKLOAD_TIMESTAMP, milliseconds since 1970; 0 = the pairs of a bulk load are not written */
    const sst_new_pair *pairs; /* more file info; borrowed until sst_writer_finish */
    size_t n_pairs;
    unsigned threads; /* that compress, up to 1024: the caller's and threads - 1 of the library's; 0 and 1 = the caller's alone */
} sst_writer_options;

/* path: an existing file of that name is replaced in the end; copied. NULL on failure: SST_USAGE = options that cannot be,
 * SST_UNSUPPORTED = a codec that is only read, SST_OUTPUT = the file cannot be created. */
SST_API sst_writer *sst_writer_open(const char *path, const sst_writer_options *options, sst_error *error);
/* As sst_writer_open, to a descriptor (a pipe, a socket, a file) that the library owns from then on, also on failure. Bytes
 * that were written stay there, also after a failure; sst_writer_finish syncs what can be synced, and closes it. name: for
 * messages; copied. */
SST_API sst_writer *sst_writer_open_fd(int fd, const char *name, const sst_writer_options *options, sst_error *error);

/* Where the bytes of a file go: HDFS, S3, memory. Called by one thread at a time, which may be one of the library's. */
typedef struct sst_write_ops {
    size_t size;
    /* Takes all n bytes, which follow on those before: 0, or -1 and errno says why. */
    int (*write)(void *context, const void *data, size_t n);
    /* The file is complete: called by sst_writer_finish. 0, or -1 and errno says why. May be NULL. */
    int (*finish)(void *context);
    /* Called once, when the writer is closed or cannot be opened; may be NULL. */
    void (*close)(void *context);
} sst_write_ops;
/* ops and name are copied; context is passed to each function of ops. Fails as sst_writer_open does; SST_USAGE: ops lacks
 * write. Nothing is read back, so a file whose keys are very long and very many is SST_LIMIT (sst_writer_open knows no such
 * limit). */
SST_API sst_writer *sst_writer_open_callbacks(const sst_write_ops *ops, void *context, const char *name,
                                              const sst_writer_options *options, sst_error *error);
/* Adds a cell; it is copied. Cells come in cell order (sst/cell.h), all of one family; equal keys may follow each other. 0, or
 * -1: SST_USAGE names a cell that is out of order or cannot be; SST_LIMIT: it is too large, or there is no space; SST_OUTPUT.
 * After a failure only sst_writer_close is left. With threads, cells are gathered (16 MiB) and compressed together, so a
 * failure may belong to an earlier cell. */
SST_API int sst_writer_put(sst_writer *writer, const sst_cell *cell, sst_error *error);
/* Writes index, bloom filter, file info and trailer, syncs the file and renames it. 0, or -1 (SST_OUTPUT; SST_LIMIT: no space):
 * only sst_writer_close is left then. */
SST_API int sst_writer_finish(sst_writer *writer, sst_error *error);

/* Counts of what was written. Borrowed until sst_writer_close. */
typedef struct sst_written {
    size_t size;
    uint64_t cells, puts, deletes; /* deletes: markers; cells are both together */
    uint64_t key_value_bytes;      /* of the cells as KeyValues, not compressed */
    uint64_t file_bytes;
    uint64_t data_blocks;
    int64_t time_min, time_max;    /* of the cells' timestamps, milliseconds since 1970; no cells: time_min > time_max */
    sst_bytes first_row, last_row; /* empty without cells */
    sst_digest digest;             /* of all cells */
} sst_written;
/* Returns the counts after sst_writer_finish; NULL before. */
SST_API const sst_written *sst_writer_get_written(const sst_writer *writer);
/* Closes the writer. Unless sst_writer_finish has succeeded, nothing is left at a path. */
SST_API void sst_writer_close(sst_writer *writer);

SST_END

#endif
