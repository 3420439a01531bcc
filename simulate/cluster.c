#include "simulate/cluster.h"

#include "base/buf.h"
#include "simulate/state.h"

#include <stdlib.h>

static int check(const struct sim_options *o, struct err *err) {
    if (!o->servers || o->servers > SIM_SERVERS_MAX)
        return err_set(err, ERR_USAGE, "%u servers: 1 to %d are emulated", o->servers, SIM_SERVERS_MAX);
    for (uint32_t i = 0; i < o->n_splits; i++)
        if (!o->splits[i].n || (i && bytes_cmp(o->splits[i - 1], o->splits[i]) >= 0))
            return err_set(err, ERR_USAGE, "the first rows of regions are not in ascending order");
    return 0;
}

/* BaseLoadBalancer.roundRobinAssignment, from a server that the seed draws. */
static int add_regions(struct sim_cluster *c, const struct sim_options *o, struct err *err) {
    uint32_t server = (uint32_t)(o->seed % o->servers);
    for (uint32_t i = 0; i <= o->n_splits; i++, server = (server + 1) % o->servers) {
        struct bytes first = i ? o->splits[i - 1] : bytes_of("", 0);
        struct bytes last = i < o->n_splits ? o->splits[i] : bytes_of("", 0);
        if (!region_new(c, first, last, (int32_t)server, err)) return -1;
        live_insert(c, i, i);
    }
    return 0;
}

struct sim_cluster *sim_cluster_new(const struct sim_options *o, struct err *err) {
    enum { MEMORY_DEFAULT = 256 << 20 };
    if (check(o, err)) return NULL;
    struct sim_cluster *c = calloc(1, sizeof *c);
    if (!c) return err_nomem(err, sizeof *c, "a cluster"), NULL;
    c->opts = *o;
    c->settings = o->settings;
    c->now = o->start_ms;
    c->bucket_ms = 1;
    c->memory_most = o->memory_bytes ? o->memory_bytes : MEMORY_DEFAULT;
    c->servers = sim_memory_take(c, o->servers * sizeof *c->servers, "servers", err);
    if (c->servers && !add_regions(c, o, err)) return c;
    sim_cluster_free(c);
    return NULL;
}

int sim_cluster_advance(struct sim_cluster *c, int64_t at_ms, struct err *err) {
    (void)err;
    if (at_ms <= c->now) return 0;
    c->now = at_ms;
    course_advance(c);
    return 0;
}

/* keyLength, valueLength, key, value, tags: as a block of an HFile has it. */
static uint64_t keyvalue_bytes(const struct sim_cluster *c, const struct sim_cell *cell) {
    uint64_t n = 4 + 4 + 2 + cell->row.n + 1 + strlen(c->settings->families[cell->family].name) + 8 + 1;
    return n + cell->qualifier_bytes + cell->value_bytes + (cell->tags_bytes ? 2 + cell->tags_bytes : 0);
}

int sim_cluster_put(struct sim_cluster *c, int64_t at_ms, const struct sim_cell *cell, struct err *err) {
    if (sim_cluster_advance(c, at_ms, err)) return -1;
    c->last = live_find(c, cell->row);
    struct region *r = c->regions[c->live[c->last]];
    uint64_t bytes = keyvalue_bytes(c, cell);
    r->out.cells++;
    r->out.bytes += bytes;
    r->out.course[c->bucket] += bytes;
    c->totals.cells++;
    c->totals.bytes += bytes;
    course_now(c)->cells++;
    course_now(c)->bytes += bytes;
    return 0;
}

void sim_cluster_free(struct sim_cluster *c) {
    if (!c) return;
    for (uint32_t i = 0; i < c->n_regions; i++) region_free(c, c->regions[i]);
    free(c->regions);
    free(c->live);
    free(c->servers);
    free(c->report_regions);
    free(c);
}
