/* The end of a run that wrote a dataset: warnings, then a summary in lines for people or one JSON document for pipelines. A dry
 * run opens every input as the run would, so that a plan which cannot work does not look good. */

#include "base/clock.h"
#include "cmd/common/metrics.h"
#include "cmd/common/options.h"
#include "cmd/common/output_text.h"
#include "cmd/common/output_writers.h"
#include "cmd/common/report.h"
#include "cmd/common/report_figures.h"
#include "cmd/common/result.h"
#include "cmd/common/selection_options.h"
#include "cmd/common/environment.h"
#include "cmd/common/intake.h"
#include "cmd/common/output.h"
#include "cmd/common/target.h"
#include "cmd/common/wal_intake.h"
#include "cmd/common/signs.h"
#include "cmd/common/summary.h"
#include "cmd/common/summary_parts.h"
#include "cmd/common/summary_rules.h"
#include "cmd/common/text_dialects.h"
#include "cmd/common/unmet.h"
#include "cmd/common/warnings.h"
#include "dataset/manifest_json.h"
#include "engine/memory_plan.h"
#include "formats/formats.h"
#include "hfile/hfile_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fewer may be a trial. */
enum { MANY_CELLS = 20 };

struct summary_totals {
    uint64_t bytes, kv_bytes;
    uint32_t partitions; /* that hold something, in some family */
};

static int by_number(const void *x, const void *y) {
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* Counts the partitions of all families together; 0 where there is no memory for it. */
static uint32_t count_partitions(const struct build_result *r) {
    uint32_t *list = calloc(r->files.n + 1, sizeof *list), n = 0;
    for (size_t i = 0; list && i < r->files.n; i++) list[i] = r->files.files[i].partition;
    if (list && r->files.n) qsort(list, r->files.n, sizeof *list, by_number);
    for (size_t i = 0; list && i < r->files.n; i++) n += !i || list[i] != list[i - 1];
    free(list);
    return n;
}

static struct summary_totals sum_files(const struct build_result *r) {
    struct summary_totals t = {.partitions = count_partitions(r)};
    for (size_t i = 0; i < r->files.n; i++) {
        const struct manifest_file *f = &r->files.files[i];
        t.bytes += f->file_bytes;
        t.kv_bytes += f->kv_bytes;
    }
    return t;
}

/* own: members of the program's own, borrowed; NULL: none. */
static int put_json(struct environment *env, const char *of, json_t *j, json_t *own, struct err *err) {
    if (j && own && json_object_update(j, own)) {
        json_decref(j);
        return err_nomem(err, 0, "the summary");
    }
    return report_json_put(&env->reporter, of, j, err);
}

static int print_json(struct environment *env, struct target *target, const json_t *settings, const char *did,
                      const struct input_list *in, const struct build_result *r, json_t *own, struct err *err) {
    const struct ledger *l = &r->ledger;
    struct summary_totals t = sum_files(r);
    json_t *cells = manifest_ledger_cells(l);
    json_t *j = json_pack("{s:s, s:s, s:o, s:I, s:{s:I, s:I, s:I, s:I}, s:o, s:{s:I, s:I, s:I}, s:I, s:I, s:I, s:I, s:f}", "tool",
                          env->about->name, "did", did, "output", json_text(env->o.out.dir), "inputs", (json_int_t)in->groups,
                          "records", "read", (json_int_t)l->records_read, "accepted", (json_int_t)l->records_accepted, "rejected",
                          (json_int_t)l->records_rejected, "skipped", (json_int_t)l->records_skipped, "cells", cells, "files",
                          "count", (json_int_t)r->files.n, "bytes", (json_int_t)t.bytes, "kv_bytes", (json_int_t)t.kv_bytes,
                          "delete_markers", (json_int_t)r->files.counts.deletes, "duplicates",
                          (json_int_t)r->files.counts.duplicates, "spilled_bytes", (json_int_t)r->sort.spilled_bytes,
                          "peak_disk_bytes", (json_int_t)env->quota.peak_bytes, "seconds", clock_seconds_since(env->started));
    json_put(j, JSON("lost", json_new(JSON("places", l->lost.places), JSON("cells", l->lost.cells),
                                      JSON("uncounted", l->lost.uncounted))));
    if (l->unread.cells || l->unread.files) json_object_set_new(j, "unread", manifest_unread(&l->unread));
    if (r->zeroed) json_object_set_new(j, "sequence_ids_zeroed", json_integer((json_int_t)r->zeroed));
    summary_rules_json(target, &r->diff, j);
    if (summary_parts_add(&env->o, target, settings, r, j, err)) {
        json_decref(j);
        return -1;
    }
    return put_json(env, NULL, j, own, err);
}

static void print_lost(const struct lost_count *lost) {
    char a[32], b[32];
    if (!lost->places) return;
    text_print("  lost      %s cell%s%s, %s damaged place%s skipped\n", report_count(lost->cells, a), lost->cells == 1 ? "" : "s",
               lost->uncounted ? " and more" : "", report_count(lost->places, b), lost->places == 1 ? "" : "s");
}

static void print_unread(const struct unread_count *u) {
    char a[32];
    if (u->cells || u->files)
        text_print("  not read  %s cell%s%s: by index and family, not selected\n", report_count(u->cells, a),
                   u->cells == 1 ? "" : "s", u->files ? " and more" : "");
}

static void print_drops(const struct ledger *l) {
    char a[32];
    for (int v = VERDICT_KEEP + 1; v < VERDICT_COUNT; v++)
        if (l->dropped[v].cells) text_print("  %s %s", verdict_name((enum verdict)v), report_count(l->dropped[v].cells, a));
}

/* The least memory, in steps of a tenth, in which all would have fitted; 0: the machine has too little of it. */
static uint64_t enough_memory(struct environment *env, struct target *target, struct output *output,
                              const struct build_result *r) {
    const double most = 0.8 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    struct err none = {0};
    struct output_opts o;
    struct job job = env->job;
    if (output_writers_make(env, target, output, &o, &none)) return 0;
    const struct memory_request request = {.job = &job, .writer = largest_writer(&o)};
    for (double memory = (double)job.memory_bytes * 1.1; memory < most; memory *= 1.1) {
        struct memory_plan plan;
        job.memory_bytes = (uint64_t)memory;
        if (!memory_plan_make(&request, &plan, &none) && plan.gather_bytes > r->sort.gathered_bytes) return job.memory_bytes;
    }
    return 0;
}

static void print_spilled(const struct build_result *r, uint64_t enough) {
    enum { STEP = 100 << 20 };
    char a[32];
    const struct sorter_stats *t = &r->sort;
    if (!t->spilled_bytes) return;
    text_print("  spilled   %s in %u round%s, %u extra merge pass%s", report_bytes(t->spilled_bytes, a), t->rounds,
               t->rounds == 1 ? "" : "s", t->merge_passes, t->merge_passes == 1 ? "" : "es");
    if (enough) text_print("; none with --memory %lluM", (unsigned long long)((enough + STEP - 1) / STEP * (STEP >> 20)));
    text_print("\n");
}

/* enough: memory in which nothing would have been spilled; 0: not known. */
static void print_text(struct environment *env, struct target *target, const char *did, const struct input_list *in,
                       const struct build_result *r, uint64_t enough) {
    const struct ledger *l = &r->ledger;
    struct summary_totals t = sum_files(r);
    char a[32], b[32], c[32], d[32], hex[DIGEST_HEX];
    digest_print(ledger_written(l)->digest, hex);
    text_print("%s %u input%s into %s\n", did, in->groups, in->groups == 1 ? "" : "s", env->o.out.dir);
    text_print("  records   read %s  accepted %s  rejected %s  skipped %s\n", report_count(l->records_read, a),
               report_count(l->records_accepted, b), report_count(l->records_rejected, c), report_count(l->records_skipped, d));
    text_print("  cells     in %s  written %s", report_count(l->in.cells, a), report_count(ledger_written(l)->cells, b));
    if (l->made.cells) text_print("  made %s", report_count(l->made.cells, a));
    if (l->rejected.cells) text_print("  rejected %s", report_count(l->rejected.cells, a));
    if (l->not_selected.cells) text_print("  not selected %s", report_count(l->not_selected.cells, a));
    print_drops(l);
    text_print("  (ledgers balance)\n");
    summary_rules_parts(l);
    summary_rules_diff(env, target, &r->diff);
    print_lost(&l->lost);
    print_unread(&l->unread);
    text_print("  files     %zu in %u partition%s of %u", r->files.n, t.partitions, t.partitions == 1 ? "" : "s",
               target->table.partitioning.count);
    if (target->table.n_families > 1) text_print(", %u families", target->table.n_families);
    text_print(", %s (%s of KeyValues)\n", report_bytes(t.bytes, a), report_bytes(t.kv_bytes, b));
    text_print("  digest    %s\n", hex);
    if (r->files.counts.deletes || r->files.counts.duplicates)
        text_print("  kept      %s delete marker%s, %s duplicate%s (same row, column, timestamp and type)\n",
                   report_count(r->files.counts.deletes, a), r->files.counts.deletes == 1 ? "" : "s",
                   report_count(r->files.counts.duplicates, b), r->files.counts.duplicates == 1 ? "" : "s");
    if (r->zeroed)
        text_print("  seq ids   %s set to 0 (from files older than hbase.hstore.compaction.keep.seqId.period)\n",
                   report_count(r->zeroed, a));
    print_spilled(r, enough);
    text_print("  time      %.1f s, %u thread%s\n", clock_seconds_since(env->started), r->threads, r->threads == 1 ? "" : "s");
}

void summary_warn(struct environment *env, struct intake *intake, struct target *target, struct output *output,
                  const struct build_result *r) {
    const struct ledger *l = &r->ledger;
    if (l->records_rejected)
        report_warn(&env->reporter, WARN_REJECTED, l->records_rejected,
                    "%llu record%s rejected; see %s/_report/reasons.tsv; first: %s", (unsigned long long)l->records_rejected,
                    l->records_rejected == 1 ? "" : "s", env->o.out.dir, reject_log_first(intake->rejects));
    if (l->lost.places)
        report_warn(&env->reporter, WARN_DAMAGE_SKIPPED, l->lost.places,
                    "%llu damaged place%s of the input skipped, with %llu cell%s%s; see %s/_report/lost.tsv",
                    (unsigned long long)l->lost.places, l->lost.places == 1 ? "" : "s", (unsigned long long)l->lost.cells,
                    l->lost.cells == 1 ? "" : "s", l->lost.uncounted ? " and more" : "", env->o.out.dir);
    if (r->rows_client_misplaces)
        report_warn(&env->reporter, WARN_CLIENT_ORDER, r->rows_client_misplaces,
                    "%llu record%s in a partition where a Java client in direct mode does not look, because it compares RANGE "
                    "bounds as signed bytes",
                    (unsigned long long)r->rows_client_misplaces, r->rows_client_misplaces == 1 ? " is" : "s are");
    if (output->shard || output->share) return;
    signs_warn_clock(env, target, env->o.resources.now_given, env->o.resources.now_ms, &r->files.counts);
    json_t *selection = intake->selection ? selection_options_json(&env->o.selection) : NULL;
    summary_warn_whole(env, intake, target, r, selection);
    json_decref(selection);
}

/* Returns whether the only input was empty: its reader has said so, with its name. Of an empty file at most a header was
 * skipped. */
static bool one_was_empty(const struct environment *env, const struct ledger *l) {
    const uint64_t said = env->reporter.warned.n[WARN_EMPTY_FILE];
    return said && env->o.n_inputs == 1 && l->records_skipped <= said;
}

bool summary_is_of_records(const char *format) {
    return strcmp(format, "hfile") && strcmp(format, "wal") && strcmp(format, "seqfile") && strcmp(format, "dataset");
}

void summary_warn_whole(struct environment *env, struct intake *intake, const struct target *target, const struct build_result *r,
                        const json_t *selection) {
    const struct ledger *l = &r->ledger;
    uint64_t equal = r->files.counts.duplicates + l->dropped[VERDICT_DUPLICATE].cells, all = l->in.cells,
             expired = l->dropped[VERDICT_EXPIRED].cells;
    const bool states = target->kind == COMPACTION_CHANGES; /* of a table: most cells are in both */
    /* Records without timestamps have that of the run: then equal cells are rows of one key that hide each other. */
    const bool one_time = intake->from_records && r->files.counts.ts_min == r->files.counts.ts_max;
    if (!states && all >= MANY_CELLS && (equal > all / 2 || (equal && one_time)))
        report_warn(&env->reporter, WARN_DUPLICATES, equal,
                    "%llu of %llu cells have the same row, column and timestamp as another cell; %s", (unsigned long long)equal,
                    (unsigned long long)all,
                    intake->from_records ? "check the column of the row key, and whether timestamps are missing"
                                         : "inputs overlap, or one is given twice; the cells of later inputs are the newer ones");
    if (expired && !ledger_written(l)->cells) {
        if (target->holds != DATASET_DELTA) report_stop(&env->reporter, WARN_ALL_EXPIRED);
        report_warn(&env->reporter, WARN_ALL_EXPIRED, expired,
                    "TTL removed all remaining cells; check --ttl (in seconds), --now and the unit of the timestamps");
    }
    const bool is_empty = !l->records_accepted && !l->records_rejected && !l->lost.places;
    const bool was_explained = wal_intake_warn(env, &intake->wal, is_empty);
    bool passed_by = l->not_selected.cells || l->unread.cells || l->unread.files;
    if (selection && passed_by && l->in.cells == l->not_selected.cells)
        unmet_warn_nothing(env, intake, l->not_selected.cells + l->unread.cells, selection, "families");
    else if (is_empty && !was_explained && !one_was_empty(env, l))
        report_warn(&env->reporter, WARN_NO_RECORDS, 1,
                    intake->mapping && l->records_skipped
                        ? "all records were skipped: headers, empty lines, or \"when\" of the mapping is never true"
                        : "the input has no records");
    else if (l->records_accepted && !l->in.cells)
        report_warn(&env->reporter, WARN_NO_RECORDS, l->records_accepted,
                    "no record has a value for a cell; check the columns or paths (--preview 5 shows the first cells)");
}

static void note_metrics(struct environment *env, const struct build_result *r) {
    const struct ledger *l = &r->ledger;
    struct summary_totals t = sum_files(r);
    struct metrics *m = &env->metrics;
    uint64_t dropped = 0;
    for (int v = VERDICT_KEEP + 1; v < VERDICT_COUNT; v++) dropped += l->dropped[v].cells;
    metrics_add(m, "records_read", "Records read.", (double)l->records_read);
    metrics_add(m, "records_rejected", "Records rejected.", (double)l->records_rejected);
    metrics_add(m, "records_skipped", "Records skipped.", (double)l->records_skipped);
    metrics_add(m, "cells_read", "Cells read.", (double)l->in.cells);
    metrics_add(m, "cells_rejected", "Cells rejected.", (double)l->rejected.cells);
    metrics_add(m, "cells_dropped", "Cells that version rules dropped.", (double)dropped);
    metrics_add(m, "cells_written", "Cells written.", (double)ledger_written(l)->cells);
    metrics_add(m, "delete_markers", "Delete markers among the cells written.", (double)r->files.counts.deletes);
    metrics_add(m, "damaged_places", "Damaged places of the input that were skipped on request.", (double)l->lost.places);
    metrics_add(m, "files", "Files written.", (double)r->files.n);
    metrics_add(m, "bytes", "Bytes of the files written.", (double)t.bytes);
    metrics_add(m, "spilled_bytes", "Bytes spilled to disk.", (double)r->sort.spilled_bytes);
}

int summary_print(struct environment *env, struct target *target, struct output *output, const char *did,
                  const struct input_list *in, const struct build_result *r, json_t *own, struct err *err) {
    reporter_end_line(&env->reporter);
    note_metrics(env, r);
    if (environment_documents(env) && print_json(env, target, output->settings, did, in, r, own, err)) return -1;
    if (env->o.messages.json || env->o.messages.quiet) return 0;
    const bool asks = r->sort.spilled_bytes && !output->shard;
    print_text(env, target, did, in, r, asks ? enough_memory(env, target, output, r) : 0);
    return 0;
}

int summary_nothing(struct environment *env, struct err *err) {
    return report_json_put(
        &env->reporter, "nothing",
        json_new(JSON("tool", env->about->name), JSON("did", "nothing"), JSON("output", json_text(env->o.out.dir))), err);
}

static int dry_run_json(struct environment *env, const struct input_list *in, uint64_t bytes, const struct memory_plan *p,
                        const struct buf *target, const struct buf *dialects, json_t *own, struct err *err) {
    json_t *j = json_pack("{s:s, s:s, s:o, s:I, s:I, s:s#, s:I, s:I, s:I}", "tool", env->about->name, "did", "dry run", "output",
                          json_text(env->o.out.dir), "inputs", (json_int_t)in->groups, "input_bytes", (json_int_t)bytes, "target",
                          (const char *)target->p, (int)target->n, "memory", (json_int_t)env->o.resources.memory, "threads",
                          (json_int_t)p->threads, "row_memory", (json_int_t)p->gather_bytes);
    if (dialects->n) json_object_set_new(j, "dialects", text_dialects_json(buf_bytes(dialects)));
    return put_json(env, "dry-run", j, own, err);
}

static int open_input(const struct input *in, const struct read_opts *o, uint64_t *bytes, struct err *err) {
    struct stat st;
    if (in->files) { /* see open_stores */
        *bytes += in->file_bytes;
        return 0;
    }
    if (!strcmp(in->path, "-")) return 0;
    if (stat(in->path, &st)) return err_sys(err, ERR_INPUT, errno, "%s", in->path);
    if (!S_ISREG(st.st_mode)) return 0;
    const struct format *f;
    struct chunk first = {0};
    struct reader *r = format_open(in->path, in->format_name, o, &f, err);
    if (!r) return -1;
    int rc = strcmp(f->name, "archive") ? 0 : r->ops->next(r, &first, err); /* members are opened as they come: one */
    r->ops->close(r);
    buf_free(&first.data);
    *bytes += (uint64_t)st.st_size;
    return rc < 0 ? -1 : 0;
}

static int open_stores(const struct input_list *in, const struct read_opts *o, struct err *err) {
    for (uint32_t k = 0; k < in->n_stores; k++)
        for (size_t i = 0; !in->stores[k]->tree && i < in->stores[k]->survey.n; i++) {
            struct hfile *h = hfile_open(in->stores[k]->files.files[i].path, o->memory.max_block, err);
            if (!h) return -1;
            hfile_close(h);
        }
    return 0;
}

/* Opens each input as a run would, for its size: a plan that cannot work must not look good. stdin is left alone. */
static int open_inputs(struct read_opts o, const struct input_list *in, const struct memory_plan *plan, uint64_t *bytes,
                       struct buf *dialects, struct err *err) {
    struct shape_set shapes = {0};
    int rc = 0;
    o.shapes = &shapes;
    o.text.dialects = dialects;
    o.archive.preview = true;
    o.memory.unpack = plan->unpack_bytes;
    o.temp_dir = temp_dir_of(o.temp_dir); /* the output directory must stay as it is */
    o.memory.max_cell = o.memory.max_block = plan->block_limit;
    for (uint32_t i = 0; !rc && i < in->n; i++) rc = open_input(&in->inputs[i], &o, bytes, err);
    if (!rc) rc = open_stores(in, &o, err);
    shape_set_free(&shapes);
    return rc;
}

int summary_dry_run(struct environment *env, struct intake *intake, struct target *target, struct output *output,
                    const struct input_list *in, json_t *own, struct err *err) {
    struct memory_plan plan;
    struct buf text = {0}, dialects = {0};
    uint64_t bytes = 0;
    char a[32], b[32], c[32];
    struct output_opts o;
    if (output_writers_make(env, target, output, &o, err)) return -1;
    const struct memory_request request = {.job = &env->job, .writer = largest_writer(&o)};
    if (memory_plan_make(&request, &plan, err)) return -1;
    int rc = open_inputs(intake_read_opts(env, intake, target), in, &plan, &bytes, &dialects, err);
    if (!rc) rc = partitioning_describe(&target->table.partitioning, &text, err);
    if (!rc && env->o.messages.json) {
        rc = dry_run_json(env, in, bytes, &plan, &text, &dialects, own, err);
    } else if (!rc) {
        text_print("dry run: nothing is written\n  inputs    %u, %s\n  target    %s, %.*s\n  memory    %s in %u thread%s: %s for "
                   "rows, then spilling\n",
                   in->groups, report_bytes(bytes, a), env->o.out.dir, (int)text.n, (const char *)text.p,
                   report_bytes(env->o.resources.memory, b), plan.threads, plan.threads == 1 ? "" : "s",
                   report_bytes(plan.gather_bytes, c));
        text_print("  disk      output about the size of the cells, compressed; spill at most the same again, uncompressed\n");
        text_dialects_print(buf_bytes(&dialects), "  ");
    }
    buf_free(&text);
    buf_free(&dialects);
    return rc;
}
