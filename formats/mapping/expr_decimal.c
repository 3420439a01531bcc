/* Numbers with a fraction, as text of any country, to whole numbers of units of the last place: 12,50 is 1250 hundredths. What
 * would have to be rounded rejects the record. */
#include "formats/mapping/expr_number.h"
#include "formats/mapping/expr_program.h"
#include "formats/mapping/expr_run.h"

#include <string.h>

enum { PLACES_MAX = 18, GROUP_DIGITS = 3 };

struct decimal_marks {
    struct bytes mark, groups; /* groups.n 0: digits stand in none */
};

static bool is_mark(struct bytes m) {
    for (size_t i = 0; i < m.n; i++)
        if ((m.p[i] >= '0' && m.p[i] <= '9') || m.p[i] == '-' || m.p[i] == '+') return false;
    return m.n && m.n <= 4; /* a character of UTF-8: some write a narrow space */
}

static int prepare_decimal(struct expr_op *op, const struct expr_value *consts, struct expr_scratch *memory, struct err *err) {
    struct decimal_marks *m = expr_keep(memory, sizeof *m, err);
    if (!m) return -1;
    *m = (struct decimal_marks){bytes_str("."), {0}};
    if (op->n_args > 2) m->mark = bytes_of(consts[2].p, consts[2].n);
    if (op->n_args > 3) m->groups = bytes_of(consts[3].p, consts[3].n);
    op->data = m;
    if (!is_mark(m->mark) || (op->n_args > 3 && !is_mark(m->groups)))
        return err_set(err, ERR_USAGE, "expected a mark such as ',', no digit and no sign");
    if (bytes_eq(m->mark, m->groups)) return err_set(err, ERR_USAGE, "fraction and groups have the same mark");
    return 0;
}

static bool take_text(struct bytes *rest, struct bytes text) {
    if (!text.n || rest->n < text.n || memcmp(rest->p, text.p, text.n) != 0) return false;
    *rest = bytes_of(rest->p + text.n, rest->n - text.n);
    return true;
}

/* Digits at the start of rest go to out; how many there were. */
static size_t take_digits(struct bytes *rest, uint8_t *out, size_t *n) {
    size_t k = 0;
    while (k < rest->n && rest->p[k] >= '0' && rest->p[k] <= '9') out[(*n)++] = rest->p[k++];
    *rest = bytes_of(rest->p + k, rest->n - k);
    return k;
}

/* As a whole number of units of the last place, in decimal; out has room for the text and the places. false: that is none. */
static bool decimal_digits(const struct decimal_marks *m, struct bytes text, size_t places, uint8_t *out, size_t *n) {
    *n = 0;
    if (text.n && (text.p[0] == '-' || text.p[0] == '+')) {
        out[(*n)++] = text.p[0];
        text = bytes_of(text.p + 1, text.n - 1);
    }
    size_t before = take_digits(&text, out, n), after = 0;
    for (bool first = true; before && take_text(&text, m->groups); first = false) {
        if (first && before > GROUP_DIGITS) return false;
        if (take_digits(&text, out, n) != GROUP_DIGITS) return false;
    }
    if (take_text(&text, m->mark) && !(after = take_digits(&text, out, n))) return false;
    if (text.n || !(before + after)) return false;
    for (; after > places; after--)
        if (out[--*n] != '0') return false; /* nothing is rounded */
    for (; after < places; after++) out[(*n)++] = '0';
    return true;
}

static int run_decimal(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    const int64_t places = args[1].number;
    char shown[EXPR_QUOTE_BYTES];
    int64_t v;
    size_t n;
    int rc;
    if (places < 0 || places > PLACES_MAX)
        return expr_refuse(run, op, "%lld places, expected 0 to %d", (long long)places, PLACES_MAX);
    uint8_t *digits = expr_take(run, args[0].n + PLACES_MAX, &rc);
    if (!digits) return rc;
    if (!decimal_digits(op->data, bytes_of(args[0].p, args[0].n), (size_t)places, digits, &n) ||
        !expr_parse_number(bytes_of(digits, n), &v))
        return expr_refuse(run, op, "%s is not a number of at most %lld places that fits 64 bits with these marks",
                           expr_quote(args[0], shown), (long long)places);
    args[0] = expr_number(v);
    return 1;
}

static const struct expr_function list[] = {
    {.name = "decimal",
     .usage = "decimal(text, places[, mark of the fraction[, mark of groups]])",
     .result = EXPR_NUMBER,
     .min_args = 2,
     .max_args = 4,
     .args = {ARG_TEXT, ARG_NUMBER, ARG_CONST},
     .run = run_decimal,
     .prepare = prepare_decimal},
};
const struct expr_functions expr_decimal_functions = {list, countof(list)};
