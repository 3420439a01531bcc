/* The version rules against real HBase's results, against a naive model, and against a ledger written by hand. */
#include "tests/unit/compaction_vectors.h"

#include "base/buf.h"
#include "tests/unit/naive_compaction.h"

/* ---- what HBase's own classes kept ---- */

static int64_t earliest_put(const struct vector_case *v) {
    int64_t earliest = INT64_MAX;
    for (size_t i = 0; i < v->n; i++)
        if (v->cells[i].cell.type == CELL_PUT && v->cells[i].cell.ts_ms < earliest) earliest = v->cells[i].cell.ts_ms;
    return earliest;
}

static bool check_vector(struct vector_case *v) {
    json_t *in = json_object_get(v->json, "in"), *out = json_object_get(v->json, "out_matcher_only"), *cell;
    if (!out) out = json_object_get(v->json, "out");
    size_t i, kept = 0;
    json_array_foreach(in, i, cell)
        vector_add_cell(v, cell, (uint32_t)json_integer_value(json_object_get(cell, "file")), (uint32_t)i, 0);
    v->env.earliest_put_ms = earliest_put(v);
    vector_judge(v);
    for (i = 0; i < v->n; i++) {
        if (v->cells[i].verdict != VERDICT_KEEP) continue;
        json_t *want = json_array_get(out, kept++);
        if (!want || json_integer_value(want) != v->cells[i].index)
            fail_msg("%s: survivor %zu is cell %u, wanted %d", v->id, kept - 1, v->cells[i].index,
                     want ? (int)json_integer_value(want) : -1);
    }
    if (kept != json_array_size(out)) fail_msg("%s: %zu survivors, wanted %zu", v->id, kept, json_array_size(out));
    return true;
}

static void named_vectors(void **state) {
    (void)state;
    assert_int_equal(vector_each("tests/data/vectors/compaction_cases.jsonl", check_vector), 104);
}

/* Releases before HBASE-30036 keep delete markers that others cover. */
static bool check_old_minor(struct vector_case *v) {
    json_t *before = json_object_get(v->json, "out_before_HBASE_30036");
    if (!before) return false;
    json_object_set(v->json, "out", before);
    v->env.kind = COMPACTION_MINOR_BEFORE;
    return check_vector(v);
}

static void old_minor_vectors(void **state) {
    (void)state;
    assert_int_equal(vector_each("tests/data/vectors/compaction_cases.jsonl", check_old_minor), 2);
    assert_int_equal(vector_each("tests/data/vectors/compaction_cases_random.jsonl", check_old_minor), 34);
}

static void random_vectors(void **state) {
    (void)state;
    assert_int_equal(vector_each("tests/data/vectors/compaction_cases_random.jsonl", check_vector), 1000);
}

/* ---- against the naive model ---- */

enum { ROW_BYTES = 64 << 20 };
enum { RANDOM_ROWS = 60000, NOW = 1000000, TTL_S = 100, OLDEST = NOW - TTL_S * 1000 };

static uint64_t draw(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}
#define pick(seed, array) (array)[draw(seed) % countof(array)]

static void draw_settings(uint64_t *seed, struct rules_env *env) {
    static const uint32_t versions[] = {1, 1, 2, 3, UINT32_MAX}, min_versions[] = {0, 0, 0, 1, 2};
    static const int64_t ttls[] = {0, 0, TTL_S, TTL_S}, delays[] = {0, 0, 0, 20000, 200000};
    static const enum keep_deleted kept[] = {KEEP_DELETED_FALSE, KEEP_DELETED_FALSE, KEEP_DELETED_TRUE, KEEP_DELETED_TTL};
    *env = (struct rules_env){.now_ms = NOW, .row_bytes = ROW_BYTES};
    env->family.versions = pick(seed, versions);
    env->family.min_versions = pick(seed, min_versions);
    env->family.ttl_s = pick(seed, ttls);
    env->family.purge_deletes_after_ms = pick(seed, delays);
    env->family.keep_deleted = pick(seed, kept);
}

/* A row with few timestamps and columns, so that everything meets everything. tags: 11 bytes for each cell. */
static size_t draw_row(uint64_t *seed, struct cell *cells, uint8_t *tags) {
    static const int64_t stamps[] = {100, 90, OLDEST - 2, OLDEST - 1, OLDEST, OLDEST + 1, 970000, 980000, 980001, NOW - 1, NOW};
    static const int64_t cell_ttls[] = {0, 1, 20000, 60000, 1000000, INT64_MAX};
    static const uint8_t types[] = {4, 4, 4, 4, 4, 4, 4, 8, 8, 10, 12, 12, 14};
    static const char *const qualifiers[] = {"", "", "a", "a", "ab", "b"};
    int64_t few[4];
    size_t n = 1 + draw(seed) % 20;
    for (size_t i = 0; i < countof(few); i++) few[i] = pick(seed, stamps);
    for (size_t i = 0; i < n; i++) {
        struct cell *c = &cells[i];
        *c = (struct cell){.type = pick(seed, types), .ts_ms = pick(seed, few), .seq = draw(seed) % 8};
        bool family_wide = cell_is_family_delete(c->type) && draw(seed) % 50;
        c->qualifier = bytes_str(family_wide ? "" : pick(seed, qualifiers));
        c->rank = rank_of((uint32_t)(draw(seed) % 3), i);
        if (draw(seed) % 8) continue;
        cell_put_ttl_tag(tags + i * TTL_TAG_BYTES, pick(seed, cell_ttls));
        c->tags = bytes_of(tags + i * TTL_TAG_BYTES, TTL_TAG_BYTES);
    }
    return n;
}

static int by_cell_order(const void *a, const void *b) {
    return cell_cmp(a, b, TIE_BY_SEQUENCE);
}

static void say_row(const struct naive_row *want, const enum verdict *got) {
    const struct family_rules *f = &want->env->family;
    print_error("versions %u min_versions %u ttl %lld keep_deleted %d purge %lld earliest %lld\n", f->versions, f->min_versions,
                (long long)f->ttl_s, f->keep_deleted, (long long)f->purge_deletes_after_ms,
                (long long)want->env->earliest_put_ms);
    for (size_t i = 0; i < want->n; i++) {
        const struct cell *c = &want->c[i];
        print_error("'%.*s' %lld %s seq %llu%s: %s, model says %s\n", (int)c->qualifier.n, (const char *)c->qualifier.p,
                    (long long)c->ts_ms, cell_type_name(c->type), (unsigned long long)c->seq, c->tags.n ? " ttl" : "",
                    verdict_name(got[i]), verdict_name(want->out[i]));
    }
}

/* One row through r and through the model. Whether r would have left it as it is: the model must say so then, too. */
static bool compare_row(struct rules *r, const struct rules_env *env, const struct cell *cells, size_t n, uint64_t *seen) {
    struct naive_row want = {.env = env, .c = cells, .n = n};
    enum verdict got[NAIVE_CELLS_MAX];
    struct err err = {0};
    naive_compact(&want);
    rules_begin_row(r);
    bool left = rules_leave_row(r, cells, (uint32_t)n);
    for (size_t i = 0; i < n; i++) {
        enum cause why;
        if (rules_judge(r, &cells[i], &why, &err)) fail_msg("%s", err.text);
        got[i] = cause_verdict(why);
        seen[got[i]]++;
    }
    for (size_t i = 0; i < n; i++) {
        if (got[i] == want.out[i] && (!left || got[i] == VERDICT_KEEP)) continue;
        say_row(&want, got);
        fail_msg("cell %zu differs from the naive model", i);
    }
    return left;
}

static void naive_model(void **state) {
    (void)state;
    uint64_t seed = UINT64_C(0x9e3779b97f4a7c15), seen[VERDICT_COUNT] = {0}, left = 0;
    struct cell cells[NAIVE_CELLS_MAX];
    uint8_t tags[NAIVE_CELLS_MAX * TTL_TAG_BYTES];
    for (int done = 0; done < RANDOM_ROWS;) {
        struct rules_env env;
        struct err err = {0};
        draw_settings(&seed, &env);
        static const int64_t earliest[] = {INT64_MIN, 90, OLDEST, 980000, INT64_MAX};
        env.earliest_put_ms = pick(&seed, earliest);
        struct rules *r = rules_new(&env, &err);
        assert_non_null(r);
        /* Rows share the state, so that what should be reset between them shows. */
        for (uint64_t rows = 1 + draw(&seed) % 3; rows; rows--, done++) {
            size_t n = draw_row(&seed, cells, tags);
            qsort(cells, n, sizeof *cells, by_cell_order);
            left += compare_row(r, &env, cells, n, seen);
        }
        rules_free(r);
    }
    for (int v = 0; v < VERDICT_COUNT; v++) assert_true(seen[v] > 5000);
    assert_true(left > 1000);
}

/* ---- the ledger of docs/compaction-rules.md ---- */

struct line {
    const char *qualifier;
    int64_t ts_ms;
    uint8_t type;
    enum verdict want;
};

static void judge_lines(const struct rules_env *env, const struct line *lines, size_t n) {
    struct err err = {0};
    struct rules *r = rules_new(env, &err);
    assert_non_null(r);
    rules_begin_row(r);
    for (size_t i = 0; i < n; i++) {
        struct cell c = {.qualifier = bytes_str(lines[i].qualifier), .ts_ms = lines[i].ts_ms, .type = lines[i].type};
        enum cause why;
        assert_int_equal(rules_judge(r, &c, &why, &err), 0);
        enum verdict v = cause_verdict(why);
        if (v != lines[i].want) fail_msg("line %zu: %s, wanted %s", i, verdict_name(v), verdict_name(lines[i].want));
    }
    rules_free(r);
}

static void ledger_of_seeks(void **state) {
    (void)state;
    const struct rules_env env = {.row_bytes = ROW_BYTES, .now_ms = NOW, .earliest_put_ms = 10, .family = {.versions = 2}};
    const struct line lines[] = {
        {"", 90, 4, VERDICT_KEEP},        {"", 80, 4, VERDICT_KEEP},
        {"", 70, 4, VERDICT_SUPERSEDED}, /* the empty column is not left: markers further down count */
        {"", 70, 4, VERDICT_SUPERSEDED},  {"", 60, 14, VERDICT_PURGED},
        {"", 60, 4, VERDICT_DELETED},     {"", 60, 4, VERDICT_DELETED},
        {"a", 90, 4, VERDICT_KEEP},       {"a", 90, 4, VERDICT_DUPLICATE},
        {"a", 85, 4, VERDICT_KEEP},       {"a", 80, 4, VERDICT_SUPERSEDED},
        {"a", 80, 4, VERDICT_SUPERSEDED},                                   /* not a duplicate: the versions rule is met first */
        {"a", 75, 12, VERDICT_PURGED},    {"a", 70, 4, VERDICT_SUPERSEDED}, /* nor deleted: the marker above it was never seen */
        {"b", 90, 12, VERDICT_PURGED},    {"b", 80, 4, VERDICT_DELETED},
        {"b", 70, 8, VERDICT_PURGED},     {"c", 60, 4, VERDICT_DELETED}, /* by the family marker in column "" */
    };
    judge_lines(&env, lines, countof(lines));
}

static void ledger_of_time(void **state) {
    (void)state;
    const struct rules_env env = {.row_bytes = ROW_BYTES,
                                  .now_ms = NOW,
                                  .earliest_put_ms = 10,
                                  .family = {.versions = 3, .min_versions = 1, .ttl_s = TTL_S}};
    const struct line min_versions[] = {
        {"a", OLDEST, 4, VERDICT_KEEP},        {"a", OLDEST - 1, 4, VERDICT_EXPIRED}, {"a", 80, 12, VERDICT_EXPIRED},
        {"b", OLDEST - 1, 4, VERDICT_KEEP},    {"b", 80, 4, VERDICT_EXPIRED},         {"c", OLDEST - 1, 8, VERDICT_PURGED},
        {"c", OLDEST - 1, 4, VERDICT_DELETED}, {"c", OLDEST - 2, 4, VERDICT_KEEP},
    };
    judge_lines(&env, min_versions, countof(min_versions));

    const struct rules_env plain = {
        .row_bytes = ROW_BYTES, .now_ms = NOW, .earliest_put_ms = 10, .family = {.versions = 3, .ttl_s = TTL_S}};
    const struct line no_min[] = {
        {"", OLDEST - 1, 14, VERDICT_EXPIRED}, {"", 80, 4, VERDICT_EXPIRED}, {"a", OLDEST - 1, 4, VERDICT_EXPIRED},
        {"a", INT64_MIN, 4, VERDICT_EXPIRED},  {"b", NOW, 4, VERDICT_KEEP},
    };
    judge_lines(&plain, no_min, countof(no_min));

    /* HBase takes the smallest timestamp for a seek key, never for a cell, whatever the settings. */
    const struct rules_env keep_all = {
        .row_bytes = ROW_BYTES, .now_ms = NOW, .earliest_put_ms = 10, .family = {.versions = 3, .min_versions = 3}};
    const struct line smallest[] = {
        {"", INT64_MIN + 1, 10, VERDICT_PURGED},  {"", INT64_MIN, 10, VERDICT_EXPIRED}, {"a", 5, 4, VERDICT_KEEP},
        {"a", INT64_MIN + 1, 4, VERDICT_DELETED}, {"a", INT64_MIN, 4, VERDICT_EXPIRED},
    };
    judge_lines(&keep_all, smallest, countof(smallest));
}

static void ledger_of_kept_markers(void **state) {
    (void)state;
    const struct rules_env env = {.row_bytes = ROW_BYTES,
                                  .now_ms = NOW,
                                  .earliest_put_ms = 50,
                                  .family = {.versions = 1, .keep_deleted = KEEP_DELETED_TRUE}};
    const struct line lines[] = {
        {"a", 90, 12, VERDICT_KEEP},      {"a", 90, 12, VERDICT_DUPLICATE}, {"a", 80, 4, VERDICT_KEEP},
        {"a", 70, 4, VERDICT_SUPERSEDED}, {"a", 60, 12, VERDICT_PURGED},    {"b", 49, 8, VERDICT_PURGED},
        {"b", 49, 8, VERDICT_PURGED},
    };
    judge_lines(&env, lines, countof(lines));
}

/* ---- OceanBase ---- */

enum { NO_TTL = -2 };

struct shown {
    const char *qualifier;
    int64_t ts_ms;
    uint8_t type;
    int64_t own_ttl_ms; /* -2: none */
    enum cause want;
};

static void judge_shown(const struct rules_env *env, const struct shown *cells, size_t n) {
    struct err err = {0};
    struct rules *r = rules_new(env, &err);
    assert_non_null(r);
    rules_begin_row(r);
    for (size_t i = 0; i < n; i++) {
        uint8_t tag[TTL_TAG_BYTES];
        struct cell c = {.qualifier = bytes_str(cells[i].qualifier), .ts_ms = cells[i].ts_ms, .type = cells[i].type};
        enum cause why;
        cell_put_ttl_tag(tag, cells[i].own_ttl_ms);
        if (cells[i].own_ttl_ms != NO_TTL) c.tags = bytes_of(tag, sizeof tag);
        assert_int_equal(rules_judge(r, &c, &why, &err), 0);
        if (why != cells[i].want) fail_msg("cell %zu: cause %d, wanted %d", i, why, cells[i].want);
    }
    rules_free(r);
}

static void what_oceanbase_shows(void **state) {
    (void)state;
    const struct rules_env env = {.kind = COMPACTION_OCEANBASE,
                                  .row_bytes = ROW_BYTES,
                                  .now_ms = NOW,
                                  .earliest_put_ms = INT64_MAX,
                                  .family = {.versions = 2,
                                             .ttl_s = TTL_S,
                                             .min_versions = 2,
                                             .keep_deleted = KEEP_DELETED_TRUE,
                                             .purge_deletes_after_ms = 1000}}; /* these three do not count */
    const struct shown cells[] = {
        {"", NOW, CELL_PUT, NO_TTL, CAUSE_KEPT},
        {"", NOW - 5, CELL_DELETE_FAMILY_VERSION, NO_TTL, CAUSE_PURGED_DELETE_FAMILY_VERSION},
        {"", NOW - 9, CELL_DELETE_FAMILY, NO_TTL, CAUSE_PURGED_DELETE_FAMILY},
        {"a", NOW - 1, CELL_PUT, 0, CAUSE_CELL_TTL},
        {"a", NOW - 1, CELL_PUT, NO_TTL, CAUSE_DUPLICATE}, /* replaced for good */
        {"a", NOW - 2, CELL_PUT, INT64_MAX, CAUSE_KEPT},   /* no wrapping */
        {"a", NOW - 3, CELL_PUT, 3, CAUSE_KEPT},           /* at its limit, and the second version: the first was none */
        {"a", NOW - 4, CELL_PUT, NO_TTL, CAUSE_VERSIONS},
        {"a", NOW - 4, CELL_DELETE, NO_TTL, CAUSE_PURGED_DELETE},
        {"b", NOW - 5, CELL_PUT, NO_TTL, CAUSE_BY_DELETE_FAMILY_VERSION},
        {"b", NOW - 6, CELL_DELETE, NO_TTL, CAUSE_PURGED_DELETE},
        {"b", NOW - 6, CELL_PUT, NO_TTL, CAUSE_BY_DELETE},
        {"b", NOW - 7, CELL_DELETE_COLUMN, 1, CAUSE_CELL_TTL}, /* hides nothing any more */
        {"b", NOW - 7, CELL_PUT, NO_TTL, CAUSE_KEPT},
        {"b", NOW - 8, CELL_DELETE_COLUMN, NO_TTL, CAUSE_PURGED_DELETE_COLUMN},
        {"b", NOW - 8, CELL_PUT, NO_TTL, CAUSE_BY_DELETE_COLUMN},
        {"c", NOW - 9, CELL_PUT, NO_TTL, CAUSE_BY_DELETE_FAMILY},
        {"d", OLDEST - 1, CELL_PUT, NO_TTL, CAUSE_TABLE_TTL},
    };
    judge_shown(&env, cells, countof(cells));
}

/* Tests that in a delta every marker stays that no other marker of it covers, even in a column that is left. */
static void what_a_delta_keeps(void **state) {
    (void)state;
    struct rules_env env = {.kind = COMPACTION_DELTA,
                            .row_bytes = ROW_BYTES,
                            .now_ms = NOW,
                            .earliest_put_ms = INT64_MAX,
                            .family = {.versions = 1, .ttl_s = TTL_S}};
    struct shown cells[] = {
        {"", NOW - 5, CELL_DELETE_FAMILY_VERSION, NO_TTL, CAUSE_KEPT},
        {"", NOW - 9, CELL_DELETE_FAMILY, NO_TTL, CAUSE_KEPT},
        {"", NOW - 10, CELL_DELETE_FAMILY, NO_TTL, CAUSE_PURGED_DELETE_FAMILY},
        {"a", NOW - 1, CELL_PUT, NO_TTL, CAUSE_KEPT},
        {"a", NOW - 2, CELL_PUT, NO_TTL, CAUSE_VERSIONS},
        {"a", NOW - 3, CELL_DELETE_COLUMN, NO_TTL, CAUSE_KEPT}, /* a later delta may delete what is above it */
        {"a", NOW - 4, CELL_DELETE, NO_TTL, CAUSE_PURGED_DELETE},
        {"b", NOW - 3, CELL_DELETE, NO_TTL, CAUSE_KEPT},
        {"b", NOW - 3, CELL_PUT, NO_TTL, CAUSE_BY_DELETE},
        {"b", NOW - 5, CELL_PUT, NO_TTL, CAUSE_BY_DELETE_FAMILY_VERSION},
        {"b", NOW - 6, CELL_DELETE, NO_TTL, CAUSE_KEPT},
        {"b", NOW - 9, CELL_PUT, NO_TTL, CAUSE_BY_DELETE_FAMILY},
        {"c", NOW - 9, CELL_DELETE_COLUMN, NO_TTL, CAUSE_PURGED_DELETE_COLUMN},
        {"d", OLDEST - 1, CELL_DELETE_COLUMN, NO_TTL, CAUSE_TABLE_TTL},
    };
    judge_shown(&env, cells, countof(cells));
    env.kind = COMPACTION_OCEANBASE_DELTA;
    judge_shown(&env, cells, countof(cells));
}

/* ---- refusals, names ---- */

static void refusals(void **state) {
    (void)state;
    struct rules_env env = {.family = {0}};
    struct err err = {0};
    assert_null(rules_new(&env, &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_non_null(strstr(err.text, "VERSIONS"));
    rules_free(NULL);
}

static void oldest_and_names(void **state) {
    (void)state;
    struct family_rules f = {.ttl_s = 100};
    assert_int_equal(rules_oldest_ms(&f, NOW), OLDEST);
    f.ttl_s = 0;
    assert_true(rules_oldest_ms(&f, NOW) == INT64_MIN);
    f.ttl_s = INT32_MAX;
    assert_true(rules_oldest_ms(&f, NOW) == INT64_MIN);
    f.ttl_s = INT64_MAX;
    assert_true(rules_oldest_ms(&f, NOW) == INT64_MIN);
    assert_string_equal(verdict_name(VERDICT_KEEP), "written");
    assert_string_equal(verdict_name(VERDICT_EXPIRED), "expired");
    assert_string_equal(verdict_name(VERDICT_SUPERSEDED), "superseded");
    assert_string_equal(verdict_name(VERDICT_DUPLICATE), "duplicate");
    assert_string_equal(verdict_name(VERDICT_DELETED), "deleted");
    assert_string_equal(verdict_name(VERDICT_PURGED), "purged_markers");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_vectors),          cmocka_unit_test(old_minor_vectors),
        cmocka_unit_test(random_vectors),         cmocka_unit_test(naive_model),
        cmocka_unit_test(ledger_of_seeks),        cmocka_unit_test(ledger_of_time),
        cmocka_unit_test(ledger_of_kept_markers), cmocka_unit_test(refusals),
        cmocka_unit_test(oldest_and_names),       cmocka_unit_test(what_oceanbase_shows),
        cmocka_unit_test(what_a_delta_keeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
