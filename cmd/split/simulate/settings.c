/* The settings of HBase 2.6 that an emulated cluster goes by: a table for each kind of settings, their defaults, and the rules
 * by which one depends on another. Settings of the same subject that are not emulated are noted, so that the report can name
 * them. */
#include "cmd/split/simulate/setting_lookup.h"
#include "cmd/split/simulate/settings.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "base/fs.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER(type, field, name, kind, least, most) \
    { name, offsetof(type, field), sizeof(((type *)0)->field), kind, least, most }

#define ANY_LONG 9223372036854775807.0
#define ANY_INT 2147483647.0
#define BYTES_MOST 4611686018427387904.0 /* may be doubled */

#define SERVER(field, name, kind, least, most) NUMBER(struct sim_server_rules, field, name, kind, least, most)
static const struct setting server_settings[] = {
    /* names of 0.98 first: the later ones win */
    SERVER(memstore_share, "hbase.regionserver.global.memstore.upperLimit", SETTING_FLOAT, 0.01, 0.8),
    SERVER(memstore_share, "hbase.regionserver.global.memstore.size", SETTING_FLOAT, 0.01, 0.8),
    SERVER(memstore_low_share, "hbase.regionserver.global.memstore.size.lower.limit", SETTING_FLOAT, 0.01, 1),
    SERVER(flush_threads, "hbase.hstore.flusher.count", SETTING_LONG, 1, 1000),
    SERVER(large_compactions, "hbase.regionserver.thread.compaction.large", SETTING_LONG, 1, 1000),
    SERVER(small_compactions, "hbase.regionserver.thread.compaction.small", SETTING_LONG, 1, 1000),
    SERVER(compaction_low_bytes_s, "hbase.hstore.compaction.throughput.lower.bound", SETTING_LONG, 1024, ANY_LONG),
    SERVER(compaction_high_bytes_s, "hbase.hstore.compaction.throughput.higher.bound", SETTING_LONG, 1024, ANY_LONG),
    SERVER(compaction_offpeak_bytes_s, "hbase.hstore.compaction.throughput.offpeak", SETTING_LONG, 1024, ANY_LONG),
    SERVER(blocking_wait_ms, "hbase.hstore.blockingWaitTime", SETTING_LONG, 100, ANY_INT),
    SERVER(wake_ms, "hbase.server.thread.wakefrequency", SETTING_LONG, 100, ANY_INT),
    SERVER(check_ms, "hbase.regionserver.compaction.check.period", SETTING_LONG, 100, ANY_INT),
    SERVER(flush_check_ms, "hbase.regionserver.flush.check.period", SETTING_LONG, 100, ANY_INT),
    SERVER(periodic_delay_s, "hbase.regionserver.periodicmemstoreflusher.rangeofdelayseconds", SETTING_LONG, 1, 2147483),
    SERVER(region_limit, "hbase.regionserver.regionSplitLimit", SETTING_LONG, 0, ANY_INT),
    SERVER(discharge_ms, "hbase.hfile.compaction.discharger.interval", SETTING_LONG, 100, ANY_INT),
    SERVER(balance_ms, "hbase.balancer.period", SETTING_LONG, 1000, ANY_INT),
    SERVER(slop, "hbase.regions.slop", SETTING_FLOAT, 0, 1),
};

#define REGION(field, name, kind, least, most) NUMBER(struct sim_region_rules, field, name, kind, least, most)
static const struct setting region_settings[] = {
    REGION(flush_bytes, "hbase.hregion.memstore.flush.size", SETTING_LONG, 1024, BYTES_MOST),
    REGION(block_multiplier, "hbase.hregion.memstore.block.multiplier", SETTING_LONG, 1, 1000000),
    REGION(periodic_flush_ms, "hbase.regionserver.optionalcacheflushinterval", SETTING_LONG, 0, ANY_INT),
    REGION(max_file_bytes, "hbase.hregion.max.filesize", SETTING_LONG, 1024, ANY_LONG),
    REGION(max_file_jitter, "hbase.hregion.max.filesize.jitter", SETTING_DOUBLE, 0, 1),
    REGION(initial_split_bytes, "hbase.increasing.policy.initial.size", SETTING_LONG, 1024, BYTES_MOST),
    REGION(split_overall, "hbase.hregion.split.overallfiles", SETTING_BOOL, 0, 0),
    REGION(family_flush_bytes, "hbase.hregion.percolumnfamilyflush.size.lower.bound.min", SETTING_LONG, 0, BYTES_MOST),
};
/* Settings that only the table's descriptor has. */
static const struct setting table_settings[] = {
    REGION(flush_bytes, "MEMSTORE_FLUSHSIZE", SETTING_BYTES, 1024, BYTES_MOST),
    REGION(max_file_bytes, "MAX_FILESIZE", SETTING_BYTES, 1024, ANY_LONG),
    REGION(compaction_enabled, "COMPACTION_ENABLED", SETTING_BOOL, 0, 0),
    REGION(split_enabled, "SPLIT_ENABLED", SETTING_BOOL, 0, 0),
    REGION(prefix_bytes, "prefix_split_key_policy.prefix_length", SETTING_LONG, 1, 32767),
    REGION(prefix_bytes, "KeyPrefixRegionSplitPolicy.prefix_length", SETTING_LONG, 1, 32767),
};

#define STORE(field, name, kind, least, most) NUMBER(struct sim_compaction, field, name, kind, least, most)
static const struct setting store_settings[] = {
    STORE(min_files, "hbase.hstore.compactionThreshold", SETTING_LONG, 0, ANY_INT), /* its old name: the later one wins */
    STORE(min_files, "hbase.hstore.compaction.min", SETTING_LONG, 0, ANY_INT),
    STORE(max_files, "hbase.hstore.compaction.max", SETTING_LONG, 2, ANY_INT),
    STORE(ratio, "hbase.hstore.compaction.ratio", SETTING_FLOAT, 0, 1e9),
    STORE(ratio_offpeak, "hbase.hstore.compaction.ratio.offpeak", SETTING_FLOAT, 0, 1e9),
    STORE(min_bytes, "hbase.hstore.compaction.min.size", SETTING_LONG, 0, ANY_LONG),
    STORE(max_bytes, "hbase.hstore.compaction.max.size", SETTING_LONG, 1, ANY_LONG),
    STORE(throttle_bytes, "hbase.regionserver.thread.compaction.throttle", SETTING_LONG, 0, ANY_LONG),
    STORE(blocking_files, "hbase.hstore.blockingStoreFiles", SETTING_LONG, 1, ANY_INT),
    STORE(major_period_ms, "hbase.hregion.majorcompaction", SETTING_LONG, 0, ANY_LONG / 4),
    STORE(major_jitter, "hbase.hregion.majorcompaction.jitter", SETTING_FLOAT, 0, 1),
    STORE(offpeak_from_h, "hbase.offpeak.start.hour", SETTING_LONG, -1, 23),
    STORE(offpeak_to_h, "hbase.offpeak.end.hour", SETTING_LONG, -1, 23),
    STORE(check_multiplier, "hbase.server.compactchecker.interval.multiplier", SETTING_LONG, 1, ANY_INT),
};
/* A setting whose default is the value of another, in store_settings. */
static const struct setting store_late_settings[] = {
    STORE(max_bytes_offpeak, "hbase.hstore.compaction.max.size.offpeak", SETTING_LONG, 1, ANY_LONG),
};

static const char lower_bound[] = "hbase.hregion.percolumnfamilyflush.size.lower.bound";
static const char delimiter[] = "DelimitedKeyPrefixRegionSplitPolicy.delimiter";
static const char selection[] = "hbase.hstore.defaultengine.compactionpolicy.class";
static const char engine[] = "hbase.hstore.engine.class";
static const char controller[] = "hbase.regionserver.throughput.controller";
static const char balancer[] = "hbase.master.loadbalancer.class";
static const char flush_key[] = "hbase.regionserver.flush.policy", flush_attribute[] = "FLUSH_POLICY";
static const char split_key[] = "hbase.regionserver.region.split.policy", split_attribute[] = "SPLIT_POLICY";
static const char *const single_names[] = {lower_bound, delimiter, selection,       engine,    controller,
                                           balancer,    flush_key, flush_attribute, split_key, split_attribute};

#define PACKAGE "org.apache.hadoop.hbase.regionserver."

static const struct sim_server_rules server_defaults = {.heap_bytes = UINT64_C(8) << 30,
                                                        .memstore_share = 0.4,
                                                        .memstore_low_share = 0.95,
                                                        .flush_threads = 2,
                                                        .large_compactions = 1,
                                                        .small_compactions = 1,
                                                        .compaction_low_bytes_s = 50 << 20,
                                                        .compaction_high_bytes_s = 100 << 20,
                                                        .compaction_offpeak_bytes_s = INT64_MAX,
                                                        .blocking_wait_ms = 90000,
                                                        .wake_ms = 10000,
                                                        .periodic_delay_s = 300,
                                                        .region_limit = 1000,
                                                        .discharge_ms = 120000,
                                                        .balance_ms = 300000,
                                                        .slop = 0.2f,
                                                        .disk_bytes_s = 100 << 20};

static const struct sim_region_rules region_defaults = {.flush_bytes = 128 << 20,
                                                        .block_multiplier = 4,
                                                        .flush_policy = SIM_FLUSH_ALL_LARGE,
                                                        .periodic_flush_ms = 3600000,
                                                        .split_policy = SIM_SPLIT_STEPPING,
                                                        .max_file_bytes = UINT64_C(10) << 30,
                                                        .max_file_jitter = 0.25,
                                                        .family_flush_bytes = 16 << 20,
                                                        .compaction_enabled = true,
                                                        .split_enabled = true};

/* hbase-default.xml: its 128 MiB hold whatever the size of a memstore is, which the classes would fall back to. */
static const struct sim_compaction compaction_defaults = {.selection = SIM_EXPLORING,
                                                          .ratio = 1.2f,
                                                          .ratio_offpeak = 5,
                                                          .min_files = 3,
                                                          .max_files = 10,
                                                          .min_bytes = 128 << 20,
                                                          .throttle_bytes = UINT64_C(2684354560),
                                                          .max_bytes = INT64_MAX,
                                                          .max_bytes_offpeak = INT64_MAX,
                                                          .blocking_files = 16,
                                                          .major_period_ms = 604800000,
                                                          .major_jitter = 0.5,
                                                          .offpeak_from_h = -1,
                                                          .offpeak_to_h = -1,
                                                          .check_multiplier = 1000};

static int read_server(const struct sim_given *g, struct sim_server_rules *out, struct err *err) {
    static const char *const controllers[] = {"PressureAwareCompactionThroughputController", "NoLimitThroughputController"};
    static const char *const balancers[] = {"StochasticLoadBalancer", "SimpleLoadBalancer"};
    const struct setting_lookup l = {{g->table, g->site}, err};
    int limit = setting_class(&l, controller, PACKAGE "throttle.", controllers, countof(controllers));
    int which = setting_class(&l, balancer, "org.apache.hadoop.hbase.master.balancer.", balancers, countof(balancers));
    if (limit < -1 || which < -1) return -1;
    if (setting_read_all(&l, server_settings, countof(server_settings), out)) return -1;
    if (limit == 1) out->compaction_low_bytes_s = out->compaction_high_bytes_s = out->compaction_offpeak_bytes_s = INT64_MAX;
    if (!out->check_ms) out->check_ms = out->wake_ms;
    if (!out->flush_check_ms) out->flush_check_ms = out->wake_ms;
    return 0;
}

/* A policy: of the table's descriptor, else of the configuration, else the default. */
static int read_policy(const struct sim_given *g, const char *attribute, const char *key, const char *const *words, size_t n,
                       struct err *err) {
    const struct setting_lookup table = {{g->table}, err}, both = {{g->table, g->site}, err};
    int k = setting_class(&table, attribute, PACKAGE, words, n);
    return k == -1 ? setting_class(&both, key, PACKAGE, words, n) : k;
}

static int read_policies(const struct sim_given *g, struct sim_region_rules *out, struct err *err) {
    static const char *const flushes[] = {"FlushAllLargeStoresPolicy", "FlushNonSloppyStoresFirstPolicy", "FlushAllStoresPolicy"};
    static const char *const splits[] = {
        "SteppingSplitPolicy",        "IncreasingToUpperBoundRegionSplitPolicy", "ConstantSizeRegionSplitPolicy",
        "KeyPrefixRegionSplitPolicy", "DelimitedKeyPrefixRegionSplitPolicy",     "DisabledRegionSplitPolicy"};
    int flush = read_policy(g, flush_attribute, flush_key, flushes, countof(flushes), err);
    int split = read_policy(g, split_attribute, split_key, splits, countof(splits), err);
    if (flush < -1 || split < -1) return -1;
    if (flush >= 0) out->flush_policy = (enum sim_flush_policy)flush;
    if (split >= 0) out->split_policy = (enum sim_split_policy)split;
    return 0;
}

/* FlushLargeStoresPolicy.setFlushSizeLowerBounds; family_flush_bytes holds the minimum at first. */
static int read_lower_bound(const struct sim_given *g, struct sim_region_rules *out, struct err *err) {
    static const struct setting given[] = {REGION(family_flush_bytes, lower_bound, SETTING_LONG, 0, BYTES_MOST)};
    const struct setting_lookup table = {{g->table}, err};
    if (out->flush_bytes / g->n_families > out->family_flush_bytes) out->family_flush_bytes = out->flush_bytes / g->n_families;
    return setting_read_all(&table, given, countof(given), out);
}

static int read_region(const struct sim_given *g, struct sim_region_rules *out, struct err *err) {
    const struct setting_lookup both = {{g->table, g->site}, err}, table = {{g->table}, err};
    if (read_policies(g, out, err) || setting_read_all(&both, region_settings, countof(region_settings), out)) return -1;
    if (setting_read_all(&table, table_settings, countof(table_settings), out) || read_lower_bound(g, out, err)) return -1;
    if (!out->initial_split_bytes) out->initial_split_bytes = 2 * out->flush_bytes;
    const struct property *p = setting_find(&table, delimiter);
    if (!p || !*p->value) return 0;
    out->delimiter = fs_printf(err, "%s", p->value);
    return out->delimiter ? 0 : -1;
}

static int read_store(const struct setting_lookup *l, struct sim_compaction *out) {
    static const char *const selections[] = {"ExploringCompactionPolicy", "RatioBasedCompactionPolicy"};
    static const char *const engines[] = {"DefaultStoreEngine"};
    int k = setting_class(l, selection, PACKAGE "compactions.", selections, countof(selections));
    if (k < -1 || setting_class(l, engine, PACKAGE, engines, countof(engines)) < -1) return -1;
    if (k >= 0) out->selection = (enum sim_selection)k;
    if (setting_read_all(l, store_settings, countof(store_settings), out)) return -1;
    if (out->min_files < 2) out->min_files = 2;
    out->max_bytes_offpeak = out->max_bytes;
    return setting_read_all(l, store_late_settings, countof(store_late_settings), out);
}

static int read_family(const struct sim_given *g, uint32_t i, struct sim_settings *s, struct err *err) {
    static const struct setting ttl[] = {NUMBER(struct sim_family, ttl_ms, "TTL", SETTING_LONG, 1, ANY_INT)};
    const struct property_list *own = g->families ? &g->families[i] : NULL;
    const struct setting_lookup all = {{own, g->table, g->site}, err}, alone = {{own}, err};
    struct sim_family *f = &s->families[s->n_families++];
    *f = (struct sim_family){.compaction = compaction_defaults, .file_ratio = 1, .compaction_kept = 1, .major_kept = 1};
    f->name = fs_printf(err, "%s", g->family_names[i]);
    if (!f->name || read_store(&all, &f->compaction)) return -1;
    if (setting_read_all(&alone, ttl, countof(ttl), f)) return -1;
    f->ttl_ms = f->ttl_ms == INT32_MAX ? 0 : f->ttl_ms * 1000;
    return 0;
}

/* Returns whether a setting of this name bears on flushes, compactions, splits, memstores or the balance. */
static bool of_our_subject(const char *name) {
    static const char *const starts[] = {"hbase.hstore.",
                                         "hbase.hregion.",
                                         "hbase.regionserver.thread.compaction.",
                                         "hbase.regionserver.thread.split",
                                         "hbase.regionserver.global.memstore.",
                                         "hbase.regionserver.offheap.global.memstore.",
                                         "hbase.regionserver.flush.",
                                         "hbase.regionserver.compaction.",
                                         "hbase.regionserver.majorcompaction.",
                                         "hbase.regionserver.region.split",
                                         "hbase.regionserver.heapmemory.",
                                         "hbase.offpeak.",
                                         "hbase.hfile.compaction.",
                                         "hbase.increasing.policy.",
                                         "hbase.busy.policy.",
                                         "hbase.systemtables.compacting.memstore.",
                                         "hbase.memstore.",
                                         "hbase.balancer.",
                                         "hbase.master.balancer.",
                                         "hbase.regions.",
                                         "hbase.normalizer.",
                                         "RegionSplitRestriction."};
    for (size_t i = 0; i < countof(starts); i++)
        if (!strncmp(name, starts[i], strlen(starts[i]))) return true;
    return !strcmp(name, "IN_MEMORY_COMPACTION") || !strcmp(name, "NORMALIZATION_ENABLED");
}

static bool is_emulated(const char *name) {
    for (size_t i = 0; i < countof(single_names); i++)
        if (!strcmp(name, single_names[i])) return true;
    return setting_known(server_settings, countof(server_settings), name) ||
           setting_known(region_settings, countof(region_settings), name) ||
           setting_known(table_settings, countof(table_settings), name) ||
           setting_known(store_settings, countof(store_settings), name) ||
           setting_known(store_late_settings, countof(store_late_settings), name);
}

static int note_ignored(const struct property_list *l, struct sim_settings *out, struct err *err) {
    for (size_t i = 0; l && i < l->n; i++) {
        if (!of_our_subject(l->p[i].name) || is_emulated(l->p[i].name)) continue;
        if (grow_array(&out->ignored, out->n_ignored, sizeof(char *), "settings", err)) return -1;
        char *text = fs_printf(err, "%s (%s)", l->p[i].name, l->p[i].place);
        if (!text) return -1;
        out->ignored[out->n_ignored++] = text;
    }
    return 0;
}

int sim_settings_make(const struct sim_given *given, struct sim_settings *out, struct err *err) {
    *out = (struct sim_settings){.server = server_defaults, .region = region_defaults};
    if (!given->n_families || given->n_families > SIM_FAMILIES_MAX)
        return err_set(err, ERR_LIMIT, "%u families: 1 to %d are emulated", given->n_families, SIM_FAMILIES_MAX);
    out->families = calloc(given->n_families, sizeof *out->families);
    if (!out->families) return err_nomem(err, given->n_families * sizeof *out->families, "families");
    if (read_server(given, &out->server, err) || read_region(given, &out->region, err)) return -1;
    for (uint32_t i = 0; i < given->n_families; i++)
        if (read_family(given, i, out, err)) return -1;
    if (note_ignored(given->site, out, err) || note_ignored(given->table, out, err)) return -1;
    for (uint32_t i = 0; given->families && i < given->n_families; i++)
        if (note_ignored(&given->families[i], out, err)) return -1;
    return 0;
}

void sim_settings_free(struct sim_settings *s) {
    for (uint32_t i = 0; i < s->n_families; i++) free(s->families[i].name);
    for (size_t i = 0; i < s->n_ignored; i++) free(s->ignored[i]);
    free(s->families);
    free(s->ignored);
    free(s->region.delimiter);
    *s = (struct sim_settings){0};
}
