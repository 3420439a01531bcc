#include "hfile/index_cursor.h"

#include <stdlib.h>

/* Where the cursor stands in the block it has read on one level. */
struct level {
    struct block_reader reader; /* one a level: payloads stay while children are read */
    struct index_block block;
    uint32_t next;
};

struct index_cursor {
    const struct hfile *h;
    struct bytes root; /* entries not taken yet */
    uint32_t root_next;
    struct level levels[INDEX_LEVELS_MAX]; /* by number: 1 = leaf, index_levels - 1 = below the root */
    uint64_t plain_bytes;
};

struct index_cursor *index_cursor_open(const struct hfile *h, struct err *err) {
    if (h->index_encoding.n) {
        err_set(err, ERR_UNSUPPORTED, "%s: index blocks in encoding %.*s cannot be read; the cells can, from begin to end",
                h->path, (int)(h->index_encoding.n < 64 ? h->index_encoding.n : 64), (const char *)h->index_encoding.p);
        return NULL;
    }
    if (h->index_lost) return err_set(err, ERR_INPUT, "%s: the root index is damaged", h->path), NULL;
    struct index_cursor *c = calloc(1, sizeof *c);
    if (!c) return err_nomem(err, sizeof *c, "an index"), NULL;
    c->h = h;
    c->root = buf_bytes(&h->root);
    for (unsigned i = 0; i < INDEX_LEVELS_MAX; i++)
        block_reader_init(&c->levels[i].reader, &h->src, h->trailer.load_on_open_offset, 0);
    return c;
}

/* An entry from the lowest level that has one left. *level: of the block it points to, 0 = a data block. */
static int take_entry(struct index_cursor *c, struct hfile_index_entry *e, unsigned *level, struct err *err) {
    const struct trailer *t = &c->h->trailer;
    for (unsigned i = 1; i < t->index_levels; i++) {
        struct level *l = &c->levels[i];
        if (l->next == l->block.n) continue;
        *e = index_block_at(&l->block, l->next++);
        *level = i - 1;
        return 1;
    }
    if (c->root_next == t->data_index_count) return 0;
    if (!hfile_take_root_entry(&c->root, e)) return index_root_fault(c->h, c->root_next, err);
    c->root_next++;
    *level = t->index_levels - 1;
    return 1;
}

int index_cursor_next(struct index_cursor *c, struct hfile_index_entry *out, struct err *err) {
    unsigned level = 0;
    int rc;
    while ((rc = take_entry(c, out, &level, err)) == 1 && level) {
        struct level *l = &c->levels[level];
        l->next = l->block.n = 0;
        if (index_block_read(c->h, &l->reader, out, level, &l->block, err)) {
            l->block.n = 0;
            return -1;
        }
        c->plain_bytes += l->block.bytes;
    }
    return rc;
}

uint64_t index_cursor_plain_bytes(const struct index_cursor *c) {
    return c->plain_bytes;
}

void index_cursor_close(struct index_cursor *c) {
    if (!c) return;
    for (unsigned i = 0; i < INDEX_LEVELS_MAX; i++) block_reader_release(&c->levels[i].reader);
    free(c);
}
