/* The data block index: walking all of it, finding a row through it, cutting the file into ranges. */
#include "base/be.h"
#include "cell/keyvalue.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_state.h"

enum { ENTRY_FIXED_BYTES = 12 };

/* --- blocks of entries --- */

/* A leaf or intermediate block: i32 n | n + 1 offsets | entries. */
struct non_root {
    const uint8_t *offsets, *entries;
    uint32_t n;
    size_t bytes; /* of the payload */
};

static bool non_root_parse(struct bytes payload, struct non_root *x) {
    if (payload.n < 8) return false;
    x->n = be32(payload.p);
    x->bytes = payload.n;
    if (x->n == 0 || x->n > (payload.n - 8) / (4 + ENTRY_FIXED_BYTES)) return false;
    size_t table = 4 + 4 * ((size_t)x->n + 1);
    x->offsets = payload.p + 4;
    x->entries = payload.p + table;
    size_t last = 0;
    for (uint32_t i = 0; i <= x->n; i++) {
        size_t at = be32(x->offsets + 4 * (size_t)i);
        if (i == 0 ? at != 0 : at < last + ENTRY_FIXED_BYTES || at > payload.n - table) return false;
        last = at;
    }
    return last == payload.n - table;
}

static struct hfile_index_entry non_root_at(const struct non_root *x, uint32_t i) {
    size_t from = be32(x->offsets + 4 * (size_t)i), to = be32(x->offsets + 4 * ((size_t)i + 1));
    const uint8_t *p = x->entries + from;
    return (struct hfile_index_entry){be64(p), be32(p + 8), bytes_of(p + ENTRY_FIXED_BYTES, to - from - ENTRY_FIXED_BYTES)};
}

static int root_fault(const struct hfile *h, uint32_t i, struct err *err) {
    return err_set(err, ERR_INPUT, "%s: root index: entry %u of %u is malformed", h->path, i, h->trailer.data_index_count);
}

/* Reads the index block an entry points to; level counts from 1 = leaf. */
static int get_child(const struct hfile *h, struct block_reader *r, const struct hfile_index_entry *e, unsigned level,
                     struct non_root *x, struct err *err) {
    enum block_type want = level == 1 ? BLOCK_LEAF_INDEX : BLOCK_INTERMEDIATE_INDEX;
    struct block b;
    if (block_reader_get(r, e->offset, BLOCK_ANY, &b, err)) return -1;
    if (b.header.type != want) return block_fault(&h->src, &b, err, "the index says %s", block_type_name(want));
    if (b.next - b.offset != e->disk_bytes)
        return block_fault(&h->src, &b, err, "has %llu bytes, the index says %u", (unsigned long long)(b.next - b.offset),
                           e->disk_bytes);
    if (!non_root_parse(b.payload, x)) return block_fault(&h->src, &b, err, "its table of entries is malformed");
    if (!bytes_eq(non_root_at(x, 0).key, e->key)) return block_fault(&h->src, &b, err, "its first key is not the one above it");
    return 0;
}

/* --- walk --- */

struct walk {
    const struct hfile *h;
    int (*visit)(void *arg, const struct hfile_index_entry *e, struct err *err);
    void *arg;
    struct block_reader readers[INDEX_LEVELS_MAX]; /* one a level: payloads stay while children are read */
    struct buf last_key;
    uint64_t last_offset;
    uint64_t n, plain_bytes;
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

static int walk_child(struct walk *w, const struct hfile_index_entry *e, unsigned level, struct err *err);

/* level: of the block that holds the entry; 0 = the entry points to a data block. */
static int walk_entry(struct walk *w, const struct hfile_index_entry *e, unsigned level, struct err *err) {
    if (level) return walk_child(w, e, level, err);
    if (check_entry(w, e, err)) return -1;
    return w->visit ? w->visit(w->arg, e, err) : 0;
}

static int walk_child(struct walk *w, const struct hfile_index_entry *e, unsigned level, struct err *err) {
    struct non_root x;
    int rc = get_child(w->h, &w->readers[level], e, level, &x, err);
    if (!rc) w->plain_bytes += x.bytes;
    for (uint32_t i = 0; !rc && i < x.n; i++) {
        struct hfile_index_entry child = non_root_at(&x, i);
        rc = walk_entry(w, &child, level - 1, err);
    }
    return rc;
}

static int walk_root(struct walk *w, struct err *err) {
    const struct trailer *t = &w->h->trailer;
    struct bytes in = buf_bytes(&w->h->root);
    int rc = 0;
    for (uint32_t i = 0; i < t->data_index_count && !rc; i++) {
        struct hfile_index_entry e;
        if (!hfile_take_root_entry(&in, &e)) return root_fault(w->h, i, err);
        rc = walk_entry(w, &e, t->index_levels - 1, err);
    }
    if (rc) return rc;
    if (w->n && w->last_offset != t->last_data_offset)
        return err_set(err, ERR_INPUT, "%s: the index ends at data block %llu, the trailer says %llu", w->h->path,
                       (unsigned long long)w->last_offset, (unsigned long long)t->last_data_offset);
    if (w->plain_bytes + w->h->root.n != t->index_plain_bytes)
        return err_set(err, ERR_INPUT, "%s: the index has %llu bytes, the trailer says %llu", w->h->path,
                       (unsigned long long)(w->plain_bytes + w->h->root.n), (unsigned long long)t->index_plain_bytes);
    return 0;
}

int hfile_index_walk(const struct hfile *h, int (*visit)(void *arg, const struct hfile_index_entry *e, struct err *err),
                     void *arg, struct err *err) {
    struct walk w = {.h = h, .visit = visit, .arg = arg};
    if (h->index_encoding.n)
        return err_set(err, ERR_UNSUPPORTED, "%s: index blocks in encoding %.*s cannot be read; the cells can, from begin to end",
                       h->path, (int)(h->index_encoding.n < 64 ? h->index_encoding.n : 64), (const char *)h->index_encoding.p);
    for (unsigned i = 0; i < INDEX_LEVELS_MAX; i++) block_reader_init(&w.readers[i], &h->src, h->trailer.load_on_open_offset, 0);
    int rc = walk_root(&w, err);
    for (unsigned i = 0; i < INDEX_LEVELS_MAX; i++) block_reader_release(&w.readers[i]);
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
        if (!hfile_take_root_entry(&in, &e)) return root_fault(h, i, err);
        bool before = key_is_before(e.key, target, &malformed);
        if (malformed) return root_fault(h, i, err);
        if (i && !before) break;
        *out = e;
    }
    return 0;
}

static bool seek_non_root(const struct non_root *x, const struct kv_key *target, struct hfile_index_entry *out) {
    uint32_t lo = 0, hi = x->n; /* entry lo is the best so far, from hi on all are behind */
    bool malformed = false;
    while (hi - lo > 1 && !malformed) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (key_is_before(non_root_at(x, mid).key, target, &malformed))
            lo = mid;
        else
            hi = mid;
    }
    *out = non_root_at(x, lo);
    return !malformed;
}

int hfile_seek(const struct hfile *h, struct bytes row, uint64_t *offset, struct err *err) {
    struct kv_key target = {.row = row, .ts_ms = INT64_MAX, .type = CELL_MAXIMUM};
    struct hfile_index_entry e = {.offset = h->info.first_data_offset};
    *offset = e.offset;
    if (h->index_encoding.n) return 0; /* everything is passed */
    if (seek_root(h, &target, &e, err)) return -1;
    /* Two readers in turn: the entry borrows from the block above. */
    struct block_reader r[2];
    for (unsigned i = 0; i < 2; i++) block_reader_init(&r[i], &h->src, h->trailer.load_on_open_offset, 0);
    int rc = 0;
    for (unsigned level = h->trailer.index_levels - 1; level > 0 && !rc; level--) {
        struct non_root x;
        rc = get_child(h, &r[level & 1], &e, level, &x, err);
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
    struct non_root x;
    block_reader_init(&r, &h->src, h->trailer.load_on_open_offset, 0);
    int rc = block_reader_get(&r, be64(meta), BLOCK_ANY, &b, err);
    if (!rc && (b.header.type != BLOCK_LEAF_INDEX || !non_root_parse(b.payload, &x) || be32(meta + 12) >= x.n))
        rc = block_fault(&h->src, &b, err, "is not the leaf index that holds the mid key");
    if (!rc) rc = buf_copy(key, non_root_at(&x, be32(meta + 12)).key, err);
    block_reader_release(&r);
    return rc;
}

int hfile_mid_key(const struct hfile *h, struct buf *key, struct err *err) {
    enum { MID_KEY_BYTES = 16 };
    struct bytes in = buf_bytes(&h->root), mid = {0};
    struct hfile_index_entry e;
    uint32_t n = h->index_encoding.n ? 0 : h->trailer.data_index_count;
    buf_clear(key);
    for (uint32_t i = 0; i < n; i++) {
        if (!hfile_take_root_entry(&in, &e)) return root_fault(h, i, err);
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
    if (!h->info.cells) return 0;
    if (start_row.n && hfile_seek(h, start_row, &out->offset, err)) return -1;
    if (!stop_row.p) return 0;
    if (hfile_seek(h, stop_row, &out->end, err) ||
        block_reader_header(&h->src, out->end, h->trailer.load_on_open_offset, &last, err))
        return -1;
    out->end = last.next;
    return 0;
}

int hfile_range_next(const struct hfile *h, uint64_t *cursor, size_t want_bytes, struct hfile_range *out, struct err *err) {
    uint64_t end = h->trailer.load_on_open_offset, at = *cursor, bytes = 0;
    if (at >= end) return 0;
    while (at < end && (at == *cursor || bytes < want_bytes)) {
        struct block b;
        if (block_reader_header(&h->src, at, end, &b, err)) return -1;
        uint64_t plain = b.header.plain_bytes;
        if (b.header.type == BLOCK_ENCODED_DATA) plain *= h->decoded_factor;
        bytes += plain > b.next - at ? plain : b.next - at;
        at = b.next;
    }
    *out = (struct hfile_range){*cursor, at};
    *cursor = at;
    return 1;
}
