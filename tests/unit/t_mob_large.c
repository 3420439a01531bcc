/* Large MOB values: a row part whose values would exceed the limit of a part is divided. */
#include "metadata_files.h"

#include "base/outfile.h"
#include "flat_cells.h"
#include "formats/hbase/mob.h"
#include "hfile/hfile_writer.h"

#include "made_mob.h"

enum { LARGE = 600000, LARGE_CELLS = 5 };

static void write_large(const char *path, const struct row_part *part) {
    struct hfile_write_opts o = hfile_write_defaults();
    struct hfile_write_stats stats;
    struct err err = {0};
    char sum[17];
    struct outfile *out = outfile_create(path, NULL, &err);
    struct hfile_writer *w = out ? hfile_writer_open(&o, out, &err) : NULL;
    if (!w || hfile_writer_put(w, part, &err) || hfile_writer_finish(w, &stats, &err) || outfile_finish(out, sum, &err))
        fail_msg("%s", err.text);
    hfile_writer_close(w);
    outfile_close(out);
}

struct one_part {
    struct source base;
    struct row_part part;
    bool done, closed;
};

static int one_next(struct source *base, struct row_part *part, struct err *err) {
    struct one_part *s = (struct one_part *)base;
    (void)err;
    if (s->done) return 0;
    *part = s->part;
    s->done = true;
    return 1;
}

static void one_close(struct source *base) {
    ((struct one_part *)base)->closed = true;
}

/* Cells 0 and 4 stand inline, 1 to 3 are references. */
static void large_values(void **state) {
    (void)state;
    static const struct source_ops ops = {one_next, one_close};
    static const uint8_t reference[] = {0, LARGE >> 16, LARGE >> 8 & 255, LARGE & 255, 'a', 'b'}, tag[] = {0, 1, 5};
    static const uint32_t want_cells[] = {3, 2};
    char *dir = make_directory(), path[300];
    uint8_t *values = malloc(LARGE_CELLS * LARGE);
    struct cell cells[LARGE_CELLS];
    struct row_part part = {
        .row = bytes_str("r"), .family = bytes_str("mob"), .cells = cells, .n_cells = LARGE_CELLS, .first = true};
    struct err err = {0};
    struct tally tally = {0};
    struct made m;
    for (int i = 0; i < LARGE_CELLS; i++) {
        memset(values + i * LARGE, 'a' + i, LARGE);
        cells[i] = (struct cell){
            .qualifier = bytes_str("q"), .value = bytes_of(values + i * LARGE, LARGE), .ts_ms = 9 - i, .type = CELL_PUT};
    }
    snprintf(path, sizeof path, "%s/ab", dir);
    write_large(path, &part);
    for (int i = 1; i < 4; i++) {
        cells[i].value = bytes_of(reference, sizeof reference);
        cells[i].tags = bytes_of(tag, sizeof tag);
    }
    make(&m);
    add_directory(&m, dir, "n", "t");
    struct mob_resolver *r = open_resolver(&m, 0, 0);
    struct one_part one = {.base = {&ops}, .part = part};
    struct source *s = mob_source_open(&one.base, r, NULL, &tally, NULL, &err);
    uint32_t at = 0;
    for (size_t i = 0; i < countof(want_cells); i++) {
        struct row_part got;
        if (source_next(s, &got, &err) != 1) fail_msg("part %zu: %s", i, err.text);
        assert_int_equal(got.n_cells, want_cells[i]);
        assert_int_equal(got.first, i == 0);
        for (uint32_t k = 0; k < got.n_cells; k++, at++) {
            assert_true(bytes_eq(got.cells[k].value, bytes_of(values + (size_t)at * LARGE, LARGE)));
            assert_int_equal(got.cells[k].tags.n, 0);
            assert_int_equal(got.cells[k].ts_ms, 9 - at);
        }
        assert_int_equal(tally.cells, at);
    }
    struct row_part end;
    assert_int_equal(source_next(s, &end, &err), 0);
    source_close(s);
    assert_true(one.closed);
    mob_close(r);
    free(values);
    remove_directory(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
