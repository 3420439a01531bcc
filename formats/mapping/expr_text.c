/* Functions of expressions over text. Where characters count they are those of UTF-8; other bytes reject the record, so that no
 * character is ever cut apart. */
#include "formats/mapping/expr_program.h"

#include "base/text.h"
#include "formats/mapping/expr_run.h"

static int set_text(struct expr_value *out, const uint8_t *p, size_t n) {
    *out = (struct expr_value){.p = p, .n = n};
    return 1;
}

static int not_utf8(struct expr_run *run, const struct expr_op *op, struct expr_value v) {
    char shown[EXPR_QUOTE_BYTES];
    return expr_refuse(run, op, "%s is not valid UTF-8", expr_quote(v, shown));
}

/* Counts characters; false: some bytes are none. */
static bool count_characters(struct expr_value v, size_t *n) {
    uint32_t code;
    *n = 0;
    for (size_t i = 0, step; i < v.n; i += step, (*n)++)
        if (!(step = utf8_next(v.p + i, v.n - i, &code))) return false;
    return true;
}

/* Returns where character number k begins, or the end. v is valid. */
static size_t character_at(struct expr_value v, size_t k) {
    uint32_t code;
    size_t i = 0;
    for (; k && i < v.n; k--) i += utf8_next(v.p + i, v.n - i, &code);
    return i;
}

/* ---- joining ---- */

static int run_concat(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    size_t n = 0;
    int rc;
    for (unsigned i = 0; i < op->n_args; i++) n += args[i].n;
    uint8_t *p = expr_take(run, n, &rc), *w = p;
    if (!p) return rc;
    for (unsigned i = 0; i < op->n_args; i++) {
        memcpy(w, args[i].p, args[i].n);
        w += args[i].n;
    }
    return set_text(&args[0], p, n);
}

const struct expr_function expr_concat = {.name = "+", .result = EXPR_TEXT, .run = run_concat};

/* args[0] between the others. */
static int run_join(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    struct expr_value sep = args[0];
    size_t n = (op->n_args - 2) * sep.n;
    int rc;
    for (unsigned i = 1; i < op->n_args; i++) n += args[i].n;
    uint8_t *p = expr_take(run, n, &rc), *w = p;
    if (!p) return rc;
    for (unsigned i = 1; i < op->n_args; i++) {
        if (i > 1) {
            memcpy(w, sep.p, sep.n);
            w += sep.n;
        }
        memcpy(w, args[i].p, args[i].n);
        w += args[i].n;
    }
    return set_text(&args[0], p, n);
}

/* ---- parts ---- */

/* Bytes [from:to) as Python has it: negative counts from the end, what is outside is cut off. */
static int run_slice(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    int64_t n = (int64_t)args[0].n, from = op->from, to = op->to;
    (void)run;
    if (from < 0) from = from < -n ? 0 : from + n;
    if (to < 0) to = to < -n ? 0 : to + n;
    if (from > n) from = n;
    if (to > n) to = n;
    return set_text(&args[0], args[0].p + from, to > from ? (size_t)(to - from) : 0);
}

const struct expr_function expr_slice = {.name = "slice", .result = EXPR_TEXT, .keeps_type = true, .run = run_slice};

/* SQL's: characters from position pos, the first is 1; negative from the end. */
static int run_substring(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    size_t n;
    int64_t pos = args[1].number, len = op->n_args > 2 ? args[2].number : INT64_MAX;
    if (!count_characters(args[0], &n)) return not_utf8(run, op, args[0]);
    if (pos < 0) pos = pos < -(int64_t)n ? 0 : (int64_t)n + pos + 1;
    if (pos < 1 || (uint64_t)pos > n || len <= 0) return set_text(&args[0], args[0].p, 0);
    struct expr_value v = args[0];
    size_t from = character_at(v, (size_t)pos - 1), all = n - (size_t)pos + 1;
    struct expr_value rest = {.p = v.p + from, .n = v.n - from};
    return set_text(&args[0], rest.p, (uint64_t)len >= all ? rest.n : character_at(rest, (size_t)len));
}

static int run_left(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    size_t n;
    if (args[1].number < 0) return expr_refuse(run, op, "%lld characters", (long long)args[1].number);
    if (!count_characters(args[0], &n)) return not_utf8(run, op, args[0]);
    size_t k = (uint64_t)args[1].number < n ? (size_t)args[1].number : n;
    if (!op->f->variant) return set_text(&args[0], args[0].p, character_at(args[0], k));
    size_t from = character_at(args[0], n - k);
    return set_text(&args[0], args[0].p + from, args[0].n - from);
}

/* Part k (from 1; negative from the end) of what is between separators; null when there are fewer. */
static int run_split(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    struct expr_value v = args[0], sep = args[1];
    int64_t k = args[2].number, parts = 1;
    if (!sep.n) return expr_refuse(run, op, "the separator is empty");
    const uint8_t *p = v.p, *end = v.p + v.n, *hit;
    for (const uint8_t *q = p; (hit = memmem(q, (size_t)(end - q), sep.p, sep.n)); q = hit + sep.n) parts++;
    if (k < 0) k += parts + 1;
    if (k < 1 || k > parts) {
        args[0] = (struct expr_value){0};
        return 1;
    }
    for (; k > 1; k--) p = (const uint8_t *)memmem(p, (size_t)(end - p), sep.p, sep.n) + sep.n;
    hit = memmem(p, (size_t)(end - p), sep.p, sep.n);
    return set_text(&args[0], p, (size_t)((hit ? hit : end) - p));
}

static int run_trim(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    const uint8_t *p = args[0].p, *end = p + args[0].n;
    (void)run;
    (void)op;
    while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r'))) p++;
    while (end > p && (end[-1] == ' ' || (end[-1] >= '\t' && end[-1] <= '\r'))) end--;
    return set_text(&args[0], p, (size_t)(end - p));
}

/* ---- the same length ---- */

static int run_reverse(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    struct expr_value v = args[0];
    uint32_t code;
    int rc;
    uint8_t *p = expr_take(run, v.n, &rc), *w = p + v.n;
    if (!p) return rc;
    for (size_t i = 0, n; i < v.n; i += n) {
        if (!(n = utf8_next(v.p + i, v.n - i, &code))) return not_utf8(run, op, v);
        w -= n;
        if (n == 1)
            *w = v.p[i];
        else
            memcpy(w, v.p + i, n);
    }
    return set_text(&args[0], p, v.n);
}

static int run_reverse_bytes(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    int rc;
    uint8_t *p = expr_take(run, args[0].n, &rc);
    (void)op;
    if (!p) return rc;
    for (size_t i = 0; i < args[0].n; i++) p[i] = args[0].p[args[0].n - 1 - i];
    return set_text(&args[0], p, args[0].n);
}

/* A to Z only: other letters stay as they are. */
static int run_case(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    uint8_t first = op->f->variant;
    int rc;
    uint8_t *p = expr_take(run, args[0].n, &rc);
    if (!p) return rc;
    for (size_t i = 0; i < args[0].n; i++) p[i] = args[0].p[i] ^ (uint8_t)((uint8_t)(args[0].p[i] - first) < 26 ? 0x20 : 0);
    return set_text(&args[0], p, args[0].n);
}

/* ---- other lengths ---- */

static int run_length(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    size_t n = args[0].n;
    if (op->f->variant && !count_characters(args[0], &n)) return not_utf8(run, op, args[0]);
    args[0] = expr_number((int64_t)n);
    return 1;
}

/* Pads to `width` characters with one fill character, on the left (variant 0) or on the right. */
static int run_pad(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    enum { WIDTH_MAX = 4096 };
    struct expr_value v = args[0], fill = op->n_args > 2 ? args[2] : expr_text(bytes_str(" "));
    int64_t width = args[1].number;
    size_t n, fills;
    char shown[EXPR_QUOTE_BYTES];
    int rc;
    if (width < 1 || width > WIDTH_MAX)
        return expr_refuse(run, op, "a width of %lld, expected 1 to %d", (long long)width, WIDTH_MAX);
    if (!count_characters(v, &n)) return not_utf8(run, op, v);
    if (!count_characters(fill, &fills) || fills != 1) return expr_refuse(run, op, "expected one character to fill with");
    if (n > (size_t)width) return expr_refuse(run, op, "%s is wider than %lld", expr_quote(v, shown), (long long)width);
    fills = (size_t)width - n;
    uint8_t *p = expr_take(run, v.n + fills * fill.n, &rc);
    if (!p) return rc;
    uint8_t *w = op->f->variant ? p + v.n : p;
    for (size_t i = 0; i < fills; i++) memcpy(w + i * fill.n, fill.p, fill.n);
    memcpy(op->f->variant ? p : p + fills * fill.n, v.p, v.n);
    return set_text(&args[0], p, v.n + fills * fill.n);
}

static int run_replace(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    struct expr_value v = args[0], from = args[1], to = args[2];
    size_t hits = 0;
    int rc;
    if (!from.n) return expr_refuse(run, op, "the text to replace is empty");
    const uint8_t *p = v.p, *end = v.p + v.n, *hit;
    for (const uint8_t *q = p; (hit = memmem(q, (size_t)(end - q), from.p, from.n)); q = hit + from.n) hits++;
    if (!hits) return 1;
    if (to.n && hits > SIZE_MAX / 2 / to.n) return expr_refuse(run, op, "the result is too long");
    size_t n = v.n - hits * from.n + hits * to.n;
    uint8_t *out = expr_take(run, n, &rc), *w = out;
    if (!out) return rc;
    for (; (hit = memmem(p, (size_t)(end - p), from.p, from.n)); p = hit + from.n) {
        memcpy(w, p, (size_t)(hit - p));
        w += hit - p;
        memcpy(w, to.p, to.n);
        w += to.n;
    }
    memcpy(w, p, (size_t)(end - p));
    return set_text(&args[0], out, n);
}

#define TEXT(name_, usage_, min_, max_, run_, ...) \
    { .name = name_, .usage = usage_, .result = EXPR_TEXT, .min_args = min_, .max_args = max_, .run = run_, __VA_ARGS__ }

static const struct expr_function list[] = {
    TEXT("concat", "concat(text, ...)", 1, EXPR_ARGS_MAX, run_concat, .args = {ARG_TEXT, ARG_TEXT, ARG_TEXT}),
    TEXT("join", "join(separator, text, ...)", 2, EXPR_ARGS_MAX, run_join, .args = {ARG_TEXT, ARG_TEXT, ARG_TEXT}),
    TEXT("substring", "substring(text, position[, length])", 2, 3, run_substring, .args = {ARG_TEXT, ARG_NUMBER, ARG_NUMBER}),
    TEXT("left", "left(text, characters)", 2, 2, run_left, .args = {ARG_TEXT, ARG_NUMBER}),
    TEXT("right", "right(text, characters)", 2, 2, run_left, .args = {ARG_TEXT, ARG_NUMBER}, .variant = 1),
    TEXT("split", "split(text, separator, number)", 3, 3, run_split, .args = {ARG_TEXT, ARG_TEXT, ARG_NUMBER}),
    TEXT("trim", "trim(text)", 1, 1, run_trim, .args = {ARG_TEXT}),
    TEXT("reverse", "reverse(text)", 1, 1, run_reverse, .args = {ARG_TEXT}),
    TEXT("reverse_bytes", "reverse_bytes(text)", 1, 1, run_reverse_bytes, .args = {ARG_TEXT}),
    TEXT("lower", "lower(text)", 1, 1, run_case, .args = {ARG_TEXT}, .variant = 'A'),
    TEXT("upper", "upper(text)", 1, 1, run_case, .args = {ARG_TEXT}, .variant = 'a'),
    TEXT("lpad", "lpad(text, width[, character])", 2, 3, run_pad, .args = {ARG_TEXT, ARG_NUMBER, ARG_TEXT}),
    TEXT("rpad", "rpad(text, width[, character])", 2, 3, run_pad, .args = {ARG_TEXT, ARG_NUMBER, ARG_TEXT}, .variant = 1),
    TEXT("replace", "replace(text, from, to)", 3, 3, run_replace, .args = {ARG_TEXT, ARG_TEXT, ARG_TEXT}),
    {.name = "length",
     .usage = "length(text)",
     .result = EXPR_NUMBER,
     .min_args = 1,
     .max_args = 1,
     .args = {ARG_TEXT},
     .variant = 1,
     .run = run_length},
    {.name = "byte_length",
     .usage = "byte_length(text)",
     .result = EXPR_NUMBER,
     .min_args = 1,
     .max_args = 1,
     .args = {ARG_TEXT},
     .run = run_length},
};
const struct expr_functions expr_text_functions = {list, countof(list)};
