/* Measures how far two names are apart: letters that are missing, too many, wrong, or exchanged with their neighbour, each once.
 * Upper and lower case count as equal, so that a name in the wrong case is the nearest of all. A third of the letters may be
 * wrong, so that short names do not match everything; or a name may lack its end, of up to three letters, and have one wrong
 * before it. */
#include "base/near_name.h"

#include "base/plain.h"

#include <stdio.h>

static uint8_t lower(uint8_t c) {
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 'a' - 'A') : c;
}

static unsigned least(unsigned a, unsigned b, unsigned c) {
    unsigned d = a < b ? a : b;
    return d < c ? d : c;
}

/* Three rows of the usual table: a neighbour exchange looks two rows back. */
static unsigned distance_of(struct bytes a, struct bytes b) {
    unsigned row[3][NEAR_NAME_MAX + 1];
    for (size_t j = 0; j <= b.n; j++) row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a.n; i++) {
        unsigned *now = row[i % 3], *before = row[(i + 2) % 3], *two_before = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= b.n; j++) {
            uint8_t x = lower(a.p[i - 1]), y = lower(b.p[j - 1]);
            now[j] = least(before[j] + 1, now[j - 1] + 1, before[j - 1] + (x != y));
            bool exchanged = i > 1 && j > 1 && x == lower(b.p[j - 2]) && lower(a.p[i - 2]) == y;
            if (exchanged && two_before[j - 2] + 1 < now[j]) now[j] = two_before[j - 2] + 1;
        }
    }
    return row[a.n % 3][b.n];
}

/* --family is --families with another end, which counts more than a third of its letters. */
static bool begins_alike(struct bytes given, struct bytes name) {
    enum { LEAST = 5, END = 3 };
    size_t same = 0;
    while (same < given.n && same < name.n && lower(given.p[same]) == lower(name.p[same])) same++;
    return given.n >= LEAST && same + 1 >= given.n && name.n <= given.n + END;
}

void near_name_offer(struct near_name *n, struct bytes name) {
    if (!name.n || !n->given.n || name.n > NEAR_NAME_MAX || n->given.n > NEAR_NAME_MAX) return;
    size_t longer = name.n > n->given.n ? name.n : n->given.n;
    unsigned d = distance_of(n->given, name);
    if (d > (longer < 4 ? longer / 2 : longer / 3) && !begins_alike(n->given, name)) return;
    if (n->best.p && d >= n->distance) return;
    n->best = name;
    n->distance = d;
}

const char *near_name_text(const struct near_name *n, const char *prefix, char out[NEAR_NAME_MAX + 48]) {
    char shown[NEAR_NAME_MAX + 1];
    out[0] = 0;
    if (n->best.p)
        snprintf(out, NEAR_NAME_MAX + 48, "; did you mean '%.16s%s'?", prefix, plain_text(n->best, shown, sizeof shown));
    return out;
}
