/* Snapshot directories: those that HBase 2.6 took, and by hand those of its other layouts; damage. */
#include "formats/hbase/snapshot.h"
#include "metadata_files.h"

static struct snapshot read_dir(const char *dir) {
    struct snapshot s;
    struct err err = {0};
    if (snapshot_read(dir, &(struct list_room){0}, &s, &err)) fail_msg("%s", err.text);
    return s;
}

/* Sums over all files. */
struct sums {
    size_t regions, parents, families, files, references, tops;
    uint64_t bytes;
};

static struct sums sums_of(const struct snapshot *s) {
    struct sums n = {.regions = s->n_regions};
    for (size_t i = 0; i < s->n_regions; i++) {
        n.parents += s->regions[i].info.split && s->regions[i].info.offline;
        n.families += s->regions[i].n_families;
        for (size_t k = 0; k < s->regions[i].n_families; k++) {
            const struct snapshot_family *f = &s->regions[i].families[k];
            n.files += f->n_files;
            for (size_t j = 0; j < f->n_files; j++) {
                n.references += f->files[j].is_reference;
                n.tops += f->files[j].is_reference && f->files[j].reference.top;
                n.bytes += f->files[j].has_size ? f->files[j].bytes : 0;
            }
        }
    }
    return n;
}

/* Counted from the manifests by a protobuf walk written in Python for this. */
static void real_ones(void **state) {
    (void)state;
    static const struct {
        const char *name, *ns, *table;
        enum snapshot_type type;
        int64_t created_ms, ttl_s;
        struct sums sums;
    } want[] = {{"snap_b1", "default", "split.tab-x", SNAPSHOT_FLUSH, 1700950430603, 0, {5, 1, 10, 28, 16, 12, 197720}},
                {"snap_clone2", "default", "clone2", SNAPSHOT_FLUSH, 1700950452431, 0, {4, 1, 4, 12, 6, 3, 104305}},
                {"snap_e", "default", "codecs", SNAPSHOT_FLUSH, 1700950460999, 0, {2, 0, 6, 12, 0, 0, 190730}},
                {"snap_e_clone", "default", "codecs_clone", SNAPSHOT_FLUSH, 1700950462753, 0, {2, 0, 5, 10, 0, 0, 146422}},
                {"snap_f_clone", "ns_2", "tab-clone", SNAPSHOT_FLUSH, 1700950465614, 3600, {1, 0, 1, 1, 0, 0, 11809}},
                {"snap_i", "default", "wal_tab", SNAPSHOT_SKIPFLUSH, 1700950561463, 0, {1, 0, 1, 1, 0, 0, 8921}}};
    for (size_t i = 0; i < countof(want); i++) {
        char dir[200];
        snprintf(dir, sizeof dir, SAMPLES "snapshot/%s", want[i].name);
        struct snapshot s = read_dir(dir);
        assert_string_equal(s.name, want[i].name);
        assert_string_equal(s.ns, want[i].ns);
        assert_string_equal(s.table_name, want[i].table);
        assert_string_equal(s.table.name, want[i].table);
        assert_int_equal(s.type, want[i].type);
        assert_int_equal(s.version, 2);
        assert_int_equal(s.created_ms, want[i].created_ms);
        assert_int_equal(s.ttl_s, want[i].ttl_s);
        struct sums n = sums_of(&s);
        const struct sums *w = &want[i].sums;
        if (n.regions != w->regions || n.parents != w->parents || n.families != w->families || n.files != w->files ||
            n.references != w->references || n.tops != w->tops || n.bytes != w->bytes)
            fail_msg("%s: %zu regions, %zu parents, %zu families, %zu files, %zu references, %zu tops, %llu bytes", want[i].name,
                     n.regions, n.parents, n.families, n.files, n.references, n.tops, (unsigned long long)n.bytes);
        snapshot_free(&s);
    }
}

static void in_detail(void **state) {
    (void)state;
    struct snapshot s = read_dir(SAMPLES "snapshot/snap_clone2");
    const struct snapshot_region *r = &s.regions[0];
    const struct snapshot_file *f = &r->families[0].files[0];
    assert_string_equal(r->info.encoded, "bf48021e771cbd100830db90393fa0c1");
    assert_true(bytes_eq(buf_bytes(&r->info.end), bytes_str("row-00085")));
    assert_string_equal(r->families[0].name, "d");
    assert_string_equal(f->name, "orig_c=b429f9352975c2c97a85ce8bc00f3ec2-6fd9b79a99f546fcbb367e8d4c8b26cc."
                                 "2bff21eabd7d0addaec81b5e275ab9b3");
    assert_true(f->is_reference && !f->reference.top && f->has_size);
    assert_true(bytes_eq(buf_bytes(&f->reference.split_row), bytes_str("row-00085")));
    assert_int_equal(f->bytes, 8240);
    assert_string_equal(s.regions[2].info.encoded, "2bff21eabd7d0addaec81b5e275ab9b3");
    assert_true(s.regions[2].info.split);
    assert_int_equal(s.table.families[0].rules.versions, 4);
    snapshot_free(&s);
}

/* ---- by hand ---- */

static void put_region_info(struct buf *m, uint32_t number, const char *start) {
    struct buf r = {0};
    put_uint(&r, 1, 7);
    put_table_name(&r, 2, "n", "t");
    put_text(&r, 3, start);
    put_message(m, number, &r);
}

static void put_reference(struct buf *m, uint32_t number, bool top) {
    static const uint8_t key[] = {0, 1, 'm', 0, 0x7f, 255, 255, 255, 255, 255, 255, 255, 255};
    struct buf r = {0};
    struct err err = {0};
    assert_int_equal(pbwire_put_bytes(&r, 1, bytes_of(key, sizeof key), &err), 0);
    put_uint(&r, 2, !top);
    put_message(m, number, &r);
}

/* A region with family f: a plain file of 10 bytes and a reference. */
static struct buf region_manifest(const char *start) {
    struct buf m = {0}, family = {0}, file = {0};
    put_uint(&m, 1, 2);
    put_region_info(&m, 2, start);
    put_text(&family, 1, "f");
    put_text(&file, 1, "abc");
    put_uint(&file, 3, 10);
    put_message(&family, 2, &file);
    put_text(&file, 1, "def.0123");
    put_reference(&file, 2, true);
    put_message(&family, 2, &file);
    put_message(&m, 3, &family);
    return m;
}

static struct buf table_message(void) {
    struct buf m = {0}, family = {0};
    put_table_name(&m, 1, "n", "t");
    put_text(&family, 1, "f");
    put_message(&m, 3, &family);
    return m;
}

static void write_message(const char *dir, const char *name, struct buf *m) {
    write_sample(dir, name, buf_bytes(m));
    buf_free(m);
}

static void write_with_magic(const char *dir, const char *name, struct buf *m) {
    struct buf b = {0};
    struct err err = {0};
    assert_int_equal(buf_put(&b, "PBUF", 4, &err) || buf_put(&b, m->p, m->n, &err), 0);
    write_message(dir, name, &b);
    buf_free(m);
}

enum { VERSION_ABSENT = -1 };

static void write_info(const char *dir, int version) {
    struct buf m = {0};
    put_text(&m, 1, "s");
    put_text(&m, 2, "n:t");
    put_uint(&m, 3, 99);
    if (version != VERSION_ABSENT) put_uint(&m, 5, (uint64_t)version);
    put_text(&m, 6, "owner");
    write_message(dir, ".snapshotinfo", &m);
}

static void check_region(const struct snapshot_region *r, const char *start, bool has_size) {
    assert_true(bytes_eq(buf_bytes(&r->info.start), bytes_str(start)));
    assert_int_equal(r->n_families, 1);
    const struct snapshot_family *f = r->families;
    assert_string_equal(f->name, "f");
    assert_int_equal(f->n_files, 2);
    assert_string_equal(f->files[0].name, "abc");
    assert_false(f->files[0].is_reference);
    assert_int_equal(f->files[0].has_size, has_size);
    assert_string_equal(f->files[1].name, "def.0123");
    assert_true(f->files[1].is_reference && f->files[1].reference.top);
    assert_true(bytes_eq(buf_bytes(&f->files[1].reference.split_row), bytes_str("m")));
}

static int start_order(const void *a, const void *b) {
    const struct snapshot_region *x = a, *y = b;
    return bytes_cmp(buf_bytes(&x->info.start), buf_bytes(&y->info.start));
}

static void check_made(const char *dir, unsigned version, bool has_size) {
    struct snapshot s = read_dir(dir);
    assert_int_equal(s.version, version);
    assert_int_equal(s.created_ms, 99);
    assert_int_equal(s.type, SNAPSHOT_FLUSH); /* not said */
    assert_string_equal(s.name, "s");
    assert_string_equal(s.table.families[0].name, "f");
    assert_int_equal(s.n_regions, 2);
    if (strcmp(s.regions[0].info.encoded, s.regions[1].info.encoded) >= 0) fail_msg("regions are in no order");
    qsort(s.regions, s.n_regions, sizeof *s.regions, start_order);
    check_region(&s.regions[0], "", has_size);
    check_region(&s.regions[1], "k", has_size);
    snapshot_free(&s);
}

static void not_consolidated(void **state) {
    (void)state;
    char *dir = make_directory();
    struct buf m = table_message();
    write_info(dir, 2);
    write_with_magic(dir, ".tabledesc/.tableinfo.0000000001", &m);
    m = region_manifest("");
    write_message(dir, "region-manifest.aa", &m);
    m = region_manifest("k");
    write_message(dir, "region-manifest.bb", &m);
    write_sample(dir, ".region-manifest.bb.crc", bytes_str("crc"));
    check_made(dir, 2, true);
    remove_directory(dir);
}

/* Tests that, once consolidated, what lies beside data.manifest does not count. */
static void consolidated(void **state) {
    (void)state;
    char *dir = make_directory();
    struct buf m = {0}, part = table_message();
    write_info(dir, 2);
    put_message(&m, 1, &part);
    part = region_manifest("k");
    put_message(&m, 2, &part);
    write_message(dir, "data.manifest", &m);
    write_sample(dir, "region-manifest.aa", bytes_str("rubbish"));
    struct snapshot s = read_dir(dir);
    assert_int_equal(s.n_regions, 1);
    check_region(s.regions, "k", true);
    snapshot_free(&s);
    remove_directory(dir);
}

static void write_region_directory(const char *dir, const char *region, const char *start) {
    struct buf info = {0}, file = {0}, r = {0};
    struct err err = {0};
    char name[100];
    put_region_info(&info, 1, start); /* field 1 of nothing: its length is the delimiter wanted here */
    assert_int_equal(buf_put(&file, "PBUF", 4, &err) || buf_put(&file, info.p + 1, info.n - 1, &err), 0);
    buf_free(&info);
    snprintf(name, sizeof name, "%s/.regioninfo", region);
    write_message(dir, name, &file);
    snprintf(name, sizeof name, "%s/f/abc", region);
    write_sample(dir, name, bytes_str(""));
    put_reference(&r, 1, true);
    assert_int_equal(buf_put(&file, "PBUF", 4, &err) || buf_put(&file, r.p + 2, r.n - 2, &err), 0);
    buf_free(&r);
    snprintf(name, sizeof name, "%s/f/def.0123", region);
    write_message(dir, name, &file);
    snprintf(name, sizeof name, "%s/f/.abc.crc", region);
    write_sample(dir, name, bytes_str("crc"));
    snprintf(name, sizeof name, "%s/recovered.edits/5", region);
    write_sample(dir, name, bytes_str("edits"));
    snprintf(name, sizeof name, "%s/.tmp/f/ff", region);
    write_sample(dir, name, bytes_str("half"));
}

static void version_1(void **state) {
    (void)state;
    static const char *const places[] = {".tabledesc/.tableinfo.0000000001", ".tableinfo.0000000001"};
    for (size_t i = 0; i < countof(places); i++) {
        char *dir = make_directory();
        struct buf m = table_message();
        write_info(dir, i == 0 ? 0 : VERSION_ABSENT);
        write_with_magic(dir, places[i], &m);
        write_region_directory(dir, "0123456789abcdef0123456789abcdef", "");
        write_region_directory(dir, "1028785192", "k");
        write_sample(dir, ".logs/server/1", bytes_str("log"));
        write_sample(dir, "notaregion/f/abc", bytes_str(""));
        check_made(dir, 1, false);
        remove_directory(dir);
    }
}

static void refused(const char *dir, enum err_code code, const char *part) {
    struct snapshot s;
    struct err err = {0};
    if (snapshot_read(dir, &(struct list_room){0}, &s, &err) == 0) fail_msg("passes, wanted: %s", part);
    expect_said(&err, code, part);
    if (!strstr(err.text, dir)) fail_msg("'%s' does not name %s", err.text, dir);
    assert_null(s.regions);
}

static void not_whole(void **state) {
    (void)state;
    char *dir = make_directory();
    refused(dir, ERR_INPUT, ".snapshotinfo");
    write_info(dir, 2);
    refused(dir, ERR_INPUT, "neither data.manifest nor a table descriptor");
    struct buf m = table_message();
    write_with_magic(dir, ".tabledesc/.tableinfo.0000000001", &m);
    refused(dir, ERR_INPUT, "neither data.manifest nor regions");
    write_sample(dir, "region-manifest.aa", bytes_str("rubbish"));
    refused(dir, ERR_INPUT, "region-manifest.aa: malformed");
    write_sample(dir, "data.manifest", bytes_str(""));
    refused(dir, ERR_INPUT, "data.manifest: does not describe the table");
    write_info(dir, 3);
    refused(dir, ERR_UNSUPPORTED, "layout 3");
    write_sample(dir, ".snapshotinfo", bytes_str("\x0a\1s"));
    refused(dir, ERR_INPUT, ".snapshotinfo: does not name the table");
    write_sample(dir, ".snapshotinfo", bytes_str("\x0a\1s\x12\3n:u\x28\2"));
    m = (struct buf){0};
    struct buf table = table_message();
    put_message(&m, 1, &table);
    write_message(dir, "data.manifest", &m);
    refused(dir, ERR_INPUT, "of table n:u, the descriptor of n:t");
    write_sample(dir, ".snapshotinfo", bytes_str("\x0a\4../s\x12\3n:t"));
    refused(dir, ERR_INPUT, "snapshot '../s' holds a '/'");
    write_sample(dir, ".snapshotinfo", bytes_str("\x0a\1s\x12\3n:t\x20\7"));
    refused(dir, ERR_INPUT, "type 7");
    remove_directory(dir);
}

static void older_table(void **state) {
    (void)state;
    char *dir = make_directory();
    write_info(dir, VERSION_ABSENT);
    write_sample(dir, ".tableinfo.0000000001", bytes_of("\0\0\0\2table", 9));
    refused(dir, ERR_UNSUPPORTED, "version 2");
    remove_directory(dir);
}

static void refused_file(const char *name, const char *part) {
    struct buf m = {0}, region = {0}, family = {0}, file = {0}, table = table_message();
    struct snapshot s = {0};
    struct err err = {0};
    put_message(&m, 1, &table);
    put_region_info(&region, 2, "");
    put_text(&family, 1, "f");
    if (name) put_text(&file, 1, name);
    put_message(&family, 2, &file);
    put_message(&region, 3, &family);
    put_message(&m, 2, &region);
    assert_int_equal(snapshot_manifest_parse(buf_bytes(&m), &s, &err), -1);
    expect_said(&err, ERR_INPUT, part);
    snapshot_free(&s);
    buf_free(&m);
}

static void names_of_files(void **state) {
    (void)state;
    refused_file("../../etc/passwd", "region 1: family 1: file 1: store file '../../etc/passwd' holds a '/'");
    refused_file("..", "names a directory");
    refused_file("", "is empty");
    refused_file("a\nb", "'a?b' holds a control character");
    refused_file(NULL, "a store file has no name");
}

/* Cut anywhere: an error, or fewer regions. */
static void truncated(void **state) {
    (void)state;
    struct bytes whole = read_sample(SAMPLES "snapshot/snap_b1/data.manifest");
    size_t passed = 0;
    for (size_t n = 0; n < whole.n; n++) {
        struct snapshot s = {0};
        struct err err = {0};
        struct bytes exact = exact_copy(bytes_of(whole.p, n));
        if (snapshot_manifest_parse(exact, &s, &err) == 0) {
            passed++;
            assert_true(s.n_regions < 5);
        } else {
            assert_int_equal(err.code, ERR_INPUT);
        }
        snapshot_free(&s);
        free_bytes(exact);
    }
    assert_int_equal(passed, 5);
    free_bytes(whole);
}

/* As many files as large clusters have: their number only costs memory for each. */
static void many_files(void **state) {
    (void)state;
    enum { REGIONS = 1000, FILES = 100 };
    struct buf m = {0}, table = table_message();
    struct snapshot s = {0};
    struct err err = {0};
    put_message(&m, 1, &table);
    for (int i = 0; i < REGIONS; i++) {
        struct buf region = {0}, family = {0};
        char name[64];
        snprintf(name, sizeof name, "row%08d", i);
        put_region_info(&region, 2, name);
        put_text(&family, 1, "f");
        for (int k = 0; k < FILES; k++) {
            struct buf file = {0};
            snprintf(name, sizeof name, "%032x", i * FILES + k);
            put_text(&file, 1, name);
            put_uint(&file, 3, 1);
            put_message(&family, 2, &file);
        }
        put_message(&region, 3, &family);
        put_message(&m, 2, &region);
    }
    if (snapshot_manifest_parse(buf_bytes(&m), &s, &err)) fail_msg("%s", err.text);
    struct sums n = sums_of(&s);
    assert_int_equal(n.regions, REGIONS);
    assert_int_equal(n.bytes, REGIONS * FILES);
    snapshot_free(&s);
    buf_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_ones),        cmocka_unit_test(in_detail),
                                       cmocka_unit_test(not_consolidated), cmocka_unit_test(consolidated),
                                       cmocka_unit_test(version_1),        cmocka_unit_test(not_whole),
                                       cmocka_unit_test(older_table),      cmocka_unit_test(names_of_files),
                                       cmocka_unit_test(truncated),        cmocka_unit_test(many_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
