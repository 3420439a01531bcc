/* Everything the emulation of a cluster goes by: numbers of HBase's configuration, attributes of the table and its families,
 * and what HBase's files do not say (how fast a disk is, how well data compresses). Defaults are those of HBase 2.6. */
#ifndef SIMULATE_SETTINGS_H
#define SIMULATE_SETTINGS_H

#include "base/err.h"
#include "cmd/common/property_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_FAMILIES_MAX = 64 };

enum sim_selection { SIM_EXPLORING, SIM_RATIO_BASED };
enum sim_flush_policy { SIM_FLUSH_ALL_LARGE, SIM_FLUSH_NON_SLOPPY_FIRST, SIM_FLUSH_ALL };
enum sim_split_policy {
    SIM_SPLIT_STEPPING,
    SIM_SPLIT_INCREASING,
    SIM_SPLIT_CONSTANT_SIZE,
    SIM_SPLIT_KEY_PREFIX,
    SIM_SPLIT_DELIMITED_PREFIX,
    SIM_SPLIT_DISABLED
};

/* Settings of a store that CompactionConfiguration and HStore read. */
struct sim_compaction {
    enum sim_selection selection;
    double ratio, ratio_offpeak;
    uint32_t min_files, max_files;
    uint64_t min_bytes, max_bytes, max_bytes_offpeak;
    uint32_t blocking_files;
    int64_t major_period_ms; /* 0: never by itself */
    double major_jitter;
    int offpeak_from_h, offpeak_to_h; /* hours of UTC; -1: no such hours */
    uint64_t throttle_bytes;          /* larger compactions take the thread for large ones */
    uint32_t check_multiplier;        /* this store is checked every so many rounds */
};

struct sim_family {
    char *name;
    struct sim_compaction compaction;
    /* Given, not of HBase: */
    double file_ratio;      /* bytes of HFile per byte of KeyValue: compression and encoding; 1 */
    double compaction_kept; /* share of the bytes of its inputs that a compaction writes; 1 */
    double major_kept;      /* the same of a compaction of all files; 1 */
    int64_t ttl_ms;         /* 0: for ever; matters for a single file that is compacted already */
};

struct sim_region_rules {
    uint64_t flush_bytes;        /* memstore of a region, on the heap */
    uint32_t block_multiplier;   /* writes are refused above flush_bytes times it */
    uint64_t family_flush_bytes; /* a family above it is flushed alone */
    enum sim_flush_policy flush_policy;
    int64_t periodic_flush_ms; /* 0: never */
    enum sim_split_policy split_policy;
    uint64_t max_file_bytes;
    double max_file_jitter;
    uint64_t initial_split_bytes;
    bool split_overall; /* the stores of a region are added up */
    uint32_t prefix_bytes;
    char *delimiter;
    bool compaction_enabled, split_enabled;
};

struct sim_server_rules {
    uint64_t heap_bytes;
    double memstore_share, memstore_low_share; /* of the heap; of that: forced flushes begin */
    uint32_t flush_threads;
    uint32_t large_compactions, small_compactions; /* threads */
    uint64_t compaction_low_bytes_s, compaction_high_bytes_s, compaction_offpeak_bytes_s;
    int64_t blocking_wait_ms;
    int64_t wake_ms;          /* what the two below are where not given */
    int64_t check_ms;         /* of the checker for compactions */
    int64_t flush_check_ms;   /* of the one for old memstores */
    int64_t periodic_delay_s; /* flushes for age are put off by up to so many seconds */
    uint32_t region_limit;    /* no split with so many regions on a server */
    int64_t discharge_ms;     /* files that were compacted are removed every so often; until then they count as references */
    int64_t balance_ms;
    double slop;
    /* Given, not of HBase: */
    uint64_t disk_bytes_s; /* what flushes write, and compactions that are not held back */
};

struct sim_settings {
    struct sim_server_rules server;
    struct sim_region_rules region;
    struct sim_family *families;
    uint32_t n_families;
    char **ignored; /* settings of flushes, compactions, splits or memstores that are not emulated: "NAME (PLACE)" */
    size_t n_ignored;
};

/* Sources of settings; later ones of each list win, a family's beat the table's, which beat the site's
 * (StoreUtils.createStoreConfiguration). Settings of servers count even if they are given with the table: HBase would not see
 * them there, but one given on purpose counts. */
struct sim_given {
    const struct property_list *site;     /* of hbase-site.xml, or NULL */
    const struct property_list *table;    /* attributes and configuration of the table: MAX_FILESIZE, hbase.… , or NULL */
    const char *const *family_names;      /* [n_families] */
    const struct property_list *families; /* [n_families], or NULL */
    uint32_t n_families;
};

/* ERR_USAGE names setting and place. *out must be freed, whatever is returned. What HBase's files do not say may be changed
 * afterwards: heap_bytes, disk_bytes_s, file_ratio, compaction_kept, major_kept. */
int sim_settings_make(const struct sim_given *given, struct sim_settings *out, struct err *err);
void sim_settings_free(struct sim_settings *s);

/* ---- the settings of a run (simulate_settings.c) ---- */

struct environment;
struct target;
struct input_list;
/* Makes the settings, once all families are known. ERR_USAGE names what is wrong. *out must be freed, whatever is returned. */
int simulate_settings_make(const struct environment *env, const struct target *target, const struct input_list *in,
                           struct sim_settings *out, struct err *err);

#endif
