/* Which store files are read and why not: on trees made by hand, and on what real ones have beside their store files. */
#include "hbase_tree.h"

#include <time.h>
#include <unistd.h>

#define REGION "0123456789abcdef0123456789abcdef"
#define FILE_A "00000000000000000000000000000aaa"
#define FILE_B "00000000000000000000000000000bbb"
#define FILE_C "00000000000000000000000000000ccc"

static void a_snapshot_that_expired_is_said(void **state) {
    struct tree t;
    struct err err = {0};
    (void)state;
    tree_open(&t);
    tree_unpack(&t, "f_namespace");
    struct store_files s = read_good(tree_path(&t, "f_namespace/hbase/.hbase-snapshot/snap_f_clone"));
    assert_true(s.expires_ms > 1700000000000);
    assert_int_equal(store_files_warn_expired(&s, s.expires_ms - 1, &err), 0);
    assert_false(says(&s.warnings, "expired"));
    assert_int_equal(store_files_warn_expired(&s, s.expires_ms, &err), 0);
    assert_true(says(&s.warnings, "snapshot snap_f_clone of table ns_2:tab-clone expired at"));
    store_files_free(&s);
    s = read_good(tree_path(&t, "f_namespace/hbase/.hbase-snapshot/snap_f"));
    assert_int_equal(s.expires_ms, 0);
    store_files_free(&s);
    tree_close(&t);
}

static void edits_in_logs_are_said(void **state) {
    struct tree t;
    (void)state;
    tree_open(&t);
    tree_unpack(&t, "i_wal_only");
    struct store_files s = read_good(tree_path(&t, "i_wal_only/hbase/.hbase-snapshot/snap_i"));
    assert_true(says(&s.warnings, "of type SKIPFLUSH"));
    assert_int_equal(s.wal.files, 1);
    assert_int_equal(s.wal.bytes, 14111);
    store_files_free(&s);
    s = read_good(tree_path(&t, "i_wal_only/hbase/data/default/wal_tab"));
    assert_int_equal(s.wal.files, 1);
    assert_true(says(&s.warnings, "write-ahead logs that name the table's regions, NOT READ"));
    store_files_free(&s);
    /* of another table: the name must be that of a region, at any place in the log */
    const char *log = tree_path(&t, "i_wal_only/hbase/WALs/localhost,46769,1700950407731/other");
    char *text = calloc(1, 3 << 20);
    memset(text, ' ', 3 << 20);
    memcpy(text + (1 << 20) - 10, "16b5247d95814c3f394c79298575b041", 32);
    tree_put(log, text, 3 << 20);
    s = read_good(tree_path(&t, "i_wal_only/hbase/data/default/wal_tab"));
    assert_int_equal(s.wal.files, 1);
    store_files_free(&s);
    for (size_t at = 1; at < 70; at++) { /* across two reads of 1 MiB too */
        memset(text, ' ', 3 << 20);
        memcpy(text + (2 << 20) - at, "16b5247d95814c3f394c79298575b040", 32);
        tree_put(log, text, 3 << 20);
        s = read_good(tree_path(&t, "i_wal_only/hbase/data/default/wal_tab"));
        assert_int_equal(s.wal.files, 2);
        store_files_free(&s);
    }
    free(text);
    tree_close(&t);
}

static void edits_that_wait_are_said(void **state) {
    struct tree t;
    (void)state;
    tree_open(&t);
    tree_unpack(&t, "a1_snapshot");
    const char *table = tree_path(&t, "a1_snapshot/hbase/data/default/simple"), *region = "32b5529da944e6cf8bd7acbb6b456ab2";
    struct store_files s = read_good(table);
    assert_int_equal(s.recovered_edits.files, 0); /* 1.seqid is none */
    assert_int_equal(s.warnings.n, 0);
    assert_true(s.files[0].has_crc);
    store_files_free(&s);
    tree_put_text(tree_path(&t, "a1_snapshot/hbase/data/default/simple/%s/recovered.edits/0000000000000000017", region), "edits");
    tree_put_text(tree_path(&t, "a1_snapshot/hbase/data/default/simple/%s/cf1/recovered.hfiles/" FILE_A, region), "xy");
    s = read_good(table);
    assert_int_equal(s.recovered_edits.files, 2);
    assert_int_equal(s.recovered_edits.bytes, 7);
    assert_true(says(&s.warnings, "files of edits in recovered.edits"));
    assert_true(says(&s.warnings, "recovered.hfiles"));
    store_files_free(&s);
    tree_close(&t);
}

static void damaged_metadata_is_seen_by_its_side_file(void **state) {
    struct tree t;
    char text[1000];
    (void)state;
    tree_open(&t);
    tree_unpack(&t, "a1_snapshot");
    const char *names[] = {".hbase-snapshot/snap_a/data.manifest", "data/default/simple/.tabledesc/.tableinfo.0000000001.630",
                           "data/default/simple/32b5529da944e6cf8bd7acbb6b456ab2/.regioninfo"};
    const char *dirs[] = {".hbase-snapshot/snap_a", "data/default/simple", "data/default/simple"};
    for (size_t i = 0; i < countof(names); i++) {
        const char *path = tree_path(&t, "a1_snapshot/hbase/%s", names[i]);
        FILE *f = fopen(path, "r+b");
        fseek(f, -1, SEEK_END);
        int c = fgetc(f);
        fseek(f, -1, SEEK_END);
        fputc(c ^ 1, f);
        fclose(f);
        snprintf(text, sizeof text, "%s", fails(tree_path(&t, "a1_snapshot/hbase/%s", dirs[i]), ERR_INPUT));
        assert_non_null(strstr(text, path));
        f = fopen(path, "r+b");
        fseek(f, -1, SEEK_END);
        fputc(c, f);
        fclose(f);
    }
    tree_close(&t);
}

static void all_that_is_missing_is_listed(void **state) {
    struct tree t;
    struct store_files s;
    struct err err = {0};
    (void)state;
    tree_open(&t);
    tree_unpack(&t, "b_split_merge");
    const char *table = "b_split_merge/hbase/data/default/split.tab-x";
    assert_int_equal(unlink(tree_path(&t, "%s/6171f1694b48e31946999ca28be0e966/f1/0c9ced29f05c4a2a9146b2708cd7a8b0", table)), 0);
    assert_int_equal(truncate(tree_path(&t, "%s/3f1679ac692a903a7dc63351753ed013/f2/ef9f447a100749c29a07d378fe4d773d", table), 0),
                     0);
    assert_int_equal(
        truncate(tree_path(&t, "%s/3f1679ac692a903a7dc63351753ed013/f1/b303c6c196b74bb39612545706186b0b", table), 99), 0);
    assert_int_equal(
        store_files_read(tree_path(&t, "b_split_merge/hbase/.hbase-snapshot/snap_b1"), (struct list_room){0}, &s, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_int_equal(s.n_problems, 4); /* both daughters need the file that is missing */
    assert_true(says(&s.problems,
                     "cc4f4dfa68cb392f59a6f4a1a2568cd9/f1/0c9ced29f05c4a2a9146b2708cd7a8b0.6171f1694b48e31946999ca28be0e966:"
                     " is missing: 6171f1694b48e31946999ca28be0e966/0c9ced29f05c4a2a9146b2708cd7a8b0 of table "
                     "default:split.tab-x"));
    assert_true(says(&s.problems, "b303c6c196b74bb39612545706186b0b: has 99 bytes, 6116 are listed"));
    assert_true(says(&s.problems, "ef9f447a100749c29a07d378fe4d773d: has 0 bytes, 6472 are listed"));
    assert_int_equal(s.n_files, 20); /* the rest is there for who wants it */
    store_files_free(&s);
    tree_close(&t);
}

static void an_error_names_some_of_many(void **state) {
    struct tree t;
    (void)state;
    tree_open(&t);
    for (unsigned i = 0; i < 30; i++) tree_put_text(tree_path(&t, "tab/" REGION "/f/000000000000000000000000000000%02x", i), "");
    const char *text = fails(tree_path(&t, "tab/" REGION "/f"), ERR_INPUT);
    assert_non_null(strstr(text, "00000000000000000000000000000001: is empty; "));
    assert_non_null(strstr(text, " more"));
    tree_close(&t);
}

static void only_tracked_files_are_read(void **state) {
    struct tree t;
    (void)state;
    tree_open(&t);
    tree_unpack(&t, "k_filelist_tracker");
    struct store_files s = read_good(tree_path(&t, "k_filelist_tracker/hbase/data/default/sft_file"));
    assert_int_equal(s.n_files, 3);
    assert_int_equal(s.untracked.files, 1);
    assert_true(says(&s.warnings, ".filelist does not name"));
    store_files_free(&s);
    const char *family = "k_filelist_tracker/hbase/data/default/sft_file/b47b9ff6304e723e6e122ae8f21c14ac/f";
    assert_int_equal(unlink(tree_path(&t, "%s/c8e4c400837e4850913f9d4f63cd5c01", family)), 0);
    assert_non_null(strstr(fails(tree_path(&t, "k_filelist_tracker/hbase/data/default/sft_file"), ERR_INPUT), "is missing"));
    tree_close(&t);
}

static void mob_files_have_directories(void **state) {
    struct tree t;
    (void)state;
    tree_open(&t);
    tree_unpack(&t, "e_codecs_mob");
    tree_unpack(&t, "g_export_snapshot");
    struct store_files s = read_good(tree_path(&t, "e_codecs_mob/hbase/.hbase-snapshot/snap_e"));
    assert_int_equal(s.n_mob, 1);
    assert_string_equal(s.mob[0].path,
                        tree_path(&t, "e_codecs_mob/hbase/mobdir/data/default/codecs/2897294da99fe268118344c0143cf50a/mob"));
    assert_string_equal(s.table.families[s.mob[0].family].name, "mob");
    store_files_free(&s);
    s = read_good(tree_path(&t, "e_codecs_mob/hbase/data/default/codecs_clone"));
    assert_int_equal(s.n_mob, 2);
    assert_string_equal(s.mob[0].table, "codecs_clone");
    assert_string_equal(s.mob[1].table, "codecs");
    store_files_free(&s);
    s = read_good(tree_path(&t, "g_export_snapshot/snap_e/.hbase-snapshot/snap_e"));
    assert_int_equal(s.n_mob, 1);
    assert_string_equal(
        s.mob[0].path,
        tree_path(&t, "g_export_snapshot/snap_e/archive/data/default/codecs/2897294da99fe268118344c0143cf50a/mob"));
    store_files_free(&s);
    s = read_good(tree_path(&t, "e_codecs_mob/hbase/mobdir/data/default/codecs"));
    assert_int_equal(s.n_files, 2);
    store_files_free(&s);
    tree_close(&t);
}

static void a_mob_file_that_is_missing_is_listed(void **state) {
    struct tree t;
    (void)state;
    tree_open(&t);
    tree_unpack(&t, "e_codecs_mob");
    assert_int_equal(unlink(tree_path(&t, "e_codecs_mob/hbase/mobdir/data/default/codecs/2897294da99fe268118344c0143cf50a/mob/"
                                          "d41d8cd98f00b204e9800998ecf8427e2023112584e8f44a431c49f3b3aba4c4e602b60e_"
                                          "d6d98e0992bc0004944591263698d3e0")),
                     0);
    struct store_files s = read_good(tree_path(&t, "e_codecs_mob/hbase/.hbase-snapshot/snap_e"));
    assert_true(says(&s.warnings, "mob files that are listed, and are missing")); /* who reads cells misses their values */
    store_files_free(&s);
    tree_close(&t);
}

static void the_archive_is_read_with_a_warning(void **state) {
    struct tree t;
    (void)state;
    tree_open(&t);
    tree_unpack(&t, "a2_snapshot_archived");
    tree_unpack(&t, "g_export_snapshot");
    struct store_files s = read_good(tree_path(&t, "a2_snapshot_archived/hbase/archive/data/default/simple"));
    assert_int_equal(s.n_files, 6);
    assert_true(says(&s.warnings, "is read from HBase's archive"));
    store_files_free(&s);
    s = read_good(tree_path(&t, "g_export_snapshot/snap_e/archive/data/default/codecs"));
    assert_int_equal(s.n_files, 10); /* not those of the mob region: cells refer to them */
    store_files_free(&s);
    tree_close(&t);
}

static void names_of_others_are_passed_over(void **state) {
    struct tree t;
    (void)state;
    tree_open(&t);
    const char *table = tree_path(&t, "tab");
    tree_put_table(table, "tab", "f,g");
    struct tree_region r = tree_put_region(table, "tab", "", "", 1);
    tree_put_text(tree_path(&t, "tab/%s/f/" FILE_A, r.name), "x");
    tree_put_text(tree_path(&t, "tab/%s/f/" FILE_B "_SeqId_7_", r.name), "x");
    tree_put_text(tree_path(&t, "tab/%s/f/notes.txt", r.name), "12345");
    tree_put_text(tree_path(&t, "tab/%s/f/_tmp", r.name), "x");
    tree_put_text(tree_path(&t, "tab/%s/f/." FILE_B "_SeqId_7_.crc", r.name), "x");
    tree_put_text(tree_path(&t, "tab/%s/dropped/" FILE_C, r.name), "123");
    tree_put_text(tree_path(&t, "tab/%s/.tmp/f/" FILE_C, r.name), "123");
    tree_put_text(tree_path(&t, "tab/.tmp/x"), "x");
    struct store_files s = read_good(table);
    assert_int_equal(s.n_files, 2);
    assert_false(s.files[0].has_seq || s.files[0].has_crc);
    assert_true(s.files[1].has_seq && s.files[1].has_crc);
    assert_int_equal(s.files[1].seq, 7);
    assert_int_equal(s.table.n_families, 2);
    assert_true(says(&s.warnings, "not those of store files, left out: 1 (5 bytes), first"));
    assert_true(says(&s.warnings, "families that the table's descriptor does not have, left out: 1 (3 bytes)"));
    store_files_free(&s);
    tree_close(&t);
}

/* ---- snapshots made by hand ---- */

static void put_info(const struct tree *t, unsigned version) {
    struct err err = {0};
    struct buf b = {0};
    assert_int_equal(pbwire_put_bytes(&b, 1, bytes_str("s"), &err), 0);
    assert_int_equal(pbwire_put_bytes(&b, 2, bytes_str("tab"), &err), 0);
    assert_int_equal(pbwire_put_uint(&b, 3, 1700000000000, &err), 0);
    assert_int_equal(pbwire_put_uint(&b, 4, 1, &err), 0);
    if (version) assert_int_equal(pbwire_put_uint(&b, 5, version, &err), 0);
    tree_put(tree_path(t, "root/.hbase-snapshot/s/.snapshotinfo"), b.p, b.n);
    buf_free(&b);
}

/* A SnapshotRegionManifest with one family f of plain files ("a,b"). */
static void region_message(struct buf *out, const char *start, const char *end, uint64_t id, bool split, unsigned replica,
                           const char *files) {
    struct err err = {0};
    struct buf info = {0}, family = {0}, file = {0};
    tree_region_message(&info, "tab", start, end, id, split, replica);
    assert_int_equal(pbwire_put_bytes(out, 2, buf_bytes(&info), &err), 0);
    assert_int_equal(pbwire_put_bytes(&family, 1, bytes_str("f"), &err), 0);
    for (size_t n; *files; files += n + (files[n] == ',')) {
        n = strcspn(files, ",");
        buf_clear(&file);
        assert_int_equal(pbwire_put_bytes(&file, 1, bytes_of(files, n), &err), 0);
        assert_int_equal(pbwire_put_uint(&file, 3, 1, &err), 0);
        assert_int_equal(pbwire_put_bytes(&family, 2, buf_bytes(&file), &err), 0);
    }
    assert_int_equal(pbwire_put_bytes(out, 3, buf_bytes(&family), &err), 0);
    buf_free(&info);
    buf_free(&family);
    buf_free(&file);
}

static void put_manifest(const struct tree *t, const struct buf *regions, size_t n) {
    struct err err = {0};
    struct buf b = {0}, schema = {0};
    tree_schema_message(&schema, "tab", "f");
    assert_int_equal(pbwire_put_bytes(&b, 1, buf_bytes(&schema), &err), 0);
    for (size_t i = 0; i < n; i++) assert_int_equal(pbwire_put_bytes(&b, 2, buf_bytes(&regions[i]), &err), 0);
    tree_put(tree_path(t, "root/.hbase-snapshot/s/data.manifest"), b.p, b.n);
    buf_free(&b);
    buf_free(&schema);
}

static void free_all(struct buf *b, size_t n) {
    for (size_t i = 0; i < n; i++) buf_free(&b[i]);
}

static void replicas_and_marked_parents_are_left_out(void **state) {
    struct tree t;
    struct buf r[4] = {0};
    (void)state;
    tree_open(&t);
    put_info(&t, 2);
    region_message(&r[0], "m", "", 20, false, 0, FILE_B);
    region_message(&r[1], "", "m", 20, false, 0, FILE_A);
    region_message(&r[2], "", "m", 20, false, 1, FILE_A);
    region_message(&r[3], "", "", 10, true, 0, FILE_C);
    put_manifest(&t, r, 4);
    struct tree_region a = tree_put_region(tree_path(&t, "root/data/default/tab"), "tab", "", "m", 20);
    struct tree_region b = tree_put_region(tree_path(&t, "root/data/default/tab"), "tab", "m", "", 20);
    tree_put_text(tree_path(&t, "root/data/default/tab/%s/f/" FILE_A, a.name), "x");
    tree_put_text(tree_path(&t, "root/archive/data/default/tab/%s/f/" FILE_B, b.name), "x");
    struct store_files s = read_good(tree_path(&t, "root/.hbase-snapshot/s"));
    assert_int_equal(s.n_regions, 2);
    assert_int_equal(s.n_files, 2);
    assert_string_equal(s.regions[0].encoded, a.name);
    assert_string_equal(s.files[1].path, tree_path(&t, "root/archive/data/default/tab/%s/f/" FILE_B, b.name));
    assert_true(says(&s.warnings, "replicas of regions"));
    assert_int_equal(s.parents.files, 1);
    store_files_free(&s);
    free_all(r, 4);
    tree_close(&t);
}

static void a_marked_parent_nothing_covers_is_read(void **state) {
    struct tree t;
    struct buf r[1] = {0};
    (void)state;
    tree_open(&t);
    put_info(&t, 2);
    region_message(&r[0], "", "", 10, true, 0, FILE_A);
    put_manifest(&t, r, 1);
    struct tree_region p = tree_put_region(tree_path(&t, "root/data/default/tab"), "tab", "", "", 10);
    tree_put_text(tree_path(&t, "root/data/default/tab/%s/f/" FILE_A, p.name), "x");
    struct store_files s = read_good(tree_path(&t, "root/.hbase-snapshot/s"));
    assert_int_equal(s.n_files, 1);
    assert_true(says(&s.warnings, "marked as split that no newer region covers, read"));
    store_files_free(&s);
    free_all(r, 1);
    tree_close(&t);
}

static void snapshots_of_other_layouts_are_read(void **state) {
    struct tree t;
    struct buf r[2] = {0};
    (void)state;
    tree_open(&t);
    struct tree_region a = tree_put_region(tree_path(&t, "root/data/default/tab"), "tab", "", "m", 20);
    struct tree_region b = tree_put_region(tree_path(&t, "root/data/default/tab"), "tab", "m", "", 20);
    tree_put_text(tree_path(&t, "root/data/default/tab/%s/f/" FILE_A, a.name), "x");
    tree_put_text(tree_path(&t, "root/data/default/tab/%s/f/" FILE_B, b.name), "x");
    put_info(&t, 2);
    region_message(&r[0], "m", "", 20, false, 0, FILE_B);
    region_message(&r[1], "", "m", 20, false, 0, FILE_A);
    tree_put_table(tree_path(&t, "root/.hbase-snapshot/s"), "tab", "f");
    tree_put(tree_path(&t, "root/.hbase-snapshot/s/region-manifest.%s", a.name), r[1].p, r[1].n);
    tree_put(tree_path(&t, "root/.hbase-snapshot/s/region-manifest.%s", b.name), r[0].p, r[0].n);
    struct store_files s = read_good(tree_path(&t, "root/.hbase-snapshot/s"));
    assert_int_equal(s.n_files, 2);
    store_files_free(&s);
    tree_close(&t);

    tree_open(&t); /* V1: files as names without content, halves with it */
    put_info(&t, 0);
    tree_put_table(tree_path(&t, "root/.hbase-snapshot/s"), "tab", "f");
    a = tree_put_region(tree_path(&t, "root/.hbase-snapshot/s"), "tab", "", "m", 20);
    b = tree_put_region(tree_path(&t, "root/.hbase-snapshot/s"), "tab", "m", "", 20);
    tree_put_text(tree_path(&t, "root/.hbase-snapshot/s/%s/f/" FILE_A, a.name), "");
    tree_put_reference(tree_path(&t, "root/.hbase-snapshot/s/%s/f/" FILE_B "." REGION, b.name), "m", true);
    tree_put_text(tree_path(&t, "root/.archive/tab/%s/f/" FILE_A, a.name), "x");
    tree_put_text(tree_path(&t, "root/tab/" REGION "/f/" FILE_B), "x");
    s = read_good(tree_path(&t, "root/.hbase-snapshot/s"));
    assert_int_equal(s.n_files, 2);
    assert_int_equal(s.files[1].half, STORE_TOP);
    assert_string_equal(s.files[1].path, tree_path(&t, "root/tab/" REGION "/f/" FILE_B));
    store_files_free(&s);
    free_all(r, 2);
    tree_close(&t);
}

static void manifests_cannot_lead_elsewhere(void **state) {
    struct tree t;
    struct buf r[1] = {0};
    (void)state;
    tree_open(&t);
    put_info(&t, 2);
    region_message(&r[0], "", "", 20, false, 0, "../../../../../secret," FILE_A);
    put_manifest(&t, r, 1);
    tree_put_text(tree_path(&t, "root/secret"), "x");
    fails(tree_path(&t, "root/.hbase-snapshot/s"), ERR_INPUT);
    free_all(r, 1);
    tree_close(&t);
}

static void many_files_take_seconds(void **state) {
    enum { FILES = 20000, FAMILY_FILES = 1000 };
    struct tree t;
    struct timespec a, b;
    (void)state;
    tree_open(&t);
    tree_put_table(tree_path(&t, "root/data/default/tab"), "tab", "f");
    tree_put_text(tree_path(&t, "one"), "x");
    for (unsigned i = 0; i < FILES / FAMILY_FILES; i++) {
        char start[8], end[8];
        snprintf(start, sizeof start, "%05u", i);
        snprintf(end, sizeof end, "%05u", i + 1);
        struct tree_region r = tree_put_region(tree_path(&t, "root/data/default/tab"), "tab", i ? start : "",
                                               i + 1 < FILES / FAMILY_FILES ? end : "", 1);
        tree_put_text(tree_path(&t, "root/data/default/tab/%s/f/" FILE_A, r.name), "x");
        for (unsigned k = 1; k < FAMILY_FILES; k++)
            assert_int_equal(link(tree_path(&t, "one"), tree_path(&t, "root/data/default/tab/%s/f/%032x", r.name, k)), 0);
    }
    clock_gettime(CLOCK_MONOTONIC, &a);
    struct store_files s = read_good(tree_path(&t, "root/data/default/tab"));
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("# %zu files in %.0f ms\n", s.n_files, 1e3 * (double)(b.tv_sec - a.tv_sec) + 1e-6 * (double)(b.tv_nsec - a.tv_nsec));
    assert_int_equal(s.n_files, FILES);
    assert_int_equal(s.warnings.n, 0);
    store_files_free(&s);
    tree_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_that_expired_is_said),
        cmocka_unit_test(edits_in_logs_are_said),
        cmocka_unit_test(edits_that_wait_are_said),
        cmocka_unit_test(damaged_metadata_is_seen_by_its_side_file),
        cmocka_unit_test(all_that_is_missing_is_listed),
        cmocka_unit_test(an_error_names_some_of_many),
        cmocka_unit_test(only_tracked_files_are_read),
        cmocka_unit_test(mob_files_have_directories),
        cmocka_unit_test(a_mob_file_that_is_missing_is_listed),
        cmocka_unit_test(the_archive_is_read_with_a_warning),
        cmocka_unit_test(names_of_others_are_passed_over),
        cmocka_unit_test(replicas_and_marked_parents_are_left_out),
        cmocka_unit_test(a_marked_parent_nothing_covers_is_read),
        cmocka_unit_test(snapshots_of_other_layouts_are_read),
        cmocka_unit_test(manifests_cannot_lead_elsewhere),
        cmocka_unit_test(many_files_take_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
