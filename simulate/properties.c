#include "simulate/properties.h"

#include "base/fs.h"

#include <stdlib.h>
#include <string.h>

static struct property *find(const struct properties *l, const char *name) {
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->p[i].name, name)) return &l->p[i];
    return NULL;
}

const struct property *properties_find(const struct properties *l, const char *name) {
    return l ? find(l, name) : NULL;
}

static struct property *add(struct properties *l, const char *name, struct err *err) {
    if (l->n == PROPERTIES_MAX) return err_set(err, ERR_LIMIT, "more than %d settings", PROPERTIES_MAX), NULL;
    if (l->n == l->cap) {
        size_t cap = l->cap ? 2 * l->cap : 16;
        struct property *p = realloc(l->p, cap * sizeof *p);
        if (!p) return err_nomem(err, cap * sizeof *p, "settings"), NULL;
        l->p = p;
        l->cap = cap;
    }
    struct property *p = &l->p[l->n];
    *p = (struct property){.name = fs_printf(err, "%s", name)};
    if (!p->name) return NULL;
    l->n++;
    return p;
}

static int set(struct property *p, const char *value, const char *place, struct err *err) {
    char *v = fs_printf(err, "%s", value), *at = v ? fs_printf(err, "%s", place) : NULL;
    if (!at) return free(v), -1;
    free(p->value);
    free(p->place);
    p->value = v;
    p->place = at;
    return 0;
}

int properties_put(struct properties *l, const char *name, const char *value, const char *place, struct err *err) {
    struct property *p = find(l, name);
    if (p && p->final) return 0;
    if (!p) p = add(l, name, err);
    return p ? set(p, value, place, err) : -1;
}

void properties_free(struct properties *l) {
    for (size_t i = 0; i < l->n; i++) {
        free(l->p[i].name);
        free(l->p[i].value);
        free(l->p[i].place);
    }
    free(l->p);
    *l = (struct properties){0};
}
