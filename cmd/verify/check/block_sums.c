#include "cmd/verify/check/block_sums.h"

static int note_block(void *arg, const struct hfile_block *b, struct err *err) {
    struct block_sums *s = arg;
    struct block_sum *t = &s->types[b->header.type];
    (void)err;
    t->blocks++;
    t->disk_bytes += b->disk_bytes;
    t->plain_bytes += b->header.plain_bytes;
    if (b->header.type == BLOCK_DATA) s->encodings[HFILE_ENC_NONE]++;
    if (b->header.type == BLOCK_ENCODED_DATA)
        s->encodings[b->encoding < BLOCK_SUMS_ENCODINGS ? b->encoding : BLOCK_SUMS_ENCODINGS]++;
    return 0;
}

int block_sums_add(struct block_sums *s, const struct hfile *h, struct err *err) {
    s->file_bytes += hfile_info(h)->file_bytes;
    s->trailer_bytes += hfile_trailer(h)->bytes;
    if ((unsigned)hfile_info(h)->codec < BLOCK_SUMS_CODECS) s->codecs[hfile_info(h)->codec]++;
    return hfile_blocks_walk(h, note_block, s, err);
}

void block_sums_merge(struct block_sums *to, const struct block_sums *from) {
    for (unsigned i = 0; i < BLOCK_TYPES; i++) {
        to->types[i].blocks += from->types[i].blocks;
        to->types[i].disk_bytes += from->types[i].disk_bytes;
        to->types[i].plain_bytes += from->types[i].plain_bytes;
    }
    to->trailer_bytes += from->trailer_bytes;
    to->file_bytes += from->file_bytes;
    for (unsigned i = 0; i < countof(to->encodings); i++) to->encodings[i] += from->encodings[i];
    for (unsigned i = 0; i < countof(to->codecs); i++) to->codecs[i] += from->codecs[i];
}

struct block_sum block_sums_data(const struct block_sums *s) {
    const struct block_sum *a = &s->types[BLOCK_DATA], *b = &s->types[BLOCK_ENCODED_DATA];
    return (struct block_sum){a->blocks + b->blocks, a->disk_bytes + b->disk_bytes, a->plain_bytes + b->plain_bytes};
}
