/* obkv-verify account: do the manifests of several runs add up? Every run's inputs must be the datasets that other runs wrote,
 * by count and digest, from the sources to the last one. */
#include "base/fs.h"
#include "cmd/common/output_text.h"
#include "cmd/common/report_figures.h"
#include "cmd/common/result.h"
#include "cmd/verify/verify.h"
#include "dataset/account.h"
#include "dataset/dataset_open.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MANIFEST_LIMIT_BYTES = 1 << 30 };

struct given_manifests {
    struct manifest *manifests;
    struct account_run *runs;
    size_t n;
};

static void given_close(struct given_manifests *g) {
    for (size_t i = 0; i < g->n; i++) {
        manifest_free(&g->manifests[i]);
        free((char *)g->runs[i].directory);
    }
    free(g->manifests);
    free(g->runs);
}

static int load_file(const char *path, struct manifest *m, struct err *err) {
    size_t n;
    char *text = fs_read_text(path, MANIFEST_LIMIT_BYTES, &n, err);
    int rc = text ? manifest_parse(path, text, n, m, err) : -1;
    free(text);
    return rc;
}

/* Opens a dataset's directory, or a manifest wherever it is now; OUT/MANIFEST.json is that of OUT. */
static int open_one(struct environment *env, const char *path, struct manifest *m, struct account_run *run, struct err *err) {
    struct stat st;
    char *directory;
    if (stat(path, &st)) return err_sys(err, ERR_INPUT, errno, "%s", path);
    bool is_directory = S_ISDIR(st.st_mode);
    if (is_directory ? environment_dataset_room(env, path, err) : environment_manifest_room(env, (uint64_t)st.st_size, err))
        return -1;
    if (is_directory ? manifest_load(path, m, err) : load_file(path, m, err)) return -1;
    if (dataset_refuse_runs(path, m, err)) {
        manifest_free(m);
        return -1;
    }
    *run = (struct account_run){.name = path, .m = m};
    directory = realpath(path, NULL);
    char *slash = directory && !is_directory ? strrchr(directory, '/') : NULL;
    if (slash && !strcmp(slash, "/MANIFEST.json")) {
        *slash = 0;
    } else if (!is_directory) {
        free(directory);
        directory = NULL;
    }
    run->directory = directory;
    return 0;
}

static int open_all(struct environment *env, struct given_manifests *g, struct err *err) {
    size_t n = (size_t)env->o.n_inputs;
    g->manifests = calloc(n, sizeof *g->manifests);
    g->runs = calloc(n, sizeof *g->runs);
    if (!g->manifests || !g->runs) return err_nomem(err, n * sizeof *g->runs, "manifests");
    for (; g->n < n; g->n++)
        if (stop_check(&env->stop, err) || open_one(env, env->o.inputs[g->n], &g->manifests[g->n], &g->runs[g->n], err))
            return -1;
    return 0;
}

static const char *command_of(const struct manifest *m) {
    const char *c = json_string_value(json_object_get(m->settings, "command"));
    return c ? c : "?";
}

static bool has_problem(const struct account *a, size_t run, int input) {
    for (size_t i = 0; i < a->n_problems; i++)
        if (a->problems[i].run == run && (input < 0 || a->problems[i].input == input)) return true;
    return false;
}

/* ---- for people ---- */

static void print_cells(const char *what, uint64_t cells) {
    char a[32];
    if (cells) text_print("  %s %s", what, report_count(cells, a));
}

static void print_losses(const struct tally *rejected, const struct tally *not_selected,
                         const struct tally dropped[VERDICT_COUNT]) {
    print_cells("rejected", rejected->cells);
    print_cells("not selected", not_selected->cells);
    for (int v = VERDICT_KEEP + 1; v < VERDICT_COUNT; v++) print_cells(verdict_name((enum verdict)v), dropped[v].cells);
}

static void print_problems(const struct account *a, size_t run, int input, const char *indent) {
    for (size_t i = 0; i < a->n_problems; i++)
        if (a->problems[i].run == run && a->problems[i].input == input) text_print("%s! %s\n", indent, a->problems[i].text);
}

static void print_run(const struct account *a, size_t i, size_t width) {
    const struct account_run *r = &a->runs[i];
    const struct ledger *l = &r->m->ledger;
    char x[32], y[32];
    text_print("  %-*s  %-11s  in %s  written %s", (int)width, r->name, command_of(r->m), report_count(l->in.cells, x),
               report_count(ledger_written(l)->cells, y));
    print_cells("made", l->made.cells);
    print_losses(&l->rejected, &l->not_selected, l->dropped);
    print_cells("of records, rejected", l->records_rejected);
    text_print("\n");
    print_problems(a, i, -1, "      ");
    for (size_t k = 0; k < r->n_inputs; k++) {
        const struct account_input *in = &r->inputs[k];
        const char *name = in->from == ACCOUNT_NOBODY ? in->name : a->runs[in->from].name;
        bool bad = has_problem(a, i, (int)k);
        text_print("    <- %s: %s cell%s%s%s\n", name, report_count(in->tally.cells, x), in->tally.cells == 1 ? "" : "s",
                   in->from == ACCOUNT_NOBODY ? "" : ", ", in->from == ACCOUNT_NOBODY ? "" : account_edge_name(in->edge));
        if (bad) print_problems(a, i, (int)k, "      ");
    }
}

static void print_sum(const struct account *a) {
    char x[32], y[32], hex[DIGEST_HEX];
    size_t results = 0;
    for (size_t i = 0; i < a->n; i++) results += !a->runs[i].readers;
    text_print("\n  %zu source%s with %s cells", a->n_sources, a->n_sources == 1 ? "" : "s", report_count(a->sources.cells, x));
    print_losses(&a->rejected, &a->not_selected, a->dropped);
    digest_print(a->results.digest, hex);
    text_print("\n  %zu result%s with %s cells, digest %s\n", results, results == 1 ? "" : "s", report_count(a->results.cells, y),
               hex);
    for (size_t i = 0; i < a->n; i++)
        if (!a->runs[i].readers) text_print("    -> %s\n", a->runs[i].name);
}

static void print_text(const struct account *a) {
    size_t width = 0, deepest = 0;
    for (size_t i = 0; i < a->n; i++) {
        if (strlen(a->runs[i].name) > width) width = strlen(a->runs[i].name);
        if (a->runs[i].depth > deepest) deepest = a->runs[i].depth;
    }
    if (width > 40) width = 40;
    text_print("%zu manifest%s: %s\n\n", a->n, a->n == 1 ? "" : "s",
               a->n_problems ? "NOT complete" : "complete, every cell is accounted for");
    for (size_t depth = 0; depth <= deepest; depth++)
        for (size_t i = 0; i < a->n; i++)
            if (a->runs[i].depth == depth) print_run(a, i, width);
    print_sum(a);
    if (a->n_problems) text_print("\n");
    for (size_t i = 0; i < a->n_problems; i++) text_print("  ! %s: %s\n", a->runs[a->problems[i].run].name, a->problems[i].text);
}

/* ---- for pipelines ---- */

static json_t *losses_json(const struct tally dropped[VERDICT_COUNT]) {
    json_t *j = json_object();
    for (int v = VERDICT_KEEP + 1; v < VERDICT_COUNT; v++)
        json_put(j, JSON(verdict_name((enum verdict)v), manifest_tally(dropped[v])));
    return j;
}

static json_t *input_json(const struct account *a, const struct account_input *in) {
    json_t *j = json_new(JSON("name", json_text(in->name)), JSON("edge", account_edge_name(in->edge)), JSON("files", in->files),
                         JSON("bytes", in->bytes), JSON("records", in->records), JSON("cells", manifest_tally(in->tally)));
    if (in->waiting) json_object_set_new(j, "waiting", json_integer((json_int_t)in->waiting));
    json_put(j, JSON("from", in->from == ACCOUNT_NOBODY ? json_null() : json_text(a->runs[in->from].name)));
    return j;
}

static json_t *run_json(const struct account *a, const struct account_run *r) {
    json_t *inputs = json_array();
    for (size_t k = 0; k < r->n_inputs; k++) json_array_append_new(inputs, input_json(a, &r->inputs[k]));
    return json_new(JSON("name", json_text(r->name)), JSON("command", command_of(r->m)),
                    JSON("result", json_boolean(!r->readers)), JSON("cells", manifest_ledger_cells(&r->m->ledger)),
                    JSON("inputs", inputs));
}

static int print_json(struct reporter *r, const struct account *a, struct err *err) {
    json_t *runs = json_array(), *problems = json_array();
    for (size_t i = 0; i < a->n; i++) json_array_append_new(runs, run_json(a, &a->runs[i]));
    for (size_t i = 0; i < a->n_problems; i++) {
        const struct account_problem *p = &a->problems[i];
        json_t *from = p->input < 0 ? json_null() : json_text(a->runs[p->run].inputs[p->input].name);
        json_array_append_new(problems, json_new(JSON("manifest", json_text(a->runs[p->run].name)), JSON("input", from),
                                                 JSON("text", json_text(p->text))));
    }
    json_t *j = json_pack("{s:b, s:o, s:{s:I, s:o}, s:o, s:o, s:o, s:o}", "complete", (int)!a->n_problems, "manifests", runs,
                          "sources", "inputs", (json_int_t)a->n_sources, "cells", manifest_tally(a->sources), "rejected",
                          manifest_tally(a->rejected), "dropped", losses_json(a->dropped), "results", manifest_tally(a->results),
                          "problems", problems);
    if (a->not_selected.cells) json_object_set_new(j, "not_selected", manifest_tally(a->not_selected));
    return report_json_put(r, NULL, j, err);
}

int verify_account(struct environment *env, struct intake *intake, int *code, struct err *err) {
    struct given_manifests g = {0};
    struct account a = {0};
    (void)intake;
    int rc = open_all(env, &g, err);
    if (!rc) rc = account_make(g.runs, g.n, &a, err);
    if (!rc && environment_documents(env)) rc = print_json(&env->reporter, &a, err);
    if (!rc && !env->o.messages.json && !env->o.messages.quiet) print_text(&a);
    if (!rc) *code = a.n_problems ? 1 : 0;
    account_free(&a);
    given_close(&g);
    return rc;
}
