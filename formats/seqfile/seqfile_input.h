/* A SequenceFile of HBase's Export as a stream: its header, then chunks of whole records or blocks as they lie in the file.
 * Where damage is to be skipped, a chunk may also be a stretch that was passed over, up to the next sync marker. */
#ifndef FORMATS_SEQFILE_SEQFILE_INPUT_H
#define FORMATS_SEQFILE_SEQFILE_INPUT_H

#include "engine/format.h"
#include "formats/seqfile/seqfile_codec.h"
#include "formats/seqfile/seqfile_frame.h"

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

/* chunk.b: what data is. */
enum seqfile_chunk { SEQFILE_UNITS, SEQFILE_LOST /* data: the reason as text; offset: of the first byte that was passed over */ };

/* Values of HBase's Export job. */
extern const char seqfile_result_class[];
/* Takes over `in` also when it fails. Another class of values than this one is ERR_UNSUPPORTED. */
int seqfile_input_open(struct seqfile_input *s, struct instream *in, const char *value_class, const struct read_opts *o,
                       struct err *err);
/* 1, 0 = end, -1. c->a: number of the first record. */
int seqfile_input_next(struct seqfile_input *s, struct chunk *c, struct err *err);
void seqfile_input_close(struct seqfile_input *s);

#endif
