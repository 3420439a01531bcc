/* The emulated cluster of `obkv-split simulate` as text. */
#include "cmd/split/simulate/heat_text.h"
#include "cmd/common/output_text.h"
#include "cmd/common/report.h"
#include "cmd/split/simulate/simulate_view.h"

enum { REGIONS_SHOWN = 24, ROW_SHOWN = 20, MAP_ROWS = 24, EVENTS_SHOWN = 8 };

static int put_totals(const struct simulate_view *v, struct buf *out, struct err *err) {
    const struct sim_report *r = v->cluster.report;
    const struct sim_totals *t = &r->totals;
    char written[32], flushed[32], compacted[32], files[32], memory[32], blocked[32], waited[32];
    simulate_span_text(t->blocked_region_ms + t->blocked_server_ms, blocked);
    simulate_span_text(t->delay_ms, waited);
    return buf_printf(out, err,
                      "\nHBase, emulated: %u region%s at first (%s), %u in the end on %u servers\n"
                      "  written %s; flushed to %s in %llu flushes; compacted to %s in %llu minor and %llu major compactions\n"
                      "  write amplification %.2f: bytes written to files for each byte flushed\n"
                      "  in the end %u files of %s, %s of memstores; %llu splits, %llu moves\n"
                      "  regions and servers refused writes for %s, the client came to be late by %s\n",
                      v->r.bounds.n + 1, v->r.bounds.n ? "s" : "", v->splits, t->regions, r->n_servers,
                      report_bytes(t->bytes, written), report_bytes(t->flushed_bytes, flushed),
                      (unsigned long long)t->events[SIM_EVENT_FLUSH], report_bytes(t->compacted_bytes, compacted),
                      (unsigned long long)t->events[SIM_EVENT_MINOR], (unsigned long long)t->events[SIM_EVENT_MAJOR],
                      t->write_amplification, t->files, report_bytes(t->file_bytes, files),
                      report_bytes(t->memstore_bytes, memory), (unsigned long long)t->events[SIM_EVENT_SPLIT],
                      (unsigned long long)t->events[SIM_EVENT_MOVE], blocked, waited);
}

/* ---- regions ---- */

static int put_region(const struct simulate_view *v, uint32_t i, struct buf *out, struct err *err) {
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
    if (buf_printf(out, err, "  %6u  ", i) || simulate_row_put(out, g->first.n ? g->first : bytes_str("(first)"), ROW_SHOWN, err))
        return -1;
    return buf_printf(out, err, " %6d %11s %6.1f %% %11s %5u %11s %7llu %6llu %6llu\n", g->server, report_bytes(g->bytes, bytes),
                      100 * simulate_share(g->bytes, r->totals.bytes), report_bytes(g->file_bytes, files), g->files,
                      report_bytes(sum.memstore_bytes, memory), (unsigned long long)sum.flushes, (unsigned long long)sum.minors,
                      (unsigned long long)sum.majors);
}

static int put_regions(const struct simulate_view *v, struct buf *out, struct err *err) {
    const struct sim_report *r = v->cluster.report;
    if (buf_printf(out, err, "\n  %6s  %-*s %6s %11s %8s %11s %5s %11s %7s %6s %6s\n", "region", ROW_SHOWN, "first row", "server",
                   "written", "share", "in files", "files", "memstore", "flushes", "minor", "major"))
        return -1;
    for (uint32_t i = 0; i < r->totals.regions && i < REGIONS_SHOWN; i++)
        if (put_region(v, r->live[i], out, err)) return -1;
    return r->totals.regions > REGIONS_SHOWN
               ? buf_printf(out, err, "  … and %u more: --json and --html have all\n", r->totals.regions - REGIONS_SHOWN)
               : 0;
}

/* ---- time × region ---- */

static uint32_t map_rows(const struct sim_report *r) {
    return r->n_regions < MAP_ROWS ? r->n_regions : MAP_ROWS;
}

/* The first region of a line: several share one where there are many. */
static uint64_t map_from(const struct sim_report *r, uint32_t row) {
    return (uint64_t)row * r->n_regions / map_rows(r);
}

static uint64_t map_at(const void *arg, uint32_t row, uint32_t bucket) {
    const struct simulate_view *v = arg;
    const struct sim_report *r = v->cluster.report;
    uint64_t n = 0;
    for (uint64_t i = map_from(r, row); i < map_from(r, row + 1); i++) n += r->regions[v->by_key[i]].course[bucket];
    return n;
}

static uint32_t map_label(const void *arg, uint32_t row) {
    const struct simulate_view *v = arg;
    return v->by_key[map_from(v->cluster.report, row)];
}

static int put_map(const struct simulate_view *v, struct buf *out, struct err *err) {
    const struct sim_report *r = v->cluster.report;
    const struct heat_text map = {map_rows(r), r->n_buckets, map_at, map_label, v};
    uint64_t most = heat_text_most(&map);
    char span[32], text[32];
    simulate_span_text(r->bucket_ms, span);
    if (buf_printf(out, err,
                   "\nbytes by region (down by first row, daughters below their parent) and time (right, a column is %s); @ is "
                   "%s\n",
                   span, report_bytes(most, text)))
        return -1;
    return heat_text_put(&map, most, out, err);
}

/* ---- servers, events ---- */

static int put_servers(const struct simulate_view *v, struct buf *out, struct err *err) {
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

static int put_events(const struct simulate_view *v, struct buf *out, struct err *err) {
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

int simulate_cluster_text(const struct simulate_view *v, struct buf *out, struct err *err) {
    return put_totals(v, out, err) || put_regions(v, out, err) || put_map(v, out, err) || put_servers(v, out, err) ||
                   put_events(v, out, err)
               ? -1
               : 0;
}
