/* libFuzzer target: any bytes as an expression (the first line; from "{" on as a template), run over fields made of the rest.
 * Results must lie where they may, be the same twice, and fit what a conversion to text says of them. */
#include "formats/mapping/expr_run.h"
#include "formats/mapping/expr_template.h"
#include "fuzz.h"

#include "formats/mapping/expr.h"

enum { FIELDS = 4 };

/* Names a to d are the fields, n is a number. */
static int find(void *arg, struct bytes name, uint32_t *field, enum expr_type *type, struct err *err) {
    (void)arg;
    (void)err;
    if (name.n != 1) return 0;
    *type = name.p[0] == 'n' ? EXPR_NUMBER : EXPR_TEXT;
    *field = name.p[0] == 'n' ? FIELDS : name.p[0] - (unsigned)'a';
    return *field <= FIELDS;
}

/* Fields end at a NUL; "N" is null. */
static void fill(struct expr_value *fields, struct bytes rest) {
    for (size_t i = 0; i < FIELDS; i++) {
        const uint8_t *end = rest.n ? memchr(rest.p, 0, rest.n) : NULL;
        struct bytes f = {rest.p, end ? (size_t)(end - rest.p) : rest.n};
        fields[i] = bytes_eq(f, bytes_str("N")) ? (struct expr_value){0} : expr_text(f);
        rest = end ? bytes_of(end + 1, rest.n - f.n - 1) : bytes_of("", 0);
    }
    fields[FIELDS] = expr_number((int64_t)fields[0].n - 3);
}

static void run(const struct expr *e, enum expr_type want, const struct expr_value *fields) {
    struct expr_scratch a = {.limit_bytes = 1 << 20}, b = {.limit_bytes = 1 << 20};
    struct expr_value x = {0}, y = {0};
    struct expr_fault why, again;
    struct err err = {0};
    int rc = expr_eval(e, fields, &a, &x, &why, &err);
    require(rc >= 0 && rc == expr_eval(e, fields, &b, &y, &again, &err));
    if (rc == 0) require(why.text[0] && !strcmp(why.text, again.text) && (why.field <= FIELDS || why.field == EXPR_NO_FIELD));
    if (rc == 1) require(!x.p == !y.p);
    if (rc == 1 && x.p && want == EXPR_TEXT) require(bytes_eq(bytes_of(x.p, x.n), bytes_of(y.p, y.n)));
    if (rc == 1 && x.p && want != EXPR_TEXT) require(x.number == y.number);
    if (rc == 1 && x.p && want == EXPR_BOOL) require(x.number == 0 || x.number == 1);
    expr_scratch_reset(&a);
    require(rc == expr_eval(e, fields, &a, &x, &why, &err));
    expr_scratch_free(&a);
    expr_scratch_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct expr_names names = {.find = find};
    static const enum expr_type wants[] = {EXPR_TEXT, EXPR_NUMBER, EXPR_BOOL};
    struct expr_value fields[FIELDS + 1];
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    struct bytes text = {data, end ? (size_t)(end - data) : size};
    fill(fields, end ? bytes_of(end + 1, size - text.n - 1) : bytes_of("", 0));
    for (size_t i = 0; i <= countof(wants); i++) {
        struct err err = {0};
        bool is_template = i == countof(wants);
        struct expr *e = is_template ? expr_compile_template(text, 0, &names, &err) : expr_compile(text, wants[i], &names, &err);
        require(e ? !err.code : err.code == ERR_USAGE && err.text[0]);
        if (e) run(e, is_template ? EXPR_TEXT : wants[i], fields);
        expr_free(e);
    }
    return 0;
}
