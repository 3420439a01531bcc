#include "cmd/split/plan/row_sample.h"

#include "table/placement.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <xxhash.h>

int row_sample_add(struct row_sample *s, const struct weighed_row *row, struct err *err) {
    if (!s->rows && !(s->rows = calloc(ROW_SAMPLE_ROWS, sizeof *s->rows))) return err_nomem(err, 0, "a sample of rows");
    uint64_t hash = XXH3_64bits(row->row.p, row->row.n);
    uint32_t at;
    if (s->n < ROW_SAMPLE_ROWS) { /* up */
        for (at = s->n++; at && s->rows[(at - 1) / 2].hash < hash; at = (at - 1) / 2) s->rows[at] = s->rows[(at - 1) / 2];
    } else {
        if (hash >= s->rows[0].hash) return 0;
        uint32_t child; /* down */
        for (at = 0; (child = 2 * at + 1) < s->n; at = child) {
            child += child + 1 < s->n && s->rows[child + 1].hash > s->rows[child].hash;
            if (s->rows[child].hash <= hash) break;
            s->rows[at] = s->rows[child];
        }
    }
    struct sampled_row *r = &s->rows[at];
    *r = (struct sampled_row){hash, row->cells, row->bytes, row->rank, row->newest_ms, placement_key_hash(row->row), 0, {0}};
    r->n = (uint32_t)(row->row.n < ROW_SAMPLE_KEY_BYTES ? row->row.n : ROW_SAMPLE_KEY_BYTES);
    memcpy(r->key, row->row.p, r->n);
    return 0;
}

static int newest_first(const void *a, const void *b) {
    const struct sampled_row *x = a, *y = b;
    if (x->newest_ms != y->newest_ms) return x->newest_ms < y->newest_ms ? 1 : -1;
    return (x->rank < y->rank) - (x->rank > y->rank);
}

void row_sample_end(struct row_sample *s) {
    if (s->n) qsort(s->rows, s->n, sizeof *s->rows, newest_first);
}

void row_sample_free(struct row_sample *s) {
    free(s->rows);
}
