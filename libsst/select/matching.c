/* Matches rows by lists of ranges, and qualifiers by patterns. Patterns are bytes, ? for one byte, * for any number. A backslash
 * takes the meaning from the character after it, and \xNN is a byte that cannot be typed. Matching goes back to the last * only,
 * so it takes at most as many steps as the lengths multiplied, whatever the pattern. */
#include "select/matching.h"
#include "select/selection_state.h"

#include "base/text.h"

#include <stdlib.h>

/* Unescapes what follows a backslash: 1 or 3 characters. 0: none of it is allowed. */
static size_t unescape(struct bytes rest, uint8_t *out) {
    if (!rest.n) return 0;
    *out = rest.p[0];
    if (rest.p[0] != 'x') return 1;
    int byte = rest.n > 2 ? hex_byte(rest.p + 1) : -1;
    *out = (uint8_t)byte;
    return byte < 0 ? 0 : 3;
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

/* ---- lists of row ranges ----
 * Put in order, joined, intersected, and searched by halving. A range without start or stop is open there; an empty key as a
 * start is the same as none. */

int range_list_add(struct range_list *l, struct row_range r, struct err *err) {
    if (l->n == SELECTION_ITEMS_MAX) return err_set(err, ERR_USAGE, "more than %d ranges of rows", SELECTION_ITEMS_MAX);
    if (!r.start.n) r.start = (struct bytes){0};
    if (r.stop.p && bytes_cmp(r.start, r.stop) >= 0) return 0; /* holds nothing */
    if (grow_array(&l->x, l->n, sizeof *l->x, "ranges of rows", err)) return -1;
    l->x[l->n++] = r;
    return 0;
}

static int by_start(const void *pa, const void *pb) {
    const struct row_range *a = pa, *b = pb;
    return bytes_cmp(a->start, b->start);
}

/* Returns whether range a ends before b; NULL ends after all. */
static bool ends_before(struct bytes a, struct bytes b) {
    return a.p && (!b.p || bytes_cmp(a, b) < 0);
}

void range_list_order(struct range_list *l) {
    size_t n = 0;
    if (l->n) qsort(l->x, l->n, sizeof *l->x, by_start);
    for (size_t i = 0; i < l->n; i++) {
        struct row_range *last = n ? &l->x[n - 1] : NULL;
        if (last && (!last->stop.p || bytes_cmp(l->x[i].start, last->stop) <= 0)) {
            if (ends_before(last->stop, l->x[i].stop)) last->stop = l->x[i].stop;
        } else {
            l->x[n++] = l->x[i];
        }
    }
    l->n = n;
}

bool range_list_holds(const struct range_list *l, struct bytes row) {
    size_t lo = 0, n = l->n; /* the first range that begins after row */
    while (lo < n) {
        size_t mid = lo + (n - lo) / 2;
        if (bytes_cmp(l->x[mid].start, row) <= 0)
            lo = mid + 1;
        else
            n = mid;
    }
    return lo && (!l->x[lo - 1].stop.p || bytes_cmp(row, l->x[lo - 1].stop) < 0);
}
