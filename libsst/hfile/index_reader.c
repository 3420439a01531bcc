/* Reads the data block index: parses its blocks, walks its leaf level with a reader for each level (payloads stay while children
 * are read), seeks a row down from the root, and finds the middle key. Every block must have the size and begin with the key
 * that the entry above it gives. */

#include "base/bytes.h"
#include "base/wire.h"
#include "cell/keyvalue.h"
#include "hfile/hfile_state.h"
#include "hfile/index_reader.h"

#include <stdlib.h>

/* ---- blocks of the index ---- */

enum { ENTRY_FIXED_BYTES = 12 };

struct index_block { /* borrows a payload */
    const uint8_t *offsets, *entries;
    uint32_t n; /* at least 1 */
    size_t bytes;
};

bool index_take_root_entry(struct bytes *in, struct hfile_index_entry *e) {
    struct bytes t = *in;
    int64_t n;
    if (t.n < 12) return false;
    e->offset = be64(t.p);
    e->disk_bytes = be32(t.p + 8);
    t = bytes_of(t.p + 12, t.n - 12);
    if (!hadoop_vlong_take(&t, &n) || n < 0 || (uint64_t)n > t.n) return false;
    e->key = bytes_of(t.p, (size_t)n);
    *in = bytes_of(t.p + n, t.n - (size_t)n);
    return true;
}

static bool index_block_parse(struct bytes payload, struct index_block *x) {
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

static struct hfile_index_entry index_block_at(const struct index_block *x, uint32_t i) {
    size_t from = be32(x->offsets + 4 * (size_t)i), to = be32(x->offsets + 4 * ((size_t)i + 1));
    const uint8_t *p = x->entries + from;
    return (struct hfile_index_entry){be64(p), be32(p + 8), bytes_of(p + ENTRY_FIXED_BYTES, to - from - ENTRY_FIXED_BYTES)};
}

static int index_root_fault(const struct hfile *h, uint32_t i, struct err *err) {
    return err_set(err, ERR_INPUT, "%s: root index: entry %u of %u is malformed", h->path, i, h->trailer.data_index_count);
}

/* Reads the block an entry points to, which borrows r's buffers; level counts from 1 = leaf. */
static int index_block_read(const struct hfile *h, struct block_reader *r, const struct hfile_index_entry *e, unsigned level,
                            struct index_block *x, struct err *err) {
    enum block_type want = level == 1 ? BLOCK_LEAF_INDEX : BLOCK_INTERMEDIATE_INDEX;
    struct block b;
    if (block_reader_get(r, e->offset, BLOCK_ANY, &b, err)) return -1;
    if (b.header.type != want) return block_fault(&h->src, &b, err, "the index says %s", block_type_name(want));
    if (b.next - b.offset != e->disk_bytes)
        return block_fault(&h->src, &b, err, "has %llu bytes, the index says %u", (unsigned long long)(b.next - b.offset),
                           e->disk_bytes);
    if (!index_block_parse(b.payload, x)) return block_fault(&h->src, &b, err, "its table of entries is malformed");
    if (!bytes_eq(index_block_at(x, 0).key, e->key))
        return block_fault(&h->src, &b, err, "its first key is not the one above it");
    return 0;
}

/* ---- the leaf level, entry by entry ---- */

/* The position of the cursor in the block it has read on one level. */
struct level {
    struct block_reader reader; /* one a level: payloads stay while children are read */
    struct index_block block;
    uint32_t next;
};

struct index_cursor {
    const struct hfile *h;
    struct bytes root; /* entries not taken yet */
    uint32_t root_next;
    struct level levels[INDEX_LEVELS_MAX]; /* by number: 1 = leaf, index_levels - 1 = below the root */
    uint64_t plain_bytes;
};

struct index_cursor *index_cursor_open(const struct hfile *h, struct err *err) {
    if (h->index_encoding.n) {
        err_set(err, ERR_UNSUPPORTED, "%s: index blocks in encoding %.*s cannot be read; the cells can, from beginning to end",
                h->path, (int)(h->index_encoding.n < 64 ? h->index_encoding.n : 64), (const char *)h->index_encoding.p);
        return NULL;
    }
    if (h->index_lost) {
        err_set(err, ERR_INPUT, "%s: the root index is damaged", h->path);
        return NULL;
    }
    struct index_cursor *c = calloc(1, sizeof *c);
    if (!c) {
        err_nomem(err, sizeof *c, "an index");
        return NULL;
    }
    c->h = h;
    c->root = buf_bytes(&h->root);
    for (unsigned i = 0; i < INDEX_LEVELS_MAX; i++)
        block_reader_init(&c->levels[i].reader, &h->src, h->trailer.load_on_open_offset, 0);
    return c;
}

/* An entry from the lowest level that has one left. *level: of the block it points to, 0 = a data block. */
static int take_entry(struct index_cursor *c, struct hfile_index_entry *e, unsigned *level, struct err *err) {
    const struct trailer *t = &c->h->trailer;
    for (unsigned i = 1; i < t->index_levels; i++) {
        struct level *l = &c->levels[i];
        if (l->next == l->block.n) continue;
        *e = index_block_at(&l->block, l->next++);
        *level = i - 1;
        return 1;
    }
    if (c->root_next == t->data_index_count) return 0;
    if (!index_take_root_entry(&c->root, e)) return index_root_fault(c->h, c->root_next, err);
    c->root_next++;
    *level = t->index_levels - 1;
    return 1;
}

int index_cursor_next(struct index_cursor *c, struct hfile_index_entry *out, struct err *err) {
    unsigned level = 0;
    int rc;
    while ((rc = take_entry(c, out, &level, err)) == 1 && level) {
        struct level *l = &c->levels[level];
        l->next = l->block.n = 0;
        if (index_block_read(c->h, &l->reader, out, level, &l->block, err)) {
            l->block.n = 0;
            return -1;
        }
        c->plain_bytes += l->block.bytes;
    }
    return rc;
}

uint64_t index_cursor_plain_bytes(const struct index_cursor *c) {
    return c->plain_bytes;
}

void index_cursor_close(struct index_cursor *c) {
    if (!c) return;
    for (unsigned i = 0; i < INDEX_LEVELS_MAX; i++) block_reader_release(&c->levels[i].reader);
    free(c);
}

/* --- walk --- */

struct index_walk {
    const struct hfile *h;
    struct buf last_key;
    uint64_t last_offset;
    uint64_t n;
};

static int check_entry(struct index_walk *w, const struct hfile_index_entry *e, struct err *err) {
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

static int check_end(const struct index_walk *w, const struct index_cursor *c, struct err *err) {
    const struct trailer *t = &w->h->trailer;
    uint64_t bytes = index_cursor_plain_bytes(c) + w->h->root.n;
    if (w->n && w->last_offset != t->last_data_offset)
        return err_set(err, ERR_INPUT, "%s: the index ends at data block %llu, the trailer says %llu", w->h->path,
                       (unsigned long long)w->last_offset, (unsigned long long)t->last_data_offset);
    if (bytes != t->index_plain_bytes && !trailer_lacks(t, TRAILER_INDEX_PLAIN_BYTES))
        return err_set(err, ERR_INPUT, "%s: the index has %llu bytes, the trailer says %llu", w->h->path,
                       (unsigned long long)bytes, (unsigned long long)t->index_plain_bytes);
    return 0;
}

int hfile_index_walk(const struct hfile *h, int (*visit)(void *arg, const struct hfile_index_entry *e, struct err *err),
                     void *arg, struct err *err) {
    struct index_walk w = {.h = h};
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

/* The last entry not after target, or the first. */
static int seek_root(const struct hfile *h, const struct kv_key *target, struct hfile_index_entry *out, struct err *err) {
    struct bytes in = buf_bytes(&h->root);
    bool malformed = false;
    for (uint32_t i = 0; i < h->trailer.data_index_count; i++) {
        struct hfile_index_entry e;
        if (!index_take_root_entry(&in, &e)) return index_root_fault(h, i, err);
        bool before = key_is_before(e.key, target, &malformed);
        if (malformed) return index_root_fault(h, i, err);
        if (i && !before) break;
        *out = e;
    }
    return 0;
}

static bool seek_non_root(const struct index_block *x, const struct kv_key *target, struct hfile_index_entry *out) {
    uint32_t lo = 0, hi = x->n; /* entry lo is the best so far, from hi on all are after target */
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

int index_seek(const struct hfile *h, struct bytes row, uint64_t *offset, struct err *err) {
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

/* Reads what is after the root's entries, if there are leaves: i64 offset and i32 disk size of a leaf, i32 entry in it. */
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
        if (!index_take_root_entry(&in, &e)) return index_root_fault(h, i, err);
        if (i == n / 2) mid = e.key;
    }
    if (n && in.n >= MID_KEY_BYTES && h->trailer.index_levels > 1) return mid_of_leaf(h, in.p, key, err);
    return buf_copy(key, mid, err);
}
