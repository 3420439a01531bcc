/* libFuzzer target: any bytes as a write-ahead log, with dictionaries and compressed values. Chunks of any size must lead to the
 * same cells, or to failure in any case; parts are such as the pipeline takes. The first byte chooses the chunk size. */
#include "fuzz.h"

#include "cell/cell.h"
#include "formats/wal/wal_run.h"
#include "text_emit.h"

static int take_cells(struct emit *e, const struct row_part *part, const struct tally *tally, struct err *err) {
    struct text_emit *t = (struct text_emit *)e;
    require(part->n_cells > 0 && part->n_cells <= PART_MAX_CELLS && part->row.n <= ROW_MAX_BYTES);
    require(tally && tally->cells == part->n_cells && part->family.n <= 255);
    for (uint32_t i = 0; i < part->n_cells; i++) {
        require(cell_type_known(part->cells[i].type) && part->cells[i].tags.n <= TAGS_MAX_BYTES);
        require(i == 0 || cell_cmp(&part->cells[i - 1], &part->cells[i], TIE_BY_SEQUENCE) <= 0);
    }
    return cells_print(&t->text, part, err);
}

static int take_lost(struct emit *e, const struct lost *lost, struct err *err) {
    require(lost->reason[0] && lost->cells == LOST_UNKNOWN);
    return buf_printf(&((struct text_emit *)e)->text, err, "# lost %llu\n", (unsigned long long)lost->offset);
}

static void ignore_count(struct emit *e, uint64_t cells) {
    (void)e, (void)cells;
}

/* 0, or -1 when the reader failed. */
static int run(struct text_emit *t, struct bytes content, size_t chunk_bytes, enum on_damage on_damage) {
    static const struct emit_ops ops = {
        .cells = take_cells, .reject = text_emit_reject, .skip = text_emit_skip, .lost = take_lost, .lost_cells = ignore_count};
    struct wal_run all;
    struct read_opts o = {.memory = {.chunk = chunk_bytes, .max_block = 1 << 18}, .on_damage = on_damage, .wal = &all};
    struct err err = {0};
    struct chunk c = {0};
    int rc = -1;
    wal_run_init(&all);
    all.passes_bulk_loads = true;
    *t = (struct text_emit){.base.ops = &ops};
    struct reader *r = text_emit_open("wal", content, &o, &err);
    while (r && (rc = r->ops->next(r, &c, &err)) > 0)
        if ((rc = r->ops->parse(r, &c, 1, &t->base, &err))) break;
    require((rc == 0) == (err.code == ERR_NONE) && err.code != ERR_INTERNAL);
    if (r) r->ops->close(r);
    buf_free(&c.data);
    wal_run_free(&all);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    struct text_emit whole, cut, skipped, skipped_cut;
    struct bytes content = {data + 1, size - 1};
    size_t small = 1 + data[0] % 80;
    int rc = run(&whole, content, 1 << 20, DAMAGE_FAILS);
    require(run(&cut, content, small, DAMAGE_FAILS) == rc);
    require(rc || bytes_eq(buf_bytes(&whole.text), buf_bytes(&cut.text)));
    int skipped_rc = run(&skipped, content, 1 << 20, DAMAGE_SKIPS_BLOCK);
    require(run(&skipped_cut, content, small, DAMAGE_SKIPS_BLOCK) == skipped_rc);
    require(skipped_rc || bytes_eq(buf_bytes(&skipped.text), buf_bytes(&skipped_cut.text)));
    buf_free(&whole.text);
    buf_free(&cut.text);
    buf_free(&skipped.text);
    buf_free(&skipped_cut.text);
    return 0;
}
