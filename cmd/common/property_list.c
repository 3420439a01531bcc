/* Named settings of HBase as texts, and the variables in them: a list keeps every name once, with the place it was given at,
 * so that messages can name it; ${name} is replaced once a list is complete, as Hadoop's Configuration replaces it when it is
 * asked. */
#include "base/buf.h"
#include "base/fs.h"
#include "cmd/common/property_list.h"

#include <stdlib.h>
#include <string.h>

static struct property *find_property(const struct property_list *l, const char *name) {
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->p[i].name, name)) return &l->p[i];
    return NULL;
}

const struct property *property_list_find(const struct property_list *l, const char *name) {
    return l ? find_property(l, name) : NULL;
}

static struct property *add_property(struct property_list *l, const char *name, struct err *err) {
    if (l->n == PROPERTY_LIST_MAX) {
        err_set(err, ERR_LIMIT, "more than %d settings", PROPERTY_LIST_MAX);
        return NULL;
    }
    if (grow_array(&l->p, l->n, sizeof *l->p, "settings", err)) return NULL;
    struct property *p = &l->p[l->n];
    *p = (struct property){.name = fs_printf(err, "%s", name)};
    if (!p->name) return NULL;
    l->n++;
    return p;
}

static int set(struct property *p, const char *value, const char *place, struct err *err) {
    char *v = fs_printf(err, "%s", value), *at = v ? fs_printf(err, "%s", place) : NULL;
    if (!at) {
        free(v);
        return -1;
    }
    free(p->value);
    free(p->place);
    p->value = v;
    p->place = at;
    return 0;
}

int property_list_put(struct property_list *l, const char *name, const char *value, const char *place, struct err *err) {
    struct property *p = find_property(l, name);
    if (p && p->final) return 0;
    if (!p) p = add_property(l, name, err);
    return p ? set(p, value, place, err) : -1;
}

void property_list_close(struct property_list *l, const char *name) {
    struct property *p = find_property(l, name);
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

enum { VARIABLES_MOST = 20, VALUE_MAX_BYTES = 1 << 20 };

struct var {
    size_t at, n; /* ${ … } */
    struct bytes name;
};

/* Finds a variable: at least one byte up to "}", without "$" and blanks. */
static bool find_var(struct bytes text, struct var *v) {
    for (size_t i = 0; i + 3 < text.n; i++) {
        if (text.p[i] != '$' || text.p[i + 1] != '{') continue;
        size_t from = i + 2, to = from;
        while (to < text.n && !memchr("}$ ", text.p[to], 3)) to++;
        if (to == text.n) return false;
        if (text.p[to] != '}' || to == from) continue;
        *v = (struct var){i, to + 1 - i, bytes_of(text.p + from, to - from)};
        return true;
    }
    return false;
}

/* Returns the value of a variable of the environment; NULL: it has none. Splits name at the first "-" or ":-". */
static const char *env_value(char *name, const char *(*env)(const char *name)) {
    char *dash = strchr(name, '-');
    if (!dash) return env(name);
    bool or_empty = dash > name && dash[-1] == ':';
    dash[or_empty ? -1 : 0] = '\0';
    const char *value = env(name);
    return value && (*value || !or_empty) ? value : dash + 1;
}

/* *value NULL: not known. Borrowed from name, too. */
static void look_up(const struct property_list *l, const char *(*env)(const char *name), char *name, const char **value) {
    const struct property *p;
    *value = NULL;
    if (!strncmp(name, "env.", 4) && name[4])
        *value = env_value(name + 4, env);
    else if ((p = property_list_find(l, name)) && *p->value)
        *value = p->value;
}

/* Puts value in the place of v. */
static int replace_variable(struct buf *text, const struct var *v, const char *value, struct err *err) {
    size_t n = strlen(value), behind = text->n - v->at - v->n;
    if (text->n + n > VALUE_MAX_BYTES) return err_set(err, ERR_LIMIT, "a value of more than %d bytes", VALUE_MAX_BYTES);
    if (buf_reserve(text, n, err)) return -1;
    memmove(text->p + v->at + n, text->p + v->at + v->n, behind);
    memcpy(text->p + v->at, value, n);
    text->n = v->at + n + behind;
    return 0;
}

/* 1 = one was replaced, 0 = no more is to be done, -1; *loops: the value names itself. */
static int replace_next(const struct property_list *l, const char *(*env)(const char *name), struct buf *text, bool *loops,
                        struct err *err) {
    struct var v;
    if (!find_var(buf_bytes(text), &v)) return 0;
    char *name = fs_printf(err, "%.*s", (int)v.name.n, (const char *)v.name.p);
    const char *value;
    if (!name) return -1;
    look_up(l, env, name, &value);
    *loops = value && memmem(value, strlen(value), text->p + v.at, v.n);
    int rc = !value || *loops ? 0 : replace_variable(text, &v, value, err) ? -1 : 1;
    free(name);
    return rc;
}

/* *out NULL: as it was. */
static int substitute(const struct property_list *l, const struct property *p, const char *(*env)(const char *name), char **out,
                      struct err *err) {
    struct buf text = {0};
    bool loops = false;
    int more = 1;
    *out = NULL;
    if (!strstr(p->value, "${")) return 0;
    int rc = buf_put(&text, p->value, strlen(p->value), err);
    for (unsigned i = 0; !rc && more == 1 && i < VARIABLES_MOST; i++) more = replace_next(l, env, &text, &loops, err);
    if (!rc && more == 1) more = err_set(err, ERR_USAGE, "more than %d variables in one value", VARIABLES_MOST);
    if (!rc && more < 0) rc = err_prefix(err, "%s: %s", p->place, p->name);
    if (!rc && !loops && !(*out = fs_printf(err, "%.*s", (int)text.n, (const char *)text.p))) rc = -1;
    buf_free(&text);
    return rc;
}

/* Every value is found out before the first one changes. */
int property_vars_substitute(struct property_list *l, const char *(*env)(const char *name), struct err *err) {
    char **values = calloc(l->n + 1, sizeof *values);
    int rc = values ? 0 : err_nomem(err, l->n * sizeof *values, "settings");
    for (size_t i = 0; !rc && i < l->n; i++) rc = substitute(l, &l->p[i], env, &values[i], err);
    for (size_t i = 0; values && i < l->n; i++) {
        if (rc || !values[i]) {
            free(values[i]);
            continue;
        }
        free(l->p[i].value);
        l->p[i].value = values[i];
    }
    free(values);
    return rc;
}
