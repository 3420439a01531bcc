/* Write-ahead logs of HBase 0.96 to 2.x (docs/formats/wal.md): the container, its dictionaries, and the entries as a stream.
 * Exports: wal, wal_dict, wal_value */
#ifndef FORMATS_WAL_WAL_H
#define FORMATS_WAL_WAL_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/instream.h"

/* ---- dictionaries ----
 *
 * HBase's LRUDictionary as a reader needs it: entries by index. A full dictionary gives the index that was used least recently to
 * the next entry. */

enum { WAL_DICT_LARGE = 32767, WAL_DICT_SMALL = 127 };

struct wal_dict {
    struct wal_dict_entry {
        uint8_t *p;
        uint32_t n, room;
        int32_t older, newer; /* neighbours by use; -1: none */
    } * entries;
    int32_t n, most;
    int32_t newest, oldest;
};

void wal_dict_init(struct wal_dict *d, int32_t most);
/* Adds a copy of b, which takes room from *budget. Nothing is added for no bytes, as HBase does. */
int wal_dict_add(struct wal_dict *d, struct bytes b, size_t *budget, struct err *err);
/* Valid until the next call. false: there is no entry with this index. */
bool wal_dict_get(struct wal_dict *d, unsigned index, struct bytes *out);
void wal_dict_free(struct wal_dict *d);

/* ---- values ---- */

/* Decompresses values: GZ is one stream over all values of a log, other codecs compress each value by itself. */
struct wal_value_codec;
struct wal_value_codec *wal_value_codec_open(unsigned ordinal, struct err *err);
/* Exactly n bytes come out of src, which must be used up. ERR_INPUT says what is wrong, without a place. */
int wal_value_unpack(struct wal_value_codec *c, struct bytes src, uint8_t *out, size_t n, struct err *err);
void wal_value_codec_close(struct wal_value_codec *c); /* NULL is fine */

/* ---- header and keys ---- */

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

/* ---- markers: what HBase writes into a log about regions, in cells of the family METAFAMILY ---- */

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

/* ---- entries ---- */

/* How a log ends. */
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

/* `in` is borrowed. limit: 0 = 1 GiB. A log that ends inside its header is `empty`. */
int wal_open(struct wal_stream *s, struct instream *in, size_t limit, struct err *err);
/* The key of the next entry: 1, 0 = the end (s->end), -1. A log that ends inside an entry, or cannot be parsed, is ERR_INPUT that
 * names file and offset: nothing after it can be read. */
int wal_next(struct wal_stream *s, struct wal_entry *out, struct err *err);
/* Its cells, which have to be taken or passed before the next entry: appended to `out` as a plain log has them, each i32 length
 * and KeyValue with tags. out == NULL: passed by. On failure out is as it was. */
int wal_cells(struct wal_stream *s, const struct wal_entry *e, struct buf *out, struct err *err);
void wal_close(struct wal_stream *s);
/* Of the next byte. */
uint64_t wal_offset(const struct wal_stream *s);

/* ---- for this room only: the window. 1, 0 = the log ends before, -1; what is taken is valid until the next call ---- */

static inline size_t wal_left(const struct wal_stream *s) {
    return s->window.n - s->at;
}
/* At least n more bytes are in the window. */
int wal_need(struct wal_stream *s, size_t n, struct err *err);
int wal_take_varint(struct wal_stream *s, uint64_t most, uint64_t *out, struct err *err);
int wal_take_bytes(struct wal_stream *s, size_t n, struct bytes *out, struct err *err);
/* A varint, and as many bytes as it says. */
int wal_take_message(struct wal_stream *s, size_t most, struct bytes *out, struct err *err);
/* A cell of a compressed log, appended as wal_cells does. */
int wal_cell_decode(struct wal_stream *s, struct buf *out, struct err *err);

#endif
