/* Reports the outcome of the base of a nightly compaction: which of its files were reused, which were rewritten and why,
 * partition by partition on request; in lines for people and as members of the JSON result. */

#include "base/link_file.h"
#include "cmd/common/output_text.h"
#include "cmd/common/report.h"
#include "cmd/common/report_figures.h"
#include "cmd/common/environment.h"
#include "cmd/common/target.h"
#include "cmd/common/warnings.h"
#include "cmd/compact/night_report.h"

#include <stdlib.h>
#include <time.h>

struct sums {
    uint64_t files, taken, left,
        by_verdict[REUSE_VERDICTS]; /* left: reused because their partition waits; by_verdict: of the others */
    uint64_t copied;                /* cells in blocks that were copied */
};

static struct sums sum_up(const struct night_report *r) {
    struct sums t = {0};
    for (size_t i = 0; i < r->outcomes.n; i++)
        for (size_t k = 0; k < r->outcomes.partitions[i].n_files; k++, t.files++) {
            const struct base_file *f = &r->outcomes.partitions[i].files[k];
            (*(r->outcomes.partitions[i].left ? &t.left : &t.by_verdict[f->verdict]))++;
            t.copied += f->copied_cells;
        }
    t.taken = t.by_verdict[REUSE_TAKEN] + t.left;
    return t;
}

/* Cells that time has ended and that are there all the same: MIN_VERSIONS holds them, or their partition is left. */
static bool keeps_expired(const struct environment *env, const struct target *target, const struct base_outcome *outcome,
                          const struct base_file *f) {
    const struct family_rules *rules = &target->table.families[outcome->family].rules;
    if (!outcome->left && f->verdict != REUSE_TAKEN) return false;
    return f->m->ts_min < rules_oldest_ms(rules, env->job.now_ms) || (outcome->left && f->verdict == REUSE_DROP_DUE);
}

static const char *file_name(const struct base_file *f) {
    const char *slash = strrchr(f->m->path, '/');
    return slash ? slash + 1 : f->m->path;
}

/* ---- for people ---- */

static const char *time_text(int64_t ms, char out[32]) {
    time_t t = (time_t)(ms / 1000);
    struct tm tm;
    if (!gmtime_r(&t, &tm) || !strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm)) snprintf(out, 32, "%lld ms", (long long)ms);
    return out;
}

/* Files in a row with the same verdict, which one line reports. */
struct night_files {
    const struct base_file *files;
    size_t n;
    bool keeps_expired;
};

static struct night_files take_run(const struct environment *env, const struct target *target, const struct base_outcome *outcome,
                                   size_t first) {
    struct night_files r = {outcome->files + first, 0, keeps_expired(env, target, outcome, &outcome->files[first])};
    for (; first + r.n < outcome->n_files; r.n++) {
        const struct base_file *f = &r.files[r.n];
        if (f->verdict != r.files->verdict || f->input != r.files->input ||
            keeps_expired(env, target, outcome, f) != r.keeps_expired)
            break;
    }
    return r;
}

/* OBKV.NEXT_DROP_MS of the file of the run that comes first. */
static int64_t first_drop(const struct night_files *r) {
    int64_t ms = INT64_MAX;
    for (size_t i = 0; i < r->n; i++)
        if (r->files[i].info.next_drop_ms < ms) ms = r->files[i].info.next_drop_ms;
    return ms;
}

/* Prints how many cells of these files were copied in blocks, if any. */
static void print_copied(const struct night_files *r) {
    char a[32], b[32];
    uint64_t copied = 0, cells = 0;
    for (size_t i = 0; i < r->n; i++) {
        copied += r->files[i].copied_cells;
        cells += r->files[i].m->tally.cells;
    }
    if (copied) text_print(", blocks with %s of %s cells copied", report_count(copied, a), report_count(cells, b));
}

static void print_run(const struct night_report *report, const struct night_files *r, bool left) {
    char when[32];
    enum reuse_verdict verdict = r->files->verdict;
    int64_t drop_ms = first_drop(r);
    text_print("      %s", file_name(r->files));
    if (r->n > 1) text_print(" and %zu more", r->n - 1);
    text_print(": %s", reuse_word(verdict));
    if (verdict == REUSE_NEW_CELLS) text_print(", %s has cells among its rows", report->names[r->files->input]);
    print_copied(r);
    if (verdict == REUSE_DROP_DUE) text_print(", cells expired at %s", time_text(drop_ms, when));
    if (verdict == REUSE_TAKEN && drop_ms != INT64_MAX) text_print(", nothing to drop before %s", time_text(drop_ms, when));
    if (r->keeps_expired) text_print("; keeps expired cells alive%s", left ? "" : " (MIN_VERSIONS)");
    text_print("\n");
}

static void print_outcome(const struct environment *env, const struct target *target, const struct night_report *r,
                          const struct base_outcome *outcome) {
    char a[32], where[80];
    size_t taken = 0;
    for (size_t k = 0; k < outcome->n_files; k++) taken += outcome->files[k].verdict == REUSE_TAKEN;
    snprintf(where, sizeof where, "%s %s", target->table.families[outcome->family].name,
             target->table.partitioning.names[outcome->partition]);
    const char *what = outcome->left              ? outcome->new_cells ? "left for later" : "left"
                       : taken < outcome->n_files ? taken ? "in part" : "rewritten"
                       : !outcome->n_files        ? "new"
                       : outcome->new_cells       ? "rows between its files"
                                                  : "untouched";
    text_print("    %-20s %7zu %7zu %9zu %12s  %s\n", where, outcome->n_files, taken, outcome->n_files - taken,
               report_count(outcome->new_cells, a), what);
    for (size_t k = 0; k < outcome->n_files;) {
        struct night_files run = take_run(env, target, outcome, k);
        print_run(r, &run, outcome->left);
        k += run.n;
    }
}

static void print_pending(const struct night_report *r) {
    char a[32];
    for (size_t i = 0; i < r->n_pending; i++)
        text_print("  waiting   for %s: its cells in %s partition%s are not merged yet; give it again\n", r->pending[i].path,
                   report_count(r->pending[i].n, a), r->pending[i].n == 1 ? "" : "s");
}

/* As a rule a mistake: the same base, rules and clock each time let files be reused. */
void night_report_warn(struct environment *env, const struct night_report *r) {
    static const char *const remedies[REUSE_VERDICTS] = {
        [REUSE_FOREIGN] = "they are not as obkv-compact writes them: give this run's dataset as the next --base",
        [REUSE_RULES] =
            "the base was compacted by other rules, and what those dropped stays dropped: give the same --ddl or options "
            "each time, and this run's dataset as the next --base",
        [REUSE_CLOCK] = "the base was made at a later time than this run's --now, or the clock went back: correct it"};
    const struct sums t = sum_up(r);
    char a[32], b[32];
    for (int f = 0; f < REUSE_VERDICTS; f++)
        if (remedies[f] && t.by_verdict[f])
            report_warn(&env->reporter, WARN_BASE_NOT_REUSED, 1, "%s of %s file%s of the base cannot be reused: %s",
                        report_count(t.by_verdict[f], a), report_count(t.files, b), t.files == 1 ? "" : "s", remedies[f]);
}

int night_report_print(struct environment *env, struct target *target, const struct night_report *r, struct err *err) {
    struct sums t = sum_up(r);
    char a[32], b[32], c[32];
    if (!r->finished && !r->outcomes.n) { /* the warning has said why */
        text_print("  base      %s: no file reused\n", r->base);
        return report_flush(err);
    }
    text_print("  base      %s: %s of %s file%s reused", r->base, report_count(t.taken, a), report_count(t.files, b),
               t.files == 1 ? "" : "s");
    for (int way = LINK_HARD; r->finished && way <= LINK_COPIED; way++)
        if (r->outcomes.taken[way])
            text_print(" (%s by %s)", report_count(r->outcomes.taken[way], c), link_way_name((enum link_way)way));
    for (int f = REUSE_TAKEN + 1; f < REUSE_VERDICTS; f++)
        if (t.by_verdict[f])
            text_print("; %s rewritten: %s", report_count(t.by_verdict[f], c), reuse_word((enum reuse_verdict)f));
    if (t.copied) text_print(", with copies of blocks that hold %s cells", report_count(t.copied, c));
    if (t.left) text_print("; %s of them in partitions left by --policy", report_count(t.left, c));
    text_print("\n");
    if (t.by_verdict[REUSE_NO_RULES])
        text_print("            the base was imported or repartitioned, but not compacted: give this run's dataset as the next "
                   "--base\n");
    if (r->moved)
        text_print("  moved     %s input%s into the base's partitioning first: %s cell%s, %s of temporary files\n",
                   report_count(r->moved, a), r->moved == 1 ? "" : "s", report_count(r->moved_cells, b),
                   r->moved_cells == 1 ? "" : "s", report_bytes(r->moved_bytes, c));
    print_pending(r);
    if (r->explain) text_print("    %-20s %7s %7s %9s %12s\n", "partition", "files", "taken", "rewritten", "new cells");
    for (size_t i = 0; r->explain && i < r->outcomes.n; i++) print_outcome(env, target, r, &r->outcomes.partitions[i]);
    return report_flush(err);
}

/* ---- for pipelines ---- */

/* As a member's name: "drop_due". */
static const char *key_of(enum reuse_verdict verdict, char out[32]) {
    snprintf(out, 32, "%s", reuse_word(verdict));
    for (char *p = out; *p; p++)
        if (*p == ' ') *p = '_';
    return out;
}

static json_t *file_json(const struct environment *env, const struct target *target, const struct night_report *r,
                         const struct base_outcome *outcome, const struct base_file *f) {
    char verdict[32];
    json_t *j =
        json_new(JSON("path", json_text(f->m->path)), JSON("fate", key_of(f->verdict, verdict)), JSON("cells", f->m->tally.cells),
                 JSON("bytes", f->m->file_bytes), JSON("keeps_expired", json_boolean(keeps_expired(env, target, outcome, f))));
    json_put(j, JSON("next_drop_ms", f->info.next_drop_ms == INT64_MAX || f->info.next_drop_ms == INT64_MIN
                                         ? json_null()
                                         : json_integer(f->info.next_drop_ms)));
    if (f->verdict == REUSE_NEW_CELLS) json_object_set_new(j, "input", json_text(r->names[f->input]));
    if (f->copied_cells) json_object_set_new(j, "cells_in_copied_blocks", json_integer((json_int_t)f->copied_cells));
    return j;
}

static json_t *outcome_json(const struct environment *env, const struct target *target, const struct night_report *r,
                            const struct base_outcome *outcome) {
    json_t *files = json_array();
    for (size_t k = 0; k < outcome->n_files; k++)
        json_array_append_new(files, file_json(env, target, r, outcome, &outcome->files[k]));
    return json_new(
        JSON("family", json_text(target->table.families[outcome->family].name)), JSON("partition", outcome->partition),
        JSON("partition_name", json_text(target->table.partitioning.names[outcome->partition])), JSON("left", outcome->left),
        JSON("new_cells", outcome->new_cells), JSON("new_files", outcome->new_files), JSON("files", files));
}

int night_report_json(struct environment *env, struct target *target, const struct night_report *r, json_t *into,
                      struct err *err) {
    struct sums t = sum_up(r);
    char hex[DIGEST_HEX], key[32];
    json_t *taken = json_new(JSON("files", t.taken)), *rewritten = json_object();
    for (int way = LINK_HARD; r->finished && way <= LINK_COPIED; way++)
        json_put(taken, JSON(link_way_name((enum link_way)way), r->outcomes.taken[way]));
    digest_print(r->outcomes.taken_cells.digest, hex);
    if (r->finished) json_object_set_new(taken, "cells", json_integer((json_int_t)r->outcomes.taken_cells.cells));
    if (r->finished) json_object_set_new(taken, "digest", json_string(hex));
    if (t.copied) json_object_set_new(taken, "cells_in_copied_blocks", json_integer((json_int_t)t.copied));
    for (int f = REUSE_TAKEN + 1; f < REUSE_VERDICTS; f++)
        json_put(rewritten, JSON(key_of((enum reuse_verdict)f, key), t.by_verdict[f]));
    json_put(into, JSON("base", json_new(JSON("path", json_text(r->base)), JSON("files", t.files), JSON("taken_over", taken),
                                         JSON("rewritten", rewritten))));
    if (r->moved)
        json_put(into, JSON("repartitioned", json_new(JSON("inputs", r->moved), JSON("cells", r->moved_cells),
                                                      JSON("temp_bytes", r->moved_bytes))));
    if (t.left) json_object_set_new(taken, "left", json_integer((json_int_t)t.left));
    if (r->n_pending) json_object_set_new(into, "pending", manifest_pending_json(r->pending, r->n_pending, &target->table));
    json_t *list = r->explain ? json_array() : NULL;
    for (size_t i = 0; list && i < r->outcomes.n; i++)
        json_array_append_new(list, outcome_json(env, target, r, &r->outcomes.partitions[i]));
    return list && json_object_set_new(into, "explain", list) ? err_nomem(err, 0, "the report") : 0;
}
