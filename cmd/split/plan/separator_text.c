#include "cmd/split/plan/separator_text.h"

#include "base/text.h"

/* How many leading bytes are whole characters without NUL. */
static size_t text_bytes(struct bytes b) {
    size_t i = 0, step;
    uint32_t code;
    while (i < b.n && (step = utf8_next(b.p + i, b.n - i, &code)) && code) i += step;
    return i;
}

/* The shortest prefix of row that ends between characters and is longer than `common`: 0 = none. */
static size_t prefix_bytes(struct bytes row, size_t common, size_t text) {
    uint32_t code;
    for (size_t i = 0; i < text; i += utf8_next(row.p + i, row.n - i, &code))
        if (i > common) return i;
    return text > common ? text : 0;
}

/* An ASCII character between the two at the first place where they differ; where that is no place for a character: 0. */
static uint8_t ascii_between(struct bytes before, struct bytes row, size_t common) {
    uint8_t low = common < before.n ? before.p[common] : 0, high = row.p[common];
    if (low >= 0x7f || high <= low) return 0;
    return high < 0x80 ? 0 : 0x7f; /* below 0x80 the row's own character would have been taken */
}

int separator_text(struct bytes before, struct bytes row, struct buf *out, struct err *err) {
    size_t common = bytes_lcp(before, row), text = text_bytes(row), n = prefix_bytes(row, common, text);
    buf_clear(out);
    if (n) return buf_put(out, row.p, n, err) ? -1 : 1;
    uint8_t c = text >= common ? ascii_between(before, row, common) : 0;
    if (!c) return 0;
    return buf_put(out, row.p, common, err) || buf_put_byte(out, c, err) ? -1 : 1;
}
