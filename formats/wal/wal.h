/* Write-ahead logs of HBase 0.96 to 2.x (docs/formats/wal.md): the container, its dictionaries, and the entries as a stream.
 * Exports: wal, wal_dict, wal_value */
#ifndef FORMATS_WAL_WAL_H
#define FORMATS_WAL_WAL_H

#include "base/buf.h"
#include "formats/wal/wal_key.h"

struct instream;
struct wal_value_codec;

/* ---- entries ---- */

/* Ways in which a log ends. */
enum wal_end {
    WAL_END_CLOSED,   /* with its trailer */
    WAL_END_UNCLOSED, /* after a whole entry, without trailer or in the middle of it: the server died, or still writes */
    WAL_END_EMPTY     /* before its header is complete: the server died when it had made the file */
};

struct wal_stream {
    struct instream *in;
    struct wal_header header;
    struct wal_dicts dicts;
    struct wal_value_codec *values; /* NULL: not compressed */
    struct buf window;              /* content that has been read; [at] is the next byte */
    size_t at;
    uint64_t offset; /* of window.p[0] */
    bool at_end, empty;
    enum wal_end end; /* once wal_next has returned 0 */
    size_t limit;     /* most bytes of an entry */
};

/* One entry. key is valid until the next call. */
struct wal_entry {
    uint64_t offset;
    struct wal_key key;
};

#endif
