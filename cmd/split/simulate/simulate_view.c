/* The figures of a simulation, worked out once for all its forms (text, JSON, page, files), and the few words and numbers that
 * these forms print alike. */
#include "cmd/split/simulate/simulate_events.h"
#include "cmd/split/split.h"
#include "cmd/split/simulate/simulate_view.h"

#include <stdlib.h>

static int make_side(struct simulate_side *s, const struct write_history *c, uint64_t nodes, struct err *err) {
    uint64_t *amounts = calloc(c->places, sizeof *amounts);
    s->history = c;
    if (!amounts) return err_nomem(err, c->places * sizeof *amounts, "the balance of nodes");
    for (uint32_t i = 0; i < c->places; i++) amounts[i] = c->sums[i].writes;
    int rc = node_balance_make(amounts, c->places, (uint32_t)nodes, &s->nodes, err);
    free(amounts);
    return rc ? -1 : write_history_figures_make(c, &s->figures, err);
}

/* ---- an emulated cluster ---- */

static void make_cluster(struct simulate_view *v) {
    const struct sim_report *r = v->cluster.report;
    uint32_t busy = 0;
    v->counted.cells = r->totals.cells;
    v->counted.bytes = r->totals.bytes;
    for (uint32_t i = 0; i < r->n_buckets; i++) {
        const struct sim_bucket *b = &r->buckets[i];
        if (!b->bytes) continue;
        busy++;
        v->hot.mean += b->hottest_share;
        v->hot.ratio += b->hottest_share * b->regions;
        if (b->hottest_share > v->hot.most) v->hot.most = b->hottest_share;
    }
    if (busy) v->hot.mean /= busy;
    if (busy) v->hot.ratio /= busy;
}

/* ---- all ---- */

static void add_up(struct simulate_view *v) {
    for (uint32_t i = 0; i < v->r.regions.places; i++) {
        const struct place_sum *s = &v->r.regions.sums[i];
        v->counted.writes += s->writes;
        v->counted.cells += s->cells;
        v->counted.bytes += s->bytes;
    }
}

static uint64_t writes_of(const struct simulate_view *v) {
    uint64_t n = v->r.nowhere;
    for (uint32_t i = 0; i < v->r.partitions.places; i++) n += v->r.partitions.sums[i].writes;
    return n;
}

int simulate_view_make(struct simulate_view *v, struct err *err) {
    v->servers = (uint32_t)(split_options(v->o)->simulate.servers ? split_options(v->o)->simulate.servers : v->o->spread.nodes);
    if (v->emulated) {
        v->counted.writes = writes_of(v);
        make_cluster(v);
    } else {
        add_up(v);
        if (make_side(&v->regions, &v->r.regions, v->servers, err)) return -1;
    }
    if (make_side(&v->partitions, &v->r.partitions, v->o->spread.nodes, err)) return -1;
    return partitioning_describe(&v->table->partitioning, &v->partitioning, err) || buf_put_byte(&v->partitioning, 0, err) ? -1
                                                                                                                           : 0;
}

void simulate_view_free(struct simulate_view *v) {
    simulation_counts_free(&v->r);
    emulation_free(&v->cluster);
    simulate_events_free(&v->events);
    buf_free(&v->partitioning);
    node_balance_free(&v->regions.nodes);
    node_balance_free(&v->partitions.nodes);
    json_decref(v->shown.next);
}

struct bytes simulate_region_row(const struct simulate_view *v, uint32_t region) {
    return region ? buf_bytes(&v->r.bounds.list[region - 1]) : (struct bytes){0};
}

uint32_t simulate_hottest_in(const struct simulate_side *s, uint32_t place) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->history->slices; i++) n += s->figures.slices[i].most && s->figures.slices[i].hottest == place;
    return n;
}

int64_t simulate_slice_ms(const struct simulate_view *v, uint32_t slice) {
    const struct write_history *c = &v->r.partitions;
    uint64_t tick = c->first_tick + slice * c->slice_ticks;
    if (tick > v->r.facts.span_ticks) tick = v->r.facts.span_ticks;
    return v->r.facts.start_ms + (int64_t)(v->r.facts.tick_us == 1000 ? tick : tick / 1000);
}

double simulate_share(uint64_t part, uint64_t all) {
    return all ? (double)part / (double)all : 0;
}

void simulate_span_text(int64_t ms, char out[32]) {
    static const struct {
        int64_t ms;
        const char *name;
    } units[] = {{86400000, "d"}, {3600000, "h"}, {60000, "min"}, {1000, "s"}};
    unsigned i = 0;
    while (i < 3 && ms < units[i].ms) i++;
    if (i < 3)
        snprintf(out, 32, "%lld %s %lld %s", (long long)(ms / units[i].ms), units[i].name,
                 (long long)(ms % units[i].ms / units[i + 1].ms), units[i + 1].name);
    else if (ms && ms < 1000)
        snprintf(out, 32, "%lld ms", (long long)ms);
    else if (ms < 10000)
        snprintf(out, 32, "%.3g s", (double)ms / 1000);
    else
        snprintf(out, 32, "%.1f s", (double)ms / 1000);
}

static int put_hot_region(const struct simulate_view *v, struct buf *out, struct err *err) {
    char span[32];
    if (!v->emulated) {
        uint32_t n = v->regions.history->places;
        simulate_span_text(simulate_slice_ms(v, 1) - simulate_slice_ms(v, 0), span);
        return buf_printf(out, err, "In %s the hottest of %u region%s of HBase takes %.1f %% of the writes", span, n,
                          n == 1 ? "" : "s", 100 * v->regions.figures.hottest_mean);
    }
    const struct sim_totals *t = &v->cluster.report->totals;
    simulate_span_text(v->cluster.report->bucket_ms, span);
    return buf_printf(out, err,
                      "In %s the hottest region of HBase, of %u at the end, takes %.1f %% of the bytes (%.1f times the "
                      "mean of the regions at that time)",
                      span, t->regions, 100 * v->hot.mean, v->hot.ratio);
}

int simulate_verdict_put(const struct simulate_view *v, struct buf *out, struct err *err) {
    uint32_t n = v->partitions.history->places;
    if (!v->counted.writes) return buf_printf(out, err, "Nothing was written");
    if (put_hot_region(v, out, err)) return -1;
    return buf_printf(out, err, ", the hottest of %u partition%s of OceanBase %.1f %%", n, n == 1 ? "" : "s",
                      100 * v->partitions.figures.hottest_mean);
}

static bool is_plain(uint8_t c) {
    return c >= 0x20 && c < 0x7f && c != '\\';
}

/* Numbers of 8 bytes differ in their last bytes: where these do not fit as text, they may fit in hex. */
static bool is_shown_in_hex(struct bytes row, int columns) {
    size_t text = 0;
    for (size_t i = 0; i < row.n; i++) text += is_plain(row.p[i]) ? 1 : 4;
    return text > (size_t)columns && 2 * row.n + 2 <= (size_t)columns;
}

int simulate_row_put(struct buf *out, struct bytes row, int columns, struct err *err) {
    int w = 0;
    bool hex = is_shown_in_hex(row, columns);
    if (hex) w = 2;
    if (hex && buf_put(out, "0x", 2, err)) return -1;
    for (size_t i = 0; i < row.n; i++) {
        uint8_t c = row.p[i];
        int wide = hex ? 2 : is_plain(c) ? 1 : 4;
        if (w + wide > columns) break;
        if (buf_printf(out, err, hex ? "%02x" : wide == 1 ? "%c" : "\\x%02X", c)) return -1;
        w += wide;
    }
    return buf_printf(out, err, "%*s", columns - w, "");
}
