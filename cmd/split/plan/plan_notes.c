/* Makes the notes of a plan beside its figures: what it had to assume and how to change that, which other counts are as good, and
 * why --access prefix:N is not followed where keys share these bytes or are no longer than they. Each note is one line, so that
 * text, page and JSON say the same. */
#include "cmd/common/opt_given.h"
#include "cmd/common/report_figures.h"
#include "cmd/split/plan/plan_notes.h"
#include "cmd/split/plan/plan_view.h"
#include "formats/hbase/attributes.h"
#include "formats/hbase/metadata.h"

#include <string.h>

enum { SMALL_PART = 100 };

/* ---- --access ---- */

/* The first byte at which keys differ, from 1 on; 0: not among the first PLAN_PREFIX_MAX. */
static uint32_t first_difference(const struct plan_design *d) {
    for (uint32_t n = 1; n <= PLAN_PREFIX_MAX; n++)
        if (d->r.runs.distinct[n] > 1) return n;
    return 0;
}

static int put_reason(const struct plan_design *d, uint32_t n, const struct candidate *asked, struct buf *out, struct err *err) {
    const uint32_t differ = first_difference(d);
    if (d->r.facts.longest <= n)
        return buf_printf(out, err, "no key is longer than %zu bytes, so these bytes are the whole key", d->r.facts.longest);
    if (d->r.runs.distinct[n] > 1) return buf_printf(out, err, "%s", (const char *)asked->why.p);
    if (buf_printf(out, err, "all keys begin with the same %u byte%s, so KEY on them puts every row into one partition", n,
                   n == 1 ? "" : "s"))
        return -1;
    return differ ? buf_printf(out, err, "; the first byte that differs is number %u", differ) : 0;
}

int plan_access_doubt(const struct plan_view *v, const struct plan_design *d, struct buf *out, struct err *err) {
    if (v->access != ACCESS_PREFIX || d->r.facts.rows < 2 || !d->n) return 0;
    const struct plan_choice *first = d->list[0].choice;
    if (first->kind == PLAN_KEY && first->prefix == v->access_bytes) return 0;
    const struct candidate *asked = plan_view_find(d, PLAN_KEY, v->access_bytes, v->wanted);
    if (buf_printf(out, err, "--access prefix:%u is not followed: ", v->access_bytes) ||
        put_reason(d, v->access_bytes, asked, out, err) || buf_printf(out, err, ". The recommendation is ") ||
        plan_choice_describe(first, out, err))
        return -1;
    if (d->list[0].figures.group_parts >= 2 &&
        buf_printf(out, err, ", where such a scan reads %.0f partitions", d->list[0].figures.group_parts))
        return -1;
    return buf_put_byte(out, 0, err);
}

/* ---- notes ---- */

/* More partitions of KEY(K) than the recommended number: a row of the list for each would say the same. */
static int note_counts(const struct plan_view *v, const struct plan_design *d, struct buf *out, struct err *err) {
    uint32_t first = 0, last = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        const struct plan_choice *c = d->list[i].choice;
        const struct plan_figures *f = &d->list[i].figures;
        if (c->kind != PLAN_KEY || c->prefix || c->n <= v->wanted || f->bytes.max_mean > PLAN_EVEN || f->bytes.empty || f->over)
            continue;
        if (!first || c->n < first) first = c->n;
        if (c->n > last) last = c->n;
    }
    if (!first) return 0;
    if (buf_printf(out, err, "KEY(K) is also even with %u", first) || (last > first && buf_printf(out, err, " to %u", last)))
        return -1;
    return buf_printf(out, err,
                      " partitions of --counts; each partition takes memory on its node (--take key:%u writes such a plan).\n",
                      first);
}

bool plan_one_does(const struct plan_view *v) {
    return !v->expects && v->expected_bytes * SMALL_PART <= (double)v->o->spread.max_partition;
}

/* Nothing was said of the size: a small input must not look as if its bytes needed all these partitions. */
static int note_size(const struct plan_view *v, struct buf *out, struct err *err) {
    char bytes[32], limit[32];
    const double most = (double)v->o->spread.max_partition;
    if (v->expects) return 0;
    if (buf_printf(out, err, "The table is assumed to stay as large as this input; give its future size with --expect SIZE.\n"))
        return -1;
    const uint64_t nodes = v->o->spread.nodes;
    if (!plan_one_does(v) || v->wanted < PLAN_PER_NODE * nodes) return 0;
    report_bytes((uint64_t)v->expected_bytes, bytes);
    report_bytes((uint64_t)most, limit);
    return buf_printf(out, err,
                      "%s need one partition (limit: %s). %u is the smallest of --counts that gives each of %llu node%s %d.\n"
                      "If the table stays this small, one partition does: --partition none, or a table without PARTITION BY.\n",
                      bytes, limit, v->wanted, (unsigned long long)nodes, nodes == 1 ? "" : "s", PLAN_PER_NODE);
}

/* Families take these from their table; of the others no counterpart is known. HBase 2 writes the first with every table. */
static bool is_of_families(const char *attribute) {
    static const char *const names[] = {"hbase.store.file-tracker.impl", "hbase.store.file-tracker.migration.src.impl",
                                        "hbase.hstore.time.to.purge.deletes", "RowPrefixBloomFilter.prefix_length",
                                        "IS_META" /* of each table */};
    for (unsigned i = 0; i < countof(names); i++)
        if (!strcmp(attribute, names[i])) return true;
    return false;
}

/* Notes the attributes of the table in a statement or description of HBase's shell that OceanBase does not have. */
static int note_attributes(const struct plan_view *v, struct buf *out, struct err *err) {
    const struct attribute_list *l = v->described ? &v->described->attributes : NULL;
    size_t n = 0;
    for (size_t i = 0; l && i < l->n; i++)
        if (!is_of_families(l->p[i].name) &&
            buf_printf(out, err, "%s%s",
                       n++ ? ", " : "Table attributes are passed over, which OceanBase does not have: ", l->p[i].name))
            return -1;
    return n ? buf_printf(out, err, ".\n") : 0;
}

int plan_notes_make(struct plan_view *v, struct err *err) {
    const struct plan_design *d = &v->designs[0];
    struct buf *out = &v->notes;
    if (!d->r.facts.rows) return 0;
    if (v->access == ACCESS_UNKNOWN &&
        buf_printf(out, err, "This suits Gets. If clients scan, add --access prefix:N (the first N bytes of keys) or range.\n"))
        return -1;
    if (note_counts(v, d, out, err) || note_size(v, out, err) || note_attributes(v, out, err)) return -1;
    if (opt_given(v->o, "nodes")) return 0;
    return buf_printf(out, err, "%llu nodes are assumed; give the number of your OBServer nodes with --nodes N.\n",
                      (unsigned long long)v->o->spread.nodes);
}
