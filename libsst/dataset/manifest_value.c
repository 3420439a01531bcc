#include "dataset/manifest_value.h"

#include "base/text.h"

#include <stdlib.h>

json_t *manifest_hex(struct bytes b) {
    char *s = malloc(b.n * 2 + 1);
    if (!s) return NULL;
    hex_write((uint8_t *)s, b);
    json_t *j = json_stringn(s, b.n * 2);
    free(s);
    return j;
}

static int nibble(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

int manifest_hex_parse(const json_t *j, struct buf *out, struct err *err) {
    const char *s = json_string_value(j);
    size_t n = json_string_length(j);
    if (!s || n % 2) return err_set(err, ERR_INPUT, "manifest: hex text expected");
    out->n = 0;
    if (buf_reserve(out, n / 2 + 1, err)) return -1;
    for (size_t i = 0; i < n; i += 2) {
        int hi = nibble(s[i]), lo = nibble(s[i + 1]);
        if (hi < 0 || lo < 0) return err_set(err, ERR_INPUT, "manifest: '%.20s' is not hex", s);
        out->p[out->n++] = (uint8_t)(hi << 4 | lo);
    }
    return 0;
}

json_t *manifest_text(const char *s) {
    if (!s) return json_null();
    json_t *j = json_string(s);
    return j ? j : json_pack("{s:o}", "hex", manifest_hex(bytes_str(s)));
}

int manifest_text_parse(const json_t *j, const char *what, char **out, struct err *err) {
    struct buf b = {0};
    *out = NULL;
    if (!j || json_is_null(j)) return 0;
    if (json_is_string(j)) {
        if (buf_put(&b, json_string_value(j), json_string_length(j), err)) goto fail;
    } else if (manifest_hex_parse(json_object_get(j, "hex"), &b, err)) {
        goto fail;
    }
    if (b.n && memchr(b.p, 0, b.n)) {
        err_set(err, ERR_INPUT, "manifest: %s holds a zero byte", what);
        goto fail;
    }
    if (buf_put_byte(&b, 0, err)) goto fail;
    *out = (char *)b.p;
    return 0;
fail:
    buf_free(&b);
    return -1;
}

static int take_int(const json_t *object, const char *key, json_int_t min, json_int_t max, json_int_t *out, struct err *err) {
    const json_t *j = json_object_get(object, key);
    *out = json_integer_value(j);
    if (!j || (json_is_integer(j) && *out >= min && *out <= max)) return 0;
    return err_set(err, ERR_INPUT, "manifest: %s is not a number from %lld to %lld", key, (long long)min, (long long)max);
}

int manifest_i64(const json_t *object, const char *key, int64_t *out, struct err *err) {
    json_int_t v;
    int rc = take_int(object, key, INT64_MIN, INT64_MAX, &v, err);
    *out = v;
    return rc;
}

int manifest_u64(const json_t *object, const char *key, uint64_t *out, struct err *err) {
    json_int_t v;
    int rc = take_int(object, key, 0, INT64_MAX, &v, err);
    *out = (uint64_t)v;
    return rc;
}

int manifest_u32(const json_t *object, const char *key, uint32_t *out, struct err *err) {
    json_int_t v;
    int rc = take_int(object, key, 0, UINT32_MAX, &v, err);
    *out = (uint32_t)v;
    return rc;
}
