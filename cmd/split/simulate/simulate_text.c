/* `obkv-split simulate` as text for people: what was written, regions (fixed or emulated), servers and events of an
 * emulated cluster, partitions. simulate_view.c has the figures; how they change over time is on the page (--html). */
#include "cmd/common/output_text.h"
#include "cmd/common/report_figures.h"
#include "cmd/split/plan/advice.h"
#include "cmd/split/simulate/cluster_figures.h"
#include "cmd/split/simulate/simulate_events.h"
#include "cmd/split/simulate/simulate_try.h"
#include "cmd/split/simulate/simulate_view.h"
#include "cmd/split/split.h"

#include <math.h>

enum { PLACES_SHOWN = 24, ROW_SHOWN = 24, BAR = 20, REGIONS_SHOWN = 24, CLUSTER_ROW_SHOWN = 20, EVENTS_SHOWN = 8 };

/* ---- what was written ---- */

static int put_clock(const struct simulate_view *v, struct buf *out, struct err *err) {
    const struct write_stream_facts *f = &v->r.facts;
    char from[48], span[32];
    moment_text(simulate_slice_ms(v, 0), true, from);
    simulate_span_text(f->end_ms - simulate_slice_ms(v, 0), span);
    if (buf_printf(out, err, "from %s, for %s, ", from, span)) return -1;
    if (f->tick_us == 1000) return buf_printf(out, err, "at the times of their timestamps\n");
    return buf_printf(out, err, "%s each %llu us, %s\n",
                      split_options(v->o)->generate && v->table->n_families > 1 ? "a row" : "one",
                      (unsigned long long)split_options(v->o)->interval,
                      !strcmp(v->order, "generated") ? "as generated"
                      : !strcmp(v->order, "time")    ? "by timestamp"
                      : !strcmp(v->order, "key")     ? "in the order of their keys"
                                                     : "in the order of the inputs");
}

static int put_head(const struct simulate_view *v, struct buf *out, struct err *err) {
    char x[32], y[32], z[32];
    if (buf_printf(out, err, "%s writes, %s cells, %s of KeyValues", report_count(v->counted.writes, x),
                   report_count(v->counted.cells, y), report_bytes(v->counted.bytes, z)))
        return -1;
    if (v->r.sample_seen &&
        buf_printf(out, err, "; before them, %s whose keys give the bounds", report_count(v->r.sample_seen, x)))
        return -1;
    if (v->r.sample_kept < v->r.sample_seen &&
        buf_printf(out, err, " (memory holds %s of them, chosen by their hash)", report_count(v->r.sample_kept, x)))
        return -1;
    if (buf_put_byte(out, '\n', err) || put_clock(v, out, err)) return -1;
    const struct write_stream_facts *f = &v->r.facts;
    if (f->ledger.records_rejected &&
        buf_printf(out, err, "%s record%s left out; first: %s\n", report_count(f->ledger.records_rejected, x),
                   f->ledger.records_rejected == 1 ? " was rejected and is" : "s were rejected and are", v->shown.first_reject))
        return -1;
    if (f->unfit && buf_printf(out, err, "%s give no key: %s\n", report_count(f->unfit, x), f->unfit_why)) return -1;
    return 0;
}

static int put_verdict(const struct simulate_view *v, struct buf *out, struct err *err) {
    return buf_put_byte(out, '\n', err) || simulate_verdict_put(v, out, err) || buf_put_byte(out, '\n', err) ? -1 : 0;
}

/* ---- places ---- */

static int put_summary(const struct simulate_view *v, const struct simulate_side *s, const char *place, struct buf *out,
                       struct err *err) {
    const struct write_history_figures *f = &s->figures;
    char span[32];
    simulate_span_text(simulate_slice_ms(v, 1) - simulate_slice_ms(v, 0), span);
    return buf_printf(out, err,
                      "  in all: max/mean %.2f, cv %.3f, Gini %.3f, %u empty\n"
                      "  in %s: the hottest %s takes %.1f %% of the writes, at most %.1f %%; even would be %.1f %%\n"
                      "  %u of %u %ss %s the hottest at some time\n",
                      f->writes.max_mean, f->writes.cv, f->writes.gini, f->writes.empty, span, place, 100 * f->hottest_mean,
                      100 * f->hottest_most, 100.0 / s->history->places, f->hottest_places, s->history->places, place,
                      f->hottest_places == 1 ? "is" : "are");
}

static int put_region(const struct simulate_view *v, uint32_t i, struct buf *out, struct err *err) {
    static const char bar[] = "####################";
    const struct place_sum *s = &v->regions.history->sums[i];
    char writes[32], sampled[32] = "", bytes[32];
    uint64_t most = v->regions.figures.writes.most;
    int length = most ? (int)ceil(BAR * (double)s->writes / (double)most) : 0;
    if (v->r.sample_kept) report_count(v->r.sample_counts[i], sampled);
    if (buf_printf(out, err, "  %6u  ", i) ||
        simulate_row_put(out, i ? simulate_region_row(v, i) : bytes_str("(first)"), ROW_SHOWN, err))
        return -1;
    return buf_printf(out, err, "%12s %14s  %7.2f %%  %-*.*s  %10s %6u\n", sampled, report_count(s->writes, writes),
                      100 * simulate_share(s->writes, v->counted.writes), BAR, length, bar, report_bytes(s->bytes, bytes),
                      simulate_hottest_in(&v->regions, i));
}

static int put_regions(const struct simulate_view *v, struct buf *out, struct err *err) {
    uint32_t n = v->regions.history->places, shown = n < PLACES_SHOWN ? n : PLACES_SHOWN;
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
    if (partitioning_is_generated(&v->table->partitioning) &&
        buf_printf(out, err, "  no direct load, because of the generated column: " DIRECT_LOAD_LOST "\n"))
        return -1;
    return v->r.nowhere ? buf_printf(out, err, "  %s writes fit into no partition\n", report_count(v->r.nowhere, nowhere)) : 0;
}

/* ---- an emulated cluster ---- */

static int cluster_put_totals(const struct simulate_view *v, struct buf *out, struct err *err) {
    const struct sim_report *r = v->cluster.report;
    const struct sim_totals *t = &r->totals;
    char written[32], flushed[32], compacted[32], files[32], memory[32], blocked[32], waited[32];
    simulate_span_text(t->blocked_region_ms + t->blocked_server_ms, blocked);
    simulate_span_text(t->delay_ms, waited);
    return buf_printf(out, err,
                      "\nHBase, emulated: %u region%s at the start (%s), %u at the end on %u servers\n"
                      "  written %s; flushed to %s in %llu flushes; compacted to %s in %llu minor and %llu major compactions\n"
                      "  write amplification %.2f: bytes written to files for each byte flushed\n"
                      "  at the end %u files of %s, %s of memstores; %llu splits, %llu moves\n"
                      "  regions and servers refused writes for %s, which delayed the client by %s\n",
                      v->r.bounds.n + 1, v->r.bounds.n ? "s" : "", v->splits, t->regions, r->n_servers,
                      report_bytes(t->bytes, written), report_bytes(t->flushed_bytes, flushed),
                      (unsigned long long)t->events[SIM_EVENT_FLUSH], report_bytes(t->compacted_bytes, compacted),
                      (unsigned long long)t->events[SIM_EVENT_MINOR], (unsigned long long)t->events[SIM_EVENT_MAJOR],
                      t->write_amplification, t->files, report_bytes(t->file_bytes, files),
                      report_bytes(t->memstore_bytes, memory), (unsigned long long)t->events[SIM_EVENT_SPLIT],
                      (unsigned long long)t->events[SIM_EVENT_MOVE], blocked, waited);
}

/* ---- regions ---- */

static int cluster_put_region(const struct simulate_view *v, uint32_t i, struct buf *out, struct err *err) {
    const struct sim_report *r = v->cluster.report;
    const struct sim_region *g = &r->regions[i];
    struct sim_store sum = {0};
    char bytes[32], files[32], memory[32];
    for (uint32_t f = 0; f < r->n_families; f++) {
        sum.memstore_bytes += g->stores[f].memstore_bytes;
        sum.flushes += g->stores[f].flushes;
        sum.minors += g->stores[f].minors;
        sum.majors += g->stores[f].majors;
    }
    if (buf_printf(out, err, "  %6u  ", i) ||
        simulate_row_put(out, g->first.n ? g->first : bytes_str("(first)"), CLUSTER_ROW_SHOWN, err))
        return -1;
    return buf_printf(out, err, " %6d %11s %6.1f %% %11s %5u %11s %7llu %6llu %6llu\n", g->server, report_bytes(g->bytes, bytes),
                      100 * simulate_share(g->bytes, r->totals.bytes), report_bytes(g->file_bytes, files), g->files,
                      report_bytes(sum.memstore_bytes, memory), (unsigned long long)sum.flushes, (unsigned long long)sum.minors,
                      (unsigned long long)sum.majors);
}

static int cluster_put_regions(const struct simulate_view *v, struct buf *out, struct err *err) {
    const struct sim_report *r = v->cluster.report;
    if (buf_printf(out, err, "\n  %6s  %-*s %6s %11s %8s %11s %5s %11s %7s %6s %6s\n", "region", CLUSTER_ROW_SHOWN, "first row",
                   "server", "written", "share", "in files", "files", "memstore", "flushes", "minor", "major"))
        return -1;
    for (uint32_t i = 0; i < r->totals.regions && i < REGIONS_SHOWN; i++)
        if (cluster_put_region(v, r->live[i], out, err)) return -1;
    return r->totals.regions > REGIONS_SHOWN
               ? buf_printf(out, err, "  … and %u more: --json and --html have all\n", r->totals.regions - REGIONS_SHOWN)
               : 0;
}

/* ---- servers, events ---- */

static int cluster_put_servers(const struct simulate_view *v, struct buf *out, struct err *err) {
    const struct sim_report *r = v->cluster.report;
    char bytes[32], files[32];
    if (buf_printf(out, err, "\n  %6s %8s %11s %8s %11s\n", "server", "regions", "written", "share", "in files")) return -1;
    for (uint32_t i = 0; i < r->n_servers && i < REGIONS_SHOWN; i++) {
        const struct sim_server *s = &r->servers[i];
        if (buf_printf(out, err, "  %6u %8u %11s %6.1f %% %11s\n", i, s->regions, report_bytes(s->bytes, bytes),
                       100 * simulate_share(s->bytes, r->totals.bytes), report_bytes(s->file_bytes, files)))
            return -1;
    }
    return 0;
}

static int cluster_put_events(const struct simulate_view *v, struct buf *out, struct err *err) {
    const struct simulate_events *e = &v->events;
    char at[48], n[32];
    if (!e->n) return 0;
    if (buf_printf(out, err, "\nthe first of %s events (-o DIR writes all)\n", report_count(e->seen, n))) return -1;
    for (uint32_t i = 0; i < e->n && i < EVENTS_SHOWN; i++) {
        moment_text(e->list[i].at_ms, true, at);
        if (buf_printf(out, err, "  %s  %-6s region %d  ", at, sim_event_name(e->list[i].kind), e->list[i].region) ||
            simulate_event_describe(&e->list[i], out, err) || buf_put_byte(out, '\n', err))
            return -1;
    }
    return 0;
}

static int put_cluster(const struct simulate_view *v, struct buf *out, struct err *err) {
    return cluster_put_totals(v, out, err) || cluster_put_regions(v, out, err) || cluster_put_servers(v, out, err) ||
                   cluster_put_events(v, out, err)
               ? -1
               : 0;
}

/* ---- all ---- */

int simulate_text_print(const struct simulate_view *v, struct buf *out, struct err *err) {
    if (put_head(v, out, err)) return -1;
    if (!v->counted.writes) return 0;
    if (put_verdict(v, out, err)) return -1;
    if (v->emulated ? put_cluster(v, out, err) : put_regions(v, out, err)) return -1;
    return put_partitions(v, out, err) || simulate_designs_text(v, out, err) ? -1 : 0;
}
