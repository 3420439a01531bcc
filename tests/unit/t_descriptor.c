/* Table descriptors: as HBase 2.6 wrote them, and every attribute by hand. t_descriptor_tableinfo.c has the files they are in. */
#include "formats/hbase/descriptor.h"
#include "metadata_files.h"

#include "formats/hbase/metadata.h"

static struct hbase_table read_table(const char *name) {
    struct hbase_table t;
    struct err err = {0};
    struct bytes content = read_sample(name);
    assert_true(content.n > 4 && !memcmp(content.p, "PBUF", 4));
    if (hbase_table_parse(bytes_of(content.p + 4, content.n - 4), &t, &err)) fail_msg("%s: %s", name, err.text);
    free_bytes(content);
    return t;
}

static const struct hbase_family *family(const struct hbase_table *t, const char *name) {
    for (uint32_t i = 0; i < t->n_families; i++)
        if (!strcmp(t->families[i].name, name)) return &t->families[i];
    fail_msg("no family %s", name);
    return NULL;
}

/* The settings are those the table was made with. */
static void of_real_tables(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct family_rules rules;
    } want[] = {{"kl", {.versions = 3, .min_versions = 1, .ttl_s = 86400, .keep_deleted = KEEP_DELETED_TTL}},
                {"kt", {.versions = 2, .keep_deleted = KEEP_DELETED_TRUE}},
                {"mv", {.versions = 3, .min_versions = 1, .ttl_s = 86400}},
                {"nv", {.versions = 2, .new_version_behavior = true}},
                {"pu", {.versions = 2, .purge_deletes_after_ms = 86400000}},
                {"sh", {.versions = 2, .ttl_s = 7200}},
                {"v3", {.versions = 3}}};
    struct hbase_table t = read_table(SAMPLES "tableinfo/default.ttl_tab");
    assert_string_equal(t.ns, "default");
    assert_string_equal(t.name, "ttl_tab");
    assert_int_equal(t.n_families, countof(want));
    assert_false(t.tracks_files);
    for (size_t i = 0; i < countof(want); i++) {
        const struct hbase_family *f = &t.families[i];
        const struct family_rules *w = &want[i].rules;
        assert_string_equal(f->name, want[i].name);
        if (f->rules.versions != w->versions || f->rules.min_versions != w->min_versions || f->rules.ttl_s != w->ttl_s ||
            f->rules.keep_deleted != w->keep_deleted || f->rules.new_version_behavior != w->new_version_behavior ||
            f->rules.purge_deletes_after_ms != w->purge_deletes_after_ms || !f->rules.versions_given)
            fail_msg("rules of %s differ: %u %u %lld", f->name, f->rules.versions, f->rules.min_versions,
                     (long long)f->rules.ttl_s);
    }
    hbase_table_free(&t);
}

static void of_real_storage(void **state) {
    (void)state;
    static const struct {
        const char *name, *compression, *encoding, *bloom;
        uint32_t block_bytes, prefix;
    } want[] = {{"gz", "GZ", "FAST_DIFF", "ROWCOL", 2048, 0},
                {"l4", "LZ4", "PREFIX", "NONE", 2048, 0},
                {"mob", "NONE", "NONE", "ROW", 65536, 0},
                {"pb", "NONE", "NONE", "ROWPREFIX_FIXED_LENGTH", 2048, 6},
                {"sn", "SNAPPY", "DIFF", "ROW", 2048, 0}};
    struct hbase_table t = read_table(SAMPLES "tableinfo/default.codecs");
    assert_int_equal(t.n_families, countof(want));
    for (size_t i = 0; i < countof(want); i++) {
        const struct hbase_family *f = family(&t, want[i].name);
        assert_string_equal(f->compression, want[i].compression);
        assert_string_equal(f->encoding, want[i].encoding);
        assert_string_equal(f->bloom, want[i].bloom);
        assert_int_equal(f->block_bytes, want[i].block_bytes);
        assert_int_equal(f->bloom_prefix, want[i].prefix);
        assert_int_equal(f->is_mob, !strcmp(f->name, "mob"));
        assert_int_equal(f->mob_threshold, f->is_mob ? 100 : 102400);
        assert_true(f->compress_tags && !f->encrypted);
    }
    hbase_table_free(&t);
    t = read_table(SAMPLES "tableinfo/default.sft_file");
    assert_true(t.tracks_files && t.families[0].tracks_files);
    hbase_table_free(&t);
    t = read_table(SAMPLES "tableinfo/ns_2.tab-clone");
    assert_string_equal(t.ns, "ns_2");
    assert_string_equal(t.name, "tab-clone");
    hbase_table_free(&t);
}

/* ---- by hand: a table `n:t` with one family `f` ---- */

struct made {
    struct buf table, family;
};

static struct made make(void) {
    struct made m = {0};
    put_table_name(&m.table, 1, "n", "t");
    put_text(&m.family, 1, "f");
    return m;
}

static void finish(struct made *m) {
    put_message(&m->table, 3, &m->family);
}

static struct hbase_table parse(struct made *m) {
    struct hbase_table t;
    struct err err = {0};
    finish(m);
    struct bytes exact = exact_copy(buf_bytes(&m->table));
    if (hbase_table_parse(exact, &t, &err)) fail_msg("%s", err.text);
    free_bytes(exact);
    buf_free(&m->table);
    return t;
}

static void refuse(struct made *m, const char *part) {
    struct hbase_table t;
    struct err err = {0};
    finish(m);
    struct bytes exact = exact_copy(buf_bytes(&m->table));
    if (hbase_table_parse(exact, &t, &err) == 0) fail_msg("passes, wanted: %s", part);
    expect_said(&err, ERR_INPUT, part);
    assert_null(t.families);
    free_bytes(exact);
    buf_free(&m->table);
}

static struct hbase_table with(const char *key, const char *value) {
    struct made m = make();
    put_pair(&m.family, 2, key, value);
    return parse(&m);
}

static void refuse_value(const char *key, const char *value) {
    struct made m = make();
    char part[200];
    put_pair(&m.family, 2, key, value);
    snprintf(part, sizeof part, "table n:t: family f: %s is '%s'", key, value);
    refuse(&m, part);
}

static void defaults(void **state) {
    (void)state;
    struct made m = make();
    struct hbase_table t = parse(&m);
    const struct hbase_family *f = t.families;
    assert_int_equal(t.n_families, 1);
    assert_int_equal(f->rules.versions, 1);
    assert_int_equal(f->rules.min_versions + f->rules.ttl_s + f->rules.purge_deletes_after_ms, 0);
    assert_int_equal(f->rules.keep_deleted, KEEP_DELETED_FALSE);
    assert_false(f->rules.new_version_behavior || f->is_mob || f->encrypted || f->tracks_files);
    assert_string_equal(f->compression, "NONE");
    assert_string_equal(f->encoding, "NONE");
    assert_string_equal(f->bloom, "ROW");
    assert_int_equal(f->block_bytes, 65536);
    assert_int_equal(f->mob_threshold, 102400);
    assert_true(f->compress_tags);
    hbase_table_free(&t);
}

static void versions_and_ttl(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t ttl_s;
    } ttl[] = {{"-1", 0}, {"2147483647", 0}, {"2147483646", 2147483646}, {"1", 1}, {"+60", 60}, {"", 0}};
    for (size_t i = 0; i < countof(ttl); i++) {
        struct hbase_table t = with("TTL", ttl[i].text);
        assert_true(t.families[0].rules.ttl_s == ttl[i].ttl_s);
        hbase_table_free(&t);
    }
    struct hbase_table t = with("VERSIONS", "2147483647");
    assert_true(t.families[0].rules.versions == UINT32_MAX);
    hbase_table_free(&t);
    t = with("VERSIONS", "2147483646");
    assert_int_equal(t.families[0].rules.versions, 2147483646);
    hbase_table_free(&t);
    static const char *const bad_ttl[] = {"0", "-2", "1 DAY", "FOREVER", "2147483648", "99999999999999999999", "60 ", "-", "+"};
    for (size_t i = 0; i < countof(bad_ttl); i++) refuse_value("TTL", bad_ttl[i]);
    refuse_value("VERSIONS", "0");
    refuse_value("VERSIONS", "-1");
    refuse_value("VERSIONS", "three");
    refuse_value("MIN_VERSIONS", "-1");
    refuse_value("MIN_VERSIONS", "2147483648");
    refuse_value("BLOCKSIZE", "0");
    refuse_value("BLOCKSIZE", "64 KB");
}

static void words(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum keep_deleted keep;
    } keep[] = {{"true", KEEP_DELETED_TRUE}, {"False", KEEP_DELETED_FALSE}, {"ttl", KEEP_DELETED_TTL}, {"TTL", KEEP_DELETED_TTL}};
    for (size_t i = 0; i < countof(keep); i++) {
        struct hbase_table t = with("KEEP_DELETED_CELLS", keep[i].text);
        assert_int_equal(t.families[0].rules.keep_deleted, keep[i].keep);
        hbase_table_free(&t);
    }
    refuse_value("KEEP_DELETED_CELLS", "yes");
    struct hbase_table t = with("COMPRESSION", "snappy");
    assert_string_equal(t.families[0].compression, "SNAPPY");
    hbase_table_free(&t);
    refuse_value("COMPRESSION", "a b");
    refuse_value("DATA_BLOCK_ENCODING", "x/y");
    refuse_value("BLOOMFILTER", "\xc3\xa4");
    t = with("NEW_VERSION_BEHAVIOR", "TRUE");
    assert_true(t.families[0].rules.new_version_behavior);
    hbase_table_free(&t);
    t = with("NEW_VERSION_BEHAVIOR", "yes"); /* Boolean.parseBoolean */
    assert_false(t.families[0].rules.new_version_behavior);
    hbase_table_free(&t);
    t = with("COMPRESS_TAGS", "false");
    assert_false(t.families[0].compress_tags);
    hbase_table_free(&t);
    t = with("ENCRYPTION", "AES");
    assert_true(t.families[0].encrypted);
    hbase_table_free(&t);
}

static void mob(void **state) {
    (void)state;
    static const struct {
        struct bytes is_mob, threshold;
        bool want_mob;
        uint64_t want;
    } cases[] = {{{(const uint8_t *)"true", 4}, {(const uint8_t *)"12345678", 8}, true, 12345678},
                 {{(const uint8_t *)"\xff", 1}, {(const uint8_t *)"\0\0\0\0\0\1\x90\0", 8}, true, 102400},
                 {{(const uint8_t *)"\0", 1}, {(const uint8_t *)"0", 1}, false, 0},
                 {{(const uint8_t *)"FALSE", 5}, {NULL, 0}, false, 102400}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct made m = make();
        put_pair_bytes(&m.family, 2, "IS_MOB", cases[i].is_mob);
        if (cases[i].threshold.p) put_pair_bytes(&m.family, 2, "MOB_THRESHOLD", cases[i].threshold);
        struct hbase_table t = parse(&m);
        assert_int_equal(t.families[0].is_mob, cases[i].want_mob);
        assert_int_equal(t.families[0].mob_threshold, cases[i].want);
        hbase_table_free(&t);
    }
    refuse_value("MOB_THRESHOLD", "100K");
    refuse_value("MOB_THRESHOLD", "-1");
    refuse_value("MOB_THRESHOLD", "\xff\xff\xff\xff\xff\xff\xff\xff");
}

/* Attributes of the family, its configuration, configuration of the table, attributes of the table. */
static void layers(void **state) {
    (void)state;
    static const char key[] = "hbase.hstore.time.to.purge.deletes";
    for (unsigned from = 0; from < 5; from++) {
        struct made m = make();
        if (from <= 3) put_pair(&m.table, 2, key, "4");
        if (from <= 2) put_pair(&m.table, 4, key, "3");
        if (from <= 1) put_pair(&m.family, 3, key, "2");
        if (from == 0) put_pair(&m.family, 2, key, "1");
        struct hbase_table t = parse(&m);
        assert_int_equal(t.families[0].rules.purge_deletes_after_ms, from == 4 ? 0 : from + 1);
        hbase_table_free(&t);
    }
    struct made m = make();
    put_pair(&m.table, 2, key, "9");
    put_pair(&m.family, 2, key, "8");
    put_pair(&m.family, 2, key, ""); /* an empty value takes the key away */
    struct hbase_table t = parse(&m);
    assert_int_equal(t.families[0].rules.purge_deletes_after_ms, 9);
    hbase_table_free(&t);
    t = with(key, "-5");
    assert_int_equal(t.families[0].rules.purge_deletes_after_ms, 0);
    hbase_table_free(&t);
    t = with(key, " 77 ");
    assert_int_equal(t.families[0].rules.purge_deletes_after_ms, 77);
    hbase_table_free(&t);
    refuse_value(key, "1d");
    m = make();
    put_pair(&m.table, 2, "VERSIONS", "7"); /* an attribute of families only */
    put_pair(&m.family, 3, "VERSIONS", "8");
    t = parse(&m);
    assert_int_equal(t.families[0].rules.versions, 1);
    hbase_table_free(&t);
}

static void trackers(void **state) {
    (void)state;
    static const struct {
        const char *table, *src, *family;
        bool tracks;
    } cases[] = {{"FILE", NULL, NULL, true},
                 {"file", NULL, NULL, true},
                 {"DEFAULT", NULL, NULL, false},
                 {"MIGRATION", NULL, NULL, true},
                 {"MIGRATION", "FILE", NULL, true},
                 {"MIGRATION", "DEFAULT", NULL, false},
                 {"FILE", NULL, "DEFAULT", false},
                 {NULL, NULL, "FILE", true},
                 {"org.apache.hadoop.hbase.regionserver.storefiletracker.FileBasedStoreFileTracker", NULL, NULL, true},
                 {"org.apache.hadoop.hbase.regionserver.storefiletracker.DefaultStoreFileTracker", NULL, NULL, false}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct made m = make();
        if (cases[i].table) put_pair(&m.table, 2, "hbase.store.file-tracker.impl", cases[i].table);
        if (cases[i].src) put_pair(&m.table, 2, "hbase.store.file-tracker.migration.src.impl", cases[i].src);
        if (cases[i].family) put_pair(&m.family, 3, "hbase.store.file-tracker.impl", cases[i].family);
        struct hbase_table t = parse(&m);
        if (t.families[0].tracks_files != cases[i].tracks || t.tracks_files != cases[i].tracks) fail_msg("case %zu", i);
        hbase_table_free(&t);
    }
    refuse_value("hbase.store.file-tracker.impl", "com.example.Mine");
}

static void blooms(void **state) {
    (void)state;
    static const char key[] = "RowPrefixBloomFilter.prefix_length";
    struct made m = make();
    put_pair(&m.family, 2, "BLOOMFILTER", "rowprefix_fixed_length");
    put_pair(&m.table, 2, key, "12");
    struct hbase_table t = parse(&m);
    assert_string_equal(t.families[0].bloom, "ROWPREFIX_FIXED_LENGTH");
    assert_int_equal(t.families[0].bloom_prefix, 12);
    hbase_table_free(&t);
    static const char *const bad[] = {"0", "32768", "x"};
    for (size_t i = 0; i < countof(bad); i++) {
        m = make();
        put_pair(&m.family, 2, "BLOOMFILTER", "ROWPREFIX_FIXED_LENGTH");
        put_pair(&m.family, 3, key, bad[i]);
        refuse(&m, "RowPrefixBloomFilter.prefix_length is");
    }
}

static void names(void **state) {
    (void)state;
    static const char *const bad[] = {"", ".f", "a/b", "a:b", "a\\b", "a\nb", "..", "recovered.edits"};
    for (size_t i = 0; i < countof(bad); i++) {
        struct made m = {0};
        put_table_name(&m.table, 1, "default", "t");
        put_text(&m.family, 1, bad[i]);
        refuse(&m, "family");
    }
    char long_name[129] = {0};
    memset(long_name, 'f', 128);
    struct made m = make();
    buf_clear(&m.family);
    put_text(&m.family, 1, long_name);
    refuse(&m, "is not a family name");
    m = make();
    struct buf again = {0};
    put_text(&again, 1, "f");
    put_message(&m.table, 3, &again);
    refuse(&m, "family f appears twice");
    m = (struct made){0};
    put_text(&m.family, 1, "f");
    refuse(&m, "has no name");
    m = make();
    struct err err = {0};
    assert_int_equal(pbwire_put_bytes(&m.table, 3, bytes_str("\x0a\x05xy"), &err), 0);
    refuse(&m, "a family is malformed");
}

static void no_families(void **state) {
    (void)state;
    struct buf b = {0};
    struct hbase_table t;
    struct err err = {0};
    put_table_name(&b, 1, "default", "t");
    assert_int_equal(hbase_table_parse(buf_bytes(&b), &t, &err), 0);
    assert_int_equal(t.n_families, 0);
    hbase_table_free(&t);
    buf_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_real_tables), cmocka_unit_test(of_real_storage),
        cmocka_unit_test(defaults),       cmocka_unit_test(versions_and_ttl),
        cmocka_unit_test(words),          cmocka_unit_test(mob),
        cmocka_unit_test(layers),         cmocka_unit_test(trackers),
        cmocka_unit_test(blooms),         cmocka_unit_test(names),
        cmocka_unit_test(no_families),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
