#include "formats/hfile/hfile_floor.h"

#include "cell/keyvalue.h"
#include "hfile/index_reader.h"

static int begin(struct hfile_floor *f, const struct hfile *h, struct err *err) {
    struct err why = {0};
    f->begun = true;
    if (hfile_info(h)->cells) f->cursor = index_cursor_open(h, &why);
    f->ended = !f->cursor;
    if (why.code == ERR_NONE || why.code == ERR_UNSUPPORTED) return 0; /* the cells can be read all the same */
    err_keep(err, &why);
    return -1;
}

static int step(struct hfile_floor *f, const struct hfile *h, struct err *err) {
    struct hfile_index_entry e;
    struct kv_key key;
    int more = index_cursor_next(f->cursor, &e, err);
    f->ended = more != 1;
    if (more != 1) return more;
    if (!kv_key_parse(e.key, &key)) return err_set(err, ERR_INPUT, "%s: a key in the index is malformed", hfile_info(h)->path);
    f->offset = e.offset;
    return buf_copy(&f->row, key.row, err);
}

int hfile_floor_at(struct hfile_floor *f, const struct hfile *h, uint64_t offset, struct bytes *row, struct err *err) {
    if (!f->begun && (begin(f, h, err) || (!f->ended && step(f, h, err)))) return -1;
    while (!f->ended && f->offset < offset)
        if (step(f, h, err)) return -1;
    *row = buf_bytes(&f->row);
    return 0;
}

void hfile_floor_close(struct hfile_floor *f) {
    index_cursor_close(f->cursor);
    buf_free(&f->row);
    *f = (struct hfile_floor){0};
}
