/* The records of a stretch of a SequenceFile: whole units one behind the other, decompressed as they are come to. */
#ifndef FORMATS_SEQFILE_SEQFILE_RECORDS_H
#define FORMATS_SEQFILE_SEQFILE_RECORDS_H

#include "formats/seqfile/seqfile_codec.h"
#include "formats/seqfile/seqfile_frame.h"

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
/* 1 = *out filled, 0 = no more, -1 = error that names the place in the file. After ERR_INPUT it can be called again: it goes on
 * behind the record, or the block, that is damaged; out->row then is the record's if that is known. */
int seqfile_records_next(struct seqfile_records *it, struct seqfile_record *out, struct err *err);
void seqfile_records_end(struct seqfile_records *it);

#endif
