/* The codecs of SequenceFiles: a class name in the header, and streams of which only the compressed size is known. */
#ifndef FORMATS_SEQFILE_SEQFILE_CODEC_H
#define FORMATS_SEQFILE_SEQFILE_CODEC_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "codec/codec.h"

struct seqfile_codec;

/* Finds a codec by the end of the class name, whatever its package is. name empty: the codec of version 4. NULL:
 * ERR_UNSUPPORTED. */
const struct seqfile_codec *seqfile_codec_find(struct bytes name, struct err *err);

/* State that a worker keeps from stream to stream. Zero-initialise, set codec. */
struct seqfile_unpacker {
    const struct seqfile_codec *codec;
    struct codec_ctx raw; /* of Hadoop's block framing */
    void *state;          /* the codec's own */
};

/* Appends the content of src to out, which may grow to limit bytes: more is ERR_LIMIT. All of src must be used. */
int seqfile_unpack(struct seqfile_unpacker *u, struct bytes src, size_t limit, struct buf *out, struct err *err);
void seqfile_unpacker_release(struct seqfile_unpacker *u);

#endif
