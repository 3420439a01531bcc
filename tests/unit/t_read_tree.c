/* Which store files are read of what a running HBase left: the same that HBase's own reader opened (`# region …` lines of
 * stored.tsv), as the same halves and in the same order. */
#include "hbase_tree.h"

#include "base/bytes.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_open.h"

#include <inttypes.h>

struct line {
    char region[33], family[32], file[300];
    unsigned order;
    uint64_t max_seq;
    bool bulk, reference, seen;
};

struct lines {
    struct line *at;
    size_t n;
};

static struct lines read_lines(const char *path) {
    struct lines l = {0};
    struct err err = {0};
    size_t n;
    char *text = fs_read_text(path, 64 << 20, &n, &err), bulk[8], reference[8];
    assert_non_null(text);
    for (char *s = text; s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL) {
        struct line x = {0};
        if (sscanf(s, "# region %32s family %31s file %299s order %u max_seq %" SCNu64 " bulk %7s reference %7s", x.region,
                   x.family, x.file, &x.order, &x.max_seq, bulk, reference) != 7)
            continue;
        x.bulk = strcmp(bulk, "true") == 0;
        x.reference = strcmp(reference, "true") == 0;
        l.at = realloc(l.at, (l.n + 1) * sizeof *l.at);
        l.at[l.n++] = x;
    }
    free(text);
    return l;
}

struct aged {
    const struct store_file *file;
    uint64_t max_seq, bulk_ms;
};

static struct aged age_of(const struct store_file *f) {
    struct err err = {0};
    struct aged a = {.file = f, .max_seq = f->seq, .bulk_ms = UINT64_MAX};
    struct hfile *h = hfile_open(f->path, 0, &err);
    if (!h) fail_msg("%s", err.text);
    struct bytes max_seq = hfile_find(h, "MAX_SEQ_ID_KEY"), bulk = hfile_find(h, "BULKLOAD_TIMESTAMP");
    if (!f->has_seq) a.max_seq = be64(max_seq.p) + (f->half == STORE_TOP);
    if (bulk.n) a.bulk_ms = be64(bulk.p);
    hfile_close(h);
    return a;
}

/* StoreFileComparators.SEQ_ID. */
static int older_first(const void *a, const void *b) {
    const struct aged *x = a, *y = b;
    if (x->max_seq != y->max_seq) return x->max_seq < y->max_seq ? -1 : 1;
    if (x->file->bytes != y->file->bytes) return x->file->bytes > y->file->bytes ? -1 : 1;
    if (x->bulk_ms != y->bulk_ms) return x->bulk_ms < y->bulk_ms ? -1 : 1;
    return strcmp(x->file->name, y->file->name);
}

static void expect_file(const struct store_files *s, const struct aged *a, unsigned order, struct lines *want) {
    const char *region = s->regions[a->file->region].encoded, *family = s->table.families[a->file->family].name;
    for (size_t i = 0; i < want->n; i++) {
        struct line *w = &want->at[i];
        if (strcmp(w->region, region) != 0 || strcmp(w->family, family) != 0 || strcmp(w->file, a->file->name) != 0) continue;
        assert_false(w->seen);
        w->seen = true;
        assert_int_equal(w->reference, a->file->half != STORE_WHOLE);
        assert_int_equal(w->bulk, a->file->has_seq);
        assert_int_equal(w->max_seq, a->max_seq);
        assert_int_equal(w->order, order);
        return;
    }
    fail_msg("%s: %s/%s/%s is read", s->what, region, family, a->file->name);
}

static void expect_files(const struct store_files *s, struct lines *want) {
    struct aged *aged = calloc(s->n_files + 1, sizeof *aged);
    for (size_t i = 0, end; i < s->n_files; i = end) {
        for (end = i;
             end < s->n_files && s->files[end].region == s->files[i].region && s->files[end].family == s->files[i].family; end++)
            aged[end] = age_of(&s->files[end]);
        qsort(aged + i, end - i, sizeof *aged, older_first);
        for (size_t k = i; k < end; k++) expect_file(s, &aged[k], (unsigned)(k - i), want);
    }
    free(aged);
}

/* Every line of want that is of the region and family (NULL: of any) was seen. */
static void expect_all_seen(const struct lines *want, const char *region, const char *family) {
    for (size_t i = 0; i < want->n; i++)
        if ((!region || !strcmp(want->at[i].region, region)) && (!family || !strcmp(want->at[i].family, family)) &&
            !want->at[i].seen)
            fail_msg("%s/%s/%s is not read", want->at[i].region, want->at[i].family, want->at[i].file);
}

static void expect_read(const char *dir, const char *stored, const char *region, const char *family) {
    struct lines want = read_lines(stored);
    struct store_files s;
    struct err err = {0};
    assert_true(want.n > 0);
    if (store_files_read(dir, (struct list_room){0}, &s, &err)) fail_msg("%s", err.text);
    expect_files(&s, &want);
    expect_all_seen(&want, region, family);
    store_files_free(&s);
    free(want.at);
}

struct scenario {
    const char *tree, *dir, *expected;
};

static void check(const struct scenario *s, size_t n) {
    struct tree t;
    tree_open(&t);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || strcmp(s[i].tree, s[i - 1].tree) != 0) tree_unpack(&t, s[i].tree);
        expect_read(tree_path(&t, "%s/%s", s[i].tree, s[i].dir),
                    tree_path(&t, "%s/expected/%s/stored.tsv", s[i].tree, s[i].expected), NULL, NULL);
    }
    tree_close(&t);
}

static void snapshots_are_read_as_hbase_does(void **state) {
    static const struct scenario s[] = {
        {"a1_snapshot", "hbase/.hbase-snapshot/snap_a", "snapshot.snap_a"},
        {"a2_snapshot_archived", "hbase/.hbase-snapshot/snap_a", "snapshot.snap_a"},
        {"b_split_merge", "hbase/.hbase-snapshot/snap_b0", "snapshot.snap_b0"},
        {"b_split_merge", "hbase/.hbase-snapshot/snap_b1", "snapshot.snap_b1"},
        {"b2_split_compacted", "hbase/.hbase-snapshot/snap_b1", "snapshot.snap_b1"},
        {"c_clone_links", "hbase/.hbase-snapshot/snap_c", "snapshot.snap_c"},
        {"c_clone_links", "hbase/.hbase-snapshot/snap_clone", "snapshot.snap_clone"},
        {"c_clone_links", "hbase/.hbase-snapshot/snap_clone2", "snapshot.snap_clone2"},
        {"d_ttl_deletes", "hbase/.hbase-snapshot/snap_d", "snapshot.snap_d"},
        {"e_codecs_mob", "hbase/.hbase-snapshot/snap_e", "snapshot.snap_e"},
        {"e_codecs_mob", "hbase/.hbase-snapshot/snap_e_clone", "snapshot.snap_e_clone"},
        {"f_namespace", "hbase/.hbase-snapshot/snap_f", "snapshot.snap_f"},
        {"f_namespace", "hbase/.hbase-snapshot/snap_f_clone", "snapshot.snap_f_clone"},
        {"g_export_snapshot", "snap_a/.hbase-snapshot/snap_a", "snapshot.snap_a"},
        {"g_export_snapshot", "snap_b1/.hbase-snapshot/snap_b1", "snapshot.snap_b1"},
        {"g_export_snapshot", "snap_c/.hbase-snapshot/snap_c", "snapshot.snap_c"},
        {"g_export_snapshot", "snap_clone/.hbase-snapshot/snap_clone", "snapshot.snap_clone"},
        {"g_export_snapshot", "snap_clone2/.hbase-snapshot/snap_clone2", "snapshot.snap_clone2"},
        {"g_export_snapshot", "snap_e/.hbase-snapshot/snap_e", "snapshot.snap_e"},
        {"i_wal_only", "hbase/.hbase-snapshot/snap_i", "flushed_only"},
        {"j_bulkload", "hbase/.hbase-snapshot/snap_j", "snapshot.snap_j"},
        {"k_filelist_tracker", "hbase/.hbase-snapshot/snap_k", "snapshot.snap_k"},
    };
    (void)state;
    check(s, countof(s));
}

/* Tests that tables are read as HBase does. Where it read only the snapshot, but the table had not changed since, the table's
 * directory must give the same. */
static void tables_are_read_as_hbase_does(void **state) {
    static const struct scenario s[] = {
        {"a1_snapshot", "hbase/data/default/simple", "snapshot.snap_a"},
        {"a2_snapshot_archived", "hbase/data/default/simple", "table.simple"},
        {"b_split_merge", "hbase/data/default/split.tab-x", "table.split.tab-x"},
        {"b2_split_compacted", "hbase/data/default/split.tab-x", "table.split.tab-x"},
        {"c_clone_links", "hbase/data/default/orig_c", "table.orig_c"},
        {"c_clone_links", "hbase/data/default/clone-c.1", "snapshot.snap_clone"},
        {"c_clone_links", "hbase/data/default/clone2", "snapshot.snap_clone2"},
        {"d_ttl_deletes", "hbase/data/default/ttl_tab", "snapshot.snap_d"},
        {"e_codecs_mob", "hbase/data/default/codecs", "snapshot.snap_e"},
        {"e_codecs_mob", "hbase/data/default/codecs_clone", "snapshot.snap_e_clone"},
        {"f_namespace", "hbase/data/ns1/tab", "snapshot.snap_f"},
        {"f_namespace", "hbase/data/ns_2/tab-clone", "snapshot.snap_f_clone"},
        {"i_wal_only", "hbase/data/default/wal_tab", "flushed_only"},
        {"j_bulkload", "hbase/data/default/bulk_tab", "snapshot.snap_j"},
        {"k_filelist_tracker", "hbase/data/default/sft_file", "table.sft_file"},
    };
    (void)state;
    check(s, countof(s));
}

static void regions_and_families_are_read_alone(void **state) {
    static const char region[] = "bf48021e771cbd100830db90393fa0c1", tracked[] = "b47b9ff6304e723e6e122ae8f21c14ac";
    struct tree t;
    (void)state;
    tree_open(&t);
    tree_unpack(&t, "c_clone_links");
    tree_unpack(&t, "k_filelist_tracker");
    const char *stored = tree_path(&t, "c_clone_links/expected/snapshot.snap_clone2/stored.tsv");
    expect_read(tree_path(&t, "c_clone_links/hbase/data/default/clone2/%s", region), stored, region, NULL);
    expect_read(tree_path(&t, "c_clone_links/hbase/data/default/clone2/%s/d", region), stored, region, "d");
    stored = tree_path(&t, "k_filelist_tracker/expected/table.sft_file/stored.tsv");
    expect_read(tree_path(&t, "k_filelist_tracker/hbase/data/default/sft_file/%s/f", tracked), stored, tracked, "f");
    tree_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snapshots_are_read_as_hbase_does),
        cmocka_unit_test(tables_are_read_as_hbase_does),
        cmocka_unit_test(regions_and_families_are_read_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
