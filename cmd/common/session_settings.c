/* The settings of a run in its manifest: everything that decides the bytes written, and nothing else. Threads, memory and
 * directories are not among them. A run whose settings and inputs are those of a finished dataset has nothing to do. */
#include "cmd/common/session.h"

#include "base/json.h"
#include "cmd/common/output_text.h"
#include "cmd/common/write_options.h"
#include "dataset/manifest_json.h"

#include <string.h>

static json_t *text_or_null(const char *s) {
    return s ? json_string(s) : json_null();
}

static json_t *names_json(const struct opt_list *l) {
    json_t *j = json_array();
    for (unsigned i = 0; i < l->n; i++) json_array_append_new(j, json_string(l->item[i]));
    return j;
}

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

json_t *session_settings(const struct session *s, const char *command) {
    const struct options *o = &s->o;
    const struct dialect *d = &s->dialect;
    json_t *j =
        json_pack("{s:s, s:s?, s:s?, s:b, s:o, s:i, s:o, s:b, s:b, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:s}", "command", command,
                  "format", o->in.format, "columns", o->in.columns, "header", (int)(d->header != DIALECT_HEADER_NONE),
                  "delimiter", delimiter_json(d), "quote",
                  !dialect_says(d, DIALECT_QUOTE) ? -1
                  : d->quote < 0                  ? -2
                                                  : d->quote,
                  "null", nulls_json(d), "skip_empty", (int)o->in.skip_empty, "compact", (int)o->rules.compact, "rank",
                  o->rules.rank, "codec", o->write.codec ? o->write.codec : WRITE_CODEC, "encoding",
                  o->write.encoding ? o->write.encoding : WRITE_ENCODING, "bloom", o->write.bloom ? o->write.bloom : WRITE_BLOOM,
                  "block_size", (json_int_t)(o->write.block_size ? o->write.block_size : WRITE_BLOCK_BYTES), "target_file_size",
                  (json_int_t)o->write.target_file_size, "max_cell_size", (json_int_t)o->write.max_cell_size, "max_rejects",
                  o->out.max_rejects);
    if (!j) return NULL;
    if (o->in.dialect) json_object_set_new(j, "dialect", json_text(o->in.dialect));
    if (o->write.compress_tags) json_object_set_new(j, "compress_tags", json_true());
    if (strcasecmp(o->write.keep_seq, "yes")) json_object_set_new(j, "keep_seq", json_false());
    if (o->rules.keep_seq_period) json_object_set_new(j, "keep_seq_period", json_string(o->rules.keep_seq_period));
    if (o->in.key) json_object_set_new(j, "key", json_string(o->in.key));
    if (s->mapping) json_object_set(j, "map", s->mapping->json);
    json_object_set_new(j, "on_damage", json_string(o->out.on_damage));
    if (s->timestamp_unit != TIME_MS) json_object_set_new(j, "timestamp_unit", json_string(o->in.timestamp_unit));
    json_object_set_new(j, "timestamp", o->in.timestamp_given ? json_integer(o->in.timestamp_ms) : json_null());
    json_object_set_new(j, "now", o->resources.now_given ? json_integer(o->resources.now_ms) : json_null());
    json_object_set_new(j, "versions", text_or_null(o->rules.versions));
    json_object_set_new(j, "min_versions", text_or_null(o->rules.min_versions));
    json_object_set_new(j, "ttl", text_or_null(o->rules.ttl));
    json_object_set_new(j, "minor",
                        !o->rules.minor ? json_null() : json_string(o->rules.minor_rules ? o->rules.minor_rules : "since"));
    json_object_set_new(j, "keep_deleted", text_or_null(o->rules.keep_deleted));
    json_object_set_new(j, "purge_deletes_after", text_or_null(o->rules.purge_deletes_after));
    if (o->rules.new_version_behavior) json_object_set_new(j, "new_version_behavior", json_true());
    if (compaction_is_oceanbase(s->kind)) json_object_set_new(j, "rules", json_string("oceanbase"));
    if (o->rules.delta) json_object_set_new(j, "delta", json_true());
    if (o->rules.purge_deletes) json_object_set_new(j, "purge_deletes", json_true());
    if (s->like.n) json_object_set_new(j, "like", like_json(&s->like));
    if (o->in.include.n) json_object_set_new(j, "include", names_json(&o->in.include));
    if (o->in.exclude.n) json_object_set_new(j, "exclude", names_json(&o->in.exclude));
    if (s->selection) json_object_set_new(j, "selection", selection_options_json(&o->selection));
    if (s->own_settings) json_object_update(j, s->own_settings);
    struct table t = s->table;
    if (s->open_families) t.n_families = 0; /* found while reading: not a setting */
    json_object_set_new(j, "table", manifest_table_json(&t));
    return j;
}
