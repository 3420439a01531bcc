/* A reader of the rows of one partition, for the engine: whole rows in chunks, as the server sends them, and cells of them.
 * Several partitions are read side by side, each over a connection of its own. T is minus the timestamp of a cell, TTL its time
 * to live. At the end the sums of what was read must be those that the server computed before. */
#include "base/buf.h"
#include "cmd/oceanbase/table_rows.h"
#include "cmd/oceanbase/table_source.h"
#include "engine/format.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 20, LONG_ROW_CHUNKS = 4 };

/* A row in a chunk; K, Q and V follow. */
struct packed_row {
    uint32_t k, q, v;
    bool has_ttl, continues; /* continues: the last chunk ended with the same K */
    int64_t t, ttl_ms;
};

struct table_reader {
    struct reader base;
    struct table_source *s;
    const struct table_piece *piece;
    struct table_rows *rows;
    struct kqvt_row next; /* read, and of no chunk yet */
    bool has_next, ended;
    struct buf last_k; /* of the chunk that was handed out */
    size_t chunk_bytes;
    struct cell_sums sums;
    struct cell_sums_ahead ahead;
    uint64_t bytes;
};

static struct cell_sums_opts sums_opts(const struct table_reader *r) {
    return (struct cell_sums_opts){.ttl_column = r->s->table.families[r->piece->family].has_ttl_column};
}

/* ---- chunks ---- */

static int pack(struct table_reader *r, struct chunk *c, bool continues, struct err *err) {
    const struct kqvt_row *row = &r->next;
    const struct packed_row head = {.k = (uint32_t)row->k.n,
                                    .q = (uint32_t)row->q.n,
                                    .v = (uint32_t)row->v.n,
                                    .has_ttl = row->has_ttl,
                                    .continues = continues,
                                    .t = row->t,
                                    .ttl_ms = row->ttl_ms};
    if (buf_put(&c->data, &head, sizeof head, err) || buf_put(&c->data, row->k.p, row->k.n, err) ||
        buf_put(&c->data, row->q.p, row->q.n, err) || buf_put(&c->data, row->v.p, row->v.n, err))
        return -1;
    const struct cell_sums_opts o = sums_opts(r);
    cell_sums_put(&r->sums, &r->ahead, row, &o);
    __atomic_store_n(&r->bytes, r->sums.bytes, __ATOMIC_RELAXED);
    r->has_next = false;
    return bytes_eq(buf_bytes(&r->last_k), row->k) ? 0 : buf_copy(&r->last_k, row->k, err);
}

static int peek(struct table_reader *r, struct err *err) {
    if (r->has_next || r->ended) return r->has_next;
    const int more = table_rows_next(r->rows, &r->next, err);
    r->has_next = more > 0;
    r->ended = !more;
    return more < 0 ? err_prefix(err, "%s", r->piece->name) : more;
}

/* A row is divided only if it is very long. */
static bool is_full(const struct table_reader *r, const struct chunk *c) {
    if (c->data.n < r->chunk_bytes) return false;
    return c->data.n >= LONG_ROW_CHUNKS * r->chunk_bytes || !bytes_eq(buf_bytes(&r->last_k), r->next.k);
}

static int reader_next(struct reader *base, struct chunk *c, struct err *err) {
    struct table_reader *r = (struct table_reader *)base;
    int more;
    buf_clear(&c->data);
    c->line = 0;
    c->offset = r->sums.rows;
    while ((more = peek(r, err)) > 0 && !is_full(r, c)) {
        const bool again = !c->data.n && r->sums.rows && bytes_eq(buf_bytes(&r->last_k), r->next.k);
        if (pack(r, c, again, err)) return -1;
    }
    return more < 0 ? -1 : c->data.n > 0;
}

/* ---- cells ---- */

struct table_parse {
    struct emit *e;
    struct row_part part;
    size_t bytes;
    struct cell cells[PART_MAX_CELLS];
    uint8_t ttl_tags[PART_MAX_CELLS][TTL_TAG_BYTES];
};

static int emit_part(struct table_parse *x, struct err *err) {
    const int rc = x->part.n_cells ? x->e->ops->cells(x->e, &x->part, NULL, err) : 0;
    x->part.n_cells = 0;
    x->part.first = false;
    x->bytes = 0;
    return rc;
}

static int add_cell(struct table_parse *x, const struct packed_row *h, const uint8_t *p, uint64_t rank, struct err *err) {
    const struct bytes k = {p, h->k};
    const size_t bytes = (size_t)h->q + h->v;
    const bool same = x->part.row.p && bytes_eq(x->part.row, k);
    const bool full = x->part.n_cells == PART_MAX_CELLS || bytes > PART_MAX_BYTES || x->bytes > PART_MAX_BYTES - bytes;
    if ((!same || full) && emit_part(x, err)) return -1;
    if (!same) {
        x->part.row = k;
        x->part.first = !h->continues;
    }
    const uint32_t i = x->part.n_cells++;
    x->cells[i] = (struct cell){
        .qualifier = {p + h->k, h->q}, .value = {p + h->k + h->q, h->v}, .ts_ms = -h->t, .rank = rank, .type = CELL_PUT};
    if (h->has_ttl) {
        cell_put_ttl_tag(x->ttl_tags[i], h->ttl_ms);
        x->cells[i].tags = bytes_of(x->ttl_tags[i], TTL_TAG_BYTES);
    }
    x->bytes += bytes;
    return 0;
}

static int reader_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err) {
    const struct table_reader *r = (struct table_reader *)base;
    struct table_parse *x = malloc(sizeof *x);
    if (!x) return err_nomem(err, sizeof *x, "parsing a chunk");
    x->e = e;
    x->bytes = 0;
    x->part = (struct row_part){.family = bytes_str(r->s->table.families[r->piece->family].name), .cells = x->cells};
    int rc = 0;
    uint64_t row = c->offset;
    for (const uint8_t *p = c->data.p, *end = p + c->data.n; !rc && p < end; row++) {
        struct packed_row h;
        memcpy(&h, p, sizeof h);
        p += sizeof h;
        rc = add_cell(x, &h, p, rank_of(input, row), err);
        p += (size_t)h.k + h.q + h.v;
    }
    if (!rc) rc = emit_part(x, err);
    free(x);
    return rc;
}

/* ---- life ---- */

static int reader_finish(struct reader *base, struct err *err) {
    struct table_reader *r = (struct table_reader *)base;
    cell_sums_end(&r->sums, &r->ahead);
    if (cell_sums_eq(&r->sums, &r->piece->sums)) return 0;
    const bool same = r->sums.rows == r->piece->sums.rows;
    return err_set(err, ERR_INPUT, "the server counted %llu rows, %llu were read%s: %s", (unsigned long long)r->piece->sums.rows,
                   (unsigned long long)r->sums.rows, same ? " with other sums" : "",
                   r->s->snapshot ? "as of one moment both must be equal; check the server's replicas"
                                  : "the table changed meanwhile; run again when nobody writes to it");
}

static uint64_t reader_input_bytes(const struct reader *base) {
    return __atomic_load_n(&((const struct table_reader *)base)->bytes, __ATOMIC_RELAXED);
}

static uint64_t reader_positions(const struct reader *base) {
    return ((const struct table_reader *)base)->piece->sums.rows;
}

static void reader_close(struct reader *base) {
    struct table_reader *r = (struct table_reader *)base;
    if (r->rows) table_source_leave(r->s, r->rows);
    table_rows_close(r->rows);
    buf_free(&r->last_k);
    free(r);
}

static int open_rows(struct table_reader *r, struct err *err) {
    const struct table_source *s = r->s;
    const struct family *f = &s->table.families[r->piece->family];
    const struct partitioning *p = &s->table.partitioning;
    const struct table_rows_opts o = {.login = s->o.login,
                                      .table = f->sql_table,
                                      .partition = p->kind == PARTITION_NONE ? NULL : p->names[r->piece->partition],
                                      .ttl_column = f->has_ttl_column,
                                      .snapshot = s->snapshot,
                                      .retries = s->o.retries,
                                      .stop = s->o.stop};
    struct table_rows *rows = table_rows_open(&o, err);
    if (!rows) return -1;
    if (!table_source_enlist(r->s, rows, err)) {
        r->rows = rows;
        return 0;
    }
    table_rows_close(rows);
    return -1;
}

static const struct format fmt_obkv = {.name = "obkv", .about = "an OBKV-HBase table of OceanBase (--from)"};

static const struct format *format_named(const char *name) {
    return name && !strcmp(name, fmt_obkv.name) ? &fmt_obkv : NULL;
}

/* path: the name of one of the source's pieces, as it handed it out. */
static struct reader *open_piece(const char *path, const char *name, const struct read_opts *o, const struct format **which,
                                 struct err *err) {
    static const struct reader_ops ops = {.next = reader_next,
                                          .parse = reader_parse,
                                          .finish = reader_finish,
                                          .input_bytes = reader_input_bytes,
                                          .positions = reader_positions,
                                          .close = reader_close};
    struct table_reader *r = calloc(1, sizeof *r);
    (void)name;
    if (!r) {
        err_nomem(err, sizeof *r, "a reader");
        return NULL;
    }
    r->base = (struct reader){.ops = &ops, .holds = HOLDS_WHOLE, .unpacks = true};
    r->s = o->database;
    r->piece = r->s->pieces;
    while (r->piece->name != path) r->piece++;
    r->ended = r->s->snapshot && !r->piece->sums.rows;
    r->chunk_bytes = o->memory.chunk ? o->memory.chunk : CHUNK_BYTES;
    *which = &fmt_obkv;
    if (!open_rows(r, err)) return &r->base;
    reader_close(&r->base);
    return NULL;
}

const struct format_table table_reader_formats = {.by_name = format_named, .open = open_piece};
