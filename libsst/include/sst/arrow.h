/* Cells as batches of Apache Arrow: what a scan reads goes into columns, and whatever takes Arrow's C stream interface (pandas,
 * DuckDB, Polars, Spark …) reads them without a copy. Source: "The Arrow C data interface", "The Arrow C stream interface".
 *
 *   K binary, Q binary, T int64 (milliseconds since 1970), V binary, type uint8 (enum sst_type), family binary,
 *   sequence uint64, tags binary: as in sst_cell; none is ever null
 *
 * Threads: a stream belongs to one thread at a time; the batches that it hands out are the caller's. */
#ifndef SST_ARROW_H
#define SST_ARROW_H

#include "sst/dataset.h"
#include "sst/scan.h"
#include "sst/sorter.h"

SST_BEGIN

/* Arrow's own structs, as its documentation gives them: another header may have them too. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* Columns of a batch, which come in this order. */
enum sst_arrow_column {
    SST_ARROW_K = 1,
    SST_ARROW_Q = 2,
    SST_ARROW_T = 4,
    SST_ARROW_V = 8,
    SST_ARROW_TYPE = 16,
    SST_ARROW_FAMILY = 32,
    SST_ARROW_SEQUENCE = 64,
    SST_ARROW_TAGS = 128
};

typedef struct sst_arrow_options {
    size_t size;
    uint32_t columns;     /* a sum of enum sst_arrow_column; 0 = the first six */
    uint32_t batch_cells; /* a batch ends with the row part (at most 1024 cells) that reaches so many; 0 = 16384 */
    size_t batch_bytes;   /* or so many bytes of keys and values; 0 = 16 MiB */
    /* Owners of the cells: closed after the scan, when the stream is released. NULL = the caller closes them after that. */
    sst_file *file;
    sst_dataset *dataset;
    sst_sorter *sorter;
} sst_arrow_options;

/* Makes *stream of the cells that a scan still has. It owns the scan and the owners in options from then on: they are closed when
 * the stream is released, or by this function if it fails. 0, or -1: SST_USAGE = options that cannot be, SST_LIMIT = no memory.
 * The stream's get_next returns 0 with a batch, which is the caller's to release and outlives the stream, or 0 with a batch whose
 * release is NULL at the end. It fails as sst_scan_next does: with EIO (SST_INPUT), ENOMEM (SST_LIMIT), ENOTSUP
 * (SST_UNSUPPORTED) or EINVAL, and get_last_error returns the text. After that it fails again. */
SST_API int sst_scan_to_arrow(sst_scan *scan, const sst_arrow_options *options, struct ArrowArrayStream *stream,
                              sst_error *error);

SST_END

#endif
