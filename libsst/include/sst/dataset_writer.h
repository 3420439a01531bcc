/* Writing a dataset: cells come in any order and of any family, each goes to its partition, and a directory of sorted HFiles
 * with MANIFEST.json appears at the end, as obkv-import writes it. `obkv-verify check` accepts it, obkv-compact and obkv-export
 * read it.
 *
 *   sst_dataset_writer_open -> sst_dataset_writer_put … -> sst_dataset_writer_finish -> sst_dataset_writer_close
 *
 * The dataset appears in one step, or not at all. With the same options and cells its files have the same bytes, whatever
 * threads and memory it had.
 *
 * Threads: a writer belongs to one thread at a time. */
#ifndef SST_DATASET_WRITER_H
#define SST_DATASET_WRITER_H

#include "sst/dataset.h"
#include "sst/writer.h"

SST_BEGIN

typedef struct sst_dataset_writer sst_dataset_writer;

typedef struct sst_dataset_writer_options {
    size_t size;
    /* Where rows go. Made from DDL it also says which families there are, how long their columns are, and which version rules
     * the table has; otherwise families are those of the cells. Needed; not kept. */
    const sst_partitioning *partitioning;
    /* How files are written; NULL, codec, encoding and bloom NULL = SNAPPY, FAST_DIFF, ROW. Its threads, pairs and times are
     * not used: pairs are SST_USAGE. Not kept. */
    const sst_writer_options *files;
    size_t
        memory_bytes; /* of the whole process: at least 64 MiB; 0 = 1 GiB. Address space beyond that is reserved, but not used */
    unsigned
        threads; /* that sort, compress and write: the caller's and threads - 1 of the library's; 0 and 1 = the caller's alone */
    const char *temp_directory; /* for cells that do not fit into memory; NULL = in the directory of the dataset. Copied */
    uint64_t target_file_bytes; /* KeyValue bytes at which a file of a partition is followed by another one; 0 = 4 GiB */
    int64_t now;                /* what the dataset says a TTL counts from, milliseconds since 1970; 0 = the clock */
    const char *tool;           /* that made it, "name 1.2.3", for the manifest; NULL = libsst. Copied */
    int overwrite;              /* 1: a finished dataset in the directory is replaced; 0: it is SST_USAGE */
} sst_dataset_writer_options;

/* Makes the directory if it is not there, and locks it. NULL on failure: SST_USAGE = options that cannot be, or a directory
 * with something else in it; SST_LIMIT = too little memory for so many partitions; SST_OUTPUT = it cannot be written, or
 * another writer works there. */
SST_API sst_dataset_writer *sst_dataset_writer_open(const char *directory, const sst_dataset_writer_options *options,
                                                    sst_error *error);
/* Adds a cell; it is copied. A timestamp of INT64_MAX, HBase's "latest", becomes `now`. 0, or -1: SST_USAGE = a cell that
 * cannot be; SST_INPUT = one that the table does not take: an unknown family, a row, qualifier or value that is too long, a
 * negative timestamp, a row that no partition takes; SST_LIMIT = no room; SST_OUTPUT. Of several equal keys the one with the
 * larger sequence id, then the one that was put later, comes first. After a failure only sst_dataset_writer_close is left. */
SST_API int sst_dataset_writer_put(sst_dataset_writer *writer, const sst_cell *cell, sst_error *error);
/* Adds the cells of a part, such as a scan hands out: cheaper than one by one. Fails as sst_dataset_writer_put does. */
SST_API int sst_dataset_writer_put_part(sst_dataset_writer *writer, const sst_part *part, sst_error *error);
/* Sorts and writes the files, compares what was put with what was written, syncs all of it, and publishes the dataset. 0, or -1
 * (SST_LIMIT, SST_OUTPUT): then the directory is as it was before. */
SST_API int sst_dataset_writer_finish(sst_dataset_writer *writer, sst_error *error);

/* Counts of the whole dataset. Borrowed until sst_dataset_writer_close. */
typedef struct sst_dataset_written {
    size_t size;
    uint64_t cells, key_value_bytes, files, file_bytes;
    uint64_t spilled_bytes; /* to temporary files */
    sst_digest digest;      /* of all cells */
} sst_dataset_written;
/* Returns the counts after sst_dataset_writer_finish; NULL before. */
SST_API const sst_dataset_written *sst_dataset_writer_get_written(const sst_dataset_writer *writer);
SST_API void sst_dataset_writer_close(sst_dataset_writer *writer);

SST_END

#endif
