/* The container of Hadoop's SequenceFile, versions 4 to 6. All is parsed out of bytes in memory and borrowed from them. */
#ifndef FORMATS_SEQFILE_SEQFILE_FRAME_H
#define FORMATS_SEQFILE_SEQFILE_FRAME_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "formats/seqfile/seqfile_codec.h"

struct seqfile_codec;

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

/* Returns where the first sync marker of `in` begins (with its -1), at or after `from`; in.n: none. */
size_t seqfile_sync_find(const struct seqfile_header *h, struct bytes in, size_t from);

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

#endif
