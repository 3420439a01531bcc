/* Keys made of cells of whole rows: parts of rows in any order, from several families and blocks, against a plain model. */
#include "engine/sorter_gather.h"
#include "engine/sorter_runs.h"
#include "flat_cells.h"

#include "engine/sorter.h"
#include "cmd/split/plan/row_weight.h"

#include <stdio.h>
#include <unistd.h>

enum { ROWS = 60, BLOCKS = 5 };

/* Facts about one row: its newest city, and its weight. */
struct model {
    bool met, has_city;
    int64_t ts_ms, newest_ms;
    uint64_t rank, first_rank, cells, bytes;
    char family[2], city[4];
};

struct fixture {
    char dir[40];
    struct stop stop;
    struct disk_quota quota;
    struct job job;
    struct shape_set shapes;
    struct sorter *rows, *to;
    struct key_design design;
    struct design_run run;
    struct model want[ROWS];
    unsigned unfit, expected_unfit;
};

static struct sorter *open_sorter(struct fixture *f, size_t gather_bytes) {
    struct err err = {0};
    const struct sorter_opts o = {.job = &f->job,
                                  .plan = {.threads = 1, .gather_bytes = gather_bytes, .merge_bytes = 1 << 20},
                                  .buckets = 1,
                                  .shapes = &f->shapes,
                                  .tie = TIE_BY_INPUT};
    struct sorter *s = sorter_new(&o, &err);
    assert_string_equal(err.text, "");
    return s;
}

static void begin(struct fixture *f, const char *design, size_t gather_bytes) {
    struct err err = {0};
    *f = (struct fixture){.dir = "/tmp/t_row_weight_join.XXXXXX", .stop.fd = -1};
    assert_non_null(mkdtemp(f->dir));
    f->job = (struct job){.stop = &f->stop, .temp_dir = f->dir, .quota = &f->quota};
    f->rows = open_sorter(f, gather_bytes);
    f->to = open_sorter(f, gather_bytes);
    if (key_design_init(&f->design, design, false, &err)) fail_msg("%s", err.text);
}

static void end(struct fixture *f) {
    sorter_free(f->rows);
    sorter_free(f->to);
    key_design_free(&f->design);
    design_run_free(&f->run);
    shape_set_free(&f->shapes);
    assert_int_equal(rmdir(f->dir), 0);
}

/* The newest cell; of equally new ones that of the first family, then the one of the larger rank. */
static void note_city(struct model *m, const char *family, const struct cell *c) {
    bool newer = !m->has_city || c->ts_ms > m->ts_ms;
    if (m->has_city && c->ts_ms == m->ts_ms)
        newer = strcmp(family, m->family) < 0 || (*family == *m->family && c->rank > m->rank);
    if (!newer) return;
    m->has_city = true;
    m->ts_ms = c->ts_ms;
    m->rank = c->rank;
    snprintf(m->family, sizeof m->family, "%s", family);
    snprintf(m->city, sizeof m->city, "%.*s", (int)c->value.n, (const char *)c->value.p);
}

/* One part: a cell that every part has and, of some, the city that the key is made of; or a delete of it. */
static void put_part(struct fixture *f, uint64_t *seed, uint64_t rank, struct buf *value, bool by_family) {
    struct err err = {0};
    char key[8], city[4];
    size_t i = flat_below(seed, ROWS), block = flat_below(seed, BLOCKS), kind = flat_below(seed, 4);
    const char *family = flat_below(seed, 2) ? "a" : "b";
    int64_t ts_ms = 100 + (int64_t)flat_below(seed, 5);
    snprintf(key, sizeof key, "r%zu", i);
    snprintf(city, sizeof city, "%zu", flat_below(seed, 100));
    const struct cell cells[2] = {
        {.qualifier = bytes_str("city"),
         .value = bytes_str(city),
         .ts_ms = ts_ms,
         .rank = rank,
         .type = kind == 1 ? CELL_DELETE : CELL_PUT},
        {.qualifier = bytes_str("x"), .value = bytes_str("1"), .ts_ms = 90, .rank = rank + 1, .type = CELL_PUT}};
    bool with_city = kind > 0;
    const struct row_part part = {
        .row = bytes_str(key), .family = bytes_str(family), .cells = cells + !with_city, .n_cells = 1u + with_city};
    const struct row_weight w = row_weight_of(&part, block);
    struct model *m = &f->want[i];
    if (with_city && kind > 1 && (!by_family || *family == 'b')) note_city(m, family, &cells[0]);
    if (!m->met || w.rank < m->first_rank) m->first_rank = w.rank;
    m->met = true;
    m->newest_ms = w.newest_ms > m->newest_ms ? w.newest_ms : m->newest_ms;
    m->cells += w.cells;
    m->bytes += w.bytes;
    if (sorter_full(f->rows)) assert_int_equal(sorter_spill(f->rows, &err), 0);
    assert_int_equal(row_join_put(f->rows, 0, &f->design, &part, &w, value, &err), 0);
}

static void note_unfit(void *arg, const struct weighed_row *row) {
    struct fixture *f = arg;
    (void)row;
    f->unfit++;
}

/* Expects the rows back, each under "city/key". */
static void expect_rows(struct fixture *f) {
    struct err err = {0};
    struct weighed_rows back = {.src = sorter_open(f->to, 0, bytes_str("f"), &err), .by_blocks = true};
    struct weighed_row row;
    unsigned n = 0, want = 0;
    assert_non_null(back.src);
    while (weighed_rows_next(&back, &row, &err) == 1) {
        char text[32], city[8];
        size_t i;
        snprintf(text, sizeof text, "%.*s", (int)row.row.n, (const char *)row.row.p);
        if (sscanf(text, "%7[^/]/r%zu", city, &i) != 2) fail_msg("%s", text);
        const struct model *m = &f->want[i];
        assert_true(m->met && m->has_city);
        assert_string_equal(city, m->city);
        char old[8];
        size_t longer = row.row.n - (size_t)snprintf(old, sizeof old, "r%zu", i);
        uint64_t bytes = 0, cells = 0;
        assert_int_equal(row.cells, m->cells);
        assert_int_equal(row.bytes, m->bytes + longer * m->cells);
        assert_int_equal(row.newest_ms, m->newest_ms);
        assert_int_equal(row.rank, m->first_rank);
        for (uint32_t k = 0; k < row.n_pieces; k++) {
            bytes += row.pieces[k].bytes;
            cells += row.pieces[k].cells;
            assert_true(row.pieces[k].block < BLOCKS && (!k || row.pieces[k].block > row.pieces[k - 1].block));
        }
        assert_true(bytes == row.bytes && cells == row.cells);
        n++;
    }
    for (int i = 0; i < ROWS; i++) {
        want += f->want[i].met && f->want[i].has_city;
        f->expected_unfit += f->want[i].met && !f->want[i].has_city;
    }
    assert_string_equal(err.text, "");
    assert_int_equal(n, want);
    assert_int_equal(f->unfit, f->expected_unfit);
    weighed_rows_free(&back);
    source_close(back.src);
}

static void joined(const char *design, bool by_family, uint64_t seed, size_t parts, size_t gather_bytes) {
    struct fixture f;
    struct err err = {0};
    struct buf value = {0};
    begin(&f, design, gather_bytes);
    for (size_t i = 0; i < parts; i++) put_part(&f, &seed, 2 * i + 1, &value, by_family);
    assert_int_equal(sorter_finish(f.rows, &err), 0);
    struct row_join j = {
        .design = &f.design, .run = &f.run, .rows = f.rows, .to = f.to, .stop = &f.stop, .unfit = note_unfit, .arg = &f};
    assert_int_equal(sorter_stats(f.rows).rounds > 0, parts > 10000);
    if (row_join_run(&j, &err)) fail_msg("%s", err.text);
    assert_int_equal(sorter_finish(f.to, &err), 0);
    expect_rows(&f);
    buf_free(&value);
    end(&f);
}

static void newest_city_of_any_family(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) joined("city + '/' + key", false, seed, 20 + seed * 10, 1 << 20);
}

static void newest_city_of_one_family(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) joined("`b:city` + '/' + key", true, seed, 20 + seed * 10, 1 << 20);
}

static void spilled(void **state) {
    (void)state;
    joined("city + '/' + key", false, 5, 20000, 64 << 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(newest_city_of_any_family), cmocka_unit_test(newest_city_of_one_family),
                                       cmocka_unit_test(spilled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
