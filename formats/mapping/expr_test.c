/* Conditions of expressions: tests of one text, or of two. Comparisons are operators and are defined with the types they compare
 * (expr_number.c, expr_text.c). */
#include "formats/mapping/expr_number.h"
#include "formats/mapping/expr_program.h"

enum { LESS = 1, SAME = 2, MORE = 4 }; /* for which results of a comparison the condition holds */

static int set_bool(struct expr_value *out, bool yes) {
    *out = expr_number(yes);
    return 1;
}

static inline struct bytes text_of(const struct expr_value *v) {
    return bytes_of(v->p, v->n);
}

static int answer_order(const struct expr_op *op, struct expr_value *args, int c) {
    return set_bool(&args[0], op->f->variant & (c < 0 ? LESS : c > 0 ? MORE : SAME));
}

static int run_compare_text(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    (void)run;
    return answer_order(op, args, bytes_cmp(text_of(&args[0]), text_of(&args[1])));
}

static int run_compare_number(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    (void)run;
    return answer_order(op, args, (args[0].number > args[1].number) - (args[0].number < args[1].number));
}

#define COMPARE(sign_, variant_)                                                                  \
    {                                                                                             \
        {.name = sign_, .result = EXPR_BOOL, .variant = variant_, .run = run_compare_text},       \
            {.name = sign_, .result = EXPR_BOOL, .variant = variant_, .run = run_compare_number}, \
    }

const struct expr_function *expr_compare(const char *sign, bool numbers) {
    static const struct expr_function pairs[][2] = {
        COMPARE("=", SAME), COMPARE("==", SAME), COMPARE("!=", LESS | MORE), COMPARE("<>", LESS | MORE),
        COMPARE("<", LESS), COMPARE(">", MORE),  COMPARE("<=", LESS | SAME), COMPARE(">=", MORE | SAME),
    };
    for (size_t i = 0; i < countof(pairs); i++)
        if (!strcmp(pairs[i][0].name, sign)) return &pairs[i][numbers];
    return NULL;
}

static int run_not(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    (void)run;
    (void)op;
    return set_bool(&args[0], !args[0].number);
}

static int run_empty(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    (void)run;
    (void)op;
    return set_bool(&args[0], !args[0].p || !args[0].n);
}

static int run_is_null(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    (void)run;
    (void)op;
    return set_bool(&args[0], !args[0].p);
}

static int run_is_number(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    (void)run;
    (void)op;
    int64_t v;
    return set_bool(&args[0], args[0].p && expr_parse_number(text_of(&args[0]), &v));
}

static int run_contains(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    (void)run;
    (void)op;
    return set_bool(&args[0], !args[1].n || memmem(args[0].p, args[0].n, args[1].p, args[1].n));
}

static int run_starts_with(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    (void)run;
    (void)op;
    return set_bool(&args[0], args[0].n >= args[1].n && bytes_eq(bytes_of(args[0].p, args[1].n), text_of(&args[1])));
}

static int run_ends_with(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    (void)run;
    (void)op;
    size_t skip = args[0].n - args[1].n;
    return set_bool(&args[0], args[0].n >= args[1].n && bytes_eq(bytes_of(args[0].p + skip, args[1].n), text_of(&args[1])));
}

#define TEST(name_, usage_, n_, nulls_, run_)                                                                              \
    {                                                                                                                      \
        .name = name_, .usage = usage_, .result = EXPR_BOOL, .min_args = n_, .max_args = n_, .args = {ARG_TEXT, ARG_TEXT}, \
        .takes_nulls = nulls_, .run = run_                                                                                 \
    }

static const struct expr_function list[] = {
    {.name = "not",
     .usage = "not condition",
     .result = EXPR_BOOL,
     .min_args = 1,
     .max_args = 1,
     .args = {ARG_BOOL},
     .run = run_not},
    TEST("empty", "empty(text)", 1, true, run_empty),
    TEST("is_null", "is_null(text)", 1, true, run_is_null),
    TEST("is_number", "is_number(text)", 1, true, run_is_number),
    TEST("contains", "contains(text, part)", 2, false, run_contains),
    TEST("starts_with", "starts_with(text, start)", 2, false, run_starts_with),
    TEST("ends_with", "ends_with(text, end)", 2, false, run_ends_with),
};
const struct expr_functions expr_test_functions = {list, countof(list)};
