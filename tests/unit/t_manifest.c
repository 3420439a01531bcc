/* The manifest: what is printed is read again as it was, and what is not one is refused before it does harm. */
#include "flat_cells.h"

#include "base/fs.h"
#include "dataset/manifest.h"
#include "dataset/manifest_json.h"
#include "dataset/manifest_order.h"
#include "table/partitioning.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- random manifests ---- */

static char *word(uint64_t *s, const char *letters, size_t least, size_t most) {
    size_t n = least + flat_below(s, most - least + 1), kinds = strlen(letters);
    char *t = calloc(1, n + 1);
    assert_non_null(t);
    for (size_t i = 0; i < n; i++) t[i] = letters[flat_below(s, kinds)];
    return t;
}

/* Any bytes but NUL; every other one is no UTF-8. */
static char *any_text(uint64_t *s) {
    return word(s, flat_below(s, 2) ? "a\x80\xff\xc3\xa9\n\"\\$' " : "abc \xc3\xa9", 0, 12);
}

static struct tally random_tally(uint64_t *s) {
    return (struct tally){flat_random(s) >> 1, {flat_random(s), flat_random(s)}};
}

static void random_rules(uint64_t *s, struct family_rules *r) {
    static const uint32_t versions[] = {1, 3, UINT32_MAX - 1, UINT32_MAX};
    r->versions_given = flat_below(s, 3);
    r->versions = r->versions_given ? versions[flat_below(s, 4)] : UINT32_MAX;
    r->min_versions = (uint32_t)flat_random(s);
    r->ttl_s = (int64_t)flat_random(s);
    r->keep_deleted = (enum keep_deleted)flat_below(s, 3);
    r->new_version_behavior = flat_below(s, 2);
    r->purge_deletes_after_ms = (int64_t)(flat_random(s) >> flat_below(s, 64));
}

static void random_families(uint64_t *s, struct table *t) {
    struct err err = {0};
    uint32_t n = (uint32_t)flat_below(s, 5);
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, i % 2 ? "f%u\xff" : "f%u", i);
        assert_int_equal(table_add_family(t, bytes_str(name), &err), 0);
        struct family *f = &t->families[i];
        f->sql_table = flat_below(s, 2) ? any_text(s) : NULL;
        f->v_type = flat_below(s, 2) ? any_text(s) : NULL;
        f->k_max = (uint32_t)flat_random(s);
        f->q_max = (uint32_t)flat_random(s);
        f->v_max = flat_random(s) >> 1;
        f->has_ttl_column = flat_below(s, 2);
        f->has_generated = flat_below(s, 2);
        f->is_padded = flat_below(s, 2);
        random_rules(s, &f->rules);
    }
}

static void random_partitioning(uint64_t *s, struct partitioning *p) {
    struct err err = {0};
    uint32_t n = 1 + (uint32_t)flat_below(s, 20);
    partitioning_free(p);
    p->kind = (enum partition_kind)flat_below(s, 3);
    for (uint32_t i = 0; i < n; i++) {
        char name[32];
        uint8_t bound[3] = {(uint8_t)(i * 12), 0xff, (uint8_t)flat_random(s)};
        snprintf(name, sizeof name, "leaf %u%s", i, i % 3 ? "" : "\xe9");
        struct bytes b = bytes_of(bound, 1 + flat_below(s, 3)), label = bytes_str(name);
        if (i + 1 == n && flat_below(s, 2)) b.p = NULL; /* MAXVALUE */
        assert_int_equal(partitioning_add(p, &label, p->kind == PARTITION_RANGE ? &b : NULL, &err), 0);
    }
    if (p->kind == PARTITION_KEY && flat_below(s, 2))
        p->prefix = (struct key_prefix){.on = true, .pos = -3, .has_len = flat_below(s, 2), .len = 0};
    if (p->prefix.has_len) p->prefix.len = (int64_t)flat_below(s, 9);
    if (p->kind != PARTITION_NONE && flat_below(s, 2)) p->k_pad = (uint32_t)flat_below(s, 1000);
}

static void random_files(uint64_t *s, struct manifest *m) {
    size_t n = m->table.n_families ? flat_below(s, 12) : 0;
    struct err err = {0};
    for (size_t i = 0; i < n; i++) {
        struct manifest_file f = {.family = (uint32_t)flat_below(s, m->table.n_families)};
        f.partition = (uint32_t)flat_below(s, m->table.partitioning.count);
        f.number = (uint32_t)flat_below(s, 3);
        f.file_bytes = flat_random(s) >> 8;
        f.kv_bytes = flat_random(s) >> 8;
        f.tally = random_tally(s);
        f.ts_min = (int64_t)flat_random(s);
        f.ts_max = (int64_t)flat_random(s);
        snprintf(f.checksum, sizeof f.checksum, "%016llx", (unsigned long long)flat_random(s));
        f.path = fs_printf(&err, "%s/p%05u-%03u.hfile", m->table.families[f.family].name, f.partition, f.number);
        for (size_t k = flat_below(s, 20); k; k--) buf_put_byte(&f.first_row, (uint8_t)flat_random(s), &err);
        for (size_t k = flat_below(s, 20); k; k--) buf_put_byte(&f.last_row, (uint8_t)flat_random(s), &err);
        assert_int_equal(manifest_add_file(m, &f, &err), 0);
    }
}

static void random_inputs(uint64_t *s, struct manifest *m) {
    static const char *const formats[] = {"csv", "hfile", "dataset"};
    m->n_inputs = flat_below(s, 5);
    m->inputs = calloc(m->n_inputs + 1, sizeof *m->inputs);
    for (size_t i = 0; i < m->n_inputs; i++) {
        struct manifest_input *in = &m->inputs[i];
        in->path = any_text(s);
        in->format = formats[flat_below(s, 3)];
        in->file_bytes = flat_random(s) >> 1;
        in->mtime_ns = (int64_t)flat_random(s);
        in->records = flat_random(s) >> 1;
        in->tally = random_tally(s);
        in->by_stretches = flat_below(s, 2);
        if (flat_below(s, 2)) snprintf(in->checksum, sizeof in->checksum, "%016llx", (unsigned long long)flat_random(s));
    }
}

static void random_manifest(uint64_t *s, struct manifest *m) {
    struct err err = {0};
    *m = (struct manifest){.tool = any_text(s), .now_ms = (int64_t)flat_random(s), .now_given = flat_below(s, 2)};
    m->settings = json_pack("{s:s, s:[i,n,b]}", "columns", "a,b", "list", 7, 1);
    m->rules = flat_below(s, 2) ? any_text(s) : NULL;
    assert_int_equal(table_handmade(&m->table, &err), 0);
    m->table.name = flat_below(s, 2) ? any_text(s) : NULL;
    m->table.ddl = flat_below(s, 2) ? any_text(s) : NULL;
    random_families(s, &m->table);
    random_partitioning(s, &m->table.partitioning);
    m->ledger = (struct ledger){flat_random(s) >> 1,
                                flat_random(s) >> 1,
                                flat_random(s) >> 1,
                                flat_random(s) >> 1,
                                random_tally(s),
                                random_tally(s),
                                .lost = {flat_below(s, 3), flat_random(s) >> 1, flat_below(s, 9)}};
    if (!m->ledger.lost.places) m->ledger.lost = (struct lost_count){0};
    for (int c = 0; c < CAUSE_COUNT; c++) {
        struct tally t = {flat_below(s, 1000), random_tally(s).digest};
        tally_add(&m->ledger.dropped[cause_verdict((enum cause)c)], t);
        if (c != CAUSE_KEPT) m->ledger.by[c] = t;
    }
    random_files(s, m);
    random_inputs(s, m);
}

/* ---- equality, field by field ---- */

static void expect_text(const char *a, const char *b) {
    assert_int_equal(!a, !b);
    if (a) assert_string_equal(a, b);
}

static void expect_tally(const struct tally *a, const struct tally *b) {
    assert_true(a->cells == b->cells && digest_eq(a->digest, b->digest));
}

static void expect_family(const struct family *a, const struct family *b) {
    expect_text(a->name, b->name);
    expect_text(a->sql_table, b->sql_table);
    expect_text(a->v_type, b->v_type);
    assert_true(a->k_max == b->k_max && a->q_max == b->q_max && a->v_max == b->v_max);
    assert_int_equal(a->has_ttl_column, b->has_ttl_column);
    assert_true(a->has_generated == b->has_generated && a->is_padded == b->is_padded);
    const struct family_rules *x = &a->rules, *y = &b->rules;
    assert_true(x->versions_given == y->versions_given && x->versions == y->versions && x->min_versions == y->min_versions);
    assert_true(x->ttl_s == y->ttl_s && x->keep_deleted == y->keep_deleted);
    assert_true(x->new_version_behavior == y->new_version_behavior && x->purge_deletes_after_ms == y->purge_deletes_after_ms);
}

static void expect_table(const struct table *a, const struct table *b) {
    expect_text(a->name, b->name);
    expect_text(a->ddl, b->ddl);
    assert_int_equal(a->n_families, b->n_families);
    for (uint32_t i = 0; i < a->n_families; i++) expect_family(&a->families[i], &b->families[i]);
    assert_true(partitioning_eq(&a->partitioning, &b->partitioning));
    assert_int_equal(b->client_order_differs, partitioning_client_differs(&a->partitioning));
}

static void expect_files(const struct manifest *a, const struct manifest *b) {
    assert_int_equal(a->n_files, b->n_files);
    for (size_t i = 0; i < a->n_files; i++) {
        const struct manifest_file *x = &a->files[i], *y = &b->files[i];
        assert_string_equal(x->path, y->path);
        assert_true(x->family == y->family && x->partition == y->partition && x->number == y->number);
        assert_true(x->file_bytes == y->file_bytes && x->kv_bytes == y->kv_bytes);
        assert_true(x->ts_min == y->ts_min && x->ts_max == y->ts_max);
        assert_true(bytes_eq(buf_bytes(&x->first_row), buf_bytes(&y->first_row)));
        assert_true(bytes_eq(buf_bytes(&x->last_row), buf_bytes(&y->last_row)));
        assert_string_equal(x->checksum, y->checksum);
        expect_tally(&x->tally, &y->tally);
    }
}

static void expect_inputs(const struct manifest *a, const struct manifest *b) {
    assert_int_equal(a->n_inputs, b->n_inputs);
    for (size_t i = 0; i < a->n_inputs; i++) {
        const struct manifest_input *x = &a->inputs[i], *y = &b->inputs[i];
        assert_string_equal(x->path, y->path);
        assert_string_equal(x->format, y->format);
        assert_true(x->file_bytes == y->file_bytes && x->mtime_ns == y->mtime_ns && x->records == y->records);
        assert_string_equal(x->checksum, y->checksum);
        assert_int_equal(x->by_stretches, y->by_stretches);
        expect_tally(&x->tally, &y->tally);
    }
}

static void expect_equal(const struct manifest *a, const struct manifest *b) {
    expect_text(a->tool, b->tool);
    expect_text(a->rules, b->rules);
    assert_true(json_equal(a->settings, b->settings));
    assert_true(a->now_ms == b->now_ms && a->now_given == b->now_given);
    expect_table(&a->table, &b->table);
    expect_files(a, b);
    expect_inputs(a, b);
    assert_true(a->ledger.records_read == b->ledger.records_read && a->ledger.records_accepted == b->ledger.records_accepted);
    assert_true(a->ledger.records_rejected == b->ledger.records_rejected &&
                a->ledger.records_skipped == b->ledger.records_skipped);
    expect_tally(&a->ledger.in, &b->ledger.in);
    assert_memory_equal(&a->ledger.lost, &b->ledger.lost, sizeof a->ledger.lost);
    expect_tally(&a->ledger.rejected, &b->ledger.rejected);
    for (int v = 0; v < VERDICT_COUNT; v++) expect_tally(&a->ledger.dropped[v], &b->ledger.dropped[v]);
    for (int c = 0; c < CAUSE_COUNT; c++) expect_tally(&a->ledger.by[c], &b->ledger.by[c]);
    assert_int_equal(a->ledger.unparted, b->ledger.unparted);
}

/* Parses a copy that ends where its length says. */
static int parse(const char *text, size_t n, struct manifest *out, struct err *err) {
    char *exact = malloc(n + !n);
    assert_non_null(exact);
    memcpy(exact, text, n);
    *err = (struct err){0};
    int rc = manifest_parse("M", exact, n, out, err);
    free(exact);
    return rc;
}

static void test_round_trip(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t s = seed * 0x9e3779b97f4a7c15u;
        struct manifest m, back;
        struct err err = {0};
        random_manifest(&s, &m);
        char *text = manifest_print(&m, &err);
        assert_string_equal(err.text, "");
        assert_int_equal(parse(text, strlen(text), &back, &err), 0);
        expect_equal(&m, &back);
        assert_true(back.sealed);
        char *again = manifest_print(&back, &err);
        assert_string_equal(text, again);
        free(text);
        free(again);
        manifest_free(&m);
        manifest_free(&back);
    }
}

/* Entries are the same from both ends. */
static void expect_backwards(struct bytes list) {
    struct bytes forth, back, rest;
    for (size_t n = manifest_lines_count(list); n; n--) {
        rest = list;
        for (size_t i = 0; i < n; i++) assert_true(manifest_lines_next(&rest, &forth));
        assert_true(manifest_lines_last(&list, &back));
        assert_true(back.p == forth.p && back.n == forth.n);
    }
    assert_false(manifest_lines_last(&list, &back));
}

/* Read by lines, as it was printed, and as a whole, when it is written otherwise. */
static void test_both_ways(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        uint64_t s = seed * 0x9e3779b97f4a7c15u;
        struct manifest m, back;
        struct manifest_lines l;
        struct err err = {0};
        random_manifest(&s, &m);
        char *text = manifest_print(&m, &err), *seal = strstr(text, ",\n \"checksum\"");
        assert_true(manifest_lines_cut(bytes_str(text), &l));
        assert_int_equal(manifest_lines_count(l.inputs), m.n_inputs);
        expect_backwards(l.inputs);
        assert_int_equal(manifest_lines_count(l.files), m.n_files);
        seal[strlen(seal) - 5] ^= 1;
        assert_int_equal(parse(text, strlen(text), &back, &err), 0);
        assert_false(back.sealed);
        expect_equal(&m, &back);
        manifest_free(&back);
        json_t *j = json_loads(text, 0, NULL);
        char *other = json_dumps(j, JSON_COMPACT);
        json_decref(j);
        assert_false(manifest_lines_cut(bytes_str(other), &l));
        assert_int_equal(parse(other, strlen(other), &back, &err), 0);
        expect_equal(&m, &back);
        free(text);
        free(other);
        manifest_free(&m);
        manifest_free(&back);
    }
}

static void test_files_are_sorted(void **state) {
    (void)state;
    uint64_t s = 3;
    struct manifest m;
    struct err err = {0};
    do {
        random_manifest(&s, &m);
    } while (m.n_files < 8 && (manifest_free(&m), true));
    manifest_order_make(&m);
    for (size_t i = 1; i < m.n_files; i++) {
        const struct manifest_file *a = &m.files[i - 1], *b = &m.files[i];
        uint64_t x = (uint64_t)a->family << 48 | (uint64_t)a->partition << 24 | a->number;
        uint64_t y = (uint64_t)b->family << 48 | (uint64_t)b->partition << 24 | b->number;
        assert_true(x <= y);
    }
    manifest_free(&m);
    manifest_order_make(&m); /* none */
    assert_string_equal(err.text, "");
}

static void test_families_are_sorted(void **state) {
    (void)state;
    const char *const found[] = {"m", "b", "zz", "a"}, *const by_name[] = {"a", "b", "m", "zz"};
    struct manifest m = {0};
    struct err err = {0};
    assert_int_equal(table_handmade(&m.table, &err), 0);
    for (uint32_t f = 0; f < 4; f++) {
        struct manifest_file file = {.path = strdup(found[f]), .family = f};
        assert_false(table_add_family(&m.table, bytes_str(found[f]), &err) || manifest_add_file(&m, &file, &err));
    }
    assert_int_equal(manifest_sort_families(&m, &err), 0);
    manifest_order_make(&m);
    for (uint32_t f = 0; f < 4; f++) {
        assert_string_equal(m.table.families[f].name, by_name[f]);
        assert_int_equal(m.files[f].family, f);
        assert_string_equal(m.files[f].path, by_name[f]);
    }
    manifest_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_files_are_sorted),
        cmocka_unit_test(test_families_are_sorted),
        cmocka_unit_test(test_both_ways),
    };
    return cmocka_run_group_tests_name("manifest", tests, NULL, NULL);
}
