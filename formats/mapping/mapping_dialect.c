/* Reads the dialect that a source of a mapping gives its files: the object "dialect", or the short forms beside it.
 *
 *     {"dialect": {"name": "mysql", "null": ["NULL", "-"], "skip": 2}, …}     {"dialect": "mysql,skip=2", …}
 *     {"delimiter": ";", "quote": null, "null": "NULL", "header": "first", …}
 *
 * Every value goes through dialect_set, as those of --dialect do. */
#include "formats/mapping/mapping.h"

#include <stdio.h>

struct dialect_walk {
    const struct mapping *m;
    struct dialect *d;
    struct err *err;
};

/* The error of a value becomes one with its place. */
static int at_place(const struct dialect_walk *w, const struct json_place *at, int rc, const struct err *bad) {
    if (!rc) return 0;
    if (bad->code == ERR_USAGE) return mapping_error(w->m, at, w->err, "%s", bad->text);
    err_keep(w->err, bad);
    return -1;
}

static int set_text(const struct dialect_walk *w, const char *key, const json_t *v, const struct json_place *at) {
    struct err bad = {0};
    const struct bytes text = bytes_of(json_string_value(v), json_string_length(v));
    return at_place(w, at, dialect_set(w->d, key, text, &bad), &bad);
}

static int set_list(const struct dialect_walk *w, const char *key, const json_t *v, const struct json_place *at) {
    size_t i;
    json_t *item;
    json_array_foreach(v, i, item) {
        struct json_place here = json_place_item(at, i);
        if (!json_is_string(item)) return mapping_error(w->m, &here, w->err, "expected text");
        if (set_text(w, key, item, &here)) return -1;
    }
    return 0;
}

/* Text; of some keys a number, true and false, null for none, or a list of texts. */
static int set_key(const struct dialect_walk *w, const char *key, const json_t *v, const struct json_place *at) {
    const bool is_header = !strcmp(key, "header"), is_list = !strcmp(key, "null") || !strcmp(key, "comment"),
               is_byte = !strcmp(key, "quote") || !strcmp(key, "escape"),
               is_switch = !strcmp(key, "trim") || !strcmp(key, "trailing");
    const char *word = is_header && json_is_boolean(v)   ? (json_is_true(v) ? "each" : "none")
                       : is_switch && json_is_boolean(v) ? (json_is_true(v) ? "yes" : "no")
                       : is_byte && json_is_null(v)      ? "none"
                                                         : NULL;
    char number[24];
    struct err bad = {0};
    if (json_is_string(v)) return set_text(w, key, v, at);
    if (is_list && json_is_array(v)) return set_list(w, key, v, at);
    if (!strcmp(key, "skip") && json_is_integer(v)) {
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(v));
        word = number;
    }
    if (word) return at_place(w, at, dialect_set(w->d, key, bytes_str(word), &bad), &bad);
    return mapping_error(w->m, at, w->err,
                         is_header ? "expected true, false or \"first\""
                         : is_list ? "expected text, or a list of texts"
                                   : "expected text");
}

static int take_object(const struct dialect_walk *w, const json_t *v, const struct json_place *at) {
    const json_t *name = json_object_get(v, "name");
    const struct json_place place = json_place_key(at, "name");
    const char *key;
    json_t *value;
    struct err bad = {0};
    if (name && !json_is_string(name)) return mapping_error(w->m, &place, w->err, "expected the name of a dialect");
    if (name && at_place(w, &place, dialect_choose(w->d, json_string_value(name), &bad), &bad)) return -1;
    json_object_foreach((json_t *)v, key, value) {
        const struct json_place here = json_place_key(at, key);
        if (strcmp(key, "name") != 0 && set_key(w, key, value, &here)) return -1;
    }
    return 0;
}

static int take_dialect(const struct dialect_walk *w, const json_t *v, const struct json_place *at) {
    struct err bad = {0};
    if (!v) return 0;
    if (json_is_object(v)) return take_object(w, v, at);
    if (!json_is_string(v)) return mapping_error(w->m, at, w->err, "expected an object, or text such as \"mysql,skip=1\"");
    return at_place(w, at, dialect_parse(w->d, json_string_value(v), &bad), &bad);
}

int mapping_take_dialect(const struct mapping *m, const json_t *v, const struct json_place *at, struct dialect *d,
                         struct err *err) {
    static const char *const keys[] = {"delimiter", "quote", "null", "header"};
    const struct dialect_walk w = {m, d, err};
    const struct json_place place = json_place_key(at, "dialect");
    if (take_dialect(&w, json_object_get(v, "dialect"), &place)) return -1;
    for (size_t i = 0; i < countof(keys); i++) {
        const json_t *value = json_object_get(v, keys[i]);
        const struct json_place here = json_place_key(at, keys[i]);
        if (value && set_key(&w, keys[i], value, &here)) return -1;
    }
    return 0;
}
