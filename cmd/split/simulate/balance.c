/* The balance of regions over servers by their number, as SimpleLoadBalancer.balanceTable has it for one table: servers with
 * more than the mean rounded up give, those with less than it rounded down take. */
#include "cmd/split/simulate/balance_rule.h"
#include "cmd/split/simulate/state.h"

#include <stdlib.h>

/* The youngest region goes first: SimpleLoadBalancer sorts by the time of creation, newest first. */
static int64_t youngest_of(const struct sim_cluster *c, uint32_t server) {
    int64_t best = SIM_NONE;
    for (uint32_t i = 0; i < c->n_live; i++)
        if (c->regions[c->live[i]]->out.server == (int32_t)server && (int64_t)c->live[i] > best) best = c->live[i];
    return best;
}

static int move(struct sim_cluster *c, uint32_t region, uint32_t to, struct err *err) {
    struct region *r = c->regions[region];
    int32_t from = r->out.server;
    compaction_abort(c, region);
    r->epoch++;
    if (flush_close(c, region, "region is closed to be moved", err)) return -1;
    for (uint32_t f = 0; f < c->settings->n_families; f++) r->stores[f].references_until_ms = 0; /* closing removes them */
    c->servers[from].regions--;
    c->servers[to].regions++;
    r->out.server = (int32_t)to;
    struct sim_event e = {.kind = SIM_EVENT_MOVE,
                          .why = "server has too many regions",
                          .at_ms = c->now,
                          .region = (int32_t)region,
                          .family = SIM_NONE,
                          .server = from,
                          .to = {(int32_t)to, SIM_NONE}};
    return course_event(c, &e, err) || region_opened(c, region, err) ? -1 : 0;
}

static int move_all(struct sim_cluster *c, uint32_t *regions, struct err *err) {
    uint32_t from, to;
    while (balance_rule_next(regions, c->opts.servers, &from, &to)) {
        if (move(c, (uint32_t)youngest_of(c, from), to, err)) return -1;
        regions[from]--;
        regions[to]++;
    }
    return 0;
}

int balance_run(struct sim_cluster *c, struct err *err) {
    if (!c->unbalanced) return 0;
    c->unbalanced = false;
    uint32_t *regions = malloc(c->opts.servers * sizeof *regions);
    if (!regions) return err_nomem(err, c->opts.servers * sizeof *regions, "servers");
    for (uint32_t i = 0; i < c->opts.servers; i++) regions[i] = c->servers[i].regions;
    int rc = balance_rule_applies(regions, c->opts.servers, c->settings->server.slop) ? move_all(c, regions, err) : 0;
    free(regions);
    return rc;
}
