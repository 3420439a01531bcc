/* Values of options as people write them: sizes (64M), shares (5%), times (ms, a date, RFC 3339) and single bytes. A value is
 * taken whole or refused: nothing may follow it. */
#include "cmd/common/opt_value.h"
#include "table/table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int opt_size(const char *text, uint64_t *out) {
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || errno) return -1;
    unsigned shift = 0;
    switch (*end) {
    case 'k':
    case 'K': shift = 10; break;
    case 'm':
    case 'M': shift = 20; break;
    case 'g':
    case 'G': shift = 30; break;
    case 't':
    case 'T': shift = 40; break;
    case 0: break;
    default: return -1;
    }
    if (shift) end++;
    if (shift && *end == 'i') end++;
    if (shift && *end == 'B') end++;
    if (*end || v > UINT64_MAX >> shift) return -1;
    *out = v << shift;
    return 0;
}

int opt_seconds(const char *text, uint64_t *out) {
    uint32_t seconds;
    if (!ttl_parse(bytes_str(text), &seconds) || !seconds) return -1;
    *out = seconds;
    return 0;
}

int opt_share(const char *text, double *out) {
    char *end;
    double v = strtod(text, &end);
    if (end == text || (*end && strcmp(end, "%"))) return -1;
    if (*end == '%') v /= 100;
    *out = v;
    return v > 0 && v <= 1 ? 0 : -1;
}

static int parse_zone(const char *s, long *seconds) {
    int h, m, n = 0;
    char sign;
    *seconds = 0;
    if (!strcmp(s, "Z") || !strcmp(s, "z")) return 0;
    if (sscanf(s, "%c%2d:%2d%n", &sign, &h, &m, &n) != 3 || s[n] || (sign != '+' && sign != '-')) return -1;
    if (h < 0 || h > 23 || m < 0 || m > 59) return -1;
    *seconds = (h * 3600L + m * 60L) * (sign == '-' ? -1 : 1);
    return 0;
}

/* timegm would make a date of any numbers. */
static bool is_date(struct tm tm) {
    if (tm.tm_year < 0 || tm.tm_hour < 0 || tm.tm_hour > 23 || tm.tm_min < 0 || tm.tm_min > 59) return false;
    if (tm.tm_sec < 0 || tm.tm_sec > 59) return false;
    int day = tm.tm_mday, month = tm.tm_mon;
    timegm(&tm);
    return tm.tm_mday == day && tm.tm_mon == month;
}

int opt_time(const char *text, int64_t *ms) {
    char *end, day[24];
    errno = 0;
    long long v = strtoll(text, &end, 10);
    *ms = v;
    if (end != text && !*end && !errno) return v < 0 ? -1 : 0;
    struct tm tm = {0};
    int n = 0;
    if (strlen(text) == sizeof "2026-11-21" - 1) {
        snprintf(day, sizeof day, "%sT00:00:00Z", text);
        text = day;
    }
    if (sscanf(text, "%4d-%2d-%2d%*1[Tt ]%2d:%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min,
               &tm.tm_sec, &n) != 6 ||
        !n)
        return -1;
    tm.tm_year -= 1900;
    tm.tm_mon--;
    const char *p = text + n;
    long frac = 0, zone;
    if (*p == '.') {
        int digits = 0;
        for (p++; *p >= '0' && *p <= '9'; p++)
            if (digits++ < 3) frac = frac * 10 + (*p - '0');
        if (!digits) return -1;
        for (; digits < 3; digits++) frac *= 10;
    }
    if (!is_date(tm) || parse_zone(p, &zone)) return -1;
    *ms = ((int64_t)timegm(&tm) - zone) * 1000 + frac;
    return *ms < 0 ? -1 : 0;
}
