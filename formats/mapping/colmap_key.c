/* --key: the row key as an expression over the columns of CSV and TSV, in the language of mappings. Columns are called by the
 * names of the header, or, without a header, by what --columns makes of them (family:qualifier); $1 is the first.
 *
 * A key is compiled after the columns have been laid out, once for each input, and evaluated by any thread. */
#include "formats/mapping/colmap.h"
#include "formats/mapping/colmap_header.h"
#include "formats/mapping/colmap_key.h"
#include "formats/mapping/expr_run.h"
#include "formats/mapping/expr_template.h"
#include "formats/mapping/mapping_columns.h"

#include <stdlib.h>

#define SHOW(b) (int)((b).n > 200 ? 200 : (b).n), (const char *)(b).p

/* The map and its options, for the look-up of a name. */
struct key_names {
    struct colmap *map;
    const struct colmap_opts *o;
};

/* Returns the column of the cell that --columns names FAMILY:QUALIFIER, or COLMAP_NONE. */
static uint32_t find_cell(const struct colmap *m, struct bytes name) {
    for (uint32_t f = 0; f < m->n_families; f++) {
        const struct colmap_family *family = &m->families[f];
        size_t n = family->name.n;
        if (name.n < n || memcmp(name.p, family->name.p, n) != 0 || (name.n > n && name.p[n] != ':')) continue;
        struct bytes qualifier = name.n > n ? bytes_of(name.p + n + 1, name.n - n - 1) : bytes_of("", 0);
        for (uint32_t i = family->first; i < family->first + family->n; i++)
            if (bytes_eq(m->slots[i].qualifier, qualifier)) return m->slots[i].column;
    }
    return COLMAP_NONE;
}

/* Finds the column of a name. 1 = *column is the one meant, 0 = none, -1 error. */
static int find_column(const struct key_names *k, struct bytes name, uint32_t *column, struct err *err) {
    const struct colmap_opts *o = k->o;
    if (mapping_position(name, column)) return o->empty_input || *column < k->map->n_columns;
    *column = 0;
    if (o->empty_input) return 1;
    if (o->header) return colmap_find_header(o, "--key", name, column, err) ? -1 : 1;
    *column = find_cell(k->map, name);
    if (*column != COLMAP_NONE) return 1;
    return err_set(err, ERR_USAGE,
                   "--key: there is no column \"%.*s\": write $1 for the first one, the family:qualifier that"
                   " --columns gives it, or --header if the first record holds names",
                   SHOW(name));
}

/* expr_names.find: each column becomes a field once. */
static int find(void *arg, struct bytes name, uint32_t *field, enum expr_type *type, struct err *err) {
    const struct key_names *k = arg;
    struct colmap_key *key = &k->map->key;
    uint32_t column;
    int rc = find_column(k, name, &column, err);
    if (rc != 1) return rc;
    *type = EXPR_TEXT;
    for (*field = 0; *field < key->n_columns; ++*field)
        if (key->columns[*field] == column) return 1;
    if (grow_array(&key->columns, key->n_columns, sizeof *key->columns, "the columns of --key", err)) return -1;
    key->columns[key->n_columns++] = column;
    return 1;
}

int colmap_key_compile(struct colmap *m, const struct colmap_opts *o, struct err *err) {
    struct key_names k = {m, o};
    const struct expr_names names = {.find = find, .arg = &k, .columns = !o->header};
    struct err bad = {0};
    if ((m->key.program = expr_compile(bytes_str(o->key), EXPR_TEXT, &names, &bad))) return 0;
    if (bad.code == ERR_USAGE && strncmp(bad.text, "--key", 5) != 0) return err_set(err, ERR_USAGE, "--key: %s", bad.text);
    err_keep(err, &bad);
    return -1;
}

void colmap_key_free(struct colmap_key *key) {
    expr_free(key->program);
    free(key->columns);
    *key = (struct colmap_key){0};
}
