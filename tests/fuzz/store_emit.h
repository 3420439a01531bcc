/* Shared by the fuzz targets of stores, whose cells come sorted and complete: an emit that checks and records each part. */
#ifndef FUZZ_STORE_EMIT_H
#define FUZZ_STORE_EMIT_H

#include "text_emit.h"

static int store_emit_cells(struct emit *e, const struct row_part *part, const struct tally *tally, struct err *err) {
    require(part->n_cells > 0 && part->n_cells <= PART_MAX_CELLS && part->row.n <= ROW_MAX_BYTES);
    require((!tally || tally->cells == part->n_cells) && part->family.n <= FAMILY_MAX_BYTES);
    for (uint32_t i = 0; i < part->n_cells; i++) {
        require(cell_type_known(part->cells[i].type) && part->cells[i].tags.n <= TAGS_MAX_BYTES);
        require(i == 0 || cell_cmp(&part->cells[i - 1], &part->cells[i], TIE_BY_SEQUENCE) <= 0);
    }
    return cells_print(&((struct text_emit *)e)->text, part, err);
}

static int store_emit_lost(struct emit *e, const struct lost *lost, struct err *err) {
    require(lost->reason[0] && lost->cells == LOST_UNKNOWN);
    return buf_printf(&((struct text_emit *)e)->text, err, "# lost %llu\n", (unsigned long long)lost->offset);
}

static void store_emit_lost_cells(struct emit *e, uint64_t cells) {
    (void)e, (void)cells;
}

/* Reads content in chunks of `chunk` bytes into *t (free its text). 0, or -1 when the reader failed. */
static int store_emit_run(struct text_emit *t, const char *format, struct bytes content, struct read_opts o, size_t chunk,
                          enum on_damage on_damage) {
    static const struct emit_ops ops = {.cells = store_emit_cells,
                                        .reject = text_emit_reject,
                                        .skip = text_emit_skip,
                                        .lost = store_emit_lost,
                                        .lost_cells = store_emit_lost_cells};
    struct err err = {0};
    struct chunk c = {0};
    int rc = -1;
    o.memory.chunk = chunk;
    o.on_damage = on_damage;
    *t = (struct text_emit){.base.ops = &ops};
    struct reader *r = text_emit_open(format, content, &o, &err);
    while (r && (rc = r->ops->next(r, &c, &err)) > 0)
        if ((rc = r->ops->parse(r, &c, 1, &t->base, &err))) break;
    require((rc == 0) == (err.code == ERR_NONE) && err.code != ERR_INTERNAL);
    if (r) r->ops->close(r);
    buf_free(&c.data);
    return rc;
}

/* Chunks of any size must lead to the same cells, or to failure in any case. `read` is store_emit_run for one format. */
static void store_emit_by_chunks(int (*read)(struct text_emit *t, struct bytes content, size_t chunk, enum on_damage),
                                 struct bytes content, size_t small, enum on_damage on_damage) {
    struct text_emit whole, cut;
    int rc = read(&whole, content, 1 << 20, on_damage);
    require(read(&cut, content, small, on_damage) == rc);
    require(rc || bytes_eq(buf_bytes(&whole.text), buf_bytes(&cut.text)));
    buf_free(&whole.text);
    buf_free(&cut.text);
}

#endif
