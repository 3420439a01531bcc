#include "formats/hfile/hfile_blocks.h"

#include "hfile/index_reader.h"

int hfile_blocks_open(struct hfile_blocks *b, const struct hfile *h, const struct hfile_range *span, struct err *err) {
    b->span = *span;
    b->number = b->choice.data_blocks ? *b->choice.data_blocks : 0;
    if (!hfile_info(h)->cells) return 0;
    b->cursor = index_cursor_open(h, err);
    return b->cursor ? 0 : -1;
}

int hfile_blocks_next(struct hfile_blocks *b, struct hfile_range *out, struct err *err) {
    struct hfile_index_entry e;
    int rc = 0;
    while (b->cursor && (rc = index_cursor_next(b->cursor, &e, err)) == 1) {
        if (e.offset < b->span.offset || e.offset >= b->span.end) continue;
        uint64_t number = b->number++;
        if (b->choice.data_blocks) *b->choice.data_blocks = b->number;
        if (block_choice_number(&b->choice, number) != number) continue;
        *out = (struct hfile_range){e.offset, e.offset + e.disk_bytes};
        return 1;
    }
    return rc;
}

void hfile_blocks_close(struct hfile_blocks *b) {
    index_cursor_close(b->cursor);
    b->cursor = NULL;
}
