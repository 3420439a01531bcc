/* Gives ids in the order in which they become known: those of store files and HFiles before anything is read, from their
 * trailers; by regions, in which HBase counts, where an input is a store. Those of logs, text cells and archives are known once
 * these have been read. */
#include "engine/input_order.h"
#include "base/fs.h"

#include "base/err.h"
#include "base/wire.h"
#include "engine/memory_plan.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_open.h"
#include "rules/whole_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum group_kind {
    GROUP_UNKNOWN, /* until it is opened */
    GROUP_NONE,    /* no cell has an id */
    GROUP_KNOWN,   /* HFiles or a store: cells without an id are old ones */
    GROUP_GIVEN,   /* the same, but the largest id is known when the cells have been read */
    GROUP_EACH     /* a stream: cells without an id are as new as their input, those with one as GROUP_GIVEN */
};

struct group_order {
    enum group_kind kind;
    bool fixed;
    uint64_t most;   /* of its cells, as far as they are known */
    uint64_t before; /* fixed: of all groups before it that are no stores */
};

/* The largest id of each region of a store. */
struct store_order {
    uint32_t group;
    size_t n;
    struct bytes *starts; /* ascending, borrowed */
    uint64_t *most;
};

struct input_order {
    bool strict, stated, is_shard;
    size_t n_stores;
    struct store_order *stores;
    struct group_order groups[];
};

uint64_t input_order_next(uint64_t most, uint32_t number, bool strict) {
    const uint64_t next = most && most < INT64_MAX ? most + 1 : most;
    return strict && next < (uint64_t)INT64_MAX - number ? next + number : next;
}

/* ---- what files say ---- */

/* MAX_SEQ_ID_KEY: a store wrote it, so that its cells without ids are old ones. */
int file_seqs_read(const struct job *job, const char *path, struct file_seqs *sum, struct err *err) {
    struct err why = {0};
    struct hfile *h = hfile_open(path, job_block_limit(job, job_readers(job)), &why);
    if (!h && why.code == ERR_LIMIT) {
        err_keep(err, &why);
        return -1;
    }
    if (!h) return 0;
    const struct bytes max = hfile_find(h, "MAX_SEQ_ID_KEY");
    const uint64_t mvcc = hfile_info(h)->max_mvcc;
    if (max.n == 8 || mvcc) sum->any = true;
    if (max.n == 8 && (int64_t)be64(max.p) > 0 && be64(max.p) > sum->most) sum->most = be64(max.p);
    if (mvcc > sum->most) sum->most = mvcc;
    hfile_close(h);
    return 1;
}

/* Reads the sequence ids of an input on disk. 1 = it is an HFile, 0, -1. */
static int inspect(const struct job *job, const struct input *in, struct file_seqs *out, struct err *err) {
    struct stat st;
    if (stop_check(job->stop, err)) return -1;
    if (in->files || !strcmp(in->path, "-")) return 0;
    const int there = fs_look(in->path, &st, err);
    if (there != 1 || !S_ISREG(st.st_mode)) return there < 0 ? -1 : 0;
    return file_seqs_read(job, in->path, out, err);
}

static void take_file(struct group_order *g, const struct file_seqs *f) {
    if (g->kind != GROUP_KNOWN) g->kind = f->any ? GROUP_KNOWN : GROUP_NONE;
    if (f->most > g->most) g->most = f->most;
}

static int look_inside(struct input_order *o, const struct input_order_opts *opts, struct err *err) {
    const uint32_t n = opts->n_inputs + opts->n_others;
    struct file_seqs *files = calloc((size_t)n + 1, sizeof *files);
    bool *is = calloc((size_t)n + 1, sizeof *is);
    struct first_error first;
    if (!files || !is) {
        free(files);
        free(is);
        return err_nomem(err, n * sizeof *files, "the order of inputs");
    }
    first_error_init(&first);
#pragma omp parallel for schedule(dynamic, 16) num_threads(job_readers(opts->job))
    for (uint32_t i = 0; i < n; i++) {
        struct err mine = {0};
        is[i] = inspect(opts->job, &opts->inputs[i], &files[i], &mine) > 0;
        first_error_keep(&first, &mine);
    }
    int rc = first_error_end(&first, err);
    for (uint32_t i = 0; !rc && i < n; i++)
        if (is[i]) take_file(&o->groups[opts->inputs[i].group], &files[i]);
    free(files);
    free(is);
    return rc;
}

static int take_store(struct input_order *o, const struct store_input *in, struct err *err) {
    struct store_order *s = &o->stores[o->n_stores++];
    struct group_order *g = &o->groups[in->group];
    *s = (struct store_order){.group = in->group,
                              .n = in->n_regions,
                              .starts = calloc(in->n_regions + 1, sizeof *s->starts),
                              .most = calloc(in->n_regions + 1, sizeof *s->most)};
    if (!s->starts || !s->most) return err_nomem(err, in->n_regions * sizeof *s->starts, "the order of inputs");
    g->kind = o->is_shard && !in->n_files ? GROUP_KNOWN : GROUP_NONE;
    for (size_t r = 0; r < s->n; r++) s->starts[r] = in->region(in->arg, r).start;
    for (size_t i = 0; i < in->n_files; i++) {
        const struct store_input_file f = in->file(in->arg, i);
        const uint64_t max = f.facts.max_seq > 0 ? (uint64_t)f.facts.max_seq : 0;
        const uint64_t most = max > f.facts.max_mvcc ? max : f.facts.max_mvcc;
        if (f.facts.max_seq >= 0 || f.facts.max_mvcc) g->kind = GROUP_KNOWN;
        if (most > s->most[f.region]) s->most[f.region] = most;
    }
    return 0;
}

size_t input_order_bytes(const struct input_order_opts *o) {
    size_t bytes = sizeof(struct input_order) + o->n_groups * sizeof(struct group_order);
    for (size_t i = 0; i < o->n_stores; i++)
        bytes += sizeof(struct store_order) + o->stores[i].n_regions * (sizeof(struct bytes) + sizeof(uint64_t));
    return bytes + (o->n_inputs + o->n_others) * (sizeof(struct file_seqs) + sizeof(bool));
}

/* A shard has not seen all of the stores and files before it. */
static int check_shard(const struct input_order *o, const struct input *in, struct err *err) {
    if (!o->is_shard || o->groups[in->group].kind != GROUP_NONE) return 0;
    for (uint32_t i = 0; i < in->group; i++)
        if (o->groups[i].kind == GROUP_KNOWN)
            return err_set(err, ERR_USAGE,
                           "%s has no sequence ids and comes after an input that has: a shard cannot know how new its cells are; "
                           "import it into a dataset of its own, and give both to obkv-compact",
                           in->path);
    return 0;
}

static int check_shards(const struct input_order *o, const struct input_order_opts *opts, struct err *err) {
    for (uint32_t i = 0; i < opts->n_inputs; i++)
        if (check_shard(o, &opts->inputs[i], err)) return -1;
    return 0;
}

struct input_order *input_order_new(const struct input_order_opts *opts, struct err *err) {
    struct input_order *o = calloc(1, sizeof *o + opts->n_groups * sizeof *o->groups);
    if (o) o->stores = calloc(opts->n_stores + 1, sizeof *o->stores);
    if (!o || !o->stores) {
        free(o);
        err_nomem(err, opts->n_groups * sizeof *o->groups, "the order of inputs");
        return NULL;
    }
    o->strict = opts->strict;
    o->stated = opts->stated;
    o->is_shard = opts->is_shard;
    int rc = look_inside(o, opts, err);
    for (size_t i = 0; !rc && i < opts->n_stores; i++) rc = take_store(o, &opts->stores[i], err);
    if (!rc) rc = check_shards(o, opts, err);
    if (!rc) return o;
    input_order_free(o);
    return NULL;
}

void input_order_free(struct input_order *o) {
    if (!o) return;
    for (size_t i = 0; i < o->n_stores; i++) {
        free(o->stores[i].starts);
        free(o->stores[i].most);
    }
    free(o->stores);
    free(o);
}

/* ---- while inputs are read ---- */

static bool gets_ids(const struct group_order *g) {
    return g->kind == GROUP_NONE || g->kind == GROUP_EACH;
}

/* Returns whether the cells before this group may have ids, or each group without ids must have its own. */
static bool has_older(const struct input_order *o, uint32_t group) {
    bool any = o->strict && group;
    for (uint32_t i = 0; i < group; i++) any |= o->groups[i].kind != GROUP_NONE;
    return any;
}

static int find_kind(const struct input_order *o, const struct input *in, const struct format *format,
                     const struct read_opts *read, enum group_kind *kind, struct err *err) {
    const bool unsure = format->seqs == FORMAT_SEQS_SOME && !o->stated && has_older(o, in->group);
    bool has = format->seqs != FORMAT_SEQS_NONE;
    int searched = unsure ? input_has_seqs(in, read, &has, err) : 1;
    *kind = !searched ? GROUP_EACH : has ? GROUP_GIVEN : GROUP_NONE;
    return searched < 0 ? -1 : 0;
}

int input_order_open(struct input_order *o, const struct input *in, const struct format *format, const struct read_opts *read,
                     struct err *err) {
    struct group_order *g = &o->groups[in->group];
    if (g->kind == GROUP_UNKNOWN && find_kind(o, in, format, read, &g->kind, err)) return -1;
    if (check_shard(o, in, err)) return -1;
    for (uint32_t i = 0; !g->fixed && gets_ids(g) && i < in->group; i++)
        if (o->groups[i].kind == GROUP_GIVEN || o->groups[i].kind == GROUP_EACH) return 1;
    return 0;
}

void input_order_begin(struct input_order *o, uint32_t group) {
    struct group_order *g = &o->groups[group];
    if (g->fixed) return;
    g->fixed = true;
    for (uint32_t i = 0; i < group; i++)
        if (o->groups[i].most > g->before) g->before = o->groups[i].most;
}

void input_order_note(struct input_order *o, uint32_t group, uint64_t seq) {
    if (seq > o->groups[group].most) o->groups[group].most = seq;
}

/* Returns the largest sequence id of the region that holds the row. */
static uint64_t most_of_region(const struct store_order *s, struct bytes row) {
    const size_t n = region_facts_to(s->starts, s->n, row);
    return n ? s->most[n - 1] : 0;
}

uint64_t input_order_seq(const struct input_order *o, uint32_t group, struct bytes row) {
    const struct group_order *g = &o->groups[group];
    if (!gets_ids(g)) return 0;
    uint64_t most = g->before;
    for (size_t i = 0; i < o->n_stores && o->stores[i].group < group; i++) {
        uint64_t there = most_of_region(&o->stores[i], row);
        if (there > most) most = there;
    }
    return input_order_next(most, group, o->strict);
}
