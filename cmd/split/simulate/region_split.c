/* Regions that change: splits (CompactSplit.requestSplit, HRegion.checkSplit, RegionSplitPolicy.getSplitPoint) and moves
 * between servers by their number (SimpleLoadBalancer.balanceTable), HBase 2.6. Both close regions: their memstores are
 * flushed first (memstore.c), compactions under way are void. The daughters of a split begin with references to the halves of
 * the parent's files. */
#include "cmd/split/simulate/cluster_figures.h"
#include "cmd/split/simulate/cluster_state.h"
#include "cmd/split/simulate/compaction.h"
#include "cmd/split/simulate/hbase_rules.h"
#include "cmd/split/simulate/memstore.h"
#include "cmd/split/simulate/region_split.h"

#include <stdlib.h>

/* The row in the middle of a store's largest file; of equal ones the newest. */
static bool store_middle(const struct store *s, struct bytes *row) {
    const struct region_file *file = NULL;
    for (uint32_t i = 0; i < s->n_files; i++)
        if (!file || s->files[i].facts.bytes >= file->facts.bytes) file = &s->files[i];
    return file && key_profile_middle(&file->keys, row);
}

static bool split_point(const struct sim_cluster *c, const struct region *r, const uint64_t *bytes, struct bytes *row) {
    struct bytes rows[SIM_FAMILIES_MAX];
    bool has[SIM_FAMILIES_MAX];
    uint32_t n = c->settings->n_families;
    for (uint32_t f = 0; f < n; f++) has[f] = store_middle(&r->stores[f], &rows[f]);
    size_t best = split_rule_store(bytes, has, n);
    if (best == SIZE_MAX) return false;
    *row = rows[best];
    return true;
}

/* HRegion.checkRow, and daughters must not be empty ranges. */
static bool inside(const struct region *r, struct bytes row) {
    return bytes_cmp(row, r->out.first) > 0 && (!r->out.last.n || bytes_cmp(row, r->out.last) < 0);
}

bool split_is_due(const struct sim_cluster *c, const struct region *r, struct bytes *row) {
    uint64_t bytes[SIM_FAMILIES_MAX];
    const struct sim_region_rules *rules = &c->settings->region;
    for (uint32_t f = 0; f < c->settings->n_families; f++) {
        if (store_has_references(&r->stores[f], c->now)) return false;
        bytes[f] = store_bytes(&r->stores[f]);
    }
    uint32_t regions = c->servers[r->out.server].regions;
    if (!split_rule_applies(rules, r->split_bytes, regions, bytes, c->settings->n_families)) return false;
    if (!split_point(c, r, bytes, row)) return false;
    *row = split_rule_row(rules, *row);
    return inside(r, *row);
}

/* The part of a file that a daughter holds: a reference, nothing where the file is wholly on the other side. */
static int add_reference(struct sim_cluster *c, struct region *daughter, uint32_t family, const struct region_file *file,
                         struct err *err) {
    struct store *s = &daughter->stores[family];
    double share;
    struct region_file ref = {.facts = file->facts};
    int rc = key_profile_clip(&file->keys, daughter->out.first, daughter->out.last, &ref.keys, &share, err);
    ref.facts.reference = true;
    ref.facts.name_hash = store_file_name_hash(c);
    ref.own_bytes = (uint64_t)(share * (double)file->own_bytes);
    if (!rc && ref.keys.n) {
        rc = store_add_file(c, s, s->n_files, &ref, err);
        if (!rc) return 0; /* it owns the keys now */
    }
    key_profile_free(&ref.keys);
    return rc;
}

static int divide(struct sim_cluster *c, struct region *parent, struct region *const *daughters, struct err *err) {
    for (uint32_t f = 0; f < c->settings->n_families; f++) {
        struct store *s = &parent->stores[f];
        for (uint32_t i = 0; i < s->n_files; i++)
            for (int d = 0; d < 2; d++)
                if (add_reference(c, daughters[d], f, &s->files[i], err)) return -1;
        store_free(c, s);
    }
    return 0;
}

static struct region *daughter(struct sim_cluster *c, uint32_t parent, struct bytes first, struct bytes last, struct err *err) {
    struct region *r = region_new(c, first, last, c->regions[parent]->out.server, err);
    if (r) r->out.parent = (int32_t)parent;
    return r;
}

static int split_region(struct sim_cluster *c, uint32_t region, struct bytes row, struct err *err) {
    struct region *r = c->regions[region];
    uint64_t bytes = 0;
    for (uint32_t f = 0; f < c->settings->n_families; f++) bytes += store_bytes(&r->stores[f]);
    compaction_abort(c, region);
    r->epoch++;
    uint32_t low = c->n_regions, high = low + 1, at = live_find(c, r->out.first);
    struct region *both[2] = {daughter(c, region, r->out.first, row, err), NULL};
    if (both[0]) both[1] = daughter(c, region, both[0]->out.last, r->out.last, err);
    if (!both[1] || memstore_close(c, region, "region is closed to be split", err) || divide(c, r, both, err)) return -1;
    r->out.gone_ms = c->now;
    c->live[at] = low;
    live_insert(c, at + 1, high);
    c->servers[r->out.server].regions++;
    c->unbalanced = true;
    struct sim_event e = {.kind = SIM_EVENT_SPLIT,
                          .why = "store file is large",
                          .at_ms = c->now,
                          .region = (int32_t)region,
                          .family = SIM_NONE,
                          .server = r->out.server,
                          .bytes_in = bytes,
                          .key = both[1]->out.first,
                          .to = {(int32_t)low, (int32_t)high}};
    if (event_record(c, &e, err)) return -1;
    return compaction_request_opened(c, low, err) || compaction_request_opened(c, high, err) ? -1 : 0;
}

int split_request(struct sim_cluster *c, uint32_t region, struct err *err) {
    struct region *r = c->regions[region];
    struct bytes row;
    if (!c->settings->region.split_enabled || c->servers[r->out.server].regions >= c->settings->server.region_limit) return 0;
    if (region_priority(c, r) < 1 || !split_is_due(c, r, &row)) return 0;
    return split_region(c, region, row, err) ? -1 : 1;
}

/* The balance of regions over servers by their number, as SimpleLoadBalancer.balanceTable has it for one table: servers with
 * more than the mean rounded up give, those with less than it rounded down take. */

/* The youngest region goes first: SimpleLoadBalancer sorts by the time of creation, newest first. */
static int64_t youngest_of(const struct sim_cluster *c, uint32_t server) {
    int64_t best = SIM_NONE;
    for (uint32_t i = 0; i < c->n_live; i++)
        if (c->regions[c->live[i]]->out.server == (int32_t)server && (int64_t)c->live[i] > best) best = c->live[i];
    return best;
}

static int move_region(struct sim_cluster *c, uint32_t region, uint32_t to, struct err *err) {
    struct region *r = c->regions[region];
    int32_t from = r->out.server;
    compaction_abort(c, region);
    r->epoch++;
    if (memstore_close(c, region, "region is closed to be moved", err)) return -1;
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
    return event_record(c, &e, err) || compaction_request_opened(c, region, err) ? -1 : 0;
}

static int move_all(struct sim_cluster *c, uint32_t *regions, struct err *err) {
    uint32_t from, to;
    while (balance_rule_next(regions, c->opts.servers, &from, &to)) {
        if (move_region(c, (uint32_t)youngest_of(c, from), to, err)) return -1;
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

/* CompactSplit.doCompaction: a store that is blocked is compacted again; otherwise the region may be due for a split. */
int split_after_compaction(struct sim_cluster *c, uint32_t region, uint32_t family, struct err *err) {
    bool crowded = compaction_is_crowded(c, region, family);
    int done = region_priority(c, c->regions[region]) < 1 && crowded ? 0 : split_request(c, region, err);
    if (done < 0) return -1;
    return !done && crowded ? compaction_request(c, region, family, err) : 0;
}
