/* Cuts a file into ranges of whole blocks, by walking block headers or by the index, and walks all blocks. In a file that may be
 * damaged (the cutter), ranges end where a scan that skips damage would continue, so that a scan of a range never ends inside a
 * whole block. */
#include "hfile/hfile_layout.h"

#include "hfile/hfile_ranges.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_state.h"
#include "hfile/index_reader.h"
#include "hfile/salvage.h"

#include <stdlib.h>

int hfile_row_range(const struct hfile *h, struct bytes start_row, struct bytes stop_row, struct hfile_range *out,
                    struct err *err) {
    struct block last;
    *out = (struct hfile_range){0, h->trailer.load_on_open_offset};
    if (!h->info.cells || !hfile_index_readable(h)) return 0;
    if (start_row.n && index_seek(h, start_row, &out->offset, err)) return -1;
    if (!stop_row.p) return 0;
    if (index_seek(h, stop_row, &out->end, err) ||
        block_reader_header(&h->src, out->end, h->trailer.load_on_open_offset, &last, err))
        return -1;
    out->end = last.next;
    return 0;
}

int hfile_range_visit(const struct hfile *h, uint64_t *cursor, size_t want_bytes, struct hfile_range *out, hfile_block_fn *visit,
                      void *arg, struct err *err) {
    uint64_t end = h->trailer.load_on_open_offset, at = *cursor, bytes = 0;
    int rc = 0;
    if (at >= end) return 0;
    while (!rc && at < end && (at == *cursor || bytes < want_bytes)) {
        struct block b;
        if (block_reader_header(&h->src, at, end, &b, err)) return -1;
        uint64_t plain = b.header.plain_bytes;
        if (b.header.type == BLOCK_ENCODED_DATA) plain *= h->decoded_factor;
        bytes += plain > b.next - at ? plain : b.next - at;
        struct hfile_block seen = {.offset = at, .disk_bytes = (uint32_t)(b.next - at), .header = b.header};
        if (visit && (rc = visit(arg, &seen, err)) < 0) return -1;
        at = b.next;
    }
    *out = (struct hfile_range){*cursor, at};
    *cursor = at;
    return 1;
}

int hfile_range_next(const struct hfile *h, uint64_t *cursor, size_t want_bytes, struct hfile_range *out, struct err *err) {
    return hfile_range_visit(h, cursor, want_bytes, out, NULL, NULL, err);
}

/* ---- files that may be damaged ---- */

struct hfile_cutter {
    const struct hfile *h;
    struct salvage *salvage;
    uint64_t at, end;
};

struct hfile_cutter *hfile_cutter_open(const struct hfile *h, const struct hfile_range *span, struct err *err) {
    struct hfile_cutter *c = calloc(1, sizeof *c);
    if (!c) {
        err_nomem(err, sizeof *c, h->path);
        return NULL;
    }
    *c = (struct hfile_cutter){
        .h = h, .salvage = salvage_open(h, span->end - span->offset, err), .at = span->offset, .end = span->end};
    if (c->salvage) return c;
    free(c);
    return NULL;
}

int hfile_cutter_next(struct hfile_cutter *c, size_t want_bytes, struct hfile_range *out, struct err *err) {
    uint64_t from = c->at, bytes = 0;
    if (from >= c->end) return 0;
    while (c->at < c->end && (c->at == from || bytes < want_bytes)) {
        struct salvage_gap g;
        struct block b;
        struct err mine = {0};
        if (salvage_find(c->salvage, c->at, c->end, &g, err)) return -1;
        bool known = block_reader_header(&c->h->src, c->at, c->end, &b, &mine) == 0;
        bytes += known && b.header.plain_bytes > g.next - c->at ? b.header.plain_bytes : g.next - c->at;
        c->at = g.next;
    }
    *out = (struct hfile_range){from, c->at};
    return 1;
}

void hfile_cutter_close(struct hfile_cutter *c) {
    if (!c) return;
    salvage_close(c->salvage);
    free(c);
}

/* ---- all blocks ---- */

static int read_encoding_id(struct block_reader *r, uint64_t offset, unsigned *id, struct err *err) {
    struct block b;
    if (block_reader_get(r, offset, BLOCK_ANY, &b, err)) return -1;
    if (b.payload.n < 2) return block_fault(r->src, &b, err, "is too short for its encoding's id");
    *id = be16(b.payload.p);
    return 0;
}

int hfile_blocks_walk(const struct hfile *h, hfile_block_fn *visit, void *arg, struct err *err) {
    struct block_reader r;
    int rc = 0;
    block_reader_init(&r, &h->src, h->trailer_offset, 0);
    for (uint64_t at = 0; at < h->trailer_offset && !rc;) {
        struct block b;
        struct hfile_block out = {.offset = at};
        if ((rc = block_reader_header(&h->src, at, h->trailer_offset, &b, err))) break;
        out.disk_bytes = (uint32_t)(b.next - at);
        out.header = b.header;
        if (b.header.type == BLOCK_ENCODED_DATA) rc = read_encoding_id(&r, at, &out.encoding, err);
        if (!rc) rc = visit(arg, &out, err);
        at = b.next;
    }
    block_reader_release(&r);
    return rc;
}
