/* Finds where reading resumes after a damaged block. The index, read alongside, says where blocks begin as long as it is readable
 * itself; otherwise the damaged block's own header may still lead to the next; otherwise the bytes are searched for a data block
 * that is whole and whose offsets fit what is before and after it, since a value may hold blocks of some other HFile. */
#include "base/remote.h"
#include "hfile/data_block.h"
#include "hfile/index_reader.h"
#include "hfile/salvage.h"

#include <stdlib.h>

enum {
    BAD_INDEX_BLOCKS_MAX = 1000, /* then the index is given up: a hostile one would never end */
    SEARCH_BYTES = 64 << 10,     /* read at once while searching */
    TRIES_FACTOR = 16,           /* what is tried while searching: so many times the span's bytes, then the rest is lost */
    LOOK_BYTES = 512             /* what reading a header counts as */
};

struct salvage_entry {
    bool known;
    uint64_t offset;
    uint32_t disk_bytes;
    struct buf key;
};

struct salvage {
    const struct hfile *h;
    struct index_cursor *cursor;        /* NULL: cannot be read (any more) */
    struct salvage_entry before, after; /* of the last call's offset: the last entry not after it, the first after it */
    bool gap;                           /* there may be more entries between the two */
    unsigned bad_index_blocks;
    struct block_reader blocks;
    struct buf window, last_key;
    uint64_t tries_left; /* bytes */
};

struct salvage *salvage_open(const struct hfile *h, uint64_t span_bytes, struct err *err) {
    struct salvage *v = calloc(1, sizeof *v);
    struct err none = {0};
    if (!v) {
        err_nomem(err, sizeof *v, h->path);
        return NULL;
    }
    v->h = h;
    v->tries_left = TRIES_FACTOR * (span_bytes + SEARCH_BYTES);
    block_reader_init(&v->blocks, &h->src, h->trailer.load_on_open_offset, 0);
    v->cursor = index_cursor_open(h, &none);
    v->gap = !v->cursor;
    if (v->cursor || none.code != ERR_LIMIT) return v;
    err_keep(err, &none);
    salvage_close(v);
    return NULL;
}

void salvage_close(struct salvage *v) {
    if (!v) return;
    index_cursor_close(v->cursor);
    block_reader_release(&v->blocks);
    buf_free(&v->before.key);
    buf_free(&v->after.key);
    buf_free(&v->window);
    buf_free(&v->last_key);
    free(v);
}

/* ---- the index ---- */

static void give_up_index(struct salvage *v) {
    index_cursor_close(v->cursor);
    v->cursor = NULL;
    v->gap = true;
}

/* Entries that do not rise are no use. */
static int take_entry(struct salvage *v, const struct hfile_index_entry *e, struct err *err) {
    if ((v->before.known && e->offset <= v->before.offset) || e->offset > v->h->trailer.last_data_offset) {
        give_up_index(v);
        return 0;
    }
    v->after.known = true;
    v->after.offset = e->offset;
    v->after.disk_bytes = e->disk_bytes;
    return buf_copy(&v->after.key, e->key, err);
}

/* Advances until `after` is the first entry after `at`. */
static int advance_after(struct salvage *v, uint64_t at, struct err *err) {
    while (v->cursor && (!v->after.known || v->after.offset <= at)) {
        struct hfile_index_entry e;
        struct err mine = {0};
        if (v->after.known) {
            struct buf spare = v->before.key;
            v->before = v->after;
            v->after = (struct salvage_entry){.key = spare};
            v->gap = false;
        }
        int rc = index_cursor_next(v->cursor, &e, &mine);
        if (rc == 0) break;
        if (rc == 1) {
            if (take_entry(v, &e, err)) return -1;
        } else if (mine.code != ERR_INPUT) {
            err_keep(err, &mine);
            return -1;
        } else {
            v->gap = true;
            if (++v->bad_index_blocks == BAD_INDEX_BLOCKS_MAX) give_up_index(v);
        }
    }
    return 0;
}

/* ---- without it ---- */

static bool header_at(const struct salvage *v, uint64_t at, uint64_t limit, struct block *b) {
    struct err mine = {0};
    return block_reader_header(&v->h->src, at, limit, b, &mine) == 0;
}

/* Looks for a block's header while searching, as long as tries are left. */
static bool look_at(struct salvage *v, uint64_t at, uint64_t limit, struct block *b) {
    if (v->tries_left < LOOK_BYTES) return false;
    v->tries_left -= LOOK_BYTES;
    return header_at(v, at, limit, b);
}

/* The block at `at` is bad, but its header leads to another block or to the end. */
static bool follow_header(const struct salvage *v, uint64_t at, uint64_t limit, struct salvage_gap *out) {
    struct block b, next;
    if (!header_at(v, at, limit, &b) || (b.next < limit && !header_at(v, b.next, limit, &next))) return false;
    out->next = b.next;
    out->no_cells = block_chain(b.header.type) != BLOCK_DATA;
    return true;
}

/* A value may hold blocks of some HFile, which must not be taken for blocks of this one. Offsets distinguish them. */

/* Returns whether the data block after the damage at `at` can have this one before it. It is in the damage, or is the last data
 * block before it. */
static bool can_precede(struct salvage *v, int64_t prev, uint64_t at) {
    struct block b;
    if (prev >= 0 && (uint64_t)prev >= at) return true;
    uint64_t p = 0;
    if (prev >= 0) {
        if (!look_at(v, (uint64_t)prev, at, &b) || block_chain(b.header.type) != BLOCK_DATA) return false;
        p = b.next;
    }
    while (p < at && look_at(v, p, at, &b) && block_chain(b.header.type) != BLOCK_DATA) p = b.next;
    return p == at;
}

/* Returns whether the block is whole, by its checksum, for which it is read. */
static bool is_whole(struct salvage *v, const struct block *b, uint32_t payload_types) {
    struct block again;
    struct err mine = {0};
    if (b->next - b->offset > v->tries_left) return false;
    v->tries_left -= b->next - b->offset;
    return block_reader_get(&v->blocks, b->offset, payload_types, &again, &mine) == 0;
}

/* Returns whether what follows the data block refers to it. More damage proves nothing. */
static bool can_be_followed(struct salvage *v, const struct block *data) {
    uint64_t end = v->h->trailer.load_on_open_offset, p = data->next;
    struct block b;
    for (; p < end && look_at(v, p, end, &b); p = b.next) {
        bool is_data = block_chain(b.header.type) == BLOCK_DATA;
        if (is_data && b.header.prev_offset == (int64_t)data->offset) return true;
        if (is_data || b.header.type >= BLOCK_ROOT_INDEX) return !is_whole(v, &b, 0);
    }
    return true;
}

/* Returns whether there is a whole data block of this file at `offset`, after the damage that begins at `at`. */
static bool try_block(struct salvage *v, uint64_t at, uint64_t offset, uint64_t limit) {
    struct block b;
    if (!look_at(v, offset, limit, &b)) return false;
    if (b.header.prev_offset >= (int64_t)offset || !can_precede(v, b.header.prev_offset, at)) return false;
    return can_be_followed(v, &b) && is_whole(v, &b, BLOCK_ANY);
}

/* Offset of the next magic of a data block in [at, limit), or limit. */
static int find_magic(struct salvage *v, uint64_t at, uint64_t limit, uint64_t *out, struct err *err) {
    static const char magic[] = "DATABLK"; /* and "*" or "E" */
    if (buf_reserve(&v->window, SEARCH_BYTES, err)) return -1;
    while (limit - at >= BLOCK_MAGIC_BYTES) {
        size_t want = limit - at < SEARCH_BYTES ? (size_t)(limit - at) : SEARCH_BYTES;
        const struct hfile_bytes *b = &v->h->src.bytes;
        ssize_t n = b->is_remote ? remote_read(v->h->path, v->window.p, want, at, err) : b->pread(b->arg, v->window.p, want, at);
        if (n < 0 && b->is_remote) return -1;
        const uint8_t *p = n < BLOCK_MAGIC_BYTES ? NULL : memmem(v->window.p, (size_t)n - 1, magic, sizeof magic - 1);
        if (p) {
            *out = at + (uint64_t)(p - v->window.p);
            return 0;
        }
        at += n < BLOCK_MAGIC_BYTES ? want : (size_t)n - (BLOCK_MAGIC_BYTES - 1); /* what cannot be read is passed over */
    }
    *out = limit;
    return 0;
}

static int search_block(struct salvage *v, uint64_t at, uint64_t limit, uint64_t *out, struct err *err) {
    for (*out = at; *out < limit;) {
        if (find_magic(v, *out + 1, limit, out, err)) return -1;
        if (v->tries_left < LOOK_BYTES) *out = limit;
        if (*out == limit || try_block(v, at, *out, limit)) break;
    }
    return 0;
}

/* Key of the first cell from `at` on; *out stays empty when that is not known. */
static void key_at(struct salvage *v, uint64_t at, struct bytes *out) {
    uint64_t end = v->h->trailer.load_on_open_offset;
    struct err mine = {0};
    struct block b;
    while (at < end && header_at(v, at, end, &b) && block_chain(b.header.type) != BLOCK_DATA) at = b.next;
    if (at >= end) *out = v->h->info.last_key; /* nothing but the file's last key bounds it */
    if (at >= end || data_block_first_key(v->h, at, &v->last_key, &mine)) return;
    *out = buf_bytes(&v->last_key);
}

/* ---- both ---- */

static void by_index(const struct salvage *v, uint64_t at, uint64_t limit, struct salvage_gap *out) {
    struct block b;
    struct err mine = {0};
    bool here = v->before.known && v->before.offset == at;
    out->next = v->after.known && v->after.offset < limit ? v->after.offset : limit;
    out->no_cells = !here;
    if (!here) return;
    out->first = buf_bytes(&v->before.key);
    out->last = v->after.known ? buf_bytes(&v->after.key) : v->h->info.last_key;
    int rc = block_reader_header(&v->h->src, at, v->h->trailer.load_on_open_offset, &b, &mine);
    out->size_wrong = (!rc || mine.code == ERR_LIMIT) && b.next - at != v->before.disk_bytes;
}

int salvage_find(struct salvage *v, uint64_t at, uint64_t limit, struct salvage_gap *out, struct err *err) {
    *out = (struct salvage_gap){0};
    if (advance_after(v, at, err)) return -1;
    if (!v->gap) {
        by_index(v, at, limit, out);
        return 0;
    }
    uint64_t near = v->after.known && v->after.offset < limit ? v->after.offset : limit;
    if (!follow_header(v, at, near, out) && search_block(v, at, near, &out->next, err)) return -1;
    if (out->no_cells) return 0;
    if (v->before.known) out->first = buf_bytes(&v->before.key);
    key_at(v, out->next, &out->last);
    return 0;
}
