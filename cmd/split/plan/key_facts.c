#include "cmd/split/plan/key_facts.h"

#include "base/bytes.h"
#include "base/text.h"

#include <math.h>

#define MS_FROM INT64_C(978307200000) /* 2001-01-01: as seconds it has 9 digits still, as any 10 from September on */
#define MS_TO INT64_C(4102444800000)  /* 2100-01-01 */

enum { OCEANBASE_KEY_BYTES = 1024, MOST = 9, OF = 10 };

static size_t leading_digits(struct bytes key) {
    size_t n = 0;
    while (n < key.n && key.p[n] >= '0' && key.p[n] <= '9') n++;
    return n;
}

static int64_t number(const uint8_t *p, size_t n) {
    int64_t v = 0;
    for (size_t i = 0; i < n; i++) v = v * 10 + (p[i] - '0');
    return v;
}

static bool is_ms(int64_t ms) {
    return ms >= MS_FROM && ms < MS_TO;
}

static bool is_day(int64_t year, int64_t month, int64_t day) {
    return year >= 1970 && year < 2100 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

static enum key_head text_head(struct bytes key) {
    size_t n = leading_digits(key);
    if (n == 13 && is_ms(number(key.p, 13))) return HEAD_EPOCH_TEXT;
    if (n == 10 && is_ms(number(key.p, 10) * 1000)) return HEAD_EPOCH_TEXT;
    if (n == 19 && key.p[0] == '9' && memcmp(key.p, "9223372036854775807", 19) <= 0 && is_ms(INT64_MAX - number(key.p, 19)))
        return HEAD_REVERSED_TEXT;
    if ((n == 8 || n == 12 || n == 14) && is_day(number(key.p, 4), number(key.p + 4, 2), number(key.p + 6, 2)))
        return HEAD_DATE_TEXT;
    if (n == 4 && key.n >= 10 && key.p[4] == '-' && key.p[7] == '-' && leading_digits(bytes_of(key.p + 5, 2)) == 2 &&
        leading_digits(bytes_of(key.p + 8, 2)) == 2 && is_day(number(key.p, 4), number(key.p + 5, 2), number(key.p + 8, 2)))
        return HEAD_DATE_TEXT;
    return HEAD_OTHER;
}

enum key_head key_head_of(struct bytes key) {
    enum key_head text = text_head(key);
    if (text != HEAD_OTHER || key.n < 8) return text;
    int64_t v = (int64_t)be64(key.p);
    if (is_ms(v)) return HEAD_EPOCH_LONG;
    return v > 0 && is_ms(INT64_MAX - v) ? HEAD_REVERSED_LONG : HEAD_OTHER;
}

static bool is_text(struct bytes key) {
    uint32_t code;
    size_t step;
    for (size_t i = 0; i < key.n; i += step)
        if (!(step = utf8_next(key.p + i, key.n - i, &code))) return false;
    return true;
}

/* key = last + 1 where both are as long: in decimal digits if the place that differs holds one, else in bytes. */
static bool is_successor(struct bytes last, struct bytes key) {
    size_t at = bytes_lcp(last, key);
    if (last.n != key.n || at == key.n || key.p[at] != last.p[at] + 1) return false;
    bool digits = key.p[at] >= '1' && key.p[at] <= '9';
    for (size_t i = at + 1; i < key.n; i++)
        if (key.p[i] != (digits ? '0' : 0x00) || last.p[i] != (digits ? '9' : 0xff)) return false;
    return true;
}

static void add_positions(struct key_facts *f, struct bytes key) {
    for (size_t i = 0; i < KEY_POSITIONS; i++) f->values[i][i < key.n ? key.p[i] : 256]++;
}

void key_facts_add(struct key_facts *f, struct bytes last, const struct weighed_row *row) {
    struct bytes key = row->row;
    if (last.p) {
        f->ascending += row->rank > f->last_rank;
        f->successors += is_successor(last, key);
    }
    if (!f->rows || key.n < f->shortest) f->shortest = key.n;
    if (key.n > f->longest) f->longest = key.n;
    f->rows++;
    f->cells += row->cells;
    f->bytes += row->bytes;
    f->key_bytes += key.n;
    f->of_length[key.n < KEY_POSITIONS ? key.n : KEY_POSITIONS]++;
    f->too_long += key.n > OCEANBASE_KEY_BYTES;
    f->heads[key_head_of(key)]++;
    f->not_text += !is_text(key);
    add_positions(f, key);
    f->last_rank = row->rank;
}

double key_facts_entropy(const struct key_facts *f, unsigned position) {
    double bits = 0;
    for (unsigned i = 0; i < 257 && f->rows; i++) {
        double share = (double)f->values[position][i] / (double)f->rows;
        if (share > 0) bits -= share * log2(share);
    }
    return bits;
}

enum key_head key_facts_head(const struct key_facts *f) {
    for (unsigned h = HEAD_OTHER + 1; h < HEAD_KINDS; h++)
        if (f->rows && f->heads[h] * OF >= f->rows * MOST) return h;
    return HEAD_OTHER;
}

const char *key_head_text(enum key_head h) {
    static const char *const texts[HEAD_KINDS] = {"nothing that looks like a time",    "a time in decimal digits",
                                                  "Long.MAX - time in decimal digits", "a date",
                                                  "milliseconds as 8 bytes",           "Long.MAX - milliseconds as 8 bytes"};
    return texts[h];
}
