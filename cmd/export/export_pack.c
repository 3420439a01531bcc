#include "cmd/export/export_pack.h"

#include <libdeflate.h>
#include <stdlib.h>
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

enum { GZIP_LEVEL = 1, ZSTD_LEVEL = 1, GZIP_MEMORY = 10 << 20 /* libdeflate has no query; levels above 9 take so much */ };

static const char *const extensions[] = {"", ".gz", ".zst"};

int export_pack_parse(const char *text, enum load_compression *kind, int *level, struct err *err) {
    char name[8] = {0};
    size_t n = strcspn(text, ":");
    *level = 0;
    *kind = LOAD_UNCOMPRESSED;
    if (n < sizeof name) memcpy(name, text, n);
    int found = load_compression_parse(name);
    if (found < 0) return err_set(err, ERR_USAGE, "--compress '%s': none, gzip or zstd is expected", text);
    *kind = (enum load_compression)found;
    if (!text[n]) return 0;
    char *end;
    long v = strtol(text + n + 1, &end, 10);
    int max = *kind == LOAD_GZIP ? 12 : 19;
    if (*kind == LOAD_UNCOMPRESSED || *end || end == text + n + 1 || v < 1 || v > max)
        return err_set(err, ERR_USAGE, "--compress '%s': gzip has levels 1 to 12, zstd 1 to 19", text);
    *level = (int)v;
    return 0;
}

struct export_pack export_pack_make(enum load_compression kind, int level) {
    return (struct export_pack){.kind = kind, .level = level ? level : kind == LOAD_GZIP ? GZIP_LEVEL : ZSTD_LEVEL};
}

static int gzip(struct export_pack *p, struct bytes in, struct err *err) {
    if (!p->ctx && !(p->ctx = libdeflate_alloc_compressor(p->level))) return err_nomem(err, GZIP_MEMORY, "a gzip compressor");
    size_t bound = libdeflate_gzip_compress_bound(p->ctx, in.n);
    if (buf_reserve(&p->out, bound, err)) return -1;
    p->out.n = libdeflate_gzip_compress(p->ctx, in.p, in.n, p->out.p, bound);
    return p->out.n ? 0 : err_set(err, ERR_INTERNAL, "gzip: %zu bytes do not fit the computed bound", in.n);
}

static int zstd(struct export_pack *p, struct bytes in, struct err *err) {
    if (!p->ctx && !(p->ctx = ZSTD_createCCtx())) return err_nomem(err, 0, "a zstd compressor");
    size_t bound = ZSTD_compressBound(in.n);
    if (buf_reserve(&p->out, bound, err)) return -1;
    size_t n = ZSTD_compressCCtx(p->ctx, p->out.p, bound, in.p, in.n, p->level);
    if (ZSTD_isError(n)) return err_set(err, ERR_LIMIT, "zstd: cannot compress %zu bytes: %s", in.n, ZSTD_getErrorName(n));
    p->out.n = n;
    return 0;
}

int export_pack_run(struct export_pack *p, struct bytes in, struct bytes *out, struct err *err) {
    *out = in;
    if (p->kind == LOAD_UNCOMPRESSED || !in.n) return 0;
    buf_clear(&p->out);
    if (p->kind == LOAD_GZIP ? gzip(p, in, err) : zstd(p, in, err)) return -1;
    *out = buf_bytes(&p->out);
    return 0;
}

void export_pack_free(struct export_pack *p) {
    if (p->kind == LOAD_GZIP) libdeflate_free_compressor(p->ctx);
    if (p->kind == LOAD_ZSTD) ZSTD_freeCCtx(p->ctx);
    buf_free(&p->out);
    *p = (struct export_pack){0};
}

size_t export_pack_memory(enum load_compression kind, int level, size_t piece_bytes) {
    struct export_pack p = export_pack_make(kind, level);
    if (kind == LOAD_UNCOMPRESSED) return 0;
    return 2 * piece_bytes + (kind == LOAD_GZIP ? GZIP_MEMORY : ZSTD_estimateCCtxSize(p.level));
}

const char *export_pack_extension(enum load_compression kind) {
    return extensions[kind];
}
