/* The index of a pack: a file of a shard that holds the HFiles of many partitions of one family, one after the other. */
#ifndef HFILE_PACK_INDEX_H
#define HFILE_PACK_INDEX_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cell/keyvalue.h"

/* One HFile of a pack. */
struct pack_entry {
    uint32_t partition, number;
    uint64_t offset, bytes;
    uint64_t kv_bytes, checksum; /* XXH3-64 of its bytes */
    struct tally tally;
    int64_t ts_min, ts_max;
    struct bytes first_row, last_row;
};

/* A pack as a whole. */
struct pack_made {
    char *path;                           /* family/w00000.pack */
    uint32_t family;                      /* of the table */
    uint64_t file_bytes, index_at, files; /* the index goes from index_at to the end of the file */
    uint64_t index_sum;                   /* XXH3-64 of the index without its last 8 bytes, which are this sum */
    uint64_t data_bytes, kv_bytes;        /* of the HFiles */
    struct tally tally;
};

struct hfile_bytes;
/* An index that is being read: from a file, or from its text. */
struct pack_index {
    const char *path;
    const struct hfile_bytes *file; /* NULL: text is all of it */
    struct bytes text;
    uint64_t at, files, rows_bytes, sum;
    struct buf rows; /* of the entry that was read last */
};

/* Appends the index of a pack whose HFiles end at index_at, and sorts the entries by partition and number. Fills in what made
 * says of the index. */
int pack_index_put(struct buf *out, struct pack_entry *entries, size_t n, uint64_t index_at, struct pack_made *made,
                   struct err *err);
/* path, for messages, and what is read are borrowed. ERR_INPUT: the pack has no such index, or a damaged one. */
int pack_index_of_text(struct pack_index *x, const char *path, struct bytes text, uint64_t index_at, struct err *err);
int pack_index_of_file(struct pack_index *x, const char *path, const struct hfile_bytes *file, uint64_t index_at,
                       struct err *err);
/* Entry i. Its rows are valid until the next call. */
int pack_index_get(struct pack_index *x, uint64_t i, struct pack_entry *out, struct err *err);
/* Finds the first entry of the partition or of a later one: *i, files if there is none. */
int pack_index_find(struct pack_index *x, uint32_t partition, uint64_t *i, struct err *err);
void pack_index_close(struct pack_index *x);

#endif
