#include "cmd/common/like.h"

#include "base/bytes.h"
#include "cmd/common/json_text.h"
#include "formats/hbase/store_files.h"
#include "hfile/hfile_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

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

/* A file does not say which block size it was written with; its blocks end just behind it. */
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

int like_read(const char *path, const struct input_opts *o, struct like *out, struct err *err) {
    struct stat st;
    struct store_files s = {0};
    struct input_opts mine = *o;
    enum tree_kind kind;
    *out = (struct like){0};
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) return like_file(path, o->job, out, err);
    if (tree_kind_of(path, &kind, err)) return err_prefix(err, "--like");
    if (kind != TREE_ROOT) mine.snapshot = NULL; /* it is about the inputs */
    int rc = input_read_store(path, &mine, &s, err);
    if (rc && s.n_problems) { /* files are missing; the descriptor is what is asked for */
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
        json_array_append_new(list, json_pack("{s:o, s:s, s:s, s:s, s:I, s:b}", "name", json_text(f->name), "codec", f->codec,
                                              "encoding", f->encoding, "bloom", f->bloom, "block_size",
                                              (json_int_t)f->block_bytes, "compress_tags", (int)f->tags_compressed));
    }
    return list;
}

void like_free(struct like *l) {
    free(l->families);
    *l = (struct like){0};
}
