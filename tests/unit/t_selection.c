/* Selections: what each option takes and leaves, what is refused with its text, and the same choice of the result. */
#include "recorder.h"

#include "select/families_asked.h"
#include "select/selection.h"
#include "select/selection_make.h"
#include "select/selector.h"

static int to_x(const void *arg, void *memory, const struct row_part *part, const struct cell *c, struct bytes *value,
                struct selection_fault *why, struct err *err) {
    (void)memory, (void)part, (void)c, (void)why, (void)err;
    *value = arg ? bytes_str(arg) : (struct bytes){0};
    return 1;
}
static const struct mask_ops masks = {.run = to_x};

/* "r START:STOP", "p PREFIX", "f FAMILIES", "q PATTERNS", "m COLUMN=", "t FROM:TO", "s SHARE" */
static int add_one(struct selection *s, const char *option, struct err *err) {
    const char *text = option + 2;
    long long from, to;
    switch (option[0]) {
    case 'r': return selection_add_rows(s, text, err);
    case 'p': return selection_add_prefix(s, text, err);
    case 'f': return selection_add_families(s, text, err);
    case 'q': return selection_add_qualifiers(s, text, err);
    case 'm': return selection_add_mask(s, text, &masks, strstr(text, "=null") ? NULL : (void *)"x", err);
    case 't':
        assert_int_equal(sscanf(text, "%lld:%lld", &from, &to), 2);
        selection_set_times(s, from, to);
        return 0;
    default: selection_set_sample(s, atof(text)); return 0;
    }
}

static struct selection *selection_made(const char *const *options, struct err *err) {
    struct selection *s = selection_new(err);
    int rc = 0;
    assert_non_null(s);
    for (; !rc && *options; options++) rc = add_one(s, *options, err);
    if (!rc && !selection_end(s, err)) return s;
    selection_free(s);
    return NULL;
}

static void put_part(const struct row_part *p, struct buf *out, struct err *err) {
    for (uint32_t i = 0; i < p->n_cells; i++)
        buf_printf(out, err, "%s%.*s:%.*s@%lld=%.*s", out->n ? " " : "", (int)p->family.n, (const char *)p->family.p,
                   (int)p->cells[i].qualifier.n, (const char *)p->cells[i].qualifier.p, (long long)p->cells[i].ts_ms,
                   (int)p->cells[i].value.n, (const char *)p->cells[i].value.p);
}

/* Selects from row `row`: cf:a@5=1, cf:b@3=2, a marker for the family cf at 4. left: cells that are not taken. */
static void expect_of(const struct selection *s, const char *row, const char *family, const char *want, uint64_t left) {
    const struct cell cells[] = {
        {.qualifier = bytes_str(""), .ts_ms = 4, .type = CELL_DELETE_FAMILY, .value = bytes_str("")},
        {.qualifier = bytes_str("a"), .ts_ms = 5, .type = CELL_PUT, .value = bytes_str("1")},
        {.qualifier = bytes_str("b"), .ts_ms = 3, .type = CELL_PUT, .value = bytes_str("2")},
    };
    const struct row_part part = {.row = bytes_str(row), .family = bytes_str(family), .cells = cells, .n_cells = 3};
    struct row_part out;
    struct tally not_taken = {0}, all = {0}, taken = {0};
    struct selection_fault why;
    struct err err = {0};
    struct buf got = {0}, scratch = {0};
    struct selector *one = selector_new(s, 9, &err);
    assert_non_null(one);
    assert_int_equal(selector_begin(one, 3, &err), 0);
    int rc = selector_take(one, &part, &out, &not_taken, &why, &err);
    if (rc) put_part(&out, &got, &err);
    buf_put_byte(&got, 0, &err);
    assert_string_equal((char *)got.p, want);
    assert_int_equal(rc, want[0] != 0);
    assert_int_equal(not_taken.cells, left);
    if (rc && bytes_eq(out.family, part.family) && !strchr(want, 'x')) { /* not changed: digests add up */
        assert_int_equal(digest_part(&scratch, &part, &all, &err) | digest_part(&scratch, &out, &taken, &err), 0);
        tally_add(&taken, not_taken);
        assert_true(digest_eq(all.digest, taken.digest));
    }
    buf_free(&got);
    buf_free(&scratch);
    selector_free(one);
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})
static void expect(const char *const *options, const char *row, const char *want, uint64_t left) {
    struct err err = {0};
    struct selection *s = selection_made(options, &err);
    assert_non_null(s);
    expect_of(s, row, "cf", want, left);
    selection_free(s);
}

static const char *const all = "cf:@4= cf:a@5=1 cf:b@3=2";

static void test_rows(void **state) {
    (void)state;
    expect(OPTIONS("r b:d"), "b", all, 0);
    expect(OPTIONS("r b:d"), "d", "", 3);
    expect(OPTIONS("r b:d"), "a", "", 3);
    expect(OPTIONS("r b:"), "zz", all, 0);
    expect(OPTIONS("r :b"), "a", all, 0);
    expect(OPTIONS("r hex:62:hex:64"), "c", all, 0);
    expect(OPTIONS("r x:y", "r b:d", "r c:f"), "e", all, 0);
    expect(OPTIONS("r x:y", "r b:d", "r c:f"), "g", "", 3);
    expect(OPTIONS("p ab"), "abc", all, 0);
    expect(OPTIONS("p ab"), "ac", "", 3);
    expect(OPTIONS("p hex:ffff"), "\xff\xff", all, 0);
    expect(OPTIONS("p hex:ffff"), "\xff", "", 3);
    expect(OPTIONS("p hex:61ff"), "b", "", 3);
    expect(OPTIONS("r b:d", "p ca"), "cab", all, 0);
    expect(OPTIONS("r b:c", "p ca"), "cb", "", 3);
}

static void test_cells(void **state) {
    (void)state;
    expect(OPTIONS("f d,cf"), "r", all, 0);
    expect(OPTIONS("f d"), "r", "", 3);
    expect(OPTIONS("f *,cf=e"), "r", "e:@4= e:a@5=1 e:b@3=2", 0);
    expect(OPTIONS("t 4:6"), "r", "cf:@4= cf:a@5=1", 1);
    expect(OPTIONS("t 6:7"), "r", "", 3);
    expect(OPTIONS("q a"), "r", "cf:@4= cf:a@5=1", 1);
    expect(OPTIONS("q d:a"), "r", "", 3);
    expect(OPTIONS("q d:a,cf:b"), "r", "cf:@4= cf:b@3=2", 1);
    expect(OPTIONS("q \\a?,?"), "r", all, 0);
    expect(OPTIONS("q \\x62"), "r", "cf:@4= cf:b@3=2", 1);
    expect(OPTIONS("q \\*"), "r", "cf:@4=", 2);
    expect(OPTIONS("m cf:b=x"), "r", "cf:@4= cf:a@5=1 cf:b@3=x", 0);
    expect(OPTIONS("m cf:*=null"), "r", "cf:@4=", 2);
    expect(OPTIONS("m d:*=null"), "r", all, 0);
}

/* Half of the rows, and always the same. */
static void test_sample(void **state) {
    (void)state;
    struct err err = {0};
    struct selection *half = selection_made(OPTIONS("s 0.5"), &err), *tenth = selection_made(OPTIONS("s 0.1"), &err);
    struct selector *a = selector_new(half, 0, &err), *b = selector_new(tenth, 0, &err);
    const struct cell c = {.qualifier = bytes_str("q"), .type = CELL_PUT};
    unsigned n[2] = {0};
    for (unsigned i = 0; i < 10000; i++) {
        struct selection_fault why;
        struct tally left = {0};
        char row[16];
        snprintf(row, sizeof row, "row-%u", i);
        struct row_part out, part = {.row = bytes_str(row), .family = bytes_str("cf"), .cells = &c, .n_cells = 1};
        int in_half = selector_take(a, &part, &out, &left, &why, &err),
            in_tenth = selector_take(b, &part, &out, &left, &why, &err);
        assert_true(in_half || !in_tenth);
        n[0] += in_half == 1;
        n[1] += in_tenth == 1;
    }
    assert_in_range(n[0], 4800, 5200);
    assert_in_range(n[1], 900, 1100);
    selector_free(a);
    selector_free(b);
    selection_free(half);
    selection_free(tenth);
}

/* Tests that a selection takes all of what a run with it has written, and changes nothing twice. */
static void test_result(void **state) {
    (void)state;
    struct err err = {0};
    struct selection *s = selection_made(OPTIONS("f cf=e", "m cf:a=x", "q cf:?", "r a:z", "t 4:6"), &err);
    struct selection *r = selection_of_result(s, &err);
    assert_non_null(r);
    expect_of(s, "r", "cf", "e:@4= e:a@5=x", 1);
    expect_of(r, "r", "e", "e:@4= e:a@5=1", 1);
    expect_of(r, "r", "cf", "", 3);
    expect_of(r, "zz", "e", "", 3);
    selection_free(s);
    selection_free(r);
}

static void refuse(const char *const *options, const char *text) {
    struct err err = {0};
    assert_null(selection_made(options, &err));
    assert_int_equal(err.code, ERR_USAGE);
    if (!strstr(err.text, text)) assert_string_equal(err.text, text);
}

static void test_refused(void **state) {
    (void)state;
    refuse(OPTIONS("r b"), "--rows 'b': expected START:STOP with one colon between");
    refuse(OPTIONS("r a:b:c"), "START:STOP with one colon");
    refuse(OPTIONS("r hex:6:b"), "keys are text, or hex: and pairs of hex digits");
    refuse(OPTIONS("r b:b"), "--rows 'b:b' selects nothing");
    refuse(OPTIONS("p "), "--rows prefix= is empty");
    refuse(OPTIONS("p hex:0g"), "--rows prefix= 'hex:0g'");
    refuse(OPTIONS("f a,,b"), "--families: '' is not a family name");
    refuse(OPTIONS("f a:b"), "is not a family name");
    refuse(OPTIONS("f a="), "--families: '' is not a family name");
    refuse(OPTIONS("f a=b,a=c"), "gives the family 'a' two names");
    refuse(OPTIONS("f b", "m a:c=x"), "--mask names the family 'a', which --families leaves out");
    refuse(OPTIONS("f b", "m a:q=x"), "--mask names the family 'a', which --families leaves out");
    refuse(OPTIONS("t 5:5"), "--time-range selects nothing");
    refuse(OPTIONS("q a\\"), "--qualifiers: a backslash must be followed by");
    refuse(OPTIONS("q a\\x4"), "--qualifiers: a backslash must be followed by");
}

/* Tests which rows, families and times there is no need to read. */
static void test_ranges(void **state) {
    (void)state;
    struct err err = {0};
    const struct row_range *r;
    struct bytes now;
    struct selection *s = selection_made(OPTIONS("r m:p", "r a:c", "r b:d", "f *,cf=e", "q d:*,cf:a"), &err);
    assert_int_equal(selection_ranges(s, &r), 2);
    assert_memory_equal(r[0].stop.p, "d", 1);
    assert_memory_equal(r[1].start.p, "m", 1);
    assert_true(selection_family(s, bytes_str("cf"), &now) && bytes_eq(now, bytes_str("e")));
    assert_false(selection_family(s, bytes_str("other"), &now));
    assert_true(selection_family(NULL, bytes_str("other"), &now) && bytes_eq(now, bytes_str("other")));
    assert_int_equal(selection_ranges(NULL, &r), 0);
    assert_true(selection_times(s, 5, 6) && selection_times(NULL, 5, 6));
    selection_set_times(s, 100, 200);
    assert_true(selection_times(s, 0, 100) && selection_times(s, 199, 500) && selection_times(s, 0, 1000));
    assert_false(selection_times(s, 0, 99) || selection_times(s, 200, 500));
    assert_true(selection_times(s, 500, INT64_MAX) && selection_times(s, INT64_MAX, -1));
    selection_free(s);
}

/* Expects the options of which no cell of cf:a, cf:b and a marker was. A marker for a family proves no column. */
static void expect_unmet(const char *const *options, const char *row, const char *cells, uint64_t left, const char *want) {
    struct err err = {0};
    struct selection *s = selection_made(options, &err);
    struct buf got = {0};
    const char *option;
    struct bytes text;
    assert_non_null(s);
    expect_of(s, row, "cf", cells, left);
    for (size_t at = 0; selection_unmet(s, &at, &option, &text);)
        buf_printf(&got, &err, "%s%s %.*s", got.n ? ", " : "", option, (int)text.n, (const char *)text.p);
    buf_put_byte(&got, 0, &err);
    assert_string_equal((char *)got.p, want);
    buf_free(&got);
    selection_free(s);
}

static void test_unmet(void **state) {
    (void)state;
    expect_unmet(OPTIONS("r a:"), "r", all, 0, "");
    expect_unmet(OPTIONS("f cf,d=e"), "r", all, 0, "families d");
    expect_unmet(OPTIONS("q cf:*,?,cf:a,c,\\x61"), "r", all, 0, "qualifiers c");
    expect_unmet(OPTIONS("q a", "m cf:b=x"), "r", "cf:@4= cf:a@5=1", 1, "mask cf:b");
    expect_unmet(OPTIONS("m cf:b=x", "m cf:\\a=x", "m cf:?=x", "m d:a=null"), "r", "cf:@4= cf:a@5=x cf:b@3=x", 0,
                 "mask cf:?, mask d:a");
    expect_unmet(OPTIONS("f cf", "r s:"), "r", "", 3, "families cf");
}

/* Every family that was asked of is noted once, taken or not; absent are those that options name and that none is. */
static void test_families(void **state) {
    (void)state;
    struct err err = {0};
    struct bytes name;
    size_t n, at = 0;
    struct selection *s = selection_made(OPTIONS("f d=y,cf,x", "q x:*,*", "m cf:q=x"), &err);
    assert_non_null(s);
    assert_non_null(selection_families(s, &n));
    assert_int_equal(n, 0);
    expect_of(s, "r", "other", "", 3);
    expect_of(s, "r", "cf", "cf:@4= cf:a@5=1 cf:b@3=2", 0);
    assert_false(selection_family(s, bytes_str("a"), &name));
    assert_false(selection_family(s, bytes_str("a"), &name));
    const struct bytes *asked = selection_families(s, &n);
    assert_int_equal(n, 3);
    assert_true(bytes_eq(asked[0], bytes_str("a")) && bytes_eq(asked[1], bytes_str("cf")) &&
                bytes_eq(asked[2], bytes_str("other")));
    const char *absent[] = {"d", "x", "d", "x"}; /* of --families, and as renamed; of --qualifiers */
    for (size_t i = 0; i < 4; i++) assert_true(selection_absent(s, &at, &name) && bytes_eq(name, bytes_str(absent[i])));
    assert_false(selection_absent(s, &at, &name));
    for (unsigned i = 0; i < 300; i++) { /* more than fit: nothing is said of what may be there */
        char text[16];
        snprintf(text, sizeof text, "f%u", i);
        (void)selection_family(s, bytes_str(text), &name);
    }
    selection_families(s, &n);
    assert_int_equal(n, 256);
    at = 0;
    assert_false(selection_absent(s, &at, &name));
    selection_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_cells),    cmocka_unit_test(test_sample),
        cmocka_unit_test(test_result), cmocka_unit_test(test_refused),  cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_unmet),  cmocka_unit_test(test_families),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
