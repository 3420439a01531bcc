/* Workload W1: `gen_w1 ROWS [SEED]` prints ROWS lines of CSV without header,
 *
 *   user<12 digits of a random number below 2 x 10^7>,<ms timestamp, 13 digits>,<v1>,<v2>,<v3>,<v4>
 *
 * each value 8 to 40 random letters and digits; about 130 bytes a line. 10^7 rows have 7.87 million distinct keys. The same
 * ROWS and SEED give the same bytes on every machine. */
#include "base/hash.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 20000000, VALUES = 4, VALUE_MIN = 8, VALUE_SPAN = 33, LINE_MAX_BYTES = 256, OUT_BYTES = 1 << 20 };

static uint32_t below(uint64_t *state, uint32_t n) {
    return (uint32_t)(((splitmix_next(state) >> 32) * n) >> 32);
}

static char *put_digits(char *p, uint64_t v, int width) {
    for (int i = width; i-- > 0; v /= 10) p[i] = (char)('0' + v % 10);
    return p + width;
}

/* Six random bits a character, ten characters a draw; 'a' and 'b' come twice as often as the others. */
static char *put_value(char *p, uint64_t *state) {
    static const char letters[64] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyzab";
    int n = VALUE_MIN + (int)below(state, VALUE_SPAN);
    uint64_t bits = 0;
    for (int i = 0; i < n; i++, bits >>= 6) {
        if (i % 10 == 0) bits = splitmix_next(state);
        p[i] = letters[bits & 63];
    }
    return p + n;
}

static char *put_line(char *p, uint64_t *state) {
    memcpy(p, "user", 4);
    p = put_digits(p + 4, below(state, KEYS), 12);
    *p++ = ',';
    p = put_digits(p, UINT64_C(1600000000000) + below(state, 1000000000) * UINT64_C(100), 13);
    for (int i = 0; i < VALUES; i++) {
        *p++ = ',';
        p = put_value(p, state);
    }
    *p++ = '\n';
    return p;
}

int main(int argc, char **argv) {
    char *end = NULL;
    uint64_t rows = argc > 1 ? strtoull(argv[1], &end, 10) : 0, state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (argc < 2 || argc > 3 || !end || *end || end == argv[1]) {
        fprintf(stderr, "usage: gen_w1 ROWS [SEED] > FILE\n");
        return 2;
    }
    char *out = malloc(OUT_BYTES + LINE_MAX_BYTES), *p = out;
    if (!out) return 6;
    for (uint64_t i = 0; i < rows; i++) {
        p = put_line(p, &state);
        if (p - out < OUT_BYTES) continue;
        if (fwrite(out, 1, (size_t)(p - out), stdout) != (size_t)(p - out)) break;
        p = out;
    }
    fwrite(out, 1, (size_t)(p - out), stdout);
    free(out);
    if (fflush(stdout) || ferror(stdout)) {
        perror("gen_w1");
        return 7;
    }
    return 0;
}
