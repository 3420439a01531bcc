/* A time to live as people write it: a number of seconds; numbers with units, 90d or 1h30m; and what HBase's shell takes and
 * shows (PrettyPrinter of HBase): '90 DAYS', '1 DAYS 2 HOURS', '86400 SECONDS (1 DAY)', FOREVER. */
#include "table/table.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

static void drop(struct bytes *in, size_t n) {
    in->p += n;
    in->n -= n;
}

static void skip_blanks(struct bytes *in) {
    while (in->n && isspace(*in->p)) drop(in, 1);
}

static bool take_byte(struct bytes *in, uint8_t c) {
    skip_blanks(in);
    if (!in->n || *in->p != c) return false;
    drop(in, 1);
    return true;
}

static bool take_count(struct bytes *in, uint64_t *v) {
    size_t n = 0;
    skip_blanks(in);
    for (*v = 0; n < in->n && isdigit(in->p[n]) && *v <= UINT32_MAX; n++) *v = *v * 10 + in->p[n] - '0';
    drop(in, n);
    return n && *v <= UINT32_MAX;
}

/* Seconds of the unit that comes next; 0: none does. */
static uint32_t take_unit(struct bytes *in) {
    static const struct {
        const char *names[3];
        uint32_t seconds;
    } units[] = {{{"s", "second", "seconds"}, 1},
                 {{"m", "minute", "minutes"}, 60},
                 {{"h", "hour", "hours"}, 3600},
                 {{"d", "day", "days"}, 86400},
                 {{"w", "week", "weeks"}, 604800}};
    size_t n = 0;
    skip_blanks(in);
    while (n < in->n && isalpha(in->p[n])) n++;
    for (unsigned i = 0; i < countof(units); i++)
        for (unsigned k = 0; k < countof(units[i].names); k++) {
            const char *name = units[i].names[k];
            if (strlen(name) != n || strncasecmp(name, (const char *)in->p, n) != 0) continue;
            drop(in, n);
            return units[i].seconds;
        }
    return 0;
}

/* Numbers with their units, up to a bracket or the end. */
static bool take_parts(struct bytes *in, uint64_t *sum) {
    *sum = 0;
    do {
        uint64_t v;
        uint32_t unit;
        if (!take_count(in, &v) || !(unit = take_unit(in))) return false;
        *sum += v * unit;
        skip_blanks(in);
    } while (in->n && isdigit(*in->p) && *sum <= UINT32_MAX);
    return *sum <= UINT32_MAX;
}

bool ttl_parse(struct bytes text, uint32_t *seconds) {
    struct bytes in = bytes_trim(text), number = in;
    uint64_t sum, again;
    *seconds = 0;
    if (in.n == 7 && !strncasecmp((const char *)in.p, "forever", 7)) return true;
    bool plain = take_count(&number, &sum) && !number.n;
    if (!plain && !take_parts(&in, &sum)) return false;
    if (!plain && take_byte(&in, '(') && (!take_parts(&in, &again) || again != sum || !take_byte(&in, ')'))) return false;
    if ((!plain && in.n) || !sum || sum >= UINT32_MAX) return false;
    *seconds = sum == INT32_MAX ? 0 : (uint32_t)sum; /* HConstants.FOREVER */
    return true;
}
