/* `obkv-split plan` as text for people: what the keys look like, the ranked choices with reasons, and what is expected of the
 * first. Figures of a sample are printed with their errors. */
#include "cmd/common/opt_given.h"
#include "cmd/common/report_figures.h"
#include "cmd/split/plan/plan_view.h"

#include <stdio.h>

enum { BEST_SHOWN = 5, ROWS_SHOWN = 5, PREFIXES_SHOWN = 5, KEY_SHOWN = 24, DESIGN_WIDTH = 40 };

static int put_key(struct buf *out, struct bytes key, struct err *err) {
    size_t n = key.n < KEY_SHOWN ? key.n : KEY_SHOWN;
    for (size_t i = 0; i < n; i++) {
        uint8_t c = key.p[i];
        if (c >= 0x20 && c < 0x7f && c != '\\' ? buf_put_byte(out, c, err) : buf_printf(out, err, "\\x%02X", c)) return -1;
    }
    return n < key.n ? buf_printf(out, err, "...") : 0;
}

/* ---- the keys ---- */

static int put_head(const struct plan_view *v, const struct plan_design *d, struct buf *out, struct err *err) {
    char rows[32], cells[32], bytes[32], expected[32];
    const struct key_facts *f = &d->r.facts;
    if (buf_printf(out, err, "%s rows, %s cells, %s of KeyValues", report_count(f->rows, rows), report_count(f->cells, cells),
                   report_bytes(f->bytes, bytes)))
        return -1;
    if (d->r.sampling.share < 1 &&
        buf_printf(out, err, " in a sample of %.3g %% of the %s", 100 * d->r.sampling.share, sample_by_name(d->r.sampling.by)))
        return -1;
    if (buf_printf(out, err, "; planned for %s%s on %llu node%s%s\n", report_bytes((uint64_t)v->expected_bytes, expected),
                   v->replicas > 1 ? " in each replica" : "", (unsigned long long)v->o->spread.nodes,
                   v->o->spread.nodes == 1 ? "" : "s", opt_given(v->o, "nodes") ? "" : " (assumed)"))
        return -1;
    if (d->r.sampling.refusal.text[0] && buf_printf(out, err, "  everything was read: %s\n", d->r.sampling.refusal.text))
        return -1;
    if (d->r.ledger.records_rejected &&
        buf_printf(out, err, "  %s record%s left out; first: %s\n", report_count(d->r.ledger.records_rejected, rows),
                   d->r.ledger.records_rejected == 1 ? " was rejected and is" : "s were rejected and are", v->first_reject))
        return -1;
    return 0;
}

static int put_order(const struct plan_result *r, struct buf *out, struct err *err) {
    const struct key_facts *f = &r->facts;
    if (f->rows < 2) return 0;
    double ascending = 100 * row_sample_ascending(&r->sample);
    double successors = 100.0 * (double)f->successors / (double)(f->rows - 1);
    if (buf_printf(out, err, "  order in the input: %.0f %% ascending%s", ascending,
                   ascending > 99  ? " (sorted)"
                   : ascending < 1 ? " (descending)"
                                   : ""))
        return -1;
    if (successors > 50 && buf_printf(out, err, "; %.0f %% follow their neighbour by one: a counter", successors)) return -1;
    if (key_facts_head(f) != HEAD_OTHER && buf_printf(out, err, "; keys begin with %s", key_head_text(key_facts_head(f))))
        return -1;
    return buf_put_byte(out, '\n', err);
}

static int put_positions(const struct plan_design *d, struct buf *out, struct err *err) {
    uint32_t longest = d->r.facts.longest < PLAN_PREFIX_MAX ? (uint32_t)d->r.facts.longest : PLAN_PREFIX_MAX;
    char count[32];
    if (buf_printf(out, err, "\n  %6s %10s %16s %20s\n", "bytes", "bits of", "different", "under the heaviest")) return -1;
    for (uint32_t n = 1; n <= longest; n++) {
        double heaviest = d->r.facts.bytes ? 100.0 * (double)d->r.runs.heaviest[n] / (double)d->r.facts.bytes : 0;
        if (buf_printf(out, err, "  %6u %10.2f %16s %18.2f %%\n", n, key_facts_entropy(&d->r.facts, n - 1),
                       report_count(d->r.runs.distinct[n], count), heaviest))
            return -1;
        if (d->r.runs.distinct[n] == d->r.facts.rows) break; /* longer ones say no more */
    }
    return 0;
}

static int put_heavy(const struct plan_design *d, struct buf *out, struct err *err) {
    char bytes[32], cells[32];
    for (uint32_t i = 0; i < d->r.top.n && i < ROWS_SHOWN; i++) {
        const struct top_row *t = &d->r.top.rows[i];
        if (buf_printf(out, err, i ? "                   " : "\n  heaviest rows:   ") || put_key(out, top_row_key(t), err) ||
            buf_printf(out, err, "  %s, %s cell%s\n", report_bytes(t->bytes, bytes), report_count(t->cells, cells),
                       t->cells == 1 ? "" : "s"))
            return -1;
    }
    for (uint32_t i = 0; i < d->prefixes.n && i < PREFIXES_SHOWN; i++) {
        const struct key_prefix_weight *p = &d->prefixes.list[i];
        double share = d->prefixes.total_bytes ? 100.0 * (double)p->low.bytes / (double)d->prefixes.total_bytes : 0;
        if (buf_printf(out, err, i ? "                   " : "  heavy prefixes:  ") ||
            put_key(out, bytes_of(p->key, p->n), err) || buf_printf(out, err, "  %.1f %% of the bytes\n", share))
            return -1;
    }
    return 0;
}

static int put_lengths(const struct plan_design *d, struct buf *out, struct err *err) {
    const struct key_facts *f = &d->r.facts;
    char n[32];
    if (buf_printf(out, err, "\nkeys\n  length: %zu to %zu bytes, mean %.1f; %.1f bytes of key for each cell\n", f->shortest,
                   f->longest, f->rows ? (double)f->key_bytes / (double)f->rows : 0,
                   f->cells ? (double)f->cell_key_bytes / (double)f->cells : 0))
        return -1;
    if (f->too_long && buf_printf(out, err, "  %s key%s longer than OceanBase's 1,024 bytes\n", report_count(f->too_long, n),
                                  f->too_long == 1 ? " is" : "s are"))
        return -1;
    for (unsigned i = 0; i < FAMILIES_MOST; i++) {
        const struct plan_lengths *l = &d->r.lengths[i];
        if (l->values_over && buf_printf(out, err, "  %s value%s longer than varbinary(1048576): V is made a longblob\n",
                                         report_count(l->values_over, n), l->values_over == 1 ? " is" : "s are"))
            return -1;
        if (l->qualifiers_over &&
            buf_printf(out, err, "  %s qualifier%s longer than varbinary(256): the longest has %zu bytes\n",
                       report_count(l->qualifiers_over, n), l->qualifiers_over == 1 ? " is" : "s are", l->qualifier))
            return -1;
    }
    return put_order(&d->r, out, err);
}

/* ---- choices ---- */

static int put_choice_head(uint32_t n, const struct plan_design *d, struct buf *out, struct err *err) {
    char group[32] = "group";
    if (d->group_bytes) snprintf(group, sizeof group, "%u bytes", d->group_bytes);
    return buf_printf(
        out, err, "\n%u partition%s\n  %-24s %10s %10s %7s %10s %12s %9s %9s %9s\n  %-24s %10s %10s %7s %10s %12s %9s %9s %9s\n",
        n, n == 1 ? "" : "s", "", "rows", "bytes", "", "nodes", "largest", "newest", "scan of", "scan of", "", "max/mean",
        "max/mean", "empty", "max/mean", "expected", "1 %", group, "newest");
}

/* Partitions that a scan reads, "-" where keys have no groups or no times. */
static const char *scan_text(bool known, double parts, char text[16]) {
    snprintf(text, 16, known ? "%.0f" : "-", parts);
    return text;
}

static int put_choice(const struct candidate *c, const char *name, const struct plan_design *d, struct buf *out,
                      struct err *err) {
    const struct plan_figures *f = &c->figures;
    char largest[32], hot[16] = "-", newest[16], group[16], error[32] = "";
    if (f->newest_known) snprintf(hot, sizeof hot, "%.0f %%", 100 * f->hot_share);
    if (f->error > 0) snprintf(error, sizeof error, "  +- %.0f %%", 100 * f->error);
    return buf_printf(out, err, "  %-24s %10.2f %10.2f %7u %10.2f %12s %9s %9s %9s%s\n", name, f->rows.max_mean,
                      f->bytes.max_mean, f->bytes.empty, f->nodes_max, report_bytes((uint64_t)f->largest, largest), hot,
                      scan_text(d->group_bytes, f->group_parts, group), scan_text(f->newest_known, f->time_parts, newest), error);
}

/* A few lengths stand for all: powers of two, and what a group of rows has, as long as they distinguish more rows. */
static bool is_shown(const struct plan_design *d, uint32_t length, uint64_t *distinct) {
    bool round = (length & (length - 1)) == 0 || length == d->group_bytes || d->list[0].choice->prefix == length;
    bool better = round && length && d->r.runs.distinct[length] > *distinct;
    if (better) *distinct = d->r.runs.distinct[length];
    return better || !length;
}

static int put_choices(const struct plan_view *v, const struct plan_design *d, struct buf *out, struct err *err) {
    static const char *const names[PLAN_KINDS] = {"KEY(K)",       "RANGE, by weight", "HexStringSplit", "DecimalStringSplit",
                                                  "UniformSplit", "numbers in front"};
    char name[40];
    uint64_t distinct = 1;
    if (put_choice_head(v->wanted, d, out, err)) return -1;
    for (uint32_t length = 0; length <= PLAN_PREFIX_MAX; length++) {
        const struct candidate *c = plan_view_find(d, PLAN_KEY, length, v->wanted);
        if (!c || !is_shown(d, length, &distinct)) continue;
        snprintf(name, sizeof name, length ? "KEY, first %u byte%s" : "KEY(K)", length, length == 1 ? "" : "s");
        if (put_choice(c, name, d, out, err)) return -1;
    }
    for (unsigned k = PLAN_RANGE; k < PLAN_KINDS; k++) {
        const struct candidate *c = plan_view_find(d, (enum plan_kind)k, 0, v->wanted);
        if (c && c->choice->n != c->choice->room)
            snprintf(name, sizeof name, "%s (only %u)", names[k], c->choice->n);
        else
            snprintf(name, sizeof name, "%s", names[k]);
        if (c && put_choice(c, name, d, out, err)) return -1;
    }
    return 0;
}

static int put_lines(struct bytes rest, struct buf *out, struct err *err) {
    while (rest.n) {
        const struct bytes line = plan_take_line(&rest);
        if (buf_printf(out, err, "  %.*s\n", (int)line.n, (const char *)line.p)) return -1;
    }
    return 0;
}

static int put_best(const struct plan_view *v, const struct plan_design *d, struct buf *out, struct err *err) {
    if (buf_printf(out, err, "\nrecommendation\n")) return -1;
    for (uint32_t i = 0; i < d->listed && i < BEST_SHOWN; i++) {
        if (buf_printf(out, err, "  %u. ", i + 1) || plan_choice_describe(d->list[i].choice, out, err) ||
            buf_printf(out, err, ": %s\n", (const char *)d->list[i].why.p))
            return -1;
    }
    return put_lines(buf_bytes(&v->notes), out, err);
}

/* Writes the review of the table of --ddl. */
static int put_review(const struct plan_view *v, struct buf *out, struct err *err) {
    if (v->review.n && buf_printf(out, err, "\nthe table of --ddl\n")) return -1;
    return put_lines(buf_bytes(&v->review), out, err);
}

static int put_written(const struct plan_view *v, struct buf *out, struct err *err) {
    if (!v->written) return 0;
    return buf_printf(out, err, "\n%s: table.sql, create.hbase, splits.txt%s and plan.json for ", v->o->out.dir,
                      v->written->choice->bounds ? ", bounds.txt" : "") ||
                   plan_choice_describe(v->written->choice, out, err) || buf_put_byte(out, '\n', err)
               ? -1
               : 0;
}

/* ---- designs side by side ---- */

static int put_design(const struct plan_view *v, const struct plan_design *d, struct buf *out, struct err *err) {
    const struct key_facts *f = &d->r.facts;
    const struct candidate *key = plan_view_find(d, PLAN_KEY, 0, v->wanted), *range = plan_view_find(d, PLAN_RANGE, 0, v->wanted);
    char rows[32], group[16];
    if (buf_printf(out, err, "  %-*.*s %12s %7.1f %8.1f %7llu", DESIGN_WIDTH, DESIGN_WIDTH,
                   *d->text ? d->text : "(keys as they are)", report_count(f->rows, rows),
                   f->rows ? (double)f->key_bytes / (double)f->rows : 0,
                   f->cells ? (double)f->cell_key_bytes / (double)f->cells : 0, (unsigned long long)f->too_long))
        return -1;
    if (key && buf_printf(out, err, " %9.2f %7.0f %%", key->figures.bytes.max_mean, 100 * key->figures.hot_share)) return -1;
    if (range && buf_printf(out, err, " %9.2f %7.0f %% %8s %8.0f", range->figures.bytes.max_mean, 100 * range->figures.hot_share,
                            scan_text(d->group_bytes, range->figures.group_parts, group), range->figures.time_parts))
        return -1;
    if (buf_put_byte(out, '\n', err)) return -1;
    return d->r.unfit ? buf_printf(out, err, "    %llu cell%s no key: %s\n", (unsigned long long)d->r.unfit,
                                   d->r.unfit == 1 ? " gives" : "s give", d->r.unfit_why)
                      : 0;
}

static int put_designs(const struct plan_view *v, struct buf *out, struct err *err) {
    if (v->n_designs < 2) return 0;
    if (buf_printf(
            out, err,
            "\nkey designs, %u partition%s\n  %-*s %12s %7s %8s %7s %9s %9s %9s %9s %8s %8s\n  %-*s %12s %7s %8s %7s %9s %9s "
            "%9s %9s %8s %8s\n",
            v->wanted, v->wanted == 1 ? "" : "s", DESIGN_WIDTH, "", "", "bytes", "bytes", "over", "KEY(K)", "newest", "RANGE",
            "newest", "scan of", "scan of", DESIGN_WIDTH, "", "rows", "of key", "a cell", "1 KB", "max/mean", "1 %", "max/mean",
            "1 %", "group", "newest"))
        return -1;
    for (uint32_t i = 0; i < v->n_designs; i++)
        if (put_design(v, &v->designs[i], out, err)) return -1;
    return 0;
}

int plan_text_print(const struct plan_view *v, struct buf *out, struct err *err) {
    const struct plan_design *d = &v->designs[0];
    if (put_head(v, d, out, err)) return -1;
    if (!d->r.facts.rows) return 0;
    return put_lengths(d, out, err) || put_positions(d, out, err) || put_heavy(d, out, err) || put_choices(v, d, out, err) ||
                   put_best(v, d, out, err) || put_review(v, out, err) || put_designs(v, out, err) || put_written(v, out, err)
               ? -1
               : 0;
}
