/* The settings of a run in its manifest: everything that decides the bytes written, and nothing else. Threads, memory and
 * directories are not among them. A run whose settings and inputs are those of a finished dataset has nothing to do. The table of
 * options says which of them are settings (opt_bytes.c). */
#include "cmd/common/output_settings.h"
#include "cmd/common/selection_options.h"
#include "cmd/common/environment.h"
#include "cmd/common/intake.h"
#include "cmd/common/output.h"
#include "cmd/common/target.h"

#include "base/json.h"
#include "cmd/common/opt_bytes.h"
#include "cmd/common/output_text.h"
#include "cmd/common/table_options.h"
#include "cmd/common/write_options.h"
#include "dataset/manifest_json.h"
#include "dataset/manifest_table.h"

#include <string.h>

/* A delimiter of one byte is a number, and a quote: -1 nobody gave one, -2 none is to be there. */
static json_t *delimiter_json(const struct dialect *d) {
    if (!dialect_says(d, DIALECT_DELIMITER)) return json_integer(-1);
    return d->n_delimiter == 1 ? json_integer(d->delimiter[0]) : json_hex(dialect_delimiter(d));
}

static json_t *nulls_json(const struct dialect *d) {
    json_t *j = json_array();
    if (!dialect_says(d, DIALECT_NULL)) {
        json_decref(j);
        return json_null();
    }
    for (size_t i = 0; i < d->nulls.n; i++) {
        const struct bytes text = dialect_text(&d->nulls, i);
        json_t *one = json_stringn((const char *)text.p, text.n);
        json_array_append_new(j, one ? one : json_hex(text)); /* bytes that are no UTF-8 */
    }
    if (json_array_size(j) != 1) return j;
    json_t *only = json_incref(json_array_get(j, 0));
    json_decref(j);
    return only;
}

/* A setting that says nothing gets its default: a later version may have another. */
static void put_default(json_t *settings, const char *key, json_t *value) {
    const json_t *now = json_object_get(settings, key);
    if (json_is_null(now) || (json_is_integer(now) && !json_integer_value(now)))
        json_put(settings, JSON(key, value));
    else
        json_decref(value);
}

/* Adds how text is cut, whichever options say it. */
static void put_dialect(json_t *settings, const struct dialect *d) {
    json_put(settings, JSON("header", json_boolean(d->header != DIALECT_HEADER_NONE)), JSON("delimiter", delimiter_json(d)),
             JSON("quote", !dialect_says(d, DIALECT_QUOTE) ? -1
                           : d->quote < 0                  ? -2
                                                           : d->quote),
             JSON("null", nulls_json(d)));
}

json_t *output_settings(const struct environment *env, const struct intake *intake, const struct target *target,
                        const struct output *output, const char *command) {
    json_t *j = json_new(JSON("command", command));
    const struct options *o = &env->o;
    struct table t = target->table;
    if (!j) return NULL;
    opt_bytes_put(j, &env->o, opt_shared);
    put_default(j, "codec", json_string(WRITE_CODEC));
    put_default(j, "encoding", json_string(WRITE_ENCODING));
    put_default(j, "bloom", json_string(WRITE_BLOOM));
    put_default(j, "block_size", json_integer(WRITE_BLOCK_BYTES));
    /* More than the value of an option: what the table of options calls SETTING_THROUGH. */
    put_dialect(j, &intake->dialect);
    if (strcasecmp(o->write.keep_seq, "yes")) json_object_set_new(j, "keep_seq", json_false());
    if (intake->mapping) json_object_set(j, "map", intake->mapping->json);
    if (intake->timestamp_unit != TIME_MS) json_object_set_new(j, "timestamp_unit", json_string(o->in.timestamp_unit));
    json_put(j, JSON("minor", manifest_text(rule_options_minor(o))));
    if (compaction_is_oceanbase(target->kind)) json_object_set_new(j, "rules", json_string("oceanbase"));
    if (output->like.n) json_object_set_new(j, "like", like_json(&output->like));
    if (intake->selection) json_object_set_new(j, "selection", selection_options_json(&o->selection));
    if (output->own_settings) json_object_update(j, output->own_settings);
    if (target->open_families) t.n_families = 0; /* found while reading: not a setting */
    json_put(j, JSON("table", manifest_table_json(&t)));
    return j;
}
