/* Functions of expressions over whole numbers of 64 bits. What does not fit rejects the record: nothing wraps around, and nothing
 * is rounded. */
#include "formats/mapping/expr_number.h"
#include "formats/mapping/expr_program.h"

#include "base/bytes.h"
#include "base/text.h"
#include "formats/mapping/expr_run.h"

enum { DIGITS_MAX = 20 };

bool expr_parse_number(struct bytes text, int64_t *out) {
    bool negative = text.n && text.p[0] == '-';
    size_t i = negative || (text.n && text.p[0] == '+');
    uint64_t v = 0, limit = (uint64_t)INT64_MAX + negative;
    if (i == text.n) return false;
    for (; i < text.n; i++) {
        unsigned d = (unsigned)text.p[i] - '0';
        if (d > 9 || v > limit / 10 || v * 10 > limit - d) return false;
        v = v * 10 + d;
    }
    *out = negative ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

/* Digits on both sides of a point or a comma at least. */
static bool has_fraction(struct bytes text) {
    bool marks = false, digits = false;
    for (size_t i = 0; i < text.n; i++) {
        bool digit = text.p[i] >= '0' && text.p[i] <= '9', mark = text.p[i] == '.' || text.p[i] == ',';
        if (!digit && !mark && (i || text.p[0] != '-')) return false;
        digits |= digit;
        marks |= mark;
    }
    return digits && marks;
}

/* Decimal digits, at least `width` of them after the sign. */
static size_t put_decimal(uint8_t *out, int64_t v, size_t width) {
    uint8_t digits[DIGITS_MAX];
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    size_t n = 0, k = 0;
    do digits[n++] = (uint8_t)('0' + u % 10);
    while (u /= 10);
    if (v < 0) out[k++] = '-';
    for (size_t i = n + k; i < width; i++) out[k++] = '0';
    while (n) out[k++] = digits[--n];
    return k;
}

static int put_padded(struct expr_run *run, int64_t v, size_t width, struct expr_value *out) {
    int rc;
    uint8_t *p = expr_take(run, width > DIGITS_MAX ? width + 1 : DIGITS_MAX + 1, &rc);
    if (!p) return rc;
    *out = (struct expr_value){.p = p, .n = put_decimal(p, v, width)};
    return 1;
}

static int run_to_text(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    (void)op;
    return put_padded(run, args[0].number, 0, &args[0]);
}

static int run_to_number(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    char shown[EXPR_QUOTE_BYTES];
    int64_t v;
    if (!expr_parse_number(bytes_of(args[0].p, args[0].n), &v))
        return expr_refuse(run, op, "%s is not a whole number of 64 bits%s", expr_quote(args[0], shown),
                           has_fraction(bytes_of(args[0].p, args[0].n)) ? "; decimal(x, places, mark) reads fractions" : "");
    args[0] = expr_number(v);
    return 1;
}

const struct expr_function expr_to_text = {.name = "text", .result = EXPR_TEXT, .run = run_to_text};
const struct expr_function expr_to_number = {.name = "number", .result = EXPR_NUMBER, .run = run_to_number};

/* ---- operators ---- */

enum { MINUS, TIMES, DIVIDE, REMAINDER };

static int64_t floor_mod(int64_t a, int64_t n) {
    int64_t r = n == -1 ? 0 : a % n;
    return r != 0 && (r < 0) != (n < 0) ? r + n : r;
}

static int run_operator(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    int64_t a = args[0].number, b = args[1].number, r = 0;
    bool bad = false;
    if (op->f->variant >= DIVIDE && b == 0) return expr_refuse(run, op, "division by zero");
    switch (op->f->variant) {
    case MINUS: bad = __builtin_sub_overflow(a, b, &r); break;
    case TIMES: bad = __builtin_mul_overflow(a, b, &r); break;
    case DIVIDE:
        bad = a == INT64_MIN && b == -1;
        r = bad ? 0 : a / b;
        break;
    default: r = floor_mod(a, b);
    }
    if (bad) return expr_refuse(run, op, "%lld %s %lld does not fit 64 bits", (long long)a, op->f->name, (long long)b);
    args[0] = expr_number(r);
    return 1;
}

static int run_negate(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    if (args[0].number == INT64_MIN) return expr_refuse(run, op, "the smallest number has no opposite in 64 bits");
    args[0].number = -args[0].number;
    return 1;
}

const struct expr_function expr_negate = {.name = "-", .result = EXPR_NUMBER, .run = run_negate};

const struct expr_function *expr_operator(const char *sign) {
    static const struct expr_function operators[] = {
        {.name = "-", .result = EXPR_NUMBER, .variant = MINUS, .run = run_operator},
        {.name = "*", .result = EXPR_NUMBER, .variant = TIMES, .run = run_operator},
        {.name = "/", .result = EXPR_NUMBER, .variant = DIVIDE, .run = run_operator},
        {.name = "%", .result = EXPR_NUMBER, .variant = REMAINDER, .run = run_operator},
    };
    for (size_t i = 0; i < countof(operators); i++)
        if (!strcmp(operators[i].name, sign)) return &operators[i];
    return NULL;
}

/* ---- functions ---- */

static int run_same(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    (void)run;
    (void)op;
    (void)args;
    return 1;
}

static int run_abs(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    return args[0].number < 0 ? run_negate(run, op, args) : 1;
}

static int run_add(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    for (unsigned i = 1; i < op->n_args; i++)
        if (__builtin_add_overflow(args[0].number, args[i].number, &args[0].number))
            return expr_refuse(run, op, "the sum does not fit 64 bits");
    return 1;
}

/* n bytes, or as many pairs of hex digits, as a big-endian number. */
static inline uint32_t digest_word(const uint8_t *p, size_t n, bool hex) {
    uint32_t v = 0;
    for (size_t i = 0; i < n; i++) v = v << 8 | (hex ? (unsigned)hex_byte(p + 2 * i) : p[i]);
    return v;
}

/* The digest as one unsigned number, big-endian, modulo n: BigInteger(1, digest).mod(n). Four bytes at a time: for n below
 * 2^32 without 128-bit division. An odd hex digit of a slice comes first, so that the others are pairs. */
static int64_t mod_digest(struct expr_value digest, bool hex, int64_t n) {
    const uint8_t *p = digest.p;
    size_t left = hex ? digest.n / 2 : digest.n;
    uint64_t m = (uint64_t)n, r = 0;
    if (hex && digest.n % 2) r = (unsigned)hex_digit(*p++) % m;
    while (left) {
        size_t k = left % 4 ? left % 4 : 4;
        uint32_t word = digest_word(p, k, hex);
        r = m <= UINT32_MAX ? (r << 8 * k | word) % m : (uint64_t)(((unsigned __int128)r << 8 * k | word) % m);
        p += hex ? 2 * k : k;
        left -= k;
    }
    return (int64_t)r;
}

static int take_mod(struct expr_run *run, const struct expr_op *op, const struct expr_value *args, int64_t *out) {
    int64_t n = args[1].number;
    if (n <= 0) return expr_refuse(run, op, "modulo %lld: expected a number above 0", (long long)n);
    bool digest = op->type == EXPR_HEX || op->type == EXPR_RAW;
    *out = digest ? mod_digest(args[0], op->type == EXPR_HEX, n) : floor_mod(args[0].number, n);
    return 1;
}

static int run_mod(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    int64_t r = 0;
    if (!take_mod(run, op, args, &r)) return 0;
    args[0] = expr_number(r);
    return 1;
}

/* As wide as n - 1. */
static int run_salt(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    uint8_t widest[DIGITS_MAX + 1];
    int64_t r = 0;
    return take_mod(run, op, args, &r) ? put_padded(run, r, put_decimal(widest, args[1].number - 1, 0), &args[0]) : 0;
}

static int run_zeropad(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    enum { WIDTH_MAX = 1024 };
    int64_t width = args[1].number;
    char shown[EXPR_QUOTE_BYTES];
    struct expr_value text = args[0];
    int rc;
    if (width < 1 || width > WIDTH_MAX)
        return expr_refuse(run, op, "a width of %lld, expected 1 to %d", (long long)width, WIDTH_MAX);
    size_t w = (size_t)width;
    if (text.n > w) return expr_refuse(run, op, "%s is wider than %zu", expr_quote(text, shown), w);
    uint8_t *p = expr_take(run, w, &rc);
    if (!p) return rc;
    size_t sign = text.n && text.p[0] == '-';
    memset(p, '0', w);
    if (sign) p[0] = '-';
    if (text.n > sign) memcpy(p + w - (text.n - sign), text.p + sign, text.n - sign);
    args[0] = (struct expr_value){.p = p, .n = w};
    return 1;
}

/* Hex digits, at most 16, as an unsigned number; above Long.MAX is refused. */
static int run_hex_number(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    char shown[EXPR_QUOTE_BYTES];
    uint64_t v = 0;
    bool bad = !args[0].n || args[0].n > 16;
    for (size_t i = 0; !bad && i < args[0].n; i++) {
        int digit = hex_digit(args[0].p[i]);
        bad = digit < 0;
        v = v << 4 | (unsigned)digit;
    }
    if (bad || v > INT64_MAX) return expr_refuse(run, op, "%s is not a hex number of 63 bits", expr_quote(args[0], shown));
    args[0] = expr_number((int64_t)v);
    return 1;
}

/* Big-endian: two's complement as Bytes.toLong and toInt read it. */
static int run_from_bytes(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    if (args[0].n != 4 && args[0].n != 8) return expr_refuse(run, op, "%zu bytes, expected 4 or 8", args[0].n);
    args[0] = expr_number(args[0].n == 8 ? (int64_t)be64(args[0].p) : (int32_t)be32(args[0].p));
    return 1;
}

/* Bytes.toBytes(long), (int), (short). */
static int run_to_bytes(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    unsigned width = op->f->variant;
    int64_t v = args[0].number, top = width == 8 ? INT64_MAX : (INT64_C(1) << (8 * width - 1)) - 1;
    int rc;
    if (v > top || v < -top - 1) return expr_refuse(run, op, "%lld does not fit %u bytes", (long long)v, width);
    uint8_t *p = expr_take(run, 8, &rc);
    if (!p) return rc;
    put_be64(p, (uint64_t)v);
    args[0] = (struct expr_value){.p = p + 8 - width, .n = width};
    return 1;
}

#define NUMBER(name_, usage_, n_, run_)                                                                                          \
    {                                                                                                                            \
        .name = name_, .usage = usage_, .result = EXPR_NUMBER, .min_args = n_, .max_args = n_, .args = {ARG_NUMBER, ARG_NUMBER}, \
        .run = run_                                                                                                              \
    }
#define BYTES_OF(name_, width_)                                                                                            \
    {                                                                                                                      \
        .name = name_, .usage = name_ "(number)", .result = EXPR_TEXT, .min_args = 1, .max_args = 1, .args = {ARG_NUMBER}, \
        .variant = width_, .run = run_to_bytes                                                                             \
    }

static const struct expr_function list[] = {
    NUMBER("number", "number(text)", 1, run_same),
    NUMBER("abs", "abs(number)", 1, run_abs),
    {.name = "add",
     .usage = "add(number, number, ...)",
     .result = EXPR_NUMBER,
     .min_args = 2,
     .max_args = EXPR_ARGS_MAX,
     .args = {ARG_NUMBER, ARG_NUMBER, ARG_NUMBER},
     .run = run_add},
    {.name = "mod",
     .usage = "mod(number or digest, n)",
     .result = EXPR_NUMBER,
     .min_args = 2,
     .max_args = 2,
     .args = {ARG_COUNT, ARG_NUMBER},
     .run = run_mod},
    {.name = "salt",
     .usage = "salt(hash or number, n)",
     .result = EXPR_TEXT,
     .min_args = 2,
     .max_args = 2,
     .args = {ARG_HASH, ARG_NUMBER},
     .run = run_salt},
    {.name = "zeropad",
     .usage = "zeropad(text or number, width)",
     .result = EXPR_TEXT,
     .min_args = 2,
     .max_args = 2,
     .args = {ARG_TEXT, ARG_NUMBER},
     .run = run_zeropad},
    {.name = "hex_number",
     .usage = "hex_number(hex digits)",
     .result = EXPR_NUMBER,
     .min_args = 1,
     .max_args = 1,
     .args = {ARG_TEXT},
     .run = run_hex_number},
    {.name = "from_bytes",
     .usage = "from_bytes(4 or 8 bytes)",
     .result = EXPR_NUMBER,
     .min_args = 1,
     .max_args = 1,
     .args = {ARG_TEXT},
     .run = run_from_bytes},
    BYTES_OF("int64", 8),
    BYTES_OF("int32", 4),
    BYTES_OF("int16", 2),
};
const struct expr_functions expr_number_functions = {list, countof(list)};
