/* SequenceFiles of HBase's Export job: keys are rows, values are Results. A chunk is a stretch of whole records or whole
 * compressed blocks as they are in the file; the thread that parses the chunk decompresses them. Truncation shows only where it
 * cuts a record: the format has no end mark. */
#include "cell/cell.h"
#include "engine/format.h"
#include "formats/seqfile/hbase_result.h"
#include "formats/seqfile/seqfile_frame.h"
#include "formats/seqfile/seqfile_input.h"
#include "formats/text/text_input.h"

#include <stdlib.h>

struct seqfile_reader {
    struct reader base;
    struct seqfile_input input;
};

/* ---- cells ---- */

/* One call of parse. Cells are gathered into a part of one row and family. */
struct seqfile_parse {
    const struct seqfile_reader *r;
    struct emit *e;
    uint32_t input;
    struct seqfile_record record;
    uint64_t rank_base;
    uint32_t index; /* of the cell in the record */
    struct row_part part;
    size_t bytes;
    bool in_order, lost;
    struct buf text;
    struct cell cells[PART_MAX_CELLS];
};

/* Records that come later are newer, and so are later ones of the same cells in one record (HBase's Import puts them in this
 * order). Equal cells that are 256 apart in one record are none that HBase writes. */
enum { RANK_INDEX_BITS = 8 };

static uint64_t cell_rank(const struct seqfile_parse *x) {
    return rank_of(x->input, x->rank_base + (x->record.number << RANK_INDEX_BITS | (x->index & ((1u << RANK_INDEX_BITS) - 1))));
}

static int cell_cmp_of(const void *a, const void *b) {
    return cell_cmp(a, b, TIE_BY_SEQUENCE);
}

static int emit_part(struct seqfile_parse *x, struct err *err) {
    if (!x->part.n_cells) return 0;
    if (!x->in_order) qsort(x->cells, x->part.n_cells, sizeof *x->cells, cell_cmp_of);
    int rc = x->e->ops->cells(x->e, &x->part, NULL, err);
    x->part.n_cells = 0;
    x->part.first = false;
    x->bytes = 0;
    x->in_order = true;
    return rc;
}

/* Rules of KeyValue that hold for every table. */
static bool cell_possible(const struct seqfile_parse *x, const struct result_cell *c, struct reason *why) {
    if (!bytes_eq(c->row, x->record.row)) return text_why(why, 0, "row differs from the key of its record");
    if (c->row.n > ROW_MAX_BYTES)
        return text_why(why, 0, "row key of %zu bytes, at most %d are possible", c->row.n, ROW_MAX_BYTES);
    if (c->family.n > FAMILY_MAX_BYTES)
        return text_why(why, 0, "family of %zu bytes, at most %d are possible", c->family.n, FAMILY_MAX_BYTES);
    if (!cell_type_known(c->cell.type))
        return text_why(why, 0, "type %u is not one that HBase writes (4, 8, 10, 12, 14)", c->cell.type);
    if (c->cell.tags.n > TAGS_MAX_BYTES)
        return text_why(why, 0, "tags of %zu bytes, at most %d are possible", c->cell.tags.n, TAGS_MAX_BYTES);
    return true;
}

static int reject_cell(struct seqfile_parse *x, const struct result_cell *c, const struct reason *why, struct err *err) {
    struct row_part one = {.row = c->row, .family = c->family, .cells = &c->cell, .n_cells = 1};
    buf_clear(&x->text);
    if (cells_print(&x->text, &one, err)) return -1;
    x->text.n--; /* the line's end */
    return x->e->ops->reject(x->e, buf_bytes(&x->text), 0, x->record.offset, why, err);
}

static int add_cell(struct seqfile_parse *x, struct result_cell *c, struct err *err) {
    size_t bytes = c->cell.qualifier.n + c->cell.value.n + c->cell.tags.n;
    bool same = x->part.row.p && bytes_eq(x->part.family, c->family);
    bool full = x->part.n_cells == PART_MAX_CELLS || bytes > PART_MAX_BYTES || x->bytes > PART_MAX_BYTES - bytes;
    if ((!same || full) && emit_part(x, err)) return -1;
    if (!same) {
        x->part.row = c->row;
        x->part.family = c->family;
        x->part.first = true;
    }
    c->cell.rank = cell_rank(x);
    x->cells[x->part.n_cells] = c->cell;
    if (x->part.n_cells && cell_cmp_of(&x->cells[x->part.n_cells - 1], &c->cell) > 0) x->in_order = false;
    x->part.n_cells++;
    x->bytes += bytes;
    return 0;
}

/* -1 = emit's error, in err. Damage is described in *why; the record's cells before it have been emitted then. */
static int put_record(struct seqfile_parse *x, struct err *why, struct err *err) {
    struct hbase_result result;
    struct result_cell c;
    int rc = hbase_result_open(&result, x->record.value, why) ? -1 : 1;
    x->part.row = bytes_of(NULL, 0);
    for (x->index = 0; rc > 0 && (rc = hbase_result_next(&result, &c, why)) > 0; x->index++) {
        struct reason bad;
        reason_clear(&bad);
        if (cell_possible(x, &c, &bad) ? add_cell(x, &c, err) : reject_cell(x, &c, &bad, err)) return -1;
    }
    if (rc < 0)
        err_prefix(why, "%s at byte %llu", x->r->input.header.blocks ? "block" : "record", (unsigned long long)x->record.offset);
    return emit_part(x, err);
}

static int report_lost(struct seqfile_parse *x, uint64_t offset, struct bytes row, const char *reason, struct err *err) {
    struct lost lost = {.offset = offset, .first_row = row, .last_row = row, .reason = reason, .cells = LOST_UNKNOWN};
    x->lost = true;
    return x->e->ops->lost(x->e, &lost, err);
}

/* Emits one record, or reports its damage. 1, 0 = no more, -1. */
static int emit_next(struct seqfile_parse *x, struct seqfile_records *records, struct err *err) {
    struct err why = {0};
    int rc = seqfile_records_next(records, &x->record, &why);
    if (!rc) return 0;
    if (rc > 0 && put_record(x, &why, err)) return -1;
    if (!why.code) return 1;
    if (x->r->input.skips && why.code == ERR_INPUT)
        return report_lost(x, records->unit_offset, x->record.row, why.text, err) ? -1 : 1;
    err_keep(err, &why);
    return err_prefix(err, "%s", instream_path(x->r->input.in));
}

static int parse_units(struct seqfile_parse *x, const struct chunk *c, struct err *err) {
    const struct seqfile_input *in = &x->r->input;
    struct seqfile_records records;
    int rc;
    seqfile_records_begin(&records, &in->header, in->codec, in->limit, buf_bytes(&c->data), c->offset, c->records.first);
    while ((rc = emit_next(x, &records, err)) > 0) {
    }
    seqfile_records_end(&records);
    return rc;
}

static int parse_lost(struct seqfile_parse *x, const struct chunk *c, struct err *err) {
    buf_clear(&x->text);
    if (buf_printf(&x->text, err, "%.*s", (int)c->data.n, (const char *)c->data.p)) return -1;
    return report_lost(x, c->offset, bytes_of(NULL, 0), (const char *)x->text.p, err);
}

static int seqfile_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err) {
    struct seqfile_parse *x = calloc(1, sizeof *x);
    if (!x) return err_nomem(err, sizeof *x, "parsing a chunk");
    x->r = (const struct seqfile_reader *)base;
    x->e = e;
    x->input = input;
    x->in_order = true;
    x->part.cells = x->cells;
    x->rank_base = c->rank_base;
    int rc = c->records.lost ? parse_lost(x, c, err) : parse_units(x, c, err);
    if (!rc && x->lost) e->ops->lost_cells(e, LOST_UNKNOWN);
    buf_free(&x->text);
    free(x);
    return rc;
}

/* ---- life ---- */

static int seqfile_next(struct reader *base, struct chunk *chunk, struct err *err) {
    return seqfile_input_next(&((struct seqfile_reader *)base)->input, chunk, err);
}

static uint64_t seqfile_positions(const struct reader *base) {
    return ((const struct seqfile_reader *)base)->input.records << RANK_INDEX_BITS;
}

static uint64_t seqfile_input_bytes(const struct reader *base) {
    return instream_input_bytes(((const struct seqfile_reader *)base)->input.in);
}

static int seqfile_checksum(const struct reader *base, char hex[17], struct err *err) {
    (void)err;
    instream_checksum(((const struct seqfile_reader *)base)->input.in, hex);
    return 0;
}

static void seqfile_close(struct reader *base) {
    struct seqfile_reader *r = (struct seqfile_reader *)base;
    seqfile_input_close(&r->input);
    free(r);
}

static struct reader *seqfile_open(struct instream *in, const struct read_opts *o, struct err *err) {
    static const struct reader_ops ops = {.next = seqfile_next,
                                          .parse = seqfile_parse,
                                          .input_bytes = seqfile_input_bytes,
                                          .checksum = seqfile_checksum,
                                          .positions = seqfile_positions,
                                          .close = seqfile_close};
    struct seqfile_reader *r = calloc(1, sizeof *r);
    if (!r) {
        err_nomem(err, sizeof *r, "a reader");
        instream_close(in);
        return NULL;
    }
    r->base.ops = &ops;
    if (seqfile_input_open(&r->input, in, seqfile_result_class, o, err) == 0) return &r->base;
    seqfile_close(&r->base);
    return NULL;
}

/* ---- verification ---- */

static int ignore_cells(struct emit *e, const struct row_part *part, const struct tally *tally, struct err *err) {
    (void)e, (void)part, (void)tally, (void)err;
    return 0;
}

static int ignore_reject(struct emit *e, struct bytes raw, uint64_t line, uint64_t offset, const struct reason *why,
                         struct err *err) {
    (void)e, (void)raw, (void)line, (void)offset, (void)why, (void)err;
    return 0;
}

/* Everything is decompressed and decoded. */
static int seqfile_verify(const char *path, const struct read_opts *o, uint64_t *cells, struct err *err) {
    static const struct emit_ops ops = {.cells = ignore_cells, .reject = ignore_reject};
    struct emit nothing = {&ops};
    struct read_opts strict = *o;
    struct chunk c = {0};
    strict.on_damage = DAMAGE_FAILS;
    *cells = LOST_UNKNOWN;
    struct instream *in = instream_open(path, o->stop, o->memory.unpack, err);
    struct reader *r = in ? seqfile_open(in, &strict, err) : NULL;
    int rc = r ? 1 : -1;
    while (rc > 0 && (rc = seqfile_next(r, &c, err)) > 0) rc = seqfile_parse(r, &c, 0, &nothing, err) ? -1 : 1;
    if (r) seqfile_close(r);
    buf_free(&c.data);
    return rc;
}

/* The byte after SEQ is the version, a small number that no text holds there unless it is TAB or a line end. */
static int seqfile_sniff(struct bytes head, const char *path) {
    (void)path;
    bool is = head.n >= 4 && !memcmp(head.p, "SEQ", 3) && head.p[3] >= 1 && head.p[3] <= 8;
    return is ? 40 : 0;
}

const struct format fmt_seqfile = {.name = "seqfile",
                                   .about = "a SequenceFile of HBase's Export job",
                                   .sniff = seqfile_sniff,
                                   .open = seqfile_open,
                                   .is_text = false,
                                   .verify = seqfile_verify};
