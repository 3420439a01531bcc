/* The files of an export. Pieces come in order of family, partition and key and go to data/ or, where lines are very long, to
 * big/; a new file begins with a partition, and between two stretches once a file has reached its size. A packed piece is a
 * gzip member or zstd frame of its own, so pieces are packed side by side and written one after the other. */

#include "base/buf.h"
#include "base/fs.h"
#include "base/remote.h"
#include "cmd/text/export_files.h"
#include "cmd/oceanbase/export_deletes.h"
#include "cmd/oceanbase/export_file.h"
#define ZSTD_STATIC_LINKING_ONLY

#include <ctype.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

/* ---- names ---- */

enum { PART_MAX = 100 };

static void escape(const char *name, char out[PART_MAX + 1]) {
    size_t n = 0;
    for (const char *p = name; *p; p++) {
        unsigned char c = (unsigned char)*p;
        bool plain = (isalnum(c) && c < 0x80) || c == '_' || c == '-';
        if (n + (plain ? 1 : 3) > PART_MAX) {
            snprintf(out + PART_MAX - 16, 17, "%016llx", (unsigned long long)XXH3_64bits(name, strlen(name)));
            return;
        }
        n += (size_t)(plain ? snprintf(out + n, 2, "%c", c) : snprintf(out + n, 4, "%%%02X", c));
    }
    out[n] = 0;
}

char *export_name_make(const struct export_name *n, struct err *err) {
    char table[PART_MAX + 1], partition[PART_MAX + 1];
    escape(n->table, table);
    escape(n->partition, partition);
    return fs_printf(err, "%s/%s.%s.%05u-%03u.%s%s", n->directory, table, partition, n->index, n->number, n->form, n->packed);
}

char *export_name_pattern(const char *path, struct err *err) {
    return fs_printf(err, "%.*s.*", (int)strcspn(path, "."), path);
}

/* ---- packing ---- */

enum { GZIP_LEVEL = 1, ZSTD_LEVEL = 1, GZIP_MEMORY = 10 << 20 /* libdeflate has no query; levels above 9 take so much */ };

static const char *const extensions[] = {"", ".gz", ".zst"};

int export_pack_parse(const char *text, enum load_compression *kind, int *level, struct err *err) {
    char name[8] = {0};
    size_t n = strcspn(text, ":");
    *level = 0;
    *kind = LOAD_UNCOMPRESSED;
    if (n < sizeof name) memcpy(name, text, n);
    int found = load_compression_parse(name);
    if (found < 0) return err_set(err, ERR_USAGE, "--compress '%s': expected none, gzip or zstd", text);
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

/* ---- files ---- */

/* One file being written. */
struct export_open_file {
    struct outfile *out;
    struct export_file made;
    uint32_t next_number;
};

struct export_files {
    struct export_files_opts o;
    uint32_t family, partition;
    bool started;
    struct export_open_file open[2]; /* data, big */
    struct outfile *deletes;         /* of this partition; NULL: it had no marker so far */
    struct export_delete_file made;
    struct export_manifest list;
};

struct export_files *export_files_new(const struct export_files_opts *o, struct err *err) {
    static const char *const directories[] = {"data", "big", EXPORT_DELETES_DIR};
    struct export_files *f = calloc(1, sizeof *f);
    if (!f) {
        err_nomem(err, sizeof *f, "the output");
        return NULL;
    }
    f->o = *o;
    int rc = 0;
    for (size_t i = 0; !rc && i < countof(directories); i++) {
        char *path = fs_join(o->dir, directories[i], err);
        rc = path ? fs_mkdirs(path, err) : -1;
        free(path);
    }
    if (!rc) return f;
    export_files_free(f);
    return NULL;
}

static void drop_file(struct export_open_file *f) {
    outfile_close(f->out);
    free(f->made.path);
    buf_free(&f->made.first_key);
    buf_free(&f->made.last_key);
    f->out = NULL;
    f->made = (struct export_file){0};
}

void export_files_free(struct export_files *f) {
    if (!f) return;
    drop_file(&f->open[0]);
    drop_file(&f->open[1]);
    outfile_close(f->deletes);
    free(f->made.path);
    export_manifest_free(&f->list);
    free(f);
}

static int finish_file(struct export_files *f, bool big, struct err *err) {
    struct export_open_file *o = &f->open[big];
    if (!o->out) return 0;
    o->made.file_bytes = outfile_size(o->out);
    if (outfile_finish(o->out, o->made.checksum, err) || remote_put(outfile_path(o->out), err) ||
        export_manifest_add(&f->list, &o->made, err))
        return -1;
    o->made = (struct export_file){0};
    drop_file(o);
    return 0;
}

static int finish_deletes(struct export_files *f, struct err *err) {
    if (!f->deletes) return 0;
    f->made.file_bytes = outfile_size(f->deletes);
    if (outfile_finish(f->deletes, f->made.checksum, err) || export_deletes_add(&f->list.deletes, &f->made, err)) return -1;
    outfile_close(f->deletes);
    f->deletes = NULL;
    f->made = (struct export_delete_file){0};
    return 0;
}

int export_files_turn(struct export_files *f, uint32_t family, uint32_t partition, struct err *err) {
    bool same = f->started && f->family == family && f->partition == partition;
    for (int big = 0; big < 2; big++) {
        bool full = f->open[big].made.text_bytes >= f->o.target_bytes;
        if ((!same || full) && finish_file(f, big, err)) return -1;
        if (!same) f->open[big].next_number = 0;
    }
    if (!same && finish_deletes(f, err)) return -1;
    f->family = family;
    f->partition = partition;
    f->started = true;
    return 0;
}

static int begin_file(struct export_files *f, bool big, const struct export_piece *p, struct err *err) {
    struct export_open_file *o = &f->open[big];
    const struct family *family = &f->o.table->families[f->family];
    const struct export_name name = {.directory = big ? "big" : "data",
                                     .table = family->sql_table ? family->sql_table : family->name,
                                     .partition = f->o.table->partitioning.names[f->partition],
                                     .index = f->partition,
                                     .number = o->next_number,
                                     .form = f->o.form->name,
                                     .packed = export_pack_extension(f->o.compression)};
    o->made = (struct export_file){.family = f->family, .partition = f->partition, .number = o->next_number++, .big = big};
    if (!(o->made.path = export_name_make(&name, err)) || buf_copy(&o->made.first_key, buf_bytes(&p->first), err)) return -1;
    char *path = fs_join(f->o.dir, o->made.path, err);
    o->out = path ? outfile_create(path, f->o.quota, err) : NULL;
    free(path);
    if (!o->out) return -1;
    return f->o.head.n ? outfile_write(o->out, f->o.head.p, f->o.head.n, err) : 0;
}

int export_files_put(struct export_files *f, bool big, const struct export_piece *p, struct bytes packed, struct err *err) {
    struct export_open_file *o = &f->open[big];
    if (!p->text.n) return 0;
    if (!o->out && begin_file(f, big, p, err)) return -1;
    o->made.text_bytes += p->text.n;
    cell_sums_add(&o->made.sums, &p->sums);
    if (buf_copy(&o->made.last_key, buf_bytes(&p->last), err)) return -1;
    return outfile_write(o->out, packed.p, packed.n, err);
}

static int begin_deletes(struct export_files *f, struct err *err) {
    const struct export_name name = {.directory = EXPORT_DELETES_DIR,
                                     .table = f->o.table->families[f->family].sql_table,
                                     .partition = f->o.table->partitioning.names[f->partition],
                                     .index = f->partition,
                                     .form = "sql",
                                     .packed = ""};
    f->made = (struct export_delete_file){.family = f->family, .partition = f->partition};
    f->made.path = export_name_make(&name, err);
    char *path = f->made.path ? fs_join(f->o.dir, f->made.path, err) : NULL;
    f->deletes = path ? outfile_create(path, f->o.quota, err) : NULL;
    free(path);
    return f->deletes ? outfile_write(f->deletes, f->o.deletes_head.p, f->o.deletes_head.n, err) : -1;
}

int export_files_put_deletes(struct export_files *f, struct bytes statements, const struct delete_batch *b, struct err *err) {
    if (!f->deletes && begin_deletes(f, err)) return -1;
    f->made.statements += b->statements;
    for (unsigned t = 0; t < DELETE_TYPES; t++) f->made.markers[t] += b->markers[t];
    return outfile_write(f->deletes, statements.p, statements.n, err);
}

int export_files_finish(struct export_files *f, struct export_manifest *m, struct err *err) {
    if (finish_file(f, false, err) || finish_file(f, true, err) || finish_deletes(f, err)) return -1;
    m->deletes = f->list.deletes;
    m->files = f->list.files;
    m->n_files = f->list.n_files;
    f->list = (struct export_manifest){0};
    export_manifest_sort(m);
    export_deletes_sort(&m->deletes);
    return 0;
}
