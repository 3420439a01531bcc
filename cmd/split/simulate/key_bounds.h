/* Keeps the bounds of regions: the first rows of all but the first one, ascending. Read-only once made: any thread may look. */
#ifndef SIMULATE_KEY_BOUNDS_H
#define SIMULATE_KEY_BOUNDS_H

#include "base/buf.h"

enum { REGIONS_MAX = 8192 };

struct key_bounds { /* zero-initialise: one region */
    struct buf *list;
    uint64_t *heads; /* their first 8 bytes as numbers: most comparisons need no more */
    uint32_t n;
};

/* Appends a copy; in any order until key_bounds_end. ERR_USAGE: too many. */
int key_bounds_add(struct key_bounds *b, struct bytes row, struct err *err);
/* Sorts. ERR_USAGE: an empty bound, or a duplicate. */
int key_bounds_end(struct key_bounds *b, struct err *err);
void key_bounds_free(struct key_bounds *b);
/* The region of a row: 0 … n. */
uint32_t key_bounds_find(const struct key_bounds *b, struct bytes row);

/* Parses the bounds of a table that is split before anything is written: what --splits takes.
 *
 *   none                                     one region
 *   HexStringSplit:N DecimalStringSplit:N UniformSplit:N    HBase's RegionSplitter (hex:N, decimal:N, uniform:N for short)
 *   prefixes:N[:WIDTH]                       decimal numbers with leading zeros in front of keys: 01, 02 … N-1
 *   longs:N                                  the same as 8 bytes, big-endian
 *   keys:A,B,…                               first rows; text, \xNN, or hex:6162
 *   file:PATH                                the same, one a line: a SPLITS_FILE of HBase's shell
 *   sampled:N                                equal shares of the first keys that are written */

/* *sampled: the number of regions of sampled:N, whose bounds are not known yet; else 0. out must be freed whatever is
 * returned. ERR_USAGE names the text, and line. */
int splits_parse(const char *text, struct key_bounds *out, uint32_t *sampled, struct err *err);

/* The first keys of a stream, of which bounds of regions are made: all of them as long as memory allows, then every second,
 * fourth … by the hash of the key, so that nothing regular in the order of the keys shows. */

struct key_sample { /* zero-initialise but for the limit */
    size_t limit_bytes;
    struct buf bytes; /* u16 length and key, one after the other */
    uint64_t seen, kept;
    unsigned halvings; /* keys whose hash ends in so many zero bits are kept */
    uint64_t *sorted;  /* [kept] after key_sample_end: their positions */
};

/* Keys of up to ROW_MAX_BYTES. */
int key_sample_add(struct key_sample *s, struct bytes key, struct err *err);
/* Sorts. */
int key_sample_end(struct key_sample *s, struct err *err);
/* Bounds of n regions with equal shares of the sample: fewer where keys are the same. A bound is the key of a row. */
int key_sample_cut(const struct key_sample *s, uint32_t n, struct key_bounds *out, struct err *err);
/* counts[region] of the sample, regions as in b. */
void key_sample_count(const struct key_sample *s, const struct key_bounds *b, uint64_t *counts);
void key_sample_free(struct key_sample *s);

#endif
