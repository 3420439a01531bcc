/* Attributes and configuration of tables and families, as HBase's descriptor builders read them: repeated pairs of texts in a
 * protobuf message, of which the last of equal keys counts. Typed getters for those we understand, a list of texts for the rest,
 * which callers that know more of the table can use. */
#include "base/buf.h"
#include "base/wire.h"
#include "formats/hbase/attributes.h"
#include "formats/hbase/names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* ---- one attribute ---- */

bool attribute_pair(struct bytes in, struct bytes *key, struct bytes *value) {
    enum { FIRST = 1, SECOND = 2 };
    struct pbwire_field f;
    int rc;
    *key = *value = (struct bytes){0};
    while ((rc = pbwire_next(&in, &f)) == 1) {
        if (f.type != PBWIRE_BYTES) continue;
        if (f.number == FIRST) *key = f.bytes;
        if (f.number == SECOND) *value = f.bytes;
    }
    return rc == 0 && key->p && value->p;
}

struct bytes attribute_find(struct bytes message, uint32_t field, const char *key) {
    struct bytes found = {0}, first, second;
    struct pbwire_field f;
    while (pbwire_next(&message, &f) == 1) {
        if (f.number != field || f.type != PBWIRE_BYTES || !attribute_pair(f.bytes, &first, &second)) continue;
        if (bytes_eq(first, bytes_str(key))) found = second.n ? second : (struct bytes){0};
    }
    return found;
}

bool attribute_is(struct bytes value, const char *word) {
    return value.n == strlen(word) && strncasecmp((const char *)value.p, word, value.n) == 0;
}

int attribute_unusable(struct err *err, const char *key, struct bytes value, const char *wanted) {
    char shown[DISK_NAME_SHOWN_BYTES];
    return err_set(err, ERR_INPUT, "%s is '%s', not %s", key, disk_name_shown(value, shown), wanted);
}

bool attribute_number(struct bytes text, int64_t *out) {
    bool negative = text.n && text.p[0] == '-';
    size_t i = text.n && (negative || text.p[0] == '+');
    int64_t v = 0;
    if (i == text.n) return false;
    for (; i < text.n; i++) {
        int digit = text.p[i] - '0';
        if (digit < 0 || digit > 9) return false;
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, negative ? -digit : digit, &v)) return false;
    }
    *out = v;
    return true;
}

int attribute_int(struct bytes message, const char *key, int64_t least, int64_t *out, struct err *err) {
    struct bytes value = attribute_find(message, ATTRIBUTE_FIELD, key);
    int64_t v;
    if (!value.p) return 0;
    if (!attribute_number(value, &v) || v < least || v > INT32_MAX) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "a whole number from %lld to %d", (long long)least, INT32_MAX);
        return attribute_unusable(err, key, value, wanted);
    }
    *out = v;
    return 0;
}

void attribute_bool(struct bytes message, const char *key, bool *out) {
    struct bytes value = attribute_find(message, ATTRIBUTE_FIELD, key);
    if (value.p) *out = attribute_is(value, "true");
}

char *attribute_word(struct bytes message, const char *key, const char *absent, struct err *err) {
    enum { WORD_MAX_BYTES = 64 };
    struct bytes value = attribute_find(message, ATTRIBUTE_FIELD, key);
    if (!value.p) value = bytes_str(absent);
    bool good = value.n <= WORD_MAX_BYTES;
    for (size_t i = 0; good && i < value.n; i++) good = value.p[i] == '_' || (value.p[i] < 0x80 && isalnum(value.p[i]));
    if (!good) {
        attribute_unusable(err, key, value, "a name");
        return NULL;
    }
    char *word = malloc(value.n + 1);
    if (!word) {
        err_nomem(err, value.n + 1, key);
        return NULL;
    }
    for (size_t i = 0; i < value.n; i++) word[i] = (char)toupper(value.p[i]);
    word[value.n] = 0;
    return word;
}

/* ---- all of them, as texts ---- */

static bool is_text(struct bytes b) {
    return b.n <= ATTRIBUTE_TEXT_MAX_BYTES && !memchr(b.n ? b.p : (const uint8_t *)"x", 0, b.n ? b.n : 1);
}

static int add_attribute(struct attribute_list *l, struct bytes name, struct bytes value, struct err *err) {
    if (grow_array(&l->p, l->n, sizeof *l->p, "attributes", err)) return -1;
    struct attribute_text *p = l->p;
    p[l->n] = (struct attribute_text){strndup((const char *)name.p, name.n),
                                      value.n ? strndup((const char *)value.p, value.n) : strdup("")};
    l->n++;
    return p[l->n - 1].name && p[l->n - 1].value ? 0 : err_nomem(err, name.n + value.n + 2, "attributes");
}

int attribute_list_add(struct attribute_list *l, struct bytes message, uint32_t field, struct err *err) {
    struct pbwire_field f;
    struct bytes name, value;
    while (pbwire_next(&message, &f) == 1) {
        if (f.number != field || f.type != PBWIRE_BYTES || !attribute_pair(f.bytes, &name, &value)) continue;
        if (!name.n || !is_text(name) || !is_text(value) || l->n == ATTRIBUTE_LIST_MOST) continue;
        if (add_attribute(l, name, value, err)) return -1;
    }
    return 0;
}

void attribute_list_free(struct attribute_list *l) {
    for (size_t i = 0; i < l->n; i++) {
        free(l->p[i].name);
        free(l->p[i].value);
    }
    free(l->p);
    *l = (struct attribute_list){0};
}
