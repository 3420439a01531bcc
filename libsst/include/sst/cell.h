/* Cells, their keys and their digests. Source: HBase's KeyValue, CellComparatorImpl and HFile format, branch 2.6. */
#ifndef SST_CELL_H
#define SST_CELL_H

#include "sst/base.h"

SST_BEGIN

/* KeyValue.Type */
enum sst_type {
    SST_PUT = 4,
    SST_DELETE = 8,                 /* one version of a column */
    SST_DELETE_FAMILY_VERSION = 10, /* all columns at exactly this timestamp */
    SST_DELETE_COLUMN = 12,         /* all versions of a column up to this timestamp */
    SST_DELETE_FAMILY = 14          /* all columns up to this timestamp */
};

/* One cell. Cells are ordered by row, family and qualifier (bytes, ascending), then timestamp, type, and sequence
 * (descending). */
typedef struct sst_cell {
    size_t size;      /* of this struct: the library sets it in cells it hands out, the caller in cells it passes */
    sst_bytes row;    /* 1 to 32767 bytes */
    sst_bytes family; /* 0 to 127 bytes */
    sst_bytes qualifier;
    sst_bytes value;
    sst_bytes tags;     /* as stored: for each tag u16 length (big-endian, of what follows), u8 type, bytes; empty = none */
    int64_t timestamp;  /* milliseconds since 1970, UTC, as HBase stores it */
    uint64_t sequence;  /* HBase's sequence id (MVCC), 0 = none */
    uint8_t type;       /* enum sst_type */
    uint8_t row_starts; /* 1: the first cell of its row from this scan; ignored in cells the caller passes */
} sst_cell;

/* "Put", "Delete", "DeleteColumn" …, also "Minimum" (0) and "Maximum" (255), which keys of an index may have; "Unknown" for other
 * values. Never freed, any thread. */
SST_API const char *sst_type_name(int type);

/* Takes a serialised key apart (index entries, first and last keys): row, family, qualifier, timestamp and type of *cell are set
 * and borrow from key; the rest is emptied. 0, or -1 (SST_USAGE: the bytes are not a key). Any thread. */
SST_API int sst_key_parse(const void *key, size_t size, sst_cell *cell, sst_error *error);

/* Digest of a set of cells: XXH3-128 of each cell's KeyValue bytes (key length, value length, key, value, and tags if any;
 * not the sequence), added modulo 2^128. Independent of order, so the digests of parts add up to that of the whole.
 * docs/formats/hfile.md has the bytes. The size of this struct is fixed for good. */
typedef struct sst_digest {
    uint64_t low, high; /* both 0: of no cells */
} sst_digest;

/* Bytes that sst_digest_text writes. */
enum { SST_DIGEST_TEXT = 33 };

/* The digest of one cell. 0, or -1 (SST_LIMIT: no memory, SST_USAGE: a cell that cannot be). Any thread. */
SST_API int sst_cell_digest(const sst_cell *cell, sst_digest *digest, sst_error *error);
/* *sum += *digest, modulo 2^128. Any thread. */
SST_API void sst_digest_add(sst_digest *sum, const sst_digest *digest);
/* 32 hexadecimal digits, the high half first, and a zero byte. Any thread. */
SST_API void sst_digest_text(const sst_digest *digest, char text[SST_DIGEST_TEXT]);

SST_END

#endif
