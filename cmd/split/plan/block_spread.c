#include "cmd/split/plan/block_spread.h"

#include <stdlib.h>

size_t block_spread_memory(uint64_t blocks) {
    return (blocks + 1) * (sizeof(struct block_amount) + sizeof(uint32_t));
}

int block_spread_init(struct block_spread *s, uint64_t blocks, struct err *err) {
    s->amounts = calloc(blocks + 1, sizeof *s->amounts);
    s->touched = calloc(blocks + 1, sizeof *s->touched);
    return s->amounts && s->touched ? 0 : err_nomem(err, block_spread_memory(blocks), "the blocks of a sample");
}

void block_spread_add(struct block_spread *s, const struct weighed_row *row) {
    for (uint32_t i = 0; i < row->n_pieces; i++) {
        struct block_amount *a = &s->amounts[row->pieces[i].block];
        if (a->rows == 0) s->touched[s->n_touched++] = (uint32_t)row->pieces[i].block;
        a->rows++;
        a->bytes += (double)row->pieces[i].bytes;
    }
}

struct block_sums block_spread_take(struct block_spread *s) {
    struct block_sums sums = {0};
    for (uint32_t i = 0; i < s->n_touched; i++) {
        const struct block_amount *a = &s->amounts[s->touched[i]], *next = a + 1;
        sums.rows_sq += a->rows * a->rows;
        sums.bytes_sq += a->bytes * a->bytes;
        sums.rows_var -= a->rows * next->rows;
        sums.bytes_var -= a->bytes * next->bytes;
    }
    sums.rows_var += sums.rows_sq;
    sums.bytes_var += sums.bytes_sq;
    for (uint32_t i = 0; i < s->n_touched; i++) s->amounts[s->touched[i]] = (struct block_amount){0};
    s->n_touched = 0;
    return sums;
}

void block_spread_copy(struct block_spread *to, const struct block_spread *from) {
    for (uint32_t i = 0; i < from->n_touched; i++) {
        to->touched[i] = from->touched[i];
        to->amounts[from->touched[i]] = from->amounts[from->touched[i]];
    }
    to->n_touched = from->n_touched;
}

void block_spread_free(struct block_spread *s) {
    free(s->amounts);
    free(s->touched);
    *s = (struct block_spread){0};
}
