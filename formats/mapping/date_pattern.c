/* The calendar, and patterns of dates: what each letter of a pattern stands for, how wide it is, and how many bytes a date of the
 * pattern has where that is fixed. expr_time.c reads and writes dates by them. */
#include "formats/mapping/date_pattern.h"

/* ---- the calendar: proleptic Gregorian ---- */

int64_t date_days(int64_t y, unsigned m, unsigned d) {
    y -= m <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    unsigned yoe = (unsigned)(y - era * 400), doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
    return era * 146097 + (int64_t)(yoe * 365 + yoe / 4 - yoe / 100 + doy) - 719468;
}

void date_from_days(int64_t z, struct date *t) {
    z += 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    unsigned doe = (unsigned)(z - era * 146097), yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    t->day = doy - (153 * mp + 2) / 5 + 1;
    t->month = mp < 10 ? mp + 3 : mp - 9;
    t->year = (int64_t)yoe + era * 400 + (t->month <= 2);
}

bool date_exists(const struct date *t) {
    if (t->month < 1 || t->month > 12 || t->day < 1 || t->hour > 23 || t->minute > 59 || t->second > 59) return false;
    static const uint8_t month_days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = t->year % 4 == 0 && (t->year % 100 != 0 || t->year % 400 == 0);
    return t->day <= month_days[t->month - 1] + (unsigned)(leap && t->month == 2);
}

/* ---- patterns ---- */

static enum date_kind kind_of(uint8_t letter, unsigned width) {
    switch (letter) {
    case 'y': return width == 2 ? DATE_YEAR2 : DATE_YEAR;
    case 'M': return width >= 3 ? DATE_MONTH_NAME : DATE_MONTH;
    case 'd': return DATE_DAY;
    case 'H': return DATE_HOUR;
    case 'h': return DATE_HOUR12;
    case 'm': return DATE_MINUTE;
    case 's': return DATE_SECOND;
    case 'S': return DATE_FRACTION;
    case 'a': return DATE_HALF;
    case 'E': return DATE_WEEKDAY;
    case 'X': return width <= 3 ? DATE_ISO_ZONE : DATE_TEXT;
    case 'Z': return DATE_ZONE;
    default: return DATE_TEXT;
    }
}

static bool is_letter(uint8_t c) {
    return (uint8_t)((c | 0x20) - 'a') < 26;
}

/* One item at p; returns where it ends. *quoted: p is between single quotes, which are no part of a text. */
static size_t take_item(struct bytes p, size_t i, struct date_item *item, struct err *err) {
    size_t k = i + 1;
    if (p.p[i] == '\'') {
        while (k < p.n && p.p[k] != '\'') k++;
        if (k == p.n) err_set(err, ERR_USAGE, "the quote in the date pattern is never closed");
        *item = (struct date_item){DATE_TEXT, 0, k == i + 1 ? bytes_of(p.p + i, 1) : bytes_of(p.p + i + 1, k - i - 1)};
        return k + 1;
    }
    if (!is_letter(p.p[i])) {
        *item = (struct date_item){DATE_TEXT, 0, bytes_of(p.p + i, 1)};
        return k;
    }
    while (k < p.n && p.p[k] == p.p[i]) k++;
    *item = (struct date_item){.kind = kind_of(p.p[i], (unsigned)(k - i)), .width = (unsigned)(k - i)};
    if (item->kind == DATE_TEXT || (item->width > 4 && item->kind != DATE_FRACTION) || item->width > 9)
        err_set(err, ERR_USAGE,
                "'%.*s' is not part of a date pattern; known are y M d H h m s S a E X Z, other letters go in quotes ''",
                (int)(k - i), (const char *)p.p + i);
    return k;
}

static size_t fixed_bytes(const struct date_item *it) {
    switch (it->kind) {
    case DATE_TEXT: return it->text.n;
    case DATE_YEAR: return it->width == 4 ? 4 : 0;
    case DATE_MONTH:
    case DATE_DAY:
    case DATE_HOUR:
    case DATE_MINUTE:
    case DATE_SECOND: return it->width == 2 ? 2 : 0;
    default: return 0;
    }
}

static size_t fixed_bytes_of(const struct date_format *f) {
    size_t total = 0;
    for (unsigned i = 0; i < f->n; i++) {
        size_t n = fixed_bytes(&f->items[i]);
        if (!n) return 0;
        total += n;
    }
    return total;
}

static unsigned has(const struct date_format *f, enum date_kind kind) {
    unsigned n = 0;
    for (unsigned i = 0; i < f->n; i++) n += f->items[i].kind == kind;
    return n;
}

/* mm for months, SS for seconds, hh for hours of a whole day: what such a pattern reads or writes is wrong, and looks right. */
static int check_letters(const struct date_format *f, bool reads, struct err *err) {
    bool hours = has(f, DATE_HOUR) || has(f, DATE_HOUR12), months = has(f, DATE_MONTH) || has(f, DATE_MONTH_NAME);
    bool days = has(f, DATE_YEAR) || has(f, DATE_YEAR2) || has(f, DATE_DAY);
    if ((has(f, DATE_MINUTE) && days && !months && !hours) || (reads && has(f, DATE_MINUTE) > 1))
        return err_set(err, ERR_USAGE, "in a date pattern, m are minutes; months are M");
    if (reads && has(f, DATE_MONTH) > 1) return err_set(err, ERR_USAGE, "in a date pattern, M are months; minutes are m");
    if (has(f, DATE_FRACTION) && has(f, DATE_MINUTE) && !has(f, DATE_SECOND))
        return err_set(err, ERR_USAGE, "in a date pattern, S are fractions of a second; seconds are s");
    if (reads && has(f, DATE_HOUR12) && !has(f, DATE_HALF))
        return err_set(err, ERR_USAGE, "in a date pattern, h are hours up to 12 and need a (AM, PM); hours up to 23 are H");
    return 0;
}

int date_pattern_parse(struct date_format *f, bool reads, struct err *err) {
    for (size_t i = 0; i < f->pattern.n;) {
        if (f->n == ITEMS_MAX) return err_set(err, ERR_USAGE, "the date pattern is too long");
        i = take_item(f->pattern, i, &f->items[f->n++], err);
        if (err->code) return -1;
    }
    f->fixed = fixed_bytes_of(f);
    return f->n ? check_letters(f, reads, err) : err_set(err, ERR_USAGE, "the date pattern is empty");
}
