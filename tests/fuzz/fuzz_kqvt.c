/* libFuzzer target: any bytes as a line of a load file. What is accepted must come back when it is written again. */
#include "cmd/oceanbase/cell_sums.h"
#include "fuzz.h"

#include "cmd/oceanbase/kqvt.h"

#include <stdlib.h>

static void write_again(const struct kqvt_row *row, bool ttl_column) {
    struct err err = {0};
    struct buf line = {0};
    struct kqvt_row again;
    uint8_t *key = malloc(2 * row->k.n + COPY16_SPARE);
    require(key != NULL);
    uint8_t *end = kqvt_escape(key, row->k);
    require(kqvt_put(&line, bytes_of(key, (size_t)(end - key)), row, ttl_column, &err) == 0);
    uint8_t *scratch = malloc(line.n);
    require(scratch && line.n && line.p[line.n - 1] == '\n' && !memchr(line.p, '\n', line.n - 1));
    require(kqvt_parse(bytes_of(line.p, line.n - 1), ttl_column, scratch, &again) == NULL);
    require(bytes_eq(row->k, again.k) && bytes_eq(row->q, again.q) && bytes_eq(row->v, again.v) && row->t == again.t);
    require(row->has_ttl == again.has_ttl && row->ttl_ms == again.ttl_ms);
    struct cell_sums a = {0}, b = {0};
    const struct cell_sums_opts o = {.strong = true, .ttl_column = ttl_column};
    cell_sums_row(&a, row, &o);
    cell_sums_row(&b, &again, &o);
    require(cell_sums_eq(&a, &b));
    free(scratch);
    free(key);
    buf_free(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *scratch = malloc(size + 1);
    require(scratch != NULL);
    for (int ttl_column = 0; ttl_column < 2; ttl_column++) {
        struct kqvt_row row;
        if (!kqvt_parse(bytes_of(data, size), ttl_column, scratch, &row)) write_again(&row, ttl_column);
    }
    free(scratch);
    return 0;
}
