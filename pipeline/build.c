#include "pipeline/build.h"

#include "flow/compact.h"
#include "flow/gather.h"
#include "flow/merge.h"
#include "flow/run.h"
#include "flow/segment.h"
#include "pipeline/facts.h"
#include "pipeline/rules_text.h"

#include <omp.h>
#include <stdlib.h>

/* The runs of one bucket. */
struct run_list {
    struct run_extent *x;
    size_t n, cap;
};

struct build {
    const struct build_opts *o;
    struct build_result *out;
    struct memory_plan plan;
    struct shape_set shapes;
    uint32_t families, partitions, buckets; /* bucket = family * partitions + partition */
    struct gather *gather;
    struct input_facts *facts;
    struct run_list *runs; /* [bucket] */
    struct run_file **run_files; /* [thread] */
    uint64_t *weight;      /* bytes of a bucket in all rounds: largest tasks first */
    struct loader *loader;
    struct ledger dropped; /* what version rules took away */
    struct err err;        /* the first error of any task */
    uint64_t done;         /* buckets stored: progress */
};

/* ---- gathering ---- */

static int put_part(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part, struct err *err) {
    struct build *b = arg;
    if (family >= b->families) return err_set(err, ERR_INTERNAL, "family %u appeared after the partitions were set up", family);
    uint32_t bucket = family * b->partitions + partition;
    if (b->facts) input_facts_note(b->facts, bucket, part);
    return gather_put(b->gather, thread, bucket, part, err);
}

static bool is_full(void *arg) {
    const struct build *b = arg;
    return gather_full(b->gather);
}

static struct bytes family_name(const struct build *b, uint32_t bucket) {
    return bytes_str(b->o->read.table->families[bucket / b->partitions].name);
}

/* The gathered bucket as a source; *entries is its memory, to be freed after closing. */
static struct source *open_gathered(struct build *b, uint32_t bucket, struct sort_entry **entries, struct err *err) {
    uint64_t n = gather_records(b->gather, bucket);
    *entries = malloc(2 * n * sizeof **entries);
    if (!*entries) return err_nomem(err, 2 * n * sizeof **entries, "sorting"), NULL;
    gather_sorted(b->gather, bucket, b->o->tie, *entries);
    return segment_open(*entries, n, &b->shapes, family_name(b, bucket), b->o->tie, err);
}

static int add_run(struct run_list *l, const struct run_extent *x, struct err *err) {
    if (l->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 4;
        struct run_extent *p = realloc(l->x, cap * sizeof *p);
        if (!p) return err_nomem(err, cap * sizeof *p, "the list of runs");
        l->x = p;
        l->cap = cap;
    }
    l->x[l->n++] = *x;
    return 0;
}

static struct run_file *my_run_file(struct build *b, struct err *err) {
    struct run_file **f = &b->run_files[omp_get_thread_num()];
    if (!*f) *f = run_file_new(b->o->job->temp_dir, b->o->job->quota, err);
    return *f;
}

/* ---- tasks over buckets ---- */

typedef int bucket_fn(struct build *b, uint32_t bucket, struct err *err);

static void run_task(struct build *b, bucket_fn *fn, uint32_t bucket) {
    struct err mine = {0};
    enum err_code failed;
#pragma omp atomic read
    failed = b->err.code;
    if (failed) return;
    if (!stop_check(b->o->job->stop, &mine)) fn(b, bucket, &mine);
    if (!mine.code) return;
#pragma omp critical(build_error)
    err_keep(&b->err, &mine);
}

/* Largest first, so that the last task is a small one. */
static uint32_t *by_weight(const struct build *b, struct err *err) {
    uint32_t *order = malloc(b->buckets * sizeof *order);
    if (!order) return err_nomem(err, b->buckets * sizeof *order, "the order of tasks"), NULL;
    for (uint32_t i = 0; i < b->buckets; i++) order[i] = i;
    for (uint32_t gap = b->buckets / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < b->buckets; i++) {
            uint32_t x = order[i], j = i;
            for (; j >= gap && b->weight[order[j - gap]] < b->weight[x]; j -= gap) order[j] = order[j - gap];
            order[j] = x;
        }
    return order;
}

static int for_buckets(struct build *b, bucket_fn *fn, struct err *err) {
    uint32_t *order = by_weight(b, err);
    if (!order) return -1;
#pragma omp parallel num_threads(b->plan.threads)
#pragma omp single
    for (uint32_t i = 0; i < b->buckets; i++) {
        uint32_t bucket = order[i];
        if (!b->weight[bucket]) continue;
#pragma omp task firstprivate(bucket)
        run_task(b, fn, bucket);
    }
    free(order);
    err_keep(err, &b->err);
    return b->err.code ? -1 : 0;
}

/* ---- spilling ---- */

static int spill_bucket(struct build *b, uint32_t bucket, struct err *err) {
    if (!gather_records(b->gather, bucket)) return 0;
    struct sort_entry *entries;
    struct run_extent x;
    struct source *src = open_gathered(b, bucket, &entries, err);
    struct run_file *f = src ? my_run_file(b, err) : NULL;
    int rc = f ? run_write(f, src, &b->shapes, &x, err) : -1;
    if (!rc) rc = add_run(&b->runs[bucket], &x, err);
    source_close(src);
    free(entries);
    return rc;
}

static void weigh(struct build *b) {
    for (uint32_t i = 0; i < b->buckets; i++) b->weight[i] += gather_bytes(b->gather, i);
}

static int spill_all(struct build *b, struct err *err) {
    weigh(b);
    b->out->rounds++;
    if (for_buckets(b, spill_bucket, err)) return -1;
    gather_reset(b->gather);
    return 0;
}

/* ---- storing ---- */

static size_t merge_width(const struct build *b, const struct run_list *l) {
    size_t frame = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->x[i].frame_max > frame) frame = l->x[i].frame_max;
    size_t width = b->plan.merge_bytes / (frame + PART_MAX_CELLS * sizeof(struct cell) + 1024);
    return width < 2 ? 2 : width > 512 ? 512 : width;
}

static struct source *open_runs(struct build *b, uint32_t bucket, const struct run_extent *x, size_t n, struct err *err) {
    struct source **in = calloc(n, sizeof *in);
    if (!in) return err_nomem(err, n * sizeof *in, "a merge"), NULL;
    for (size_t i = 0; i < n; i++) {
        in[i] = run_open(&x[i], &b->shapes, family_name(b, bucket), err);
        if (in[i]) continue;
        while (i--) source_close(in[i]);
        free(in);
        return NULL;
    }
    struct source *m = merge_open(in, n, b->o->tie, err);
    free(in);
    return m;
}

/* Too many runs for the memory: the oldest ones become one. */
static int narrow(struct build *b, uint32_t bucket, size_t width, struct err *err) {
    struct run_list *l = &b->runs[bucket];
    while (l->n > width) {
        struct run_extent x;
        struct source *src = open_runs(b, bucket, l->x, width, err);
        struct run_file *f = src ? my_run_file(b, err) : NULL;
        int rc = f ? run_write(f, src, &b->shapes, &x, err) : -1;
        source_close(src);
        if (rc) return -1;
        for (size_t i = 0; i < width; i++) run_release(&l->x[i]);
        memmove(l->x, l->x + width, (l->n - width) * sizeof *l->x);
        l->n -= width;
        l->x[l->n++] = x;
#pragma omp atomic
        b->out->merge_passes++;
    }
    return 0;
}

/* src with the version rules of its family on top; takes over src. */
static struct source *apply_rules(struct build *b, uint32_t bucket, struct source *src, bool *expired, struct ledger *ledger,
                                  int64_t *next_drop, struct err *err) {
    const struct family *f = &b->o->read.table->families[bucket / b->partitions];
    struct compact_opts c = {.env = {.family = f->rules, .now_ms = b->o->job->now_ms, .earliest_put_ms = INT64_MAX},
                             .ledger = ledger,
                             .next_drop_ms = next_drop};
    if (b->facts) {
        c.env.earliest_put_ms = input_facts_decide(b->facts, bucket, &f->rules, b->o->job->now_ms, expired, err);
        c.expired_inputs = expired;
        c.n_inputs = b->o->n_inputs;
    }
    if (!err->code) return compact_open(src, &c, err);
    source_close(src);
    return NULL;
}

static int write_bucket(struct build *b, uint32_t bucket, struct source *src, const int64_t *next_drop, struct tally *written,
                        struct err *err) {
    const struct table *t = b->o->read.table;
    struct store_slot slot = {.family = bucket / b->partitions, .partition = bucket % b->partitions};
    char hash[RULES_HASH_BYTES];
    struct store_opts o = b->o->store;
    slot.family_name = t->families[slot.family].name;
    slot.partition_name = t->partitioning.names[slot.partition];
    if (b->o->compact) {
        rules_text_hash(&t->families[slot.family].rules, hash);
        o.rules_hash = hash;
    }
    return store_partition(&o, &slot, src, next_drop, &b->out->files, written, err);
}

static int store_bucket(struct build *b, uint32_t bucket, struct err *err) {
    struct sort_entry *entries = NULL;
    struct ledger ledger = {0};
    int64_t next_drop = INT64_MAX;
    int rc = -1;
    bool *expired = calloc(b->o->n_inputs + 1, sizeof *expired);
    struct source *src = NULL;
    struct run_list *l = &b->runs[bucket];
    if (!expired) {
        err_nomem(err, b->o->n_inputs, "file facts");
    } else if (b->gather) {
        src = open_gathered(b, bucket, &entries, err);
    } else if (!narrow(b, bucket, merge_width(b, l), err)) {
        src = open_runs(b, bucket, l->x, l->n, err);
    }
    if (src && b->o->compact) src = apply_rules(b, bucket, src, expired, &ledger, &next_drop, err);
    if (src) rc = write_bucket(b, bucket, src, b->o->compact ? &next_drop : NULL, &ledger.dropped[VERDICT_KEEP], err);
    source_close(src);
    free(entries);
    free(expired);
    for (size_t i = 0; i < l->n; i++) run_release(&l->x[i]);
#pragma omp critical(build_ledger)
    {
        ledger_add(&b->dropped, &ledger);
        b->done += b->weight[bucket];
        if (b->o->job->progress.report) {
            uint64_t total = 0;
            for (uint32_t i = 0; i < b->buckets; i++) total += b->weight[i];
            b->o->job->progress.report(b->o->job->progress.arg, "write", b->done, total);
        }
    }
    return rc;
}

/* ---- a run ---- */

static int set_up(struct build *b, struct err *err) {
    const struct build_opts *o = b->o;
    b->partitions = placement_count(o->placement);
    b->families = o->read.table->n_families;
    if (o->read.open_families && b->families < LOAD_FAMILIES_MAX) b->families = LOAD_FAMILIES_MAX;
    b->buckets = b->families * b->partitions;
    if (memory_plan_make(o->job, o->store.hfile.block_bytes, &b->plan, err)) return -1;
    b->out->threads = b->plan.threads;
    struct gather_opts g = {.buckets = b->buckets, .threads = b->plan.threads, .memory_bytes = b->plan.gather_bytes, .shapes = &b->shapes};
    while (!(b->gather = gather_new(&g, err))) {
        if (g.threads == 1 || err->code != ERR_LIMIT) return -1;
        *err = (struct err){0};
        b->out->threads = b->plan.threads = --g.threads;
    }
    b->runs = calloc(b->buckets, sizeof *b->runs);
    b->weight = calloc(b->buckets, sizeof *b->weight);
    b->run_files = calloc(b->plan.threads, sizeof(struct run_file *));
    if (!b->runs || !b->weight || !b->run_files) return err_nomem(err, b->buckets * sizeof *b->runs, "the partitions");
    if (o->compact) b->facts = input_facts_new(o->read.table, b->buckets, o->n_inputs, err);
    return err->code ? -1 : 0;
}

static int read_all(struct build *b, struct err *err) {
    struct load_opts l = {.job = b->o->job, .threads = b->plan.threads, .inputs = b->o->inputs, .n_inputs = b->o->n_inputs,
                          .read = b->o->read, .placement = b->o->placement, .consumer = {put_part, is_full, b},
                          .rejects = b->o->rejects};
    l.read.shapes = &b->shapes;
    l.read.chunk_bytes = b->plan.chunk_bytes;
    l.read.max_cell_bytes = b->o->read.max_cell_bytes ? b->o->read.max_cell_bytes : b->plan.block_limit;
    l.read.stop = b->o->job->stop;
    b->loader = loader_new(&l, err);
    if (!b->loader) return -1;
    int more;
    while ((more = loader_run(b->loader, err)) == 1)
        if (spill_all(b, err)) return -1;
    if (more < 0) return -1;
    ledger_add(&b->out->ledger, loader_ledger(b->loader));
    b->out->client_rows = loader_client_rows(b->loader);
    return 0;
}

static int check_rejects(const struct build *b, struct err *err) {
    const struct ledger *l = &b->out->ledger;
    if (!b->o->rejects) return 0;
    if (reject_log_finish(b->o->rejects, err)) return -1;
    if (!reject_limit_exceeded(b->o->reject_limit, l->records_rejected, l->records_read)) return 0;
    return err_set(err, ERR_REJECTS, "%llu of %llu records rejected, more than --max-rejects allows; first: %s",
                   (unsigned long long)l->records_rejected, (unsigned long long)l->records_read, reject_log_first(b->o->rejects));
}

static int make_families(const struct build *b, struct err *err) {
    const struct table *t = b->o->read.table;
    for (uint32_t i = 0; i < t->n_families; i++)
        if (store_make_family(b->o->store.dir, t->families[i].name, err)) return -1;
    return 0;
}

static int store_all(struct build *b, struct err *err) {
    if (b->out->rounds && !gather_empty(b->gather)) {
        if (spill_all(b, err)) return -1;
    } else {
        weigh(b);
    }
    if (b->out->rounds) {
        gather_free(b->gather); /* the memory goes to the merges */
        b->gather = NULL;
    }
    return make_families(b, err) ? -1 : for_buckets(b, store_bucket, err);
}

static void tear_down(struct build *b) {
    loader_free(b->loader);
    gather_free(b->gather);
    input_facts_free(b->facts);
    for (uint32_t i = 0; b->runs && i < b->buckets; i++) free(b->runs[i].x);
    for (unsigned i = 0; b->run_files && i < b->plan.threads; i++) {
        if (b->run_files[i]) b->out->spilled_bytes += run_file_bytes(b->run_files[i]);
        run_file_free(b->run_files[i]);
    }
    free(b->runs);
    free(b->run_files);
    free(b->weight);
    shape_set_free(&b->shapes);
}

int build_run(const struct build_opts *o, struct build_result *out, struct err *err) {
    struct build b = {.o = o, .out = out};
    *out = (struct build_result){0};
    int rc = set_up(&b, err);
    b.o = o;
    if (!rc) {
        struct build_opts sized = *o; /* writers get their share of the memory */
        sized.store.hfile.batch_blocks = b.plan.batch_blocks;
        b.o = &sized;
        rc = read_all(&b, err);
        if (!rc) rc = check_rejects(&b, err);
        if (!rc) rc = store_all(&b, err);
        ledger_add(&out->ledger, &b.dropped);
        if (!rc) rc = ledger_check(&out->ledger, err);
    }
    tear_down(&b);
    return rc;
}

void build_result_free(struct build_result *r) {
    store_files_free(&r->files);
}
