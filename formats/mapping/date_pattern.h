/* Dates in parts, and the patterns of their text, as Java's SimpleDateFormat has them. Private to the functions of dates.
 * Exports: date */
#include "formats/mapping/expr_zone.h"
#ifndef FORMATS_MAPPING_DATE_PATTERN_H
#define FORMATS_MAPPING_DATE_PATTERN_H

enum date_kind {
    DATE_TEXT,
    DATE_YEAR,
    DATE_YEAR2,
    DATE_MONTH,
    DATE_MONTH_NAME,
    DATE_DAY,
    DATE_HOUR,
    DATE_HOUR12,
    DATE_MINUTE,
    DATE_SECOND,
    DATE_FRACTION,
    DATE_HALF,
    DATE_WEEKDAY,
    DATE_ZONE,    /* Z: +hhmm */
    DATE_ISO_ZONE /* X: +hh, XX: +hhmm, XXX: +hh:mm; no offset is "Z" */
};

enum { ITEMS_MAX = 48 };

struct date_item {
    enum date_kind kind;
    unsigned width;    /* digits; 1 = one or more; DATE_ISO_ZONE: letters */
    struct bytes text; /* DATE_TEXT */
};

enum date_style { STYLE_PATTERN, STYLE_ISO, STYLE_SECONDS, STYLE_MILLIS, STYLE_MICROS };

struct date_format {
    enum date_style style;
    struct date_item items[ITEMS_MAX];
    unsigned n;
    size_t fixed; /* bytes of a date, where all of it are digits and text of known lengths; else 0 */
    struct bytes pattern;
    struct expr_zone zone;
};

/* A date in parts. */
struct date {
    int64_t year;
    unsigned month, day, hour, minute, second, millis;
    int half; /* 0 AM, 1 PM, -1 not said */
    bool has_offset;
    int32_t offset_s;
};

/* ---- the calendar: proleptic Gregorian ---- */

/* Days since 1970. */
int64_t date_days(int64_t y, unsigned m, unsigned d);
/* Fills year, month and day. */
void date_from_days(int64_t z, struct date *t);
bool date_exists(const struct date *t);

/* Fills items and fixed from f->pattern. reads: for dates that are read, not printed. ERR_USAGE says what is wrong with it. */
int date_pattern_parse(struct date_format *f, bool reads, struct err *err);

#endif
