/* `obkv-verify skew` as text for people: a table of partitions (all, or the heaviest), figures of families, heaviest rows and
 * prefixes, nodes. */
#include "cmd/common/report_figures.h"
#include "cmd/verify/info/info_text.h"
#include "cmd/verify/skew/skew_view.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* More partitions than SHOWN_ALL: the heaviest SHOWN only (--verbose: all). */
enum { SHOWN_ALL = 64, SHOWN = 20, BAR_WIDTH = 24, WIDE = 110, NAME_WIDTH = 24 };

struct text {
    const struct skew_view *v;
    struct buf *out;
    bool bars;
};

static bool is_wide(void) {
    struct winsize w;
    const char *columns = getenv("COLUMNS");
    if (columns && *columns) return strtol(columns, NULL, 10) >= WIDE;
    return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col >= WIDE;
}

static int put_head(const struct text *t, const char *what, struct err *err) {
    const struct skew_view *v = t->v;
    const struct skew_part *a = &v->all.total;
    char x[32], y[32];
    if (buf_printf(t->out, err, "%s: %s, %u famil%s%s\n ", what, (const char *)v->partitioning.p, v->families,
                   v->families == 1 ? "y" : "ies", v->r->quick ? ", by manifest and indexes only (--quick)" : ""))
        return -1;
    if (v->known[SKEW_ROWS] && buf_printf(t->out, err, " %s row%s,", report_count(a->rows, x), a->rows == 1 ? "" : "s"))
        return -1;
    if (buf_printf(t->out, err, " %s cell%s", report_count(a->cells, x), a->cells == 1 ? "" : "s")) return -1;
    if (a->deletes && buf_printf(t->out, err, " (%s delete marker%s)", report_count(a->deletes, x), a->deletes == 1 ? "" : "s"))
        return -1;
    if (buf_printf(t->out, err, ", %s of KeyValues", report_bytes(a->kv_bytes, x))) return -1;
    if (v->r->stored &&
        buf_printf(t->out, err, ", %s in %u file%s", report_bytes(a->file_bytes, y), a->files, a->files == 1 ? "" : "s"))
        return -1;
    return buf_put_byte(t->out, '\n', err);
}

static int put_rejects(const struct text *t, struct err *err) {
    const struct ledger *l = &t->v->r->ledger;
    char x[32], y[32];
    if (t->v->r->stored || !l->records_rejected) return 0;
    return buf_printf(t->out, err, "  %s of %s record%s would be rejected; first: %s\n", report_count(l->records_rejected, x),
                      report_count(l->records_read, y), l->records_read == 1 ? "" : "s", t->v->first_reject);
}

static int put_versions(const struct text *t, struct err *err) {
    const struct skew_part *a = &t->v->all.total;
    char x[32];
    if (!a->columns) return 0;
    if (buf_printf(t->out, err, "  versions per cell: mean %.2f, most %s;", skew_versions_mean(a),
                   report_count(a->versions_most, x)))
        return -1;
    const char *comma = "";
    for (struct skew_versions s = skew_versions_next(t->v, NULL); s.from; s = skew_versions_next(t->v, &s)) {
        double percent = 100.0 * (double)s.columns / (double)a->columns;
        int rc = s.to == s.from
                     ? buf_printf(t->out, err, "%s %llu:", comma, (unsigned long long)s.from)
                     : buf_printf(t->out, err, "%s %llu-%llu:", comma, (unsigned long long)s.from, (unsigned long long)s.to);
        if (rc || buf_printf(t->out, err, " %.1f %%", percent)) return -1;
        comma = ",";
    }
    return buf_put_byte(t->out, '\n', err);
}

static int put_sizes(const struct text *t, struct err *err) {
    const struct histogram *b = &t->v->r->sums.row_bytes, *c = &t->v->r->sums.row_cells;
    char x[32], y[32], z[32];
    if (!b->n) return 0;
    if (buf_printf(t->out, err, "  rows: half have up to %s, 99 %% up to %s, the largest %s",
                   report_bytes(histogram_share(b, 0.5), x), report_bytes(histogram_share(b, 0.99), y),
                   report_bytes(b->largest, z)))
        return -1;
    return buf_printf(t->out, err, "; cells: %s, %s, %s\n", report_count(histogram_share(c, 0.5), x),
                      report_count(histogram_share(c, 0.99), y), report_count(c->largest, z));
}

/* ---- how even ---- */

static const char *amount(const struct skew_view *v, enum skew_measure m, uint64_t n, char out[32]) {
    if (!v->known[m]) return "-";
    return m == SKEW_KV_BYTES || m == SKEW_FILE_BYTES ? report_bytes(n, out) : report_count(n, out);
}

static int put_spread(const struct text *t, const char *title, const struct skew_table *s, struct err *err) {
    static const char *const names[] = {"rows", "cells", "KeyValue bytes", "bytes in files"};
    char x[32], y[32], z[32];
    if (buf_printf(t->out, err, "\n%-*s %12s %12s %12s %9s %7s %7s %7s\n", NAME_WIDTH - 6, title, "mean", "median", "most",
                   "max/mean", "cv", "Gini", "empty"))
        return -1;
    for (int m = 0; m < SKEW_MEASURES; m++) {
        const struct spread *d = &s->spread[m];
        if (!t->v->known[m]) continue;
        if (buf_printf(t->out, err, "  %-16s %12s %12s %12s %9.2f %7.3f %7.3f %7u\n", names[m],
                       amount(t->v, (enum skew_measure)m, (uint64_t)(d->mean + 0.5), x),
                       amount(t->v, (enum skew_measure)m, d->median, y), amount(t->v, (enum skew_measure)m, d->most, z),
                       d->max_mean, d->cv, d->gini, d->empty))
            return -1;
    }
    return 0;
}

static int put_spreads(const struct text *t, struct err *err) {
    const struct skew_view *v = t->v;
    char title[64];
    snprintf(title, sizeof title, "%u partition%s", v->partitions, v->partitions == 1 ? "" : "s");
    if (put_spread(t, title, &v->all, err)) return -1;
    for (uint32_t f = 0; v->families > 1 && f < v->families; f++) {
        snprintf(title, sizeof title, "family %.40s", v->table->families[f].name);
        if (put_spread(t, title, &v->family[f], err)) return -1;
    }
    return 0;
}

/* ---- partitions ---- */

static int put_bar(const struct text *t, uint64_t bytes, struct err *err) {
    uint64_t most = t->v->all.spread[SKEW_KV_BYTES].most;
    unsigned n = most ? (unsigned)((double)bytes / (double)most * BAR_WIDTH + 0.5) : 0;
    if (!n && bytes) n = 1;
    if (!t->bars || !n) return 0;
    return buf_printf(t->out, err, "  %.*s", (int)n, "########################");
}

static int put_partition(const struct text *t, uint32_t i, struct err *err) {
    const struct skew_view *v = t->v;
    const struct skew_part *p = &v->all.parts[i];
    const double mean = v->all.spread[SKEW_KV_BYTES].mean;
    char versions[64] = "-", rows[32], cells[32], kv[32], file[32];
    if (p->columns) snprintf(versions, sizeof versions, "%.2f/%llu", skew_versions_mean(p), (unsigned long long)p->versions_most);
    if (buf_printf(t->out, err, "  %-*.60s %12s %12s %12s %12s %12s %7.2f", NAME_WIDTH, v->table->partitioning.names[i],
                   amount(v, SKEW_ROWS, p->rows, rows), amount(v, SKEW_CELLS, p->cells, cells), versions,
                   amount(v, SKEW_KV_BYTES, p->kv_bytes, kv), amount(v, SKEW_FILE_BYTES, p->file_bytes, file),
                   mean > 0 ? (double)p->kv_bytes / mean : 0))
        return -1;
    return put_bar(t, p->kv_bytes, err) ? -1 : buf_put_byte(t->out, '\n', err);
}

static int put_partitions(const struct text *t, struct err *err) {
    const struct skew_view *v = t->v;
    bool all = v->partitions <= SHOWN_ALL || v->o->messages.verbose;
    uint32_t n = all ? v->partitions : SHOWN;
    uint32_t *order = skew_view_order(v, !all, err);
    if (!order) return -1;
    int rc =
        buf_printf(t->out, err, "\n  %-*s %12s %12s %12s %12s %12s %7s\n", NAME_WIDTH, all ? "partition" : "heaviest partitions",
                   "rows", "cells", "versions", "KeyValues", "in files", "x mean");
    for (uint32_t i = 0; !rc && i < n; i++) rc = put_partition(t, order[i], err);
    if (!rc && !all) rc = buf_printf(t->out, err, "  (%u more; --verbose lists all)\n", v->partitions - n);
    free(order);
    return rc;
}

static int put_over(const struct text *t, struct err *err) {
    const struct skew_view *v = t->v;
    char x[32];
    report_bytes(v->o->spread.max_partition, x);
    if (!v->n_over) return buf_printf(t->out, err, "\n  no partition of a family above %s (--max-partition)\n", x);
    if (buf_printf(t->out, err, "\n  %u above %s (--max-partition):\n", v->n_over, x)) return -1;
    for (uint32_t i = 0; i < v->n_over && i < SHOWN_ALL; i++)
        if (buf_printf(t->out, err, "    %s of family %s: %s\n", v->table->partitioning.names[v->over[i].partition],
                       v->table->families[v->over[i].family].name, report_bytes(v->over[i].bytes, x)))
            return -1;
    return v->n_over > SHOWN_ALL ? buf_printf(t->out, err, "    … and %u more\n", v->n_over - SHOWN_ALL) : 0;
}

/* ---- nodes, rows, prefixes ---- */

static int put_nodes(const struct text *t, struct err *err) {
    const struct node_balance *b = &t->v->nodes;
    return buf_printf(t->out, err, "  on %u nodes: max/mean %.2f dealt round-robin, %.2f by size\n", b->nodes,
                      b->round_robin_max_mean, b->greedy_max_mean);
}

static int put_rows(const struct text *t, struct err *err) {
    const struct skew_view *v = t->v;
    const struct top_rows *rows = &v->r->sums.heaviest;
    char x[32], y[32];
    if (rows->n &&
        buf_printf(t->out, err, "\n  %12s %7s %12s  %s\n", "heaviest rows", "share", "cells", "partition, family, row"))
        return -1;
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct top_row *r = &rows->rows[i];
        if (buf_printf(t->out, err, "  %13s %5.1f %% %12s  %s %s ", report_bytes(r->bytes, x), 100 * skew_share(v, r->bytes),
                       report_count(r->cells, y), v->table->partitioning.names[r->partition], v->table->families[r->family].name))
            return -1;
        if (info_put_bytes(t->out, top_row_key(r), err) || buf_put_byte(t->out, '\n', err)) return -1;
    }
    return 0;
}

static int put_prefix(const struct text *t, const struct key_prefix_weight *p, struct err *err) {
    double low = 100 * skew_share(t->v, p->low.bytes), high = 100 * skew_share(t->v, p->high.bytes);
    char x[32], y[32], range[64];
    snprintf(range, sizeof range, (int)(10 * low + 0.5) == (int)(10 * high + 0.5) ? "%.1f %%" : "%.1f-%.1f %%", low, high);
    if (buf_printf(t->out, err, "  %13s %12s %12s  ", report_bytes(p->low.bytes + (p->high.bytes - p->low.bytes) / 2, x), range,
                   t->v->known[SKEW_ROWS] ? report_count(p->low.rows + (p->high.rows - p->low.rows) / 2, y) : "-"))
        return -1;
    return info_put_bytes(t->out, bytes_of(p->key, p->n), err) || buf_put_byte(t->out, '\n', err) ? -1 : 0;
}

static int put_prefixes(const struct text *t, struct err *err) {
    const struct key_prefixes *p = &t->v->prefixes;
    if (p->n && buf_printf(t->out, err, "\n  %13s %12s %12s  %s\n", "heavy prefixes", "share", "rows", "of row keys")) return -1;
    for (uint32_t i = 0; i < p->n; i++)
        if (put_prefix(t, &p->list[i], err)) return -1;
    return 0;
}

int skew_text_print(const struct skew_view *v, const char *what, struct buf *out, struct err *err) {
    const struct text t = {v, out, is_wide()};
    if (put_head(&t, what, err) || put_rejects(&t, err) || put_versions(&t, err) || put_sizes(&t, err)) return -1;
    if (put_spreads(&t, err) || put_partitions(&t, err) || put_over(&t, err) || put_nodes(&t, err)) return -1;
    return put_rows(&t, err) || put_prefixes(&t, err) ? -1 : 0;
}
