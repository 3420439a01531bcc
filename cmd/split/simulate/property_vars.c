#include "cmd/split/simulate/property_vars.h"

#include "base/buf.h"
#include "base/fs.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 20, VALUE_MAX_BYTES = 1 << 20 };

struct var {
    size_t at, n; /* ${ … } */
    struct bytes name;
};

/* Up to "}" stand neither "$" nor a blank, and at least one byte. */
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

/* NULL: it has none. Splits name at the first "-" or ":-". */
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
static int replace(struct buf *text, const struct var *v, const char *value, struct err *err) {
    size_t n = strlen(value), behind = text->n - v->at - v->n;
    if (text->n + n > VALUE_MAX_BYTES) return err_set(err, ERR_LIMIT, "a value of more than %d bytes", VALUE_MAX_BYTES);
    if (buf_reserve(text, n, err)) return -1;
    memmove(text->p + v->at + n, text->p + v->at + v->n, behind);
    memcpy(text->p + v->at, value, n);
    text->n = v->at + n + behind;
    return 0;
}

/* 1 = one was replaced, 0 = no more is to be done, -1; *loops: the value names itself. */
static int step(const struct property_list *l, const char *(*env)(const char *name), struct buf *text, bool *loops,
                struct err *err) {
    struct var v;
    if (!find_var(buf_bytes(text), &v)) return 0;
    char *name = fs_printf(err, "%.*s", (int)v.name.n, (const char *)v.name.p);
    const char *value;
    if (!name) return -1;
    look_up(l, env, name, &value);
    *loops = value && memmem(value, strlen(value), text->p + v.at, v.n);
    int rc = !value || *loops ? 0 : replace(text, &v, value, err) ? -1 : 1;
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
    for (unsigned i = 0; !rc && more == 1 && i < MOST; i++) more = step(l, env, &text, &loops, err);
    if (!rc && more == 1) more = err_set(err, ERR_USAGE, "more than %d variables come into one value", MOST);
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
