/* Decisions from whole files, against real HBase stores: age order, expired files, oldest Put, and with the version rules on top
 * the survivors, their sequence ids and the facts of the new file. */
#include "tests/unit/compaction_vectors.h"

#include "rules/whole_files.h"

enum { STORE_FILES_MAX = 8 };

/* ---- stores: compacted by real HBase, and by hand ---- */

struct store {
    struct file_facts files[STORE_FILES_MAX]; /* oldest first */
    json_t *json[STORE_FILES_MAX];
    uint32_t index[STORE_FILES_MAX]; /* of the case */
    size_t n;
    bool dropped[STORE_FILES_MAX];
};

static struct file_facts facts_of(json_t *file) {
    json_t *bulk = json_object_get(file, "bulk_time"), *cells = json_object_get(file, "cells"), *cell;
    struct file_facts f = {
        .name = bytes_str(json_string_value(json_object_get(file, "name"))),
        .bytes = (uint64_t)json_integer_value(json_object_get(file, "size")),
        .max_seq = json_integer_value(json_object_get(file, "max_seq")),
        .bulk_ms = bulk ? json_integer_value(bulk) : INT64_MAX,
        .has_cells = json_array_size(cells) > 0,
        .ts_max_ms = INT64_MIN,
        .earliest_put_ms = INT64_MAX,
    };
    size_t i;
    json_array_foreach(cells, i, cell) {
        int64_t ts = json_integer_value(json_object_get(cell, "ts"));
        bool put = !strcmp(json_string_value(json_object_get(cell, "type")), "Put");
        if (ts > f.ts_max_ms) f.ts_max_ms = ts;
        if (put && ts < f.earliest_put_ms) f.earliest_put_ms = ts;
    }
    return f;
}

/* The files of a case, shuffled there, by age. */
static void load_store(struct vector_case *v, struct store *s) {
    json_t *files = json_object_get(v->json, "files"), *file;
    size_t i;
    *s = (struct store){0};
    json_array_foreach(files, i, file) {
        assert_true(s->n < STORE_FILES_MAX);
        struct file_facts f = facts_of(file);
        size_t at = s->n++;
        for (; at > 0 && file_facts_age_cmp(&f, &s->files[at - 1]) < 0; at--) {
            s->files[at] = s->files[at - 1];
            s->json[at] = s->json[at - 1];
            s->index[at] = s->index[at - 1];
        }
        s->files[at] = f;
        s->json[at] = file;
        s->index[at] = (uint32_t)i;
    }
}

static void check_expired(struct vector_case *v, struct store *s) {
    json_t *want = json_object_get(v->json, "expired_files"), *index;
    size_t i, n = file_facts_expire(s->files, s->n, &v->env.family, v->env.now_ms, s->dropped), found = 0;
    json_array_foreach(want, i, index) for (size_t k = 0; k < s->n; k++) found +=
        s->dropped[k] && s->index[k] == json_integer_value(index);
    if (n != json_array_size(want) || found != n)
        fail_msg("%s: %zu files dropped, %zu of them rightly, wanted %zu", v->id, n, found, json_array_size(want));
}

static void add_cells(struct vector_case *v, const struct store *s) {
    for (size_t k = 0; k < s->n; k++) {
        json_t *cells = json_object_get(s->json[k], "cells"), *cell;
        bool bulk = !strcmp(json_string_value(json_object_get(s->json[k], "kind")), "bulk");
        size_t i;
        if (s->dropped[k]) continue;
        json_array_foreach(cells, i, cell)
            vector_add_cell(v, cell, (uint32_t)k, (uint32_t)i, bulk ? (uint64_t)s->files[k].max_seq : 0);
    }
}

static void check_survivors(struct vector_case *v, const struct store *s) {
    json_t *out = json_object_get(v->json, "out"), *seqs = json_object_get(v->json, "out_seq");
    size_t kept = 0;
    for (size_t i = 0; i < v->n; i++) {
        const struct vector_cell *c = &v->cells[i];
        if (c->verdict != VERDICT_KEEP) continue;
        json_t *want = json_array_get(out, kept);
        if (json_integer_value(json_array_get(want, 0)) != s->index[c->file] ||
            json_integer_value(json_array_get(want, 1)) != c->index)
            fail_msg("%s: survivor %zu is cell %u of file %u", v->id, kept, c->index, s->index[c->file]);
        assert_int_equal(json_integer_value(json_array_get(seqs, kept)), c->cell.seq);
        kept++;
    }
    if (kept != json_array_size(out)) fail_msg("%s: %zu survivors, wanted %zu", v->id, kept, json_array_size(out));
}

/* Facts of the file the survivors make, as HBase wrote them down. */
static void check_result(struct vector_case *v) {
    json_t *result = json_object_get(v->json, "result");
    int64_t earliest = INT64_MAX;
    size_t entries = 0;
    for (size_t i = 0; i < v->n; i++) {
        if (v->cells[i].verdict != VERDICT_KEEP) continue;
        const struct cell *c = &v->cells[i].cell;
        entries++;
        if (c->type == CELL_PUT && c->ts_ms < earliest) earliest = c->ts_ms;
    }
    assert_int_equal(strtoll(json_string_value(json_object_get(result, "entries")), NULL, 10), entries);
    assert_int_equal(strtoll(json_string_value(json_object_get(result, "earliest_put_ts")), NULL, 10), earliest);
}

static bool check_store(struct vector_case *v) {
    struct store s;
    load_store(v, &s);
    check_expired(v, &s); /* of minor compactions too: the rule is the same */
    if (v->env.family.new_version_behavior && !v->major)
        file_facts_leave_out(s.files, s.n, &v->env.family, v->env.now_ms, s.dropped);
    v->env.earliest_put_ms = file_facts_earliest_put(s.files, s.n, s.dropped);
    add_cells(v, &s);
    vector_judge(v);
    check_survivors(v, &s);
    if (v->major) check_result(v);
    return true;
}

static void real_stores(void **state) {
    (void)state;
    assert_int_equal(vector_each("tests/data/vectors/compaction_real.jsonl", check_store), 200);
}

static void stores_of_the_file_rule(void **state) {
    (void)state;
    assert_int_equal(vector_each("tests/data/vectors/compaction_file_rule.jsonl", check_store), 10);
}

/* ---- by hand ---- */

static struct file_facts file(const char *name, int64_t max_seq, uint64_t size, int64_t bulk_ms) {
    return (struct file_facts){.name = bytes_str(name), .max_seq = max_seq, .bytes = size, .bulk_ms = bulk_ms};
}

static void age(void **state) {
    (void)state;
    const struct file_facts oldest_first[] = {
        file("z", -1, 1, 0),  file("z", 0, 1, 0),   file("z", 5, 900, INT64_MAX), file("z", 5, 100, 1),
        file("y", 5, 100, 2), file("z", 5, 100, 2), file("a", 5, 100, INT64_MAX), file("ab", 5, 100, INT64_MAX),
        file("a", 6, 900, 0),
    };
    for (size_t i = 0; i < countof(oldest_first); i++)
        for (size_t k = 0; k < countof(oldest_first); k++) {
            int c = file_facts_age_cmp(&oldest_first[i], &oldest_first[k]);
            assert_int_equal((c > 0) - (c < 0), (i > k) - (i < k));
        }
}

enum { NOW = 1000000, OLDEST = 900000 };

static void expired_files(void **state) {
    (void)state;
    struct file_facts files[] = {
        {.has_cells = true, .ts_max_ms = OLDEST - 1, .earliest_put_ms = 5},
        {.has_cells = true, .ts_max_ms = OLDEST, .earliest_put_ms = 70},
        {.has_cells = false, .ts_max_ms = 0, .earliest_put_ms = 0},
        {.has_cells = true, .ts_max_ms = INT64_MAX, .earliest_put_ms = 80},
        {.has_cells = true, .ts_max_ms = 60, .earliest_put_ms = 60},
    };
    bool dropped[5];
    struct family_rules family = {.versions = 1, .ttl_s = 100};
    assert_int_equal(file_facts_expire(files, 5, &family, NOW, dropped), 1);
    assert_true(dropped[0] && !dropped[1] && !dropped[2] && !dropped[3] && !dropped[4]);
    assert_int_equal(file_facts_earliest_put(files, 5, dropped), 60);
    assert_int_equal(file_facts_earliest_put(files, 5, NULL), 5);

    /* The newest file protects itself only, also when it is empty. */
    files[4].has_cells = false;
    files[3].ts_max_ms = 60;
    assert_int_equal(file_facts_expire(files, 5, &family, NOW, dropped), 2);
    assert_true(dropped[0] && dropped[3]);
    assert_int_equal(file_facts_earliest_put(files, 5, dropped), 70);
    assert_int_equal(file_facts_expire(files, 1, &family, NOW, dropped), 0);
    assert_int_equal(file_facts_expire(files, 0, &family, NOW, dropped), 0);

    family.min_versions = 1;
    assert_int_equal(file_facts_expire(files, 5, &family, NOW, dropped), 0);
    assert_false(dropped[0] || dropped[3]);
    family = (struct family_rules){.versions = 1};
    assert_int_equal(file_facts_expire(files, 5, &family, NOW, dropped), 0);
}

static void earliest_put(void **state) {
    (void)state;
    struct file_facts files[] = {
        {.has_cells = true, .earliest_put_ms = INT64_MAX},
        {.has_cells = true, .earliest_put_ms = 9},
        {.has_cells = true, .earliest_put_ms = INT64_MIN},
    };
    bool dropped[] = {false, false, true};
    assert_true(file_facts_earliest_put(files, 0, NULL) == INT64_MAX);
    assert_true(file_facts_earliest_put(files, 1, NULL) == INT64_MAX);
    assert_int_equal(file_facts_earliest_put(files, 2, NULL), 9);
    assert_true(file_facts_earliest_put(files, 3, NULL) == INT64_MIN);
    assert_int_equal(file_facts_earliest_put(files, 3, dropped), 9);
}

/* The period ends behind its last millisecond; what a file says beyond the largest id counts for nothing. */
static void old_sequence_ids(void **state) {
    (void)state;
    struct file_facts f = {.made_ms = 499, .max_mvcc = 7};
    assert_int_equal(file_facts_old_seq(&f, 1000, 500), 7);
    f.made_ms = 500;
    assert_int_equal(file_facts_old_seq(&f, 1000, 500), 0);
    assert_int_equal(file_facts_old_seq(&f, 1001, 500), 7);
    assert_int_equal(file_facts_old_seq(&f, INT64_MAX, 0), 0);
    assert_int_equal(file_facts_old_seq(&f, INT64_MIN, 500), 0);
    f.created_ms = 501; /* nothing was changed before it was there */
    assert_int_equal(file_facts_old_seq(&f, 1001, 500), 0);
    assert_int_equal(file_facts_old_seq(&f, 1002, 500), 7);
    f.created_ms = 1002; /* by another clock */
    assert_int_equal(file_facts_old_seq(&f, 1001, 500), 7);
    f.max_mvcc = UINT64_MAX;
    assert_int_equal(file_facts_old_seq(&f, 1001, 500), 0);
}

static void old_sequence_ids_of_regions(void **state) {
    (void)state;
    const struct bytes starts[] = {bytes_str(""), bytes_str("m")};
    const uint64_t a[] = {5, 50}, b[] = {9, 9};
    const struct region_facts f[] = {{.starts = starts, .old_seq = a, .n_regions = 2},
                                     {.input = 1, .starts = starts + 1, .old_seq = b, .n_regions = 1}};
    assert_int_equal(region_facts_old_seq(f, 2, bytes_str("a"), 0), 5);
    assert_int_equal(region_facts_old_seq(f, 2, bytes_str("m"), 0), 50);
    assert_int_equal(region_facts_old_seq(f + 1, 1, bytes_str("z"), 3), 9);
    assert_int_equal(region_facts_old_seq(f + 1, 1, bytes_str("a"), 3), 3);
    assert_int_equal(region_facts_old_seq(f, 2, bytes_str("z"), 99), 99);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_stores),
        cmocka_unit_test(stores_of_the_file_rule),
        cmocka_unit_test(age),
        cmocka_unit_test(expired_files),
        cmocka_unit_test(earliest_put),
        cmocka_unit_test(old_sequence_ids),
        cmocka_unit_test(old_sequence_ids_of_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
