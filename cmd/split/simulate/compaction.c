/* Compactions: CompactSplit, HStore.requestCompaction and compact, PressureAwareCompactionThroughputController, HBase 2.6. A
 * store that has enough files asks for one; a thread of its server takes the most urgent request, and only then it is decided
 * which files it gives (hbase_rules.c). What follows a compaction, another one or a split, is up to the caller. */
#include "cmd/split/simulate/cluster_figures.h"
#include "cmd/split/simulate/cluster_state.h"

#include "base/buf.h"
#include "cmd/split/simulate/compaction.h"

#include <math.h>
#include <stdlib.h>

static const struct sim_compaction *rules_of(const struct sim_cluster *c, uint32_t family) {
    return &c->settings->families[family].compaction;
}

static struct store *store_of(struct sim_cluster *c, uint32_t region, uint32_t family) {
    return &c->regions[region]->stores[family];
}

static int enqueue(struct sim_cluster *c, struct compaction_pool *p, uint32_t region, uint32_t family, struct err *err) {
    for (uint32_t i = 0; i < p->n; i++)
        if (p->requests[i].region == region && p->requests[i].family == family) return 0;
    if (grow_array(&p->requests, p->n, sizeof *p->requests, "a queue of compactions", err)) return -1;
    int priority = store_priority(store_of(c, region, family), rules_of(c, family));
    p->requests[p->n++] = (struct compaction_request){region, family, priority, c->numbers.requests++};
    return 0;
}

/* The most urgent one; of equals the one that asked first. */
static struct compaction_request take_request(struct compaction_pool *p) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < p->n; i++)
        if (p->requests[i].priority < p->requests[best].priority ||
            (p->requests[i].priority == p->requests[best].priority && p->requests[i].order < p->requests[best].order))
            best = i;
    struct compaction_request w = p->requests[best];
    p->requests[best] = p->requests[--p->n];
    return w;
}

/* Bytes a second of one compaction: HBase's limit by how near the server's stores are to blocking, shared by those that run. */
static double speed(const struct sim_cluster *c, uint32_t server, bool offpeak_hour) {
    const struct sim_server_rules *r = &c->settings->server;
    const struct cluster_server *s = &c->servers[server];
    double pressure = 0, disk = (double)r->disk_bytes_s;
    for (uint32_t i = 0; i < c->n_live; i++) {
        const struct region *g = c->regions[c->live[i]];
        for (uint32_t f = 0; g->out.server == (int32_t)server && f < c->settings->n_families; f++) {
            const struct sim_compaction *k = rules_of(c, f);
            if (g->stores[f].n_files <= k->min_files) continue;
            double own = ((double)g->stores[f].n_files - k->min_files) / ((double)k->blocking_files - k->min_files);
            if (own > pressure) pressure = own;
        }
    }
    double low = (double)r->compaction_low_bytes_s, high = (double)r->compaction_high_bytes_s;
    double most = offpeak_hour ? (double)r->compaction_offpeak_bytes_s : low + (high - low) * pressure;
    if (pressure > 1 || most > disk) most = disk;
    return most / (s->pools[POOL_SMALL].running + s->pools[POOL_LARGE].running);
}

/* Returns the facts about the files of a store that select_files needs. To be freed. */
static struct select_file *facts_of(const struct store *s, struct err *err) {
    struct select_file *files = malloc((s->n_files + 1) * sizeof *files);
    if (!files) {
        err_nomem(err, s->n_files * sizeof *files, "store files");
        return NULL;
    }
    for (uint32_t i = 0; i < s->n_files; i++) {
        files[i] = s->files[i].facts;
        files[i].compacting = s->files[i].compaction != 0;
    }
    return files;
}

static int select_now(struct sim_cluster *c, uint32_t region, uint32_t family, struct select_result *out, struct err *err) {
    const struct store *s = store_of(c, region, family);
    const struct sim_compaction *k = rules_of(c, family);
    struct select_state state = {.now_ms = c->now,
                                 .ttl_ms = c->settings->families[family].ttl_ms,
                                 .force_major = s->force_major,
                                 .offpeak =
                                     select_is_offpeak(c->now, k) && !c->servers[c->regions[region]->out.server].offpeak_runs};
    struct select_file *files = facts_of(s, err);
    if (!files) return -1;
    *out = select_files(files, s->n_files, &state, k);
    free(files);
    return 0;
}

static uint64_t bytes_in(const struct store *s, const struct select_result *r, bool own) {
    uint64_t bytes = 0;
    for (size_t i = r->first; i < r->first + r->n; i++) bytes += own ? s->files[i].own_bytes : s->files[i].facts.bytes;
    return bytes;
}

static const char *reason(const struct store *s, const struct select_result *r) {
    for (size_t i = r->first; i < r->first + r->n; i++)
        if (s->files[i].facts.reference) return "references after a split";
    return r->major ? "major compaction is due" : r->all_files ? "all files were selected" : "files were selected";
}

static int begin_compaction(struct sim_cluster *c, const struct compaction_request *w, uint32_t pool,
                            const struct select_result *r, struct err *err) {
    struct store *s = store_of(c, w->region, w->family);
    uint32_t number = ++c->numbers.compactions, server = (uint32_t)c->regions[w->region]->out.server;
    c->servers[server].pools[pool].running++;
    c->servers[server].offpeak_runs |= r->offpeak;
    if (r->major) s->force_major = false;
    for (size_t i = r->first; i < r->first + r->n; i++) s->files[i].compaction = number;
    double rate = speed(c, server, select_is_offpeak(c->now, rules_of(c, w->family)));
    return timeline_put(&c->timeline,
                        (struct cluster_moment){.at_ms = c->now + (int64_t)((double)bytes_in(s, r, true) * 1000 / rate) + 1,
                                                .since_ms = c->now,
                                                .kind = MOMENT_COMPACTED,
                                                .server = server,
                                                .region = w->region,
                                                .epoch = c->regions[w->region]->epoch,
                                                .family = w->family,
                                                .pool = pool,
                                                .number = number,
                                                .all_files = r->all_files,
                                                .offpeak = r->offpeak,
                                                .why = reason(s, r)},
                        err);
}

/* A thread is free: what comes of the most urgent wish. */
static int start_one(struct sim_cluster *c, struct cluster_server *s, uint32_t pool, struct err *err) {
    struct compaction_request w = take_request(&s->pools[pool]);
    struct select_result r;
    if (select_now(c, w.region, w.family, &r, err)) return -1;
    if (!r.n) return 0;
    bool large = bytes_in(store_of(c, w.region, w.family), &r, false) > rules_of(c, w.family)->throttle_bytes;
    if (pool == POOL_SMALL && large) return enqueue(c, &s->pools[POOL_LARGE], w.region, w.family, err);
    return begin_compaction(c, &w, pool, &r, err);
}

int compaction_start(struct sim_cluster *c, uint32_t server, struct err *err) {
    struct cluster_server *s = &c->servers[server];
    const uint32_t threads[POOLS] = {c->settings->server.small_compactions, c->settings->server.large_compactions};
    for (uint32_t p = 0; p < POOLS; p++)
        while (s->pools[p].n && s->pools[p].running < threads[p])
            if (start_one(c, s, p, err)) return -1;
    return 0;
}

int compaction_request(struct sim_cluster *c, uint32_t region, uint32_t family, struct err *err) {
    if (!c->settings->region.compaction_enabled) return 0;
    uint32_t server = (uint32_t)c->regions[region]->out.server;
    return enqueue(c, &c->servers[server].pools[POOL_SMALL], region, family, err) ? -1 : compaction_start(c, server, err);
}

int compaction_request_all(struct sim_cluster *c, uint32_t region, struct err *err) {
    for (uint32_t f = 0; f < c->settings->n_families; f++)
        if (compaction_request(c, region, f, err)) return -1;
    return 0;
}

void compaction_abort(struct sim_cluster *c, uint32_t region) {
    struct region *r = c->regions[region];
    for (uint32_t f = 0; f < c->settings->n_families; f++)
        for (uint32_t i = 0; i < r->stores[f].n_files; i++) r->stores[f].files[i].compaction = 0;
    for (uint32_t p = 0; p < POOLS; p++) {
        struct compaction_pool *pool = &c->servers[r->out.server].pools[p];
        for (uint32_t i = pool->n; i-- > 0;)
            if (pool->requests[i].region == region) pool->requests[i] = pool->requests[--pool->n];
    }
}

/* Sums over the files that a compaction reads, and the file that it makes of them. */
struct compaction_merged {
    uint32_t files, references;
    uint64_t bytes;
    struct region_file out;
};

static int merge_files(struct sim_cluster *c, struct store *s, const struct cluster_moment *m, struct compaction_merged *out,
                       struct err *err) {
    const struct sim_family *f = &c->settings->families[m->family];
    const struct key_profile **parts = malloc((s->n_files + 1) * sizeof(*parts));
    if (!parts) return err_nomem(err, s->n_files * sizeof(*parts), "store files");
    *out = (struct compaction_merged){.out = {.facts = {.made_ms = c->now, .oldest_ms = INT64_MAX, .compacted = m->all_files}}};
    for (uint32_t i = 0; i < s->n_files; i++) {
        if (s->files[i].compaction != m->number) continue;
        parts[out->files++] = &s->files[i].keys;
        out->bytes += s->files[i].own_bytes;
        out->references += s->files[i].facts.reference;
        if (s->files[i].facts.oldest_ms < out->out.facts.oldest_ms) out->out.facts.oldest_ms = s->files[i].facts.oldest_ms;
    }
    int rc = key_profile_merge(parts, out->files, &out->out.keys, err);
    free(parts);
    out->out.facts.bytes = (uint64_t)ceil((double)out->bytes * (m->all_files ? f->major_kept : f->compaction_kept));
    out->out.own_bytes = out->out.facts.bytes;
    out->out.facts.name_hash = store_file_name_hash(c);
    return rc;
}

/* Replaces the inputs of a compaction by its output, in the place of the newest of them: files are in the order of their sequence
 * ids. */
static int replace_files(struct sim_cluster *c, struct store *s, const struct cluster_moment *m, const struct region_file *by,
                         struct err *err) {
    uint32_t at = 0;
    for (uint32_t i = s->n_files; i-- > 0;) {
        if (s->files[i].compaction != m->number) continue;
        store_drop_file(c, s, i);
        at = i;
    }
    return store_add_file(c, s, at, by, err);
}

/* CompactedHFilesDischarger's next round. */
static int64_t next_discharge(const struct sim_cluster *c) {
    int64_t period = c->settings->server.discharge_ms, start = c->opts.start_ms;
    return start + ((c->now - start) / period + 1) * period;
}

static int write_result(struct sim_cluster *c, const struct cluster_moment *m, struct err *err) {
    struct store *s = store_of(c, m->region, m->family);
    struct compaction_merged merged;
    if (merge_files(c, s, m, &merged, err) || replace_files(c, s, m, &merged.out, err)) {
        key_profile_free(&merged.out.keys);
        return -1;
    }
    if (merged.references) s->references_until_ms = next_discharge(c);
    *(m->all_files ? &s->majors : &s->minors) += 1;
    c->totals.compacted_in_bytes += merged.bytes;
    c->totals.compacted_bytes += merged.out.own_bytes;
    current_bucket(c)->compacted_bytes += merged.out.own_bytes;
    struct sim_event e = {.kind = m->all_files ? SIM_EVENT_MAJOR : SIM_EVENT_MINOR,
                          .why = m->why,
                          .at_ms = m->since_ms,
                          .took_ms = c->now - m->since_ms,
                          .region = (int32_t)m->region,
                          .family = (int32_t)m->family,
                          .server = (int32_t)m->server,
                          .files = merged.files,
                          .bytes_in = merged.bytes,
                          .bytes_out = merged.out.own_bytes,
                          .to = {SIM_NONE, SIM_NONE}};
    return event_record(c, &e, err);
}

int compaction_end(struct sim_cluster *c, const struct cluster_moment *m, struct err *err) {
    c->servers[m->server].pools[m->pool].running--;
    if (m->offpeak) c->servers[m->server].offpeak_runs = false;
    if (c->regions[m->region]->epoch != m->epoch) return 0;
    return write_result(c, m, err) ? -1 : 1;
}

bool compaction_is_crowded(const struct sim_cluster *c, uint32_t region, uint32_t family) {
    return store_priority(&c->regions[region]->stores[family], rules_of(c, family)) <= 0;
}

/* HStore.shouldPerformMajorCompaction. 1, 0, -1 */
static int major_is_due(struct sim_cluster *c, const struct store *s, uint32_t family, struct err *err) {
    struct select_state state = {.now_ms = c->now, .ttl_ms = c->settings->families[family].ttl_ms};
    struct select_file *files = facts_of(s, err);
    if (!files) return -1;
    bool due = select_is_major_due(files, s->n_files, &state, rules_of(c, family));
    free(files);
    return due;
}

static int check_store(struct sim_cluster *c, uint32_t region, uint32_t family, struct err *err) {
    struct store *s = store_of(c, region, family);
    bool needed = store_needs_compaction(s, rules_of(c, family));
    int due = needed ? 0 : major_is_due(c, s, family, err);
    if (due < 0) return -1;
    s->force_major |= due == 1;
    return needed || due ? compaction_request(c, region, family, err) : 0;
}

int compaction_check(struct sim_cluster *c, uint64_t round, struct err *err) {
    for (uint32_t i = 0; c->settings->region.compaction_enabled && i < c->n_live; i++)
        for (uint32_t f = 0; f < c->settings->n_families; f++)
            if (round % rules_of(c, f)->check_multiplier == 0 && check_store(c, c->live[i], f, err)) return -1;
    return 0;
}

int compaction_request_opened(struct sim_cluster *c, uint32_t region, struct err *err) {
    struct region *r = c->regions[region];
    for (uint32_t f = 0; f < c->settings->n_families; f++)
        if (store_has_references(&r->stores[f], c->now) ||
            store_needs_compaction(&r->stores[f], &c->settings->families[f].compaction))
            if (compaction_request(c, region, f, err)) return -1;
    return 0;
}
