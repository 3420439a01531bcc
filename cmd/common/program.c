/* The main of every program, and the run that import, compact and split apply share:
 *
 *   options -> table -> output directory: finished already? dry run? -> read, sort, merge, write -> publish -> summary
 */
#include "cmd/common/page.h"
#include "cmd/common/opt_value.h"
#include "cmd/common/environment.h"
#include "cmd/common/input_mob.h"
#include "cmd/common/input_watch.h"
#include "cmd/common/output_writers.h"
#include "cmd/common/program.h"

#include "base/clock.h"
#include "base/json.h"
#include "cmd/common/report_figures.h"
#include "cmd/common/result.h"
#include "cmd/common/target_kind.h"
#include "cmd/common/output.h"
#include "cmd/common/shard_notes.h"
#include "cmd/common/target.h"
#include "cmd/common/signs.h"
#include "cmd/common/summary.h"
#include "cmd/common/summary_rules.h"
#include "cmd/common/unmet.h"
#include "cmd/common/warnings.h"
#include "engine/build_run.h"
#include "engine/memory_plan.h"
#include "table/placement.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <omp.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Large buffers go back to the system when they are freed. The C library would begin to keep them, in every thread's arena, after
 * the first had been freed: more than twice of what --memory counts, where there is little of it. What is smaller is not given
 * back each time: Snappy's tables, which are allocated for every block, would come from the system again and again. */
static void keep_heap_small(void) {
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 4 << 20);
}

/* Makes threads that wait sleep. While one thread merges a partition, the others wait for blocks to compress. libgomp lets them
 * spin for milliseconds, which takes as much CPU again, and takes it from other programs on the machine. What they are to do
 * instead it only reads from the environment, before main begins: so the program replaces itself once, under its own name. Where
 * that fails, threads spin, and all else is the same. */
static void wait_asleep(char **argv) {
    char self[PATH_MAX];
    ssize_t n;
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") || setenv("OMP_WAIT_POLICY", "passive", 0)) return;
    n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return;
    self[n] = '\0';
    execv(self, argv);
}

/* Names the limit that a lack of memory comes from. Where the system would have memory, but a limit on address space is reached,
 * the message says which one to raise. */
static void name_limit(struct err *err, uint64_t memory) {
    static const char less[] = ", or give less --memory";
    struct rlimit space;
    char *advice = err->code == ERR_LIMIT && memory && memory <= MEMORY_FLOOR_BYTES ? strstr(err->text, less) : NULL;
    if (advice) memmove(advice, advice + sizeof less - 1, strlen(advice + sizeof less - 1) + 1);
    const size_t n = strlen(err->text);
    if (err->code != ERR_LIMIT || err->sys != ENOMEM || strstr(err->text, "ulimit")) return;
    if (getrlimit(RLIMIT_AS, &space) || space.rlim_cur == RLIM_INFINITY) return;
    snprintf(err->text + n, sizeof err->text - n, "; address space is limited to %llu MB: raise ulimit -v%s",
             (unsigned long long)(space.rlim_cur >> 20), memory && memory <= MEMORY_FLOOR_BYTES ? "" : less);
}

/* Libraries that give up call exit() with a code of their own: libarchive does without memory, OpenMP also without a thread. */
struct ending {
    struct environment env;
    struct intake intake;
    struct page page;
    bool orderly;
};

static void replace_code(int code, void *arg) {
    struct ending *e = arg;
    struct err err = {0};
    if (!e->orderly) {
        __fpurge(stderr); /* what the library says of itself */
        err_set(&err, ERR_LIMIT, "out of memory or threads: a library gave up (exit %d)", code);
        err.sys = ENOMEM;
        name_limit(&err, e->env.o.resources.memory);
        if (!omp_in_parallel() && e->env.unfinished) outdir_close(e->env.unfinished);
        e->env.reporter.tool = e->env.about->name;
        _exit(report_exit(&e->env.reporter, &err));
    }
    free(e);
}

/* Replaces the error by a lack of memory if the JSON library had one: what was read without memory may have looked damaged, and
 * what was left out of it may have looked fine. */
static void blame_memory(struct err *err) {
    struct err memory = {0};
    if (err->code == ERR_LIMIT || !json_memory_check(&memory)) return;
    if (err->code) err_prefix(&memory, "%s", err->text);
    *err = memory;
}

/* A command line that cannot be read may ask for JSON all the same. */
static bool asks_json(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], "--json") || !strcmp(argv[i], "-j")) return true;
    return false;
}

static void write_metrics(struct environment *env, int code, struct err *err) {
    const struct metrics_end end = {env->about->name,
                                    env->o.command ? env->o.command->name : NULL,
                                    err->code ? report_exit_code(err) : code,
                                    clock_seconds_since(env->started),
                                    clock_now_ms(),
                                    env->reporter.warned.n};
    struct err own = {0};
    if (!env->o.messages.metrics || env->o.out.dry_run) return;
    if (!metrics_write(&env->metrics, &end, env->o.messages.metrics, &own)) return;
    disk_need_explain_now(env->o.messages.metrics, "choose another --metrics", &own);
    err_keep(err, &own);
}

/* Writes the page of --html: the result documents of the run. */
static int write_page(struct environment *env, const struct page *page, struct err *err) {
    char tool[64];
    struct buf named = {0};
    if (!env->o.messages.html || env->o.out.dry_run) return 0;
    if (!page->results.n) return err_set(err, ERR_USAGE, "--html: a page shows a result, and this command prints none as --json");
    snprintf(tool, sizeof tool, "%s %s", env->about->name, obkv_version);
    int rc = path_names_put(&env->unpacked, buf_bytes(&page->results), &named, err);
    const int64_t now_ms = env->o.resources.now_given ? env->o.resources.now_ms : clock_now_ms();
    if (!rc) rc = page_write(&(struct page){named}, tool, now_ms, env->o.messages.html, err);
    buf_free(&named);
    return rc;
}

/* Writes what pipelines see of the end: figures, the error, and a document of it. Returns the exit code. */
static int end_run(struct environment *env, bool ran, bool asks, int code, struct err *err) {
    if (ran) write_metrics(env, code, err);
    if (!err->code) return code;
    env->reporter.json |= asks;
    code = report_exit(&env->reporter, err);
    report_json_error(&env->reporter, err);
    return code;
}

/* A standard stream that is closed: its number would be that of the first file that is opened, and messages would go into it.
 * These refuse what the stream is for. */
static void hold_standard_streams(void) {
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd) return;
}

/* Buffers stderr: libraries that give up print a text of their own without a flush, which is thrown away (replace_code). The
 * programs flush what they print at once. The buffer lives as long as the process. */
static void hold_foreign_messages(void) {
    char *buffer = malloc(BUFSIZ);
    if (buffer) (void)setvbuf(stderr, buffer, _IOFBF, BUFSIZ); /* without it, their text is seen */
}

int program_main(const struct tool_about *about, int argc, char **argv,
                 int (*run)(struct environment *env, struct intake *intake, int *code, struct err *err)) {
    struct err err = {0};
    bool done = false;
    int code = 0;
    hold_standard_streams();
    wait_asleep(argv);
    hold_foreign_messages();
    keep_heap_small();
    json_memory_watch();
    struct ending *e = calloc(1, sizeof *e);
    if (!e || on_exit(replace_code, e)) {
        free(e);
        err_nomem(&err, sizeof *e, "the program");
        return report_exit(&(struct reporter){.tool = about->name}, &err);
    }
    struct environment *env = &e->env;
    struct intake *intake = &e->intake;
    bool opened = !environment_open(env, about, argc, argv, &done, &err);
    env->reporter.tool = about->name;
    if (env->o.messages.html) env->reporter.page = &e->page;
    if (opened && !done)
        opened = !intake_expand(env, intake, &err) && !environment_check(env, &err) && !intake_open(env, intake, &err);
    if (opened && !done && !run(env, intake, &code, &err)) (void)write_page(env, &e->page, &err);
    if (err.code == ERR_STOPPED && about->when_stopped && !env->o.out.dry_run) err_append(&err, "; %s", about->when_stopped);
    environment_explain_full(env, NULL, &err);
    blame_memory(&err);
    name_limit(&err, env->o.resources.memory);
    if (!err.code) (void)report_flush(&err);
    if (!err.code && (code == 0 || code == 3)) (void)report_strict(&env->reporter, &err);
    reporter_end_progress(&env->reporter, !err.code);
    code = end_run(env, opened && !done, asks_json(argc, argv), code, &err);
    intake_close(env, intake);
    environment_close(env);
    page_free(&e->page);
    e->orderly = true;
    return code;
}

/* Notes for --verbose what the run was given, and how it shares it out. */
static void note_start(struct environment *env, struct target *target, const struct input_list *in) {
    char a[32];
    report_note(&env->reporter, "%u input%s in %u file%s -> %s, %u thread%s, %s of memory, spilling to %s", in->groups,
                in->groups == 1 ? "" : "s", in->n, in->n == 1 ? "" : "s", env->o.out.dir, env->job.threads,
                env->job.threads == 1 ? "" : "s", report_bytes(env->job.memory_bytes, a), env->job.temp_dir);
    for (uint32_t i = 0; i < target->table.n_families; i++)
        report_note(&env->reporter, "family %s: K <= %u, Q <= %u, V <= %llu bytes", target->table.families[i].name,
                    target->table.families[i].k_max, target->table.families[i].q_max,
                    (unsigned long long)target->table.families[i].v_max);
}

static void note_end(struct environment *env, struct output *output, const struct build_result *r, bool compacted) {
    char a[32], b[32];
    if (!compacted && !output->shard &&
        (env->o.rules.versions || env->o.rules.min_versions || env->o.rules.ttl || env->o.rules.keep_deleted))
        report_say(&env->reporter,
                   "all cells are kept: version rules are recorded for later compactions, and --compact applies them");
    report_note(&env->reporter,
                "%u thread%s used, %u windows by rows, %s spilled in %u rounds, %u extra merge passes, at most %s of disk",
                r->threads, r->threads == 1 ? "" : "s", r->windows, report_bytes(r->sort.spilled_bytes, a), r->sort.rounds,
                r->sort.merge_passes, report_bytes(env->quota.peak_bytes, b));
}

/* Most of the inputs. */
static bool are_hfiles(const struct input_list *in) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < in->n; i++) {
        const char *format = in->inputs[i].format_name;
        n += in->inputs[i].files || (format && !strcmp(format, "hfile"));
    }
    return n > in->n / 2;
}

/* Equal cells of records alone mean that a column was mistaken. Cells of HBase overlap with others. */
static bool are_records(const struct input_list *in) {
    bool records = true;
    for (uint32_t i = 0; i < in->n; i++)
        records &= !in->inputs[i].files && in->inputs[i].format && summary_is_of_records(in->inputs[i].format->name);
    return records;
}

int program_build(struct environment *env, struct intake *intake, struct target *target, struct output *output,
                  struct input_list *in, const struct program_write *w, struct build_result *r, struct err *err) {
    struct build_opts b = {.job = &env->job,
                           .inputs = in->inputs,
                           .n_inputs = in->n,
                           .n_groups = in->groups,
                           .n_others = in->n_others,
                           .is_shard = output->shard,
                           .seqs_stated = !strcmp(env->o.rules.rank, "sequence"),
                           .stores = in->store_inputs,
                           .n_stores = in->n_stores,
                           .read = intake_read_opts(env, intake, target),
                           .placement = target->placement,
                           .rejects = intake->rejects,
                           .reject_limit = &intake->reject_limit,
                           .tie = w->tie,
                           .compact = w->compacted,
                           .kind = target->kind,
                           .kind_of_edits =
                               target_kind_rules(env, target, w->learns_kind && !target->holds ? DATASET_DELTA : target->holds),
                           .past = w->kept};
    if (output_writers_make(env, target, output, &b.output, err)) return -1;
    bool whole = intake->on_damage == DAMAGE_FAILS && !b.read.selection;
    if (build_run(&b, r, err)) return -1;
    if (w->learns_kind) target_kind_learn(env, target, output->shard, in, w->compacted);
    return whole && input_list_check_cells(in, err) ? -1 : 0;
}

/* Looks into the store files, once all that can be known without them is known. */
static int begin_writing(struct environment *env, struct intake *intake, struct target *target, struct output *output,
                         struct input_list *in, struct err *err) {
    struct output_opts o;
    if (report_strict(&env->reporter, err)) return -1; /* rather than after hours */
    note_start(env, target, in);
    if ((output->shard || output->share) && shard_notes_begin(env, output, err)) return -1;
    int rc = target_survey(env, intake, target, in, err) || output_writers_make(env, target, output, &o, err) ? -1 : 0;
    if (!rc) progress_expect_writing(env->reporter.run, o.hfile.codec, placement_count(target->placement), are_hfiles(in));
    if (!rc) return 0;
    intake_warn(env, intake);
    return input_watch_end(&in->watch, rc, err);
}

int program_begin(struct environment *env, struct intake *intake, struct target *target, struct output *output,
                  struct input_list *in, const struct program_write *w, enum program_step *next, int *code, struct err *err) {
    bool done;
    *next = PROGRAM_ENDS;
    if (w->compacted && placement_splits_rows(target->placement))
        return err_set(err, ERR_UNSUPPORTED,
                       "version rules need whole rows, but this partitioning divides rows; compact with --partition none "
                       "first, then run obkv-split apply");
    if (output_open(env, intake, target, output, w->command, in, &done, code, err)) return -1;
    if (done) return environment_documents(env) ? summary_nothing(env, err) : 0;
    *next = env->o.out.dry_run ? PROGRAM_SHOWS : PROGRAM_WRITES;
    if (!env->o.out.dry_run) return begin_writing(env, intake, target, output, in, err);
    /* Nothing is read, but mob files are looked for: copying those that are missing takes longest. */
    int rc = input_mob_is_used(in) ? target_survey(env, intake, target, in, err) : 0;
    intake_warn(env, intake);
    return rc;
}

int program_publish(struct environment *env, struct intake *intake, struct target *target, struct output *output,
                    struct input_list *in, const struct program_write *w, struct build_result *r, int rc, int *code,
                    struct err *err) {
    rc = input_watch_end(&in->watch, rc, err);
    intake_warn(env, intake);
    if (!rc && output->shard) rc = shard_notes_end(intake, output, in, err);
    if (!rc && !output->shard) {
        signs_warn(env, intake, in);
        if (!intake->one_of_tables) unmet_warn(env, intake, &r->ledger); /* what one table lacks, another may have */
    }
    if (rc) return -1;
    note_end(env, output, r, w->compacted);
    if (w->compacted) target_kind_warn_purged(env, target, &r->ledger);
    if (target->kind == COMPACTION_OCEANBASE && summary_rules_report(env, output, &r->diff, err)) return -1;
    if (intake->from_records) intake->from_records = are_records(in);
    summary_warn(env, intake, target, output, r);
    if (report_strict(&env->reporter, err) || output_publish(env, target, output, in, r, w->compacted, w->rules, err)) return -1;
    *code = output_success_code(&r->ledger);
    return 0;
}

int program_write(struct environment *env, struct intake *intake, struct target *target, struct output *output,
                  struct input_list *in, const struct program_write *w, int *code, struct err *err) {
    struct build_result r = {0};
    enum program_step next;
    int rc = program_begin(env, intake, target, output, in, w, &next, code, err);
    if (!rc && next == PROGRAM_SHOWS) rc = summary_dry_run(env, intake, target, output, in, NULL, err);
    if (!rc && next == PROGRAM_WRITES) {
        rc = program_publish(env, intake, target, output, in, w, &r, program_build(env, intake, target, output, in, w, &r, err),
                             code, err);
        if (!rc) rc = summary_print(env, target, output, w->did, in, &r, NULL, err);
    }
    build_result_free(&r);
    return rc;
}
