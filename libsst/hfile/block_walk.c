/* Data blocks one after the other. Each block names the offset of the one before of its kind: these chains are checked, so that
 * no block can be missing unnoticed. A damaged block is an error, or is reported and passed over whole, where a sink is set:
 * then its cells are checked before any is handed out, and salvage.c says where reading continues. */
#include "hfile/block_walk.h"
#include "hfile/data_block.h"
#include "hfile/hfile_file_info.h"
#include "hfile/salvage.h"

void block_walk_init(struct block_walk *w, const struct hfile *h, uint64_t from, uint64_t end, size_t read_ahead) {
    w->h = h;
    w->next = from;
    w->end = end;
    for (unsigned i = 0; i < BLOCK_TYPES; i++) {
        w->passed.first_prev[i] = HFILE_CHAIN_NONE;
        w->passed.last[i] = from == 0 ? -1 : HFILE_CHAIN_NONE;
    }
    w->first_data = w->last_data = TRAILER_NO_OFFSET;
    block_reader_init(&w->reader, &h->src, end, read_ahead);
}

void block_walk_jump(struct block_walk *w, uint64_t next) {
    w->next = next;
    for (unsigned i = 0; i < BLOCK_TYPES; i++) w->passed.last[i] = HFILE_CHAIN_NONE;
}

void block_walk_release(struct block_walk *w) {
    block_reader_release(&w->reader);
    salvage_close(w->salvage);
    buf_free(&w->decoded);
}

/* ---- a block that is whole ---- */

static int check_chain(struct block_walk *w, struct err *err) {
    unsigned chain = block_chain(w->block.header.type);
    struct hfile_passed *c = &w->passed;
    int64_t want = c->last[chain], named = w->block.header.prev_offset;
    if (want != named && want != HFILE_CHAIN_NONE)
        return block_fault(&w->h->src, &w->block, err, "names %lld as the block before it, that was at %lld", (long long)named,
                           (long long)want);
    if (want != named && c->first_prev[chain] == HFILE_CHAIN_NONE) c->first_prev[chain] = named;
    c->last[chain] = (int64_t)w->block.offset;
    return 0;
}

static int open_payload(struct block_walk *w, struct cell_walk *cells, struct err *err) {
    if (data_block_open(w->h, &w->block, &w->decoded, err)) return -1;
    cells->block = &w->block;
    cell_walk_block(cells);
    return w->lost ? cell_walk_check(cells, err) : 0;
}

/* The block at `next`, which moves on when it is good: 1 data, 0 another kind, -1 error. Inline blocks are passed, but their
 * checksums are verified. */
static int take_block(struct block_walk *w, struct cell_walk *cells, struct err *err) {
    struct block *b = &w->block;
    if (block_reader_get(&w->reader, w->next, 1u << BLOCK_DATA | 1u << BLOCK_ENCODED_DATA, b, err)) return -1;
    if (check_chain(w, err)) return -1;
    if (b->header.type >= BLOCK_ROOT_INDEX) return block_fault(&w->h->src, b, err, "does not belong among the data");
    if (b->payload.p) {
        if (open_payload(w, cells, err)) return -1;
        if (!w->passed.data_blocks++) w->first_data = b->offset;
        w->last_data = b->offset;
    }
    if (b->header.type != BLOCK_INTERMEDIATE_INDEX)
        w->passed.plain_bytes += w->h->src.header_bytes + (uint64_t)b->header.plain_bytes;
    w->next = b->next;
    return b->payload.p != NULL;
}

/* ---- damage ---- */

static void forget_chains(struct hfile_passed *c) {
    c->gap = true;
    for (unsigned i = 0; i < BLOCK_TYPES; i++) {
        c->last[i] = HFILE_CHAIN_NONE;
        if (c->first_prev[i] == HFILE_CHAIN_NONE) c->first_prev[i] = HFILE_CHAIN_LOST;
    }
}

/* The block at `next` is damaged, as err says: reports it and continues after it, with *err empty. */
static int pass_over(struct block_walk *w, struct cell_walk *cells, struct err *err) {
    struct salvage_gap g;
    struct err why = *err;
    bool limit = why.code == ERR_LIMIT; /* a wrong size looks like that */
    if (!w->lost || (why.code != ERR_INPUT && !limit)) return -1;
    *err = (struct err){0};
    if (!w->salvage && !(w->salvage = salvage_open(w->h, w->end - w->next, err))) return -1;
    if (salvage_find(w->salvage, w->next, w->end, &g, err)) return -1;
    if (limit && !g.size_wrong) {
        err_keep(err, &why);
        return -1;
    }
    struct hfile_lost lost = {
        .offset = w->next, .end = g.next, .no_cells = g.no_cells, .last = g.last, .reason = hfile_reason(w->h, &why)};
    if (!g.no_cells) lost.first = g.first.p || !cells->last.any ? g.first : cells->last.key;
    forget_chains(&w->passed);
    cells->p = cells->stop = NULL;
    w->next = g.next;
    return w->lost->put(w->lost->arg, &lost, err);
}

int block_walk_next(struct block_walk *w, struct cell_walk *cells, struct err *err) {
    if (cell_walk_leave(cells, err)) return -1;
    while (w->next < w->end) {
        int rc = take_block(w, cells, err);
        if (rc == 1 || (rc < 0 && pass_over(w, cells, err))) return rc;
    }
    return 0;
}
