#include "cmd/common/write_options.h"

#include "codec/codec.h"
#include "hfile/hfile_reader.h"

#include <stdlib.h>
#include <string.h>

static int parse_codec(const char *text, struct hfile_write_opts *h, struct err *err) {
    char name[16];
    size_t n = strcspn(text, ":");
    char *end = NULL;
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), text);
    const struct codec *codec = codec_by_name(name);
    if (!codec) return err_set(err, ERR_USAGE, "--codec '%s': none, gz, snappy, lz4, zstd or brotli is expected", text);
    if (codec->decode_only)
        return err_set(err, ERR_USAGE, "--codec '%s': %s is read but not written: %s", text, codec->name, codec->decode_only);
    h->codec = (enum hfile_codec)codec->ordinal;
    if (!text[n]) return 0;
    if (!codec->level_max)
        return err_set(err, ERR_USAGE, "--codec '%s': %s has no levels, write --codec %s", text, codec->name, name);
    long level = strtol(text + n + 1, &end, 10);
    if (!text[n + 1] || *end || level < 1 || level > codec->level_max)
        return err_set(err, ERR_USAGE, "--codec '%s': levels of %s are 1 to %d", text, codec->name, codec->level_max);
    h->codec_level = (int)level;
    return 0;
}

static int parse_encoding(const char *text, struct hfile_write_opts *h, struct err *err) {
    static const enum hfile_encoding kinds[] = {HFILE_ENC_NONE, HFILE_ENC_PREFIX, HFILE_ENC_DIFF, HFILE_ENC_FAST_DIFF,
                                                HFILE_ENC_ROW_INDEX_V1};
    for (size_t i = 0; i < countof(kinds); i++)
        if (!strcasecmp(text, hfile_encoding_name(kinds[i]))) return h->encoding = kinds[i], 0;
    return err_set(err, ERR_USAGE, "--encoding '%s': none, prefix, diff, fast_diff or row_index_v1 is expected", text);
}

/* A prefix that no row key can fill is a mistake: such a filter would be one of rows. */
static int check_prefix(const struct table *t, uint32_t prefix, struct err *err) {
    uint32_t longest = t->n_families ? 0 : ROW_MAX_BYTES;
    for (uint32_t i = 0; i < t->n_families; i++)
        if (t->families[i].k_max > longest) longest = t->families[i].k_max;
    if (prefix <= longest) return 0;
    return err_set(err, ERR_USAGE, "--bloom prefix:%u: row keys have at most %u bytes, use --bloom row", prefix, longest);
}

static int parse_bloom(const char *text, const struct table *t, struct hfile_write_opts *h, struct err *err) {
    static const char *const names[] = {"none", "row", "rowcol"};
    static const enum hfile_bloom kinds[] = {HFILE_BLOOM_NONE, HFILE_BLOOM_ROW, HFILE_BLOOM_ROWCOL};
    for (size_t i = 0; i < countof(names); i++)
        if (!strcasecmp(text, names[i])) return h->bloom = kinds[i], 0;
    if (strncasecmp(text, "prefix", 6) || (text[6] && text[6] != ':'))
        return err_set(err, ERR_USAGE, "--bloom '%s': none, row, rowcol or prefix:LENGTH is expected", text);
    char *end = NULL;
    long n = text[6] ? strtol(text + 7, &end, 10) : 0;
    if (!text[6] || !text[7] || *end || n < 1 || n > ROW_MAX_BYTES)
        return err_set(err, ERR_USAGE, "--bloom '%s': a length of 1 to %d bytes is expected, such as prefix:8", text,
                       (int)ROW_MAX_BYTES);
    h->bloom = HFILE_BLOOM_PREFIX;
    h->bloom_prefix = (uint32_t)n;
    return check_prefix(t, h->bloom_prefix, err);
}

static int parse_seqs(const struct options *o, struct hfile_write_opts *h, struct err *err) {
    h->seqs = !strcasecmp(o->write.keep_seq, "yes");
    if (h->seqs || !strcasecmp(o->write.keep_seq, "no")) return 0;
    return err_set(err, ERR_USAGE, "--keep-seq '%s': yes or no is expected", o->write.keep_seq);
}

/* The option, else the example's word, else the default. */
static const char *word(const char *option, const char *like, const char *otherwise) {
    return option ? option : like && like[0] ? like : otherwise;
}

static int fill(const struct write_env *env, const struct like_family *like, struct hfile_write_opts *h, struct err *err) {
    const struct options *o = env->o;
    uint64_t block = o->write.block_size         ? o->write.block_size
                     : like && like->block_bytes ? like->block_bytes
                                                 : WRITE_BLOCK_BYTES;
    if (parse_codec(word(o->write.codec, like ? like->codec : NULL, "snappy"), h, err) ||
        parse_encoding(word(o->write.encoding, like ? like->encoding : NULL, "none"), h, err) ||
        parse_bloom(word(o->write.bloom, like ? like->bloom : NULL, "row"), env->table, h, err) || parse_seqs(o, h, err))
        return -1;
    if (o->write.compress_tags && !h->encoding) return err_set(err, ERR_USAGE, "--compress-tags needs an --encoding");
    h->tags_compressed = h->encoding && (o->write.compress_tags || (like && like->tags_compressed));
    if (block < 256 || block > 64 << 20) return err_set(err, ERR_USAGE, "--block-size must lie between 256 and 64M");
    h->block_bytes = (uint32_t)block;
    return 0;
}

int write_options_make(const struct write_env *env, const char *family, struct hfile_write_opts *out, struct err *err) {
    const struct like_family *like = family ? like_of(env->like, family) : NULL;
    *out = hfile_write_defaults();
    if (fill(env, like, out, err)) {
        if (like && family[0]) err_prefix(err, "--like, family %s: beat it with an option", family);
        if (like && !family[0]) err_prefix(err, "--like: beat it with an option");
        return -1;
    }
    out->create_ms = out->bulkload_ms = env->now_ms;
    out->bulkload = true;
    out->bulkload_task = env->tool;
    return 0;
}
