/* Reports what version rules dropped, by cause, and where OceanBase's rules and HBase's differ: the summary's lines, its JSON,
 * and _report/rule-differences.tsv with the first cells of each side. */
#include "cmd/common/output_text.h"

#include "base/fs.h"
#include "cmd/common/report.h"
#include "cmd/common/report_figures.h"
#include "cmd/common/environment.h"
#include "cmd/common/output.h"
#include "cmd/common/target.h"
#include "cmd/common/summary_rules.h"
#include "dataset/manifest_json.h"

#include <errno.h>
#include <stdlib.h>

enum { EXAMPLES_NOTED = 3 };

static const char *const words[CAUSE_COUNT] = {
    [CAUSE_KEPT] = "kept",
    [CAUSE_TABLE_TTL] = "expired by table TTL",
    [CAUSE_CELL_TTL] = "expired by cell TTL",
    [CAUSE_VERSIONS] = "beyond VERSIONS",
    [CAUSE_DUPLICATE] = "duplicate",
    [CAUSE_BY_DELETE] = "deleted by Delete",
    [CAUSE_BY_DELETE_COLUMN] = "deleted by DeleteColumn",
    [CAUSE_BY_DELETE_FAMILY] = "deleted by DeleteFamily",
    [CAUSE_BY_DELETE_FAMILY_VERSION] = "deleted by DeleteFamilyVersion",
    [CAUSE_PURGED_DELETE] = "marker Delete",
    [CAUSE_PURGED_DELETE_COLUMN] = "marker DeleteColumn",
    [CAUSE_PURGED_DELETE_FAMILY] = "marker DeleteFamily",
    [CAUSE_PURGED_DELETE_FAMILY_VERSION] = "marker DeleteFamilyVersion",
};

static void print_parts(const struct ledger *l, enum verdict v, const char *label, const char *before) {
    char a[32];
    if (!l->dropped[v].cells) return;
    text_print("  %-9s", label);
    const char *between = " ";
    for (enum cause c = 0; c < CAUSE_COUNT; c++) {
        if (cause_verdict(c) != v || !l->by[c].cells) continue;
        text_print("%s%s%s %s", between, before, cause_name(c), report_count(l->by[c].cells, a));
        between = "  ";
    }
    text_print("\n");
}

void summary_rules_parts(const struct ledger *l) {
    print_parts(l, VERDICT_EXPIRED, "expired", "");
    print_parts(l, VERDICT_DELETED, "deleted", "by ");
    print_parts(l, VERDICT_PURGED, "purged", "");
}

static void print_side(const struct rule_diff *d, enum rule_side side, const char *label, const char *tail) {
    char a[32];
    struct tally sum = rule_diff_sum(d, side);
    if (!sum.cells) return;
    text_print("  %-9s %s cell%s %s:", label, report_count(sum.cells, a), sum.cells == 1 ? "" : "s", tail);
    const char *between = " ";
    for (int c = 0; c < CAUSE_COUNT; c++) {
        if (!d->only[side][c].cells) continue;
        text_print("%s%s %s", between, words[c], report_count(d->only[side][c].cells, a));
        between = ", ";
    }
    text_print("\n");
}

static bool differs(const struct rule_diff *d) {
    return rule_diff_sum(d, RULE_HBASE).cells || rule_diff_sum(d, RULE_OCEANBASE).cells;
}

void summary_rules_diff(const struct environment *env, const struct target *target, const struct rule_diff *d) {
    if (target->kind != COMPACTION_OCEANBASE) return;
    if (!differs(d)) {
        text_print("  rules     OceanBase's; HBase's would keep the same cells\n");
        return;
    }
    text_print("  rules     OceanBase's; HBase's would keep other cells; see %s/_report/rule-differences.tsv\n", env->o.out.dir);
    print_side(d, RULE_HBASE, "left out", "that HBase keeps");
    print_side(d, RULE_OCEANBASE, "kept", "that HBase drops");
}

static json_t *side_json(const struct rule_diff *d, enum rule_side side) {
    struct ledger l = {0};
    for (int c = 0; c < CAUSE_COUNT; c++) {
        l.by[c] = d->only[side][c];
        tally_add(&l.dropped[cause_verdict((enum cause)c)], l.by[c]);
    }
    json_t *j = manifest_tally(rule_diff_sum(d, side));
    for (int v = VERDICT_KEEP + 1; v < VERDICT_COUNT; v++)
        json_put(j, JSON(verdict_name((enum verdict)v), manifest_ledger_drop(&l, (enum verdict)v)));
    return j;
}

void summary_rules_json(const struct target *target, const struct rule_diff *d, json_t *result) {
    if (target->kind != COMPACTION_OCEANBASE) return;
    json_put(result, JSON("rules", "oceanbase"), JSON("hbase_only", side_json(d, RULE_HBASE)),
             JSON("oceanbase_only", side_json(d, RULE_OCEANBASE)));
}

static void put_examples(FILE *f, const struct rule_diff *d, enum rule_side side, const char *kept_by) {
    for (uint32_t i = 0; i < d->n_examples[side]; i++) {
        const struct rule_example *e = &d->examples[side][i];
        fprintf(f, "%s\t%s\t%s\n", kept_by, words[e->why], e->text);
    }
}

static void note_examples(struct environment *env, const struct rule_diff *d, enum rule_side side, const char *kept_by) {
    for (uint32_t i = 0; i < d->n_examples[side] && i < EXAMPLES_NOTED; i++)
        report_note(&env->reporter, "kept by %s only (%s): %s", kept_by, words[d->examples[side][i].why],
                    d->examples[side][i].text);
}

int summary_rules_report(struct environment *env, struct output *output, const struct rule_diff *d, struct err *err) {
    if (!differs(d)) return 0;
    if (outdir_need_report(&output->out, err)) return -1;
    char *path = fs_join(output->out.report, "rule-differences.tsv", err);
    FILE *f = path ? fopen(path, "w") : NULL;
    int rc = f ? 0 : path ? err_sys(err, ERR_OUTPUT, errno, "%s", path) : -1;
    if (f) {
        fprintf(f, "# the first cells that only one set of rules keeps: kept by, why the other drops it, row, column, timestamp, "
                   "type\n");
        put_examples(f, d, RULE_HBASE, "hbase");
        put_examples(f, d, RULE_OCEANBASE, "oceanbase");
        bool bad = ferror(f);
        if (fclose(f) || bad) rc = err_sys(err, ERR_OUTPUT, errno, "%s", path);
    }
    free(path);
    note_examples(env, d, RULE_HBASE, "HBase");
    note_examples(env, d, RULE_OCEANBASE, "OceanBase");
    return rc;
}
