/* Cuts a list of inputs into shards by a function of the list, and of the indexes of HFiles where a cut is, so that runs agree
 * without communicating. All bytes of the list are numbered in its order and divided evenly; a shard is a stretch of them:
 *
 *     a.csv (text without quotes: cut at 1 MiB)     b.csv.gz (whole)     snapshot (cut between rows of a region)
 *     |-------- 1 --------|-------- 2 --------|------- 3 -------|----- 4 -----|
 *
 * So of two equal cells the one of the earlier shard is the older one, as in one run: all cells of a row of a region are in one
 * shard. */
#include "cmd/common/input_list.h"
#include "cmd/common/input_shard.h"

#include "base/fs.h"
#include "base/remote.h"
#include "base/stretch_sum.h"
#include "cmd/common/output_text.h"
#include "cmd/common/row_cuts.h"
#include "engine/input_reader.h"
#include "formats/archive/archive_members.h"
#include "formats/archive/archive_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

enum { SHARDS_MAX = 100000 };

int shard_number_parse(const char *option, const char *text, uint32_t *number, uint32_t *of, struct err *err) {
    char *end = NULL;
    unsigned long i = strtoul(text, &end, 10), n = *end == '/' ? strtoul(end + 1, &end, 10) : 0;
    if (*text < '0' || *text > '9' || *end || i < 1 || i > n || n > SHARDS_MAX)
        return err_set(err, ERR_USAGE, "--%s '%s': expected I/N, such as 3/7, with 1 <= I <= N <= %d", option, text, SHARDS_MAX);
    *number = (uint32_t)i;
    *of = (uint32_t)n;
    return 0;
}

struct shard_cut {
    const struct manifest_shard *shard;
    const struct read_opts *read;
    uint64_t total, at; /* bytes of the list; of them before the current input */
    XXH3_state_t *hash;
    struct archive_parts parts; /* of the current input, BY_MEMBERS */
    struct buf from, to;        /* the rows at which the shard begins and ends, if that is inside of what is divided by rows */
};

enum divisible { NOT_DIVISIBLE, BY_LINES, BY_ROWS, BY_MEMBERS };

/* Returns where the shard of this number (from 0) begins. */
static uint64_t boundary(const struct shard_cut *c, uint32_t number) {
    return (uint64_t)((unsigned __int128)c->total * number / c->shard->of);
}

/* Returns whether an input that cannot be divided is this shard's: its middle decides. */
static bool is_mine(const struct shard_cut *c, uint64_t begin, uint64_t bytes) {
    uint64_t middle = begin + bytes / 2;
    bool last = c->shard->number == c->shard->of;
    return boundary(c, c->shard->number - 1) <= middle && (last || middle < boundary(c, c->shard->number));
}

static uint64_t stretch_boundary(const struct shard_cut *c, uint32_t number, uint64_t bytes) {
    uint64_t b = boundary(c, number);
    if (b <= c->at) return 0;
    if (b >= c->at + bytes || number == c->shard->of) return bytes;
    uint64_t near = (b - c->at + STRETCH_BYTES / 2) / STRETCH_BYTES * STRETCH_BYTES;
    return near < bytes ? near : bytes;
}

static void hash(struct shard_cut *c, const void *p, size_t n) {
    XXH3_128bits_update(c->hash, p, n);
}

/* ---- what an input is ---- */

/* Returns whether a shard begins inside of the input. Only then it matters whether it can be divided. */
static bool is_cut(const struct shard_cut *c, const struct input *in) {
    uint32_t k = c->total ? (uint32_t)((unsigned __int128)c->at * c->shard->of / c->total) : 0;
    for (uint32_t end = k + 3; k < end && k < c->shard->of; k++)
        if (boundary(c, k) > c->at && boundary(c, k) < c->at + in->file_bytes) return true;
    return false;
}

/* A plain file, not compressed? Then opening it as a run would costs little. Of a copy, which may have nothing but the beginning
 * of its original, it must be text. */
static int is_plain(const struct shard_cut *c, const struct input *in, bool copy, bool *out, struct err *err) {
    struct instream *s = instream_open(in->path, c->read->stop, c->read->memory.unpack, err);
    struct bytes head;
    if (!s) return -1;
    int rc = instream_peek(s, 1, &head, err);
    *out = !rc && instream_is_file(s);
    if (*out && copy) {
        const struct format *f = c->read->formats->choose(s, in->format_name, c->read, err);
        *out = f && f->is_text;
        if (!f) rc = -1;
    }
    instream_close(s);
    return rc;
}

/* Returns whether an input can be cut at rows. With a selection it is not: what that passes by is counted by whole files. */
static bool has_rows(const struct shard_cut *c, const struct format *f) {
    return !c->read->selection && !strcmp(f->name, "hfile");
}

static struct archive_walk_opts walk_opts(const struct shard_cut *c) {
    return (struct archive_walk_opts){.limits = c->read->archive.limits,
                                      .unpack_bytes = c->read->memory.unpack,
                                      .temp_dir = c->read->temp_dir,
                                      .quota = c->read->quota,
                                      .stop = c->read->stop};
}

/* All of it is read by each shard, if only to know that it is whole: that is for disks, not for servers. Of a damaged one, every
 * shard that reads it says so. */
static int divide_archive(struct shard_cut *c, const struct input *in, enum divisible *out, struct err *err) {
    const struct archive_walk_opts o = walk_opts(c);
    struct err why = {0};
    if (remote_name(in->path)) return 0;
    int rc = archive_parts_sum(in->path, &o, &c->parts, &why);
    bool unreadable = rc && !why.sys && (why.code == ERR_LIMIT || why.code == ERR_INPUT || why.code == ERR_UNSUPPORTED);
    if (rc && !unreadable) err_keep(err, &why);
    if (rc) return unreadable ? 0 : -1;
    if (c->parts.members && !c->parts.nested && !c->parts.solid) *out = BY_MEMBERS;
    return 0;
}

/* Plain lines end at every line end, wherever reading begins. With quotes they may not. The reader of the format knows. */
static int ask_reader(struct shard_cut *c, const struct input *in, bool copy, enum divisible *out, struct err *err) {
    struct shape_set shapes = {0};
    struct read_opts quiet = *c->read;
    const struct format *f;
    bool plain;
    if (is_plain(c, in, copy, &plain, err) || !plain) return err->code ? -1 : 0;
    quiet.shapes = &shapes;
    quiet.warnings = NULL;
    quiet.archive.preview = true;
    struct reader *r = quiet.formats->open(in->path, in->format_name, &quiet, &f, err);
    if (r) *out = r->by_lines ? BY_LINES : has_rows(c, f) ? BY_ROWS : NOT_DIVISIBLE;
    if (r) r->ops->close(r);
    shape_set_free(&shapes);
    return r && f == c->read->formats->by_name("archive") ? divide_archive(c, in, out, err) : r ? 0 : -1;
}

/* Opens an input once, however often the list is cut; but an archive, whose members are counted for each cut. */
static int how_divisible(struct shard_cut *c, struct input *in, bool copy, enum divisible *out, struct err *err) {
    *out = in->divisible ? (enum divisible)(in->divisible - 1) : NOT_DIVISIBLE;
    in->is_cut = !in->files && is_cut(c, in);
    if (!in->is_cut || in->divisible) return 0;
    if (ask_reader(c, in, copy, out, err)) return -1;
    if (*out != BY_MEMBERS) in->divisible = (unsigned char)(1 + *out);
    return 0;
}

static int sum_sizes(struct input_list *l, struct shard_cut *c, struct err *err) {
    for (uint32_t i = 0; i < l->n; i++) {
        struct input *in = &l->inputs[i];
        struct stat st;
        bool piped = !strcmp(in->path, "-") || (!in->files && !stat(in->path, &st) && !S_ISREG(st.st_mode));
        if (piped) return err_set(err, ERR_USAGE, "--shard: %s is no file, and cannot be shared with other runs", in->path);
        if (!in->files && input_stat(in, err)) return -1;
        c->total += in->file_bytes;
    }
    return 0;
}

/* ---- what of it is read ---- */

/* Files that are divided together, from `at` on in the list. */
struct stretch_of_files {
    uint64_t at, bytes;
    const struct store_file *files; /* of a region; NULL: the input is one file */
    size_t n;
    const char *path;
};

/* Weighs the rows of files. 1, 0 = they are not divided, -1. */
static int weigh_rows(const struct stretch_of_files *s, struct row_weights *w, struct err *err) {
    int rc = 1;
    if (s->path) rc = row_weights_add(w, &(struct row_cut_file){.path = s->path}, err);
    for (size_t i = 0; rc == 1 && !s->path && i < s->n; i++) {
        const struct store_file *f = &s->files[i];
        struct row_cut_file one = {.path = f->path};
        if (f->half == STORE_TOP) one.start_row = buf_bytes(&f->split_row);
        if (f->half == STORE_BOTTOM) one.stop_row = buf_bytes(&f->split_row);
        rc = row_weights_add(w, &one, err);
    }
    row_weights_sort(w);
    return rc;
}

static bool begins_inside(const struct shard_cut *c, const struct stretch_of_files *s, uint32_t number) {
    uint64_t b = boundary(c, number);
    return b > s->at && b < s->at + s->bytes && number < c->shard->of;
}

static int place_of(const struct shard_cut *c, const struct stretch_of_files *s, const struct row_weights *w, uint32_t number,
                    struct row_cut *out, struct err *err) {
    uint64_t b = boundary(c, number);
    out->place = b <= s->at ? CUT_AT_BEGIN : CUT_AT_END;
    return begins_inside(c, s, number) ? row_weights_cut(w, b - s->at, s->bytes, out, err) : 0;
}

static bool is_before(const struct row_cut *a, const struct row_cut *b) {
    if (a->place != b->place) return a->place < b->place;
    return a->place == CUT_AT_ROW && bytes_cmp(buf_bytes(&a->row), buf_bytes(&b->row)) < 0;
}

/* The rows that a shard reads of files that are divided together. */
struct rows_cut {
    bool mine;
    struct bytes from, to; /* p == NULL: open; of the cut */
};

/* A shard begins inside of one stretch of files at most, and ends inside of one. */
static void keep_row(struct buf *to, struct row_cut *cut, struct bytes *row) {
    if (cut->place != CUT_AT_ROW) return;
    *to = cut->row;
    *row = buf_bytes(to);
    cut->row = (struct buf){0};
}

/* Cuts files at rows. If the shard begins or ends inside of them, indexes are read: its neighbour does the same, and finds the
 * same. */
static int cut_rows(struct shard_cut *c, const struct stretch_of_files *s, struct rows_cut *out, struct err *err) {
    uint32_t number = c->shard->number;
    struct row_weights w = {.list_bytes = s->bytes, .max_block_bytes = c->read->memory.max_block};
    struct row_cut from = {0}, to = {0};
    *out = (struct rows_cut){.mine = is_mine(c, s->at, s->bytes)};
    if (!begins_inside(c, s, number - 1) && !begins_inside(c, s, number)) return 0;
    int rc = weigh_rows(s, &w, err);
    bool divided = rc == 1;
    if (divided) rc = place_of(c, s, &w, number - 1, &from, err) || place_of(c, s, &w, number, &to, err) ? -1 : 0;
    if (divided && !rc) {
        out->mine = is_before(&from, &to);
        keep_row(&c->from, &from, &out->from);
        keep_row(&c->to, &to, &out->to);
    }
    row_weights_free(&w);
    buf_free(&from.row);
    buf_free(&to.row);
    return rc;
}

/* Rows of a region are in all of its files, and equal cells of a store in files of one region. The files are listed by region. */
static int cut_store(struct input_list *l, struct shard_cut *c, const struct input *in, bool *mine, struct err *err) {
    const struct input_store *s = in->files->arg;
    const struct store_file *f = s->files.files;
    /* Not unpacked yet; what is passed by is counted by whole files; indexes of copies may not be there. */
    bool whole = in->files->packed || c->read->selection || l->n_staged;
    size_t n = s->files.n_files;
    struct store_part part = {n, n, {0}, {0}};
    struct stretch_of_files region = {.at = c->at};
    *mine = !n && is_mine(c, c->at, 0);
    for (size_t i = 0; i < n; i += region.n, region.at += region.bytes) {
        region.files = f + i;
        region.bytes = 0;
        for (region.n = 0; i + region.n < n && f[i + region.n].region == f[i].region; region.n++)
            region.bytes += f[i + region.n].bytes;
        hash(c, &region.bytes, sizeof region.bytes);
        struct rows_cut rows = {.mine = is_mine(c, region.at, region.bytes)};
        if (!whole && cut_rows(c, &region, &rows, err)) return -1;
        if (!rows.mine) continue;
        if (!*mine) part.first = i;
        if (!*mine) part.from_row = rows.from;
        *mine = true;
        part.end = i + region.n;
        part.to_row = rows.to;
    }
    return input_store_keep(l, in, &part, err);
}

static int cut_file(struct shard_cut *c, struct input *in, bool *mine, struct err *err) {
    const struct stretch_of_files one = {.at = c->at, .bytes = in->file_bytes, .path = in->path};
    struct rows_cut rows;
    if (cut_rows(c, &one, &rows, err)) return -1;
    *mine = rows.mine;
    in->start_row = rows.from;
    in->stop_row = rows.to;
    return 0;
}

static void cut_text(const struct shard_cut *c, struct input *in, bool *mine) {
    uint64_t begin = stretch_boundary(c, c->shard->number - 1, in->file_bytes),
             end = stretch_boundary(c, c->shard->number, in->file_bytes);
    *mine = begin < end;
    if (begin || end < in->file_bytes) in->part = (struct text_part){begin, end};
}

/* Returns how many of the members' bytes lie before the shard of this number (from 0). */
static uint64_t member_bytes_before(const struct shard_cut *c, const struct input *in, uint32_t number) {
    const uint64_t b = boundary(c, number);
    if (b <= c->at) return 0;
    if (b >= c->at + in->file_bytes || number == c->shard->of) return UINT64_MAX;
    return (uint64_t)((unsigned __int128)c->parts.bytes * (b - c->at) / in->file_bytes);
}

static int cut_archive(const struct shard_cut *c, struct input *in, bool *mine, struct err *err) {
    const struct archive_walk_opts o = walk_opts(c);
    const uint64_t from = member_bytes_before(c, in, c->shard->number - 1), to = member_bytes_before(c, in, c->shard->number);
    struct member_part part;
    *mine = false;
    if (!to || from == UINT64_MAX) return 0;
    if (archive_parts_between(in->path, &o, from, to, &part, err)) return -1;
    *mine = part.first < part.end;
    if (*mine) in->members = part;
    return 0;
}

static int hash_input(const struct input_list *l, struct shard_cut *c, const struct input *in, enum divisible divisible,
                      struct err *err) {
    char *path = input_full_path(l, in, err);
    if (!path) return -1;
    const uint64_t facts[] = {in->file_bytes, (uint64_t)in->mtime_ns, in->group, divisible, in->files ? in->files->n : 0};
    hash(c, path, strlen(path) + 1);
    hash(c, facts, sizeof facts);
    hash(c, in->checksum, sizeof in->checksum);
    free(path);
    return 0;
}

static int cut_input(struct input_list *l, struct shard_cut *c, struct input *in, bool *mine, struct err *err) {
    enum divisible divisible;
    int rc = how_divisible(c, in, l->n_staged, &divisible, err) || hash_input(l, c, in, divisible, err) ? -1 : 0;
    if (!rc && in->files)
        rc = cut_store(l, c, in, mine, err);
    else if (!rc && divisible == BY_LINES)
        cut_text(c, in, mine);
    else if (!rc && divisible == BY_ROWS)
        rc = cut_file(c, in, mine, err);
    else if (!rc && divisible == BY_MEMBERS)
        rc = cut_archive(c, in, mine, err);
    else
        *mine = is_mine(c, c->at, in->file_bytes);
    c->at += in->file_bytes;
    return rc;
}

/* Puts the inputs of the shard first; they are adjacent already. */
static int put_first(struct input_list *l, const bool *mine, struct manifest_shard *shard, struct err *err) {
    struct input *all = calloc((size_t)l->n + 1, sizeof *all);
    uint32_t n = 0, others = 0;
    if (!all) return err_nomem(err, l->n * sizeof *all, "the list of inputs");
    for (uint32_t i = 0; i < l->n; i++) n += mine[i];
    shard->first = 0;
    while (shard->first < l->n && n && !mine[shard->first]) shard->first++;
    for (uint32_t i = 0, k = 0; i < l->n; i++) all[mine[i] ? k++ : n + others++] = l->inputs[i];
    memcpy(l->inputs, all, l->n * sizeof *all);
    free(all);
    shard->all = l->n;
    l->n = n;
    l->n_others = others;
    return 0;
}

/* The rows outlive the cut: inputs borrow them. The join compares them. */
static int keep_rows(struct input_list *l, struct shard_cut *c, struct manifest_shard *shard, struct err *err) {
    l->from_row = c->from;
    l->to_row = c->to;
    c->from = c->to = (struct buf){0};
    shard->rows = json_pack("[o, o]", l->from_row.n ? json_hex(buf_bytes(&l->from_row)) : json_null(),
                            l->to_row.n ? json_hex(buf_bytes(&l->to_row)) : json_null());
    return shard->rows ? 0 : err_nomem(err, l->from_row.n, "the manifest");
}

int input_list_cut(struct input_list *l, const struct read_opts *o, struct manifest_shard *shard, struct err *err) {
    struct shard_cut c = {.shard = shard, .read = o, .hash = XXH3_createState()};
    bool *mine = calloc((size_t)l->n + 1, sizeof *mine);
    int rc = c.hash && mine ? sum_sizes(l, &c, err) : err_nomem(err, l->n, "the list of inputs");
    if (!rc) XXH3_128bits_reset(c.hash);
    for (uint32_t i = 0; !rc && i < l->n; i++) rc = cut_input(l, &c, &l->inputs[i], &mine[i], err);
    if (!rc) {
        XXH128_hash_t h = XXH3_128bits_digest(c.hash);
        snprintf(shard->listing, sizeof shard->listing, "%016llx%016llx", (unsigned long long)h.high64,
                 (unsigned long long)h.low64);
        rc = put_first(l, mine, shard, err);
    }
    if (!rc) rc = keep_rows(l, &c, shard, err);
    buf_free(&c.from);
    buf_free(&c.to);
    if (c.hash) XXH3_freeState(c.hash);
    free(mine);
    return rc;
}
