/* CSV: dialect, mapping of values, rejects with places, and that chunk sizes never matter. */
#include "recorder.h"

struct fixture {
    struct table table;
    struct shape_set shapes;
    struct read_opts o;
    struct recorder rec;
    struct err err;
};

static void fixture_begin(struct fixture *f, const char *columns) {
    *f = (struct fixture){0};
    assert_int_equal(table_handmade(&f->table, &f->err), 0);
    f->o = (struct read_opts){.columns = columns,
                              .delimiter = -1,
                              .quote = -1,
                              .default_ts_ms = 77,
                              .table = &f->table,
                              .open_families = true,
                              .shapes = &f->shapes};
    recorder_init(&f->rec, &f->shapes);
}

static void fixture_end(struct fixture *f) {
    buf_free(&f->rec.text);
    table_free(&f->table);
    shape_set_free(&f->shapes);
}

/* Runs and compares the whole recording. */
static void expect(struct fixture *f, const char *name, const char *input, const char *want) {
    int rc = recorder_run(&f->rec, name, bytes_str(input), &f->o, &f->err);
    assert_string_equal(f->err.text, "");
    assert_int_equal(rc, 0);
    assert_int_equal(buf_put_byte(&f->rec.text, 0, &f->err), 0);
    assert_string_equal((char *)f->rec.text.p, want);
}

static void test_plain(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "HBASE_ROW_KEY,cf:b,cf:a,-,d,HBASE_TS_KEY");
    expect(&f, "csv", "r1,1,2,3,4,5\nr2,,x,y,z,9223372036854775807\r\n\n",
           "+ <0> r1 cf:a@5=2 cf:b@5=1 d:@5=4\n"
           "+ <13> r2 cf:a@77=x cf:b@77= d:@77=z\n");
    assert_int_equal(f.rec.skipped, 1);
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain)};
    return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
