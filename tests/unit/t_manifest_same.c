/* Differences between a manifest that was written and the one that was read back are found, member by member. */
#include "flat_cells.h"

#include "dataset/manifest.h"

/* Two families, two partitions, two files. */
static void make(struct manifest *m) {
    struct err err = {0};
    *m = (struct manifest){
        .tool = strdup("t"), .settings = json_pack("{s:s, s:i}", "codec", "snappy", "block", 65536), .now_ms = 5};
    assert_int_equal(table_add_family(&m->table, bytes_str("f"), &err), 0);
    assert_int_equal(table_add_family(&m->table, bytes_str("g"), &err), 0);
    m->ledger.in.cells = m->ledger.dropped[VERDICT_KEEP].cells = 7;
    m->warnings = json_pack("{s:i}", "rejected", 2);
    for (uint32_t i = 0; i < 2; i++) {
        struct manifest_file f = {.path = strdup(i ? "g/p.hfile" : "f/p.hfile"),
                                  .family = i,
                                  .file_bytes = 100,
                                  .kv_bytes = 90,
                                  .tally = {3, {1, 2}},
                                  .ts_min = 1,
                                  .ts_max = 2,
                                  .checksum = "0123456789abcdef"};
        assert_int_equal(buf_put(&f.first_row, "a", 1, &err) || buf_put(&f.last_row, "b", 1, &err), 0);
        assert_int_equal(manifest_add_file(m, &f, &err), 0);
    }
}

static void changed(void (*change)(struct manifest *m), const char *want) {
    struct manifest a, b;
    make(&a);
    make(&b);
    assert_null(manifest_differs(&a, &b));
    change(&b);
    const char *differs = manifest_differs(&a, &b);
    assert_non_null(differs);
    assert_string_equal(differs, want);
    manifest_free(&a);
    manifest_free(&b);
}

static void lost_setting(struct manifest *m) {
    json_object_del(m->settings, "codec");
}
static void lost_warning(struct manifest *m) {
    json_object_set_new(m->warnings, "rejected", json_integer(1));
}
static void other_time(struct manifest *m) {
    m->now_ms++;
}
static void lost_family(struct manifest *m) {
    m->table.families[1].name[0]++;
}
static void other_ledger(struct manifest *m) {
    m->ledger.dropped[VERDICT_KEEP].digest.hi++;
}
static void other_row(struct manifest *m) {
    m->files[1].last_row.p[0]++;
}
static void other_checksum(struct manifest *m) {
    m->files[0].checksum[15]++;
}
static void other_share(struct manifest *m) {
    m->share.number++;
}

static void each_member(void **state) {
    (void)state;
    changed(lost_setting, "settings");
    changed(lost_warning, "warnings");
    changed(other_time, "now_ms or kind");
    changed(lost_family, "table");
    changed(other_ledger, "ledger");
    changed(other_row, "files");
    changed(other_checksum, "files");
    changed(other_share, "shard");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_member)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
