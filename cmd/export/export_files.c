#include "cmd/export/export_files.h"

#include "base/fs.h"
#include "cmd/export/export_name.h"
#include "cmd/export/export_pack.h"

#include <stdlib.h>

/* One file being written. */
struct open_file {
    struct outfile *out;
    struct export_file made;
    uint32_t next_number;
};

struct export_files {
    struct export_files_opts o;
    uint32_t family, partition;
    bool started;
    struct open_file open[2]; /* data, big */
    struct export_manifest list;
};

struct export_files *export_files_new(const struct export_files_opts *o, struct err *err) {
    static const char *const folders[] = {"data", "big"};
    struct export_files *f = calloc(1, sizeof *f);
    if (!f) return err_nomem(err, sizeof *f, "the output"), NULL;
    f->o = *o;
    int rc = 0;
    for (size_t i = 0; !rc && i < countof(folders); i++) {
        char *path = fs_join(o->dir, folders[i], err);
        rc = path ? fs_mkdirs(path, err) : -1;
        free(path);
    }
    if (!rc) return f;
    export_files_free(f);
    return NULL;
}

static void drop(struct open_file *f) {
    outfile_close(f->out);
    free(f->made.path);
    buf_free(&f->made.first_key);
    buf_free(&f->made.last_key);
    f->out = NULL;
    f->made = (struct export_file){0};
}

void export_files_free(struct export_files *f) {
    if (!f) return;
    drop(&f->open[0]);
    drop(&f->open[1]);
    export_manifest_free(&f->list);
    free(f);
}

static int finish(struct export_files *f, bool big, struct err *err) {
    struct open_file *o = &f->open[big];
    if (!o->out) return 0;
    o->made.file_bytes = outfile_size(o->out);
    if (outfile_finish(o->out, o->made.checksum, err) || export_manifest_add(&f->list, &o->made, err)) return -1;
    o->made = (struct export_file){0};
    drop(o);
    return 0;
}

int export_files_turn(struct export_files *f, uint32_t family, uint32_t partition, struct err *err) {
    bool same = f->started && f->family == family && f->partition == partition;
    for (int big = 0; big < 2; big++) {
        bool full = f->open[big].made.text_bytes >= f->o.target_bytes;
        if ((!same || full) && finish(f, big, err)) return -1;
        if (!same) f->open[big].next_number = 0;
    }
    f->family = family;
    f->partition = partition;
    f->started = true;
    return 0;
}

static int begin(struct export_files *f, bool big, const struct export_piece *p, struct err *err) {
    struct open_file *o = &f->open[big];
    const struct family *family = &f->o.table->families[f->family];
    const struct export_name name = {.folder = big ? "big" : "data",
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
    struct open_file *o = &f->open[big];
    if (!p->text.n) return 0;
    if (!o->out && begin(f, big, p, err)) return -1;
    o->made.text_bytes += p->text.n;
    cell_sums_add(&o->made.sums, &p->sums);
    if (buf_copy(&o->made.last_key, buf_bytes(&p->last), err)) return -1;
    return outfile_write(o->out, packed.p, packed.n, err);
}

int export_files_finish(struct export_files *f, struct export_manifest *m, struct err *err) {
    if (finish(f, false, err) || finish(f, true, err)) return -1;
    m->files = f->list.files;
    m->n_files = f->list.n_files;
    f->list = (struct export_manifest){0};
    export_manifest_sort(m);
    return 0;
}
