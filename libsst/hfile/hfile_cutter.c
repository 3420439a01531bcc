/* Cuts a file that may be damaged into ranges. Where they end is decided as a scan decides where it goes on, so that a scan of
 * a range never ends inside a block that is whole. */
#include "hfile/hfile_reader.h"
#include "hfile/salvage.h"

#include <stdlib.h>

struct hfile_cutter {
    const struct hfile *h;
    struct salvage *salvage;
    uint64_t at, end;
};

struct hfile_cutter *hfile_cutter_open(const struct hfile *h, const struct hfile_range *span, struct err *err) {
    struct hfile_cutter *c = calloc(1, sizeof *c);
    if (!c) return err_nomem(err, sizeof *c, h->path), NULL;
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
