/* SequenceFiles of Hadoop: the container, its codecs, the input as a stream, and the values HBase's Export puts into it.
 * Exports: seqfile, hbase_result */
#ifndef FORMATS_SEQFILE_SEQFILE_H
#define FORMATS_SEQFILE_SEQFILE_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cell/cell.h"
#include "codec/codec.h"
#include "engine/format.h"

/* The codecs of SequenceFiles: a class name in the header, and streams of which only the compressed size is known.
 * zlib (DefaultCodec), gzip, bzip2, plain zstd frames, and Hadoop's block framing around snappy, lz4 and lzo. */

struct seqfile_codec;

/* By the end of the class name, whatever its package is. name empty: the codec of version 4. NULL: ERR_UNSUPPORTED. */
const struct seqfile_codec *seqfile_codec_find(struct bytes name, struct err *err);

/* What a worker keeps from stream to stream. Zero-initialise, set codec. */
struct seqfile_unpacker {
    const struct seqfile_codec *codec;
    struct codec_ctx raw; /* of Hadoop's block framing */
    void *state;          /* the codec's own */
};

/* Appends the content of src to out, which may grow to limit bytes: more is ERR_LIMIT. All of src must be used. */
int seqfile_unpack(struct seqfile_unpacker *u, struct bytes src, size_t limit, struct buf *out, struct err *err);
void seqfile_unpacker_release(struct seqfile_unpacker *u);

/* The container of Hadoop's SequenceFile (SequenceFile.Reader), versions 4 to 6. Numbers are big-endian, vint is Hadoop's.
 *
 *   header := "SEQ" | u8 version | key class | value class | u8 compressed | u8 blocks | [v5+, compressed: codec class]
 *             | [v6+: i32 n, n pairs of strings] | 16 sync bytes                     string := vint length | UTF-8
 *   record := i32 length of key and value | i32 length of key | key | value            only the value is compressed
 *   block  := i32 -1 | sync | vint records | 4 x (vint length | compressed bytes)      lengths are vints, one a record
 *   sync   := i32 -1 | sync                                                            between records, now and then
 *
 * Everything is parsed out of bytes in memory and borrowed from them. Errors say what is wrong; the caller adds where. */

enum { SEQFILE_SYNC_BYTES = 16, SEQFILE_ESCAPE_BYTES = 4 + SEQFILE_SYNC_BYTES };

struct seqfile_header {
    unsigned version;
    bool compressed, blocks;
    struct bytes key_class, value_class, codec_class; /* printable ASCII; codec_class empty: version 4's only codec */
    uint8_t escape[SEQFILE_ESCAPE_BYTES];             /* -1 and the sync bytes, as between records */
    size_t bytes;
};

/* 1 = whole, 0 = in ends inside it, -1 = damaged, or of a version that is not read. */
int seqfile_header_parse(struct bytes in, struct seqfile_header *h, struct err *err);

enum seqfile_kind { SEQFILE_SYNC, SEQFILE_RECORD, SEQFILE_BLOCK };

struct seqfile_unit {
    enum seqfile_kind kind;
    size_t bytes;            /* all of it; when it is not whole, how many it takes at least */
    uint64_t records;        /* SYNC 0, RECORD 1, BLOCK as many as it says */
    struct bytes key, value; /* RECORD: the value as stored */
    struct bytes buffers[4]; /* BLOCK, as stored: lengths of keys, keys, lengths of values, values */
};

/* Parses the head of in. 1 = whole, 0 = in ends inside it (u->bytes), -1 = damaged. */
int seqfile_unit_parse(const struct seqfile_header *h, struct bytes in, struct seqfile_unit *u, struct err *err);

/* Where the first sync marker of `in` begins (with its -1), at or after `from`; in.n: none. */
size_t seqfile_sync_find(const struct seqfile_header *h, struct bytes in, size_t from);

/* The records of a stretch of a SequenceFile: whole units in sequence, each decompressed when it is reached. */

struct seqfile_record {
    struct bytes row, value; /* valid until the next record */
    uint64_t offset;         /* of the record, or of the block that holds it */
    uint64_t number;         /* of the record, counted on from the first one's */
};

struct seqfile_records {
    const struct seqfile_header *header;
    struct seqfile_unpacker unpacker;
    size_t limit;          /* most bytes of a value, or of a block, decompressed */
    struct bytes rest;     /* units to come */
    uint64_t offset;       /* of rest in the input */
    uint64_t unit_offset;  /* of the unit being read */
    uint64_t number;       /* of the first record of rest */
    struct buf plain[4];   /* the block's buffers; [3] is also a record's value */
    struct bytes block[4]; /* what is left of them */
    uint64_t in_block;     /* records that are left */
};

/* codec: NULL for a file without compression. data and header are borrowed. */
void seqfile_records_begin(struct seqfile_records *it, const struct seqfile_header *header, const struct seqfile_codec *codec,
                           size_t limit, struct bytes data, uint64_t offset, uint64_t number);
/* 1 = *out filled, 0 = no more, -1 = error that names the place in the file. After ERR_INPUT it can be called again and
 * continues after the damaged record or block; out->row then is the record's if that is known. */
int seqfile_records_next(struct seqfile_records *it, struct seqfile_record *out, struct err *err);
void seqfile_records_end(struct seqfile_records *it);

/* A SequenceFile of HBase's Export as a stream: its header, then chunks of whole records or blocks as they are in the file.
 * Where damage is to be skipped, a chunk may also be a stretch that was passed over, up to the next sync marker. */

struct seqfile_input {
    struct instream *in;
    const struct stop *stop;
    struct seqfile_header header; /* the names of its classes are gone once the file is open */
    const struct seqfile_codec *codec;
    struct buf carry; /* the start of a unit whose end has not been read yet */
    uint64_t offset;  /* of carry, or of the chunk being filled, in the content */
    uint64_t records; /* before carry */
    bool at_end;
    bool skips; /* damage */
    size_t chunk_bytes, limit;
};

/* Values of HBase's Export job. */
extern const char seqfile_result_class[];
/* Takes ownership of `in`, also on failure. Another class of values than this one is ERR_UNSUPPORTED. */
int seqfile_input_open(struct seqfile_input *s, struct instream *in, const char *value_class, const struct read_opts *o,
                       struct err *err);
/* 1, 0 = end, -1. Fills c->records. */
int seqfile_input_next(struct seqfile_input *s, struct chunk *c, struct err *err);
void seqfile_input_close(struct seqfile_input *s);

/* A small SequenceFile read pair by pair: rows, and values of one class. */

struct seqfile_pairs;
/* Takes ownership of `in`, also on failure. o: memory.max_block, stop. */
struct seqfile_pairs *seqfile_pairs_open(struct instream *in, const char *value_class, const struct read_opts *o,
                                         struct err *err);
/* 1 = filled (valid until the next call), 0 = end, -1 = error that names file and place. */
int seqfile_pairs_next(struct seqfile_pairs *p, struct bytes *row, struct bytes *value, struct err *err);
void seqfile_pairs_close(struct seqfile_pairs *p); /* NULL is fine */

/* The value of an exported record: a row's cells, in one of two forms.
 *   0.96 and later  varint length, protobuf Result: 1 repeated Cell, 2 associated_cell_count (hbase: ResultSerialization)
 *                   Cell: 1 row, 2 family, 3 qualifier, 4 timestamp, 5 type, 6 value, 7 tags; what is absent is empty
 *   up to 0.94      i32 total, then per cell i32 length and KeyValue bytes (Writable Result); no cells: 00000000
 * Each form gives its own length, so only one of the two can have the length of the value. */

struct hbase_result {
    struct bytes rest;
    size_t size; /* of the value: places in messages are counted from its start */
    bool writable;
    uint64_t cells, announced; /* taken so far; associated_cell_count */
};

struct result_cell {
    struct bytes row, family;
    struct cell cell; /* seq and rank are 0; a type that no byte holds is 0 */
};

/* Everything is borrowed from value. ERR_INPUT says what is wrong, without naming file or record. 0, -1. */
int hbase_result_open(struct hbase_result *r, struct bytes value, struct err *err);
/* 1 = *c filled, whatever its type and lengths are; 0 = no more; -1 = damaged. */
int hbase_result_next(struct hbase_result *r, struct result_cell *c, struct err *err);

#endif
