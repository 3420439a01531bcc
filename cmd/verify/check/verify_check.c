/* obkv-verify check: which kind of thing an input is (dataset, directory of HBase, HFile), who checks it, and what is
 * reported. An input that cannot be read does not stop the check of others. */
#include "base/clock.h"
#include "base/fs.h"
#include "cmd/common/hfile_operand.h"
#include "cmd/common/input_tree.h"
#include "cmd/common/input_watch.h"
#include "cmd/common/result.h"
#include "cmd/common/output.h"
#include "cmd/common/table_options.h"
#include "cmd/common/warnings.h"
#include "cmd/verify/check/check.h"
#include "cmd/verify/check/check_mob.h"
#include "cmd/verify/check/check_report.h"
#include "cmd/verify/verify.h"
#include "dataset/dataset_open.h"
#include "dataset/manifest_order.h"
#include "dataset/pack_list.h"
#include "dataset/publication.h"
#include "engine/memory_plan.h"
#include "formats/archive/archive_tree_open.h"
#include "formats/hbase/store_files.h"
#include "cmd/verify/check/check_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Findings shown without --limit. */
enum { SHOWN_FINDINGS = 100 };

struct checked { /* one input */
    struct environment *env;
    const char *path;
    struct check_findings findings;
    struct manifest manifest;
    bool is_dataset;
    bool *chosen; /* by partition, of --partitions; NULL: all */
    struct check_result result;
};

/* ---- datasets ---- */

static void add_forged(void *arg, const char *path, const char *text) {
    check_findings_add(arg, FINDING_DAMAGED, path, "%s", text);
}

static int check_trust(struct checked *c, struct err *err) {
    const struct signed_list files = signature_list(&c->manifest);
    const struct signature_finding found = {add_forged, &c->findings};
    return signature_check(&c->env->o.trust, c->path, &files, verify_options(&c->env->o)->quick, &c->env->job, &found, err);
}

static int check_chosen(struct checked *c, struct err *err) {
    const struct verify_options *asked = verify_options(&c->env->o);
    const struct partitioning *p = &c->manifest.table.partitioning;
    if (partition_options_choose(&asked->partitions, p, c->path, &c->chosen, err)) return -1;
    const struct check_opts o = {&c->env->job, asked->quick, asked->skip_reused, c->chosen};
    return check_dataset(&o, c->path, &c->manifest, &c->findings, &c->result, err);
}

/* A pack whose index is damaged, or that is gone, is a finding: of its files nothing more is known. */
static int list_packs(struct checked *c, struct err *err) {
    struct manifest *m = &c->manifest;
    for (size_t i = 0; i < m->n_packs; i++) {
        struct err why = {0};
        if (!pack_list_add(c->path, m, i, DATASET_ALL_FILES, &c->env->manifests, &why)) continue;
        const bool gone = why.sys == ENOENT || why.sys == ENOTDIR;
        if (why.code != ERR_INPUT || (why.sys && !gone)) {
            err_keep(err, &why);
            return -1;
        }
        check_findings_add(&c->findings, gone ? FINDING_MISSING : FINDING_DAMAGED, c->path, "%s", why.text);
    }
    if (m->n_packs) manifest_order_make(m); /* the order of others is that of the manifest, which is checked */
    return 0;
}

/* A manifest that can be read but not understood is a finding: then nothing more is known. */
static int check_files_listed(struct checked *c, struct err *err) {
    struct err why = {0};
    if (environment_dataset_room(c->env, c->path, err)) return -1;
    c->is_dataset = manifest_load(c->path, &c->manifest, &why) == 0;
    if (c->is_dataset && (dataset_refuse_runs(c->path, &c->manifest, err) || list_packs(c, err) || check_trust(c, err)))
        return -1;
    if (c->is_dataset) return check_chosen(c, err);
    if (why.code != ERR_INPUT || why.sys) {
        err_keep(err, &why);
        return -1;
    }
    check_findings_add(&c->findings, FINDING_DAMAGED, c->path, "%s: no file can be checked without it", why.text);
    return 0;
}

/* Checks the dataset. Another run may replace it meanwhile: files of the new one are no damage of the old one. */
static int check_set(struct checked *c, struct err *err) {
    struct input_watch watch = {0};
    char *manifest = publication_recover(c->path, err) ? NULL : fs_join(c->path, "MANIFEST.json", err);
    int rc = manifest ? input_watch_add(&watch, manifest, WATCH_FILE, err) : -1;
    if (!rc) rc = input_watch_end(&watch, check_files_listed(c, err), err);
    input_watch_free(&watch);
    free(manifest);
    return rc;
}

/* ---- what HBase left ---- */

/* Missing files are reported, one a line, and the others checked. */
static void add_lines(struct check_findings *p, const char *what, const struct buf *text) {
    const char *s = (const char *)text->p, *end = s + text->n;
    for (const char *stop; s && s < end; s = stop + 1) {
        stop = memchr(s, '\n', (size_t)(end - s));
        if (!stop) stop = end;
        check_findings_add(p, FINDING_MISSING, what, "%.*s", (int)(stop - s), s);
    }
}

/* Adds the mob files that are listed and missing, where nobody follows references. */
static void add_listed_mob(struct check_findings *p, const struct store_files *files) {
    struct warning_line line;
    for (size_t at = 0; warning_next(&files->warnings, &at, &line);)
        if (line.code == WARN_MOB_MISSING)
            check_findings_add(p, FINDING_MISSING, files->what, "%.*s", (int)line.text.n, (const char *)line.text.p);
}

/* dir: c->path, or what an archive of this path holds. */
static int check_store(struct checked *c, const char *dir, struct archive_tree *tree, struct err *err) {
    struct store_files files;
    struct err why = {0};
    struct input_opts o = environment_input_opts(c->env);
    if (dir != c->path && !tree) o.snapshot = NULL; /* it is not about images */
    int rc = input_read_store(dir, &o, &files, &why);
    if (rc && files.n_problems && why.code == ERR_INPUT) {
        add_lines(&c->findings, c->path, &files.problems);
        rc = 0;
    } else {
        err_keep(err, &why);
    }
    if (!rc) report_warnings(&c->env->reporter, &files.warnings);
    if (!rc && tree) rc = input_tree_unpack(tree, &files, c->env->job.temp_dir, err);
    const struct verify_options *asked = verify_options(&c->env->o);
    const bool mob = !rc && check_mob_wanted(&files);
    if (!rc) rc = check_tree(&c->env->job, &files, asked->quick, &c->findings, &c->result, err);
    c->result.mob_skipped = mob && (asked->skip_mob || asked->quick);
    if (!rc && c->result.mob_skipped) add_listed_mob(&c->findings, &files);
    if (!rc && mob && !c->result.mob_skipped) rc = check_mob(&c->env->job, &files, &c->findings, &c->result, err);
    store_files_free(&files);
    return rc;
}

static void add_result(struct check_result *sum, const struct check_result *r) {
    sum->cells += r->cells;
    sum->file_bytes += r->file_bytes;
    sum->kv_bytes += r->kv_bytes;
    sum->rows += r->rows;
    sum->blocks += r->blocks;
    sum->files += r->files;
    sum->unread += r->unread;
    sum->skipped += r->skipped;
    sum->mob_values += r->mob_values;
    sum->mob_skipped |= r->mob_skipped;
    digest_add(&sum->digest, r->digest);
}

/* Checks a directory of HBase; of a backup, the image and its ancestors. */
static int check_directory(struct checked *c, enum tree_kind kind, struct err *err) {
    struct backup_chain images;
    struct check_result sum = {0};
    int rc = input_backup_dirs(c->path, kind, c->env->o.in.backup, &images, err);
    if (rc != 1) return rc ? -1 : check_store(c, c->path, NULL, err);
    rc = 0;
    for (size_t i = 0; i < images.n && !rc; i++) {
        rc = check_store(c, images.dirs[i], NULL, err);
        add_result(&sum, &c->result);
    }
    c->result = sum;
    backup_chain_free(&images);
    return rc;
}

/* 1 = checked, 0 = c->path is no archive of what HBase left, -1. */
static int check_archive(struct checked *c, struct err *err) {
    struct input_opts o = environment_input_opts(c->env);
    struct archive_tree *tree;
    int is = strcmp(c->path, "-") ? input_tree_open(c->path, &o, &tree, err) : 0;
    if (is != 1) return is;
    int rc = check_store(c, archive_tree_dir(tree), tree, err);
    if (check_findings_name(&c->findings, c->env->job.names, err)) rc = -1;
    archive_tree_close(tree);
    return rc ? -1 : 1;
}

/* ---- HFiles ---- */

static int check_one_file(struct checked *c, struct err *err) {
    struct check_file_opts o = check_file_opts_of(&c->env->job, c->path, verify_options(&c->env->o)->quick, &c->findings);
    struct check_file_result f = {0};
    int rc = 0;
    if (hfile_operand_file(c->env, c->path, err)) return -1;
    struct input_watch watch = {0};
    if (input_watch_add(&watch, c->path, WATCH_FILE, err)) return -1;
#pragma omp parallel num_threads(job_readers(&c->env->job))
#pragma omp single
    rc = check_file(&o, &f, err);
    rc = input_watch_end(&watch, rc, err);
    input_watch_free(&watch);
    c->result = (struct check_result){.files = f.opened,
                                      .unread = rc != 0,
                                      .cells = f.tally.cells,
                                      .file_bytes = f.file_bytes,
                                      .kv_bytes = f.kv_bytes,
                                      .rows = f.rows,
                                      .blocks = f.blocks,
                                      .digest = f.tally.digest};
    return rc;
}

/* ---- one input ---- */

static int check_any(struct checked *c, struct err *err) {
    struct stat st;
    enum tree_kind kind;
    const bool is_path = strcmp(c->path, "-"), there = is_path && !stat(c->path, &st);
    if (is_path && !there && errno != ENOENT && errno != ENOTDIR) return err_sys(err, ERR_INPUT, errno, "%s", c->path);
    const bool directory = there && S_ISDIR(st.st_mode);
    int is = directory ? dataset_is(c->path, err) : 0;
    if (is < 0 || (directory && !is && tree_kind_of(c->path, &kind, err))) return -1;
    bool is_signed = is || c->env->o.trust.verify_keys.n; /* or must be */
    if (!is && verify_options(&c->env->o)->partitions.n)
        return err_set(err, ERR_USAGE, "--partitions: %s is not a dataset, and has no partitions", c->path);
    if (!is && verify_options(&c->env->o)->skip_reused)
        return err_set(err, ERR_USAGE, "--skip-reused: %s is not a dataset, and has no base", c->path);
    if (is && verify_options(&c->env->o)->skip_mob)
        return err_set(err, ERR_USAGE, "--skip-mob: %s is a dataset, which has no mob files", c->path);
    if (directory && !is_signed && kind != TREE_NONE) return check_directory(c, kind, err);
    int packed = directory || is_signed ? 0 : check_archive(c, err);
    if (packed) return packed < 0 ? -1 : 0;
    if (c->env->o.in.snapshot)
        return err_set(err, ERR_USAGE,
                       "--snapshot %s: %s is neither a root directory of HBase nor an ExportSnapshot "
                       "destination",
                       c->env->o.in.snapshot, c->path);
    if (c->env->o.in.backup)
        return err_set(err, ERR_USAGE, "backup %s: %s is not a directory of HBase's backups", c->env->o.in.backup, c->path);
    if (is) return check_set(c, err);
    if (c->env->o.trust.verify_keys.n)
        return err_set(err, ERR_USAGE, "--verify-key: %s is not a dataset, and only datasets and exports are signed", c->path);
    return directory ? hfile_operand_refuse_directory(c->env, c->path, err) : check_one_file(c, err);
}

static void forget(struct checked *c) {
    check_findings_clear(&c->findings);
    check_result_free(&c->result);
    if (c->is_dataset) manifest_free(&c->manifest);
    c->is_dataset = false;
    free(c->chosen);
    c->chosen = NULL;
}

/* A block too large for a share of the memory may fit one of fewer threads. */
static int check_with_threads(struct checked *c, struct err *err) {
    unsigned threads = c->env->job.threads;
    int rc;
    while ((rc = check_any(c, err)) && err->code == ERR_LIMIT && c->env->job.threads > 1) {
        c->env->job.threads /= 2;
        *err = (struct err){0};
        forget(c);
    }
    c->env->job.threads = threads;
    return rc;
}

static int print_result(struct checked *c, const struct err *why, double seconds, struct err *err) {
    struct check_report report = {.what = c->path,
                                  .m = c->is_dataset ? &c->manifest : NULL,
                                  .r = &c->result,
                                  .p = &c->findings,
                                  .seconds = seconds,
                                  .quick = verify_options(&c->env->o)->quick,
                                  .chosen = c->chosen,
                                  .why = why};
    check_findings_sort(&c->findings);
    reporter_end_line(&c->env->reporter);
    if (why->code && !c->result.files && !check_findings_total(&c->findings)) return 0; /* the error says it all */
    if (environment_documents(c->env) && report_json_put(&c->env->reporter, NULL, check_report_json(&report), err)) return -1;
    if (!c->env->o.messages.json && !c->env->o.messages.quiet) check_report_text(&report);
    return 0;
}

/* Findings that end with 1: those of a severity and what is worse; with "warnings", a warning does, too. */
static const char *const severities[] = {"lost", "misplaced", "figures", "cosmetic", "warnings"};

static int parse_fail_on(const char *text, unsigned *least, struct err *err) {
    *least = 3;
    for (unsigned i = 0; text && i < countof(severities); i++)
        if (!strcmp(text, severities[i])) {
            *least = i;
            return 0;
        }
    return text ? err_set(err, ERR_USAGE, "--fail-on '%s': expected warnings, cosmetic, figures, misplaced or lost", text) : 0;
}

static uint64_t findings_from(const struct check_findings *f, unsigned least) {
    uint64_t n = 0;
    for (unsigned k = 0; k < FINDING_KINDS; k++)
        for (unsigned i = 0; i <= least; i++)
            if (!strcmp(finding_severity(k), severities[i])) n += f->found[k];
    return n;
}

static void note_metrics(struct checked *c) {
    struct metrics *m = &c->env->metrics;
    if (c->is_dataset && c->manifest.table.name) snprintf(m->table, sizeof m->table, "%s", c->manifest.table.name);
    metrics_add(m, "findings", "What the check found, cosmetic findings included.", (double)check_findings_total(&c->findings));
    metrics_add(m, "files", "Files checked.", (double)c->result.files);
    metrics_add(m, "files_unread", "Files that could not be read.", (double)c->result.unread);
    metrics_add(m, "cells", "Cells checked.", (double)c->result.cells);
    metrics_add(m, "bytes", "Bytes of the files checked.", (double)c->result.file_bytes);
}

/* An input that cannot be read does not stop the check of others; *first keeps why. */
static int check_input(struct environment *env, const char *path, unsigned least, int *code, struct err *first, struct err *err) {
    struct checked c = {.env = env, .path = path};
    struct err why = {0};
    double started = clock_steady();
    if (check_findings_init(&c.findings,
                            verify_options(&env->o)->limit ? (uint64_t)verify_options(&env->o)->limit : SHOWN_FINDINGS, err))
        return -1;
    (void)check_with_threads(&c, &why);
    int rc = print_result(&c, &why, clock_seconds_since(started), err);
    note_metrics(&c);
    if (findings_from(&c.findings, least)) *code = 1;
    forget(&c);
    check_findings_free(&c.findings);
    if (why.code && first->code) report_warn(&env->reporter, WARN_INPUT_UNREAD, 1, "%s", why.text);
    err_keep(first, &why);
    return rc || (why.code && why.code != ERR_INPUT && why.code != ERR_UNSUPPORTED) ? -1 : 0;
}

/* ---- progress ---- */

/* Progress over all inputs: each of those to come is taken for as large as this one. */
struct all_inputs {
    struct progress shown;
    uint64_t before, now; /* bytes of the inputs that are done, and of this one */
    uint64_t left;        /* inputs after this one */
};

static void show_all_inputs(void *arg, const char *phase, uint64_t done, uint64_t total) {
    struct all_inputs *a = arg;
    a->now = total;
    a->shown.report(a->shown.arg, phase, a->before + done, total ? a->before + total * (1 + a->left) : 0);
}

static void begin_input(struct all_inputs *a, uint64_t left) {
    a->before += a->now;
    a->now = 0;
    a->left = left;
}

int verify_check(struct environment *env, struct intake *intake, int *code, struct err *err) {
    struct all_inputs all = {.shown = env->job.progress};
    struct err first = {0};
    (void)intake;
    unsigned least;
    *code = 0;
    if (verify_options(&env->o)->quick && verify_options(&env->o)->skip_reused)
        return err_set(err, ERR_USAGE, "--quick and --skip-reused exclude each other: --quick reads the cells of no file");
    if (parse_fail_on(verify_options(&env->o)->fail_on, &least, err)) return -1;
    if (memory_plan_floor(&env->job, err)) return -1;
    if (all.shown.report) env->job.progress = (struct progress){show_all_inputs, &all};
    for (int i = 0; i < env->o.n_inputs; i++) {
        begin_input(&all, (uint64_t)(env->o.n_inputs - i - 1));
        if (check_input(env, env->o.inputs[i], least, code, &first, err)) break;
    }
    env->job.progress = all.shown;
    if (least == countof(severities) - 1 && reporter_warned(&env->reporter)) *code = 1;
    err_keep(err, &first);
    return err->code ? -1 : 0;
}
