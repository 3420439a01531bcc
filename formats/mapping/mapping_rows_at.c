/* "rows" as a path: the records of a JSON text are the elements of the array there, such as $.data of {"data": [...]}. A document
 * is read from its beginning to its end, so the way to the array consists of keys. */
#include "formats/mapping/expr_run.h"
#include "formats/mapping/expr_template.h"
#include "formats/mapping/mapping.h"
#include "formats/text/jline_paths.h"

#include <stdlib.h>
#include <string.h>

/* expr_names.find: keeps the only name. arg: struct bytes. */
static int keep_name(void *arg, struct bytes name, uint32_t *field, enum expr_type *type, struct err *err) {
    struct bytes *kept = arg;
    *field = 0;
    *type = EXPR_TEXT;
    uint8_t *copy = malloc(name.n + 1);
    if (!copy) return err_nomem(err, name.n, "a mapping");
    memcpy(copy, name.p, name.n);
    free((void *)kept->p);
    *kept = bytes_of(copy, name.n);
    return 1;
}

static bool has_index(const struct jline_paths *p) {
    for (uint32_t i = 1; i < p->n_nodes; i++)
        if (!p->nodes[i].key.p) return true;
    return false;
}

int mapping_take_rows_at(const struct mapping *m, struct mapping_source *s, const json_t *v, const struct json_place *at,
                         struct err *err) {
    const struct expr_names names = {.find = keep_name, .arg = &s->rows_at};
    struct jline_paths paths = {0};
    struct err bad = {0};
    uint32_t slot;
    struct expr *e = expr_compile(bytes_of(json_string_value(v), json_string_length(v)), EXPR_TEXT, &names, &bad);
    bool is_path = e && expr_is_field(e, &slot);
    expr_free(e);
    if (bad.code == ERR_LIMIT) err_keep(err, &bad);
    if (err->code) return -1;
    int rc = is_path ? jline_paths_add(&paths, s->rows_at, &slot, err) : 0;
    is_path = is_path && !has_index(&paths) && s->rows_at.n <= MAPPING_ROWS_AT_MAX_BYTES;
    jline_paths_free(&paths);
    if (rc) return -1;
    if (is_path && s->format && strcmp(s->format, "jsonl") != 0)
        return mapping_error(m, at, err, "a path leads into JSON, but the source is %s", s->format);
    s->format = "jsonl";
    return is_path
               ? 0
               : mapping_error(m, at, err, "expected a path of keys to an array, such as $.data or $.a.b, of at most %d bytes",
                               MAPPING_ROWS_AT_MAX_BYTES);
}
