/* Any bytes as a TableSchema message: refused with a reason, or families that everything else can rely on. */
#include "formats/hbase/descriptor.h"
#include "fuzz.h"

#include "formats/hbase/metadata.h"
#include "formats/hbase/names.h"

static void check_word(const char *word) {
    require(strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(word));
}

static void check_family(const struct hbase_family *f) {
    require(f->name[0] && f->name[0] != '.' && !strpbrk(f->name, "/:\\\n") && strlen(f->name) < 128);
    require(f->rules.versions_given && f->rules.versions > 0 && f->rules.min_versions <= INT32_MAX);
    require(f->rules.ttl_s >= 0 && f->rules.ttl_s < INT32_MAX && f->rules.purge_deletes_after_ms >= 0);
    require(f->block_bytes > 0 && f->block_bytes <= INT32_MAX && f->bloom_prefix <= INT16_MAX && f->mob_threshold <= INT64_MAX);
    check_word(f->compression);
    check_word(f->encoding);
    check_word(f->bloom);
}

static void check_table(const struct hbase_table *t) {
    bool tracks = false;
    require(table_name_is_ns(bytes_str(t->ns)) && table_name_is_table(bytes_str(t->name)));
    for (uint32_t i = 0; i < t->n_families; i++) {
        check_family(&t->families[i]);
        tracks |= t->families[i].tracks_files;
        for (uint32_t k = 0; k < i; k++) require(strcmp(t->families[i].name, t->families[k].name) != 0);
    }
    require(tracks == t->tracks_files);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct hbase_table t;
    struct err err = {0};
    if (hbase_table_parse(bytes_of(data, size), &t, &err)) {
        require((err.code == ERR_INPUT || err.code == ERR_LIMIT) && err.text[0] && !t.families && !t.name);
        return 0;
    }
    check_table(&t);
    hbase_table_free(&t);
    return 0;
}
