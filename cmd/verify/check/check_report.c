/* Reports what `obkv-verify check` has found, as text or as one JSON document: the verdict with findings by severity, sums, and
 * how cells and bytes are spread over partitions. */
#include "cmd/common/report_figures.h"
#include "cmd/verify/check/check.h"

#include "cmd/common/output_text.h"
#include "cmd/common/spread/spread.h"
#include "cmd/verify/check/check_report.h"

#include <string.h>

/* Rows of the partition table printed in full; larger ones show the heaviest. */
enum { SHOWN_PARTITIONS = 32, BAR_WIDTH = 30, SEVERITIES = 4 };

static const struct {
    const char *name, *words;
} severities[SEVERITIES] = {{"lost", "data lost or damaged"},
                            {"misplaced", "misplaced or hidden data"},
                            {"figures", "wrong figures"},
                            {"cosmetic", "cosmetic"}};

static uint64_t found_of(const struct check_findings *p, int severity) {
    uint64_t n = 0;
    for (int k = 0; k < FINDING_KINDS; k++)
        if (!strcmp(finding_severity((enum finding_kind)k), severities[severity].name)) n += p->found[k];
    return n;
}

/* Otherwise rows and blocks are not known. */
static bool has_read_all(const struct check_report *c) {
    return !c->quick && !c->r->skipped;
}

/* ---- skew ---- */

struct check_evenness {
    struct evenness cells, bytes;
};

static bool is_checked(const struct check_report *c, uint32_t partition) {
    return !c->chosen || c->chosen[partition];
}

/* Returns how evenly the checked partitions of one family are filled. */
static struct check_evenness skew_of(const struct check_report *c, const struct check_partition *p) {
    struct check_evenness s = {0};
    for (uint32_t i = 0; i < c->m->table.partitioning.count; i++) {
        if (!is_checked(c, i)) continue;
        evenness_add(&s.cells, p[i].cells);
        evenness_add(&s.bytes, p[i].bytes);
    }
    evenness_end(&s.cells);
    evenness_end(&s.bytes);
    return s;
}

/* ---- text ---- */

static void print_bar(uint64_t v, uint64_t max) {
    unsigned n = max ? (unsigned)(v * BAR_WIDTH / max) : 0;
    if (!n && v) n = 1;
    for (unsigned i = 0; i < n; i++) putchar('#');
}

static uint32_t count_checked(const struct check_report *c) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->m->table.partitioning.count; i++) n += is_checked(c, i);
    return n;
}

static void print_family(const struct check_report *c, uint32_t f) {
    const struct manifest *m = c->m;
    const struct check_partition *p = c->r->partitions + (size_t)f * m->table.partitioning.count;
    uint32_t n = count_checked(c);
    struct check_evenness s = skew_of(c, p);
    char a[32], b[32];
    text_print("\nfamily %s: %u partition%s, max/mean %.2f by cells, %.2f by bytes, %u empty\n", m->table.families[f].name, n,
               n == 1 ? "" : "s", s.cells.max_mean, s.bytes.max_mean, s.cells.empty);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < m->table.partitioning.count; i++) {
        if (!is_checked(c, i)) continue;
        bool heavy = s.cells.mean > 0 && (double)p[i].cells >= 1.2 * s.cells.mean;
        if (n > SHOWN_PARTITIONS && !heavy) continue;
        if (shown++ == SHOWN_PARTITIONS) break;
        text_print("  %-14s %12s cell%s %12s  ", m->table.partitioning.names[i], report_count(p[i].cells, a),
                   p[i].cells == 1 ? " " : "s", report_bytes(p[i].bytes, b));
        print_bar(p[i].cells, s.cells.most);
        putchar('\n');
    }
    if (n > SHOWN_PARTITIONS) text_print("  (only partitions of 1.2 x the mean and more are shown: %u)\n", shown);
}

/* "(3 data lost or damaged, 1 wrong figures)"; without the number where all are of one severity. */
static void print_severities(const struct check_findings *p) {
    uint64_t total = check_findings_total(p);
    const char *sep = " (";
    char a[32];
    for (int i = 0; i < SEVERITIES; i++) {
        uint64_t n = found_of(p, i);
        if (!n) continue;
        text_print(n == total ? "%s%.0s%s" : "%s%s %s", sep, report_count(n, a), severities[i].words);
        sep = ", ";
    }
    text_print(")\n");
}

static void print_verdict(const struct check_report *c) {
    uint64_t total = check_findings_total(c->p);
    char a[32], b[32];
    if (total) {
        text_print("%s: %s problem%s", c->what, report_count(total, a), total == 1 ? "" : "s");
        print_severities(c->p);
    } else if (!c->why->code) {
        text_print("%s: good%s", c->what, c->quick ? " by metadata only (--quick)" : "");
        if (!c->quick && c->r->skipped)
            text_print(", %s of %s files by metadata only (--skip-reused)", report_count(c->r->skipped, a),
                       report_count(c->r->files, b));
        if (!c->quick && c->r->mob_skipped) text_print(", but for the values in mob files (--skip-mob)");
        putchar('\n');
    }
    if (c->why->code) text_print("%s: NOT CHECKED WHOLE: %s\n", c->what, c->why->text);
}

static void print_findings(const struct check_findings *p) {
    uint64_t total = check_findings_total(p) + p->found[FINDING_NOTE];
    char a[32];
    for (uint32_t i = 0; i < p->n; i++) text_print("  %-9s %s\n", finding_name(p->list[i].kind), p->list[i].text);
    if (total > p->n) text_print("  … and %s more (see --limit)\n", report_count(total - p->n, a));
}

void check_report_text(const struct check_report *c) {
    const struct check_result *r = c->r;
    char a[32], b[32], hex[DIGEST_HEX];
    digest_print(r->digest, hex);
    print_verdict(c);
    print_findings(c->p);
    text_print("  %s cell%s, %s, digest %s\n", report_count(r->cells, a), r->cells == 1 ? "" : "s",
               report_bytes(r->file_bytes, b), hex);
    if (r->mob_values) text_print("  %s value%s in mob files\n", report_count(r->mob_values, a), r->mob_values == 1 ? "" : "s");
    text_print("  %.2f s", c->seconds);
    if (has_read_all(c) && r->kv_bytes && c->seconds > 0)
        text_print(", %.0f MB/s of KeyValues", (double)r->kv_bytes / c->seconds / 1e6);
    putchar('\n');
    for (uint32_t f = 0; c->m && r->partitions && f < c->m->table.n_families; f++) print_family(c, f);
}

/* ---- JSON ---- */

static json_t *finding_json(const struct check_finding *p) {
    char file[4096];
    size_t n = p->file_n < sizeof file ? p->file_n : sizeof file - 1;
    memcpy(file, p->text, n);
    file[n] = 0;
    return json_new(JSON("kind", finding_name(p->kind)), JSON("severity", finding_severity(p->kind)),
                    JSON("file", n ? json_text(file) : json_null()), JSON("text", json_text(p->text)));
}

static json_t *check_findings_json(const struct check_findings *p, bool notes) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < p->n; i++)
        if ((p->list[i].kind == FINDING_NOTE) == notes) json_array_append_new(list, finding_json(&p->list[i]));
    return list;
}

static json_t *severities_json(const struct check_findings *p) {
    json_t *j = json_object();
    for (int i = 0; i < SEVERITIES; i++) json_object_set_new(j, severities[i].name, json_integer((json_int_t)found_of(p, i)));
    return j;
}

static json_t *partition_json(const char *name, const struct check_partition *p, bool has_rows) {
    char hex[DIGEST_HEX];
    digest_print(p->digest, hex);
    json_t *j = json_new(JSON("name", json_text(name)), JSON("cells", p->cells), JSON("bytes", p->bytes),
                         JSON("kv_bytes", p->kv_bytes), JSON("files", p->files), JSON("digest", hex));
    if (j && has_rows) json_object_set_new(j, "rows", json_integer((json_int_t)p->rows));
    return j;
}

static json_t *family_json(const struct check_report *c, uint32_t f) {
    uint32_t n = c->m->table.partitioning.count;
    char *const *names = c->m->table.partitioning.names;
    const struct check_partition *p = c->r->partitions + (size_t)f * n;
    struct check_evenness s = skew_of(c, p);
    json_t *list = json_array(), *empty = json_array();
    for (uint32_t i = 0; i < n; i++) {
        if (!is_checked(c, i)) continue;
        json_array_append_new(list, partition_json(names[i], &p[i], has_read_all(c)));
        if (!p[i].cells) json_array_append_new(empty, json_text(names[i]));
    }
    return json_new(JSON("name", json_text(c->m->table.families[f].name)), JSON("max_mean_cells", s.cells.max_mean),
                    JSON("max_mean_bytes", s.bytes.max_mean), JSON("empty", empty), JSON("partitions", list));
}

json_t *check_report_json(const struct check_report *c) {
    const struct check_result *r = c->r;
    char hex[DIGEST_HEX];
    json_t *families = json_array();
    digest_print(r->digest, hex);
    for (uint32_t f = 0; c->m && r->partitions && f < c->m->table.n_families; f++)
        json_array_append_new(families, family_json(c, f));
    json_t *j =
        json_new(JSON("checked", json_text(c->what)), JSON("ok", json_boolean(check_findings_total(c->p) == 0 && !c->why->code)),
                 JSON("complete", json_boolean(c->why->code == ERR_NONE)), JSON("problems_found", check_findings_total(c->p)),
                 JSON("problems_by_severity", severities_json(c->p)), JSON("problems", check_findings_json(c->p, false)),
                 JSON("notes", check_findings_json(c->p, true)), JSON("files", r->files), JSON("files_unread", r->unread),
                 JSON("files_skipped", r->skipped), JSON("cells", r->cells), JSON("bytes", r->file_bytes),
                 JSON("kv_bytes", r->kv_bytes), JSON("digest", hex), JSON("seconds", c->seconds), JSON("families", families));
    if (j && c->why->code) json_object_set_new(j, "error", json_text(c->why->text));
    if (j && r->mob_values) json_object_set_new(j, "mob_values", json_integer((json_int_t)r->mob_values));
    if (j && r->mob_skipped) json_object_set_new(j, "mob_skipped", json_true());
    if (j && has_read_all(c)) json_object_set_new(j, "rows", json_integer((json_int_t)r->rows));
    if (j && has_read_all(c)) json_object_set_new(j, "data_blocks", json_integer((json_int_t)r->blocks));
    return j;
}
