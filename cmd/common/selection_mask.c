/* Masks of values, by the expressions of mappings (docs/mapping.md): `hash` is sha256(value), `null` leaves the cell out, and
 * anything else is an expression over the cell. A null result leaves the cell out too. Each thread has memory of its own for
 * results. */
#include "cmd/common/selection_options.h"

#include "formats/mapping/expr.h"

#include <stdio.h>
#include <stdlib.h>

enum field { FIELD_VALUE, FIELD_ROW, FIELD_FAMILY, FIELD_QUALIFIER, FIELD_TIMESTAMP, FIELD_COUNT };

static int find_field(void *arg, struct bytes name, uint32_t *field, enum expr_type *type, struct err *err) {
    static const char *const names[] = {"value", "row", "family", "qualifier", "timestamp"};
    (void)arg;
    (void)err;
    for (uint32_t i = 0; i < FIELD_COUNT; i++) {
        if (!bytes_eq(name, bytes_str(names[i]))) continue;
        *field = i;
        *type = i == FIELD_TIMESTAMP ? EXPR_NUMBER : EXPR_TEXT;
        return 1;
    }
    return 0;
}

static int begin(void **memory, struct err *err) {
    *memory = calloc(1, sizeof(struct expr_scratch));
    return *memory ? 0 : err_nomem(err, sizeof(struct expr_scratch), "--mask");
}

static void reset(void *memory) {
    expr_scratch_reset(memory);
}

static void end(void *memory) {
    expr_scratch_free(memory);
    free(memory);
}

static int run(const void *arg, void *memory, const struct row_part *part, const struct cell *c, struct bytes *value,
               struct selection_fault *why, struct err *err) {
    const struct expr_value fields[FIELD_COUNT] = {[FIELD_VALUE] = expr_text(c->value),
                                                   [FIELD_ROW] = expr_text(part->row),
                                                   [FIELD_FAMILY] = expr_text(part->family),
                                                   [FIELD_QUALIFIER] = expr_text(c->qualifier),
                                                   [FIELD_TIMESTAMP] = expr_number(c->ts_ms)};
    struct expr_value out;
    struct expr_fault fault;
    int rc = expr_eval(arg, fields, memory, &out, &fault, err);
    if (!rc) snprintf(why->text, sizeof why->text, "--mask: %.180s", fault.text);
    if (rc == 1) *value = bytes_of(out.p, out.n);
    return rc;
}

static void drop(void *arg) {
    expr_free(arg);
}

/* ---- no value at all ---- */

static int run_null(const void *arg, void *memory, const struct row_part *part, const struct cell *c, struct bytes *value,
                    struct selection_fault *why, struct err *err) {
    (void)arg, (void)memory, (void)part, (void)c, (void)why, (void)err;
    *value = (struct bytes){0};
    return 1;
}

int selection_mask_add(struct selection *s, const char *text, struct err *err) {
    static const struct mask_ops by_expr = {.begin = begin, .reset = reset, .end = end, .run = run, .drop = drop};
    static const struct mask_ops none = {.run = run_null};
    const struct expr_names names = {.find = find_field};
    const char *how;
    if (selection_mask_how(text, &how, err)) return -1;
    if (!strcmp(how, "null")) return selection_add_mask(s, text, &none, NULL, err);
    struct expr *e = expr_compile(bytes_str(strcmp(how, "hash") ? how : "sha256(value)"), EXPR_TEXT, &names, err);
    if (!e)
        return err_prefix(
            err, "--mask '%.200s': HOW is hash, null or an expression over value, row, family, qualifier and timestamp", text);
    return selection_add_mask(s, text, &by_expr, e, err);
}
