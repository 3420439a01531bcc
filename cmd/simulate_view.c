#include "cmd/simulate_view.h"

#include <stdlib.h>

static int make_side(struct simulate_side *s, const struct write_course *c, uint64_t nodes, struct err *err) {
    uint64_t *amounts = calloc(c->places, sizeof *amounts);
    s->course = c;
    if (!amounts) return err_nomem(err, c->places * sizeof *amounts, "the balance of nodes");
    for (uint32_t i = 0; i < c->places; i++) amounts[i] = c->sums[i].writes;
    int rc = node_balance_make(amounts, c->places, (uint32_t)nodes, &s->nodes, err);
    free(amounts);
    return rc ? -1 : write_course_figures_make(c, &s->figures, err);
}

int simulate_view_make(struct simulate_view *v, struct err *err) {
    for (uint32_t i = 0; i < v->r.regions.places; i++) {
        const struct place_sum *s = &v->r.regions.sums[i];
        v->writes += s->writes;
        v->cells += s->cells;
        v->bytes += s->bytes;
    }
    uint64_t servers = v->o->servers ? v->o->servers : v->o->nodes;
    if (make_side(&v->regions, &v->r.regions, servers, err) || make_side(&v->partitions, &v->r.partitions, v->o->nodes, err))
        return -1;
    return partitioning_describe(&v->table->partitioning, &v->partitioning, err) || buf_put_byte(&v->partitioning, 0, err) ? -1
                                                                                                                           : 0;
}

void simulate_view_free(struct simulate_view *v) {
    simple_result_free(&v->r);
    buf_free(&v->partitioning);
    node_balance_free(&v->regions.nodes);
    node_balance_free(&v->partitions.nodes);
}

struct bytes simulate_region_row(const struct simulate_view *v, uint32_t region) {
    return region ? buf_bytes(&v->r.bounds.list[region - 1]) : (struct bytes){0};
}

uint32_t simulate_hottest_in(const struct simulate_side *s, uint32_t place) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->course->slices; i++) n += s->figures.slices[i].most && s->figures.slices[i].hottest == place;
    return n;
}

int64_t simulate_slice_ms(const struct simulate_view *v, uint32_t slice) {
    const struct write_course *c = &v->r.regions;
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
    else if (ms < 10000)
        snprintf(out, 32, "%.3g s", (double)ms / 1000);
    else
        snprintf(out, 32, "%.1f s", (double)ms / 1000);
}

int simulate_verdict_put(const struct simulate_view *v, struct buf *out, struct err *err) {
    char span[32];
    if (!v->writes) return buf_printf(out, err, "Nothing was written");
    simulate_span_text(simulate_slice_ms(v, 1) - simulate_slice_ms(v, 0), span);
    return buf_printf(out, err,
                      "In %s the hottest of %u region%s of HBase takes %.1f %% of the writes, the hottest of %u partition%s of "
                      "OceanBase %.1f %%",
                      span, v->regions.course->places, v->regions.course->places == 1 ? "" : "s",
                      100 * v->regions.figures.hottest_mean, v->partitions.course->places,
                      v->partitions.course->places == 1 ? "" : "s", 100 * v->partitions.figures.hottest_mean);
}
