/* Lines of W1 and W2 as keys and values for stores that know only these, as HBase's model is usually kept in them: the key is
 *   row 00 column 00 timestamp, inverted so that the newest comes first
 * and the value that of the cell. What a peer of the benchmarks then does is what libsst does with cells. Exports: peer_line,
 * peer_line_take, peer_key */
#ifndef BENCH_PEER_CELLS_H
#define BENCH_PEER_CELLS_H

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PEER_VALUES = 4, PEER_KEY_MAX = 256 };

struct peer_line {
    struct bytes row, values[PEER_VALUES];
    uint64_t ts_ms;
};

/* The next field of the line, which *at is left after. Fields of these workloads hold no commas. */
static inline struct bytes peer_field(char **at) {
    char *begin = *at, *end = strpbrk(begin, ",\n");
    if (!end) end = begin + strlen(begin);
    *at = *end ? end + 1 : end;
    return bytes_of(begin, (size_t)(end - begin));
}

/* The fields of a line as getline reads it, which stays. false: it is no line of these workloads. */
static inline bool peer_line_take(char *text, struct peer_line *out) {
    out->row = peer_field(&text);
    out->ts_ms = strtoull((const char *)peer_field(&text).p, NULL, 10);
    for (int i = 0; i < PEER_VALUES; i++) out->values[i] = peer_field(&text);
    return out->row.n && out->row.n < PEER_KEY_MAX / 2 && out->ts_ms;
}

/* The key of column i (v1 …) into out; returns its length. */
static inline size_t peer_key(const struct peer_line *line, int i, uint8_t out[PEER_KEY_MAX]) {
    uint8_t *p = out;
    memcpy(p, line->row.p, line->row.n);
    p += line->row.n;
    *p++ = 0;
    *p++ = 'v';
    *p++ = (uint8_t)('1' + i);
    *p++ = 0;
    return (size_t)(put_be64(p, ~line->ts_ms) - out);
}

#endif
