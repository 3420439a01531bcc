/* Merges in levels against one merge of everything: the same parts, whatever width and memory make of the sources, no file left,
 * and every source closed. */
#include "run_parts.h"

#include "base/stop.h"
#include "engine/merge_levels.h"

enum { SOURCES = 60, SOURCE_BYTES = 1000, RUN_BYTES = 300000 };

struct sources {
    struct fixture f;
    struct row_part *parts[SOURCES];
    size_t n_parts[SOURCES], fail; /* fail: source whose reading fails; SOURCES: none */
    int opened, closed;
    struct job job; /* of the merge that is open */
};

/* Sources share rows, and each ranks its cells above those of the sources before it. */
static void fill(struct sources *s) {
    for (size_t i = 0; i < SOURCES; i++) {
        s->n_parts[i] = 1 + flat_below(&s->f.m.seed, 9);
        s->parts[i] = ascending(&s->f, s->n_parts[i]);
        uint64_t rank = rank_of((uint32_t)i, RANK_POSITION_MAX);
        for (size_t k = 0; k < s->n_parts[i]; k++)
            for (uint32_t c = 0; c < s->parts[i][k].n_cells; c++) {
                struct cell *cell = (struct cell *)&s->parts[i][k].cells[c];
                cell->seq = 0; /* it decides within a source, before the place does */
                cell->rank = rank--;
            }
    }
}

static struct source *open_source(const void *arg, size_t i, struct err *err) {
    struct sources *s = (struct sources *)arg;
    (void)err;
    s->opened++;
    return array_open(s->parts[i], s->n_parts[i], i == s->fail ? 0 : SIZE_MAX, &s->closed);
}

static uint64_t source_bytes(const void *arg, size_t i) {
    (void)arg;
    return SOURCE_BYTES + i;
}

static struct source *open_levels(struct sources *s, size_t n, size_t width, uint64_t memory, struct err *err) {
    static const struct stop stop = {-1};
    s->job = (struct job){.stop = &stop, .temp_dir = s->f.dir};
    const struct merge_levels o = {.n = n,
                                   .open = open_source,
                                   .bytes = width ? source_bytes : NULL,
                                   .arg = s,
                                   .width = width,
                                   .memory = memory,
                                   .tie = TIE_BY_INPUT,
                                   .family = s->f.m.family,
                                   .job = &s->job};
    s->opened = s->closed = 0;
    return merge_levels_open(&o, err);
}

static void drain(struct sources *s, size_t n, size_t width, uint64_t memory, struct flat_cells *out) {
    struct err err = {0};
    struct source *src = open_levels(s, n, width, memory, &err);
    assert_string_equal(err.text, "");
    assert_non_null(src);
    flat_drain(src, s->f.m.family, &s->f.shapes, TIE_BY_INPUT, out);
    source_close(src);
    assert_int_equal(s->opened, n);
    assert_int_equal(s->closed, n);
}

static void begin_sources(struct sources *s, uint64_t seed) {
    *s = (struct sources){.fail = SOURCES};
    begin(&s->f, seed);
    s->f.m.tie = TIE_BY_INPUT;
    s->f.m.explicit_percent = 100; /* records of shapes never leave an import */
    fill(s);
}

static void test_levels(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct sources s;
        begin_sources(&s, seed);
        for (size_t n = 0; n <= SOURCES; n += n < 4 ? 1 : 7) {
            struct flat_cells want = {.pool = &s.f.pool};
            drain(&s, n, 0, 0, &want);
            for (unsigned k = 0; k < 6; k++) {
                struct flat_cells got = {.pool = &s.f.pool};
                size_t width = 2 + flat_below(&s.f.m.seed, k < 3 ? 3 : SOURCES);
                drain(&s, n, width, 2 * RUN_BYTES + flat_below(&s.f.m.seed, RUN_BYTES * 4), &got);
                flat_expect_equal(&got, &want);
                flat_free(&got);
            }
            flat_free(&want);
        }
        end(&s.f);
    }
}

/* Memory for less than two sources is refused, and a failure of one of them ends all. */
static void test_failures(void **state) {
    (void)state;
    struct sources s;
    struct err err = {0};
    begin_sources(&s, 99);
    assert_null(open_levels(&s, SOURCES, 10, SOURCE_BYTES + 500, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_non_null(strstr(err.text, "two inputs need 1 KB to be read side by side, 1 KB are left; give more --memory"));
    for (size_t fail = 0; fail < SOURCES; fail += 7) {
        s.fail = fail;
        err = (struct err){0};
        struct source *src = open_levels(&s, SOURCES, 4, 10 * RUN_BYTES, &err);
        struct row_part part;
        int more = src ? 1 : -1;
        while (more > 0) more = source_next(src, &part, &err);
        assert_int_equal(more, -1);
        assert_int_not_equal(err.code, 0);
        source_close(src);
        assert_int_equal(s.opened, s.closed);
    }
    end(&s.f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels), cmocka_unit_test(test_failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
