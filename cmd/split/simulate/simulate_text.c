/* `obkv-split simulate` as text for people. */
#include "cmd/split/split.h"
#include "cmd/split/simulate/heat_text.h"
#include "cmd/common/output_text.h"
#include "cmd/common/report.h"
#include "cmd/split/simulate/simulate_view.h"

#include <math.h>

enum { PLACES_SHOWN = 24, ROW_SHOWN = 24, BAR = 20, MAP_ROWS = 16 };

/* ---- what was written ---- */

static int put_clock(const struct simulate_view *v, struct buf *out, struct err *err) {
    const struct write_stream_facts *f = &v->r.facts;
    char from[48], span[32];
    moment_text(simulate_slice_ms(v, 0), true, from);
    simulate_span_text(f->end_ms - simulate_slice_ms(v, 0), span);
    if (buf_printf(out, err, "from %s on for %s, ", from, span)) return -1;
    if (f->tick_us == 1000) return buf_printf(out, err, "at the times of their timestamps\n");
    return buf_printf(out, err, "%s each %llu us, %s\n",
                      split_options(v->o)->generate && v->table->n_families > 1 ? "a row" : "one",
                      (unsigned long long)split_options(v->o)->interval,
                      !strcmp(v->order, "generated") ? "as they are made"
                      : !strcmp(v->order, "time")    ? "by timestamp"
                      : !strcmp(v->order, "key")     ? "in the order of their keys"
                                                     : "as the inputs stand");
}

static int put_head(const struct simulate_view *v, struct buf *out, struct err *err) {
    char x[32], y[32], z[32];
    if (buf_printf(out, err, "%s writes, %s cells, %s of KeyValues", report_count(v->writes, x), report_count(v->cells, y),
                   report_bytes(v->bytes, z)))
        return -1;
    if (v->r.sample_seen &&
        buf_printf(out, err, "; before them %s whose keys give the bounds", report_count(v->r.sample_seen, x)))
        return -1;
    if (v->r.sample_kept < v->r.sample_seen &&
        buf_printf(out, err, " (memory holds %s of them, chosen by their hash)", report_count(v->r.sample_kept, x)))
        return -1;
    if (buf_put_byte(out, '\n', err) || put_clock(v, out, err)) return -1;
    const struct write_stream_facts *f = &v->r.facts;
    if (f->ledger.records_rejected &&
        buf_printf(out, err, "%s records were rejected and are left out\n", report_count(f->ledger.records_rejected, x)))
        return -1;
    if (f->unfit && buf_printf(out, err, "of %s no key can be made: %s\n", report_count(f->unfit, x), f->unfit_why)) return -1;
    return 0;
}

static int put_verdict(const struct simulate_view *v, struct buf *out, struct err *err) {
    return buf_put_byte(out, '\n', err) || simulate_verdict_put(v, out, err) || buf_put_byte(out, '\n', err) ? -1 : 0;
}

/* ---- places ---- */

static int put_summary(const struct simulate_view *v, const struct simulate_side *s, const char *place, struct buf *out,
                       struct err *err) {
    const struct write_course_figures *f = &s->figures;
    char span[32];
    simulate_span_text(simulate_slice_ms(v, 1) - simulate_slice_ms(v, 0), span);
    return buf_printf(out, err,
                      "  in all: max/mean %.2f, cv %.3f, Gini %.3f, %u empty\n"
                      "  in %s: the hottest %s takes %.1f %% of the writes, at most %.1f %%; even would be %.1f %%\n"
                      "  %u of %u %ss %s the hottest at some time\n",
                      f->writes.max_mean, f->writes.cv, f->writes.gini, f->writes.empty, span, place, 100 * f->hottest_mean,
                      100 * f->hottest_most, 100.0 / s->course->places, f->hottest_places, s->course->places, place,
                      f->hottest_places == 1 ? "is" : "are");
}

static int put_region(const struct simulate_view *v, uint32_t i, struct buf *out, struct err *err) {
    static const char bar[] = "####################";
    const struct place_sum *s = &v->regions.course->sums[i];
    char writes[32], sampled[32] = "", bytes[32];
    uint64_t most = v->regions.figures.writes.most;
    int length = most ? (int)ceil(BAR * (double)s->writes / (double)most) : 0;
    if (v->r.sample_kept) report_count(v->r.sample_counts[i], sampled);
    if (buf_printf(out, err, "  %6u  ", i) ||
        simulate_row_put(out, i ? simulate_region_row(v, i) : bytes_str("(first)"), ROW_SHOWN, err))
        return -1;
    return buf_printf(out, err, "%12s %14s  %7.2f %%  %-*.*s  %10s %6u\n", sampled, report_count(s->writes, writes),
                      100 * simulate_share(s->writes, v->writes), BAR, length, bar, report_bytes(s->bytes, bytes),
                      simulate_hottest_in(&v->regions, i));
}

static int put_regions(const struct simulate_view *v, struct buf *out, struct err *err) {
    uint32_t n = v->regions.course->places, shown = n < PLACES_SHOWN ? n : PLACES_SHOWN;
    if (buf_printf(out, err, "\nHBase: %u region%s (%s)\n", n, n == 1 ? "" : "s", v->splits) ||
        buf_printf(out, err, "  %6s  %-*s%12s %14s  %9s  %-*s  %10s %6s\n", "region", ROW_SHOWN, "first row",
                   v->r.sample_kept ? "sampled" : "", "writes", "share", BAR, "", "bytes", "hot in"))
        return -1;
    for (uint32_t i = 0; i < shown; i++)
        if (put_region(v, i, out, err)) return -1;
    if (shown < n && buf_printf(out, err, "  … and %u more: --json and --html have all\n", n - shown)) return -1;
    return put_summary(v, &v->regions, "region", out, err);
}

static int put_partitions(const struct simulate_view *v, struct buf *out, struct err *err) {
    char nowhere[32];
    if (buf_printf(out, err, "\nOceanBase: %s\n", (const char *)v->partitioning.p) ||
        put_summary(v, &v->partitions, "partition", out, err))
        return -1;
    return v->r.nowhere ? buf_printf(out, err, "  %s writes fit into no partition\n", report_count(v->r.nowhere, nowhere)) : 0;
}

/* ---- time × region ---- */

static uint32_t map_rows(const struct write_course *c) {
    return c->places < MAP_ROWS ? c->places : MAP_ROWS;
}

static uint32_t map_from(const void *course, uint32_t row) {
    const struct write_course *c = course;
    return (uint32_t)((uint64_t)row * c->places / map_rows(c));
}

/* Mean of the regions that share a line. */
static uint64_t map_at(const void *course, uint32_t row, uint32_t slice) {
    const struct write_course *c = course;
    uint32_t from = map_from(c, row), end = map_from(c, row + 1);
    uint64_t n = 0;
    for (uint32_t i = from; i < end; i++) n += c->writes[(size_t)slice * c->places + i];
    return (n + end - from - 1) / (end - from);
}

static int put_map(const struct simulate_view *v, struct buf *out, struct err *err) {
    const struct write_course *c = v->regions.course;
    const struct heat_text map = {map_rows(c), c->slices, map_at, map_from, c};
    uint64_t most = heat_text_most(&map);
    char span[32], text[32];
    simulate_span_text(simulate_slice_ms(v, 1) - simulate_slice_ms(v, 0), span);
    if (buf_printf(out, err, "\nwrites by region (down) and time (right, a column is %s); @ is %s\n", span,
                   report_count(most, text)))
        return -1;
    return heat_text_put(&map, most, out, err);
}

int simulate_text_print(const struct simulate_view *v, struct buf *out, struct err *err) {
    if (put_head(v, out, err)) return -1;
    if (!v->writes) return 0;
    if (put_verdict(v, out, err)) return -1;
    if (v->emulated ? simulate_cluster_text(v, out, err) : put_regions(v, out, err) || put_map(v, out, err)) return -1;
    return put_partitions(v, out, err);
}
