/* Timestamps are counted by what they would be in other units: nearly all cost two comparisons. Text is checked as a whole first
 * (text_is_utf8), value by value only where it is not UTF-8. */
#include "engine/input.h"

#include "base/text.h"
#include "engine/input_signs.h"

/* 1990 and 1980, in ms: HBase is younger than both. */
enum { EARLIEST_S = 631152000, FIRST_SECONDS = 315532800 };
static const int64_t earliest_ms = INT64_C(1000) * EARLIEST_S;

/* yyyyMMdd, and perhaps HH, mm, ss and SSS: so many digits; 0: it is no date. */
static unsigned digits_of_date(int64_t t) {
    unsigned n = 0;
    int64_t rest = t;
    for (int64_t v = t; v > 0; v /= 10) n++;
    if (n != 8 && n != 10 && n != 12 && n != 14 && n != 17) return 0;
    if (n == 17) rest /= 1000;
    for (unsigned left = n == 17 ? 14 : n; left > 8; left -= 2, rest /= 100)
        if (rest % 100 > (left == 10 ? 23 : 59)) return 0;
    const int64_t day = rest % 100, month = rest / 100 % 100, year = rest / 10000;
    return year >= 1900 && year <= 2100 && month >= 1 && month <= 12 && day >= 1 && day <= 31 ? n : 0;
}

static void note_odd(struct input_signs *s, int64_t t, int64_t latest_ms) {
    const unsigned digits = digits_of_date(t);
    s->early += t < earliest_ms;
    if (digits && !s->dates++) s->date_digits = digits;
    if (t >= FIRST_SECONDS && t <= latest_ms / 1000) s->seconds++;
    if (t <= latest_ms) return;
    if (t == INT64_MAX) {
        s->latest++;
        return;
    }
    s->late++;
    s->micros += t / 1000 >= earliest_ms && t / 1000 <= latest_ms;
    s->nanos += t / 1000000 >= earliest_ms && t / 1000000 <= latest_ms;
}

static void note_ttl(struct input_signs *s, struct bytes tags) {
    enum { HOUR_S = 3600, MINUTE_MS = 60000 };
    int64_t ttl;
    if (!cell_ttl_ms(tags, &ttl)) return;
    s->ttls++;
    s->ttl_seconds += ttl > 0 && ttl % HOUR_S == 0 && ttl % MINUTE_MS != 0;
}

void input_signs_time(struct input_signs *s, const struct cell *cells, uint32_t n, int64_t latest_ms) {
    s->cells += n;
    for (uint32_t i = 0; i < n; i++) {
        if (cells[i].ts_ms < earliest_ms || cells[i].ts_ms > latest_ms) note_odd(s, cells[i].ts_ms, latest_ms);
        if (cells[i].tags.n) note_ttl(s, cells[i].tags);
    }
}

void input_signs_text(struct input_signs *s, const struct row_part *part) {
    s->not_utf8 += !text_is_utf8(part->row);
    for (uint32_t i = 0; i < part->n_cells; i++) s->not_utf8 += !text_is_utf8(part->cells[i].value);
}

void input_signs_add(struct input_signs *sum, const struct input_signs *s) {
    sum->cells += s->cells;
    sum->seconds += s->seconds;
    sum->early += s->early;
    sum->late += s->late;
    sum->micros += s->micros;
    sum->nanos += s->nanos;
    if (!sum->dates) sum->date_digits = s->date_digits;
    sum->dates += s->dates;
    sum->latest += s->latest;
    sum->not_utf8 += s->not_utf8;
    sum->ttls += s->ttls;
    sum->ttl_seconds += s->ttl_seconds;
}
