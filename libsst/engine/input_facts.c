/* Facts about whole inputs, for the file-level rules of a compaction. They come from three places: for text and single files they
 * are noted while cells are read, by bucket and input; for datasets and HFiles, file info holds the sequence ids; for stores of
 * HBase a survey has collected them, and they are judged by region and family, as HBase judges them by store. */
#include "engine/input_facts.h"

#include "base/bytes.h"
#include "base/err.h"
#include "cell/keyvalue.h"
#include "engine/input.h"
#include "engine/memory_plan.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_open.h"
#include "rules/whole_files.h"

#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <xxhash.h>

/* ---- noted while reading ---- */

#define SIGN_BIT (UINT64_C(1) << 63)

/* Facts about an input in a bucket. Both members only rise from 0, which says that there is nothing: pages that are never touched
 * cost no memory. */
struct fact {
    uint64_t newest, oldest_put; /* ts_max with its sign bit turned; INT64_MAX less the earliest Put */
};

struct input_facts {
    uint32_t buckets, inputs;
    const bool *stores;
    struct fact *facts; /* [bucket][input] */
};

static bool rules_need(const struct family_rules *r) {
    return r->ttl_s > 0 || r->keep_deleted != KEEP_DELETED_FALSE;
}

static bool needed(const struct table *t) {
    if (rules_need(&t->default_rules)) return true;
    for (uint32_t i = 0; i < t->n_families; i++)
        if (rules_need(&t->families[i].rules)) return true;
    return false;
}

struct input_facts *input_facts_new(const struct table *t, uint32_t buckets, uint32_t inputs, const bool *stores,
                                    struct err *err) {
    if (!needed(t)) return NULL;
    size_t n = (size_t)buckets * inputs;
    struct input_facts *f = malloc(sizeof *f);
    struct fact *facts = f ? calloc(n ? n : 1, sizeof *facts) : NULL;
    if (!facts) {
        free(f);
        err_nomem(err, n * sizeof *facts, "what compaction must know of each input and partition");
        return NULL;
    }
    *f = (struct input_facts){buckets, inputs, stores, facts};
    return f;
}

size_t input_facts_bytes(const struct table *t, uint32_t buckets, uint32_t inputs) {
    return needed(t) ? (size_t)buckets * inputs * sizeof(struct fact) : 0;
}

void input_facts_free(struct input_facts *f) {
    if (!f) return;
    free(f->facts);
    free(f);
}

static void atomic_raise(uint64_t *at, uint64_t v) {
    uint64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (v > old && !__atomic_compare_exchange_n(at, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

void input_facts_note(struct input_facts *f, uint32_t bucket, const struct row_part *part) {
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        if (f->stores && f->stores[rank_input(c->rank)]) continue;
        struct fact *fact = &f->facts[(size_t)bucket * f->inputs + rank_input(c->rank)];
        atomic_raise(&fact->newest, (uint64_t)c->ts_ms ^ SIGN_BIT);
        if (c->type == CELL_PUT) atomic_raise(&fact->oldest_put, (uint64_t)INT64_MAX - (uint64_t)c->ts_ms);
    }
}

int facts_decide(struct file_facts *files, size_t n, const struct rules_env *env, bool *expired, int64_t *earliest_put_ms,
                 struct err *err) {
    size_t *who = calloc(n + 1, sizeof *who), k = 0; /* who[k] = input of files[k] */
    bool *dropped = calloc(n + 1, sizeof *dropped);
    int rc = who && dropped ? 0 : err_nomem(err, n * sizeof *who, "file facts");
    for (size_t i = 0; !rc && i < n; i++) {
        if (!files[i].has_cells) continue;
        files[k] = files[i];
        who[k++] = i;
    }
    if (!rc) {
        file_facts_expire(files, k, &env->family, env->now_ms, dropped);
        *earliest_put_ms = file_facts_earliest_put(files, k, dropped);
        if (env->family.new_version_behavior) file_facts_leave_out(files, k, &env->family, env->now_ms, dropped);
        for (size_t i = 0; i < k; i++) expired[who[i]] = dropped[i];
    }
    free(who);
    free(dropped);
    return rc;
}

int64_t input_facts_decide(const struct input_facts *f, uint32_t bucket, const struct rules_env *env, bool *expired,
                           struct err *err) {
    struct file_facts *files = calloc((size_t)f->inputs + 1, sizeof *files);
    int64_t earliest = INT64_MIN;
    if (!files) {
        err_nomem(err, f->inputs * sizeof *files, "file facts");
        return earliest;
    }
    for (uint32_t i = 0; i < f->inputs; i++) {
        const struct fact *fact = &f->facts[(size_t)bucket * f->inputs + i];
        if (f->stores && f->stores[i])
            files[i] = (struct file_facts){.has_cells = true, .ts_max_ms = INT64_MAX, .earliest_put_ms = INT64_MAX};
        if (!fact->newest) continue;
        files[i] = (struct file_facts){.has_cells = true,
                                       .ts_max_ms = (int64_t)(fact->newest ^ SIGN_BIT),
                                       .earliest_put_ms = (int64_t)((uint64_t)INT64_MAX - fact->oldest_put),
                                       .max_seq = -1,
                                       .bulk_ms = INT64_MAX};
    }
    (void)facts_decide(files, f->inputs, env, expired, &earliest, err);
    free(files);
    return earliest;
}

/* ---- sequence ids of datasets and single HFiles ---- */

struct old_file {
    uint64_t seq;
    uint64_t family;       /* XXH3-64 of its name */
    uint32_t group, place; /* of its input; its place there */
};

struct old_seqs {
    size_t n;
    struct old_file files[]; /* falling seq */
};

static int made_at(const struct hfile *h, int64_t *ms, struct err *err) {
    const char *path = hfile_info(h)->path;
    struct bytes at = hfile_find(h, "hfile.CREATE_TIME_TS");
    struct stat st;
    if (hfile_find(h, "OBKV.CELLS").p && at.n == 8) {
        *ms = (int64_t)be64(at.p);
        return 0;
    }
    if (stat(path, &st)) return err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
    *ms = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
    return 0;
}

int old_seq_of(const struct job *job, const struct hfile *h, uint64_t *seq, struct err *err) {
    const struct hfile_info *i = hfile_info(h);
    struct bytes created = hfile_find(h, "hfile.CREATE_TIME_TS");
    struct file_facts f = {.max_mvcc = i->max_mvcc};
    *seq = 0;
    if (!job->keep_seq_ms || !i->max_mvcc || !i->cells) return 0;
    if (created.n == 8) f.created_ms = (int64_t)be64(created.p);
    if (made_at(h, &f.made_ms, err)) return -1;
    *seq = file_facts_old_seq(&f, job->now_ms, job->keep_seq_ms);
    return 0;
}

static int look_inside(const struct job *job, const struct input *in, struct old_file *out, struct err *err) {
    struct err why = {0};
    struct kv_key first;
    int rc = 0;
    struct hfile *h = hfile_open(in->path, job_block_limit(job, job_readers(job)), &why);
    if (!h && (why.sys || (why.code != ERR_INPUT && why.code != ERR_UNSUPPORTED))) {
        err_keep(err, &why);
        return -1;
    }
    if (h && kv_key_parse(hfile_info(h)->first_key, &first)) {
        *out = (struct old_file){.family = XXH3_64bits(first.family.p, first.family.n), .group = in->group, .place = in->place};
        rc = old_seq_of(job, h, &out->seq, err);
    }
    hfile_close(h);
    return rc;
}

static int inspect_input(const struct job *job, const struct input *in, struct old_file *out, struct err *err) {
    struct stat st;
    if (stop_check(job->stop, err)) return -1;
    if (in->files || !strcmp(in->path, "-")) return 0;
    if (stat(in->path, &st)) return err_sys(err, ERR_INPUT, errno, "%s", in->path);
    return S_ISREG(st.st_mode) ? look_inside(job, in, out, err) : 0;
}

static int by_falling_seq(const void *pa, const void *pb) {
    const struct old_file *a = pa, *b = pb;
    return (a->seq < b->seq) - (a->seq > b->seq);
}

size_t old_seqs_bytes(const struct job *job, uint32_t n) {
    return job->keep_seq_ms ? sizeof(struct old_seqs) + n * sizeof(struct old_file) : 0;
}

struct old_seqs *old_seqs_read(const struct job *job, const struct input *inputs, uint32_t n, struct err *err) {
    if (!job->keep_seq_ms) return NULL;
    struct old_seqs *o = calloc(1, old_seqs_bytes(job, n));
    if (!o) {
        err_nomem(err, old_seqs_bytes(job, n), "file facts");
        return NULL;
    }
    struct first_error first;
    first_error_init(&first);
#pragma omp parallel for schedule(dynamic, 16) num_threads(job_readers(job))
    for (uint32_t i = 0; i < n; i++) {
        struct err mine = {0};
        (void)inspect_input(job, &inputs[i], &o->files[i], &mine);
        first_error_keep(&first, &mine);
    }
    first_error_end(&first, err);
    qsort(o->files, n, sizeof *o->files, by_falling_seq);
    while (o->n < n && o->files[o->n].seq) o->n++;
    if (!err->code && o->n) return o;
    free(o);
    return NULL;
}

void old_seqs_free(struct old_seqs *o) {
    free(o);
}

uint64_t old_seqs_upto(const struct old_seqs *o, const char *family, uint32_t partition, const bool *expired) {
    const uint64_t name = XXH3_64bits(family, strlen(family));
    for (size_t i = 0; o && i < o->n; i++) {
        const struct old_file *f = &o->files[i];
        bool here = f->place == INPUT_ANY_PLACE || f->place == partition + INPUT_FIRST_PLACE;
        if (here && !(expired && expired[f->group]) && f->family == name) return f->seq;
    }
    return 0;
}

/* ---- stores of HBase ---- */

struct store_decisions {
    struct store_decision_opts o;
    size_t families;
    struct region_facts *facts; /* [family][store] */
    struct bytes **starts;      /* [store] */
    bool **expired;             /* [store]: by file */
    int64_t **earliest;         /* [family * n + store]: by region */
    uint64_t **old_seq;         /* the same */
};

static struct store_input_file file_at(const struct store_input *in, size_t by_age) {
    return in->file(in->arg, by_age);
}

/* The places of the decisions for one region. */
struct decided {
    int64_t *earliest_put_ms;
    uint64_t *old_seq;
};

/* The files [from, to) by age are one store, oldest first: which go whole, and what those that stay say. */
static int decide_store(const struct store_decisions *d, const struct store_input *in, size_t from, size_t to,
                        const struct rules_env *env, bool *expired, struct decided out, struct err *err) {
    bool followed = in->group < d->o.newest;
    size_t n = to - from + followed;
    struct file_facts *f = calloc(n, sizeof *f);
    bool *dropped = calloc(n, sizeof *dropped);
    int rc = f && dropped ? 0 : err_nomem(err, n * sizeof *f, "file facts");
    for (size_t i = from; !rc && i < to; i++) f[i - from] = file_at(in, i).facts;
    if (!rc && followed) /* whatever is newer */
        f[n - 1] = (struct file_facts){.has_cells = true, .ts_max_ms = INT64_MAX, .earliest_put_ms = INT64_MAX};
    if (!rc) rc = facts_decide(f, n, env, dropped, out.earliest_put_ms, err);
    for (size_t i = from; !rc && i < to; i++) {
        const struct file_facts one = file_at(in, i).facts;
        uint64_t seq = one.has_cells && !dropped[i - from] ? file_facts_old_seq(&one, d->o.now_ms, d->o.keep_seq_ms) : 0;
        if (seq > *out.old_seq) *out.old_seq = seq;
    }
    if (!rc) memcpy(expired + from, dropped, (to - from) * sizeof *dropped);
    free(f);
    free(dropped);
    return rc;
}

/* One family of one input. */
static int decide_family(const struct store_decisions *d, size_t k, size_t family, struct err *err) {
    int64_t *earliest = d->earliest[family * d->o.n + k];
    uint64_t *old_seq = d->old_seq[family * d->o.n + k];
    const struct store_input *in = &d->o.stores[k];
    const struct family *f = &d->o.table->families[family];
    const struct rules_env env = {.kind = d->o.kind, .family = *family_hbase_rules(f), .now_ms = d->o.now_ms};
    for (size_t r = 0; r < in->n_regions; r++) earliest[r] = INT64_MAX;
    for (size_t i = 0, end; i < in->n_files; i = end) {
        const struct store_input_file file = file_at(in, i);
        for (end = i + 1; end < in->n_files; end++) {
            const struct store_input_file next = file_at(in, end);
            if (next.region != file.region || strcmp(next.family, file.family) != 0) break;
        }
        if (strcmp(file.family, f->name)) continue;
        const struct decided out = {&earliest[file.region], &old_seq[file.region]};
        if (decide_store(d, in, i, end, &env, d->expired[k], out, err)) return -1;
    }
    return 0;
}

static int make_room(struct store_decisions *d, struct err *err) {
    size_t n = d->o.n;
    d->facts = calloc(d->families * n + 1, sizeof *d->facts);
    d->starts = calloc(n + 1, sizeof *d->starts);
    d->expired = calloc(n + 1, sizeof *d->expired);
    d->earliest = calloc(d->families * n + 1, sizeof *d->earliest);
    d->old_seq = calloc(d->families * n + 1, sizeof *d->old_seq);
    bool ok = d->facts && d->starts && d->expired && d->earliest && d->old_seq;
    for (size_t k = 0; ok && k < n; k++) {
        const struct store_input *s = &d->o.stores[k];
        d->starts[k] = calloc(s->n_regions + 1, sizeof **d->starts);
        d->expired[k] = calloc(s->n_files + 1, sizeof **d->expired);
        ok = d->starts[k] && d->expired[k];
        for (size_t r = 0; ok && r < s->n_regions; r++) d->starts[k][r] = s->region(s->arg, r).start;
        for (size_t f = 0; ok && f < d->families; f++)
            ok = (d->earliest[f * n + k] = calloc(s->n_regions + 1, sizeof **d->earliest)) != NULL &&
                 (d->old_seq[f * n + k] = calloc(s->n_regions + 1, sizeof **d->old_seq)) != NULL;
    }
    return ok ? 0 : err_nomem(err, d->families * n * sizeof *d->facts, "file facts");
}

static int decide_all(struct store_decisions *d, struct err *err) {
    for (size_t f = 0; f < d->families; f++)
        for (size_t k = 0; k < d->o.n; k++) {
            const struct store_input *in = &d->o.stores[k];
            if (decide_family(d, k, f, err)) return -1;
            d->facts[f * d->o.n + k] = (struct region_facts){.input = in->group,
                                                             .expired = d->expired[k],
                                                             .n_files = (uint32_t)in->n_files,
                                                             .starts = d->starts[k],
                                                             .earliest_put_ms = d->earliest[f * d->o.n + k],
                                                             .old_seq = d->old_seq[f * d->o.n + k],
                                                             .n_regions = in->n_regions};
        }
    return 0;
}

struct store_decisions *store_decisions_new(const struct store_decision_opts *o, struct err *err) {
    struct store_decisions *d = calloc(1, sizeof *d);
    if (!d) {
        err_nomem(err, sizeof *d, "file facts");
        return NULL;
    }
    d->o = *o;
    d->families = o->table->n_families;
    if (make_room(d, err) == 0 && decide_all(d, err) == 0) return d;
    store_decisions_free(d);
    return NULL;
}

const struct region_facts *store_decisions_of(const struct store_decisions *d, uint32_t family) {
    return d->facts + family * d->o.n;
}

void store_decisions_free(struct store_decisions *d) {
    if (!d) return;
    for (size_t k = 0; k < d->o.n; k++) {
        if (d->starts) free(d->starts[k]);
        if (d->expired) free(d->expired[k]);
    }
    for (size_t i = 0; d->earliest && i < d->families * d->o.n; i++) free(d->earliest[i]);
    for (size_t i = 0; d->old_seq && i < d->families * d->o.n; i++) free(d->old_seq[i]);
    free(d->facts);
    free(d->starts);
    free(d->expired);
    free(d->earliest);
    free(d->old_seq);
    free(d);
}
