/* The settings of a run come from the table of options, so that none that decides bytes can be forgotten: a run that left one out
 * would find "nothing to do" over other data. A join reads them back, to write as its shards were written. */
#include "base/json.h"
#include "cmd/common/opt_bytes.h"

#include "dataset/manifest_json.h"

#include <stdio.h>

enum { KEY_BYTES = 64 };

static const char *key_of(const struct opt_row *r, char out[KEY_BYTES]) {
    if (r->bytes.key) return r->bytes.key;
    snprintf(out, KEY_BYTES, "%s", r->name);
    for (char *c = out; *c; c++)
        if (*c == '-') *c = '_';
    return out;
}

static json_t *list_json(const struct opt_list *l) {
    json_t *j = json_array();
    for (unsigned i = 0; i < l->n; i++) json_array_append_new(j, manifest_text(l->item[i]));
    return j;
}

/* base: the struct of the row's group. *is_set: it has another value than the one that means nothing. */
static json_t *value_json(const struct opt_row *r, const uint8_t *base, bool *is_set) {
    const void *field = base + r->at;
    switch (r->kind) {
    case OPT_FLAG: *is_set = *(const bool *)field; return json_boolean(*is_set);
    case OPT_LIST: *is_set = ((const struct opt_list *)field)->n; return list_json(field);
    case OPT_SIZE:
    case OPT_COUNT:
    case OPT_SECONDS: *is_set = *(const uint64_t *)field; return json_integer((json_int_t) * (const uint64_t *)field);
    case OPT_TIME:
        *is_set = *(const bool *)(const void *)(base + r->given);
        return *is_set ? json_integer((json_int_t) * (const int64_t *)field) : json_null();
    default: *is_set = *(const char *const *)field; return manifest_text(*(const char *const *)field);
    }
}

static void put_row(json_t *into, const struct opt_row *r, const uint8_t *base) {
    char key[KEY_BYTES];
    bool is_set;
    if (r->bytes.effect != OPT_SETTING && r->bytes.effect != OPT_SETTING_IF) return;
    json_t *value = value_json(r, base, &is_set);
    if (is_set || r->bytes.effect == OPT_SETTING)
        json_put(into, JSON(key_of(r, key), value));
    else
        json_decref(value);
}

void opt_bytes_put(json_t *into, const struct options *o, const struct opt_group *const *groups) {
    for (; *groups; groups++) {
        const uint8_t *base = (*groups)->at == OPT_OWN ? o->own : (const uint8_t *)o + (*groups)->at;
        for (size_t i = 0; i < (*groups)->n; i++) put_row(into, &(*groups)->rows[i], base);
    }
}

void opt_bytes_take(const json_t *settings, const struct opt_group *g, struct options *o) {
    char key[KEY_BYTES];
    for (size_t i = 0; i < g->n; i++) {
        const struct opt_row *r = &g->rows[i];
        const json_t *j = json_object_get(settings, key_of(r, key));
        void *field = (uint8_t *)o + g->at + r->at;
        if (r->kind == OPT_FLAG) *(bool *)field = json_is_true(j);
        if (r->kind == OPT_TEXT) *(const char **)field = json_string_value(j);
        if (r->kind == OPT_SIZE || r->kind == OPT_COUNT)
            *(uint64_t *)field = json_integer_value(j) > 0 ? (uint64_t)json_integer_value(j) : 0;
    }
}
