/* SequenceFiles of HBase's Export job: keys are rows, values are Results. A chunk is a stretch of whole records or whole
 * compressed blocks as they lie in the file; whoever parses it decompresses them. Truncation shows only where it cuts a
 * record: the format has no end mark. */
#include "base/stop.h"
#include "cell/order.h"
#include "formats/cells_text.h"
#include "formats/format.h"
#include "formats/hbase_result.h"
#include "formats/seqfile_records.h"
#include "formats/text.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_CHUNK_BYTES = 1 << 20, HEADER_MAX_BYTES = 1 << 20, STEP_BYTES = 4096 };

/* Units of all sizes come; nothing of more than this is taken where no limit was given. */
enum { DEFAULT_LIMIT_BYTES = 1 << 30 };

struct seqfile_reader {
    struct reader base;
    struct instream *in;
    const struct stop *stop;
    struct seqfile_header header; /* the names of its classes are gone once the file is open */
    const struct seqfile_codec *codec;
    struct buf carry; /* the start of a unit whose end has not been read yet */
    uint64_t offset;  /* of carry in the content */
    uint64_t records; /* before carry */
    bool at_end;
    size_t chunk_bytes, limit;
};

/* ---- handing out chunks ---- */

/* Reads until data holds `want` bytes or the input ends. */
static int fill(struct seqfile_reader *r, struct buf *data, size_t want, struct err *err) {
    if (want > data->n && buf_reserve(data, want - data->n, err)) return -1;
    while (data->n < want && !r->at_end) {
        ssize_t n = instream_read(r->in, data->p + data->n, want - data->n, err);
        if (n < 0) return -1;
        r->at_end = n == 0;
        data->n += (size_t)n;
    }
    return 0;
}

/* What data begins with, up to *whole. */
struct cut {
    size_t whole; /* bytes of whole units */
    uint64_t records;
    size_t pending; /* bytes the unit behind them takes at least */
};

static int bad_place(const struct seqfile_reader *r, uint64_t offset, struct err *err) {
    return err_prefix(err, "%s: %s at byte %llu", instream_path(r->in), r->header.blocks ? "block" : "record",
                      (unsigned long long)offset);
}

static int cut_units(const struct seqfile_reader *r, struct bytes data, struct cut *c, struct err *err) {
    while (c->whole < data.n) {
        struct seqfile_unit u;
        int rc = seqfile_unit_parse(&r->header, bytes_of(data.p + c->whole, data.n - c->whole), &u, err);
        if (rc < 0) return bad_place(r, r->offset + c->whole, err);
        bool take = rc > 0 && u.bytes <= r->limit;
        c->pending = take ? 0 : u.bytes;
        if (!take) break;
        c->whole += u.bytes;
        c->records += u.records;
    }
    return 0;
}

/* A unit larger than the limit, from its start in data: is it that large? Damaged lengths reach behind the end of the file or
 * over the next sync marker, and must not look like a lack of memory. */
static int refuse_large(struct seqfile_reader *r, struct buf *data, const struct cut *c, struct err *err) {
    uint64_t start = r->offset + c->whole, end = start + c->pending, at = r->offset; /* at: of data */
    size_t marker = seqfile_sync_find(&r->header, buf_bytes(data), c->whole + 1);
    while (at + data->n < end && marker == data->n && !r->at_end) {
        size_t keep = data->n < SEQFILE_ESCAPE_BYTES ? data->n : SEQFILE_ESCAPE_BYTES - 1;
        at += data->n - keep;
        memmove(data->p, data->p + data->n - keep, keep);
        data->n = keep;
        if (stop_check(r->stop, err) || fill(r, data, r->chunk_bytes + keep, err)) return -1;
        marker = seqfile_sync_find(&r->header, buf_bytes(data), 0);
    }
    if (marker < data->n && at + marker < end)
        err_set(err, ERR_INPUT, "says it takes %zu bytes, but there is a sync marker at byte %llu", c->pending,
                (unsigned long long)(at + marker));
    else if (at + data->n < end)
        err_set(err, ERR_INPUT, "says it takes %zu bytes, but the file ends %llu bytes behind its start", c->pending,
                (unsigned long long)(at + data->n - start));
    else
        err_set(err, ERR_LIMIT, "needs %zu bytes, the limit is %zu", c->pending, r->limit);
    return bad_place(r, start, err);
}

/* Whole units, as many as a chunk should have. The buffer doubles until it holds one: lengths are believed only as far as
 * bytes have come. */
static int fill_units(struct seqfile_reader *r, struct buf *data, struct cut *c, struct err *err) {
    size_t want = r->chunk_bytes;
    for (;;) {
        if (fill(r, data, want, err) || cut_units(r, buf_bytes(data), c, err)) return -1;
        if (c->whole == data->n || (c->whole && !r->at_end)) return 0;
        if (c->pending > r->limit) return refuse_large(r, data, c, err);
        if (r->at_end) {
            err_set(err, ERR_INPUT, "takes %zu bytes, but the file ends %zu bytes behind its start: it is truncated", c->pending,
                    data->n - c->whole);
            return bad_place(r, r->offset + c->whole, err);
        }
        want = c->pending < 2 * data->n ? c->pending + STEP_BYTES : 2 * data->n;
    }
}

static int seqfile_next(struct reader *base, struct chunk *chunk, struct err *err) {
    struct seqfile_reader *r = (struct seqfile_reader *)base;
    struct cut c = {0};
    if (stop_check(r->stop, err)) return -1;
    if (buf_copy(&chunk->data, buf_bytes(&r->carry), err) || fill_units(r, &chunk->data, &c, err)) return -1;
    if (buf_copy(&r->carry, bytes_of(chunk->data.p + c.whole, chunk->data.n - c.whole), err)) return -1;
    chunk->data.n = c.whole;
    chunk->offset = r->offset;
    chunk->line = 0;
    chunk->a = r->records;
    r->offset += c.whole;
    r->records += c.records;
    return c.whole > 0;
}

/* ---- cells ---- */

/* One call of parse. Cells are gathered into a part of one row and family. */
struct seqfile_parse {
    const struct seqfile_reader *r;
    struct emit *e;
    uint32_t input;
    struct seqfile_record record;
    uint64_t number; /* of the record in the file */
    uint64_t rank_base;
    uint32_t index; /* of the cell in the record */
    struct row_part part;
    size_t bytes;
    bool in_order;
    struct buf text;
    struct cell cells[PART_MAX_CELLS];
};

/* Records that come later are newer, and so are later ones of the same cells in one record (HBase's Import puts them in this
 * order). Equal cells that are 256 apart in one record are none that HBase writes. */
enum { RANK_INDEX_BITS = 8 };

static uint64_t cell_rank(const struct seqfile_parse *x) {
    return rank_of(x->input, x->rank_base + (x->number << RANK_INDEX_BITS | (x->index & ((1u << RANK_INDEX_BITS) - 1))));
}

static int cell_cmp_of(const void *a, const void *b) {
    return cell_cmp(a, b, TIE_BY_SEQUENCE);
}

static int flush(struct seqfile_parse *x, struct err *err) {
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
        return text_why(why, 0, "type %u is none that HBase writes (4, 8, 10, 12, 14)", c->cell.type);
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
    if ((!same || full) && flush(x, err)) return -1;
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

/* Cells before damage in a record have gone out when it is found. */
static int put_record(struct seqfile_parse *x, struct err *err) {
    struct hbase_result result;
    struct result_cell c;
    int rc = hbase_result_open(&result, x->record.value, err) ? -1 : 1;
    x->part.row = bytes_of(NULL, 0);
    for (x->index = 0; rc > 0 && (rc = hbase_result_next(&result, &c, err)) > 0; x->index++) {
        struct reason why = {0};
        if (cell_possible(x, &c, &why) ? add_cell(x, &c, err) : reject_cell(x, &c, &why, err)) return -1;
    }
    if (rc < 0) return bad_place(x->r, x->record.offset, err);
    return flush(x, err);
}

static int next_record(struct seqfile_parse *x, struct seqfile_records *records, struct err *err) {
    int rc = seqfile_records_next(records, &x->record, err);
    return rc < 0 ? err_prefix(err, "%s", instream_path(x->r->in)) : rc;
}

static uint64_t seqfile_positions(const struct reader *base) {
    return ((const struct seqfile_reader *)base)->records << RANK_INDEX_BITS;
}

static int seqfile_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err) {
    const struct seqfile_reader *r = (const struct seqfile_reader *)base;
    struct seqfile_records records;
    struct seqfile_parse *x = calloc(1, sizeof *x);
    if (!x) return err_nomem(err, sizeof *x, "parsing a chunk");
    x->r = r;
    x->e = e;
    x->input = input;
    x->in_order = true;
    x->part.cells = x->cells;
    x->number = c->a;
    x->rank_base = c->rank_base;
    seqfile_records_begin(&records, &r->header, r->codec, r->limit, buf_bytes(&c->data), c->offset);
    int rc;
    while ((rc = next_record(x, &records, err)) > 0 && !(rc = put_record(x, err))) x->number++;
    seqfile_records_end(&records);
    buf_free(&x->text);
    free(x);
    return rc;
}

/* ---- life ---- */

static uint64_t seqfile_input_bytes(const struct reader *base) {
    return instream_input_bytes(((const struct seqfile_reader *)base)->in);
}

static void seqfile_checksum(const struct reader *base, char hex[17]) {
    instream_checksum(((const struct seqfile_reader *)base)->in, hex);
}

static void seqfile_close(struct reader *base) {
    struct seqfile_reader *r = (struct seqfile_reader *)base;
    instream_close(r->in);
    buf_free(&r->carry);
    free(r);
}

static int check_classes(const struct seqfile_header *h, struct err *err) {
    static const char key[] = "org.apache.hadoop.hbase.io.ImmutableBytesWritable",
                      value[] = "org.apache.hadoop.hbase.client.Result";
    if (bytes_eq(h->key_class, bytes_str(key)) && bytes_eq(h->value_class, bytes_str(value))) return 0;
    bool wal = memmem(h->value_class.p, h->value_class.n, "WALEdit", 7) != NULL;
    return err_set(err, ERR_UNSUPPORTED, "is a SequenceFile of keys %.*s and values %.*s%s; HBase's Export writes %s and %s",
                   (int)h->key_class.n, (const char *)h->key_class.p, (int)h->value_class.n, (const char *)h->value_class.p,
                   wal ? ", a write-ahead log: replay it with WALPlayer, then export the table" : "", key, value);
}

static int read_header(struct seqfile_reader *r, struct err *err) {
    int rc = 0;
    for (size_t want = STEP_BYTES; !rc; want *= 2) {
        if (fill(r, &r->carry, want, err)) return -1;
        rc = seqfile_header_parse(buf_bytes(&r->carry), &r->header, err);
        if (!rc && r->at_end) rc = err_set(err, ERR_INPUT, "ends inside its header, at byte %zu", r->carry.n);
        if (!rc && want >= HEADER_MAX_BYTES)
            rc = err_set(err, ERR_LIMIT, "its header needs more than %zu bytes, which is the limit", want);
    }
    if (rc > 0 && check_classes(&r->header, err)) rc = -1;
    if (rc > 0 && r->header.compressed && !(r->codec = seqfile_codec_find(r->header.codec_class, err))) rc = -1;
    if (rc < 0) return err_prefix(err, "%s", instream_path(r->in));
    r->offset = r->header.bytes;
    r->carry.n -= r->header.bytes;
    memmove(r->carry.p, r->carry.p + r->header.bytes, r->carry.n);
    return 0;
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
    r->in = in;
    r->stop = o->stop;
    r->chunk_bytes = o->chunk_bytes ? o->chunk_bytes : DEFAULT_CHUNK_BYTES;
    r->limit = o->max_block_bytes ? o->max_block_bytes : DEFAULT_LIMIT_BYTES;
    if (read_header(r, err) == 0) return &r->base;
    seqfile_close(&r->base);
    return NULL;
}

/* The byte behind SEQ is the version, a small number, and no byte of text but TAB and line ends. */
static int seqfile_sniff(struct bytes head, const char *path) {
    (void)path;
    bool is = head.n >= 4 && !memcmp(head.p, "SEQ", 3) && head.p[3] >= 1 && head.p[3] <= 8;
    return is ? 40 : 0;
}

const struct format fmt_seqfile = {.name = "seqfile",
                                   .about = "a SequenceFile of HBase's Export job",
                                   .sniff = seqfile_sniff,
                                   .open = seqfile_open,
                                   .is_text = false};
