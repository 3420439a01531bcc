/* obkv-verify hashtable: opens the output of the job and the inputs, brings their tables together, and prints a line for each
 * range whose hash differs. The moment of expiry is that of the job. */
#include "cmd/common/report_figures.h"
#include "base/fs.h"
#include "cmd/common/input_list.h"
#include "cmd/common/input_watch.h"
#include "cmd/common/result.h"
#include "cmd/common/target.h"
#include "cmd/common/table_options.h"
#include "cmd/common/output_text.h"
#include "cmd/common/warnings.h"
#include "cmd/verify/hashtable/hash_table.h"
#include "cmd/verify/verify.h"
#include "dataset/dataset_open.h"
#include "engine/memory_plan.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

struct hashtable {
    struct environment *env;
    struct target *target;
    struct hash_table reference;
    struct input_list in;
    uint64_t left;
    bool gone;
};

/* ---- what is printed ---- */

static int print_json(struct hashtable *h, bool print, json_t *j, struct err *err) {
    return report_json_line(&h->env->reporter, print, &h->env->unpacked, j, &h->gone, err);
}

static int print_range(void *arg, const struct hash_range *r, struct err *err) {
    struct hashtable *h = arg;
    if (!h->left || h->gone) return 0;
    h->left--;
    json_t *j = json_new(JSON("kind", "range"), JSON("start", json_hex(r->start)), JSON("stop", json_hex(r->stop)),
                         JSON("hash", r->hash.p ? json_hex(r->hash) : json_null()), JSON("ours", json_hex(r->ours)),
                         JSON("rows", r->rows), JSON("cells", r->cells), JSON("bytes", r->bytes));
    return print_json(h, true, j, err);
}

/* Equal hashes say nothing of these. */
static int put_left_out(struct buf *out, const struct hash_check_result *r, struct err *err) {
    if (r->read <= r->cells) return 0;
    return buf_printf(out, err, "; the job's scan does not see %s more cells of the input", REPORT_COUNT(r->read - r->cells));
}

static int print_end_json(struct hashtable *h, const struct hash_check_result *r, struct err *err) {
    json_t *j =
        json_new(JSON("kind", "summary"), JSON("equal", json_boolean(!r->differing)), JSON("batches", r->batches),
                 JSON("hashes_matched", r->matched), JSON("hashes_not_matched", r->differing), JSON("empty_batches", r->empty),
                 JSON("rows", r->rows), JSON("cells", r->cells), JSON("cells_read", r->read));
    return print_json(h, h->env->o.messages.json, report_json_mark(&h->env->reporter, NULL, j), err);
}

static int print_end(struct hashtable *h, const struct hash_check_result *r, struct err *err) {
    struct buf out = {0};
    metrics_set(&h->env->metrics, "hashes_matched", "Batches with the same hash.", (double)r->matched);
    metrics_set(&h->env->metrics, "hashes_not_matched", "Batches with another hash.", (double)r->differing);
    uint64_t shown = (verify_options(&h->env->o)->limit ? verify_options(&h->env->o)->limit : VERIFY_LINES) - h->left;
    if (environment_documents(h->env) && print_end_json(h, r, err)) return -1;
    if (h->env->o.messages.json || h->env->o.messages.quiet || h->gone) return 0;
    int rc = buf_printf(&out, err, "%s: %s rows with %s cells in %s batches of table %s: %s hashes match, %s do not",
                        r->differing ? "different" : "equal", REPORT_COUNT(r->rows), REPORT_COUNT(r->cells),
                        REPORT_COUNT(r->batches), h->reference.table, REPORT_COUNT(r->matched), REPORT_COUNT(r->differing));
    if (!rc && shown < r->differing) rc = buf_printf(&out, err, "; %s shown (--limit)", REPORT_COUNT(shown));
    if (!rc) rc = put_left_out(&out, r, err) || buf_put_byte(&out, '\n', err) ? -1 : 0;
    if (!rc) rc = stdout_write_named(&h->env->unpacked, buf_bytes(&out), false, &h->gone, err);
    buf_free(&out);
    return rc;
}

/* ---- what is compared ---- */

static int add_datasets_families(struct environment *env, struct target *target, const char *path, struct err *err) {
    struct manifest m;
    int is = strcmp(path, "-") ? dataset_is(path, err) : 0;
    if (is <= 0) return is;
    if (dataset_open(path, &m, err)) return -1;
    int rc = target_add_families(env, target, &m.table, err);
    manifest_free(&m);
    return rc;
}

/* Families and their rules: of stores, the DDL, datasets; options beat them. */
static int complete_table(struct hashtable *h, struct err *err) {
    struct table t;
    int made = input_list_table(&h->in, &t, err);
    if (made < 0) return -1;
    int rc = made ? target_add_families(h->env, h->target, &t, err) : 0;
    for (uint32_t i = 0; made && !rc && i < t.n_families; i++) {
        int at = table_family(&h->target->table, bytes_str(t.families[i].name));
        if (at >= 0 && t.families[i].rules.versions_given) h->target->table.families[at].rules = t.families[i].rules;
    }
    if (made && t.name && strcmp(t.name, h->reference.table))
        report_warn(&h->env->reporter, WARN_TABLE_NAMES_DIFFER, 1, "the hashes are of table %s, the input is table %s",
                    h->reference.table, t.name);
    if (made) table_free(&t);
    for (int i = 1; !rc && i < h->env->o.n_inputs; i++) rc = add_datasets_families(h->env, h->target, h->env->o.inputs[i], err);
    if (!rc) rc = rule_options_apply(&h->env->o, &h->target->table.default_rules, err);
    for (uint32_t i = 0; !rc && i < h->target->table.n_families; i++)
        rc = rule_options_apply(&h->env->o, &h->target->table.families[i].rules, err);
    return rc;
}

/* Sets the clock to the time of the hashes: what had expired when they were made was not hashed. */
static void choose_clock(struct hashtable *h) {
    bool expires = false;
    for (uint32_t i = 0; i < h->target->table.n_families; i++) expires = expires || h->target->table.families[i].rules.ttl_s > 0;
    if (h->env->o.resources.now_given) return;
    if (h->reference.made_ms >= 0)
        h->env->job.now_ms = h->reference.made_ms;
    else if (expires)
        report_warn(&h->env->reporter, WARN_CLOCK_UNKNOWN, 1,
                    "cells expire, and %s/manifest does not record when the hashes were made; give --now", h->reference.dir);
}

/* Opens the output of a HashTable job; its files are watched as the inputs are. */
static int open_reference(struct hashtable *h, const char *dir, struct err *err) {
    struct input_watch *w = &h->in.watch;
    if (input_watch_take(w, fs_join(dir, "manifest", err), WATCH_FILE, err)) return -1;
    if (input_watch_take(w, fs_join(dir, "partitions", err), WATCH_FILE, err)) return -1;
    if (hash_table_open(dir, memory_share(&h->env->job, MEMORY_UNPACK), &h->env->stop, &h->reference, err)) return -1;
    for (uint32_t i = 0; i < h->reference.n_files; i++)
        if (input_watch_take(w, hash_table_file(&h->reference, i, err), WATCH_FILE, err)) return -1;
    return 0;
}

static int open_all(struct hashtable *h, struct intake *intake, struct err *err) {
    if (h->env->o.n_inputs < 2)
        return err_set(err, ERR_USAGE,
                       "hashtable needs the output directory of a HashTable job, and the inputs to compare with it");
    if (target_open(h->env, h->target, err)) return -1;
    if (open_reference(h, h->env->o.inputs[0], err)) return -1;
    for (int i = 1; i < h->env->o.n_inputs; i++)
        if (intake_add(h->env, &h->in, h->env->o.inputs[i], err)) return -1;
    if (h->env->o.in.snapshot && !h->in.n_stores) return target_refuse_snapshot(h->env, err);
    if (column_options_wanted(&h->env->o, &h->in, err) || complete_table(h, err)) return -1;
    choose_clock(h);
    return input_list_survey(&h->in, &h->env->job, &intake->input_warnings, err);
}

/* Hashes of nothing are those of any input of which nothing is hashed: they are equal, and prove nothing. */
static void warn_of_nothing(struct hashtable *h, const struct hash_check_result *r) {
    struct reporter *to = &h->env->reporter;
    if (r->cells || r->differing) return;
    if (!r->read)
        report_warn(to, WARN_NO_RECORDS, 1, "the inputs hold no cell, and %s has hashes of none", h->reference.dir);
    else
        report_warn(
            to, WARN_NOTHING_SELECTED, 1,
            "nothing is compared: the scan of the job sees none of the inputs' cells; compare %s/manifest (columnFamilies, "
            "startRowHex, stopRowHex, startTimestamp, endTimestamp) with the inputs",
            h->reference.dir);
}

/* Equal hashes of a part of the table say nothing of the rest. */
static void warn_of_part(struct hashtable *h, const struct hash_check_result *r) {
    const struct hash_table *t = &h->reference;
    const char *by[] = {t->families.n ? ", columnFamilies" : "", t->start_row.n ? ", startRowHex" : "",
                        t->stop_row.n ? ", stopRowHex" : "", t->start_ms ? ", startTimestamp" : "",
                        t->end_ms != INT64_MAX ? ", endTimestamp" : ""};
    char limits[80];
    int n = snprintf(limits, sizeof limits, "%s%s%s%s%s", by[0], by[1], by[2], by[3], by[4]);
    if (n && r->cells && r->read > r->cells)
        report_warn(&h->env->reporter, WARN_HASHED_IN_PART, r->read - r->cells,
                    "the job hashed a part of the table (%s of %s/manifest): %s cells of the inputs are not compared", limits + 2,
                    t->dir, REPORT_COUNT(r->read - r->cells));
}

/* Data that differs has rows in common; a scan of another kind has none. */
static void warn_of_another_scan(struct hashtable *h, const struct hash_check_result *r) {
    const struct hash_table *t = &h->reference;
    if (r->matched || !r->cells || r->differing < 2) return;
    report_warn(
        &h->env->reporter, WARN_NO_HASH_MATCHES, r->differing,
        "no hash matches: is the input this table, as it was then? --ignore-timestamps must be given if, and only if, the "
        "job ran with --ignoreTimestamps=true; versions=%u and rawScan=%s of %s/manifest must suit what the inputs keep",
        t->versions, t->raw ? "true" : "false", t->dir);
}

int verify_hashtable(struct environment *env, struct intake *intake, int *code, struct err *err) {
    struct target target = {0};
    struct hashtable h = {
        .env = env, .target = &target, .left = verify_options(&env->o)->limit ? verify_options(&env->o)->limit : VERIFY_LINES};
    struct hash_check_result r;
    verify_share_heap(env);
    int rc = open_all(&h, intake, err);
    if (!rc) {
        const struct hash_check_opts o = {.job = &env->job,
                                          .reference = &h.reference,
                                          .inputs = h.in.inputs,
                                          .n_inputs = h.in.n,
                                          .read = intake_read_opts(env, intake, &target),
                                          .ignore_timestamps = verify_options(&env->o)->ignore_timestamps,
                                          .found = print_range,
                                          .arg = &h};
        rc = hash_check_run(&o, &r, err);
        intake_warn(env, intake);
    }
    rc = input_watch_end(&h.in.watch, rc, err);
    if (!rc) {
        warn_of_nothing(&h, &r);
        warn_of_part(&h, &r);
        warn_of_another_scan(&h, &r);
    }
    if (!rc) rc = print_end(&h, &r, err);
    if (!rc) *code = r.differing ? 1 : 0;
    hash_table_free(&h.reference);
    input_list_free(&h.in);
    target_close(env, &target);
    return rc;
}
