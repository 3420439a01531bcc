/* Rejects: files in input order whatever order the chunks come in, limits, and the first reason for the message. */
#include "engine/reject_batch.h"
#include "flat_cells.h"

#include "base/fs.h"
#include "engine/rejects.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
    char dir[40];
    int asked; /* how often for the directory */
    struct reject_log *log;
};

static const char *make_dir(void *arg, struct err *err) {
    struct fixture *f = arg;
    f->asked++;
    return fs_mkdirs(f->dir, err) ? NULL : f->dir;
}

static void begin(struct fixture *f, const char *limit) {
    struct reject_limit l;
    struct err err = {0};
    *f = (struct fixture){.dir = "/tmp/t_rejects.XXXXXX"};
    assert_non_null(mkdtemp(f->dir));
    strcat(f->dir, "/r");
    assert_int_equal(reject_limit_parse(limit, &l, &err), 0);
    f->log = reject_log_new(&l, make_dir, f, &err);
    assert_non_null(f->log);
}

static void end(struct fixture *f) {
    struct err err = {0};
    reject_log_free(f->log);
    *strrchr(f->dir, '/') = 0;
    assert_int_equal(fs_remove_tree(f->dir, &err), 0);
}

static bool there(const struct fixture *f, const char *name) {
    char path[128];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", f->dir, name);
    return stat(path, &st) == 0;
}

static void expect_file(const struct fixture *f, const char *name, struct bytes want) {
    char path[128];
    struct err err = {0};
    size_t n;
    snprintf(path, sizeof path, "%s/%s", f->dir, name);
    char *text = fs_read_text(path, 1 << 26, &n, &err);
    assert_string_equal(err.text, "");
    assert_true(bytes_eq(bytes_of(text, n), want));
    free(text);
}

/* Fills b with the rejects of chunk `seq`: seq % 4 records, every seventh chunk of them cells. */
static uint64_t fill(uint64_t seq, struct reject_batch *b) {
    struct err err = {0};
    char raw[32], why[32];
    for (uint64_t i = 0; i < seq % 4; i++) {
        int n = snprintf(raw, sizeof raw, "record %u.%u", (unsigned)seq, (unsigned)i);
        snprintf(why, sizeof why, "reason %u", (unsigned)(seq * 10 + i));
        assert_int_equal(
            reject_batch_add(b, "in.csv", bytes_of(raw, (size_t)n), seq * 10 + i, seq * 1000 + i, (uint32_t)i, why, &err), 0);
    }
    return seq % 4;
}

static bool is_text(uint64_t seq) {
    return seq % 7 != 0;
}

static void expect_all(const struct fixture *f, uint64_t chunks) {
    struct buf text = {0}, cells = {0}, reasons = {0};
    struct err err = {0};
    buf_printf(&reasons, &err, "#file\tline\toffset\tcolumn\treason\n");
    for (uint64_t seq = 0; seq < chunks; seq++) {
        struct reject_batch b = {0};
        fill(seq, &b);
        buf_put(is_text(seq) ? &text : &cells, b.raw.p, b.raw.n, &err);
        buf_put(&reasons, b.reasons.p, b.reasons.n, &err);
        reject_batch_free(&b);
    }
    expect_file(f, "rejects.txt", buf_bytes(&text));
    expect_file(f, "rejects.cells", buf_bytes(&cells));
    expect_file(f, "reasons.tsv", buf_bytes(&reasons));
    buf_free(&text);
    buf_free(&cells);
    buf_free(&reasons);
}

/* Each thread has one batch in hand; the order in which they come is drawn. */
static void test_any_order(void **state) {
    (void)state;
    enum { CHUNKS = 300 };
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct fixture f;
        struct err err = {0};
        uint64_t order[CHUNKS], s = seed, reach = seed == 1 ? 1 : seed == 2 ? CHUNKS : 1 + flat_below(&s, 16);
        struct reject_batch b = {0}; /* used again and again, as by a worker */
        begin(&f, "100%");
        for (uint64_t i = 0; i < CHUNKS; i++) order[i] = i;
        for (uint64_t i = 0; i < CHUNKS; i++) {
            uint64_t j = i + flat_below(&s, CHUNKS - i < reach ? CHUNKS - i : reach), t = order[i];
            order[i] = order[j];
            order[j] = t;
        }
        for (uint64_t i = 0; i < CHUNKS; i++) {
            fill(order[i], &b);
            assert_int_equal(reject_log_submit(f.log, (struct reject_turn){0, order[i]}, is_text(order[i]), &b, &err), 0);
            assert_true(b.n == 0 && b.raw.n == 0 && b.reasons.n == 0);
        }
        assert_int_equal(reject_log_finish(f.log, &err), 0);
        assert_string_equal(reject_log_first(f.log), "in.csv:10: reason 10");
        expect_all(&f, CHUNKS);
        reject_batch_free(&b);
        end(&f);
    }
}

/* Several inputs at once: their chunks come in any mixture, and they end in any order. A chunk may hand over what it has before
 * its end. */
static void test_side_by_side(void **state) {
    (void)state;
    enum { STREAMS = 6, CHUNKS = 50 };
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct fixture f;
        struct err err = {0};
        struct reject_batch b = {0};
        uint64_t s = seed, next[STREAMS] = {0}, left = STREAMS * CHUNKS;
        begin(&f, "100%");
        reject_log_keep_in(f.log, "/tmp", NULL);
        while (left) {
            uint64_t stream = flat_below(&s, STREAMS), two = flat_below(&s, 2), n = next[stream];
            if (n == CHUNKS) continue;
            if (n + two >= CHUNKS) two = 0;
            for (uint64_t k = 0; k <= two; k++) { /* two neighbours, the later one first */
                struct reject_turn turn = {stream, n + two - k};
                uint64_t seq = stream * CHUNKS + turn.number;
                fill(seq, &b);
                assert_int_equal(reject_log_has_turn(f.log, turn), k == two);
                if (k == two && seed % 2) assert_int_equal(reject_log_flush(f.log, stream, is_text(seq), &b, &err), 0);
                assert_int_equal(reject_log_submit(f.log, turn, is_text(seq), &b, &err), 0);
            }
            next[stream] += two + 1;
            left -= two + 1;
            if (next[stream] == CHUNKS) assert_int_equal(reject_log_end_stream(f.log, stream, &err), 0);
        }
        assert_int_equal(reject_log_finish(f.log, &err), 0);
        expect_all(&f, STREAMS * CHUNKS);
        reject_batch_free(&b);
        end(&f);
    }
}

/* Tests that skipped places have a file of their own, in the order of the chunks, and are no rejects. */
static void test_lost(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    struct reject_batch b = {0};
    begin(&f, "0");
    struct lost one = {.offset = 7, .first_row = bytes_of("a\0z", 3), .last_row = bytes_of("", 0), .reason = "torn\tapart"};
    struct lost two = {.offset = UINT64_MAX, .reason = "gone", .cells = LOST_UNKNOWN};
    assert_int_equal(reject_batch_add_lost(&b, "x\ty", &one, &err), 0);
    assert_int_equal(reject_log_submit(f.log, (struct reject_turn){0, 1}, false, &b, &err), 0);
    assert_int_equal(f.asked, 0);
    assert_int_equal(reject_batch_add_lost(&b, "w", &two, &err), 0);
    assert_int_equal(reject_log_submit(f.log, (struct reject_turn){0, 0}, true, &b, &err), 0);
    assert_int_equal(b.lost.n, 0);
    assert_int_equal(reject_log_finish(f.log, &err), 0);
    expect_file(&f, "lost.tsv",
                bytes_str("#file\toffset\tfirst_key\tlast_key\treason\tcells\n"
                          "w\t18446744073709551615\t-\t-\tgone\tunknown\n"
                          "x\\ty\t7\t61007a\t\ttorn\\tapart\t0\n"));
    assert_false(there(&f, "reasons.tsv") || there(&f, "rejects.txt") || there(&f, "rejects.cells"));
    assert_string_equal(reject_log_first(f.log), "");
    reject_batch_free(&b);
    end(&f);
}

static void test_nothing_rejected(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    struct reject_batch b = {0};
    begin(&f, "0");
    for (uint64_t seq = 10; seq-- > 0;)
        assert_int_equal(reject_log_submit(f.log, (struct reject_turn){0, seq}, true, &b, &err), 0);
    assert_int_equal(reject_log_finish(f.log, &err), 0);
    assert_int_equal(f.asked, 0); /* no directory for nothing */
    assert_string_equal(reject_log_first(f.log), "");
    assert_false(reject_log_hopeless(f.log));
    end(&f);
}

/* A chunk that never comes holds back those behind it; freeing the log frees them. */
static void test_waiting(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    struct reject_batch b = {0};
    begin(&f, "0");
    for (uint64_t seq = 1; seq < 50; seq++) {
        fill(seq, &b);
        assert_int_equal(reject_log_submit(f.log, (struct reject_turn){0, seq}, true, &b, &err), 0);
    }
    assert_false(there(&f, "rejects.txt"));
    assert_string_equal(reject_log_first(f.log), "");
    reject_batch_free(&b);
    end(&f);
}

static void test_raw_bytes(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    struct reject_batch b = {0};
    begin(&f, "0");
    struct bytes raw = bytes_of("a,\"two\nlines\",\0\xff\r", 17);
    assert_int_equal(reject_batch_add(&b, "-", raw, 3, 44, 0, "why", &err), 0);
    assert_int_equal(reject_batch_add(&b, "-", bytes_of("", 0), 5, 77, 2, "empty", &err), 0);
    assert_int_equal(reject_log_submit(f.log, (struct reject_turn){0, 0}, true, &b, &err), 0);
    expect_file(&f, "rejects.txt", bytes_of("a,\"two\nlines\",\0\xff\r\n\n", 19));
    expect_file(&f, "reasons.tsv", bytes_str("#file\tline\toffset\tcolumn\treason\n-\t3\t44\t0\twhy\n-\t5\t77\t2\tempty\n"));
    reject_batch_free(&b);
    end(&f);
}

/* The first reason is that of the first record, however long its file's name; without a line only the file is named. */
static void test_first(void **state) {
    (void)state;
    char name[901];
    memset(name, 'd', 900);
    name[900] = 0;
    static const size_t lengths[] = {1, 254, 255, 256, 300, 900};
    for (size_t i = 0; i < 2 * countof(lengths); i++) {
        struct fixture f;
        struct err err = {0};
        struct reject_batch b = {0};
        const char *path = name + 900 - lengths[i / 2];
        begin(&f, "0");
        assert_int_equal(reject_batch_add(&b, path, bytes_str("x"), i % 2 ? 7 : 0, 0, 0, "first reason", &err), 0);
        assert_int_equal(reject_batch_add(&b, path, bytes_str("x"), 8, 0, 0, "second", &err), 0);
        assert_int_equal(reject_log_submit(f.log, (struct reject_turn){0, 0}, true, &b, &err), 0);
        assert_int_equal(reject_batch_add(&b, "late", bytes_str("x"), 9, 0, 0, "third", &err), 0);
        assert_int_equal(reject_log_submit(f.log, (struct reject_turn){0, 1}, true, &b, &err), 0);
        const char *got = reject_log_first(f.log);
        const char *want = i % 2 ? ":7: first reason" : ": first reason";
        assert_true(strlen(got) > strlen(want));
        assert_string_equal(got + strlen(got) - strlen(want), want);
        if (lengths[i / 2] < 300) assert_int_equal(strncmp(got, path, strlen(path)), 0);
        reject_batch_free(&b);
        end(&f);
    }
}

static void test_limits(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t rejected, read;
        bool exceeded;
    } cases[] = {
        {"0", 0, 0, false},     {"0", 1, 1000000, true},  {"10", 10, 10, false},          {"10", 11, 1000, true},
        {"0%", 0, 5, false},    {"0%", 1, 1000000, true}, {"0.1%", 1, 1000, false},       {"0.1%", 2, 1000, true},
        {"50%", 1, 2, false},   {"50%", 2, 3, true},      {"100%", 7, 7, false},          {"100%", 0, 0, false},
        {"12.5%", 1, 8, false}, {"12.5%", 2, 8, true},    {"1000000000000", 5, 5, false},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct reject_limit l;
        struct err err = {0};
        assert_int_equal(reject_limit_parse(cases[i].text, &l, &err), 0);
        if (reject_limit_exceeded(&l, cases[i].rejected, cases[i].read) != cases[i].exceeded) fail_msg("case %zu", i);
    }
}

static void test_limits_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",     "x",   "-1",   "-1%", "101%", "1.5",  "5 %", "5%%", "5x",   "%",     "nan",
        "nan%", "inf", "inf%", "1e3", "0x5",  "0x5%", " 5",  "+5",  "1e30", "1e300", "99999999999999999999",
        "-0"};
    for (size_t i = 0; i < countof(bad); i++) {
        struct reject_limit l;
        struct err err = {0};
        if (reject_limit_parse(bad[i], &l, &err) == 0) fail_msg("'%s' is taken", bad[i]);
        assert_int_equal(err.code, ERR_USAGE);
        assert_non_null(strstr(err.text, "a number of records or a percentage"));
    }
}

static void test_hopeless(void **state) {
    (void)state;
    for (int percent = 0; percent < 2; percent++) {
        struct fixture f;
        struct err err = {0};
        struct reject_batch b = {0};
        begin(&f, percent ? "1%" : "1500");
        for (uint64_t n = 1; n <= 2000; n++) {
            reject_batch_add(&b, "in", bytes_str("x"), n, 0, 0, "why", &err);
            assert_int_equal(reject_log_submit(f.log, (struct reject_turn){0, n - 1}, true, &b, &err), 0);
            assert_int_equal(reject_log_hopeless(f.log), !percent && n > 1500);
        }
        reject_batch_free(&b);
        end(&f);
    }
}

static void test_directory_cannot_be_made(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    struct reject_batch b = {0};
    begin(&f, "0");
    int fd = creat(f.dir, 0600); /* a file stands in its place */
    assert_true(fd >= 0);
    close(fd);
    reject_batch_add(&b, "in", bytes_str("x"), 1, 0, 0, "why", &err);
    assert_int_equal(reject_log_submit(f.log, (struct reject_turn){0, 0}, true, &b, &err), -1);
    assert_int_equal(err.code, ERR_OUTPUT);
    reject_batch_free(&b);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_nothing_rejected),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_raw_bytes),
        cmocka_unit_test(test_first),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_limits_refused),
        cmocka_unit_test(test_hopeless),
        cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_directory_cannot_be_made),
    };
    return cmocka_run_group_tests_name("rejects", tests, NULL, NULL);
}
