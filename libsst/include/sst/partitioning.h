/* Finds the partition of an OceanBase table that a row belongs to, computed as the server computes it. Source: OceanBase 4.x,
 * ObExprFuncPartKey::calc_partition_key and ObPartitionUtils, compared with a running server; docs/formats/ddl.md.
 *
 * Threads: a partitioning is read-only; any number of threads may use it. */
#ifndef SST_PARTITIONING_H
#define SST_PARTITIONING_H

#include "sst/cell.h"

SST_BEGIN

typedef struct sst_partitioning sst_partitioning;

/* Makes a partitioning of a word, as obkv-import --partition takes it: "none", "key:97", "key:97:substring(1,4)", "key:97:K,Q",
 * "range:FILE" (one bound a line), "ddl:FILE", "sql:KEY(K) PARTITIONS 97". NULL on failure: SST_USAGE says what is wrong,
 * SST_INPUT which FILE cannot be read. */
SST_API sst_partitioning *sst_partitioning_parse(const char *word, sst_error *error);
/* Makes a partitioning of the text of CREATE TABLE statements of OceanBase (SHOW CREATE TABLE prints one), one for each family;
 * `size` bytes. NULL on failure: SST_USAGE names the line. */
SST_API sst_partitioning *sst_partitioning_from_ddl(const char *text, size_t size, sst_error *error);
SST_API void sst_partitioning_close(sst_partitioning *partitioning);

/* Number of partitions, those of the lowest level: 1 to 8192. */
SST_API uint32_t sst_partitioning_count(const sst_partitioning *partitioning);
/* Name of a partition, "p0" …; NULL when index is not less than the count. Borrowed until it is closed. */
SST_API const char *sst_partitioning_name(const sst_partitioning *partitioning, uint32_t index);
/* One line for people: "KEY(K) PARTITIONS 97". Borrowed until it is closed. */
SST_API const char *sst_partitioning_text(const sst_partitioning *partitioning);
/* 1: the partition also depends on qualifier or timestamp, so cells of one row may be in several. */
SST_API int sst_partitioning_splits_rows(const sst_partitioning *partitioning);

/* The partition of a row. 0, or -1: SST_INPUT = no partition takes the row (the text says why the server refuses it), SST_USAGE =
 * the partitioning splits rows: ask for cells. *index is below the count, and 0 on failure. */
SST_API int sst_partition_of_row(const sst_partitioning *partitioning, const void *row, size_t row_size, uint32_t *index,
                                 sst_error *error);
/* The partition of a cell: row, qualifier and timestamp decide. 0, or -1: SST_INPUT = no partition takes the cell,
 * SST_USAGE = a cell that cannot be. */
SST_API int sst_partition_of_cell(const sst_partitioning *partitioning, const sst_cell *cell, uint32_t *index, sst_error *error);
/* The server's hash of a row key, before the sign is removed and the number of partitions divides it: MurmurHash64A. Any
 * thread. */
SST_API int64_t sst_key_hash(const void *row, size_t row_size);

SST_END

#endif
