/* The data block index: walking all of it, finding a row through it, cutting the file into ranges. */
#include "base/bytes.h"
#include "cell/keyvalue.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_state.h"
#include "hfile/index_cursor.h"

/* --- walk --- */

struct walk {
    const struct hfile *h;
    struct buf last_key;
    uint64_t last_offset;
    uint64_t n;
};

static int check_entry(struct walk *w, const struct hfile_index_entry *e, struct err *err) {
    const struct trailer *t = &w->h->trailer;
    struct kv_key k, last;
    bool known = kv_key_parse(e->key, &k);
    if (known && w->n && kv_key_parse(buf_bytes(&w->last_key), &last) && kv_key_cmp(&last, &k) > 0) known = false;
    if (!known)
        return err_set(err, ERR_INPUT, "%s: index entry %llu (data block at %llu): key is malformed or out of order", w->h->path,
                       (unsigned long long)w->n, (unsigned long long)e->offset);
    bool first = w->n == 0;
    if (e->offset > t->last_data_offset || (first ? e->offset != t->first_data_offset : e->offset <= w->last_offset))
        return err_set(err, ERR_INPUT, "%s: index entry %llu: data block at %llu does not follow %llu", w->h->path,
                       (unsigned long long)w->n, (unsigned long long)e->offset,
                       (unsigned long long)(first ? t->first_data_offset : w->last_offset));
    w->n++;
    w->last_offset = e->offset;
    return buf_copy(&w->last_key, e->key, err);
}

static int check_end(const struct walk *w, const struct index_cursor *c, struct err *err) {
    const struct trailer *t = &w->h->trailer;
    uint64_t bytes = index_cursor_plain_bytes(c) + w->h->root.n;
    if (w->n && w->last_offset != t->last_data_offset)
        return err_set(err, ERR_INPUT, "%s: the index ends at data block %llu, the trailer says %llu", w->h->path,
                       (unsigned long long)w->last_offset, (unsigned long long)t->last_data_offset);
    if (bytes != t->index_plain_bytes)
        return err_set(err, ERR_INPUT, "%s: the index has %llu bytes, the trailer says %llu", w->h->path,
                       (unsigned long long)bytes, (unsigned long long)t->index_plain_bytes);
    return 0;
}

int hfile_index_walk(const struct hfile *h, int (*visit)(void *arg, const struct hfile_index_entry *e, struct err *err),
                     void *arg, struct err *err) {
    struct walk w = {.h = h};
    struct hfile_index_entry e;
    struct index_cursor *c = index_cursor_open(h, err);
    if (!c) return -1;
    int more, rc = 0;
    while (!rc && (more = index_cursor_next(c, &e, err)) == 1) {
        rc = check_entry(&w, &e, err);
        if (!rc && visit) rc = visit(arg, &e, err);
    }
    if (!rc) rc = more ? -1 : check_end(&w, c, err);
    index_cursor_close(c);
    buf_free(&w.last_key);
    return rc;
}

/* --- seek --- */

static bool key_is_before(struct bytes key, const struct kv_key *target, bool *malformed) {
    struct kv_key k;
    if (!kv_key_parse(key, &k)) {
        *malformed = true;
        return false;
    }
    return kv_key_cmp(&k, target) <= 0;
}

/* The last entry not behind target, or the first. */
static int seek_root(const struct hfile *h, const struct kv_key *target, struct hfile_index_entry *out, struct err *err) {
    struct bytes in = buf_bytes(&h->root);
    bool malformed = false;
    for (uint32_t i = 0; i < h->trailer.data_index_count; i++) {
        struct hfile_index_entry e;
        if (!hfile_take_root_entry(&in, &e)) return index_root_fault(h, i, err);
        bool before = key_is_before(e.key, target, &malformed);
        if (malformed) return index_root_fault(h, i, err);
        if (i && !before) break;
        *out = e;
    }
    return 0;
}

static bool seek_non_root(const struct index_block *x, const struct kv_key *target, struct hfile_index_entry *out) {
    uint32_t lo = 0, hi = x->n; /* entry lo is the best so far, from hi on all are behind */
    bool malformed = false;
    while (hi - lo > 1 && !malformed) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (key_is_before(index_block_at(x, mid).key, target, &malformed))
            lo = mid;
        else
            hi = mid;
    }
    *out = index_block_at(x, lo);
    return !malformed;
}

int hfile_seek(const struct hfile *h, struct bytes row, uint64_t *offset, struct err *err) {
    struct kv_key target = {.row = row, .ts_ms = INT64_MAX, .type = CELL_MAXIMUM};
    struct hfile_index_entry e = {.offset = h->info.first_data_offset};
    *offset = e.offset;
    if (!hfile_index_readable(h)) return 0; /* everything is passed */
    if (seek_root(h, &target, &e, err)) return -1;
    /* Two readers in turn: the entry borrows from the block above. */
    struct block_reader r[2];
    for (unsigned i = 0; i < 2; i++) block_reader_init(&r[i], &h->src, h->trailer.load_on_open_offset, 0);
    int rc = 0;
    for (unsigned level = h->trailer.index_levels - 1; level > 0 && !rc; level--) {
        struct index_block x;
        rc = index_block_read(h, &r[level & 1], &e, level, &x, err);
        if (!rc && !seek_non_root(&x, &target, &e)) rc = err_set(err, ERR_INPUT, "%s: a key in the index is malformed", h->path);
    }
    for (unsigned i = 0; i < 2; i++) block_reader_release(&r[i]);
    *offset = e.offset;
    return rc;
}

/* --- mid key --- */

/* Behind the root's entries, when there are leaves: i64 offset and i32 disk size of a leaf, i32 entry in it. */
static int mid_of_leaf(const struct hfile *h, const uint8_t *meta, struct buf *key, struct err *err) {
    struct block_reader r;
    struct block b;
    struct index_block x;
    block_reader_init(&r, &h->src, h->trailer.load_on_open_offset, 0);
    int rc = block_reader_get(&r, be64(meta), BLOCK_ANY, &b, err);
    if (!rc && (b.header.type != BLOCK_LEAF_INDEX || !index_block_parse(b.payload, &x) || be32(meta + 12) >= x.n))
        rc = block_fault(&h->src, &b, err, "is not the leaf index that holds the mid key");
    if (!rc) rc = buf_copy(key, index_block_at(&x, be32(meta + 12)).key, err);
    block_reader_release(&r);
    return rc;
}

int hfile_mid_key(const struct hfile *h, struct buf *key, struct err *err) {
    enum { MID_KEY_BYTES = 16 };
    struct bytes in = buf_bytes(&h->root), mid = {0};
    struct hfile_index_entry e;
    uint32_t n = hfile_index_readable(h) ? h->trailer.data_index_count : 0;
    buf_clear(key);
    for (uint32_t i = 0; i < n; i++) {
        if (!hfile_take_root_entry(&in, &e)) return index_root_fault(h, i, err);
        if (i == n / 2) mid = e.key;
    }
    if (n && in.n >= MID_KEY_BYTES && h->trailer.index_levels > 1) return mid_of_leaf(h, in.p, key, err);
    return buf_copy(key, mid, err);
}

/* --- ranges --- */

int hfile_row_range(const struct hfile *h, struct bytes start_row, struct bytes stop_row, struct hfile_range *out,
                    struct err *err) {
    struct block last;
    *out = (struct hfile_range){0, h->trailer.load_on_open_offset};
    if (!h->info.cells || !hfile_index_readable(h)) return 0;
    if (start_row.n && hfile_seek(h, start_row, &out->offset, err)) return -1;
    if (!stop_row.p) return 0;
    if (hfile_seek(h, stop_row, &out->end, err) ||
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
