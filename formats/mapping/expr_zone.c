/* Time zones: UTC, fixed offsets, and names of the system's zone database (TZif files), read once when an expression is compiled
 * and searched by bisection afterwards. */
#include "base/bytes.h"
#include "base/fs.h"
#include "formats/mapping/expr_run.h"
#include "formats/mapping/expr_zone.h"

#include <stdlib.h>

static int two_digits(const uint8_t *p) {
    unsigned a = p[0] - (unsigned)'0', b = p[1] - (unsigned)'0';
    return a < 10 && b < 10 ? (int)(a * 10 + b) : -1;
}

size_t expr_zone_parse_offset(struct bytes t, int32_t *offset_s) {
    if (t.n && (t.p[0] == 'Z' || t.p[0] == 'z')) {
        *offset_s = 0;
        return 1;
    }
    if (t.n < 3 || (t.p[0] != '+' && t.p[0] != '-')) return 0;
    int hours = two_digits(t.p + 1), minutes = -1;
    size_t n = 3;
    if (t.n >= 6 && t.p[3] == ':' && (minutes = two_digits(t.p + 4)) >= 0)
        n = 6;
    else if (t.n >= 5 && (minutes = two_digits(t.p + 3)) >= 0)
        n = 5;
    if (minutes < 0) minutes = 0;
    if (hours < 0 || hours > 18 || minutes > 59) return 0;
    *offset_s = (hours * 3600 + minutes * 60) * (t.p[0] == '-' ? -1 : 1);
    return n;
}

/* ---- the zone database: TZif files, RFC 8536 ---- */

struct tzif {
    const uint8_t *p;
    size_t n;
    uint32_t n_isut, n_isstd, n_leap, n_time, n_type, n_char;
};

enum { HEADER_BYTES = 44, TYPE_BYTES = 6, FILE_MAX_BYTES = 1 << 20 };

static bool take_header(struct tzif *f) {
    if (f->n < HEADER_BYTES || memcmp(f->p, "TZif", 4) != 0 || f->p[4] < '2') return false;
    uint32_t *counts[] = {&f->n_isut, &f->n_isstd, &f->n_leap, &f->n_time, &f->n_type, &f->n_char};
    for (size_t i = 0; i < countof(counts); i++) *counts[i] = be32(f->p + 20 + 4 * i);
    return true;
}

/* Bytes of the block that follows a header, with times of `width` bytes. */
static uint64_t block_bytes(const struct tzif *f, unsigned width) {
    return (uint64_t)f->n_time * (width + 1) + (uint64_t)f->n_type * TYPE_BYTES + f->n_char + (uint64_t)f->n_leap * (width + 4) +
           f->n_isstd + f->n_isut;
}

/* Moves on to the second header, whose times have 64 bits. */
static bool take_second(struct tzif *f) {
    if (!take_header(f)) return false;
    uint64_t skip = HEADER_BYTES + block_bytes(f, 4);
    if (skip > f->n) return false;
    f->p += skip;
    f->n -= (size_t)skip;
    return take_header(f) && block_bytes(f, 8) <= f->n - HEADER_BYTES && f->n_type > 0;
}

static bool take_changes(const struct tzif *f, struct zone_change *changes, struct expr_zone *z) {
    const uint8_t *times = f->p + HEADER_BYTES, *which = times + (size_t)f->n_time * 8, *types = which + f->n_time;
    z->first_s = (int32_t)be32(types);
    for (uint32_t i = 0; i < f->n_time; i++) {
        if (which[i] >= f->n_type) return false;
        changes[i].from_s = (int64_t)be64(times + (size_t)i * 8);
        changes[i].offset_s = (int32_t)be32(types + (size_t)which[i] * TYPE_BYTES);
        if (i && changes[i].from_s <= changes[i - 1].from_s) return false;
    }
    z->n = f->n_time;
    z->changes = changes;
    size_t end = HEADER_BYTES + (size_t)block_bytes(f, 8);
    z->open = memchr(f->p + end, ',', f->n - end) != NULL; /* the footer: a rule for summer time */
    return true;
}

static bool is_zone_name(struct bytes name) {
    if (!name.n || name.n > 64 || name.p[0] == '/' || name.p[0] == '.') return false;
    for (size_t i = 0; i < name.n; i++) {
        uint8_t c = name.p[i] | 0x20;
        if (!((c >= 'a' && c <= 'z') || strchr("0123456789+-_/", name.p[i])) || !name.p[i]) return false;
    }
    return true;
}

static int read_zone(struct bytes name, struct expr_scratch *memory, struct expr_zone *z, struct err *err) {
    struct err why = {0};
    struct tzif f = {0};
    char *path = fs_printf(err, "/usr/share/zoneinfo/%.*s", (int)name.n, (const char *)name.p);
    char *text = path ? fs_read_text(path, FILE_MAX_BYTES, &f.n, &why) : NULL;
    struct zone_change *changes = NULL;
    int rc = path ? 0 : -1;
    f.p = (const uint8_t *)text;
    if (!rc && (!text || !take_second(&f)))
        rc = err_set(err, ERR_USAGE, "there is no time zone '%.*s' in /usr/share/zoneinfo (package tzdata)", (int)name.n,
                     (const char *)name.p);
    if (!rc && !(changes = expr_keep(memory, (size_t)f.n_time * sizeof *changes, err))) rc = -1;
    if (!rc && !take_changes(&f, changes, z)) rc = err_set(err, ERR_USAGE, "%s is damaged", path);
    free(text);
    free(path);
    return rc;
}

int expr_zone_find(struct bytes name, struct expr_scratch *memory, struct expr_zone *z, struct err *err) {
    *z = (struct expr_zone){0};
    bool prefix = name.n >= 3 && (!memcmp(name.p, "UTC", 3) || !memcmp(name.p, "GMT", 3));
    struct bytes offset = prefix ? bytes_of(name.p + 3, name.n - 3) : name;
    if (prefix && !offset.n) return 0;
    if (offset.n && expr_zone_parse_offset(offset, &z->first_s) == offset.n) return 0;
    if (!is_zone_name(name))
        return err_set(err, ERR_USAGE, "'%.*s' is not a time zone; write UTC, +08:00 or a name such as Asia/Shanghai",
                       (int)(name.n > 40 ? 40 : name.n), (const char *)name.p);
    return read_zone(name, memory, z, err);
}

/* ---- looking up ---- */

/* The number of changes at or before utc_s. */
static uint32_t changes_until(const struct expr_zone *z, int64_t utc_s) {
    uint32_t low = 0, high = z->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (z->changes[mid].from_s <= utc_s)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

bool expr_zone_at(const struct expr_zone *z, int64_t utc_s, int32_t *offset_s) {
    uint32_t k = changes_until(z, utc_s);
    *offset_s = k ? z->changes[k - 1].offset_s : z->first_s;
    return !(z->open && k == z->n);
}

bool expr_zone_at_local(const struct expr_zone *z, int64_t local_s, int32_t *offset_s, enum zone_hour *hour) {
    enum { FARTHEST_S = 26 * 3600 }; /* more than any offset */
    uint32_t k = changes_until(z, local_s - FARTHEST_S);
    *hour = ZONE_HOUR_ONCE;
    for (;; k++) {
        *offset_s = k ? z->changes[k - 1].offset_s : z->first_s;
        if (k == z->n) return !z->open;
        const int64_t change = z->changes[k].from_s;
        int32_t later = z->changes[k].offset_s;
        if (local_s - *offset_s < change) {
            if (local_s - later >= change) *hour = ZONE_HOUR_REPEATED;
            return true;
        }
        if (later <= *offset_s || local_s - later >= change) continue;
        *hour = ZONE_HOUR_SKIPPED;
        return true;
    }
}
