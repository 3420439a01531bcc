/* A SequenceFile of HBase's Export as a stream of chunks of whole records or blocks. */
#ifndef FORMATS_SEQFILE_SEQFILE_INPUT_H
#define FORMATS_SEQFILE_SEQFILE_INPUT_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/stop.h"
#include "engine/format.h"
#include "engine/read_opts.h"
#include "formats/seqfile/seqfile_frame.h"

struct seqfile_codec;

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
/* Takes the next chunk. 1, 0 = end, -1. Fills c->records. */
int seqfile_input_next(struct seqfile_input *s, struct chunk *c, struct err *err);
void seqfile_input_close(struct seqfile_input *s);

struct seqfile_pairs;
/* Takes ownership of `in`, also on failure. o: memory.max_block, stop. */
struct seqfile_pairs *seqfile_pairs_open(struct instream *in, const char *value_class, const struct read_opts *o,
                                         struct err *err);
/* 1 = filled (valid until the next call), 0 = end, -1 = error that names file and place. */
int seqfile_pairs_next(struct seqfile_pairs *p, struct bytes *row, struct bytes *value, struct err *err);
void seqfile_pairs_close(struct seqfile_pairs *p); /* NULL is fine */

#endif
