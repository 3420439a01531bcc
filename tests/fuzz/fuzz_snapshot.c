/* Any bytes as the messages of a snapshot directory; the first byte chooses which. */
#include "fuzz.h"

#include "formats/hbase/snapshot.h"

#include <stdlib.h>

static bool is_path_part(const char *name) {
    return name && name[0] && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static void check_regions(const struct snapshot *s) {
    for (size_t i = 0; i < s->n_regions; i++) {
        require(s->regions[i].info.encoded[0]);
        for (size_t k = 0; k < s->regions[i].n_families; k++) {
            const struct snapshot_family *f = &s->regions[i].families[k];
            require(is_path_part(f->name));
            for (size_t j = 0; j < f->n_files; j++) require(is_path_part(f->files[j].name));
        }
    }
}

static int parse(uint8_t which, struct bytes message, struct snapshot *s, struct err *err) {
    if (which % 3 == 0) return snapshot_info_parse(message, s, err);
    if (which % 3 == 1) return snapshot_manifest_parse(message, s, err);
    s->regions = calloc(1, sizeof *s->regions);
    require(s->regions != NULL);
    s->n_regions = 1;
    return snapshot_region_parse(message, s->regions, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct snapshot s = {0};
    struct err err = {0};
    if (size < 1) return 0;
    if (parse(data[0], bytes_of(data + 1, size - 1), &s, &err)) {
        require((err.code == ERR_INPUT || err.code == ERR_UNSUPPORTED || err.code == ERR_LIMIT) && err.text[0]);
    } else {
        require(err.code == ERR_NONE);
        check_regions(&s);
        if (data[0] % 3 == 0) require(is_path_part(s.name) && is_path_part(s.ns) && is_path_part(s.table_name) && s.ttl_s >= 0);
        if (data[0] % 3 == 1) require(s.table.name != NULL);
    }
    snapshot_free(&s);
    return 0;
}
