/* How files are written, as callers say it: single files, and those of datasets. Codecs, encodings and bloom filters have
 * HBase's names, and are looked up in the tables that the programs use. */
#include "api/api_write_opts.h"

#include "codec/codec.h"
#include "hfile/bloom.h"
#include "hfile/encoding.h"
#include "hfile/hfile_writer.h"

#include <string.h>

enum { THREADS_MAX = 1024 };

static int codec_of(const char *name, int level, struct hfile_write_opts *o, struct err *err) {
    const struct codec *codec = codec_by_name(name);
    if (!codec) return err_set(err, ERR_USAGE, "there is no codec %s", name);
    if (codec->decode_only) return err_set(err, ERR_UNSUPPORTED, "codec %s is not written: %s", codec->name, codec->decode_only);
    if (level < 0 || level > codec->level_max)
        return err_set(err, ERR_USAGE, "codec %s has no level %d: 0 to %d are possible", codec->name, level, codec->level_max);
    o->codec = (enum hfile_codec)codec->ordinal;
    o->codec_level = level;
    return 0;
}

static int encoding_of(const char *name, struct hfile_write_opts *o, struct err *err) {
    const struct encoding *e = encoding_by_name(bytes_str(name));
    bool plain = !strcmp(name, "NONE");
    if (!plain && (!e || !e->encode)) return err_set(err, ERR_USAGE, "there is no data block encoding %s", name);
    o->encoding = plain ? HFILE_ENC_NONE : e->id;
    return 0;
}

static int bloom_of(const sst_writer_options *given, struct hfile_write_opts *o, struct err *err) {
    if (given->bloom && !bloom_kind_by_name(bytes_str(given->bloom), &o->bloom))
        return err_set(err, ERR_USAGE, "there is no bloom filter %s", given->bloom);
    o->bloom_prefix = given->bloom_prefix_bytes;
    if (o->bloom == HFILE_BLOOM_PREFIX && (o->bloom_prefix < 1 || o->bloom_prefix > BLOOM_PREFIX_MAX))
        return err_set(err, ERR_USAGE, "bloom_prefix_bytes %u: 1 to %d are possible", o->bloom_prefix, (int)BLOOM_PREFIX_MAX);
    return 0;
}

int api_write_opts(const sst_writer_options *given, struct hfile_write_opts *o, struct err *err) {
    *o = hfile_write_defaults();
    if (given->threads > THREADS_MAX) return err_set(err, ERR_USAGE, "%u threads: at most %d", given->threads, THREADS_MAX);
    if (codec_of(given->codec ? given->codec : "SNAPPY", given->codec_level, o, err)) return -1;
    if (given->encoding && encoding_of(given->encoding, o, err)) return -1;
    if (bloom_of(given, o, err)) return -1;
    if (given->block_bytes) o->block_bytes = given->block_bytes;
    o->tags = !given->no_tags;
    o->tags_compressed = given->compress_tags != 0;
    o->mvcc = o->seqs = !given->no_sequences;
    o->create_ms = given->create_time;
    o->bulkload = given->bulkload_time != 0;
    o->bulkload_ms = given->bulkload_time;
    return 0;
}
