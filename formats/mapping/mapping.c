/* A mapping once it is loaded: which of its sources a file belongs to (shell patterns over its path), and its release. Loading
 * is in mapping_parse.c. */

#include "formats/mapping/expr_run.h"
#include "formats/mapping/mapping.h"

#include "base/unpack.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int mapping_error(const struct mapping *m, const struct json_place *at, struct err *err, const char *fmt, ...) {
    enum { PATH_SHOWN_BYTES = 200 };
    char text[800];
    struct buf path = {0};
    struct err none = {0};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    (void)json_place_print(at, &path, &none);
    err_set(err, ERR_USAGE, "%s:%zu: %.*s: %s", m->path, json_place_line(m->text, at),
            (int)(path.n > PATH_SHOWN_BYTES ? PATH_SHOWN_BYTES : path.n), path.n ? (char *)path.p : "", text);
    buf_free(&path);
    return -1;
}

int mapping_check_keys(const struct mapping *m, const json_t *object, const struct json_place *at, const char *names,
                       struct err *err) {
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)object, key, v) {
        size_t n = strcspn(key, " ");
        bool known = false;
        for (const char *q = names; n && !known && (q = strstr(q, key)); q++)
            known = !key[n] && (q == names || q[-1] == ' ') && (q[n] == ' ' || !q[n]);
        struct json_place here = json_place_key(at, key);
        if (!known) return mapping_error(m, &here, err, "there is no such key here; known keys: %s", names);
    }
    return 0;
}

static void free_cell(struct mapping_cell *c) {
    expr_free(c->family);
    expr_free(c->qualifier);
    expr_free(c->value);
    expr_free(c->timestamp);
    expr_free(c->when);
    expr_free(c->type);
    expr_free(c->each);
    free(c->label);
}

static void free_row(struct mapping_row *r) {
    for (uint32_t i = 0; i < r->n_cells; i++) free_cell(&r->cells[i]);
    free(r->cells);
    expr_free(r->key);
    expr_free(r->timestamp);
    expr_free(r->ttl);
    expr_free(r->when);
}

static void free_source(struct mapping_source *s) {
    for (uint32_t i = 0; i < s->n_rows; i++) free_row(&s->rows[i]);
    for (uint32_t i = 0; i < s->n_fields; i++) {
        free((uint8_t *)s->fields[i].name.p);
        free(s->fields[i].places);
    }
    free(s->rows);
    free(s->fields);
    free(s->met);
    free((uint8_t *)s->rows_at.p);
    free(s->files);
    free(s->columns);
}

void mapping_free(struct mapping *m) {
    if (!m) return;
    for (uint32_t i = 0; i < m->n_sources; i++) free_source(&m->sources[i]);
    for (uint32_t i = 0; i < m->n_tables; i++) lookup_table_free(&m->tables[i].table);
    free(m->sources);
    free(m->path);
    free((uint8_t *)m->text.p);
    json_decref(m->json);
    buf_free(&m->warnings);
    free(m);
}

/* A pattern without a slash is about the last part of the path; with one it is about its end. */
static bool fits_text(const char *pattern, const char *path) {
    const char *slash = strrchr(path, '/'), *inside = strrchr(path, '!'); /* ARCHIVE!member */
    if (!strchr(pattern, '/')) return !fnmatch(pattern, inside > slash ? inside + 1 : slash ? slash + 1 : path, 0);
    for (const char *p = path; p; p = strchr(p, '/'), p += p != NULL)
        if (!fnmatch(pattern, p, FNM_PATHNAME)) return true;
    return false;
}

static bool fits(const char *pattern, const char *path) {
    size_t n = unpack_plain_length(path);
    char plain[4096];
    if (fits_text(pattern, path)) return true;
    if (!path[n] || n >= sizeof plain) return false;
    memcpy(plain, path, n);
    plain[n] = 0;
    return fits_text(pattern, plain);
}

const struct mapping_source *mapping_source_of(const struct mapping *m, const char *path) {
    for (uint32_t i = 0; i < m->n_sources; i++) {
        const struct mapping_source *s = &m->sources[i];
        for (size_t k = 0; k < s->n_files; k++)
            if (fits(s->files[k], path)) return s;
        if (!s->n_files) return s;
    }
    return NULL;
}
