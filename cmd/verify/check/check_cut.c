#include "cmd/verify/check/check_cut.h"

#include "base/fs.h"
#include "hfile/hfile_layout.h"

enum {
    KEYS_BYTES = 1 << 20, /* of index keys end a range */
    WINDOW_BYTES = 256 << 10
};

struct key_head { /* of an entry in index_keys */
    uint64_t offset;
    uint32_t n;
};

/* ---- the index beside the blocks ---- */

static void next_entry(struct check_cut *c) {
    struct err mine = {0};
    int rc;
    c->has_entry = false;
    if (!c->index || (rc = index_cursor_next(c->index, &c->entry, &mine)) == 0) return;
    c->has_entry = rc == 1;
    if (rc == 1) return;
    c->index_whole = false;
    err_keep(&c->index_err, &mine);
    index_cursor_close(c->index); /* the scan goes through its blocks too, and tells what is damaged */
    c->index = NULL;
}

static void tell(struct check_cut *c, uint64_t block, const char *what) {
    problems_add(c->problems, PROBLEM_HIDDEN, hfile_info(c->h)->path, "the index %s the data block at %llu", what,
                 (unsigned long long)block);
}

static int keep_key(struct check_cut *c, struct err *err) {
    struct key_head head = {c->entry.offset, (uint32_t)c->entry.key.n};
    struct buf *b = &c->out->index_keys;
    if (buf_put(b, &head, sizeof head, err) || buf_put(b, c->entry.key.p, c->entry.key.n, err)) return -1;
    return b->n >= KEYS_BYTES;
}

static int visit_block(void *arg, const struct hfile_block *b, struct err *err) {
    struct check_cut *c = arg;
    if (block_chain(b->header.type) != BLOCK_DATA) return 0;
    c->data_blocks++;
    for (; c->has_entry && c->entry.offset < b->offset; next_entry(c)) tell(c, c->entry.offset, "names, where none begins,");
    if (!c->has_entry || c->entry.offset != b->offset) {
        if (c->index_whole) tell(c, b->offset, "does not know");
        return 0;
    }
    if (c->entry.disk_bytes != b->disk_bytes)
        problems_add(c->problems, PROBLEM_HIDDEN, hfile_info(c->h)->path,
                     "the index says %u bytes of the block at %llu, which has %u", c->entry.disk_bytes,
                     (unsigned long long)b->offset, b->disk_bytes);
    int rc = keep_key(c, err);
    next_entry(c);
    return rc;
}

struct bytes check_cut_key(const struct check_range *r, size_t *pos, uint64_t offset) {
    struct key_head head;
    while (r->index_keys.n - *pos >= sizeof head) {
        memcpy(&head, r->index_keys.p + *pos, sizeof head);
        if (head.offset > offset) break;
        struct bytes key = bytes_of(r->index_keys.p + *pos + sizeof head, head.n);
        *pos += sizeof head + head.n;
        if (head.offset == offset) return key;
    }
    return (struct bytes){0};
}

/* ---- the checksum ---- */

/* Everything up to `end` that is not in it yet. */
static int sum_to(struct check_cut *c, uint64_t end, struct err *err) {
    while (c->sum && c->summed < end) {
        size_t n = end - c->summed < WINDOW_BYTES ? (size_t)(end - c->summed) : WINDOW_BYTES;
        if (hfile_read_raw(c->h, c->window.p, n, c->summed, err)) return -1;
        file_sum_add(c->sum, c->window.p, n);
        c->summed += n;
    }
    return 0;
}

int check_cut_sum(struct check_cut *c, char hex[17], struct err *err) {
    if (sum_to(c, hfile_info(c->h)->file_bytes, err)) return -1;
    file_sum_hex(c->sum, hex);
    return 0;
}

/* ---- ranges ---- */

/* A header is damaged: from here on ranges end where blocks can be found. */
static int begin_cutter(struct check_cut *c, struct err *err) {
    struct hfile_range span = {c->at, hfile_info(c->h)->load_on_open_offset};
    c->index_whole = false;
    index_cursor_close(c->index);
    c->index = NULL;
    c->has_entry = false;
    c->cutter = hfile_cutter_open(c->h, &span, err);
    return c->cutter ? 0 : -1;
}

static bool is_damage(const struct err *e) {
    return (e->code == ERR_INPUT && !e->sys) || e->code == ERR_LIMIT; /* a wrong size looks like a lack of memory */
}

int check_cut_next(struct check_cut *c, struct check_range *out, struct err *err) {
    struct err mine = {0};
    *out = check_range_new(c->ranges);
    c->out = out;
    int rc = c->cutter ? hfile_cutter_next(c->cutter, c->range_bytes, &out->range, &mine)
                       : hfile_range_visit(c->h, &c->at, c->range_bytes, &out->range, visit_block, c, &mine);
    if (rc < 0 && !c->cutter && is_damage(&mine)) {
        mine = (struct err){0};
        buf_clear(&out->index_keys);
        rc = begin_cutter(c, &mine) ? -1 : hfile_cutter_next(c->cutter, c->range_bytes, &out->range, &mine);
    }
    if (rc < 0) err_keep(err, &mine);
    if (rc == 1 && sum_to(c, out->range.end, err)) rc = -1;
    c->ranges += rc == 1;
    if (rc != 1) check_range_free(out);
    if (rc == 0)
        for (; c->has_entry; next_entry(c)) tell(c, c->entry.offset, "names, where none begins,");
    return rc;
}

int check_cut_open(struct check_cut *c, const struct hfile *h, bool sum, size_t range_bytes, struct problems *problems,
                   struct err *err) {
    struct err mine = {0};
    *c = (struct check_cut){.h = h, .problems = problems, .range_bytes = range_bytes};
    c->index = index_cursor_open(h, &mine);
    c->index_whole = c->index != NULL;
    if (!c->index && mine.code == ERR_LIMIT) return err_keep(err, &mine), -1;
    next_entry(c);
    if (!sum) return 0;
    if (!(c->sum = file_sum_new(err))) return -1;
    return buf_reserve(&c->window, WINDOW_BYTES, err);
}

void check_cut_close(struct check_cut *c) {
    hfile_cutter_close(c->cutter);
    index_cursor_close(c->index);
    file_sum_free(c->sum);
    buf_free(&c->window);
}
