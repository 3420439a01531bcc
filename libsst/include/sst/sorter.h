/* Sorting cells within a memory limit: they come in any order, what does not fit is spilled to temporary files, and a scan
 * hands them out in order. It is what obkv-import sorts with.
 *
 *   sst_sorter_open -> sst_sorter_put … -> sst_sorter_scan -> sst_scan_next … -> sst_scan_close -> sst_sorter_close
 *
 * Threads: a sorter and its scan belong to one thread at a time; several sorters work side by side. */
#ifndef SST_SORTER_H
#define SST_SORTER_H

#include "sst/scan.h"

SST_BEGIN

typedef struct sst_sorter sst_sorter;

typedef struct sst_sorter_options {
    size_t size;
    size_t
        memory_bytes; /* for cells, and for sorting and merging them: at least 64 MiB; 0 = 256 MiB. Address space beyond that is
                            reserved, but not used */
    const char *temp_directory; /* of files without a name, gone when the process ends; NULL = /tmp. Copied */
    unsigned threads;           /* that sort: the caller's and threads - 1 of the library's; 0 and 1 = the caller's alone */
} sst_sorter_options;

/* NULL on failure: SST_USAGE = options that cannot be, SST_LIMIT = no memory. */
SST_API sst_sorter *sst_sorter_open(const sst_sorter_options *options, sst_error *error);
/* Adds a cell; it is copied. All cells are of one family. 0, or -1: SST_USAGE = a cell that cannot be, or of another family;
 * SST_LIMIT = no room for temporary files; SST_OUTPUT. After a failure only sst_sorter_close is left. */
SST_API int sst_sorter_put(sst_sorter *sorter, const sst_cell *cell, sst_error *error);
/* Adds the cells of a part, such as a scan hands out: cheaper than one by one. Fails as sst_sorter_put does. */
SST_API int sst_sorter_put_part(sst_sorter *sorter, const sst_part *part, sst_error *error);
/* All cells in order, equal ones too: of these the one with the larger sequence id, then the one that was put later, comes
 * first. Nothing can be put any more, and there is one such scan. It can neither be moved nor merged; close it before the
 * sorter. NULL on failure, as of sst_sorter_put. */
SST_API sst_scan *sst_sorter_scan(sst_sorter *sorter, sst_error *error);
/* Bytes that were written to temporary files so far. */
SST_API uint64_t sst_sorter_spilled(const sst_sorter *sorter);
SST_API void sst_sorter_close(sst_sorter *sorter);

SST_END

#endif
