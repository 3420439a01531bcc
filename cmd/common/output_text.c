/* Results in text. Paths and messages may hold any bytes, so JSON strings show what is not UTF-8 as \xNN; a command whose reader
 * leaves early (| head) ends quietly. */
#include "cmd/common/output_text.h"

#include "base/err.h"
#include "base/plain.h"
#include "base/json.h"
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

json_t *json_text(const char *s) {
    json_t *j = json_string(s);
    if (j) return j;
    char *escaped = json_memory_alloc(4 * strlen(s) + 1), *w = escaped;
    if (!escaped) return NULL;
    for (; *s; s++) {
        if ((unsigned char)*s < 0x80)
            *w++ = *s;
        else
            w += snprintf(w, 5, "\\x%02x", (unsigned char)*s);
    }
    *w = 0;
    j = json_string(escaped);
    json_memory_free(escaped);
    return j;
}

json_t *json_plain(struct bytes b) {
    size_t room = 4 * b.n + PLAIN_BYTES;
    char *text = json_memory_alloc(room);
    if (!text) return NULL;
    json_t *j = json_string(plain_text(b, text, room));
    json_memory_free(text);
    return j;
}

json_t *json_plain_column(struct bytes family, struct bytes qualifier) {
    struct bytes b = bytes_of(NULL, family.n + 1 + qualifier.n);
    uint8_t *p = json_memory_alloc(b.n);
    if (!p) return NULL;
    memcpy(p, family.p, family.n);
    p[family.n] = ':';
    if (qualifier.n) memcpy(p + family.n + 1, qualifier.p, qualifier.n);
    b.p = p;
    json_t *j = json_plain(b);
    json_memory_free(p);
    return j;
}

json_t *json_hex(struct bytes b) {
    char *text = json_memory_alloc(2 * b.n + 1);
    if (!text) return NULL;
    hex_write((uint8_t *)text, b);
    json_t *j = json_stringn(text, 2 * b.n);
    json_memory_free(text);
    return j;
}

static void put_plain(const char *text, size_t n) {
    char piece[PLAIN_BYTES];
    size_t used;
    for (size_t i = 0; i < n; i += used) {
        size_t bytes = plain_char((const uint8_t *)text + i, n - i, piece, &used);
        if (text[i] == '\n')
            putchar('\n');
        else
            (void)fwrite(piece, 1, bytes, stdout); /* report_flush looks for errors */
    }
}

void text_print(const char *fmt, ...) {
    char some[2048], *all = NULL;
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(some, sizeof some, fmt, ap);
    va_end(ap);
    if (n < 0) return;
    va_start(ap, fmt);
    if ((size_t)n >= sizeof some && vasprintf(&all, fmt, ap) < 0) all = NULL;
    va_end(ap);
    put_plain(all ? all : some, all ? (size_t)n : strlen(some));
    free(all);
}

int json_text_put(json_t *j, struct err *err) {
    char *text = json_memory_dump(j, JSON_INDENT(1), "the result document", err);
    if (!text) return -1;
    puts(text);
    free(text);
    return 0;
}

void moment_rfc3339(int64_t ms, char out[32]) {
    time_t s = (time_t)(ms / 1000);
    struct tm tm;
    size_t n = gmtime_r(&s, &tm) ? strftime(out, 24, "%Y-%m-%dT%H:%M:%S", &tm) : 0;
    snprintf(out + n, 32 - n, ".%03dZ", (int)(ms % 1000));
}

void moment_text(int64_t ms, bool with_time, char out[48]) {
    const int64_t YEAR_10000_S = INT64_C(253402300800);
    time_t s = (time_t)(ms / 1000);
    struct tm tm;
    if (ms < 0 || s >= YEAR_10000_S || !gmtime_r(&s, &tm))
        snprintf(out, 48, "%lld ms", (long long)ms);
    else
        strftime(out, 48, with_time ? "%Y-%m-%d %H:%M:%S UTC" : "%Y-%m-%d", &tm);
}

void moment_text_within(int64_t ms, int64_t span_ms, char out[48]) {
    char text[48];
    moment_text(ms, true, text);
    bool time_alone = span_ms < 86400000 && strlen(text) == sizeof "2026-11-21 18:30:05 UTC" - 1;
    snprintf(out, 48, time_alone ? "%.8s" : "%s", time_alone ? text + 11 : text);
}

int stdout_write(const void *p, size_t n, bool *gone, struct err *err) {
    const uint8_t *at = p;
    while (n) {
        ssize_t w = write(STDOUT_FILENO, at, n);
        if (w < 0 && errno == EINTR) continue;
        if (w < 0 && errno == EPIPE) {
            *gone = true;
            return 0;
        }
        if (w < 0) return err_sys(err, ERR_OUTPUT, errno, "cannot write to standard output");
        at += w;
        n -= (size_t)w;
    }
    return 0;
}

int stdout_write_text(struct bytes text, bool *gone, struct err *err) {
    struct buf plain = {0};
    int rc = plain_put_lines(&plain, text, err);
    if (!rc) rc = stdout_write(plain.p, plain.n, gone, err);
    buf_free(&plain);
    return rc;
}

int stdout_write_data(struct bytes text, bool *gone, struct err *err) {
    return isatty(STDOUT_FILENO) ? stdout_write_text(text, gone, err) : stdout_write(text.p, text.n, gone, err);
}

int stdout_write_named(const struct path_names *names, struct bytes text, bool is_json, bool *gone, struct err *err) {
    struct buf named = {0};
    int rc = path_names_put(names, text, &named, err);
    if (!rc) rc = (is_json ? stdout_write(named.p, named.n, gone, err) : stdout_write_text(buf_bytes(&named), gone, err));
    buf_free(&named);
    return rc;
}

/* ---- width: as terminals draw characters ----
 * Those of East Asia and emoji are two columns wide (East Asian Width W and F), marks that combine with the letter before
 * them take none. wcwidth would need the user's locale: output is the same everywhere. */

struct range {
    uint32_t first, last;
};

static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x26a1, 0x26a1},   {0x26bd, 0x26be},   {0x2705, 0x2705},   {0x270a, 0x270b},   {0x2728, 0x2728},
    {0x274c, 0x274c},   {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2b50, 0x2b50},   {0x2e80, 0x303e},   {0x3041, 0x33ff},
    {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},
    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18cff}, {0x1aff0, 0x1b2ff}, {0x1f18e, 0x1f18e},
    {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca},
    {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc},
    {0x1f4ff, 0x1f53d}, {0x1f550, 0x1f567}, {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6d0, 0x1f6d2}, {0x1f6eb, 0x1f6ec},
    {0x1f7e0, 0x1f7eb}, {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};

static const struct range combining[] = {
    {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},   {0x64b, 0x65f},   {0x670, 0x670},    {0x6d6, 0x6dc},
    {0x6df, 0x6e4},   {0x7eb, 0x7f3},   {0x900, 0x902},   {0x93a, 0x93a},   {0x93c, 0x93c},   {0x941, 0x948},    {0x94d, 0x94d},
    {0x951, 0x957},   {0x962, 0x963},   {0x981, 0x981},   {0x9bc, 0x9bc},   {0x9c1, 0x9c4},   {0x9cd, 0x9cd},    {0xe31, 0xe31},
    {0xe34, 0xe3a},   {0xe47, 0xe4e},   {0xeb1, 0xeb1},   {0xeb4, 0xebc},   {0xec8, 0xecd},   {0x1ab0, 0x1aff},  {0x1dc0, 0x1dff},
    {0x20d0, 0x20f0}, {0x302a, 0x302d}, {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef}};

static bool lies_in(uint32_t code, const struct range *r, size_t n) {
    size_t lo = 0;
    while (n) {
        size_t half = n / 2;
        if (code > r[lo + half].last) {
            lo += half + 1;
            n -= half + 1;
        } else if (code < r[lo + half].first) {
            n = half;
        } else {
            return true;
        }
    }
    return false;
}

static size_t char_width(const uint8_t *p, size_t left, size_t *bytes) {
    uint32_t code = 0;
    *bytes = utf8_next(p, left, &code);
    if (!*bytes) {
        *bytes = 1;
        return 1;
    }
    if (code < 0x300) return 1;
    if (lies_in(code, combining, sizeof combining / sizeof *combining)) return 0;
    return lies_in(code, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

size_t text_width(const char *text, size_t n) {
    size_t columns = 0, bytes;
    for (size_t i = 0; i < n; i += bytes) columns += char_width((const uint8_t *)text + i, n - i, &bytes);
    return columns;
}

size_t text_fit(const char *text, size_t n, size_t columns) {
    size_t at = 0, bytes;
    while (at < n) {
        const size_t width = char_width((const uint8_t *)text + at, n - at, &bytes);
        if (width > columns) break;
        columns -= width;
        at += bytes;
    }
    return at;
}
