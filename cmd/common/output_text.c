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
