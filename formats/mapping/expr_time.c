/* Dates to milliseconds and back. Formats are patterns as Java's SimpleDateFormat has them, strict: numbers have just the
 * digits of the pattern (one letter: as many as there are), and every date exists. */
#include "formats/mapping/date_pattern.h"
#include "formats/mapping/expr_number.h"
#include "formats/mapping/expr_run.h"

#include <stdio.h>

static const char month_names[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
static const char day_names[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

/* Makes a date format of the second and third argument; a pattern is not parsed yet. NULL with err. */
static struct date_format *make_format(struct expr_op *op, const struct expr_value *consts, struct expr_scratch *memory,
                                       struct err *err) {
    static const char *const styles[] = {
        [STYLE_ISO] = "iso", [STYLE_SECONDS] = "seconds", [STYLE_MILLIS] = "millis", [STYLE_MICROS] = "micros"};
    struct date_format *f = expr_keep(memory, sizeof *f, err);
    if (!f) return NULL;
    *f = (struct date_format){.pattern = {consts[1].p, consts[1].n}};
    op->data = f;
    for (size_t i = 1; i < countof(styles); i++)
        if (bytes_eq(f->pattern, bytes_str(styles[i]))) f->style = (enum date_style)i;
    if (op->n_args > 2 && expr_zone_find(bytes_of(consts[2].p, consts[2].n), memory, &f->zone, err)) return NULL;
    return f;
}

/* ---- reading ---- */

struct time_text {
    const uint8_t *p, *end;
};

/* `width` digits, or for width 1 up to `most`. */
static bool take_digits(struct time_text *c, unsigned width, unsigned most, unsigned *v) {
    unsigned n = 0, limit = width == 1 ? most : width;
    *v = 0;
    for (; n < limit && c->p < c->end && *c->p >= '0' && *c->p <= '9'; n++) *v = *v * 10 + (*c->p++ - (unsigned)'0');
    return n && (width == 1 || n == width);
}

static bool take_name(struct time_text *c, const char (*names)[4], unsigned n, unsigned *v) {
    if (c->end - c->p < 3) return false;
    for (*v = 0; *v < n; ++*v) {
        bool same = true;
        for (unsigned i = 0; i < 3; i++) same &= (c->p[i] | 0x20) == ((uint8_t)names[*v][i] | 0x20);
        if (same) {
            c->p += 3;
            return true;
        }
    }
    return false;
}

static bool take_fraction(struct time_text *c, unsigned width, struct date *t) {
    unsigned n = 0, millis = 0;
    for (; n < (width == 1 ? 9 : width) && c->p < c->end && *c->p >= '0' && *c->p <= '9'; n++, c->p++)
        if (n < 3) millis = millis * 10 + (*c->p - (unsigned)'0');
    for (unsigned k = n; k < 3; k++) millis *= 10;
    t->millis = millis;
    return n && (width == 1 || n == width);
}

static bool take_half(struct time_text *c, struct date *t) {
    if (c->end - c->p < 2 || (c->p[1] | 0x20) != 'm') return false;
    uint8_t first = c->p[0] | 0x20;
    t->half = first == 'p';
    c->p += 2;
    return first == 'a' || first == 'p';
}

static bool take_offset(struct time_text *c, struct date *t) {
    size_t n = expr_zone_parse_offset(bytes_of(c->p, (size_t)(c->end - c->p)), &t->offset_s);
    if (!n && c->end - c->p >= 3 && (!memcmp(c->p, "UTC", 3) || !memcmp(c->p, "GMT", 3))) n = 3;
    c->p += n;
    t->has_offset = n > 0;
    return n > 0;
}

static bool take_text(struct time_text *c, struct bytes text) {
    if ((size_t)(c->end - c->p) < text.n || memcmp(c->p, text.p, text.n) != 0) return false;
    c->p += text.n;
    return true;
}

static bool take_part(struct time_text *c, const struct date_item *it, struct date *t) {
    unsigned v;
    bool ok = true;
    switch (it->kind) {
    case DATE_TEXT: return take_text(c, it->text);
    case DATE_YEAR:
        ok = take_digits(c, it->width, 4, &v);
        t->year = v;
        return ok;
    case DATE_YEAR2: /* as POSIX has it */
        ok = take_digits(c, 2, 2, &v);
        t->year = v + (v < 69 ? 2000 : 1900);
        return ok;
    case DATE_MONTH: return take_digits(c, it->width, 2, &t->month);
    case DATE_MONTH_NAME:
        ok = take_name(c, month_names, 12, &t->month);
        t->month++;
        return ok;
    case DATE_DAY: return take_digits(c, it->width, 2, &t->day);
    case DATE_HOUR: return take_digits(c, it->width, 2, &t->hour);
    case DATE_HOUR12:
        ok = take_digits(c, it->width, 2, &t->hour) && t->hour >= 1 && t->hour <= 12;
        t->hour %= 12;
        return ok;
    case DATE_MINUTE: return take_digits(c, it->width, 2, &t->minute);
    case DATE_SECOND: return take_digits(c, it->width, 2, &t->second);
    case DATE_FRACTION: return take_fraction(c, it->width, t);
    case DATE_HALF: return take_half(c, t);
    case DATE_WEEKDAY: return take_name(c, day_names, 7, &v);
    case DATE_ZONE:
    case DATE_ISO_ZONE: return take_offset(c, t);
    }
    return false;
}

/* RFC 3339; everything after the day may be missing. */
static bool take_iso(struct time_text *c, struct date *t) {
    unsigned year;
    if (!take_digits(c, 4, 4, &year) || !take_text(c, bytes_str("-")) || !take_digits(c, 2, 2, &t->month)) return false;
    t->year = year;
    if (!take_text(c, bytes_str("-")) || !take_digits(c, 2, 2, &t->day)) return false;
    if (c->p == c->end) return true;
    if (*c->p != 'T' && *c->p != 't' && *c->p != ' ') return false;
    c->p++;
    if (!take_digits(c, 2, 2, &t->hour) || !take_text(c, bytes_str(":")) || !take_digits(c, 2, 2, &t->minute)) return false;
    if (take_text(c, bytes_str(":")) && !take_digits(c, 2, 2, &t->second)) return false;
    if (take_text(c, bytes_str(".")) && !take_fraction(c, 1, t)) return false;
    return c->p == c->end || take_offset(c, t);
}

/* Two digits, or something above 99. */
static unsigned two_digits(const uint8_t *p) {
    unsigned a = p[0] - (unsigned)'0', b = p[1] - (unsigned)'0';
    return a > 9 || b > 9 ? 100 : a * 10 + b;
}

/* A date of f->fixed bytes: the same as item by item, but nothing has to be looked for. */
static bool take_fixed(const struct date_format *f, const uint8_t *p, struct date *t) {
    for (unsigned i = 0; i < f->n; i++) {
        const struct date_item *it = &f->items[i];
        unsigned v = it->kind == DATE_TEXT ? 0 : two_digits(p);
        if (v > 99) return false;
        switch (it->kind) {
        case DATE_YEAR: t->year = v * 100 + two_digits(p + 2); break;
        case DATE_MONTH: t->month = v; break;
        case DATE_DAY: t->day = v; break;
        case DATE_HOUR: t->hour = v; break;
        case DATE_MINUTE: t->minute = v; break;
        case DATE_SECOND: t->second = v; break;
        default:
            for (size_t k = 0; k < it->text.n; k++)
                if (p[k] != it->text.p[k]) return false;
        }
        if (it->kind == DATE_YEAR && two_digits(p + 2) > 99) return false;
        p += it->kind == DATE_TEXT ? it->text.n : it->width;
    }
    return true;
}

static bool read_date(const struct date_format *f, struct expr_value v, struct date *t) {
    struct time_text c = {v.p, v.p + v.n};
    *t = (struct date){.year = 1970, .month = 1, .day = 1, .half = -1};
    if (f->fixed) return v.n == f->fixed && take_fixed(f, v.p, t) && date_exists(t);
    bool ok = f->style != STYLE_ISO || take_iso(&c, t);
    for (unsigned i = 0; ok && i < f->n; i++) ok = take_part(&c, &f->items[i], t);
    if (t->half == 1) t->hour += 12;
    return ok && c.p == c.end && date_exists(t);
}

static int read_epoch(struct expr_run *run, const struct expr_op *op, struct expr_value *args, enum date_style style) {
    char shown[EXPR_QUOTE_BYTES];
    int64_t v;
    if (!expr_parse_number(bytes_of(args[0].p, args[0].n), &v) || (style == STYLE_SECONDS && __builtin_mul_overflow(v, 1000, &v)))
        return expr_refuse(run, op, "%s is not a whole number of %s", expr_quote(args[0], shown),
                           style == STYLE_SECONDS ? "seconds" : "milliseconds or microseconds");
    args[0] = expr_number(style == STYLE_MICROS ? v / 1000 : v);
    return 1;
}

static int run_date(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    const struct date_format *f = op->data;
    char shown[EXPR_QUOTE_BYTES];
    struct date t;
    if (!args[0].n) { /* no text, no date: null, so that what is missing needs no if() */
        args[0] = (struct expr_value){0};
        return 1;
    }
    if (f->style > STYLE_ISO) return read_epoch(run, op, args, f->style);
    if (!read_date(f, args[0], &t))
        return expr_refuse(run, op, "%s is not a date of the form %.*s", expr_quote(args[0], shown), (int)f->pattern.n,
                           (const char *)f->pattern.p);
    int64_t local = date_days(t.year, t.month, t.day) * 86400 + t.hour * 3600 + t.minute * 60 + t.second;
    int32_t offset = t.offset_s;
    enum zone_hour hour = ZONE_HOUR_ONCE;
    if (!t.has_offset && !expr_zone_at_local(&f->zone, local, &offset, &hour))
        return expr_refuse(run, op, "%s is later than the time zone database covers", expr_quote(args[0], shown));
    run->scratch->hour_skipped |= hour == ZONE_HOUR_SKIPPED;
    run->scratch->hour_repeated |= hour == ZONE_HOUR_REPEATED;
    args[0] = expr_number((local - offset) * 1000 + t.millis);
    return 1;
}

static int prepare_date(struct expr_op *op, const struct expr_value *consts, struct expr_scratch *memory, struct err *err) {
    struct date_format *f = make_format(op, consts, memory, err);
    if (!f) return -1;
    return f->style == STYLE_PATTERN ? date_pattern_parse(f, true, err) : 0;
}

/* ---- writing ---- */

enum { OUT_MAX_BYTES = 24 }; /* of one item that is no text */

static size_t put_offset(char *out, int32_t offset) {
    unsigned a = (unsigned)(offset < 0 ? -offset : offset);
    return (size_t)snprintf(out, OUT_MAX_BYTES, "%c%02u%02u", offset < 0 ? '-' : '+', a / 3600, a / 60 % 60);
}

/* As SimpleDateFormat writes X, XX and XXX: one letter drops the minutes. */
static size_t put_iso_offset(char *out, int32_t offset, unsigned letters) {
    unsigned a = (unsigned)(offset < 0 ? -offset : offset);
    if (!offset) return (size_t)snprintf(out, OUT_MAX_BYTES, "Z");
    size_t n = (size_t)snprintf(out, OUT_MAX_BYTES, "%c%02u", offset < 0 ? '-' : '+', a / 3600);
    if (letters > 1) n += (size_t)snprintf(out + n, OUT_MAX_BYTES - n, letters == 3 ? ":%02u" : "%02u", a / 60 % 60);
    return n;
}

/* Writes at least `width` digits. */
static size_t put_digits(char *out, uint64_t v, size_t width) {
    size_t n = 1;
    for (uint64_t rest = v / 10; rest; rest /= 10) n++;
    if (n < width) n = width;
    for (size_t i = n; i-- > 0; v /= 10) out[i] = (char)('0' + v % 10);
    return n;
}

static size_t put_item(char *out, const struct date_item *it, const struct date *t, int64_t days) {
    unsigned w = it->width;
    uint64_t v = 0;
    switch (it->kind) {
    case DATE_YEAR: v = (uint64_t)t->year; break;
    case DATE_YEAR2: v = (uint64_t)t->year % 100; break;
    case DATE_MONTH: v = t->month; break;
    case DATE_DAY: v = t->day; break;
    case DATE_HOUR: v = t->hour; break;
    case DATE_HOUR12: v = t->hour % 12 ? t->hour % 12 : 12; break;
    case DATE_MINUTE: v = t->minute; break;
    case DATE_SECOND: v = t->second; break;
    case DATE_FRACTION: /* SSS are milliseconds; further digits are zeros */
        v = t->millis;
        for (unsigned i = w; i > 3; i--) v *= 10;
        for (unsigned i = w; i < 3; i++) v /= 10;
        break;
    case DATE_HALF: return (size_t)snprintf(out, OUT_MAX_BYTES, "%s", t->hour < 12 ? "AM" : "PM");
    case DATE_MONTH_NAME: return (size_t)snprintf(out, OUT_MAX_BYTES, "%s", month_names[t->month - 1]);
    case DATE_WEEKDAY: return (size_t)snprintf(out, OUT_MAX_BYTES, "%s", day_names[((days + 4) % 7 + 7) % 7]);
    case DATE_ZONE: return put_offset(out, t->offset_s);
    case DATE_ISO_ZONE: return put_iso_offset(out, t->offset_s, w);
    case DATE_TEXT: return 0;
    }
    return put_digits(out, v, w);
}

static int64_t floor_div(int64_t a, int64_t n) {
    return a / n - (a % n < 0);
}

static int run_format_date(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    const struct date_format *f = op->data;
    int64_t ms = args[0].number, utc_s = floor_div(ms, 1000);
    struct date t = {.millis = (unsigned)(ms - utc_s * 1000)};
    int rc;
    if (utc_s < date_days(0, 1, 2) * 86400 || utc_s >= date_days(9999, 12, 31) * 86400)
        return expr_refuse(run, op, "%lld ms is not in the years 0 to 9999", (long long)ms);
    if (!expr_zone_at(&f->zone, utc_s, &t.offset_s))
        return expr_refuse(run, op, "%lld ms is later than the time zone database covers", (long long)ms);
    int64_t local = utc_s + t.offset_s, days = floor_div(local, 86400), s = local - days * 86400;
    date_from_days(days, &t);
    t.hour = (unsigned)(s / 3600);
    t.minute = (unsigned)(s / 60 % 60);
    t.second = (unsigned)(s % 60);
    uint8_t *p = expr_take(run, f->pattern.n + (size_t)f->n * OUT_MAX_BYTES, &rc);
    if (!p) return rc;
    size_t n = 0;
    for (unsigned i = 0; i < f->n; i++) {
        struct bytes text = f->items[i].text;
        if (text.n) memcpy(p + n, text.p, text.n);
        n += text.n + put_item((char *)p + n, &f->items[i], &t, days);
    }
    args[0] = (struct expr_value){.p = p, .n = n};
    return 1;
}

static int prepare_format(struct expr_op *op, const struct expr_value *consts, struct expr_scratch *memory, struct err *err) {
    struct date_format *f = make_format(op, consts, memory, err);
    if (!f) return -1;
    if (f->style == STYLE_ISO) f->pattern = bytes_str("yyyy-MM-dd'T'HH:mm:ss.SSSXXX");
    if (f->style > STYLE_ISO) return err_set(err, ERR_USAGE, "expected 'iso', or a pattern such as 'yyyyMMddHH'");
    f->style = STYLE_PATTERN;
    return date_pattern_parse(f, false, err);
}

static const struct expr_function list[] = {
    {.name = "date",
     .usage = "date(text, pattern or 'iso', 'seconds', 'millis', 'micros'[, zone])",
     .result = EXPR_NUMBER,
     .min_args = 2,
     .max_args = 3,
     .args = {ARG_TEXT, ARG_CONST, ARG_CONST},
     .run = run_date,
     .prepare = prepare_date},
    {.name = "format_date",
     .usage = "format_date(milliseconds, pattern or 'iso'[, zone])",
     .result = EXPR_TEXT,
     .min_args = 2,
     .max_args = 3,
     .args = {ARG_NUMBER, ARG_CONST, ARG_CONST},
     .run = run_format_date,
     .prepare = prepare_format},
};
const struct expr_functions expr_time_functions = {list, countof(list)};
