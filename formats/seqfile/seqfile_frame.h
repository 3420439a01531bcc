/* The container of Hadoop's SequenceFile (SequenceFile.Reader), versions 4 to 6. Numbers are big-endian, vint is Hadoop's.
 *
 *   header := "SEQ" | u8 version | key class | value class | u8 compressed | u8 blocks | [v5+, compressed: codec class]
 *             | [v6+: i32 n, n pairs of strings] | 16 sync bytes                     string := vint length | UTF-8
 *   record := i32 length of key and value | i32 length of key | key | value            only the value is compressed
 *   block  := i32 -1 | sync | vint records | 4 x (vint length | compressed bytes)      lengths are vints, one a record
 *   sync   := i32 -1 | sync                                                            between records, now and then
 *
 * Everything is parsed out of bytes in memory and borrowed from them. Errors say what is wrong; the caller adds where. */
#ifndef FORMATS_SEQFILE_SEQFILE_FRAME_H
#define FORMATS_SEQFILE_SEQFILE_FRAME_H

#include "base/bytes.h"
#include "base/err.h"

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

/* What stands at the head of in. 1 = whole, 0 = in ends inside it (u->bytes), -1 = damaged. */
int seqfile_unit_parse(const struct seqfile_header *h, struct bytes in, struct seqfile_unit *u, struct err *err);

/* Where the first sync marker of `in` begins (with its -1), at or behind `from`; in.n: there is none. */
size_t seqfile_sync_find(const struct seqfile_header *h, struct bytes in, size_t from);

#endif
