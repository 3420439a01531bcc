/* Shards and shares in manifests: what is printed is read again; what a join refuses, by name; and the inputs of all shards, put
 * together as one run would list them. Random cuts of random lists, in any order. */
#include "dataset/manifest_shard.h"
#include "flat_cells.h"

#include "dataset/manifest.h"
#include "dataset/manifest_json.h"

#include <stdio.h>

enum { MOST = 70, INPUTS = 9 };

struct parts {
    struct manifest m[MOST];
    const char *names[MOST];
    char text[MOST][24];
    size_t n;
};

static char *copy(const char *text) {
    char *p = strdup(text);
    assert_non_null(p);
    return p;
}

static void add_input(struct manifest *m, uint32_t number, uint64_t sum) {
    char path[16];
    struct manifest_input *in = &m->inputs[m->n_inputs++];
    snprintf(path, sizeof path, "/in/%u.csv", number);
    *in = (struct manifest_input){.path = copy(path), .format = "csv", .records = 1, .tally = {1, {1, number}}};
    in->by_stretches = number % 2 == 0;
    snprintf(in->checksum, sizeof in->checksum, "%016llx", (unsigned long long)sum);
}

/* n shards of a list of so many inputs; a cut may lie inside an input, and a shard may be empty. */
static void make_shards(struct parts *p, uint64_t *s, size_t n, uint32_t all) {
    uint64_t at = 0, total = (uint64_t)all * 10;
    *p = (struct parts){.n = n};
    for (size_t i = 0; i < n; i++) {
        struct manifest *m = &p->m[i];
        uint64_t end = i + 1 == n ? total : at + flat_below(s, (total - at) * 2 / (n - i) + 1);
        if (end > total) end = total;
        *m = (struct manifest){.tool = copy("obkv-import 9"), .settings = json_pack("{s:s}", "codec", "zstd"), .now_ms = 7};
        m->shard =
            (struct manifest_shard){.number = (uint32_t)i + 1, .of = (uint32_t)n, .first = (uint32_t)(at / 10), .all = all};
        snprintf(m->shard.listing, sizeof m->shard.listing, "%032d", 5);
        m->inputs = calloc(INPUTS + 1, sizeof *m->inputs);
        for (uint64_t k = at / 10; at < end && k * 10 < end; k++) add_input(m, (uint32_t)k, UINT64_MAX - k);
        snprintf(p->text[i], sizeof p->text[i], "S%zu", i + 1);
        p->names[i] = p->text[i];
        at = end;
    }
}

static void shuffle(struct parts *p, uint64_t *s) {
    for (size_t i = p->n; i > 1; i--) {
        size_t j = flat_below(s, i);
        struct manifest m = p->m[j];
        const char *name = p->names[j];
        p->m[j] = p->m[i - 1];
        p->names[j] = p->names[i - 1];
        p->m[i - 1] = m;
        p->names[i - 1] = name;
    }
}

static void free_parts(struct parts *p) {
    for (size_t i = 0; i < p->n; i++) manifest_free(&p->m[i]);
}

static void test_random_cuts(void **state) {
    (void)state;
    uint64_t s = 3;
    struct parts *p = malloc(sizeof *p);
    for (int round = 0; round < 3000; round++) {
        struct err err = {0};
        struct manifest whole = {0};
        uint32_t all = (uint32_t)flat_below(&s, INPUTS + 1), pieces[INPUTS] = {0};
        make_shards(p, &s, 1 + flat_below(&s, MOST), all);
        for (size_t i = 0; i < p->n; i++)
            for (size_t k = 0; k < p->m[i].n_inputs; k++) pieces[p->m[i].shard.first + k]++;
        shuffle(p, &s);
        assert_int_equal(manifest_shards_check(p->m, p->names, p->n, &err), 0);
        for (size_t i = 0; i < p->n; i++) assert_int_equal(p->m[i].shard.number, i + 1);
        for (size_t i = 0; i < p->n; i++) assert_string_equal(p->names[i], p->text[i]);
        int rc = manifest_shards_inputs(p->m, p->n, &whole, &err);
        if (rc) fail_msg("%s", err.text);
        assert_int_equal(whole.n_inputs, all);
        for (uint32_t k = 0; k < all; k++) {
            char path[16], hex[17];
            const struct manifest_input *in = &whole.inputs[k];
            snprintf(path, sizeof path, "/in/%u.csv", k);
            assert_string_equal(in->path, path);
            assert_true(in->records == pieces[k] && in->tally.cells == pieces[k]);
            uint64_t sum = k % 2 ? UINT64_MAX - k : (UINT64_MAX - k) * pieces[k];
            snprintf(hex, sizeof hex, "%016llx", (unsigned long long)sum);
            assert_string_equal(in->checksum, hex);
        }
        free(whole.inputs);
        free_parts(p);
    }
    free(p);
}

/* ---- refused ---- */

/* Rows at which shards begin and end inside of a region. */
static void test_rows(void **state) {
    static const struct {
        const char *ends, *begins;
        bool fits;
    } cases[] = {{NULL, NULL, true}, {"61", "61", true}, {"61", "62", false}, {"61", NULL, false}, {NULL, "61", false}};
    (void)state;
    for (size_t i = 0; i < countof(cases); i++) {
        uint64_t s = 5;
        struct parts *p = malloc(sizeof *p);
        struct err err = {0};
        make_shards(p, &s, 2, 3);
        if (cases[i].ends || cases[i].begins) {
            p->m[0].shard.rows = json_pack("[n, s?]", cases[i].ends);
            p->m[1].shard.rows = json_pack("[s?, n]", cases[i].begins);
        }
        assert_int_equal(manifest_shards_check(p->m, p->names, 2, &err), cases[i].fits ? 0 : -1);
        assert_true(cases[i].fits || (err.code == ERR_INPUT && strstr(err.text, "S2 begins at another row")));
        free_parts(p);
        free(p);
    }
}

static void replace(char **text, const char *by) {
    free(*text);
    *text = copy(by);
}

static void other_tool(struct parts *p) {
    replace(&p->m[2].tool, "obkv-import 10");
}

static void other_setting(struct parts *p) {
    json_object_set_new(p->m[2].settings, "codec", json_string("none"));
}

static void more_settings(struct parts *p) {
    json_object_set_new(p->m[2].settings, "null", json_string(""));
}

static void fewer_settings(struct parts *p) {
    json_object_del(p->m[2].settings, "codec");
}

static void other_now(struct parts *p) {
    p->m[2].now_ms++;
}

static void other_kind(struct parts *p) {
    p->m[2].kind = DATASET_DELTA;
}

static void other_listing(struct parts *p) {
    p->m[2].shard.listing[31] = '6';
}

static void longer_listing(struct parts *p) {
    p->m[2].shard.all++;
}

static void other_number(struct parts *p) {
    p->m[2].shard.of++;
}

static void no_shard(struct parts *p) {
    p->m[2].shard.of = 0;
}

static void doubled(struct parts *p) {
    p->m[2].shard.number = 1;
}

static void left_out(struct parts *p) {
    manifest_free(&p->m[--p->n]);
}

static void test_refused(void **state) {
    static const struct refusal {
        void (*change)(struct parts *p);
        const char *text;
    } refusals[] = {
        {other_tool, "S1 was made by obkv-import 9, S3 by obkv-import 10: make them with one version"},
        {other_setting, "S3 was made with other settings than S1: --codec none → zstd; make both with the same options"},
        {more_settings, "S3 was made with other settings than S1: --null \"\" → nothing; make both with the same options"},
        {fewer_settings, "S3 was made with other settings than S1: --codec nothing → zstd; make both with the same options"},
        {other_now, "S3 was made with another time than S1; make both with the same --now"},
        {other_kind, "S3 was made with other settings than S1: kind delta instead of nothing; make both with the same options"},
        {other_listing, "S3 was made of another list of inputs than S1"},
        {longer_listing, "S3 was made of another list of inputs than S1"},
        {other_number, "S1 is one of 4 shards, S3 one of 5"},
        {no_shard, "S3 is no shard: all inputs must be of one kind"},
        {doubled, "S1 and S3 are both shard 1 of 4"},
        {left_out, "shard 4 of 4 is missing"}};
    (void)state;
    uint64_t s = 4;
    struct parts *p = malloc(sizeof *p);
    for (size_t i = 0; i < countof(refusals); i++) {
        struct err err = {0};
        make_shards(p, &s, 4, 5);
        refusals[i].change(p);
        assert_int_equal(manifest_shards_check(p->m, p->names, p->n, &err), -1);
        assert_int_equal(err.code, ERR_USAGE);
        if (strncmp(err.text, refusals[i].text, strlen(refusals[i].text))) fail_msg("%s: %s", refusals[i].text, err.text);
        free_parts(p);
    }
    free(p);
}

/* Manifests that pass for shards of one run, and whose lists do not fit. */
static void test_lists_that_do_not_fit(void **state) {
    (void)state;
    uint64_t s = 5;
    struct parts *p = malloc(sizeof *p);
    for (int round = 0; round < 4000; round++) {
        struct err err = {0};
        struct manifest whole = {0};
        make_shards(p, &s, 1 + flat_below(&s, 5), INPUTS);
        struct manifest *m = &p->m[flat_below(&s, p->n)];
        uint32_t first = m->shard.first, n = (uint32_t)m->n_inputs, way = (uint32_t)flat_below(&s, 3);
        if (way == 0) m->shard.first += 1 + (uint32_t)flat_below(&s, 5);
        if (way == 1 && n) free(m->inputs[--m->n_inputs].path);
        if (way == 2)
            for (size_t i = 0; i < p->n; i++) p->m[i].shard.all = UINT32_MAX;
        bool same = way == 0 ? first == m->shard.first || !n : way == 1 && !n;
        int rc = manifest_shards_inputs(p->m, p->n, &whole, &err);
        assert_true(rc == -1 || same || whole.n_inputs == INPUTS);
        assert_true(rc == 0 || err.code == ERR_INPUT);
        assert_true(way != 2 || rc == -1);
        free(whole.inputs);
        free_parts(p);
    }
    free(p);
}

/* ---- shares ---- */

static void make_shares(struct parts *p, size_t n) {
    *p = (struct parts){.n = n};
    for (size_t i = 0; i < n; i++) {
        struct manifest *m = &p->m[i];
        *m = (struct manifest){.tool = copy("obkv-import 9"), .settings = json_object()};
        m->share = (struct manifest_share){.number = (uint32_t)i + 1, .of = (uint32_t)n};
        m->share.whole.in = m->share.whole.dropped[VERDICT_KEEP] = (struct tally){n, {0, n}};
        m->ledger.in = m->ledger.dropped[VERDICT_KEEP] = (struct tally){1, {0, 1}};
        snprintf(p->text[i], sizeof p->text[i], "P%zu", i + 1);
        p->names[i] = p->text[i];
    }
}

static void test_shares(void **state) {
    (void)state;
    uint64_t s = 6;
    struct parts *p = malloc(sizeof *p);
    static const char *const wanted[] = {NULL,
                                         "share 3 of 5 is missing",
                                         "P3 was made of other inputs than P1",
                                         "the shares hold 6 cells, the shards held 5",
                                         "the shares hold 5 cells, the shards held 5 with another digest",
                                         "P3 was made of other inputs than P1",
                                         "the shares have read 4 cells, their inputs held 5"};
    for (size_t way = 0; way < countof(wanted); way++) {
        struct err err = {0};
        make_shares(p, 5);
        if (way == 1) {
            manifest_free(&p->m[2]);
            p->m[2] = p->m[4];
            p->n = 4;
        }
        if (way == 2) p->m[2].share.whole.in.cells++;
        if (way == 3) p->m[2].ledger.dropped[VERDICT_KEEP].cells++;
        if (way == 4) p->m[2].ledger.dropped[VERDICT_KEEP].digest.lo++;
        if (way == 5) p->m[2].share.adds_up = true;
        for (size_t i = 0; way == 6 && i < p->n; i++) p->m[i].share.adds_up = true; /* one of them dropped its cell: no matter */
        if (way == 6) p->m[1].ledger.dropped[VERDICT_KEEP] = p->m[2].ledger.in = (struct tally){0};
        if (way == 0) shuffle(p, &s);
        assert_int_equal(manifest_shares_check(p->m, p->names, p->n, &err), way ? -1 : 0);
        assert_true(!way || !strncmp(err.text, wanted[way], strlen(wanted[way])));
        free_parts(p);
    }
    free(p);
}

/* ---- printed and read ---- */

static void test_text(void **state) {
    static const struct refusal {
        const char *head, *text;
    } refusals[] = {
        {"{\"shard\": 7}", "manifest: shard 0 of 0"},
        {"{\"shard\": {\"number\": 0, \"of\": 2, \"first\": 0, \"all\": 0}}", "manifest: shard 0 of 2"},
        {"{\"shard\": {\"number\": 3, \"of\": 2, \"first\": 0, \"all\": 0}}", "manifest: shard 3 of 2"},
        {"{\"shard\": {\"number\": 1, \"of\": 1048577, \"first\": 0, \"all\": 0}}", "manifest: shard 1 of 1048577"},
        {"{\"shard\": {\"number\": 1, \"of\": -1, \"first\": 0, \"all\": 0}}", "of is not a number"},
        {"{\"shard\": {\"number\": 1, \"of\": 2, \"first\": 4294967296, \"all\": 0}}", "first is not a number"},
        {"{\"shard\": {\"number\": 1, \"of\": 2, \"first\": 0, \"all\": 0}}", "no hash of its list"},
        {"{\"shard\": {\"number\": 1, \"of\": 2, \"first\": 0, \"all\": 0, \"listing\": \"12\"}}", "no hash of its list"},
        {"{\"share\": {\"number\": 2, \"of\": 1}}", "manifest: share 2 of 1"},
        {"{\"share\": {\"number\": 1, \"of\": 2, \"deletes\": 0, \"duplicates\": -1}}", "duplicates is not a number"},
        {"{\"share\": {\"number\": 1, \"of\": 2, \"deletes\": 0, \"duplicates\": 0, \"ts_min\": 1, \"ts_max\": 1}}",
         "a digest is malformed"},
    };
    (void)state;
    struct manifest m = {.share = {.number = 2, .of = 9, .counts = {5, 4, INT64_MIN, 7}, .whole.in = {3, {1, 2}}}}, back = {0};
    struct err err = {0};
    json_t *head = json_object();
    m.shard = (struct manifest_shard){7, 1 << 20, "0123456789abcdef0123456789abcdef", 3, UINT32_MAX, NULL, NULL};
    m.shard.rows = json_pack("[s, n]", "7231");
    m.shard.notes = json_pack("{s:i}", "a", 1);
    assert_int_equal(manifest_shard_put(&m, head), 0);
    assert_int_equal(manifest_shard_parse(head, &back, &err), 0);
    assert_true(back.shard.number == 7 && back.shard.of == 1 << 20 && back.shard.first == 3 && back.shard.all == UINT32_MAX);
    assert_string_equal(back.shard.listing, m.shard.listing);
    assert_true(json_equal(back.shard.notes, m.shard.notes) && json_equal(back.shard.rows, m.shard.rows));
    assert_true(back.share.number == 2 && back.share.of == 9);
    assert_memory_equal(&back.share.counts, &m.share.counts, sizeof m.share.counts);
    assert_true(back.share.whole.in.cells == 3 && digest_eq(back.share.whole.in.digest, m.share.whole.in.digest));
    json_decref(back.shard.notes);
    json_decref(m.shard.notes);
    json_decref(back.shard.rows);
    json_decref(m.shard.rows);
    json_decref(head);
    for (size_t i = 0; i < countof(refusals); i++) {
        back = (struct manifest){0};
        err = (struct err){0};
        head = json_loads(refusals[i].head, 0, NULL);
        assert_non_null(head);
        assert_int_equal(manifest_shard_parse(head, &back, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        if (!strstr(err.text, refusals[i].text)) fail_msg("%s: %s", refusals[i].head, err.text);
        json_decref(back.shard.notes);
        json_decref(head);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_cuts),           cmocka_unit_test(test_rows),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_lists_that_do_not_fit), cmocka_unit_test(test_shares), cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests_name("manifest_shard", tests, NULL, NULL);
}
