/* Write-ahead logs of HBase. Entries are found one after the other, since dictionaries and lengths lead from one to the next, and
 * chosen by table and region. A chunk holds the cells of whole entries, as a plain log would have them, and any thread turns
 * those into parts. All cells of an entry have its sequence id; a later position is newer among equals. */
#include "base/stop.h"
#include "base/warning.h"
#include "cell/keyvalue.h"
#include "engine/format.h"
#include "formats/text/text_input.h"
#include "formats/wal/wal.h"
#include "formats/wal/wal_cell.h"
#include "formats/wal/wal_run.h"
#include "formats/wal/wal_stream.h"

#include <stdio.h>
#include <stdlib.h>

/* Entries are short, and each look for a stop request is a system call. */
enum { DEFAULT_CHUNK_BYTES = 1 << 20, ENTRIES_BETWEEN_LOOKS = 256 };

/* A chunk holds the number of cells that were passed by before (u64), and entries: this and their cells. */
struct entry_head {
    uint64_t offset, seq, bytes;
};

struct wal_reader {
    struct reader base;
    struct instream *in;
    struct wal_stream stream;
    struct wal_run own; /* if none was given */
    struct wal_run *run;
    const struct stop *stop;
    struct buf *warnings;
    struct wal_gaps_open gaps;
    size_t chunk_bytes;
    uint64_t cells; /* handed out, for ranks */
    bool skips, ended;
    struct err damage; /* that ended it, to be handed out */
    uint64_t damage_offset;
};

/* ---- chunks ---- */

/* stop_check, now and then. *n counts entries. */
static int look_for_stop(const struct stop *stop, uint32_t *n, struct err *err) {
    return (*n)++ % ENTRIES_BETWEEN_LOOKS ? 0 : stop_check(stop, err);
}

static int put_number(struct buf *b, uint64_t v, struct err *err) {
    return buf_put(b, &v, sizeof v, err);
}

/* The entry's cells go into data, or what they are is counted. *passed: cells that are not handed out. */
static int take_entry(struct wal_reader *r, const struct wal_entry *e, struct buf *data, uint64_t *passed, struct err *err) {
    size_t before = data->n;
    struct entry_head head = {.offset = e->offset, .seq = e->key.seq};
    int wants = wal_run_wants(r->run, &e->key, err);
    if (wants < 0) return err_prefix(err, "%s: entry at byte %llu", instream_path(r->in), (unsigned long long)e->offset);
    if (!wants || !e->key.cells) {
        *passed += e->key.cells;
        return wal_cells(&r->stream, e, NULL, err);
    }
    if (buf_put(data, &head, sizeof head, err)) return -1;
    size_t at = data->n;
    if (wal_cells(&r->stream, e, data, err)) {
        data->n = before;
        return -1;
    }
    struct kv_key first;
    bool parsed = kv_key_parse(bytes_of(data->p + at + 12, be32(data->p + at + 4)), &first);
    if (parsed) wal_run_note(r->run, &r->gaps, &e->key, &first);
    if (parsed && wal_is_marker(first.family)) {
        *passed += e->key.cells;
        int rc = wal_run_markers(r->run, &e->key, bytes_of(data->p + at, data->n - at), r->warnings, err);
        data->n = before;
        return rc ? err_prefix(err, "%s: entry at byte %llu", instream_path(r->in), (unsigned long long)e->offset) : 0;
    }
    head.bytes = data->n - at;
    memcpy(data->p + before, &head, sizeof head);
    r->cells += e->key.cells;
    r->run->counts.entries++;
    r->run->counts.cells += e->key.cells;
    return 0;
}

static int warn_unclosed(struct wal_reader *r, struct err *err) {
    if (!r->warnings) return 0;
    return warning_add(
        r->warnings, WARN_LOG_NOT_CLOSED, 1, err,
        "%s: the log was not closed: read up to byte %llu, the end of the last whole entry; it lacks what its server "
        "wrote later",
        instream_path(r->in), (unsigned long long)wal_offset(&r->stream));
}

/* The log has been read to its end. */
static int note_end(struct wal_reader *r, struct err *err) {
    struct wal_counts *c = &r->run->counts;
    r->ended = true;
    wal_run_end_log(r->run, &r->gaps, false);
    c->logs++;
    c->empty += r->stream.end == WAL_END_EMPTY;
    c->unclosed += r->stream.end == WAL_END_UNCLOSED;
    return r->stream.end == WAL_END_UNCLOSED ? warn_unclosed(r, err) : 0;
}

/* Damage that is to be skipped is kept for a chunk of its own. 0, -1. */
static int keep_damage(struct wal_reader *r, uint64_t offset, const struct err *why, struct err *err) {
    if (!r->skips || why->code != ERR_INPUT) {
        err_keep(err, why);
        return -1;
    }
    r->damage = *why;
    r->damage_offset = offset;
    r->ended = true;
    wal_run_end_log(r->run, &r->gaps, true);
    r->run->counts.logs++;
    return 0;
}

static int fill_entries(struct wal_reader *r, struct buf *data, struct err *err) {
    uint64_t passed = 0;
    uint32_t entries = 0;
    buf_clear(data);
    if (put_number(data, 0, err)) return -1;
    while (!r->ended && data->n - sizeof passed < r->chunk_bytes) {
        struct wal_entry e;
        struct err why = {0};
        uint64_t offset = wal_offset(&r->stream);
        if (look_for_stop(r->stop, &entries, err)) return -1;
        int rc = wal_next(&r->stream, &e, &why);
        if (rc == 0 && note_end(r, err)) return -1;
        if (rc > 0) rc = take_entry(r, &e, data, &passed, &why);
        if (rc < 0 && keep_damage(r, offset, &why, err)) return -1;
    }
    memcpy(data->p, &passed, sizeof passed);
    return data->n > sizeof passed || passed;
}

static int hand_out_damage(struct wal_reader *r, struct chunk *c, struct err *err) {
    buf_clear(&c->data);
    if (buf_printf(&c->data, err, "%s; nothing after it in this log is read", r->damage.text)) return -1;
    c->records.lost = true;
    c->offset = r->damage_offset;
    r->damage = (struct err){0};
    return 1;
}

static int wal_reader_next(struct reader *base, struct chunk *c, struct err *err) {
    struct wal_reader *r = (struct wal_reader *)base;
    c->line = 0;
    c->records.first = r->cells;
    c->records.lost = false;
    c->offset = wal_offset(&r->stream);
    int rc = r->ended ? 0 : fill_entries(r, &c->data, err);
    if (rc) return rc;
    return r->damage.code ? hand_out_damage(r, c, err) : 0;
}

/* ---- cells ---- */

/* One call of parse. Cells are gathered into a part of one row and family. */
struct wal_parse {
    const struct wal_reader *r;
    struct emit *e;
    struct entry_head entry;
    uint64_t rank, held;
    size_t region; /* of the base, where the row before is */
    struct row_part part;
    struct tally tally;
    size_t bytes;
    bool in_order;
    struct buf text;
    struct cell cells[PART_MAX_CELLS];
};

static int cell_cmp_of(const void *a, const void *b) {
    return cell_cmp(a, b, TIE_BY_SEQUENCE);
}

static int emit_part(struct wal_parse *x, struct err *err) {
    int rc = 0;
    if (!x->part.n_cells) return 0;
    if (wal_run_holds(x->r->run, &x->region, x->part.row, x->part.family, x->entry.seq)) {
        x->held += x->part.n_cells;
        x->e->ops->skip(x->e, x->part.n_cells);
    } else {
        if (!x->in_order) qsort(x->cells, x->part.n_cells, sizeof *x->cells, cell_cmp_of);
        rc = x->e->ops->cells(x->e, &x->part, &x->tally, err);
    }
    x->part.n_cells = 0;
    x->part.first = false;
    x->tally = (struct tally){0};
    x->bytes = 0;
    x->in_order = true;
    return rc;
}

/* A cell in the chunk: its lengths have been checked. */
struct wal_cell {
    struct kv_key key;
    struct bytes value, tags, all; /* all: what its digest is made of */
};

static void parse_cell(struct bytes kv, struct wal_cell *c) {
    size_t key_n = be32(kv.p), value_n = be32(kv.p + 4), fixed = 8 + key_n + value_n;
    *c = (struct wal_cell){.value = {kv.p + 8 + key_n, value_n}};
    kv_key_parse(bytes_of(kv.p + 8, key_n), &c->key);
    if (kv.n > fixed) c->tags = bytes_of(kv.p + fixed + 2, kv.n - fixed - 2);
    c->all = bytes_of(kv.p, c->tags.n ? kv.n : fixed);
}

static struct cell cell_of(const struct wal_parse *x, const struct wal_cell *c) {
    return (struct cell){.qualifier = c->key.qualifier,
                         .value = c->value,
                         .tags = c->tags,
                         .ts_ms = c->key.ts_ms,
                         .seq = x->entry.seq,
                         .rank = x->rank,
                         .type = c->key.type};
}

static int add_cell(struct wal_parse *x, const struct wal_cell *c, struct err *err) {
    bool same = x->part.row.p && bytes_eq(x->part.row, c->key.row) && bytes_eq(x->part.family, c->key.family);
    bool full = x->part.n_cells == PART_MAX_CELLS || c->all.n > PART_MAX_BYTES || x->bytes > PART_MAX_BYTES - c->all.n;
    if ((!same || full) && emit_part(x, err)) return -1;
    if (!same) {
        x->part.row = c->key.row;
        x->part.family = c->key.family;
        x->part.first = true;
    }
    struct cell *to = &x->cells[x->part.n_cells];
    *to = cell_of(x, c);
    if (x->part.n_cells && cell_cmp_of(to - 1, to) > 0) x->in_order = false;
    x->part.n_cells++;
    x->bytes += c->all.n;
    tally_one(&x->tally, digest_kv(c->all.p, c->all.n));
    return 0;
}

static int reject_type(struct wal_parse *x, const struct wal_cell *c, struct err *err) {
    struct cell cell = cell_of(x, c);
    struct row_part one = {.row = c->key.row, .family = c->key.family, .cells = &cell, .n_cells = 1};
    struct reason why;
    text_why(&why, 0, "type %u is not one that HBase writes (4, 8, 10, 12, 14)", cell.type);
    buf_clear(&x->text);
    if (cells_print(&x->text, &one, err)) return -1;
    x->text.n--; /* the line's end */
    return x->e->ops->reject(x->e, buf_bytes(&x->text), 0, x->entry.offset, &why, err);
}

/* Cells of one entry. */
static int put_cells(struct wal_parse *x, struct bytes cells, uint32_t input, uint64_t *position, struct err *err) {
    x->part.row = bytes_of(NULL, 0);
    while (cells.n) {
        struct bytes kv = {cells.p + 4, be32(cells.p)};
        struct wal_cell c;
        parse_cell(kv, &c);
        x->rank = rank_of(input, (*position)++);
        if (cell_type_known(c.key.type) ? add_cell(x, &c, err) : reject_type(x, &c, err)) return -1;
        cells = bytes_of(kv.p + kv.n, cells.n - 4 - kv.n);
    }
    return emit_part(x, err);
}

static int parse_entries(struct wal_parse *x, const struct chunk *c, uint32_t input, struct err *err) {
    uint64_t passed, position = c->rank_base + c->records.first;
    struct bytes rest = {c->data.p + sizeof passed, c->data.n - sizeof passed};
    memcpy(&passed, c->data.p, sizeof passed);
    if (passed) x->e->ops->skip(x->e, passed);
    while (rest.n) {
        memcpy(&x->entry, rest.p, sizeof x->entry);
        struct bytes cells = {rest.p + sizeof x->entry, x->entry.bytes};
        if (put_cells(x, cells, input, &position, err)) return -1;
        rest = bytes_of(cells.p + cells.n, rest.n - sizeof x->entry - cells.n);
    }
    return 0;
}

static int report_lost(struct emit *e, const struct chunk *c, struct buf *text, struct err *err) {
    struct lost lost = {.offset = c->offset, .cells = LOST_UNKNOWN};
    if (buf_copy(text, buf_bytes(&c->data), err) || buf_put_byte(text, 0, err)) return -1;
    lost.reason = (const char *)text->p;
    if (e->ops->lost(e, &lost, err)) return -1;
    e->ops->lost_cells(e, LOST_UNKNOWN);
    return 0;
}

static int wal_reader_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err) {
    struct wal_parse *x = calloc(1, sizeof *x);
    if (!x) return err_nomem(err, sizeof *x, "parsing a chunk");
    x->r = (const struct wal_reader *)base;
    x->e = e;
    x->in_order = true;
    x->part.cells = x->cells;
    int rc = c->records.lost ? report_lost(e, c, &x->text, err) : parse_entries(x, c, input, err);
    if (x->held) __atomic_fetch_add(&x->r->run->counts.held, x->held, __ATOMIC_RELAXED);
    buf_free(&x->text);
    free(x);
    return rc;
}

/* ---- life ---- */

static uint64_t wal_reader_positions(const struct reader *base) {
    return ((const struct wal_reader *)base)->cells;
}

static uint64_t wal_reader_input_bytes(const struct reader *base) {
    return instream_input_bytes(((const struct wal_reader *)base)->in);
}

static int wal_reader_checksum(const struct reader *base, char hex[17], struct err *err) {
    (void)err;
    instream_checksum(((const struct wal_reader *)base)->in, hex);
    return 0;
}

static void wal_reader_close(struct reader *base) {
    struct wal_reader *r = (struct wal_reader *)base;
    wal_close(&r->stream);
    wal_run_end_log(r->run, &r->gaps, false);
    wal_run_free(&r->own);
    instream_close(r->in);
    free(r);
}

static struct reader *wal_reader_open(struct instream *in, const struct read_opts *o, struct err *err) {
    static const struct reader_ops ops = {.next = wal_reader_next,
                                          .parse = wal_reader_parse,
                                          .input_bytes = wal_reader_input_bytes,
                                          .checksum = wal_reader_checksum,
                                          .positions = wal_reader_positions,
                                          .close = wal_reader_close};
    struct wal_reader *r = calloc(1, sizeof *r);
    if (!r) {
        err_nomem(err, sizeof *r, "a reader");
        instream_close(in);
        return NULL;
    }
    r->base.ops = &ops;
    r->in = in;
    wal_run_init(&r->own);
    r->run = o->wal ? o->wal : &r->own;
    wal_run_begin_log(r->run, &r->gaps, instream_path(in));
    r->stop = o->stop;
    r->warnings = o->warnings;
    r->skips = o->on_damage == DAMAGE_SKIPS_BLOCK;
    r->chunk_bytes = o->memory.chunk ? o->memory.chunk : DEFAULT_CHUNK_BYTES;
    if (wal_open(&r->stream, in, o->memory.max_block, err) == 0) return &r->base;
    wal_reader_close(&r->base);
    return NULL;
}

/* ---- verification ---- */

static int count_cells(struct wal_stream *s, const struct stop *stop, uint64_t *cells, struct err *err) {
    struct wal_entry e;
    uint32_t entries = 0;
    int rc = 1;
    while (rc == 1 && (rc = look_for_stop(stop, &entries, err) ? -1 : wal_next(s, &e, err)) == 1) {
        *cells += e.key.cells;
        if (wal_cells(s, &e, NULL, err)) rc = -1;
    }
    return rc;
}

/* Every entry is read, and its lengths are checked. */
static int wal_verify(const char *path, const struct read_opts *o, uint64_t *cells, struct err *err) {
    struct wal_stream s = {0};
    uint64_t seen = 0;
    *cells = LOST_UNKNOWN;
    struct instream *in = instream_open(path, o->stop, o->memory.unpack, err);
    int rc = in ? wal_open(&s, in, o->memory.max_block, err) : -1;
    if (!rc) rc = count_cells(&s, o->stop, &seen, err);
    wal_close(&s);
    instream_close(in);
    return rc;
}

/* A log that is empty, as a dead server leaves it, is known by the directory that HBase keeps logs in. */
static int wal_sniff(struct bytes head, const char *path) {
    if (!head.n) return strstr(path, "/WALs/") || strstr(path, "/oldWALs/") ? 8 : 0;
    return head.n >= WAL_MAGIC_BYTES && !memcmp(head.p, wal_magic, WAL_MAGIC_BYTES) ? 8 * WAL_MAGIC_BYTES : 0;
}

const struct format fmt_wal = {.name = "wal",
                               .about = "a write-ahead log of HBase",
                               .sniff = wal_sniff,
                               .open = wal_reader_open,
                               .is_log = true,
                               .seqs = FORMAT_SEQS_ALL,
                               .verify = wal_verify};
