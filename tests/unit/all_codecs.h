/* The codecs and encodings that tests call by name. */
#ifndef UNIT_ALL_CODECS_H
#define UNIT_ALL_CODECS_H

#include "codec/codec.h"
#include "hfile/encoding.h"

extern const struct codec codec_lzo, codec_gz, codec_snappy, codec_lz4, codec_bzip2, codec_zstd, codec_lzma, codec_brotli;
extern const struct encoding encoding_prefix, encoding_diff, encoding_fast_diff, encoding_row_index;

#endif
