/* Column maps: what --columns may say, the plan it becomes, and every refusal by its text. */
#include "formats/mapping/expr_run.h"
#include "recorder.h"

#include "formats/mapping/colmap.h"

/* "row=1 ts=- ttl=- need=2 of 4 | cf#1: a<2 b<0 | …" */
static void describe(const struct colmap *m, struct buf *out) {
    struct err err = {0};
    buf_printf(out, &err, "row=%d ts=%d ttl=%d need=%u of %u", (int)m->row, (int)m->ts, (int)m->ttl, m->needed, m->n_columns);
    for (uint32_t i = 0; i < m->n_families; i++) {
        const struct colmap_family *f = &m->families[i];
        buf_printf(out, &err, " | %.*s#%u:", (int)f->name.n, (const char *)f->name.p, f->shape);
        for (uint32_t j = f->first; j < f->first + f->n; j++)
            buf_printf(out, &err, " %.*s<%u", (int)m->slots[j].qualifier.n, (const char *)m->slots[j].qualifier.p,
                       m->slots[j].column);
    }
    buf_put_byte(out, 0, &err);
}

static void split_header(const char *text, struct bytes *names, uint32_t *n) {
    for (*n = 0; text;) {
        const char *comma = strchr(text, ',');
        names[(*n)++] = comma ? bytes_of(text, (size_t)(comma - text)) : bytes_str(text);
        text = comma ? comma + 1 : NULL;
    }
}

/* want begins with "!": the error's text. The table has the families cf and d. */
static void expect_map(const char *columns, const char *header, const char *want) {
    struct fixture f;
    struct bytes names[20];
    struct colmap m;
    struct buf got = {0};
    fixture_begin(&f, NULL);
    assert_int_equal(table_add_family(&f.table, bytes_str("cf"), &f.err), 0);
    assert_int_equal(table_add_family(&f.table, bytes_str("d"), &f.err), 0);
    struct colmap_opts o = {.columns = columns, .table = &f.table, .shapes = &f.shapes};
    if (header) {
        split_header(header, names, &o.n_header);
        o.header = names;
    }
    if (colmap_parse(&m, &o, &f.err) == 0) {
        describe(&m, &got);
        assert_string_equal((char *)got.p, want);
        colmap_free(&m);
    } else {
        assert_int_equal(f.err.code, ERR_USAGE);
        assert_string_equal(f.err.text, want + (want[0] == '!'));
    }
    buf_free(&got);
    fixture_end(&f);
}

static void test_by_position(void **state) {
    (void)state;
    expect_map("HBASE_ROW_KEY,cf:a", NULL, "row=0 ts=-1 ttl=-1 need=1 of 2 | cf#1: a<1");
    expect_map(" d:z , cf:b,-,\tHBASE_TS_KEY,HBASE_ROW_KEY ,cf:a,cf,d:b:c,HBASE_CELL_TTL,-", NULL,
               "row=4 ts=3 ttl=8 need=9 of 10 | cf#1: <6 a<5 b<1 | d#2: b:c<7 z<0");
    expect_map("HBASE_ROW_KEY,cf:q,cf:a,cf:q,cf:q", NULL, "row=0 ts=-1 ttl=-1 need=1 of 5 | cf#1: a<2 q<4 q<3 q<1");
    expect_map("HBASE_ROW_KEY,cf:a=b,cf:HBASE_X", NULL, "row=0 ts=-1 ttl=-1 need=1 of 3 | cf#1: HBASE_X<2 a=b<1");
    expect_map("HBASE_ROW_KEY,cf:a,-", "x,y,z", "row=0 ts=-1 ttl=-1 need=1 of 3 | cf#1: a<1");
}

static void test_by_name(void **state) {
    (void)state;
    expect_map("id=HBASE_ROW_KEY,when=HBASE_TS_KEY,a=cf:x,b=cf", "b,skipped, a ,when,id,also",
               "row=4 ts=3 ttl=-1 need=5 of 6 | cf#1: <0 x<2");
    expect_map("id=HBASE_ROW_KEY,b=-,a=cf:a:b", "id,a,b", "row=0 ts=-1 ttl=-1 need=1 of 3 | cf#1: a:b<1");
    expect_map("id=HBASE_ROW_KEY,x=cf:a", "id,a", "!--columns: the header has no column \"x\"; it has: id, a");
    expect_map("id=HBASE_ROW_KEY,a=cf:a", "id,a,a",
               "!--columns: the header has two columns \"a\" (2 and 3); map by position instead");
    expect_map("id=HBASE_ROW_KEY,a=cf:a,a=cf:b", "id,a", "!--columns: column \"a\" is mapped twice");
    expect_map("id=HBASE_ROW_KEY,cf:a", "id,a",
               "!--columns: either all items pick columns by name (name=family:qualifier) or none does");
    expect_map("id=HBASE_ROW_KEY,=cf:a", "id,a", "!--columns: item 2: expected name=family:qualifier");
    expect_map("id=HBASE_ROW_KEY,a=", "id,a", "!--columns: item 2: expected name=family:qualifier");
    expect_map("id=HBASE_ROW_KEY,cf:a", NULL,
               "!--columns: \"id=HBASE_ROW_KEY\" picks a column by name, which only a header says");
}

static void test_rest(void **state) {
    (void)state;
    expect_map("id=HBASE_ROW_KEY,note=-,*=cf", "b,note, a ,id,c", "row=3 ts=-1 ttl=-1 need=4 of 5 | cf#1: a<2 b<0 c<4");
    expect_map("*=d,x=cf:y,id=HBASE_ROW_KEY", "HBASE_TS_KEY,x,id",
               "row=2 ts=-1 ttl=-1 need=3 of 3 | cf#1: y<1 | d#2: HBASE_TS_KEY<0");
    expect_map("auto:d", "HBASE_TS_KEY,x,HBASE_ROW_KEY:hex", "row=2 ts=0 ttl=-1 need=3 of 3 | d#1: x<1");
    expect_map("id=HBASE_ROW_KEY,*=cf", "id", "!--columns: no item names a family:qualifier");
    expect_map("auto:cf,id=HBASE_ROW_KEY", "id,a",
               "!--columns: auto:cf stands alone; beside other items, *=cf stands for all other columns");
    expect_map("id=HBASE_ROW_KEY,*=cf:q", "id,a",
               "!--columns: \"*=cf:q\": write *=FAMILY, the qualifiers are the names of the columns");
    expect_map("id=HBASE_ROW_KEY,*=cf,*=d", "id,a", "!--columns: * appears twice");
    expect_map("id=HBASE_ROW_KEY,cf:a,*=cf", "id,a",
               "!--columns: either all items pick columns by name (name=family:qualifier) or none does");
    expect_map("id=HBASE_ROW_KEY,*=cf", "id,a,,b", "!--columns: column 3 of the header has no name: name the columns one by one");
    expect_map("id=HBASE_ROW_KEY,*=cf", "id,a,b,a",
               "!--columns: the header has two columns \"a\" (2 and 4); map by position instead");
    expect_map("id=HBASE_ROW_KEY,*=no", "id,a",
               "!--columns names the family \"no\", which the table lacks; its families are: cf, d");
    expect_map("auto", "id,a", "!--columns auto: which family? The table has several: write auto:FAMILY");
    expect_map("auto:cf", NULL, "!--columns auto needs --header");
    expect_map("auto:cf", "id,a",
               "!--columns: one item must be HBASE_ROW_KEY, unless --key or a mapping (--map) builds the row key");
}

/* Expects which columns the key reads, and what it makes of a record whose fields are their numbers. */
static void expect_key(const char *columns, const char *key, const char *header, const char *want) {
    struct fixture f;
    struct bytes names[20];
    struct colmap m;
    struct expr_value fields[20], v;
    struct expr_scratch scratch = {0};
    struct expr_fault why;
    fixture_begin(&f, NULL);
    assert_int_equal(table_add_family(&f.table, bytes_str("cf"), &f.err), 0);
    struct colmap_opts o = {.columns = columns, .key = key, .table = &f.table, .shapes = &f.shapes};
    if (header) {
        split_header(header, names, &o.n_header);
        o.header = names;
    }
    if (colmap_parse(&m, &o, &f.err)) {
        assert_int_equal(f.err.code, ERR_USAGE);
        assert_string_equal(f.err.text, want + (want[0] == '!'));
    } else {
        for (uint32_t i = 0; i < m.key.n_columns; i++) fields[i] = expr_text(bytes_of(&"012345"[m.key.columns[i]], 1));
        assert_int_equal(expr_eval(m.key.program, fields, &scratch, &v, &why, &f.err), 1);
        assert_int_equal(m.row, COLMAP_NONE);
        assert_true(bytes_eq(bytes_of(v.p, v.n), bytes_str(want)));
        colmap_free(&m);
    }
    expr_scratch_free(&scratch);
    fixture_end(&f);
}

static void test_key(void **state) {
    (void)state;
    expect_key("a=cf:a,*=cf", "c + '-' + a + $2 + c", "a,b, c ", "2-012");
    expect_key("auto", "`c d` + a", "a,b,c d", "20");
    expect_key("cf:a,cf,HBASE_TS_KEY,-,cf:b:c", "cf + $4 + cf:b:c + cf:a", NULL, "1340");
    expect_key("cf:a,cf:b", "'x'", NULL, "x");
    expect_key("cf:a,HBASE_ROW_KEY", "cf:a", NULL, "!--key and HBASE_ROW_KEY both say what the row key is: give one of them");
    expect_key("auto", "a + bee", "a,been,c",
               "!--key: the header has no column \"bee\"; it has: a, been, c; did you mean 'been'?");
    expect_key("auto", "a + b", "a,c,c,b,b", "!--columns: the header has two columns \"c\" (2 and 3); map by position instead");
    expect_key("a=cf:a", "b", "a,b,b", "!--key: the header has two columns \"b\" (2 and 3); map by position instead");
    expect_key("cf:a,cf:b", "cf:a + $3", NULL, "!--key: at character 8: there is no column '$3'");
    expect_key("cf:a,cf:b", "cf:x", NULL,
               "!--key: there is no column \"cf:x\": write $1 for the first one, the family:qualifier that --columns gives it, or"
               " --header if the first record holds names");
    expect_key("cf:a,cf:b", "md5(cf:a", NULL, "!--key: at character 9: expected ')', but the text ends");
}

static void test_refusals(void **state) {
    (void)state;
    expect_map("", NULL, "!--columns is empty; give HBASE_ROW_KEY,family:qualifier,…");
    expect_map("HBASE_ROW_KEY,,cf:a", NULL, "!--columns: item 2 is empty (a column to skip is \"-\")");
    expect_map("HBASE_ROW_KEY,cf:a,", NULL, "!--columns: item 3 is empty (a column to skip is \"-\")");
    expect_map("cf:a,cf:b", NULL,
               "!--columns: one item must be HBASE_ROW_KEY, unless --key or a mapping (--map) builds the row key");
    expect_map("HBASE_ROW_KEY,-", NULL, "!--columns: no item names a family:qualifier");
    expect_map("HBASE_ROW_KEY,HBASE_ROW_KEY,cf:a", NULL, "!--columns: HBASE_ROW_KEY appears twice");
    expect_map("HBASE_ROW_KEY,HBASE_TS_KEY,HBASE_TS_KEY,cf:a", NULL, "!--columns: HBASE_TS_KEY appears twice");
    expect_map("HBASE_ROW_KEY,HBASE_KEY,cf:a", NULL,
               "!--columns: unknown \"HBASE_KEY\"; known are HBASE_ROW_KEY, HBASE_ROW_KEY:hex, HBASE_TS_KEY, "
               "HBASE_CELL_TTL and OBKV_OP");
    expect_map("HBASE_ROW_KEY,HBASE_ATTRIBUTES_KEY,cf:a", NULL,
               "!--columns: HBASE_ATTRIBUTES_KEY is not supported: operation attributes are for a running server, cell files "
               "do not hold them; use \"-\" to skip the column");
    expect_map(
        "HBASE_ROW_KEY,HBASE_CELL_VISIBILITY,cf:a", NULL,
        "!--columns: HBASE_CELL_VISIBILITY is not supported: OceanBase has no visibility labels, so everyone could read the "
        "cells; use \"-\" to skip the column");
    expect_map("HBASE_ROW_KEY,:a", NULL, "!--columns: a family name has 1 to 127 bytes, not 0");
    expect_map("HBASE_ROW_KEY,cf2:a", NULL,
               "!--columns names the family \"cf2\", which the table lacks; its families are: cf, d; did you mean 'cf'?");
    expect_map("HBASE_ROW_KEY,cf:a", "a,b,c", "!--columns has 2 items, but the header has 3 columns");
}

static void test_open_families_and_shared_shapes(void **state) {
    (void)state;
    struct fixture f;
    struct colmap a, b;
    fixture_begin(&f, NULL);
    struct colmap_opts o = {
        .columns = "HBASE_ROW_KEY,n:a,n:b,m:a", .table = &f.table, .open_families = true, .shapes = &f.shapes};
    assert_int_equal(colmap_parse(&a, &o, &f.err), 0);
    assert_int_equal(f.table.n_families, 2);
    o.columns = "n:b,HBASE_ROW_KEY,-,n:a,o:x";
    assert_int_equal(colmap_parse(&b, &o, &f.err), 0);
    assert_int_equal(f.table.n_families, 3);
    assert_int_equal(a.families[1].shape, b.families[0].shape); /* n: a b */
    assert_int_equal(f.shapes.n, 3);
    assert_ptr_equal(a.slots[1].qualifier.p, b.slots[0].qualifier.p);
    colmap_free(&a);
    colmap_free(&b);
    fixture_end(&f);
}

/* Cells are told apart by pointer: also where names are empty or equal. */
static void test_shape_pointers(void **state) {
    (void)state;
    struct shape_set s = {0};
    struct err err = {0};
    struct bytes q[] = {{NULL, 0}, bytes_str("a"), bytes_str("a"), bytes_str("b")};
    uint32_t id, again, other;
    assert_int_equal(shape_add(&s, bytes_str("f"), q, countof(q), &id, &err), 0);
    assert_int_equal(shape_add(&s, bytes_str("f"), q, countof(q), &again, &err), 0);
    assert_int_equal(shape_add(&s, bytes_str("g"), q, countof(q), &other, &err), 0);
    assert_int_equal(id, again);
    assert_int_not_equal(id, other);
    const struct shape *shape = shape_get(&s, id);
    for (uint32_t i = 0; i < shape->n; i++) {
        assert_true(bytes_eq(shape->qualifiers[i], q[i]));
        for (uint32_t j = 0; j < i; j++) assert_ptr_not_equal(shape->qualifiers[i].p, shape->qualifiers[j].p);
    }
    for (uint32_t i = 0; i < 100; i++) {
        struct bytes one = {(uint8_t *)&i, sizeof i};
        assert_int_equal(shape_add(&s, bytes_str("f"), &one, 1, &id, &err), 0);
        assert_int_equal(id, 3 + i);
    }
    assert_ptr_equal(shape_get(&s, again), shape);
    shape_set_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_position),    cmocka_unit_test(test_by_name),
        cmocka_unit_test(test_rest),           cmocka_unit_test(test_key),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_open_families_and_shared_shapes),
        cmocka_unit_test(test_shape_pointers),
    };
    return cmocka_run_group_tests_name("colmap", tests, NULL, NULL);
}
