/* A dataset: a directory of HFiles, one or more for each column family and partition, with MANIFEST.json. obkv-import,
 * obkv-split and obkv-compact write them. Source: docs/formats/dataset.md, docs/formats/manifest.md.
 *
 * Threads: an open dataset is read-only; any number of threads may use it. Each scan belongs to one thread. */
#ifndef SST_DATASET_H
#define SST_DATASET_H

#include "sst/partitioning.h"
#include "sst/scan.h"

SST_BEGIN

typedef struct sst_dataset sst_dataset;

/* Reads the manifest and checks that every file exists and has its size. NULL on failure: SST_INPUT = there is no
 * manifest, it is damaged, or a file is missing; SST_UNSUPPORTED = it is a shard or share (obkv-split join makes one dataset of
 * all), or waits for the cells of others (a nightly compaction that was put off). */
SST_API sst_dataset *sst_dataset_open(const char *directory, sst_error *error);

/* How the files of a dataset are read that lies elsewhere: HDFS, S3, an archive. */
typedef struct sst_dataset_ops {
    size_t size;
    /* Opens the file of this name below the dataset, "MANIFEST.json" or "f/p00000-000.hfile": fills *ops and *file, the context
     * that the functions of *ops are given; the library calls its close once. 0, or -1 and errno says why. Several threads may
     * call it at once. */
    int (*open)(void *context, const char *name, sst_read_ops *ops, void **file);
    /* Called once, when the dataset is closed or cannot be opened; may be NULL. */
    void (*close)(void *context);
} sst_dataset_ops;
/* As sst_dataset_open, but whether files are there is found when they are read. ops and name are copied; name stands in
 * messages and in front of paths. SST_USAGE: ops lacks open. */
SST_API sst_dataset *sst_dataset_open_callbacks(const sst_dataset_ops *ops, void *context, const char *name, sst_error *error);
/* Scans of the dataset must be closed before. */
SST_API void sst_dataset_close(sst_dataset *dataset);

/* Borrowed until the dataset is closed. */
typedef struct sst_dataset_info {
    size_t size;
    const char *tool;              /* what wrote it: "obkv-import 1.0.0" */
    const char *table;             /* name of the HBase table, NULL = not known */
    const char *rules;             /* version rules that were applied, one line; NULL = none */
    int64_t now;                   /* what a TTL counted from: milliseconds since 1970, UTC */
    uint32_t families, partitions; /* of the table; some may hold no file */
    size_t files;
    /* Sums over all files; key_value_bytes: as KeyValues, before encoding and compression. */
    uint64_t file_bytes, key_value_bytes, cells;
    sst_digest digest; /* of all cells */
} sst_dataset_info;
/* Never NULL. */
SST_API const sst_dataset_info *sst_dataset_get_info(const sst_dataset *dataset);
/* Name of a column family; NULL when index is not less than info.families. Borrowed until the dataset is closed. */
SST_API const char *sst_dataset_family(const sst_dataset *dataset, uint32_t index);
/* Returns how rows are placed. Borrowed: not to be closed. */
SST_API const sst_partitioning *sst_dataset_partitioning(const sst_dataset *dataset);

/* One file, as the manifest lists it. Borrowed until the dataset is closed. */
typedef struct sst_dataset_file {
    size_t size;
    const char *path;                            /* with the directory in front: for sst_file_open */
    uint32_t family, partition;                  /* indexes: sst_dataset_family, sst_partitioning_name */
    uint32_t number;                             /* within family and partition, whose files ascend by row and do not overlap */
    uint64_t file_bytes, key_value_bytes, cells; /* as in sst_dataset_info */
    sst_digest digest;                           /* of its cells */
    sst_bytes first_row, last_row;
    int64_t time_min, time_max; /* of the cells' timestamps, milliseconds since 1970 */
} sst_dataset_file;
/* Files are numbered by family, partition and number; NULL when index is not less than info.files. */
SST_API const sst_dataset_file *sst_dataset_get_file(const sst_dataset *dataset, size_t index);
/* Opens one of its files, wherever the dataset lies; close with sst_file_close. Fails as sst_file_open does; SST_USAGE: index
 * is not less than info.files. */
SST_API sst_file *sst_dataset_open_file(const sst_dataset *dataset, size_t index, const sst_file_options *options,
                                        sst_error *error);
/* The files of a family and partition are *n in a row, from *first on; *n may be 0. */
SST_API void sst_dataset_files_of(const sst_dataset *dataset, uint32_t family, uint32_t partition, size_t *first, size_t *n);

/* The cells of one family and partition, in order, from start_row (inclusive) to stop_row (exclusive) of the options. Files
 * are opened one at a time. sst_merge_open makes one scan of several partitions. NULL on failure: SST_USAGE = there is no such
 * family or partition, or options name a piece of a file. */
SST_API sst_scan *sst_dataset_scan_partition(const sst_dataset *dataset, uint32_t family, uint32_t partition,
                                             const sst_scan_options *options, sst_error *error);
/* All cells, family after family and partition after partition: in cell order within each, not over all. Options and
 * failures as sst_dataset_scan_partition. The scan can neither be moved nor merged (SST_USAGE). */
SST_API sst_scan *sst_dataset_scan(const sst_dataset *dataset, const sst_scan_options *options, sst_error *error);

SST_END

#endif
