/* Functions of expressions that turn bytes into text and back: hex and base64, in both alphabets of RFC 4648. Text that is
 * neither is the record's fault and rejects it. */
#include "base/text.h"
#include "formats/mapping/expr_program.h"
#include "formats/mapping/expr_run.h"

static int run_hex(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    int rc;
    uint8_t *p = expr_take(run, 2 * args[0].n, &rc);
    (void)op;
    if (!p) return rc;
    hex_write(p, bytes_of(args[0].p, args[0].n));
    args[0] = (struct expr_value){.p = p, .n = 2 * args[0].n};
    return 1;
}

static int run_unhex(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    char shown[EXPR_QUOTE_BYTES];
    struct expr_value v = args[0];
    int rc;
    uint8_t *p = expr_take(run, v.n / 2, &rc);
    if (!p) return rc;
    if (!hex_read(p, bytes_of(v.p, v.n))) return expr_refuse(run, op, "%s is not hex text", expr_quote(v, shown));
    args[0] = (struct expr_value){.p = p, .n = v.n / 2};
    return 1;
}

static int run_base64(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct expr_value v = args[0];
    int rc;
    uint8_t *p = expr_take(run, (v.n + 2) / 3 * 4, &rc), *w = p;
    (void)op;
    if (!p) return rc;
    for (size_t i = 0; i < v.n; i += 3) {
        uint32_t b = (uint32_t)v.p[i] << 16 | (i + 1 < v.n ? (uint32_t)v.p[i + 1] << 8 : 0) | (i + 2 < v.n ? v.p[i + 2] : 0u);
        *w++ = (uint8_t)digits[b >> 18];
        *w++ = (uint8_t)digits[b >> 12 & 63];
        *w++ = i + 1 < v.n ? (uint8_t)digits[b >> 6 & 63] : '=';
        *w++ = i + 2 < v.n ? (uint8_t)digits[b & 63] : '=';
    }
    args[0] = (struct expr_value){.p = p, .n = (size_t)(w - p)};
    return 1;
}

/* Returns the 6 bits of a character of base64, in both alphabets of RFC 4648. */
static int sextet(uint8_t c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* n characters without padding; false: not base64. */
static bool decode64(const uint8_t *in, size_t n, uint8_t *out) {
    uint32_t bits = 0;
    for (size_t i = 0; i < n; i++) {
        int v = sextet(in[i]);
        if (v < 0) return false;
        bits = bits << 6 | (unsigned)v;
        if (i % 4) *out++ = (uint8_t)(bits >> (6 - 2 * (i % 4)));
    }
    unsigned spare = n % 4 == 2 ? 4 : n % 4 == 3 ? 2 : 0;
    return n % 4 != 1 && !(bits & ((1u << spare) - 1));
}

/* Padding may be left out, but any that is given must be right. */
static int run_unbase64(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    char shown[EXPR_QUOTE_BYTES];
    struct expr_value v = args[0];
    size_t n = v.n;
    int rc;
    while (n && v.n - n < 2 && v.n % 4 == 0 && v.p[n - 1] == '=') n--;
    uint8_t *p = expr_take(run, v.n / 4 * 3 + 3, &rc);
    if (!p) return rc;
    if (!decode64(v.p, n, p)) return expr_refuse(run, op, "%s is not base64 text", expr_quote(v, shown));
    args[0] = (struct expr_value){.p = p, .n = n / 4 * 3 + (n % 4 ? n % 4 - 1 : 0)};
    return 1;
}

#define CODE(name_, run_) \
    { .name = name_, .usage = name_ "(text)", .result = EXPR_TEXT, .min_args = 1, .max_args = 1, .args = {ARG_TEXT}, .run = run_ }

static const struct expr_function list[] = {CODE("hex", run_hex), CODE("unhex", run_unhex), CODE("base64", run_base64),
                                            CODE("unbase64", run_unbase64)};
const struct expr_functions expr_code_functions = {list, countof(list)};
