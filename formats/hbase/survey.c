/* Looks into the store files of a table before they are read.
 *
 * Trailers and file info say what HBase decides from whole files: expiry, sequence ids, age. Many files are opened side by side.
 * Store files that a compaction has replaced stay beside its result until HBase archives them: minutes, or as long as someone
 * reads them. The result names them in a CompactionEventTracker, and HBase leaves them out when it opens the store
 * (StoreEngine.openStoreFiles). */
#include "base/warning.h"
#include "formats/hbase/survey.h"

#include "base/bytes.h"
#include "base/wire.h"
#include "cell/keyvalue.h"
#include "engine/memory_plan.h"
#include "formats/hbase/metadata.h"
#include "formats/hbase/names.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_open.h"

#include <inttypes.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

/* ---- sequence ids of whole files (HStoreFile.open, StoreFileScanner.setCurrentCell) ---- */

int64_t file_seq_max(const struct hfile *h, const struct file_seq *s) {
    struct bytes v = hfile_find(h, "MAX_SEQ_ID_KEY");
    int64_t seq = s->named ? (int64_t)s->number : v.n == 8 ? (int64_t)be64(v.p) : -1;
    bool known = s->named || v.n == 8;
    return known && s->top && seq < INT64_MAX ? seq + 1 : seq;
}

bool file_seq_resets(const struct hfile *h, const struct file_seq *s, uint64_t *seq) {
    struct bytes skip = hfile_find(h, "SKIP_RESET_SEQ_ID");
    bool bulk = s->named || (hfile_find(h, "BULKLOAD_TIMESTAMP").p && !hfile_find(h, "OBKV.CELLS").p);
    if (!bulk || (skip.n == 1 && skip.p[0]) || (s->keeps && !s->named)) return false;
    int64_t max = file_seq_max(h, s);
    *seq = max < 0 ? 0 : (uint64_t)max;
    return true;
}

/* ---- files that a compaction has replaced ---- */

/* CompactionEventTracker { repeated bytes compacted_store_file = 1; }: 1 = *name filled, 0 = end, -1 = malformed. */
static int next_name(struct bytes *list, struct bytes *name) {
    struct pbwire_field f;
    int rc;
    while ((rc = pbwire_next(list, &f)) > 0) {
        *name = f.bytes;
        if (f.number == 1 && f.type == PBWIRE_BYTES) return 1;
    }
    return rc;
}

/* The list of files that h replaced, as in the file info. Usually empty. */
static int list_replaced(const struct hfile *h, struct buf *out, struct err *err) {
    struct bytes list = hfile_find(h, "COMPACTION_EVENT_KEY"), name;
    if (!list.n) return 0;
    int rc = pbuf_take(&list) ? 0 : -1;
    struct bytes rest = list;
    while (!rc && (rc = next_name(&rest, &name)) > 0) rc = 0;
    if (rc)
        return err_set(err, ERR_INPUT, "%s: file info COMPACTION_EVENT_KEY is not a list of store files", hfile_info(h)->path);
    return buf_put(out, list.p, list.n, err);
}

struct replaced {
    uint32_t region, family;
    struct bytes name;
};

static int replaced_cmp(const void *pa, const void *pb) {
    const struct replaced *a = pa, *b = pb;
    if (a->region != b->region) return a->region < b->region ? -1 : 1;
    if (a->family != b->family) return a->family < b->family ? -1 : 1;
    return bytes_cmp(a->name, b->name);
}

/* Returns how many names the lists hold; out: NULL, or room for them. */
static size_t names_in(const struct store_files *s, const struct buf *lists, struct replaced *out) {
    size_t n = 0;
    for (size_t i = 0; i < s->n_files; i++) {
        struct bytes list = buf_bytes(&lists[i]), name;
        for (; next_name(&list, &name) > 0; n++)
            if (out) out[n] = (struct replaced){s->files[i].region, s->files[i].family, name};
    }
    return n;
}

/* lists: one for each file of s. Marks the files that others of the same region and family replaced: they are not read and do not
 * count. Adds a line about them to warnings. */
static int leave_out_replaced(const struct store_files *s, const struct buf *lists, const struct survey *out,
                              struct buf *warnings, struct err *err) {
    size_t n = names_in(s, lists, NULL);
    if (!n) return 0;
    struct replaced *all = calloc(n, sizeof *all);
    if (!all) return err_nomem(err, n * sizeof *all, "the names of compacted files");
    names_in(s, lists, all);
    qsort(all, n, sizeof *all, replaced_cmp);
    struct left_out left = {0};
    const char *first = NULL;
    for (size_t i = 0; i < s->n_files; i++) {
        const struct store_file *f = &s->files[i];
        struct replaced key = {f->region, f->family, bytes_str(f->name)};
        if (!bsearch(&key, all, n, sizeof *all, replaced_cmp)) continue;
        out->files[i].left_out = true;
        out->files[i].cells = 0;
        if (i < out->counted_before) continue;
        left.files++;
        left.bytes += f->bytes;
        if (!first) first = f->name;
    }
    free(all);
    if (!first) return 0;
    return warning_add(warnings, WARN_FILES_LEFT_OUT, left.files, err,
                       "%s: files that a compaction has replaced and HBase has not archived yet, left out: %" PRIu64 " (%" PRIu64
                       " bytes), first %s",
                       s->what, left.files, left.bytes, first);
}

/* ---- the look ---- */

static struct file_seq seq_of(const struct store_file *f) {
    return (struct file_seq){.named = f->has_seq, .number = f->seq, .top = f->half == STORE_TOP, .keeps = f->keeps_seqs};
}

static bool begins_before(const struct hfile *h, struct bytes row) {
    struct kv_key first;
    return kv_key_parse(hfile_info(h)->first_key, &first) && bytes_cmp(first.row, row) < 0;
}

/* Returns the family of the first cell; p NULL: the file has none. */
static struct bytes family_inside(const struct hfile *h) {
    struct kv_key first;
    return kv_key_parse(hfile_info(h)->first_key, &first) ? first.family : (struct bytes){0};
}

uint64_t survey_kv_bytes(const struct hfile *h) {
    struct bytes key = hfile_find(h, "hfile.AVG_KEY_LEN"), value = hfile_find(h, "hfile.AVG_VALUE_LEN");
    return key.n == 4 && value.n == 4 ? hfile_info(h)->cells * (2 * sizeof(uint32_t) + be32(key.p) + be32(value.p)) : 0;
}

static void look_inside(const struct hfile *h, const struct store_file *f, struct bytes region_start, struct surveyed_file *out) {
    const struct hfile_info *info = hfile_info(h);
    const struct file_seq seq = seq_of(f);
    struct bytes bulk = hfile_find(h, "BULKLOAD_TIMESTAMP"), created = hfile_find(h, "hfile.CREATE_TIME_TS");
    out->max_seq = file_seq_max(h, &seq);
    if (bulk.n == 8) out->bulk_ms = (int64_t)be64(bulk.p);
    if (created.n == 8) out->created_ms = (int64_t)be64(created.p);
    if (info->has_ts_range) out->ts_max_ms = info->ts_max;
    if (info->has_earliest_put) out->earliest_put_ms = info->earliest_put_ms;
    out->starts_outside_region = f->half != STORE_TOP && begins_before(h, region_start);
    out->cells = info->cells;
    out->kv_bytes = survey_kv_bytes(h);
    out->max_mvcc = info->max_mvcc;
    out->codec = (uint8_t)info->codec;
    out->encoding = (uint8_t)info->encoding;
}

static int survey_one(const struct job *job, const struct store_files *s, size_t at, struct surveyed_file *out,
                      struct buf *replaced, struct err *err) {
    const struct store_file *f = &s->files[at];
    struct err why = {0};
    if (f->has_crc && crc_file_check(f->path, err) < 0) return -1;
    struct hfile *h = hfile_open(f->path, job_block_limit(job, job_readers(job)), &why);
    out->unread = !h;
    if (h) look_inside(h, f, buf_bytes(&s->regions[f->region].start), out);
    const struct bytes inside = h ? family_inside(h) : (struct bytes){0};
    out->of_other_family = inside.p && !bytes_eq(inside, bytes_str(s->table.families[f->family].name));
    int rc = h ? list_replaced(h, replaced, err) : 0;
    hfile_close(h);
    if (why.code != ERR_LIMIT) return rc;
    err_keep(err, &why);
    return -1;
}

char *survey_misnamed(const struct survey *s, size_t block_limit, struct err *err) {
    if (!s->n || s->store->table.n_families != 1) return NULL;
    for (size_t i = 0; i < s->n; i++)
        if (!s->files[i].of_other_family) return NULL;
    struct hfile *h = hfile_open(s->store->files[0].path, block_limit, err);
    const struct bytes inside = h ? family_inside(h) : (struct bytes){0};
    char *name = inside.p ? disk_name_copy(inside, "a family", err) : NULL;
    hfile_close(h);
    return name;
}

struct file_facts survey_facts(const struct store_file *f, const struct surveyed_file *seen) {
    return (struct file_facts){.name = bytes_str(f->name),
                               .bytes = f->bytes,
                               .max_seq = seen->max_seq,
                               .bulk_ms = seen->bulk_ms,
                               .has_cells = !seen->left_out && (seen->unread || seen->cells),
                               .ts_max_ms = seen->ts_max_ms,
                               .earliest_put_ms = seen->earliest_put_ms,
                               .made_ms = f->mtime_ns / 1000000,
                               .created_ms = seen->created_ms,
                               .max_mvcc = seen->max_mvcc};
}

struct hfile_view survey_view(const struct store_file *f, const struct surveyed_file *seen) {
    struct hfile_view v = {
        .store_file = seen->age, .seq = seq_of(f), .file_bytes = f->bytes, .left_out = seen->left_out, .unread = seen->unread};
    if (f->half == STORE_TOP) v.start_row = buf_bytes(&f->split_row);
    if (f->half == STORE_BOTTOM) v.stop_row = buf_bytes(&f->split_row);
    return v;
}

/* Many files side by side; the lock is for the first error and for the progress line. */
static int survey_all(const struct job *job, const struct store_files *s, struct surveyed_file *out, struct buf *replaced,
                      struct err *err) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    size_t done = 0;
    bool failed = false;
#pragma omp parallel for schedule(dynamic, 16) num_threads(job_readers(job))
    for (size_t i = 0; i < s->n_files; i++) {
        struct err mine = {0};
        bool skip;
#pragma omp atomic read
        skip = failed;
        if (skip) continue;
        int rc = stop_check(job->stop, &mine) || survey_one(job, s, i, &out[i], &replaced[i], &mine) ? -1 : 0;
        pthread_mutex_lock(&lock);
        if (rc) {
            err_keep(err, &mine);
#pragma omp atomic write
            failed = true;
        }
        if (++done % 256 == 0 && job->progress.report) job->progress.report(job->progress.arg, "survey", done, s->n_files);
        pthread_mutex_unlock(&lock);
    }
    return failed ? -1 : 0;
}

struct by_age_arg {
    const struct store_file *files;
    const struct surveyed_file *seen;
};

static int by_store_and_age(const void *pa, const void *pb, void *arg) {
    const struct by_age_arg *all = arg;
    uint32_t ia = *(const uint32_t *)pa, ib = *(const uint32_t *)pb;
    const struct store_file *a = &all->files[ia], *b = &all->files[ib];
    if (a->region != b->region) return a->region < b->region ? -1 : 1;
    if (a->family != b->family) return a->family < b->family ? -1 : 1;
    const struct file_facts x = survey_facts(a, &all->seen[ia]), y = survey_facts(b, &all->seen[ib]);
    return file_facts_age_cmp(&x, &y);
}

int survey_run(const struct job *job, const struct store_files *s, struct survey *out, struct buf *warnings, struct err *err) {
    struct buf *replaced = calloc(s->n_files + 1, sizeof *replaced); /* by file: the list of those that it replaced */
    if (!replaced) return err_nomem(err, s->n_files * sizeof *replaced, "the list of store files");
    int rc = survey_all(job, s, out->files, replaced, err);
    if (!rc) rc = leave_out_replaced(s, replaced, out, warnings, err);
    for (size_t i = 0; i < s->n_files; i++) buf_free(&replaced[i]);
    free(replaced);
    if (rc) return -1;
    struct by_age_arg arg = {s->files, out->files};
    qsort_r(out->by_age, out->n, sizeof *out->by_age, by_store_and_age, &arg);
    for (size_t i = 0; i < out->n; i++) out->files[out->by_age[i]].age = (uint32_t)i + 1;
    return 0;
}

/* Facts about a file that was not read yet: it may hold anything. */
static const struct surveyed_file unseen = {
    .max_seq = -1, .bulk_ms = INT64_MAX, .ts_max_ms = INT64_MAX, .earliest_put_ms = INT64_MIN, .unread = true};

int survey_begin(const struct store_files *s, struct survey *out, struct err *err) {
    *out = (struct survey){.store = s,
                           .files = calloc(s->n_files + 1, sizeof *out->files),
                           .by_age = calloc(s->n_files + 1, sizeof *out->by_age),
                           .n = s->n_files};
    if (!out->files || !out->by_age) return err_nomem(err, s->n_files * sizeof *out->files, "the list of store files");
    if (s->n_files > RANK_FILES_MAX)
        return err_set(err, ERR_LIMIT, "%s has %zu files, at most %d can be read in one run", s->what, s->n_files,
                       RANK_FILES_MAX);
    for (size_t i = 0; i < s->n_files; i++) {
        out->files[i] = unseen;
        out->by_age[i] = (uint32_t)i;
    }
    return 0;
}

void survey_free(struct survey *s) {
    free(s->files);
    free(s->by_age);
    *s = (struct survey){0};
}

/* ---- as the engine sees it ---- */

static struct store_input_file file_by_age(const void *arg, size_t by_age) {
    const struct survey *s = arg;
    const struct store_file *f = &s->store->files[s->by_age[by_age]];
    const struct surveyed_file *seen = &s->files[s->by_age[by_age]];
    return (struct store_input_file){.path = f->path,
                                     .family = s->store->table.families[f->family].name,
                                     .region = f->region,
                                     .starts_outside_region = seen->starts_outside_region,
                                     .facts = survey_facts(f, seen)};
}

static struct store_input_region region_at(const void *arg, size_t i) {
    const struct region_info *r = &((const struct survey *)arg)->store->regions[i];
    return (struct store_input_region){buf_bytes(&r->start), buf_bytes(&r->end)};
}

struct store_input survey_input(const struct survey *s, uint32_t group) {
    return (struct store_input){
        .group = group, .n_files = s->n, .n_regions = s->store->n_regions, .file = file_by_age, .region = region_at, .arg = s};
}
