#include "cmd/common/json_text.h"

#include "base/err.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *json_text(const char *s) {
    json_t *j = json_string(s);
    if (j) return j;
    char *escaped = malloc(4 * strlen(s) + 1), *w = escaped;
    if (!escaped) return NULL;
    for (; *s; s++) {
        if ((unsigned char)*s < 0x80)
            *w++ = *s;
        else
            w += snprintf(w, 5, "\\x%02x", (unsigned char)*s);
    }
    *w = 0;
    j = json_string(escaped);
    free(escaped);
    return j;
}

json_t *json_hex(struct bytes b) {
    char *text = malloc(2 * b.n + 1);
    if (!text) return NULL;
    hex_write((uint8_t *)text, b);
    json_t *j = json_stringn(text, 2 * b.n);
    free(text);
    return j;
}

int json_text_put(json_t *j, struct err *err) {
    char *text = j ? json_dumps(j, JSON_INDENT(1)) : NULL;
    json_decref(j);
    if (!text) return err_nomem(err, 0, "the result document");
    puts(text);
    free(text);
    return 0;
}
