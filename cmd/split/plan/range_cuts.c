#include "cmd/split/plan/range_cuts.h"

#include "cmd/split/plan/separator_text.h"

int range_cuts_init(struct range_cuts *c, uint32_t n, uint64_t total_bytes, uint64_t blocks, struct err *err) {
    *c = (struct range_cuts){.left = total_bytes};
    if (blocks && block_spread_init(&c->blocks, blocks, err)) return -1;
    return plan_choice_init(&c->choice, PLAN_RANGE, 0, n, err);
}

static void end_partition(struct range_cuts *c) {
    const struct block_sums sums = block_spread_take(&c->blocks);
    plan_choice_add_blocks(&c->choice, c->made, &sums);
}

/* Whether the partition is nearer to its share of what is left without this row than with it. */
static bool is_full(const struct range_cuts *c, const struct weighed_row *row) {
    const struct plan_part *p = &c->choice.parts[c->made];
    uint64_t share = c->left / (c->choice.n - c->made);
    return p->rows && p->bytes + row->bytes / 2 >= share;
}

int range_cuts_add(struct range_cuts *c, struct bytes last, const struct weighed_row *row, struct err *err) {
    if (last.p && c->made + 1 < c->choice.n && is_full(c, row)) {
        int found = separator_text(last, row->row, &c->choice.bounds[c->made], err);
        if (found < 0) return -1;
        if (found) {
            end_partition(c);
            c->left -= c->choice.parts[c->made++].bytes;
        }
    }
    struct plan_part one = plan_part_of(row);
    plan_part_add(&c->choice.parts[c->made], &one);
    block_spread_add(&c->blocks, row);
    return 0;
}

void range_cuts_end(struct range_cuts *c) {
    end_partition(c);
    block_spread_free(&c->blocks);
    c->choice.n = c->made + 1;
}

void range_cuts_free(struct range_cuts *c) {
    plan_choice_free(&c->choice);
    block_spread_free(&c->blocks);
}
