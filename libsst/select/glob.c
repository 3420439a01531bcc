/* Patterns of qualifiers: bytes, ? for one byte, * for any number. A backslash takes the meaning from the character after it, and
 * \xNN is a byte that cannot be typed. Matching goes back to the last * only, so it takes at most as many steps as the lengths
 * multiplied, whatever the pattern. */
#include "select/selection_state.h"

#include <stdlib.h>

static int digit_of(uint8_t c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* After a backslash: 1 or 3 characters. 0: none of it is allowed. */
static size_t unescape(struct bytes rest, uint8_t *out) {
    if (!rest.n) return 0;
    *out = rest.p[0];
    if (rest.p[0] != 'x') return 1;
    int high = rest.n > 2 ? digit_of(rest.p[1]) : -1, low = rest.n > 2 ? digit_of(rest.p[2]) : -1;
    if (high < 0 || low < 0) return 0;
    *out = (uint8_t)(high << 4 | low);
    return 3;
}

int glob_parse(struct bytes *text, const char *ends, struct glob *out, struct err *err) {
    *out = (struct glob){.bytes = malloc(text->n + 1), .kinds = calloc(text->n + 1, 1)};
    if (!out->bytes || !out->kinds) {
        glob_free(out);
        return err_nomem(err, text->n, "a pattern");
    }
    for (; text->n && !(text->p[0] && strchr(ends, text->p[0])); text->p++, text->n--) {
        uint8_t c = text->p[0], kind = c == '*' ? GLOB_ANY_BYTES : c == '?' ? GLOB_ANY_BYTE : GLOB_BYTE;
        if (c == '\\') {
            size_t n = unescape(bytes_of(text->p + 1, text->n - 1), &c);
            if (!n) {
                glob_free(out);
                return err_set(err, ERR_USAGE, "a backslash must be followed by a character, or by x and two hex digits");
            }
            text->p += n;
            text->n -= n;
        }
        out->bytes[out->n] = c;
        out->kinds[out->n++] = kind;
    }
    return 0;
}

void glob_free(struct glob *g) {
    free(g->bytes);
    free(g->kinds);
    *g = (struct glob){0};
}

bool glob_fits(const struct glob *g, struct bytes text) {
    size_t at = 0, i = 0, star = SIZE_MAX, from = 0;
    while (i < text.n) {
        if (at < g->n && g->kinds[at] == GLOB_ANY_BYTES) {
            star = at++;
            from = i;
        } else if (at < g->n && (g->kinds[at] == GLOB_ANY_BYTE || g->bytes[at] == text.p[i])) {
            at++;
            i++;
        } else if (star == SIZE_MAX) {
            return false;
        } else {
            at = star + 1;
            i = ++from;
        }
    }
    while (at < g->n && g->kinds[at] == GLOB_ANY_BYTES) at++;
    return at == g->n;
}
