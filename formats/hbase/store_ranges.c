#include "formats/hbase/store_ranges.h"

#include "hfile/key_text.h"

enum { SAID_MAX = 10 };

struct ranges {
    struct store_report *report;
    size_t holes, overlaps;
};

static const char *shown(struct bytes key, const char *open, char text[KEY_TEXT_BYTES]) {
    return key.n ? key_text_hex(key, text) : open;
}

static int say_hole(struct ranges *r, struct bytes from, struct bytes to, struct err *err) {
    char a[KEY_TEXT_BYTES], b[KEY_TEXT_BYTES];
    if (r->holes++ >= SAID_MAX) return 0;
    return buf_printf(&r->report->warnings, err, "no region holds the rows from %s to %s: they are missing\n",
                      shown(from, "the first", a), shown(to, "the last", b));
}

static int say_overlap(struct ranges *r, const struct region_info *x, const struct region_info *y, struct err *err) {
    char a[KEY_TEXT_BYTES], b[KEY_TEXT_BYTES];
    bool x_ends = x->end.n && (!y->end.n || bytes_cmp(buf_bytes(&x->end), buf_bytes(&y->end)) < 0);
    struct bytes to = buf_bytes(x_ends ? &x->end : &y->end);
    if (r->overlaps++ >= SAID_MAX) return 0;
    return buf_printf(&r->report->warnings, err, "regions %s and %s both hold the rows from %s to %s: both are read\n",
                      x->encoded, y->encoded, shown(buf_bytes(&y->start), "the first", a), shown(to, "the last", b));
}

static int say_rest(const struct ranges *r, struct err *err) {
    size_t holes = r->holes > SAID_MAX ? r->holes - SAID_MAX : 0, overlaps = r->overlaps > SAID_MAX ? r->overlaps - SAID_MAX : 0;
    if (!holes && !overlaps) return 0;
    return buf_printf(&r->report->warnings, err, "and more: %zu ranges without a region, %zu held by two\n", holes, overlaps);
}

int store_ranges_check(const struct region_info *regions, size_t n, struct store_report *report, struct err *err) {
    struct ranges r = {.report = report};
    const struct region_info *last = NULL; /* of those before, the one that reaches furthest */
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++) {
        struct bytes start = buf_bytes(&regions[i].start), end = buf_bytes(&regions[i].end);
        int c = !last ? start.n > 0 : !last->end.n ? -1 : bytes_cmp(start, buf_bytes(&last->end));
        if (c > 0) rc = say_hole(&r, last ? buf_bytes(&last->end) : (struct bytes){0}, start, err);
        if (c < 0) rc = say_overlap(&r, last, &regions[i], err);
        bool further = !last || (last->end.n && (!end.n || bytes_cmp(end, buf_bytes(&last->end)) > 0));
        if (further) last = &regions[i];
    }
    if (!rc && n == 0) rc = buf_printf(&report->warnings, err, "there is no region\n");
    if (!rc && last && last->end.n) rc = say_hole(&r, buf_bytes(&last->end), (struct bytes){0}, err);
    return rc ? rc : say_rest(&r, err);
}
