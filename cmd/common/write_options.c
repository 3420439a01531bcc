/* Makes the settings by which cell files are written. Each comes from its option, else from the example of --like, family by
 * family, else it has a default; an example is kept in the words of the options, so both are parsed by the same code. */
#include "cmd/common/write_options.h"
#include "base/fs.h"

#include "base/bytes.h"
#include "cmd/common/output_text.h"
#include "codec/codec.h"
#include "engine/memory_plan.h"
#include "formats/hbase/descriptor.h"
#include "formats/hbase/shell_create.h"
#include "hfile/encoding.h"
#include "formats/hbase/store_files.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_writer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the example of --like ---- */

static void put_bloom(struct like_family *f, const char *kind, size_t n, uint32_t prefix) {
    if (n == strlen("ROWPREFIX_FIXED_LENGTH") && !memcmp(kind, "ROWPREFIX_FIXED_LENGTH", n))
        snprintf(f->bloom, sizeof f->bloom, prefix ? "prefix:%u" : "row", prefix);
    else
        snprintf(f->bloom, sizeof f->bloom, "%.*s", (int)n, kind);
}

static void of_descriptor(const struct hbase_family *from, struct like_family *f) {
    *f = (struct like_family){.block_bytes = from->block_bytes, .tags_compressed = from->compress_tags};
    snprintf(f->name, sizeof f->name, "%s", from->name);
    snprintf(f->codec, sizeof f->codec, "%s", from->compression);
    snprintf(f->encoding, sizeof f->encoding, "%s", from->encoding);
    put_bloom(f, from->bloom, strlen(from->bloom), from->bloom_prefix);
}

/* A file does not say which block size it was written with; its blocks end just after it. */
static uint64_t block_size(const struct hfile_info *info) {
    bool several = info->first_data_offset != info->last_data_offset;
    return several && info->encoding == HFILE_ENC_NONE && info->block_bytes >= 1024 ? info->block_bytes / 1024 * 1024 : 0;
}

static void of_file(const struct hfile *h, struct like_family *f) {
    const struct hfile_info *info = hfile_info(h);
    struct bytes kind = info->bloom_type_name, prefix = hfile_find(h, "BLOOM_FILTER_PARAM"),
                 packed = hfile_find(h, "hfile.TAGS_COMPRESSED");
    *f = (struct like_family){.block_bytes = block_size(info), .tags_compressed = packed.n == 1 && packed.p[0]};
    snprintf(f->codec, sizeof f->codec, "%s", hfile_codec_name(info->codec));
    snprintf(f->encoding, sizeof f->encoding, "%s", hfile_encoding_name(info->encoding));
    if (kind.n)
        put_bloom(f, (const char *)kind.p, kind.n, prefix.n == 4 ? be32(prefix.p) : 0);
    else
        snprintf(f->bloom, sizeof f->bloom, "none");
}

static int like_file(const char *path, const struct job *job, struct like *out, struct err *err) {
    struct hfile *h = hfile_open(path, job_block_limit(job, 1), err);
    if (!h) return err_prefix(err, "--like");
    out->families = calloc(1, sizeof *out->families);
    if (out->families) {
        out->n = 1;
        of_file(h, out->families);
    }
    hfile_close(h);
    return out->families ? 0 : err_nomem(err, sizeof *out->families, "--like");
}

/* Takes an example from a create statement. 1 taken, 0 the file is no create statement of HBase's shell. */
static int like_shell(const char *path, struct like *out, struct err *err) {
    struct hbase_table t;
    int rc = shell_create_read(path, &t, err);
    if (rc <= 0) return rc;
    out->families = calloc(t.n_families, sizeof *out->families);
    if (!out->families) rc = err_nomem(err, 0, "--like");
    for (uint32_t i = 0; rc == 1 && i < t.n_families; i++) of_descriptor(&t.families[i], &out->families[out->n++]);
    hbase_table_free(&t);
    return rc;
}

int like_read(const char *path, const struct input_opts *o, struct like *out, struct err *err) {
    struct stat st;
    struct store_files s = {0};
    struct input_opts mine = *o;
    enum tree_kind kind;
    *out = (struct like){0};
    const int there = fs_look(path, &st, err);
    if (there < 0) return err_prefix(err, "--like");
    if (there && S_ISREG(st.st_mode)) {
        int shell = like_shell(path, out, err);
        if (shell < 0) return err_prefix(err, "--like");
        return shell ? 0 : like_file(path, o->job, out, err);
    }
    if (tree_kind_of(path, &kind, err)) return err_prefix(err, "--like");
    if (kind != TREE_ROOT) mine.snapshot = NULL; /* it is about the inputs */
    struct backup_chain images;
    int rc = input_backup_dirs(path, kind, kind == TREE_BACKUPS ? mine.backup : NULL, &images, err);
    if (rc < 0) return err_prefix(err, "--like");
    rc = input_read_store(rc ? images.dirs[images.n - 1] : path, &mine, &s, err);
    backup_chain_free(&images);
    if (rc && s.n_problems && err->code == ERR_INPUT) { /* files are missing; the descriptor is what is asked for */
        *err = (struct err){0};
        rc = 0;
    }
    if (!rc && !(out->families = calloc(s.table.n_families + 1, sizeof *out->families))) rc = err_nomem(err, 0, "--like");
    for (uint32_t i = 0; !rc && i < s.table.n_families; i++) of_descriptor(&s.table.families[i], &out->families[out->n++]);
    store_files_free(&s);
    return rc ? err_prefix(err, "--like") : 0;
}

const struct like_family *like_of(const struct like *l, const char *family) {
    for (size_t i = 0; i < l->n; i++)
        if (!l->families[i].name[0] || !strcmp(l->families[i].name, family)) return &l->families[i];
    return NULL;
}

json_t *like_json(const struct like *l) {
    json_t *list = json_array();
    for (size_t i = 0; i < l->n; i++) {
        const struct like_family *f = &l->families[i];
        json_array_append_new(list, json_new(JSON("name", json_text(f->name)), JSON("codec", f->codec),
                                             JSON("encoding", f->encoding), JSON("bloom", f->bloom),
                                             JSON("block_size", f->block_bytes), JSON("compress_tags", f->tags_compressed)));
    }
    return list;
}

void like_free(struct like *l) {
    free(l->families);
    *l = (struct like){0};
}

/* ---- options ---- */

/* Names those that the build has found (codec/codec_*.c) and that can be written. */
static int refuse_codec(const char *text, struct err *err) {
    struct buf names = {0};
    int rc = buf_printf(&names, err, "none");
    for (size_t i = 0; codec_number(i) && !rc; i++)
        if (!codec_number(i)->decode_only) rc = buf_printf(&names, err, ", %s", codec_number(i)->name);
    for (size_t i = 0; i < names.n; i++) names.p[i] = (uint8_t)tolower(names.p[i]);
    if (!rc)
        rc = err_set(err, ERR_USAGE, "--codec '%s': there is no such codec; known codecs: %.*s", text, (int)names.n,
                     (const char *)names.p);
    buf_free(&names);
    return rc;
}

static int parse_codec(const char *text, struct hfile_write_opts *h, struct err *err) {
    char name[16];
    size_t n = strcspn(text, ":");
    char *end = NULL;
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), text);
    const struct codec *codec = codec_by_name(name);
    if (!codec) return refuse_codec(text, err);
    if (codec->decode_only)
        return err_set(err, ERR_USAGE, "--codec '%s': %s is read but not written: %s", text, codec->name, codec->decode_only);
    h->codec = (enum hfile_codec)codec->ordinal;
    if (!text[n]) return 0;
    if (!codec->level_max)
        return err_set(err, ERR_USAGE, "--codec '%s': %s has no levels; give --codec %s", text, codec->name, name);
    long level = strtol(text + n + 1, &end, 10);
    if (!text[n + 1] || *end || level < 1 || level > codec->level_max)
        return err_set(err, ERR_USAGE, "--codec '%s': levels of %s are 1 to %d", text, codec->name, codec->level_max);
    h->codec_level = (int)level;
    return 0;
}

/* Any that the build has found (hfile/encoding_*.c). */
static int parse_encoding(const char *text, struct hfile_write_opts *h, struct err *err) {
    char name[32] = "";
    for (size_t i = 0; text[i] && i < sizeof name - 1; i++)
        name[i] = text[i] >= 'a' && text[i] <= 'z' ? (char)(text[i] - 'a' + 'A') : text[i];
    const struct encoding *e = strlen(text) < sizeof name ? encoding_by_name(bytes_str(name)) : NULL;
    if (!e) return err_set(err, ERR_USAGE, "--encoding '%s': expected none, prefix, diff, fast_diff or row_index_v1", text);
    h->encoding = e->id;
    return 0;
}

/* A prefix that no row key can fill is a mistake: such a filter would be one of rows. */
static int check_prefix(const struct table *t, uint32_t prefix, struct err *err) {
    uint32_t longest = t->n_families ? 0 : ROW_MAX_BYTES;
    for (uint32_t i = 0; i < t->n_families; i++)
        if (t->families[i].k_max > longest) longest = t->families[i].k_max;
    if (prefix <= longest) return 0;
    return err_set(err, ERR_USAGE, "--set BLOOMFILTER=PREFIX:%u: row keys have at most %u bytes; give --set BLOOMFILTER=ROW",
                   prefix, longest);
}

static int parse_bloom(const char *text, const struct table *t, struct hfile_write_opts *h, struct err *err) {
    static const char *const names[] = {"none", "row", "rowcol"};
    static const enum hfile_bloom kinds[] = {HFILE_BLOOM_NONE, HFILE_BLOOM_ROW, HFILE_BLOOM_ROWCOL};
    for (size_t i = 0; i < countof(names); i++)
        if (!strcasecmp(text, names[i])) {
            h->bloom = kinds[i];
            return 0;
        }
    if (strncasecmp(text, "prefix", 6) || (text[6] && text[6] != ':'))
        return err_set(err, ERR_USAGE, "--set BLOOMFILTER=%s: expected NONE, ROW, ROWCOL or PREFIX:LENGTH", text);
    char *end = NULL;
    long n = text[6] ? strtol(text + 7, &end, 10) : 0;
    if (!text[6] || !text[7] || *end || n < 1 || n > ROW_MAX_BYTES)
        return err_set(err, ERR_USAGE, "--set BLOOMFILTER=%s: expected a length of 1 to %d bytes, such as PREFIX:8", text,
                       (int)ROW_MAX_BYTES);
    h->bloom = HFILE_BLOOM_PREFIX;
    h->bloom_prefix = (uint32_t)n;
    return check_prefix(t, h->bloom_prefix, err);
}

static int parse_seqs(const struct options *o, struct hfile_write_opts *h, struct err *err) {
    h->seqs = !strcasecmp(o->write.keep_seq, "yes");
    if (h->seqs || !strcasecmp(o->write.keep_seq, "no")) return 0;
    return err_set(err, ERR_USAGE, "keep-seq '%s': expected yes or no", o->write.keep_seq);
}

/* The option, else the example's word, else the default. */
static const char *word(const char *option, const char *like, const char *otherwise) {
    return option ? option : like && like[0] ? like : otherwise;
}

static int fill_write_opts(const struct write_env *env, const struct like_family *like, struct hfile_write_opts *h,
                           struct err *err) {
    const struct options *o = env->o;
    uint64_t block = o->write.block_size         ? o->write.block_size
                     : like && like->block_bytes ? like->block_bytes
                                                 : WRITE_BLOCK_BYTES;
    if (parse_codec(word(o->write.codec, like ? like->codec : NULL, WRITE_CODEC), h, err) ||
        parse_encoding(word(o->write.encoding, like ? like->encoding : NULL, WRITE_ENCODING), h, err) ||
        parse_bloom(word(o->write.bloom, like ? like->bloom : NULL, WRITE_BLOOM), env->table, h, err) || parse_seqs(o, h, err))
        return -1;
    if (o->write.compress_tags && !h->encoding)
        return err_set(err, ERR_USAGE, "--set COMPRESS_TAGS needs an --encoding other than none");
    h->tags_compressed = h->encoding && (o->write.compress_tags || (like && like->tags_compressed));
    if (block < 256 || block > 64 << 20) return err_set(err, ERR_USAGE, "--set BLOCKSIZE must be between 256 and 64M");
    h->block_bytes = (uint32_t)block;
    return 0;
}

int write_options_make(const struct write_env *env, const char *family, struct hfile_write_opts *out, struct err *err) {
    const struct like_family *like = family ? like_of(env->like, family) : NULL;
    *out = hfile_write_defaults();
    if (fill_write_opts(env, like, out, err)) {
        if (like && family[0]) err_prefix(err, "--like, family %s: override this setting with an option", family);
        if (like && !family[0]) err_prefix(err, "--like: override this setting with an option");
        return -1;
    }
    out->create_ms = out->bulkload_ms = env->now_ms;
    out->bulkload = true;
    out->bulkload_task = env->tool;
    return 0;
}
