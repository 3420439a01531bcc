/* Learns how row keys look: lengths, the entropy of each byte position, and whether they begin with a time or a counter. */
#ifndef PLAN_KEY_FACTS_H
#define PLAN_KEY_FACTS_H

#include "cmd/split/plan/choice.h"
#include "cmd/split/plan/row_weight.h"

enum { KEY_POSITIONS = 32 };

/* Ways in which keys may begin so that new ones all go to one end. */
enum key_head {
    HEAD_OTHER,
    HEAD_EPOCH_TEXT,    /* 10 or 13 decimal digits: seconds or milliseconds of 2001 … 2100 */
    HEAD_REVERSED_TEXT, /* 19 decimal digits: Long.MAX - such a time */
    HEAD_DATE_TEXT,     /* yyyyMMdd or yyyy-MM-dd */
    HEAD_EPOCH_LONG,    /* 8 bytes big-endian milliseconds */
    HEAD_REVERSED_LONG, /* … or Long.MAX - such a time */
    HEAD_KINDS
};

struct key_facts { /* zero-initialise */
    uint64_t rows, cells, bytes, key_bytes;
    uint64_t cell_key_bytes; /* keys as stored: each cell holds the whole key of its row */
    size_t shortest, longest;
    uint64_t of_length[KEY_POSITIONS + 1]; /* rows; the last: that and longer */
    uint64_t too_long;                     /* rows over 1,024 bytes: OceanBase's column */
    uint64_t heads[HEAD_KINDS];
    uint64_t successors;                 /* rows whose key is the predecessor's + 1: as a number in decimal digits, or bytes */
    uint64_t values[KEY_POSITIONS][257]; /* [position][byte]: rows; 256: the key ends before */
    uint64_t not_text;                   /* rows that are not valid UTF-8 */
};

/* last: the row before (p == NULL: none). */
void key_facts_add(struct key_facts *f, struct bytes last, const struct weighed_row *row);
/* Entropy of a byte position in bits, 0 … 8.01. */
double key_facts_entropy(const struct key_facts *f, unsigned position);
/* Most keys begin like that; HEAD_OTHER = no such. */
enum key_head key_facts_head(const struct key_facts *f);
const char *key_head_text(enum key_head h); /* "milliseconds as 8 bytes", … */
enum key_head key_head_of(struct bytes key);

/* Counts of what is under each leading piece of the row keys, of 1 to 32 bytes, out of one sorted stream of rows: how many
 * different ones there are, and where OceanBase would put them by KEY on a column substring(K,1,n).
 *
 * Rows with the same leading bytes are adjacent, so a hash is computed once for all of them; and as long as no key is longer
 * than n bytes, nothing is computed for n. */

enum { PLAN_PREFIX_MAX = 32 };

struct prefix_runs {
    const uint32_t *counts; /* numbers of partitions, borrowed */
    uint32_t n_counts;
    struct plan_choice *choices; /* [length * n_counts + count]; length 0 = the whole key */
    uint64_t distinct[PLAN_PREFIX_MAX + 1];
    uint64_t heaviest[PLAN_PREFIX_MAX + 1];          /* bytes under the heaviest one */
    struct plan_part total;                          /* of all rows so far */
    struct plan_part before[PLAN_PREFIX_MAX + 1];    /* of those before the open run: rows under the last row's leading bytes */
    struct block_spread blocks[PLAN_PREFIX_MAX + 1]; /* of the open runs; a sample by blocks */
    uint32_t longest; /* lengths from here on are the whole key so far: what is known of it holds for them */
};

/* blocks: of the sample, 0 = not by blocks. r must be freed, whatever is returned. */
int prefix_runs_init(struct prefix_runs *r, const uint32_t *counts, uint32_t n_counts, uint64_t blocks, struct err *err);
/* Rows ascend, each once; last: the one before (p == NULL: none). */
void prefix_runs_add(struct prefix_runs *r, struct bytes last, const struct weighed_row *row);
void prefix_runs_end(struct prefix_runs *r, struct bytes last);
void prefix_runs_free(struct prefix_runs *r);
static inline const struct plan_choice *prefix_runs_choice(const struct prefix_runs *r, uint32_t length, uint32_t count) {
    return &r->choices[length * r->n_counts + count];
}

/* A fixed number of rows, chosen by the hash of their keys: the same ones whatever the order and the number of threads. For
 * questions that need rows one by one. */

enum { ROW_SAMPLE_ROWS = 50000, ROW_SAMPLE_KEY_BYTES = 64 };

struct sampled_row {
    uint64_t hash, cells, bytes, rank;
    int64_t newest_ms, place_hash; /* placement_key_hash of the whole key */
    uint32_t n;
    uint8_t key[ROW_SAMPLE_KEY_BYTES]; /* leading bytes */
};

struct row_sample {           /* zero-initialise */
    struct sampled_row *rows; /* a heap, greatest hash first, until row_sample_end; then by time, newest first */
    uint32_t n;
    uint32_t ascending; /* rows whose key follows that of the row before them in the inputs; from row_sample_end on */
};

int row_sample_add(struct row_sample *s, const struct weighed_row *row, struct err *err);
void row_sample_end(struct row_sample *s);
void row_sample_free(struct row_sample *s);
/* 0 … 1: how much of the input is in key order. Of up to ROW_SAMPLE_ROWS rows exact, of more an estimate. */
double row_sample_ascending(const struct row_sample *s);
static inline struct bytes sampled_row_key(const struct sampled_row *r) {
    return bytes_of(r->key, r->n);
}

#endif
