/* An output directory below a new one of /tmp, runs that publish families into it, and looks at what is there. */
#ifndef TESTS_UNIT_MADE_OUTDIR_H
#define TESTS_UNIT_MADE_OUTDIR_H

#include "flat_cells.h"

#include "base/fs.h"
#include "dataset/manifest.h"
#include "dataset/outdir.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
    char top[32], out[48];
    struct outdir o;
    bool cleaned;
};

static inline void begin(struct fixture *f) {
    *f = (struct fixture){.top = "/tmp/t_outdir.XXXXXX"};
    assert_non_null(mkdtemp(f->top));
    snprintf(f->out, sizeof f->out, "%s/a/out", f->top);
}

static inline void end(struct fixture *f) {
    struct err err = {0};
    assert_int_equal(fs_remove_tree(f->top, &err), 0);
}

static inline const char *in_out(const struct fixture *f, const char *name, char path[128]) {
    snprintf(path, 128, "%s/%s", f->out, name);
    return path;
}

static inline bool there(const struct fixture *f, const char *name) {
    char path[128];
    struct stat st;
    return lstat(in_out(f, name, path), &st) == 0;
}

/* Writes OUT/name with its directories. */
static inline void put(const struct fixture *f, const char *name, const char *text) {
    char path[128];
    struct err err = {0};
    in_out(f, name, path);
    char *slash = strrchr(path, '/');
    *slash = 0;
    assert_int_equal(fs_mkdirs(path, &err), 0);
    *slash = '/';
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static inline void expect_text(const struct fixture *f, const char *name, const char *want) {
    char path[128];
    struct err err = {0};
    size_t n;
    char *text = fs_read_text(in_out(f, name, path), 1 << 20, &n, &err);
    assert_string_equal(err.text, "");
    assert_string_equal(text, want);
    free(text);
}

static inline enum outdir_state look(const struct fixture *f) {
    enum outdir_state s = (enum outdir_state)77;
    struct err err = {0};
    assert_int_equal(outdir_look(f->out, &s, &err), 0);
    return s;
}

static inline void open_out(struct fixture *f) {
    struct err err = {0};
    f->cleaned = true;
    int rc = outdir_open(&f->o, f->out, &f->cleaned, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(rc, 0);
}

/* A manifest of a table with these families and no files. */
static inline char *manifest_of(const char *const *families, size_t n) {
    char tool[] = "t";
    struct manifest m = {.tool = tool, .settings = json_object()};
    struct err err = {0};
    assert_int_equal(table_handmade(&m.table, &err), 0);
    for (size_t i = 0; i < n; i++) assert_int_equal(table_add_family(&m.table, bytes_str(families[i]), &err), 0);
    char *text = manifest_print(&m, &err);
    assert_string_equal(err.text, "");
    m.tool = NULL;
    manifest_free(&m);
    return text;
}

static inline int publish(struct fixture *f, const char *const *families, size_t n, struct err *err) {
    char *text = manifest_of(families, n);
    int rc = outdir_publish(&f->o, (char *const *)(uintptr_t)families, n, text, err);
    free(text);
    return rc;
}

/* A whole run: each family gets a file with this text. */
static inline void run(struct fixture *f, const char *const *families, size_t n, const char *content) {
    struct err err = {0};
    char name[64];
    char *paths[8];
    open_out(f);
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, ".obkv/tmp/%s/p00000-000.hfile", families[i]);
        put(f, name, content);
        snprintf(name, sizeof name, "%s/p00000-000.hfile", families[i]);
        paths[i] = strdup(name);
    }
    assert_int_equal(outdir_sync_files(&f->o, paths, n, 2, &err), 0);
    for (size_t i = 0; i < n; i++) free(paths[i]);
    assert_int_equal(publish(f, families, n, &err), 0);
    assert_string_equal(err.text, "");
    outdir_close(&f->o);
}

#endif
