/* The data block index while a file is written. An entry goes into the leaf that is filled; a full leaf goes out between data
 * blocks and leaves one entry to the level above. When that has become too large for a root at the end, it is parted into blocks
 * below a smaller one, until it fits. Sizes are counted as HBase counts them: levels must come out the same.
 *
 * Long keys above the leaves are not all held: those of 30 KB come to a fifteenth of the cells. They are read back from the
 * leaves, which begin with them. */
#include "hfile/block_index.h"

#include "base/bytes.h"
#include "base/wire.h"
#include "hfile/index_writer.h"

#include <stdlib.h>

enum { ENTRY_FIXED_BYTES = 12, LEVELS_MAX = 16 };

static uint64_t root_entry_bytes(size_t key_n) {
    return ENTRY_FIXED_BYTES + hadoop_vlong_size((int64_t)key_n) + key_n;
}

static int chunk_add(struct index_chunk *c, uint64_t offset, uint32_t disk_bytes, struct bytes key, struct err *err) {
    if (buf_reserve(&c->entries, ENTRY_FIXED_BYTES + key.n, err)) return -1;
    uint8_t *p = put_be64(c->entries.p + c->entries.n, offset);
    p = put_be32(p, disk_bytes);
    if (key.n) memcpy(p, key.p, key.n);
    c->entries.n += ENTRY_FIXED_BYTES + key.n;
    if (c->entries.n > INT32_MAX) return err_set(err, ERR_LIMIT, "an index block grows beyond 2 GiB");
    if (buf_put_be32(&c->ends, (uint32_t)c->entries.n, err)) return -1;
    c->n++;
    c->root_bytes += root_entry_bytes(key.n);
    return 0;
}

static void chunk_clear(struct index_chunk *c) {
    buf_clear(&c->entries);
    buf_clear(&c->ends);
    c->n = 0;
    c->root_bytes = 0;
}

static void chunk_free(struct index_chunk *c) {
    buf_free(&c->entries);
    buf_free(&c->ends);
    *c = (struct index_chunk){0};
}

static struct bytes first_key(const struct index_chunk *c) {
    return bytes_of(c->entries.p + ENTRY_FIXED_BYTES, be32(c->ends.p) - ENTRY_FIXED_BYTES);
}

int index_put_root_entry(struct buf *b, uint64_t offset, uint32_t disk_bytes, struct bytes key, struct err *err) {
    uint8_t t[ENTRY_FIXED_BYTES + HADOOP_VLONG_MAX];
    uint8_t *p = put_be32(put_be64(t, offset), disk_bytes);
    p += hadoop_vlong_put(p, (int64_t)key.n);
    if (buf_put(b, t, (size_t)(p - t), err)) return -1;
    return buf_put(b, key.p, key.n, err);
}

/* HBase's getNonRootSize: the block's payload. */
static uint64_t non_root_bytes(const struct index_chunk *c) {
    return 4 + 4 * ((uint64_t)c->n + 1) + c->entries.n;
}

/* Writes a chunk in the non-root format and empties it. */
static int put_non_root(struct index_writer *x, struct block_writer *w, enum block_type type, struct index_chunk *c,
                        struct block_place *place, struct err *err) {
    struct buf *b = &x->scratch;
    buf_clear(b);
    if (buf_put_be32(b, c->n, err) || buf_put_be32(b, 0, err)) return -1;
    if (buf_put(b, c->ends.p, c->ends.n, err) || buf_put(b, c->entries.p, c->entries.n, err)) return -1;
    if (block_writer_put(w, type, buf_bytes(b), place, err)) return -1;
    x->plain_bytes += place->plain_bytes;
    return 0;
}

/* Keys are held without what they share with the one before: as many as a root has room for, and short ones. */
static bool key_is_held(const struct index_level *l, size_t n, size_t keys_most) {
    return l->keys.n + n <= (n <= sizeof(struct index_ref) ? INT32_MAX : keys_most);
}

/* key: the first one of the leaf at r.leaf_offset. */
static int level_add(struct index_level *l, struct index_ref r, struct bytes key, size_t keys_most, struct err *err) {
    if (l->n == l->room && grow_capacity(&l->refs, &l->room, sizeof *l->refs, "the index of blocks", err)) return -1;
    r.key_n = (uint32_t)key.n;
    r.shared = (uint32_t)bytes_lcp(buf_bytes(&l->last), key);
    r.key_at = INDEX_KEY_UNHELD;
    if (key_is_held(l, key.n - r.shared, keys_most)) {
        r.key_at = (uint32_t)l->keys.n;
        if (buf_put(&l->keys, key.p + r.shared, key.n - r.shared, err)) return -1;
    }
    l->refs[l->n++] = r;
    l->root_bytes += root_entry_bytes(key.n);
    return buf_copy(&l->last, key, err);
}

static void level_free(struct index_level *l) {
    free(l->refs);
    buf_free(&l->keys);
    buf_free(&l->last);
    *l = (struct index_level){0};
}

static int put_leaf(struct index_writer *x, struct block_writer *w, struct err *err) {
    struct block_place place;
    if (put_non_root(x, w, BLOCK_LEAF_INDEX, &x->leaf, &place, err)) return -1;
    x->leaf_plain_bytes += place.plain_bytes;
    x->leaf_blocks++;
    struct index_ref r = {
        .offset = place.offset, .leaf_offset = place.offset, .data_blocks = x->entries, .disk_bytes = place.disk_bytes};
    if (level_add(&x->level, r, first_key(&x->leaf), x->chunk_bytes, err)) return -1;
    x->levels = 2;
    chunk_clear(&x->leaf);
    return 0;
}

int index_writer_add(struct index_writer *x, struct block_writer *w, const struct block_place *data, struct err *err) {
    if (chunk_add(&x->leaf, data->offset, data->disk_bytes, data->key, err)) return -1;
    x->entries++;
    return non_root_bytes(&x->leaf) >= x->chunk_bytes ? put_leaf(x, w, err) : 0;
}

int index_writer_close_leaf(struct index_writer *x, struct block_writer *w, struct err *err) {
    if (x->level.n) return x->leaf.n ? put_leaf(x, w, err) : 0;
    x->levels = 1;
    return 0;
}

/* ---- levels above ---- */

/* The keys of one level in order, held or read back. */
struct key_reader {
    const struct index_level *level;
    struct block_source src; /* without bytes until a key is read back */
    struct block_reader reader;
    struct buf key;
};

static void key_reader_close(struct key_reader *k) {
    buf_free(&k->key);
    if (!k->reader.src) return;
    block_reader_release(&k->reader);
    hfile_bytes_close(&k->src.bytes);
}

static int key_reader_begin(struct key_reader *k, struct block_writer *w, struct err *err) {
    if (k->reader.src) return 0;
    if (block_writer_reopen(w, &k->src, err)) return -1;
    block_reader_init(&k->reader, &k->src, k->src.bytes.size, 0);
    return 0;
}

static int read_back(struct key_reader *k, struct block_writer *w, const struct index_ref *r, struct err *err) {
    struct block b;
    if (key_reader_begin(k, w, err)) return -1;
    if (block_reader_get(&k->reader, r->leaf_offset, BLOCK_ANY, &b, err)) {
        if (err->code == ERR_INPUT) err->code = ERR_OUTPUT;
        return -1;
    }
    struct bytes in = b.payload;
    size_t table = in.n < 12 ? in.n : 4 + 4 * ((size_t)be32(in.p) + 1);
    if (b.header.type != BLOCK_LEAF_INDEX || in.n < table + ENTRY_FIXED_BYTES + r->key_n ||
        be32(in.p + 8) != ENTRY_FIXED_BYTES + r->key_n)
        return err_set(err, ERR_OUTPUT, "%s: the index block at %llu is not read back as it was written", k->src.path,
                       (unsigned long long)r->leaf_offset);
    return buf_copy(&k->key, bytes_of(in.p + table + ENTRY_FIXED_BYTES, r->key_n), err);
}

/* Returns in *key the key of entry i; entries are asked for in order. Valid until the next call. */
static int key_of(struct key_reader *k, struct block_writer *w, size_t i, struct bytes *key, struct err *err) {
    const struct index_ref *r = &k->level->refs[i];
    if (r->key_at == INDEX_KEY_UNHELD) {
        if (read_back(k, w, r, err)) return -1;
    } else {
        k->key.n = r->shared;
        if (buf_put(&k->key, k->level->keys.p + r->key_at, r->key_n - r->shared, err)) return -1;
    }
    *key = buf_bytes(&k->key);
    return 0;
}

/* Writes the place of the middle data block: leaf offset, its size, entry within it. */
static int put_mid_key(const struct index_level *leaves, struct buf *b, struct err *err) {
    uint64_t mid = (leaves->refs[leaves->n - 1].data_blocks - 1) / 2;
    size_t i = 0;
    while (leaves->refs[i].data_blocks <= mid) i++;
    const struct index_ref *r = &leaves->refs[i];
    uint64_t before = i ? leaves->refs[i - 1].data_blocks : 0;
    if (buf_put_be64(b, r->offset, err) || buf_put_be32(b, r->disk_bytes, err)) return -1;
    return buf_put_be32(b, (uint32_t)(mid - before), err);
}

/* first: its first entry. */
static int put_intermediate(struct index_writer *x, struct block_writer *w, const struct index_ref *first,
                            struct index_level *parent, struct err *err) {
    struct block_place place;
    if (put_non_root(x, w, BLOCK_INTERMEDIATE_INDEX, &x->next, &place, err)) return -1;
    struct index_ref r = {.offset = place.offset, .leaf_offset = first->leaf_offset, .disk_bytes = place.disk_bytes};
    if (level_add(parent, r, first_key(&x->next), x->chunk_bytes, err)) return -1;
    chunk_clear(&x->next);
    return 0;
}

static int part_level(struct index_writer *x, struct block_writer *w, struct key_reader *keys, struct index_level *parent,
                      struct err *err) {
    const struct index_ref *refs = x->level.refs, *first = refs;
    for (size_t i = 0; i < x->level.n; i++) {
        struct bytes key;
        if (key_of(keys, w, i, &key, err) || chunk_add(&x->next, refs[i].offset, refs[i].disk_bytes, key, err)) return -1;
        if (i < x->min_entries || x->next.root_bytes < x->chunk_bytes) continue;
        if (put_intermediate(x, w, first, parent, err)) return -1;
        first = refs + i + 1;
    }
    return x->next.n ? put_intermediate(x, w, first, parent, err) : 0;
}

/* Replaces the highest level by one of blocks and a smaller one above it. */
static int add_level(struct index_writer *x, struct block_writer *w, struct err *err) {
    struct index_level parent = {0};
    struct key_reader keys = {.level = &x->level};
    int rc = part_level(x, w, &keys, &parent, err);
    key_reader_close(&keys);
    level_free(&x->level);
    x->level = parent;
    x->levels++;
    return rc;
}

static int put_root_level(struct index_writer *x, struct block_writer *w, struct buf *payload, struct err *err) {
    struct key_reader keys = {.level = &x->level};
    struct bytes key;
    int rc = 0;
    for (size_t i = 0; i < x->level.n && !rc; i++) {
        const struct index_ref *r = &x->level.refs[i];
        rc = key_of(&keys, w, i, &key, err);
        if (!rc) rc = index_put_root_entry(payload, r->offset, r->disk_bytes, key, err);
    }
    key_reader_close(&keys);
    x->root_entries = (uint32_t)x->level.n;
    return rc;
}

/* The only leaf is the root. */
static int put_root_leaf(struct index_writer *x, struct buf *payload, struct err *err) {
    x->root_entries = x->leaf.n;
    for (uint32_t i = 0; i < x->leaf.n; i++) {
        size_t from = i ? be32(x->leaf.ends.p + 4 * (i - 1)) : 0, to = be32(x->leaf.ends.p + 4 * i);
        const uint8_t *p = x->leaf.entries.p + from;
        struct bytes key = bytes_of(p + ENTRY_FIXED_BYTES, to - from - ENTRY_FIXED_BYTES);
        if (index_put_root_entry(payload, be64(p), be32(p + 8), key, err)) return -1;
    }
    return 0;
}

int index_writer_finish(struct index_writer *x, struct block_writer *w, struct block_place *root, struct err *err) {
    struct buf payload = {0};
    struct buf mid = {0};
    int rc = -1;
    if (x->levels > 1) {
        chunk_free(&x->leaf);
        if (put_mid_key(&x->level, &mid, err)) goto out;
    }
    while (x->level.root_bytes > x->chunk_bytes && x->level.n > x->min_entries && x->levels < LEVELS_MAX)
        if (add_level(x, w, err)) goto out;
    if (x->levels > 1 ? put_root_level(x, w, &payload, err) : put_root_leaf(x, &payload, err)) goto out;
    if (buf_put(&payload, mid.p, mid.n, err)) goto out;
    if (block_writer_put(w, BLOCK_ROOT_INDEX, buf_bytes(&payload), root, err)) goto out;
    x->plain_bytes += root->plain_bytes;
    rc = 0;
out:
    buf_free(&payload);
    buf_free(&mid);
    return rc;
}

void index_writer_free(struct index_writer *x) {
    chunk_free(&x->leaf);
    chunk_free(&x->next);
    level_free(&x->level);
    buf_free(&x->scratch);
}
