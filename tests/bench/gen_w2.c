/* Workload W2: `gen_w2 ROWS [SEED]` prints ROWS lines of CSV without header that look like those of a web site. They compress
 * 3 to 5 times, where the values of W1 hardly do:
 *
 *   <salt>|<16 hex digits of a visitor>|<day>,<ms timestamp>,<URL>,<user agent>,"<JSON>",<small integer>
 *
 * about 365 bytes a line. Visitors come again: one line in three has visitor, user agent, section and day of one of the last 64.
 * The same ROWS and SEED give the same bytes on every machine. */
#include "base/bytes.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAST = 64, SALTS = 16, LINE_MAX_BYTES = 1024, OUT_BYTES = 1 << 20 };

struct visit {
    uint64_t visitor;
    uint32_t agent, section, day;
};

struct visits {
    struct visit last[LAST];
    uint64_t n;
};

static const char *const sections[] = {
    "products/outdoor/tents",      "products/kitchen/pans",    "support/returns", "account/orders",
    "products/electronics/phones", "blog/2024/03/how-to-pack", "search",          "checkout/payment"};
static const char *const systems[] = {"Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 10_15_7", "X11; Linux x86_64",
                                      "iPhone; CPU iPhone OS 17_3 like Mac OS X", "Linux; Android 14; SM-G991B"};
static const char *const countries[] = {"DE", "US", "CN", "FR", "BR", "IN", "JP", "GB"};

static uint32_t below(uint64_t *state, uint32_t n) {
    return (uint32_t)(((splitmix_next(state) >> 32) * n) >> 32);
}

static struct visit next_visit(struct visits *v, uint64_t *state) {
    struct visit now;
    if (v->n && below(state, 3) == 0) {
        now = v->last[below(state, (uint32_t)(v->n < LAST ? v->n : LAST))];
    } else {
        now.visitor = splitmix_next(state);
        now.agent = below(state, 40);
        now.section = below(state, countof(sections));
        now.day = 20240301 + below(state, 28);
    }
    v->last[v->n++ % LAST] = now;
    return now;
}

/* n is what snprintf returned: every line is far shorter than its buffer. */
static int put_line(char *p, size_t room, struct visits *visits, uint64_t *state) {
    struct visit v = next_visit(visits, state);
    uint32_t item = below(state, 50000), version = 110 + v.agent % 8, screen = below(state, 4), ms = below(state, 900);
    uint64_t ts = UINT64_C(1709251200000) + below(state, 2000000000);
    return snprintf(
        p, room,
        "%02u|%016" PRIx64 "|%u,%" PRIu64 ",https://www.example.com/%s/%u?utm_source=newsletter&utm_medium=email&page=%u,"
        "Mozilla/5.0 (%s) AppleWebKit/537.36 (KHTML; like Gecko) Chrome/%u.0.0.0 Safari/537.36,"
        "\"{\"\"country\"\": \"\"%s\"\"; \"\"screen\"\": \"\"%ux1080\"\"; \"\"logged_in\"\": %s; \"\"load_ms\"\": %u; "
        "\"\"referrer\"\": null}\",%u\n",
        (unsigned)(v.visitor % SALTS), v.visitor, v.day, ts, sections[v.section], item, below(state, 20),
        systems[v.agent % countof(systems)], version, countries[v.visitor % countof(countries)], 1280 + 320 * screen,
        item % 3 ? "true" : "false", ms, below(state, 100));
}

int main(int argc, char **argv) {
    char *end = NULL;
    uint64_t rows = argc > 1 ? strtoull(argv[1], &end, 10) : 0, state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (argc < 2 || argc > 3 || !end || *end || end == argv[1]) {
        fprintf(stderr, "usage: gen_w2 ROWS [SEED] > FILE\n");
        return 2;
    }
    struct visits visits = {.n = 0};
    char *out = malloc(OUT_BYTES + LINE_MAX_BYTES), *p = out;
    if (!out) return 6;
    for (uint64_t i = 0; i < rows; i++) {
        p += put_line(p, LINE_MAX_BYTES, &visits, &state);
        if (p - out < OUT_BYTES) continue;
        if (fwrite(out, 1, (size_t)(p - out), stdout) != (size_t)(p - out)) break;
        p = out;
    }
    fwrite(out, 1, (size_t)(p - out), stdout);
    free(out);
    if (fflush(stdout) || ferror(stdout)) {
        perror("gen_w2");
        return 7;
    }
    return 0;
}
