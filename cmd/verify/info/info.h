/* The parts that `obkv-verify info` prints, as text for people and as JSON. */
#ifndef INFO_INFO_H
#define INFO_INFO_H

#include "base/buf.h"
#include "base/histogram.h"
#include "base/plain.h"
#include "engine/job.h"
#include "sst/scan.h"

#include <jansson.h>

/* ---- sums over many HFiles, several at a time ----
 * What their blocks take, by kind, codec and encoding, and on request what their cells are like. The figures of
 * HFilePrettyPrinter -s, but key lengths are those of every cell (it takes the last one of each row). */

/* Returns what the public reader hands out and reports, as the programs have it. */
static inline struct bytes info_bytes(sst_bytes b) {
    return bytes_of(b.data, b.size);
}
static inline int info_error(struct err *err, const sst_error *e) {
    err->sys = err->code ? err->sys : e->system;
    return err_set(err, (enum err_code)e->code, "%s", e->text);
}

enum { BLOCK_SUMS_ENCODINGS = 8, BLOCK_SUMS_CODECS = 9 };

struct block_sum {
    uint64_t blocks, disk_bytes, plain_bytes; /* disk: with headers and checksums; plain: payloads, decompressed */
};

struct block_sums {
    struct block_sum types[SST_BLOCK_KINDS];
    uint64_t trailer_bytes, file_bytes;
    uint64_t encodings[BLOCK_SUMS_ENCODINGS + 1]; /* data blocks by the id in them; 0 = without, the last = unknown ids */
    uint64_t codecs[BLOCK_SUMS_CODECS];           /* files */
};

struct cell_stats {
    struct histogram key_length, value_length; /* of cells: the serialised key, the value */
    struct histogram row_bytes, row_cells;     /* of rows: KeyValue bytes, with tags */
    uint64_t puts, deletes, family_version_deletes, column_deletes, family_deletes, others;
    uint64_t tagged, tag_bytes; /* cells with tags, and bytes of these */
    uint64_t biggest_row_bytes;
    struct buf biggest_row; /* of several as large the first */
};

struct figures_file {
    char *path;
    struct block_sum data; /* its data blocks */
    uint64_t cells, file_bytes;
};

struct file_figures { /* zero-initialise */
    const struct job *job;
    struct figures_file *files; /* path given, the rest is filled in */
    size_t n;
    bool read_cells, failed;
    struct block_sums blocks;
    struct cell_stats cells; /* with read_cells */
};

/* Text on its way to standard output; gone: it is no longer read. */
struct info_out {
    struct buf text;
    bool gone, json;
    const struct path_names *names; /* of remote files */
};

/* ---- --codecs: what other codecs, encodings and block sizes would make of a file (info_codecs.c) ---- */

struct codec_result {
    const char *codec, *encoding, *bloom;
    uint32_t block_bytes;
    uint64_t file_bytes, kv_bytes, bloom_bytes; /* of the sample */
    double write_s, read_s;                     /* CPU time */
};

enum { CODEC_RESULTS = 75, CODEC_BLOOMS = 3 };

struct codec_trial { /* zero-initialise; stop given */
    const struct stop *stop;
    struct buf sample, family;
    size_t last_row, last_row_bytes; /* in sample */
    uint64_t cells, pieces;
    char *path; /* of the file that is written and read */
    struct codec_result results[CODEC_RESULTS], blooms[CODEC_BLOOMS];
    size_t n;
    const struct codec_result *now, *best; /* now: codec and encoding of the file, NULL: not among the results */
};
enum { CODEC_NAME_BYTES = 24 };

#endif
