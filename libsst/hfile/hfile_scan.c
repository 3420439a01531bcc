/* Cells out of an HFile, block after block. A cell borrows from the block it stands in; so does the key that the next
 * one is compared with, until a new block is read: then it is copied. */
#include "base/bytes.h"
#include "base/wire.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_state.h"
#include "hfile/hfile_keys.h"
#include "hfile/block_index.h"
#include "hfile/salvage.h"

#include <stdlib.h>

enum { READ_AHEAD_BYTES = 128 << 10 };

/* One cell as it stands in a block. */
struct raw_cell {
    struct bytes kv; /* what the digest covers */
    struct bytes key;
    struct bytes row, qualifier, value, tags;
    size_t prefix_n; /* of key, up to the qualifier */
    uint64_t seq;
    const uint8_t *end;
};

struct hfile_scan {
    struct source base;
    const struct hfile *h;
    struct hfile_scan_opts o;
    struct block_reader blocks;
    struct buf decoded; /* payload without its encoding */
    uint64_t next_block, end;
    bool whole;                 /* the whole file: totals must hold at the end */
    struct salvage *salvage;    /* once a damaged block has been passed over */
    struct hfile_passed chains; /* its counts are filled when they are asked for */

    struct block block;
    const uint8_t *p, *stop; /* cells left in this block */
    struct raw_cell ahead;   /* parsed and in order, but not taken */
    bool has_ahead, ahead_in_row;

    struct bytes last; /* key of the cell before, and its parts */
    struct bytes last_row;
    size_t last_prefix_n;
    struct buf last_copy, first_key, family, seek_row;
    bool any_last, done;

    uint64_t cells_seen, cells_out, data_blocks, plain_bytes, first_data, last_data;
    uint64_t position; /* for ranks: of this block, or never falling and starting at the block's offset */
    uint64_t rank_base, rank_mask;
    struct cell cells[PART_MAX_CELLS];
};

static struct hfile_scan *scan_of(struct source *s) {
    return (struct hfile_scan *)s;
}

/* --- faults --- */

static int cell_fault(const struct hfile_scan *s, const uint8_t *at, const char *what, struct err *err) {
    return block_fault(&s->h->src, &s->block, err, "cell at payload byte %zu: %s", (size_t)(at - s->block.payload.p), what);
}

/* Told, where somebody listens: the cell then begins a part. */
static int order_fault(const struct hfile_scan *s, const struct raw_cell *c, bool *same_row, struct err *err) {
    *same_row = false;
    if (s->o.disorder) return s->o.disorder->put(s->o.disorder->arg, s->h->path, s->last, c->key, err);
    char a[KEY_TEXT_BYTES], b[KEY_TEXT_BYTES];
    return block_fault(&s->h->src, &s->block, err, "cells are not in order: key %s came before %s", key_text_hex(s->last, a),
                       key_text_hex(c->key, b));
}

/* --- one cell --- */

static const char *parse_mvcc(const struct hfile_scan *s, struct raw_cell *c, const uint8_t **p) {
    if (s->h->info.max_mvcc == 0) {
        /* HBase then takes one byte for granted. */
        if (*p == s->stop || **p != 0) return "a sequence id where all should be 0";
        (*p)++;
        return NULL;
    }
    struct bytes in = bytes_of(*p, (size_t)(s->stop - *p));
    int64_t v;
    if (!hadoop_vlong_take(&in, &v) || v < 0) return "malformed sequence id";
    c->seq = (uint64_t)v;
    *p = in.p;
    return NULL;
}

/* NULL, or what is wrong with the cell at s->p. */
static inline const char *parse_cell(const struct hfile_scan *s, struct raw_cell *c) {
    const uint8_t *p = s->p;
    size_t left = (size_t)(s->stop - p);
    if (left < 8) return "no room for its lengths";
    size_t key_n = be32(p), value_n = be32(p + 4);
    left -= 8;
    if (key_n > left || value_n > left - key_n) return "its lengths reach beyond the block";
    if (key_n < KV_KEY_FIXED_BYTES) return "its key is too short";
    const uint8_t *key = p + 8;
    size_t row_n = be16(key);
    if (row_n > ROW_MAX_BYTES || row_n > key_n - KV_KEY_FIXED_BYTES) return "its row reaches beyond its key";
    size_t family_n = key[2 + row_n];
    if (family_n > FAMILY_MAX_BYTES || family_n > key_n - KV_KEY_FIXED_BYTES - row_n) return "its family reaches beyond its key";
    c->key = bytes_of(key, key_n);
    c->row = bytes_of(key + 2, row_n);
    c->prefix_n = 3 + row_n + family_n;
    c->qualifier = bytes_of(key + c->prefix_n, key_n - 9 - c->prefix_n);
    c->value = bytes_of(key + key_n, value_n);
    c->tags = (struct bytes){key, 0};
    c->seq = 0;
    const uint8_t *end = key + key_n + value_n;
    c->kv = bytes_of(p, (size_t)(end - p));
    if (s->h->layout.tags) {
        if (s->stop - end < 2) return "no room for the length of its tags";
        c->tags = bytes_of(end + 2, be16(end));
        if (c->tags.n > (size_t)(s->stop - end) - 2) return "its tags reach beyond the block";
        end += 2 + c->tags.n;
        if (c->tags.n) {
            if (!tags_valid(c->tags)) return "its tags are malformed";
            c->kv.n = (size_t)(end - p);
        }
    }
    if (s->h->layout.mvcc) {
        const char *fault = parse_mvcc(s, c, &end);
        if (fault) return fault;
    }
    c->end = end;
    return NULL;
}

static int64_t key_ts(struct bytes key) {
    return (int64_t)be64(key.p + key.n - 9);
}

/* Qualifier, timestamp, type of the last key against c: for cells of one row and family. */
static inline int cmp_in_row(const struct hfile_scan *s, const struct raw_cell *c) {
    struct cell a = {.qualifier = bytes_of(s->last.p + s->last_prefix_n, s->last.n - 9 - s->last_prefix_n),
                     .ts_ms = key_ts(s->last),
                     .type = s->last.p[s->last.n - 1]};
    struct cell b = {.qualifier = c->qualifier, .ts_ms = key_ts(c->key), .type = c->key.p[c->key.n - 1]};
    return cell_key_cmp(&a, &b);
}

static struct bytes family_of(const struct raw_cell *c) {
    return bytes_of(c->row.p + c->row.n + 1, c->prefix_n - 3 - c->row.n);
}

/* Row and family of c against the cell before: *same_row. Also checks the order. */
static inline int check_order(struct hfile_scan *s, const struct raw_cell *c, bool *same_row, struct err *err) {
    if (s->any_last && c->prefix_n == s->last_prefix_n && memcmp(c->key.p, s->last.p, c->prefix_n) == 0) {
        *same_row = true;
        return cmp_in_row(s, c) > 0 ? order_fault(s, c, same_row, err) : 0;
    }
    *same_row = false;
    if (!s->any_last) return buf_copy(&s->family, family_of(c), err);
    if (bytes_cmp(s->last_row, c->row) > 0 && order_fault(s, c, same_row, err)) return -1;
    if (!bytes_eq(family_of(c), buf_bytes(&s->family)))
        return block_fault(&s->h->src, &s->block, err, "cells of a second family");
    return 0;
}

/* --- blocks --- */

/* The block the last key borrows from goes away. */
static int keep_last(struct hfile_scan *s, struct err *err) {
    if (!s->any_last || s->last.p == s->last_copy.p) return 0;
    if (buf_copy(&s->last_copy, s->last, err)) return -1;
    s->last = buf_bytes(&s->last_copy);
    s->last_row = bytes_of(s->last.p + 2, s->last_row.n);
    return 0;
}

static int check_chain(struct hfile_scan *s, struct err *err) {
    unsigned chain = block_chain(s->block.header.type);
    struct hfile_passed *c = &s->chains;
    int64_t want = c->last[chain], named = s->block.header.prev_offset;
    if (want == named) {
        c->last[chain] = (int64_t)s->block.offset;
        return 0;
    }
    if (want == HFILE_CHAIN_NONE) {
        if (c->first_prev[chain] == HFILE_CHAIN_NONE) c->first_prev[chain] = named;
        c->last[chain] = (int64_t)s->block.offset;
        return 0;
    }
    return block_fault(&s->h->src, &s->block, err, "names %lld as the block before it, that was at %lld", (long long)named,
                       (long long)want);
}

static int open_payload(struct hfile_scan *s, struct err *err) {
    if (data_block_open(s->h, &s->block, &s->decoded, err)) return -1;
    s->p = s->block.payload.p;
    s->stop = s->p + s->block.payload.n;
    return 0;
}

static void note_data_block(struct hfile_scan *s) {
    if (s->o.store_file || s->position < s->block.offset) s->position = s->o.store_file ? 0 : s->block.offset;
    if (!s->data_blocks++) s->first_data = s->block.offset;
    s->last_data = s->block.offset;
}

static int totals_fault(const struct hfile_scan *s, const char *what, uint64_t found, uint64_t said, struct err *err) {
    return err_set(err, ERR_INPUT, "%s: %s: %llu found, the trailer says %llu", s->h->path, what, (unsigned long long)found,
                   (unsigned long long)said);
}

static inline int peek_cell(struct hfile_scan *s, struct err *err);
static inline void take_cell(struct hfile_scan *s);

/* Are all cells of the block just opened what they should be? Leaves everything as it was. */
static int check_cells(struct hfile_scan *s, struct err *err) {
    struct bytes last = s->last, last_row = s->last_row;
    size_t last_prefix_n = s->last_prefix_n;
    uint64_t seen = s->cells_seen;
    bool any_last = s->any_last;
    const uint8_t *p = s->p;
    int rc;
    while ((rc = peek_cell(s, err)) == 1) take_cell(s);
    s->last = last;
    s->last_row = last_row;
    s->last_prefix_n = last_prefix_n;
    s->cells_seen = seen;
    s->any_last = any_last;
    s->has_ahead = false;
    s->p = p;
    return rc;
}

/* What trailer and file info say about the whole. */
static int check_totals(const struct hfile_scan *s, struct err *err) {
    const struct trailer *t = &s->h->trailer;
    uint64_t plain = s->plain_bytes + s->h->open_plain_bytes + t->bytes;
    if (s->cells_seen != t->entry_count) return totals_fault(s, "number of cells", s->cells_seen, t->entry_count, err);
    if (s->first_data != t->first_data_offset)
        return totals_fault(s, "first data block", s->first_data, t->first_data_offset, err);
    if (s->last_data != t->last_data_offset) return totals_fault(s, "last data block", s->last_data, t->last_data_offset, err);
    if (plain != t->total_plain_bytes) return totals_fault(s, "uncompressed bytes", plain, t->total_plain_bytes, err);
    if (s->o.disorder) return 0;
    if (s->cells_seen && !bytes_eq(s->last, s->h->info.last_key))
        return err_set(err, ERR_INPUT, "%s: the last cell's key is not hfile.LASTKEY", s->h->path);
    if (s->cells_seen && !bytes_eq(buf_bytes(&s->first_key), s->h->info.first_key))
        return err_set(err, ERR_INPUT, "%s: the first cell's key is not the first key of the index", s->h->path);
    return 0;
}

/* The block at next_block, which moves on when it is good: 1 data, 0 another kind, -1 error. Inline blocks are passed, but not
 * without a look at their checksums. */
static int take_block(struct hfile_scan *s, struct err *err) {
    struct block *b = &s->block;
    if (block_reader_get(&s->blocks, s->next_block, 1u << BLOCK_DATA | 1u << BLOCK_ENCODED_DATA, b, err)) return -1;
    if (check_chain(s, err)) return -1;
    if (b->header.type >= BLOCK_ROOT_INDEX) return block_fault(&s->h->src, b, err, "does not belong among the data");
    if (b->payload.p && (open_payload(s, err) || (s->o.lost && check_cells(s, err)))) return -1;
    if (b->payload.p) note_data_block(s);
    if (b->header.type != BLOCK_INTERMEDIATE_INDEX) s->plain_bytes += s->h->src.header_bytes + (uint64_t)b->header.plain_bytes;
    s->next_block = b->next;
    return b->payload.p != NULL;
}

static void forget_chains(struct hfile_passed *c) {
    c->gap = true;
    for (unsigned i = 0; i < BLOCK_TYPES; i++) {
        c->last[i] = HFILE_CHAIN_NONE;
        if (c->first_prev[i] == HFILE_CHAIN_NONE) c->first_prev[i] = HFILE_CHAIN_LOST;
    }
}

/* The block at next_block is damaged, as err says: reports it and goes on behind it, with *err empty. */
static int pass_over(struct hfile_scan *s, struct err *err) {
    struct salvage_gap g;
    struct err why = *err;
    bool limit = why.code == ERR_LIMIT; /* which a wrong size looks like */
    if (!s->o.lost || (why.code != ERR_INPUT && !limit)) return -1;
    *err = (struct err){0};
    if (!s->salvage && !(s->salvage = salvage_open(s->h, s->end - s->next_block, err))) return -1;
    if (salvage_find(s->salvage, s->next_block, s->end, &g, err)) return -1;
    if (limit && !g.size_wrong) {
        err_keep(err, &why);
        return -1;
    }
    struct hfile_lost lost = {
        .offset = s->next_block, .end = g.next, .no_cells = g.no_cells, .last = g.last, .reason = hfile_reason(s->h, &why)};
    if (!g.no_cells) lost.first = g.first.p || !s->any_last ? g.first : s->last;
    forget_chains(&s->chains);
    s->p = s->stop = NULL;
    s->next_block = g.next;
    return s->o.lost->put(s->o.lost->arg, &lost, err);
}

/* Goes on to the next data block. 1 there, 0 end, -1 error. */
static int next_data_block(struct hfile_scan *s, struct err *err) {
    if (keep_last(s, err)) return -1;
    while (s->next_block < s->end) {
        int rc = take_block(s, err);
        if (rc == 1 || (rc < 0 && pass_over(s, err))) return rc;
    }
    return s->whole && !s->o.lost && check_totals(s, err) ? -1 : 0;
}

/* --- parts --- */

/* Makes the next cell of this block known. 1 there, 0 the block has no more, -1 error. */
static inline int peek_cell(struct hfile_scan *s, struct err *err) {
    if (s->has_ahead) return 1;
    if (s->p == s->stop) return 0;
    const char *fault = parse_cell(s, &s->ahead);
    if (fault) return cell_fault(s, s->p, fault, err);
    if (check_order(s, &s->ahead, &s->ahead_in_row, err)) return -1;
    s->has_ahead = true;
    return 1;
}

static inline void take_cell(struct hfile_scan *s) {
    s->last = s->ahead.key;
    s->last_row = s->ahead.row;
    s->last_prefix_n = s->ahead.prefix_n;
    s->any_last = true;
    s->has_ahead = false;
    s->p = s->ahead.end;
    s->cells_seen++;
}

static inline void put_cell(struct hfile_scan *s, struct cell *out) {
    const struct raw_cell *c = &s->ahead;
    *out = (struct cell){.qualifier = c->qualifier,
                         .value = c->value,
                         .tags = c->tags,
                         .ts_ms = key_ts(c->key),
                         .seq = s->o.reset_seq ? s->o.seq : c->seq,
                         .rank = s->rank_base | ((s->o.rank_top - s->position++) & s->rank_mask),
                         .type = c->key.p[c->key.n - 1]};
    if (s->o.tally) tally_one(s->o.tally, digest_kv(c->kv.p, c->kv.n));
    take_cell(s);
}

/* What follows in this block of the row that `ahead` stands in. */
static int fill_part(struct hfile_scan *s, struct row_part *part, struct err *err) {
    *part = (struct row_part){.row = s->ahead.row, .family = family_of(&s->ahead), .cells = s->cells};
    part->first = !s->ahead_in_row || s->cells_out == 0;
    if (s->cells_out == 0 && buf_copy(&s->first_key, s->ahead.key, err)) return -1;
    size_t bytes = 0;
    uint32_t n = 0;
    int rc = 1;
    do {
        bytes += s->ahead.kv.n;
        put_cell(s, &s->cells[n++]);
        rc = peek_cell(s, err);
    } while (rc == 1 && s->ahead_in_row && n < PART_MAX_CELLS && bytes + s->ahead.kv.n <= PART_MAX_BYTES);
    if (rc < 0) return -1;
    part->n_cells = n;
    part->ends = rc == 1 && !s->ahead_in_row;
    s->cells_out += n;
    return 1;
}

static int show_block(struct hfile_scan *s, struct err *err) {
    struct bytes before = s->any_last ? s->last : (struct bytes){0};
    return peek_cell(s, err) < 0 ? -1 : s->o.watch->block(s->o.watch->arg, s->block.offset, before, s->ahead.key, err);
}

static int scan_next(struct source *src, struct row_part *part, struct err *err) {
    struct hfile_scan *s = scan_of(src);
    while (!s->done) {
        int rc = peek_cell(s, err);
        if (rc < 0) return -1;
        if (rc == 0) {
            rc = next_data_block(s, err);
            if (rc < 0 || (rc == 1 && s->o.watch && show_block(s, err))) return -1;
            s->done = rc == 0;
        } else if (s->o.stop_row.p && bytes_cmp(s->ahead.row, s->o.stop_row) >= 0) {
            s->done = true;
        } else if (s->o.start_row.p && bytes_cmp(s->ahead.row, s->o.start_row) < 0) {
            take_cell(s);
        } else {
            return fill_part(s, part, err);
        }
    }
    return 0;
}

/* --- life --- */

static void scan_close(struct source *src) {
    struct hfile_scan *s = scan_of(src);
    block_reader_release(&s->blocks);
    salvage_close(s->salvage);
    buf_free(&s->decoded);
    buf_free(&s->last_copy);
    buf_free(&s->first_key);
    buf_free(&s->family);
    buf_free(&s->seek_row);
    free(s);
}

static const struct source_ops scan_ops = {.next = scan_next, .close = scan_close};

/* Where to begin and to end. */
static int place(struct hfile_scan *s, struct err *err) {
    const struct hfile_info *info = &s->h->info;
    bool ranged = s->o.range.offset || s->o.range.end;
    s->next_block = s->o.range.offset;
    s->end = ranged ? s->o.range.end : info->load_on_open_offset;
    s->whole = !ranged && !s->o.start_row.p && !s->o.stop_row.p;
    if (s->end > info->load_on_open_offset || s->next_block > s->end)
        return err_set(err, ERR_INTERNAL, "%s: block range %llu to %llu", s->h->path, (unsigned long long)s->o.range.offset,
                       (unsigned long long)s->o.range.end);
    if (!ranged && s->o.start_row.p && info->cells && index_seek(s->h, s->o.start_row, &s->next_block, err)) return -1;
    for (unsigned i = 0; i < BLOCK_TYPES; i++) {
        s->chains.first_prev[i] = HFILE_CHAIN_NONE;
        s->chains.last[i] = s->next_block == 0 ? -1 : HFILE_CHAIN_NONE;
    }
    s->first_data = s->last_data = TRAILER_NO_OFFSET;
    return 0;
}

int hfile_scan_seek(struct source *scan, struct bytes row, struct err *err) {
    struct hfile_scan *s = scan_of(scan);
    uint64_t from = s->o.range.offset;
    if (buf_copy(&s->seek_row, row, err)) return -1;
    s->o.start_row = buf_bytes(&s->seek_row);
    if (s->h->info.cells && index_seek(s->h, row, &s->next_block, err)) return -1;
    if (s->next_block < from) s->next_block = from;
    for (unsigned i = 0; i < BLOCK_TYPES; i++) s->chains.last[i] = HFILE_CHAIN_NONE;
    s->p = s->stop = NULL;
    s->position = 0;
    s->whole = s->has_ahead = s->any_last = s->done = false;
    return 0;
}

struct source *hfile_scan_open(const struct hfile *h, const struct hfile_scan_opts *o, struct err *err) {
    struct hfile_scan *s = calloc(1, sizeof *s);
    if (!s) {
        err_nomem(err, sizeof *s, h->path);
        return NULL;
    }
    s->base.ops = &scan_ops;
    s->h = h;
    s->o = *o;
    s->rank_base = rank_of(o->input, o->store_file ? (uint64_t)(o->store_file - 1) << RANK_BLOCK_BITS : 0);
    s->rank_mask = o->store_file ? (UINT64_C(1) << RANK_BLOCK_BITS) - 1 : RANK_POSITION_MAX;
    if (!s->o.rank_top) s->o.rank_top = s->rank_mask;
    if (place(s, err)) {
        scan_close(&s->base);
        return NULL;
    }
    /* What lies behind a damaged block may be unreadable too: then only what is asked for is read. */
    block_reader_init(&s->blocks, &h->src, s->end, o->lost ? 0 : READ_AHEAD_BYTES);
    return &s->base;
}

void hfile_scan_bounds(const struct source *scan, struct bytes *first_key, struct bytes *last_key) {
    const struct hfile_scan *s = (const struct hfile_scan *)scan;
    *first_key = buf_bytes(&s->first_key);
    *last_key = s->cells_out ? s->last : (struct bytes){0};
}

uint64_t hfile_scan_block(const struct source *scan) {
    return ((const struct hfile_scan *)scan)->block.offset;
}

void hfile_scan_counts(const struct source *scan, uint64_t *blocks, uint64_t *cells) {
    const struct hfile_scan *s = (const struct hfile_scan *)scan;
    *blocks = s->data_blocks;
    *cells = s->cells_seen;
}

void hfile_scan_passed(const struct source *scan, struct hfile_passed *out) {
    const struct hfile_scan *s = (const struct hfile_scan *)scan;
    *out = s->chains;
    out->data_blocks = s->data_blocks;
    out->cells = s->cells_seen;
    out->plain_bytes = s->plain_bytes;
}

size_t hfile_scan_memory(const struct hfile *h) {
    size_t block = h->usual_block_bytes;
    struct bytes biggest = hfile_find(h, "hfile.LEN_OF_BIGGEST_CELL");
    if (biggest.n == 8 && be64(biggest.p) > block)
        block += be64(biggest.p) < h->src.max_block_bytes ? (size_t)be64(biggest.p) : h->src.max_block_bytes;
    size_t window = READ_AHEAD_BYTES > block ? READ_AHEAD_BYTES : block, decoded = 0;
    if (h->encoding->id != HFILE_ENC_NONE) {
        decoded = block + (size_t)h->usual_block_bytes * (h->decoded_factor - 1);
        if (decoded > h->src.max_block_bytes) decoded = h->src.max_block_bytes;
    }
    return sizeof(struct hfile_scan) + window + window / 2 + block + block / 2 + decoded + decoded / 2 +
           codec_ctx_memory(h->src.codec, 0);
}
