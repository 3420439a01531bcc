#include "cmd/split/simulate/property_list.h"

#include "base/buf.h"
#include "base/fs.h"

#include <stdlib.h>
#include <string.h>

static struct property *find(const struct property_list *l, const char *name) {
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->p[i].name, name)) return &l->p[i];
    return NULL;
}

const struct property *property_list_find(const struct property_list *l, const char *name) {
    return l ? find(l, name) : NULL;
}

static struct property *add(struct property_list *l, const char *name, struct err *err) {
    if (l->n == PROPERTY_LIST_MAX) return err_set(err, ERR_LIMIT, "more than %d settings", PROPERTY_LIST_MAX), NULL;
    if (grow_array(&l->p, l->n, sizeof *l->p, "settings", err)) return NULL;
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

int property_list_put(struct property_list *l, const char *name, const char *value, const char *place, struct err *err) {
    struct property *p = find(l, name);
    if (p && p->final) return 0;
    if (!p) p = add(l, name, err);
    return p ? set(p, value, place, err) : -1;
}

void property_list_close(struct property_list *l, const char *name) {
    struct property *p = find(l, name);
    if (p) p->final = true;
}

void property_list_free(struct property_list *l) {
    for (size_t i = 0; i < l->n; i++) {
        free(l->p[i].name);
        free(l->p[i].value);
        free(l->p[i].place);
    }
    free(l->p);
    *l = (struct property_list){0};
}
