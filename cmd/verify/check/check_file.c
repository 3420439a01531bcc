/* One HFile checked whole: workers take ranges of blocks (check_range.c), check their cells (check_scan.c) and give their
 * sums back; once all are joined, metadata is compared with them (check_facts.c). Damage is a finding and ends nothing; what
 * cannot be read ends the check of this file only. */
#include "cmd/verify/check/check_bloom.h"
#include "cmd/verify/check/check_facts.h"
#include "cmd/verify/check/check_file.h"

#include "base/outfile.h"
#include "cmd/verify/check/check_scan.h"
#include "engine/memory_plan.h"
#include "hfile/hfile_open.h"
#include "hfile/index_reader.h"
#include "hfile/pack_member.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

enum { RANGE_BYTES = 4 << 20 };

struct checker {
    const struct check_file_opts *o;
    struct hfile *h;
    bool blooms; /* there are filters that can be asked */
    pthread_mutex_t lock;
    struct check_cut cut;
    struct check_spans spans;
    struct err err; /* stop, memory, a file that cannot be read */
    struct err bloom_err;
    bool damaged, index_damaged, unread; /* unread: a range is missing from the sums */
    bool wrong_sum;
};

struct check_file_opts check_file_opts_of(const struct job *job, const char *path, bool quick, struct check_findings *findings) {
    return (struct check_file_opts){.job = job,
                                    .path = path,
                                    .findings = findings,
                                    .quick = quick,
                                    .range_bytes = RANGE_BYTES,
                                    .block_limit = job_block_limit(job, job_readers(job))};
}

/* Returns whether the error is a finding, because the file is to blame; everything else ends its check. */
static bool is_finding(const struct checker *c, const struct err *e) {
    return (e->code == ERR_INPUT && !e->sys) || (e->code == ERR_UNSUPPORTED && c->o->expected);
}

/* Takes an error, with the lock held, or in the only thread there is. */
static void take_error(struct checker *c, const struct err *e) {
    if (!is_finding(c, e)) return err_keep(&c->err, e);
    check_findings_add(c->o->findings, FINDING_DAMAGED, c->o->path, "%s", e->text);
    c->damaged = true;
}

/* ---- ranges ---- */

/* Takes the next range. 1 = *r is to be read, 0 = nothing is left. */
static int take_range(struct checker *c, struct check_range *r) {
    struct err mine = {0};
    int rc = -1;
    pthread_mutex_lock(&c->lock);
    if (!c->err.code && !stop_check(c->o->job->stop, &mine)) rc = check_cut_next(&c->cut, r, &mine);
    if (mine.code) take_error(c, &mine);
    if (mine.code) c->unread = true;
    pthread_mutex_unlock(&c->lock);
    return rc == 1;
}

/* Takes *r over. */
static void give_range(struct checker *c, const struct check_scan *s, struct check_range *r, struct err *why) {
    uint64_t bytes = r->range.end - r->range.offset;
    pthread_mutex_lock(&c->lock);
    c->damaged |= s->damaged;
    c->index_damaged |= s->index_damaged;
    if (!why->code) {
        (void)check_spans_add(&c->spans, r, why);
    } else {
        check_range_free(r);
        c->unread = true;
    }
    if (why->code) take_error(c, why);
    pthread_mutex_unlock(&c->lock);
    if (c->o->passed) c->o->passed(c->o->arg, bytes);
}

static void check_ranges(struct checker *c) {
    struct check_scan s;
    struct check_range r;
    struct err mine = {0};
    int rc = check_scan_begin(&s, c->o, c->h, c->blooms, &mine);
    while (!rc && take_range(c, &r)) {
        struct err why = {0};
        (void)check_scan_range(&s, &r, &why);
        give_range(c, &s, &r, &why);
    }
    pthread_mutex_lock(&c->lock);
    if (mine.code) take_error(c, &mine);
    err_keep(&c->bloom_err, &s.bloom.why);
    pthread_mutex_unlock(&c->lock);
    check_scan_end(&s);
}

/* ---- the file as a whole ---- */

static void compare_sum(struct checker *c, const char *hex) {
    c->wrong_sum = strcmp(hex, c->o->expected->checksum) != 0;
    if (c->wrong_sum)
        check_findings_add(c->o->findings, FINDING_DAMAGED, c->o->path, "file checksum %s, the manifest says %s", hex,
                           c->o->expected->checksum);
}

static void finish_sum(struct checker *c) {
    char hex[17] = "";
    struct err mine = {0};
    if (!c->o->expected || c->err.code) return;
    if (c->h ? check_cut_sum(&c->cut, hex, &mine) : pack_member_sum(c->o->path, hex, &mine))
        take_error(c, &mine);
    else
        compare_sum(c, hex);
}

struct mid_search {
    uint64_t wanted, n;
    struct buf key;
};

static int visit_index(void *arg, const struct hfile_index_entry *e, struct err *err) {
    struct mid_search *m = arg;
    return m->n++ == m->wanted ? buf_copy(&m->key, e->key, err) : 0;
}

/* The index as such; of more than one level it says where its middle is. entries: 0 = not known. */
static void check_index(struct checker *c, uint64_t entries) {
    struct mid_search m = {.wanted = entries ? (entries - 1) / 2 : UINT64_MAX};
    struct err mine = {0};
    struct buf mid = {0};
    if (hfile_index_walk(c->h, visit_index, &m, &mine) == 0 && entries && hfile_trailer(c->h)->index_levels > 1 &&
        hfile_mid_key(c->h, &mid, &mine) == 0 && !bytes_eq(buf_bytes(&mid), buf_bytes(&m.key)))
        check_findings_add(c->o->findings, FINDING_METADATA, c->o->path,
                           "the mid key that the root index names is not that of entry %llu of %llu",
                           (unsigned long long)m.wanted, (unsigned long long)entries);
    if (mine.code == ERR_UNSUPPORTED)
        check_findings_add(c->o->findings, FINDING_METADATA, c->o->path, "%s", mine.text);
    else if (mine.code)
        take_error(c, &mine);
    buf_free(&m.key);
    buf_free(&mid);
}

/* Totals say nothing if part of the file could not be read, which is reported already. */
static void check_whole(struct checker *c, const struct check_range *all) {
    const struct check_file_opts *o = c->o;
    struct err mine = {0};
    struct check_bloom bloom;
    if (o->expected) check_facts_report_listed(o, c->h, all);
    if (o->family) check_facts_report_family(o, buf_bytes(&all->last_key));
    if (c->index_damaged) return;
    check_facts_report(o, c->h, all);
    if (!c->blooms) return;
    if (check_bloom_open(&bloom, c->h, &mine) == 0) check_bloom_report(&bloom, &all->sums, o->findings);
    check_bloom_close(&bloom);
    if (mine.code) take_error(c, &mine);
}

/* A file that is not what was written may claim any size: its wrong checksum is the finding, not the memory. */
static void forgive_limits(struct checker *c) {
    if (!c->wrong_sum || c->err.code != ERR_LIMIT) return;
    c->err = (struct err){0};
    c->damaged = true;
}

static void conclude(struct checker *c, struct check_file_result *out) {
    struct check_range none = check_range_new(0), *all = c->spans.n == 1 && !c->unread ? &c->spans.all[0] : &none;
    for (size_t i = 0; i < c->spans.n; i++) {
        const struct check_range *r = &c->spans.all[i];
        tally_add(&out->tally, r->sums.tally);
        out->kv_bytes += r->sums.kv_bytes;
        out->blocks += r->passed.data_blocks;
        out->rows += r->sums.rows;
    }
    if (c->err.code) return;
    if (!c->index_damaged && !c->damaged && hfile_trailer(c->h)->data_index_count) check_index(c, c->cut.data_blocks);
    if (c->bloom_err.code && !c->index_damaged) take_error(c, &c->bloom_err);
    if (!c->damaged && !c->unread && !c->err.code)
        check_whole(c, all);
    else if (c->o->expected && !c->err.code)
        check_facts_report_opened(c->o, c->h);
    out->read = !c->damaged && !c->index_damaged && !c->unread;
}

static unsigned workers_for(const struct checker *c) {
    uint64_t ranges = hfile_info(c->h)->load_on_open_offset / (c->o->range_bytes / 4) + 1;
    unsigned readers = job_readers(c->o->job);
    return ranges < readers ? (unsigned)ranges : readers;
}

static void check_blocks(struct checker *c, struct check_file_result *out) {
    struct err mine = {0};
    const struct hfile_info *info = hfile_info(c->h);
    c->spans = (struct check_spans){
        .path = c->o->path, .findings = c->o->findings, .bloom = info->bloom, .bloom_prefix = info->bloom_prefix};
    if (check_cut_open(&c->cut, c->h, c->o->expected, c->o->range_bytes, c->o->findings, &mine)) take_error(c, &mine);
    for (unsigned i = c->err.code ? 0 : workers_for(c); i; i--) {
#pragma omp task firstprivate(c)
        check_ranges(c);
    }
#pragma omp taskwait
    finish_sum(c);
    forgive_limits(c);
    conclude(c, out);
    check_cut_close(&c->cut);
    check_spans_free(&c->spans);
}

/* ---- opening ---- */

static int note_lost(void *arg, const struct hfile_lost *lost, struct err *err) {
    struct checker *c = arg;
    (void)err;
    check_findings_add(c->o->findings, FINDING_DAMAGED, c->o->path, "%s; no cells are lost by it", lost->reason);
    c->index_damaged = true;
    return 0;
}

/* Opens the file without what is damaged and can be done without. */
static void open_file(struct checker *c) {
    const struct check_file_opts *o = c->o;
    struct hfile_lost_sink sink = {note_lost, c};
    struct err why = {0}, again = {0};
    c->h = hfile_open(o->path, o->block_limit, &why);
    c->blooms = c->h != NULL;
    if (c->h) return;
    if (o->expected && (why.sys == ENOENT || why.sys == ENOTDIR)) {
        check_findings_add(o->findings, FINDING_MISSING, o->path, "not there");
        c->damaged = true;
        return;
    }
    if (is_finding(c, &why) && !o->quick) c->h = hfile_open_damaged(o->path, o->block_limit, &sink, &again);
    if (!c->h || !c->index_damaged) take_error(c, &why);
    c->index_damaged = true;
    c->blooms = false;
}

/* Filters that cannot be opened are reported once, not by every worker. */
static void try_blooms(struct checker *c) {
    struct check_bloom b;
    struct err mine = {0};
    if (!c->blooms) return;
    c->blooms = check_bloom_open(&b, c->h, &mine) == 0;
    check_bloom_close(&b);
    if (c->blooms) return;
    take_error(c, &mine);
    c->damaged = false;
    c->index_damaged = true;
}

int check_file(const struct check_file_opts *o, struct check_file_result *out, struct err *err) {
    struct checker c = {.o = o, .lock = PTHREAD_MUTEX_INITIALIZER};
    *out = (struct check_file_result){0};
    open_file(&c);
    if (c.h) {
        out->opened = true;
        out->file_bytes = hfile_info(c.h)->file_bytes;
        if (o->quick) {
            out->tally.cells = hfile_info(c.h)->cells;
            if (o->expected) check_facts_report_opened(o, c.h);
            if (hfile_trailer(c.h)->data_index_count) check_index(&c, 0);
        } else {
            try_blooms(&c);
            check_blocks(&c, out);
        }
    } else if (!o->quick) {
        finish_sum(&c);
        forgive_limits(&c);
    }
    hfile_close(c.h);
    pthread_mutex_destroy(&c.lock);
    err_keep(err, &c.err);
    return c.err.code ? -1 : 0;
}
