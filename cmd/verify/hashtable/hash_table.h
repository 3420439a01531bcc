/* Reads the output of HBase's HashTable job (org.apache.hadoop.hbase.mapreduce.HashTable.TableHash):
 *
 *   DIR/manifest                    Java properties: the table, and the scan that was hashed; written last
 *   DIR/partitions                  SequenceFile of rows: which hash file a row's batch is in
 *   DIR/hashes/part-r-00000/data …  MapFiles: first row of a batch -> hash of its cells
 *
 * A batch reaches to the first row of the next one. */
#ifndef HASHTABLE_HASH_TABLE_H
#define HASHTABLE_HASH_TABLE_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/message_digest.h"
#include "engine/input.h"
#include "engine/job.h"

struct stop;

struct hash_table {
    char *dir, *table;
    struct buf families; /* names, each followed by a NUL; empty: all */
    uint64_t batch_bytes;
    uint32_t n_files;
    struct buf start_row, stop_row; /* empty: open */
    uint32_t scan_batch;            /* makes no difference to hashes */
    uint32_t versions;              /* of the scan; 1 unless the manifest says otherwise */
    int64_t start_ms, end_ms;       /* [start, end); INT64_MAX: open */
    bool raw, ignore_timestamps;
    enum message_digest_kind digest;
    int64_t made_ms; /* when the job began, by the comment of the manifest; -1: unknown */
};

/* The manifest alone; name is for messages. *out must be freed, whatever is returned. ERR_UNSUPPORTED: a property that is not
 * known, by which a later version may hash other cells, or in another way. */
int hash_table_parse(const char *name, struct bytes text, struct hash_table *out, struct err *err);
/* Manifest and partitions, and that as many hash files are there as should be. */
int hash_table_open(const char *dir, size_t memory_bytes, const struct stop *stop, struct hash_table *out, struct err *err);
/* Fresh: the path of one of its n_files hash files. */
char *hash_table_file(const struct hash_table *t, uint32_t i, struct err *err);
void hash_table_free(struct hash_table *t);
/* Returns whether this family is among those that were hashed. */
bool hash_table_has_family(const struct hash_table *t, struct bytes family);

struct hash_reader;
struct hash_reader *hash_reader_open(const struct hash_table *t, size_t memory_bytes, const struct stop *stop, struct err *err);
/* The next batch, in the order of rows: 1 = filled (valid until the next call), 0 = end, -1 = error. */
int hash_reader_next(struct hash_reader *r, struct bytes *row, struct bytes *hash, struct err *err);
void hash_reader_close(struct hash_reader *r);

/* Java's properties files, as java.util.Properties loads them: "key=value" lines with escapes and continuations; UTF-8. */

/* put is called for each pair, in order: strings end with a NUL and are borrowed; 0 continue, -1 error. A malformed \uXXXX, or a
 * NUL byte, is ERR_INPUT with its line. */
int properties_parse(struct bytes text, int (*put)(void *arg, const char *key, const char *value, struct err *err), void *arg,
                     struct err *err);

/* Holds inputs against the output of HBase's HashTable job: sorts them, takes what the Scan of the job would see, hashes it batch
 * by batch as the job does, and compares, as its SyncTable would. */

/* A batch whose hash is another one. Borrowed. */
struct hash_range {
    struct bytes start, stop; /* stop empty: to the end */
    struct bytes hash;        /* p NULL: the job has none for these rows */
    struct bytes ours;
    uint64_t rows, cells, bytes; /* of ours; bytes as the job counts them */
};

struct hash_check_opts {
    const struct job *job;
    const struct hash_table *reference;
    struct input *inputs;
    uint32_t n_inputs;
    struct read_opts read; /* its table has the families' rules */
    bool ignore_timestamps;
    /* Called in the order of rows: 0 continue, -1 error. */
    int (*found)(void *arg, const struct hash_range *r, struct err *err);
    void *arg;
};

struct hash_check_result {
    uint64_t batches, matched, differing;
    uint64_t empty;       /* batches without a cell of ours */
    uint64_t rows, cells; /* that were hashed */
    uint64_t read;        /* cells of the inputs, also those that the scan of the job does not see */
};

int hash_check_run(const struct hash_check_opts *o, struct hash_check_result *out, struct err *err);

#endif
