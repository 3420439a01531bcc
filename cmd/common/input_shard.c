/* Cuts a list of inputs into shards by a function of the list alone, so that runs agree without communicating. All bytes of the
 * list are numbered in its order and divided evenly; a shard is a stretch of them:
 *
 *     a.csv (text without quotes: cut at 1 MiB)     b.csv.gz (whole)     snapshot (whole regions)
 *     |-------- 1 --------|-------- 2 --------|------- 3 -------|----- 4 -----|
 *
 * So of two equal cells the one of the earlier shard is the older one, as in one run. */
#include "cmd/common/input_shard.h"

#include "base/fs.h"
#include "base/stretch_sum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

struct cut {
    const struct manifest_shard *shard;
    uint64_t total, at; /* bytes of the list; of them before the current input */
    XXH3_state_t *hash;
};

/* Where the shard of this number (from 0) begins. */
static uint64_t boundary(const struct cut *c, uint32_t number) {
    return (uint64_t)((unsigned __int128)c->total * number / c->shard->of);
}

/* Of what cannot be divided, its middle decides. */
static bool is_mine(const struct cut *c, uint64_t begin, uint64_t bytes) {
    uint64_t middle = begin + bytes / 2;
    bool last = c->shard->number == c->shard->of;
    return boundary(c, c->shard->number - 1) <= middle && (last || middle < boundary(c, c->shard->number));
}

static uint64_t stretch_boundary(const struct cut *c, uint32_t number, uint64_t bytes) {
    uint64_t b = boundary(c, number);
    if (b <= c->at) return 0;
    if (b >= c->at + bytes || number == c->shard->of) return bytes;
    uint64_t near = (b - c->at + STRETCH_BYTES / 2) / STRETCH_BYTES * STRETCH_BYTES;
    return near < bytes ? near : bytes;
}

static void hash(struct cut *c, const void *p, size_t n) {
    XXH3_128bits_update(c->hash, p, n);
}

/* ---- what an input is ---- */

/* Does a shard begin inside of it? Only then it matters whether it can be divided. */
static bool is_cut(const struct cut *c, const struct input *in) {
    uint32_t k = c->total ? (uint32_t)((unsigned __int128)c->at * c->shard->of / c->total) : 0;
    for (uint32_t end = k + 3; k < end && k < c->shard->of; k++)
        if (boundary(c, k) > c->at && boundary(c, k) < c->at + in->file_bytes) return true;
    return false;
}

/* A plain file, not compressed? Then opening it as a run would costs little. */
static int is_plain(const struct input *in, const struct read_opts *o, bool *out, struct err *err) {
    struct instream *s = instream_open(in->path, o->stop, o->memory.unpack, err);
    struct bytes head;
    if (!s) return -1;
    int rc = instream_peek(s, 1, &head, err);
    *out = !rc && instream_is_file(s);
    instream_close(s);
    return rc;
}

/* Plain lines end at every line end, wherever reading begins. With quotes they may not. The reader of the format knows. */
static int is_divisible(const struct cut *c, const struct input *in, const struct read_opts *o, bool *out, struct err *err) {
    struct shape_set shapes = {0};
    struct read_opts quiet = *o;
    const struct format *f;
    *out = false;
    if (in->files || !is_cut(c, in)) return 0;
    if (is_plain(in, o, out, err) || !*out) return err->code ? -1 : 0;
    quiet.shapes = &shapes;
    quiet.warnings = NULL;
    quiet.archive.preview = true;
    struct reader *r = o->formats->open(in->path, in->format_name, &quiet, &f, err);
    *out = r && r->by_lines;
    if (r) r->ops->close(r);
    shape_set_free(&shapes);
    return r ? 0 : -1;
}

static int sum_sizes(struct input_list *l, struct cut *c, struct err *err) {
    for (uint32_t i = 0; i < l->n; i++) {
        struct input *in = &l->inputs[i];
        if (!strcmp(in->path, "-")) return err_set(err, ERR_USAGE, "--shard: standard input cannot be shared with other runs");
        if (!in->files && input_stat(in, err)) return -1;
        c->total += in->file_bytes;
    }
    return 0;
}

/* ---- what of it is read ---- */

/* Whole regions: equal cells of a store are in files of one region. The files are listed by region. */
static int cut_store(struct input_list *l, struct cut *c, const struct input *in, bool *mine, struct err *err) {
    const struct input_store *s = in->files->arg;
    const struct store_file *f = s->files.files;
    size_t n = s->files.n_files, first = n, end = n;
    uint64_t at = c->at;
    *mine = !n && is_mine(c, at, 0);
    for (size_t i = 0, next; i < n; i = next) {
        uint64_t bytes = 0;
        for (next = i; next < n && f[next].region == f[i].region; next++) bytes += f[next].bytes;
        hash(c, &bytes, sizeof bytes);
        if (is_mine(c, at, bytes)) {
            if (!*mine) first = i;
            *mine = true;
            end = next;
        }
        at += bytes;
    }
    return input_store_keep(l, in, first, end, err);
}

static void cut_text(const struct cut *c, struct input *in, bool *mine) {
    uint64_t begin = stretch_boundary(c, c->shard->number - 1, in->file_bytes),
             end = stretch_boundary(c, c->shard->number, in->file_bytes);
    *mine = begin < end;
    if (begin || end < in->file_bytes) in->part = (struct text_part){begin, end};
}

static int hash_input(struct cut *c, const struct input *in, bool divisible, struct err *err) {
    char *path = input_full_path(in, err);
    if (!path) return -1;
    const uint64_t facts[] = {in->file_bytes, (uint64_t)in->mtime_ns, in->group, divisible, in->files ? in->files->n : 0};
    hash(c, path, strlen(path) + 1);
    hash(c, facts, sizeof facts);
    hash(c, in->checksum, sizeof in->checksum);
    free(path);
    return 0;
}

static int cut_input(struct input_list *l, struct cut *c, struct input *in, const struct read_opts *o, bool *mine,
                     struct err *err) {
    bool divisible;
    int rc = is_divisible(c, in, o, &divisible, err) || hash_input(c, in, divisible, err) ? -1 : 0;
    if (!rc && in->files)
        rc = cut_store(l, c, in, mine, err);
    else if (!rc && divisible)
        cut_text(c, in, mine);
    else
        *mine = is_mine(c, c->at, in->file_bytes);
    c->at += in->file_bytes;
    return rc;
}

/* Those of the shard come first: they are adjacent already. */
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

int input_list_cut(struct input_list *l, const struct read_opts *o, struct manifest_shard *shard, struct err *err) {
    struct cut c = {.shard = shard, .hash = XXH3_createState()};
    bool *mine = calloc((size_t)l->n + 1, sizeof *mine);
    int rc = c.hash && mine ? sum_sizes(l, &c, err) : err_nomem(err, l->n, "the list of inputs");
    if (!rc) XXH3_128bits_reset(c.hash);
    for (uint32_t i = 0; !rc && i < l->n; i++) rc = cut_input(l, &c, &l->inputs[i], o, &mine[i], err);
    if (!rc) {
        XXH128_hash_t h = XXH3_128bits_digest(c.hash);
        snprintf(shard->listing, sizeof shard->listing, "%016llx%016llx", (unsigned long long)h.high64,
                 (unsigned long long)h.low64);
        rc = put_first(l, mine, shard, err);
    }
    if (c.hash) XXH3_freeState(c.hash);
    free(mine);
    return rc;
}
