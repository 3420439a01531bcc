/* libFuzzer target: any bytes as hbase-site.xml, and the settings of a cluster that follow from it, the same settings given to
 * the table and to the family too. */
#include "cmd/common/site_file.h"
#include "fuzz.h"

#include "cmd/split/simulate/settings.h"

static const char *no_environment(const char *name) {
    return *name == 'X' ? name : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"f"};
    struct property_list l = {0};
    struct sim_settings s;
    struct err err = {0};
    int rc = site_file_parse(bytes_of(data, size), "fuzz", &l, &err);
    require(rc ? err.code && !strncmp(err.text, "fuzz:", 5) : !err.code);
    if (!rc) rc = property_vars_substitute(&l, no_environment, &err);
    require(!rc || err.code);
    struct sim_given given = {.site = &l, .table = &l, .family_names = names, .families = &l, .n_families = 1};
    if (!rc && !sim_settings_make(&given, &s, &err)) {
        require(!err.code && s.region.flush_bytes && s.region.max_file_bytes);
        require(s.families[0].compaction.min_files >= 2 && s.families[0].compaction.max_files >= 2);
        require(s.server.check_ms > 0 && s.server.flush_check_ms > 0 && s.server.balance_ms > 0 && s.server.disk_bytes_s);
        sim_settings_free(&s);
    } else if (!rc) {
        require(err.code == ERR_USAGE || err.code == ERR_UNSUPPORTED);
        sim_settings_free(&s);
    }
    property_list_free(&l);
    return 0;
}
