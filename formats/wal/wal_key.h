/* Header of a write-ahead log, and the key of each entry. */
#ifndef FORMATS_WAL_WAL_KEY_H
#define FORMATS_WAL_WAL_KEY_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "formats/wal/wal_compression.h"

struct wal_header {
    bool compressed, tags_compressed, values_compressed;
    unsigned value_codec; /* ordinal of HBase's Compression.Algorithm */
};

enum { WAL_MAGIC_BYTES = 4, WAL_KEY_MAX_BYTES = 4 << 20 };
extern const char wal_magic[];

/* message: WALHeader. Kinds that are not read are ERR_UNSUPPORTED by name. */
int wal_header_parse(struct bytes message, struct wal_header *h, struct err *err);

/* WALKey: what precedes the cells of an entry. Borrowed from the message or, in a compressed log, from dictionaries. */
struct wal_key {
    struct bytes region, table;
    uint64_t seq;
    int64_t written_ms;
    uint32_t cells;
};

/* The dictionaries of a compressed log. */
enum wal_dict_kind {
    WAL_DICT_REGION,
    WAL_DICT_TABLE,
    WAL_DICT_FAMILY,
    WAL_DICT_QUALIFIER,
    WAL_DICT_ROW,
    WAL_DICT_TAG,
    WAL_DICTS
};
struct wal_dicts {
    struct wal_dict of[WAL_DICTS];
    size_t budget;    /* bytes that entries may still take */
    struct buf table; /* of the last key: its entry may be given away while the key is parsed */
};

/* dicts: NULL for a log without compression. ERR_INPUT, ERR_LIMIT: without a place. */
int wal_key_parse(struct bytes message, struct wal_dicts *dicts, struct wal_key *out, struct err *err);

enum wal_marker_kind {
    WAL_MARKER_FLUSH,
    WAL_MARKER_COMPACTION,
    WAL_MARKER_OPEN,
    WAL_MARKER_CLOSE,
    WAL_MARKER_BULK_LOAD,
    WAL_MARKER_OTHER,
    WAL_MARKER_KINDS
};
extern const char *const wal_marker_names[WAL_MARKER_KINDS];

bool wal_is_marker(struct bytes family);
enum wal_marker_kind wal_marker_kind(struct bytes qualifier);
/* A bulk load: its sequence id, and then, for each file of each family, a call of `file`. */
int wal_bulk_load_parse(struct bytes value, uint64_t *seq,
                        int (*file)(void *arg, struct bytes family, struct bytes name, struct err *err), void *arg,
                        struct err *err);

#endif
