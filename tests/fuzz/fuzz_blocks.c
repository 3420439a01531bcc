/* libFuzzer target: any bytes as CSV or TSV of which only some blocks are read: without quotes those records come out, whole and
 * in order, that begin in a chosen block. The first four bytes choose dialect, blocks and their number, the rest is the input. */
#include "fuzz.h"

#include "formats/text/dialect.h"
#include "text_emit.h"

enum { BLOCK_BYTES_LEAST = 4 }; /* a byte order mark is no record */

/* The verdict of a reader on one record. */
struct said {
    uint64_t offset;
    bool accepted;
    size_t at, n; /* its text */
};

struct listing {
    struct emit base;
    struct buf all, text; /* struct said, what they say */
};

static void note(struct listing *l, uint64_t offset, bool accepted, size_t from) {
    struct err err = {0};
    const struct said s = {offset, accepted, from, l->text.n - from};
    require(!buf_put(&l->all, &s, sizeof s, &err));
}

static int list_record(struct emit *e, const struct row_part *parts, uint32_t n, struct reason *why, struct err *err) {
    struct listing *l = (struct listing *)e;
    size_t from = l->text.n;
    (void)why;
    if (!n) return 1;
    for (uint32_t i = 0; i < n; i++) require(!cells_print(&l->text, &parts[i], err));
    note(l, parts[0].cells[0].rank & RANK_POSITION_MAX, true, from);
    return 1;
}

static int list_reject(struct emit *e, struct bytes raw, uint64_t line, uint64_t offset, const struct reason *why,
                       struct err *err) {
    struct listing *l = (struct listing *)e;
    size_t from = l->text.n;
    (void)line;
    require(why->text[0] && !buf_put(&l->text, raw.p, raw.n, err));
    note(l, offset, false, from);
    return 0;
}

static void list_skip(struct emit *e, uint64_t records) {
    (void)e, (void)records;
}

/* The reader is closed. */
static enum err_code list_all(struct reader *r, struct listing *l, struct err *err) {
    static const struct emit_ops ops = {.record = list_record, .reject = list_reject, .skip = list_skip};
    struct chunk c = {0};
    int rc = -1;
    *l = (struct listing){.base.ops = &ops};
    while (r && (rc = r->ops->next(r, &c, err)) > 0)
        if ((rc = r->ops->parse(r, &c, 0, &l->base, err))) break;
    if (r) r->ops->close(r);
    buf_free(&c.data);
    return err->code;
}

/* 1 = blocks may be read by themselves, else 0. */
static int may(const char *format, struct bytes content, const struct read_opts *o) {
    struct err err = {0};
    struct reason why = {0};
    struct reader *r = text_emit_open(format, content, o, &err);
    int rc = r && r->ops->by_blocks ? r->ops->by_blocks(r, &why, &err) : 0;
    require(rc >= 0 || err.code);
    require(rc != 0 || !r || !r->ops->by_blocks || why.text[0]);
    if (r) r->ops->close(r);
    return rc > 0;
}

static bool is_chosen(const struct block_choice *c, uint64_t offset) {
    uint64_t block = offset / c->block_bytes * c->block_bytes;
    return block_choice_next(c, block) == block;
}

/* Requires that the records of all whose block is chosen are those of some. */
static void compare(const struct listing *all, const struct listing *some, const struct block_choice *c) {
    const struct said *a = (const struct said *)all->all.p, *s = (const struct said *)some->all.p;
    size_t n = some->all.n / sizeof *s, k = 0;
    for (size_t i = 0; i < all->all.n / sizeof *a; i++) {
        if (!is_chosen(c, a[i].offset)) continue;
        require(k < n && s[k].offset == a[i].offset && s[k].accepted == a[i].accepted);
        require(bytes_eq(bytes_of(all->text.p + a[i].at, a[i].n), bytes_of(some->text.p + s[k].at, s[k].n)));
        k++;
    }
    require(k == n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4) return 0;
    struct shape_set shapes = {0};
    struct listing all, some = {0};
    struct err err = {0}, err_some = {0};
    const char *format = data[0] & 1 ? "tsv" : "csv";
    bool quotes = data[0] & 2;
    struct dialect dialect = {0};
    struct err none = {0};
    if (data[0] & 4) dialect_set(&dialect, "header", bytes_str("each"), &none);
    dialect_set(&dialect, "quote", bytes_str(quotes ? "\"" : "none"), &none);
    struct read_opts o = {.text.columns = "HBASE_ROW_KEY,f:a,HBASE_TS_KEY",
                          .text.dialect = &dialect,
                          .shapes = &shapes,
                          .memory.chunk = 1 << 14,
                          .memory.max_cell = 1 << 14};
    struct bytes content = {data + 4, size - 4};
    enum err_code end = list_all(text_emit_open(format, content, &o, &err), &all, &err);
    o.blocks = (struct block_choice){1 + data[1] % 7, BLOCK_BYTES_LEAST + data[2] % 60, data[3], NULL};
    if (end == ERR_NONE && may(format, content, &o)) {
        require(list_all(text_emit_open(format, content, &o, &err_some), &some, &err_some) == ERR_NONE);
        if (!quotes) compare(&all, &some, &o.blocks);
    }
    buf_free(&all.all);
    buf_free(&all.text);
    buf_free(&some.all);
    buf_free(&some.text);
    shape_set_free(&shapes);
    return 0;
}
