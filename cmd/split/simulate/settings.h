/* Everything the emulation of a cluster goes by: numbers of HBase's configuration, attributes of the table and its families,
 * and what HBase's files do not say (how fast a disk is, how well data compresses). Defaults are those of HBase 2.6. */
#ifndef SIMULATE_SETTINGS_H
#define SIMULATE_SETTINGS_H

#include "base/bytes.h"
#include "base/err.h"

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

/* Of a store: what CompactionConfiguration and HStore read. */
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

/* Where settings come from; later ones of each list win, a family's beat the table's, which beat the site's
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

/* Named settings of HBase as texts, with the place each was given at: of a file of configuration, of a table, of a family.
 * In order of their first appearance; of equal names the last counts. Zero-initialise; property_list_free when done. */

struct property {
    char *name, *value; /* "": it has none, and it is final */
    char *place;        /* "hbase-site.xml:12", "--set": what messages name */
    bool final;         /* later ones change nothing (<final>true</final>) */
};

struct property_list {
    struct property *p;
    size_t n;
};

enum { PROPERTY_LIST_MAX = 10000 };

int property_list_put(struct property_list *l, const char *name, const char *value, const char *place, struct err *err);
/* From now on it is final. */
void property_list_close(struct property_list *l, const char *name);
/* NULL: not given. Borrowed. */
const struct property *property_list_find(const struct property_list *l, const char *name);
void property_list_free(struct property_list *l);

/* One setting after the other out of lists in which the narrower one wins, as numbers the way Hadoop's Configuration and
 * HBase's descriptors read them. Exports: setting */

struct setting_lookup {
    const struct property_list *lists[3]; /* family, table, site; NULL: none */
    struct err *err;
};

enum setting_type {
    SETTING_LONG,   /* Configuration.getLong, getInt: decimal or 0x…, no unit */
    SETTING_FLOAT,  /* getFloat: rounded to 32 bits */
    SETTING_DOUBLE, /* getDouble */
    SETTING_BOOL,   /* getBoolean: true or false, else the default */
    SETTING_BYTES   /* of a descriptor: a number of bytes; the shell's units (10GB) are taken too */
};

/* A row of a table of settings: a field of a struct, its type and the range that HBase can do something with. */
struct setting {
    const char *name;
    size_t field; /* offset */
    uint8_t size; /* of the field: 1 (bool), 4, 8 */
    uint8_t type;
    double least, most;
};

/* NULL: not given, or empty. */
const struct property *setting_find(const struct setting_lookup *l, const char *name);
/* Sets the fields of those that are given. A value HBase could not use is ERR_USAGE. */
int setting_read_all(const struct setting_lookup *l, const struct setting *settings, size_t n, void *base);
bool setting_known(const struct setting *settings, size_t n, const char *name);
/* The index of the word whose last part (after the package) the setting is; -1: not given; -2: ERR_UNSUPPORTED. */
int setting_class(const struct setting_lookup *l, const char *name, const char *package, const char *const *words, size_t n);

/* hbase-site.xml: <configuration> of <property> with <name>, <value> and <final>, as Hadoop's Configuration reads it (which is:
 * also nested configurations, and name, value and final as attributes; names are trimmed, all else is ignored).
 * xi:include is followed to files of this machine, relative to the directory of the first one; if a file is missing, its
 * xi:fallback counts. Declarations of entities are ERR_UNSUPPORTED. */

/* Adds to out; places are "PATH:LINE". Errors name path and line. */
int hbase_site_read(const char *path, struct property_list *out, struct err *err);
/* Nothing outside of the text is read: xi:include is ERR_UNSUPPORTED. */
int hbase_site_parse(struct bytes text, const char *path, struct property_list *out, struct err *err);

/* ---- variables in values (property_list.c) ---- */

/* ${name} in values, as Hadoop's Configuration puts other values in their place when it is asked for them:
 *   ${env.X} the environment; ${env.X-word} word where X is not set, ${env.X:-word} where it is not set or empty
 *   ${other} the value of that property, which may contain further ones: 20 in all. What is not known stays
 *   unchanged, and so does all after it. A value in which a name would come back stays as it was. System properties of
 *   Java and values that only hbase-default.xml gives are not known here.
 *
 * Substitutes in all values of l. env: NULL if the variable is not set. More than 20 in one value are ERR_USAGE, as they
 * end HBase. */
int property_vars_substitute(struct property_list *l, const char *(*env)(const char *name), struct err *err);

/* ---- the settings of a run (simulate_settings.c) ---- */

struct session;
struct input_list;
/* Once all families are known. ERR_USAGE names what is wrong. *out must be freed, whatever is returned. */
int simulate_settings_make(const struct session *s, const struct input_list *in, struct sim_settings *out, struct err *err);

#endif
