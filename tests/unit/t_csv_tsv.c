/* TSV: HBase ImportTsv's line rules, and where ours differ. */
#include "recorder.h"

static void test_lines(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "HBASE_ROW_KEY,d:c1,d:c2,b");
    fixture_expect(&f, "tsv", "r1\ta\tb\tc\r\nr2\t\"x\ty\"\t\rr3\t\n\n\rr4\tlast",
                   "+ <0> r1 b:@77=c d:c1@77=a d:c2@77=b\n"
                   "+ <10> r2 b:@77= d:c1@77=\"x d:c2@77=y\"\n"
                   "+ <20> r3 d:c1@77=\n"
                   "+ <26> r4 d:c1@77=last\n");
    assert_int_equal(f.rec.skipped, 2);
    fixture_end(&f);
}

static void test_bad_lines(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "d:a,HBASE_ROW_KEY,HBASE_TS_KEY,d:b,HBASE_CELL_TTL,d:c");
    fixture_expect(&f, "tsv",
                   "no delimiter\n"
                   "a\tr\t5\n"
                   "a\tr\t5\tb\t6\n"
                   "a\tr\t5\tb\t6\tc\tx\n"
                   "a\tr\tx\tb\t6\tc\n"
                   "a\tr\t-3\tb\t6\tc\n"
                   "a\t\t5\tb\t6\tc\n"
                   "a\tr\t5\tb\t\n"
                   "a\tr\t5\tb\t-6\n"
                   "a\tr\t9223372036854775807\tb\t6\tc\n",
                   "! line 1 offset 0 column 0 no delimiter |no\\x20delimiter|\n"
                   "! line 2 offset 13 column 0 3 fields, but column 5 is needed |a\\x09r\\x095|\n"
                   "+ <19> r d:a@5=a~6 d:b@5=b~6\n"
                   "! line 4 offset 29 column 7 7 fields, but 6 columns are mapped |a\\x09r\\x095\\x09b\\x096\\x09c\\x09x|\n"
                   "! line 5 offset 43 column 3 timestamp is not a whole number of 64 bits |a\\x09r\\x09x\\x09b\\x096\\x09c|\n"
                   "! line 6 offset 55 column 3 timestamp -3 is negative |a\\x09r\\x09-3\\x09b\\x096\\x09c|\n"
                   "! line 7 offset 68 column 2 empty row key |a\\x09\\x095\\x09b\\x096\\x09c|\n"
                   "+ <79> r d:a@5=a d:b@5=b\n"
                   "! line 9 offset 88 column 5 TTL -6 is not above 0 |a\\x09r\\x095\\x09b\\x09-6|\n"
                   "+ <99> r d:a@77=a~6 d:b@77=b~6 d:c@77=c~6\n");
    fixture_end(&f);
}

/* One TTL tag for the whole record, and none left over from the record before. */
static void test_ttl_in_two_families(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "HBASE_ROW_KEY,HBASE_CELL_TTL,a:x,b:y");
    fixture_expect(&f, "tsv", "r\t100\t1\t2\ns\t\t3\t4\n", "+ <0> r a:x@77=1~100 b:y@77=2~100\n+ <10> s a:x@77=3 b:y@77=4\n");
    fixture_end(&f);
}

/* Tests that the later of two equal columns is newer and comes first. */
static void test_equal_columns(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "HBASE_ROW_KEY,f:q,f:a,f:q");
    fixture_say(&f, "null", "-");
    fixture_expect(&f, "tsv", "r\told\tx\tnew\nr\told\tx\t-\n",
                   "+ <0> r f:a@77=x f:q@77=new f:q@77=old\n+ <12> r f:a@77=x f:q@77=old\n");
    fixture_end(&f);
}

static void test_header_by_name(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "k=HBASE_ROW_KEY,v=f:v");
    fixture_say(&f, "header", "each");
    fixture_expect(&f, "tsv", "x\tv\tk\ty\r1\t2\tr1\r3\t4\r\n",
                   "+ <8> r1 f:v@77=2\n! line 3 offset 15 column 0 2 fields, but column 3 is needed |3\\x094|\n");
    assert_int_equal(f.rec.skipped, 1);
    fixture_end(&f);
}

static void test_rank_of_input(void **state) {
    (void)state;
    struct fixture f;
    int fd;
    char path[64];
    fixture_begin(&f, "HBASE_ROW_KEY,f:v");
    struct reader *r = format_open(recorder_file(bytes_str("a\t1\nb\t2\n"), &fd, path), "tsv", &f.o, NULL, &f.err);
    assert_non_null(r);
    assert_int_equal(recorder_drain(&f.rec, r, 3, &f.err), 0);
    assert_int_equal(r->ops->input_bytes(r), 8);
    buf_put_byte(&f.rec.text, 0, &f.err);
    char want[100];
    snprintf(want, sizeof want, "+ <%llu> a f:v@77=1\n+ <%llu> b f:v@77=2\n", (unsigned long long)rank_of(3, 0),
             (unsigned long long)rank_of(3, 4));
    assert_string_equal((char *)f.rec.text.p, want);
    r->ops->close(r);
    close(fd);
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),         cmocka_unit_test(test_bad_lines),      cmocka_unit_test(test_ttl_in_two_families),
        cmocka_unit_test(test_equal_columns), cmocka_unit_test(test_header_by_name), cmocka_unit_test(test_rank_of_input),
    };
    return cmocka_run_group_tests_name("tsv", tests, NULL, NULL);
}
