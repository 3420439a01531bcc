/* HFiles are read as ranges of blocks by many threads; what holds for the file as a whole is put together here: which row is
 * the least one that may still come, whether ranges follow each other in order, and which blocks are the chosen ones. The first
 * and the last come from the index. */
#include "base/buf.h"
#include "base/fd.h"
#include "base/stop.h"
#include "cell/keyvalue.h"
#include "engine/input.h"
#include "formats/hbase/names.h"
#include "formats/hfile/hfile_whole.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_reader.h"
#include "hfile/block.h"
#include "hfile/hfile_scan.h"
#include "hfile/index_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the least row still to come ---- */

static int open_cursor(struct hfile_floor *f, const struct hfile *h, struct err *err) {
    struct err why = {0};
    f->begun = true;
    if (hfile_info(h)->cells) f->cursor = index_cursor_open(h, &why);
    f->ended = !f->cursor;
    if (why.code == ERR_NONE || why.code == ERR_UNSUPPORTED) return 0; /* the cells can be read all the same */
    err_keep(err, &why);
    return -1;
}

static int next_index_entry(struct hfile_floor *f, const struct hfile *h, struct err *err) {
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
    if (!f->begun && (open_cursor(f, h, err) || (!f->ended && next_index_entry(f, h, err)))) return -1;
    while (!f->ended && f->offset < offset)
        if (next_index_entry(f, h, err)) return -1;
    *row = buf_bytes(&f->row);
    return 0;
}

void hfile_floor_close(struct hfile_floor *f) {
    index_cursor_close(f->cursor);
    buf_free(&f->row);
    *f = (struct hfile_floor){0};
}

/* ---- the order between ranges ---- */

/* Ranges [from, to) by number, all finished; keys are empty as long as no cell was seen. */
struct lost_range {
    uint64_t from, to;
    struct buf first_key, last_key;
};

static void stretch_free(struct lost_range *s) {
    buf_free(&s->first_key);
    buf_free(&s->last_key);
}

/* Adds b, which follows a, to a; b is emptied. */
static int join_stretches(const char *path, struct lost_range *a, struct lost_range *b,
                          const struct hfile_disorder_sink *disorder, struct err *err) {
    struct kv_key end, begin;
    if (a->last_key.n && b->first_key.n) {
        if (!kv_key_parse(buf_bytes(&a->last_key), &end) || !kv_key_parse(buf_bytes(&b->first_key), &begin))
            return err_set(err, ERR_INTERNAL, "%s: a scan returned a malformed key", path);
        int order = kv_key_cmp(&end, &begin);
        if (order >= 0 && disorder && disorder->put(disorder->arg, path, buf_bytes(&a->last_key), buf_bytes(&b->first_key), err))
            return -1;
        if (order > 0 && !disorder)
            return err_set(err, ERR_INPUT,
                           "%s: block range %llu begins with a cell that belongs before the end of the range before it", path,
                           (unsigned long long)b->from);
    }
    if (b->last_key.n) {
        if (!a->first_key.n && buf_copy(&a->first_key, buf_bytes(&b->first_key), err)) return -1;
        if (buf_copy(&a->last_key, buf_bytes(&b->last_key), err)) return -1;
    }
    a->to = b->to;
    stretch_free(b);
    return 0;
}

static int insert_stretch(struct stretches *s, size_t at, const struct lost_range *x, struct err *err) {
    if (grow_array(&s->all, s->n, sizeof *s->all, "block ranges", err)) return -1;
    memmove(s->all + at + 1, s->all + at, (s->n - at) * sizeof *x);
    s->all[at] = *x;
    s->n++;
    return 0;
}

static void remove_stretch(struct stretches *s, size_t at) {
    s->n--;
    memmove(s->all + at, s->all + at + 1, (s->n - at) * sizeof *s->all);
}

/* Takes *x over, joining it with its neighbours where they are there already. */
static int add_stretch(struct stretches *s, const char *path, struct lost_range *x, const struct hfile_disorder_sink *disorder,
                       struct err *err) {
    size_t at = s->n;
    while (at && s->all[at - 1].from > x->from) at--;
    if (insert_stretch(s, at, x, err)) return -1;
    *x = (struct lost_range){0};
    struct lost_range *all = s->all;
    if (at + 1 < s->n && all[at].to == all[at + 1].from) {
        if (join_stretches(path, &all[at], &all[at + 1], disorder, err)) return -1;
        remove_stretch(s, at + 1);
    }
    if (at && all[at - 1].to == all[at].from) {
        if (join_stretches(path, &all[at - 1], &all[at], disorder, err)) return -1;
        remove_stretch(s, at);
    }
    return 0;
}

int stretches_note(struct stretches *s, const char *path, const struct source *scan, uint64_t number,
                   const struct hfile_disorder_sink *disorder, struct err *err) {
    struct lost_range x = {.from = number, .to = number + 1};
    struct bytes first, last;
    hfile_scan_bounds(scan, &first, &last);
    int rc = buf_copy(&x.first_key, first, err) || buf_copy(&x.last_key, last, err) ? -1 : 0;
    if (!rc) rc = add_stretch(s, path, &x, disorder, err);
    stretch_free(&x);
    return rc;
}

bool stretches_whole(const struct stretches *s, uint64_t count) {
    if (!count) return s->n == 0;
    return s->n == 1 && s->all[0].from == 0 && s->all[0].to == count;
}

void stretches_free(struct stretches *s) {
    for (size_t i = 0; i < s->n; i++) stretch_free(&s->all[i]);
    free(s->all);
    *s = (struct stretches){0};
}

/* ---- chosen blocks ---- */

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

/* ---- opening and verifying a whole file ---- */

/* in: NULL, or what was unpacked of the path. */
struct hfile *hfile_whole_open(const char *path, const struct instream *in, size_t max_block_bytes,
                               const struct hfile_lost_sink *lost, struct err *err) {
    int fd = in ? instream_file(in, err) : -1;
    if (!in) return hfile_open_damaged(path, max_block_bytes, lost, err);
    return fd < 0 ? NULL : hfile_open_fd(fd, path, max_block_bytes, lost, err);
}

int hfile_whole_claims(const char *path, const struct instream *in, uint64_t *cells, struct err *err) {
    struct err mine = {0};
    int fd = in ? instream_file(in, &mine) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *cells = LOST_UNKNOWN;
    if (fd < 0)
        err_sys(&mine, ERR_INPUT, errno, "%s: cannot open", path);
    else
        (void)hfile_claims(fd, path, cells, &mine);
    fd_close(fd);
    if (mine.code != ERR_LIMIT) return 0;
    err_keep(err, &mine);
    return -1;
}

int hfile_whole_unreadable(const char *path, const struct instream *in, char **why, uint64_t *claimed, struct err *err) {
    size_t n = strlen(path);
    if (err->code != ERR_INPUT) return -1;
    *why = strdup(strncmp(err->text, path, n) || err->text[n] != ':' ? err->text : err->text + n + 2);
    *err = (struct err){0};
    if (!*why) return err_nomem(err, n, "a message");
    return hfile_whole_claims(path, in, claimed, err);
}

/* All blocks, all cells, and what trailer and file info say about them. */
int hfile_whole_verify(const char *path, const struct instream *in, const struct read_opts *o, struct err *err) {
    if (o->hfile.view && o->hfile.view->left_out) return 0;
    struct hfile *h = hfile_whole_open(path, in, o->memory.max_block, NULL, err);
    struct source *scan = h ? hfile_scan_open(h, &(struct hfile_scan_opts){0}, err) : NULL;
    struct row_part part;
    int more = -1;
    while (scan && (more = source_next(scan, &part, err)) == 1 && !stop_check(o->stop, err)) {
    }
    source_close(scan);
    hfile_close(h);
    return more ? -1 : 0;
}

/* Returns the view of a file that no survey has read: its name may give a sequence id. */
struct hfile_view hfile_view_by_name(const char *path, const struct read_opts *o) {
    const char *slash = strrchr(path, '/');
    struct store_name name = store_name_parse(bytes_str(slash ? slash + 1 : path));
    return (struct hfile_view){
        .seq = {.named = name.has_seq, .number = name.seq}, .start_row = o->hfile.start_row, .stop_row = o->hfile.stop_row};
}

/* Files begin with a data block, or, without any, with the first block of the load-on-open section. */
int hfile_whole_sniff(struct bytes head, const char *path) {
    size_t n = strlen(path);
    bool is_called = n >= 6 && !strcmp(path + n - 6, ".hfile");
    if (head.n < 8 && is_called) return 64; /* cut off, not a short text */
    if (block_magic_leads(head)) return 64;
    return is_called ? 16 : 0; /* damaged at its very beginning, perhaps */
}
