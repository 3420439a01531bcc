/* The data block index while a file is written. An entry goes into the leaf that is filled; a full leaf goes out between data
 * blocks and leaves one entry to the root. When the root has become too large at the end, it is parted into blocks below a
 * smaller root, until it fits. Sizes are counted as HBase counts them: levels must come out the same. */
#include "hfile/block_index.h"

#include "base/bytes.h"
#include "base/wire.h"

enum { ENTRY_FIXED_BYTES = 12, LEVELS_MAX = 16 };

static int chunk_add(struct index_chunk *c, uint64_t offset, uint32_t disk_bytes, struct bytes key, struct err *err) {
    if (buf_reserve(&c->entries, ENTRY_FIXED_BYTES + key.n, err)) return -1;
    uint8_t *p = put_be64(c->entries.p + c->entries.n, offset);
    p = put_be32(p, disk_bytes);
    if (key.n) memcpy(p, key.p, key.n);
    c->entries.n += ENTRY_FIXED_BYTES + key.n;
    if (c->entries.n > INT32_MAX) return err_set(err, ERR_LIMIT, "an index block grows beyond 2 GiB");
    if (buf_put_be32(&c->ends, (uint32_t)c->entries.n, err)) return -1;
    c->n++;
    c->root_bytes += ENTRY_FIXED_BYTES + hadoop_vlong_size((int64_t)key.n) + key.n;
    return 0;
}

static void chunk_clear(struct index_chunk *c) {
    buf_clear(&c->entries);
    buf_clear(&c->ends);
    buf_clear(&c->counts);
    c->n = 0;
    c->root_bytes = 0;
}

static void chunk_free(struct index_chunk *c) {
    buf_free(&c->entries);
    buf_free(&c->ends);
    buf_free(&c->counts);
}

struct entry {
    uint64_t offset;
    uint32_t disk_bytes;
    struct bytes key;
};

static struct entry chunk_at(const struct index_chunk *c, uint32_t i) {
    size_t from = i ? be32(c->ends.p + 4 * (i - 1)) : 0, to = be32(c->ends.p + 4 * i);
    const uint8_t *p = c->entries.p + from;
    return (struct entry){be64(p), be32(p + 8), bytes_of(p + ENTRY_FIXED_BYTES, to - from - ENTRY_FIXED_BYTES)};
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

static int put_leaf(struct index_writer *x, struct block_writer *w, struct err *err) {
    struct block_place place;
    if (put_non_root(x, w, BLOCK_LEAF_INDEX, &x->leaf, &place, err)) return -1;
    x->leaf_plain_bytes += place.plain_bytes;
    x->leaf_blocks++;
    if (chunk_add(&x->root, place.offset, place.disk_bytes, chunk_at(&x->leaf, 0).key, err)) return -1;
    if (buf_put(&x->root.counts, &x->entries, sizeof x->entries, err)) return -1;
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
    if (x->root.n) return x->leaf.n ? put_leaf(x, w, err) : 0;
    struct index_chunk t = x->root;
    x->root = x->leaf;
    x->leaf = t;
    x->levels = 1;
    return 0;
}

static uint64_t count_at(const struct index_chunk *c, uint32_t i) {
    uint64_t v;
    memcpy(&v, c->counts.p + sizeof v * i, sizeof v);
    return v;
}

/* Where the middle data block is: leaf offset, its size, entry within it. */
static int put_mid_key(const struct index_chunk *leaves, struct buf *b, struct err *err) {
    uint64_t mid = (count_at(leaves, leaves->n - 1) - 1) / 2;
    uint32_t i = 0;
    while (count_at(leaves, i) <= mid) i++;
    struct entry e = chunk_at(leaves, i);
    uint64_t before = i ? count_at(leaves, i - 1) : 0;
    if (buf_put_be64(b, e.offset, err) || buf_put_be32(b, e.disk_bytes, err)) return -1;
    return buf_put_be32(b, (uint32_t)(mid - before), err);
}

static int put_intermediate(struct index_writer *x, struct block_writer *w, struct index_chunk *parent, struct err *err) {
    struct block_place place;
    if (put_non_root(x, w, BLOCK_INTERMEDIATE_INDEX, &x->next, &place, err)) return -1;
    if (chunk_add(parent, place.offset, place.disk_bytes, chunk_at(&x->next, 0).key, err)) return -1;
    chunk_clear(&x->next);
    return 0;
}

/* Replaces the root by a level of blocks below a smaller root. */
static int add_level(struct index_writer *x, struct block_writer *w, struct err *err) {
    struct index_chunk parent = {0};
    int rc = 0;
    for (uint32_t i = 0; i < x->root.n && !rc; i++) {
        struct entry e = chunk_at(&x->root, i);
        rc = chunk_add(&x->next, e.offset, e.disk_bytes, e.key, err);
        if (!rc && i >= x->min_entries && x->next.root_bytes >= x->chunk_bytes) rc = put_intermediate(x, w, &parent, err);
    }
    if (!rc && x->next.n) rc = put_intermediate(x, w, &parent, err);
    chunk_free(&x->root);
    x->root = parent;
    x->levels++;
    return rc;
}

int index_writer_finish(struct index_writer *x, struct block_writer *w, struct block_place *root, struct err *err) {
    struct buf payload = {0};
    struct buf mid = {0};
    int rc = -1;
    if (x->levels > 1 && put_mid_key(&x->root, &mid, err)) goto out;
    while (x->root.root_bytes > x->chunk_bytes && x->root.n > x->min_entries && x->levels < LEVELS_MAX)
        if (add_level(x, w, err)) goto out;
    for (uint32_t i = 0; i < x->root.n; i++) {
        struct entry e = chunk_at(&x->root, i);
        if (index_put_root_entry(&payload, e.offset, e.disk_bytes, e.key, err)) goto out;
    }
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
    chunk_free(&x->root);
    chunk_free(&x->next);
    buf_free(&x->scratch);
}
