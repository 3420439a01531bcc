/* Adjacent cells of one key, whose order sums of digests do not show. Where the order in a file is that of its side, places of
 * such cells are summed up beside their digests, so both sides can be compared by sums; elsewhere their rows are read again. */
#include "cmd/verify/diff/diff_sums.h"

#include "cell/keyvalue.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t qualifier_hash(const struct cell *c) {
    return XXH3_64bits(c->qualifier.p, c->qualifier.n);
}

static bool is_last_key(const struct last_key *l, uint64_t row_hash, uint32_t family, const struct cell *c) {
    return l->any && l->row_hash == row_hash && l->ts_ms == c->ts_ms && l->family == family && l->type == c->type &&
           l->qualifier_hash == qualifier_hash(c);
}

/* c comes right after a cell of its key with this rank and sequence id, the first of them `nth` cells before it. */
static int note_repeat(const struct repeats_of *of, const struct row_part *part, const struct cell *c, uint64_t rank,
                       uint64_t seq, uint64_t nth, struct repeats *out, struct err *err) {
    struct digest d;
    /* Where sides are sorted, sequence ids decide first. */
    if (!of->in_order || rank_input(c->rank) != rank_input(rank) || c->seq > seq) {
        out->unsure = true;
        return 0;
    }
    if (digest_cell(of->scratch, part, c, &d, err)) return -1;
    out->order += XXH3_64bits_withSeed(&d, sizeof d, nth);
    return 0;
}

int last_key_repeats(struct last_key *key, const struct repeats_of *of, const struct row_part *part, struct repeats *out,
                     struct err *err) {
    const struct cell *last = &part->cells[part->n_cells - 1];
    const struct cell *c = part->cells;
    uint64_t nth = is_last_key(key, of->row_hash, of->family, c) ? key->nth + 1 : 0;
    *out = (struct repeats){0};
    if (nth && note_repeat(of, part, c, key->rank, key->seq, nth, out, err)) return -1;
    for (uint32_t i = 1; i < part->n_cells; i++) {
        nth = cell_key_cmp(&c[i - 1], &c[i]) == 0 ? nth + 1 : 0;
        if (nth && note_repeat(of, part, &c[i], c[i - 1].rank, c[i - 1].seq, nth, out, err)) return -1;
    }
    *key = (struct last_key){.row_hash = of->row_hash,
                             .qualifier_hash = qualifier_hash(last),
                             .ts_ms = last->ts_ms,
                             .rank = last->rank,
                             .seq = last->seq,
                             .nth = nth,
                             .family = of->family,
                             .type = last->type,
                             .any = true};
    return 0;
}
