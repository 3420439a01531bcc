/* Row keys to be tried, as expressions (formats/mapping) over what a row has (key, ts, columns) or what a generator counts
 * (counter, now, random). A design is compiled once; each thread evaluates it with a scratch of its own. */
#include "cmd/split/plan/key_design.h"

#include "base/hash.h"
#include "cmd/common/warnings.h"
#include "formats/mapping/expr_run.h"
#include "formats/mapping/expr_template.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- names ---- */

static int known_name(const struct key_design *d, struct bytes name, enum expr_type *type) {
    static const struct {
        const char *name;
        int kind;
        bool generated;
        enum expr_type type;
    } names[] = {{"key", DESIGN_KEY, false, EXPR_TEXT},
                 {"ts", DESIGN_TS, false, EXPR_NUMBER},
                 {"counter", DESIGN_COUNTER, true, EXPR_NUMBER},
                 {"now", DESIGN_NOW, true, EXPR_NUMBER},
                 {"random", DESIGN_RANDOM, true, EXPR_NUMBER}};
    for (size_t i = 0; i < countof(names); i++) {
        if (names[i].generated != d->generated || !bytes_eq(name, bytes_str(names[i].name))) continue;
        *type = names[i].type;
        return names[i].kind;
    }
    *type = EXPR_TEXT;
    return d->generated ? 0 : DESIGN_COLUMN;
}

static int find_name(void *arg, struct bytes name, uint32_t *field, enum expr_type *type, struct err *err) {
    struct key_design *d = arg;
    int kind = known_name(d, name, type);
    if (!kind) return 0;
    if (d->n_fields == DESIGN_FIELDS_MAX) return err_set(err, ERR_USAGE, "more than %d names", DESIGN_FIELDS_MAX);
    *field = d->n_fields;
    struct design_field *f = &d->fields[d->n_fields++];
    const uint8_t *colon = kind == DESIGN_COLUMN ? memchr(name.p, ':', name.n) : NULL;
    *f = (struct design_field){.kind = kind, .qualifier = name};
    if (!colon) return 1;
    f->family = bytes_of(name.p, (size_t)(colon - name.p));
    f->qualifier = bytes_of(colon + 1, name.n - f->family.n - 1);
    return 1;
}

int key_design_init(struct key_design *d, const char *text, bool generated, struct err *err) {
    *d = (struct key_design){.text = text, .generated = generated};
    const struct expr_names names = {.find = find_name, .arg = d, .columns = !generated};
    d->expr = expr_compile(bytes_str(text), EXPR_TEXT, &names, err);
    return d->expr ? 0 : err_prefix(err, "key '%s'", text);
}

void key_design_warn(const struct key_design *d, struct reporter *r) {
    if (expr_joins_numbers(d->expr))
        report_warn(r, WARN_NUMBERS_JOINED, 1,
                    "key '%s': + joins the digits of numbers, so 1 + 1 is 11; use add(a, b) for the sum, concat(a, b) to join",
                    d->text);
}

void key_design_free(struct key_design *d) {
    expr_free(d->expr);
    d->expr = NULL;
}

/* ---- keys ---- */

static int evaluate(const struct key_design *d, struct design_run *run, struct bytes *key, struct err *err) {
    struct expr_value v;
    int rc = expr_eval(d->expr, run->values, &run->scratch, &v, &run->fault, err);
    if (rc != 1) return rc;
    if (v.p && v.n && v.n <= ROW_MAX_BYTES) {
        *key = bytes_of(v.p, v.n);
        return 1;
    }
    run->fault.field = EXPR_NO_FIELD;
    const char *is = v.p ? v.n ? "longer than 32767 bytes" : "empty"
                     : key_design_reads_cells(d)
                         ? "null: the row has no cell of a column that the key names (names other than key and ts are columns)"
                         : "null";
    snprintf(run->fault.text, sizeof run->fault.text, "the key is %s", is);
    return 0;
}

bool key_design_reads_cells(const struct key_design *d) {
    for (uint32_t i = 0; i < d->n_fields; i++)
        if (d->fields[i].kind == DESIGN_COLUMN) return true;
    return false;
}

const struct cell *key_design_cell(const struct design_field *f, const struct row_part *part) {
    if (f->kind != DESIGN_COLUMN || (f->family.p && !bytes_eq(f->family, part->family))) return NULL;
    for (uint32_t i = 0; i < part->n_cells; i++)
        if (part->cells[i].type == CELL_PUT && bytes_eq(part->cells[i].qualifier, f->qualifier)) return &part->cells[i];
    return NULL;
}

int key_design_of_row(const struct key_design *d, struct design_run *run, const struct design_row *row, struct bytes *key,
                      struct err *err) {
    expr_scratch_reset(&run->scratch);
    for (uint32_t i = 0; i < d->n_fields; i++) {
        int kind = d->fields[i].kind;
        run->values[i] = kind == DESIGN_KEY  ? expr_text(row->key)
                         : kind == DESIGN_TS ? expr_number(row->ts_ms)
                         : row->values[i].p  ? expr_text(row->values[i])
                                             : (struct expr_value){0};
    }
    return evaluate(d, run, key, err);
}

int key_design_of_part(const struct key_design *d, struct design_run *run, const struct row_part *part, struct bytes *key,
                       struct err *err) {
    struct bytes values[DESIGN_FIELDS_MAX];
    const struct design_row row = {part->row, part->cells[0].ts_ms, values};
    for (uint32_t i = 0; i < d->n_fields; i++) {
        const struct cell *c = key_design_cell(&d->fields[i], part);
        values[i] = c ? c->value : (struct bytes){0};
    }
    return key_design_of_row(d, run, &row, key, err);
}

/* Returns a random number that is not negative. */
static int64_t random_of(uint64_t seed, uint64_t i, uint32_t place) {
    return (int64_t)(splitmix_at(seed, i * DESIGN_FIELDS_MAX + place) >> 1);
}

int key_design_generate(const struct key_design *d, struct design_run *run, uint64_t i, int64_t now_ms, uint64_t seed,
                        struct bytes *key, struct err *err) {
    expr_scratch_reset(&run->scratch);
    for (uint32_t k = 0; k < d->n_fields; k++) {
        int kind = d->fields[k].kind;
        run->values[k] = expr_number(kind == DESIGN_COUNTER ? (int64_t)i : kind == DESIGN_NOW ? now_ms : random_of(seed, i, k));
    }
    return evaluate(d, run, key, err);
}

void design_run_free(struct design_run *run) {
    expr_scratch_free(&run->scratch);
}
