/* Write-ahead logs that HBase wrote (tests/data/wals): cut at each byte they give the whole entries before the cut, or an error
 * that names it; wrong bytes end in an error or in cells, never in anything else; dictionaries drop entries as HBase does;
 * what is refused is refused by name. */
#include "base/fs.h"
#include "base/wire.h"
#include "formats/wal/wal_run.h"
#include "recorder.h"
#include "tests/unit/sampled.h"

static const char *const logs[] = {"plain2", "dict2", "gz2", "snappy2", "lz42"};

static char *load(const char *name, size_t *n) {
    struct err err = {0};
    char *path = fs_printf(&err, "tests/data/wals/%s.log", name);
    char *text = fs_read_text(path, 1 << 20, n, &err);
    if (!text) fail_msg("%s", err.text);
    free(path);
    return text;
}

struct lost_note {
    struct recorder rec;
    uint64_t lost, offset;
};

static int note_lost(struct emit *e, const struct lost *lost, struct err *err) {
    struct lost_note *n = (struct lost_note *)e;
    (void)err;
    assert_true(lost->reason[0] && lost->cells == LOST_UNKNOWN);
    n->lost++;
    n->offset = lost->offset;
    return 0;
}

static void note_cells(struct emit *e, uint64_t cells) {
    (void)e;
    assert_true(cells == LOST_UNKNOWN);
}

/* Reads content as table t1 of a run; what was seen is in *n and *run. */
static int read_log(struct bytes content, size_t chunk, enum on_damage damage, struct lost_note *n, struct wal_run *run,
                    struct err *err) {
    static const struct emit_ops ops = {
        .cells = recorder_cells, .reject = recorder_reject, .skip = recorder_skip, .lost = note_lost, .lost_cells = note_cells};
    struct read_opts o = {.memory = {.chunk = chunk, .max_block = 1 << 20}, .on_damage = damage, .wal = run};
    *n = (struct lost_note){.rec.base.ops = &ops};
    wal_run_init(run);
    run->table = "t1";
    return recorder_run(&n->rec, "wal", content, &o, err);
}

static void end_log(struct lost_note *n, struct wal_run *run) {
    buf_free(&n->rec.text);
    wal_run_free(run);
}

/* ---- cuts ---- */

/* Expects that, with damage skipped, a cut log gives the beginning of what the whole gives. */
static void expect_prefix(struct bytes whole, struct bytes cut, bool lost, uint64_t last) {
    struct err err = {0};
    struct lost_note n;
    struct wal_run run;
    assert_int_equal(read_log(cut, 4096, DAMAGE_SKIPS_BLOCK, &n, &run, &err), 0);
    assert_true(n.rec.text.n <= whole.n && (!n.rec.text.n || !memcmp(n.rec.text.p, whole.p, n.rec.text.n)));
    assert_int_equal(n.lost, lost);
    assert_true(!lost || n.offset <= cut.n);
    assert_true(!lost || n.offset == last);
    end_log(&n, &run);
}

static void cut_everywhere(const char *name, size_t step) {
    size_t bytes;
    char *text = load(name, &bytes);
    struct err err = {0};
    struct lost_note all;
    struct wal_run run;
    assert_int_equal(read_log(bytes_of(text, bytes), 1 << 20, DAMAGE_FAILS, &all, &run, &err), 0);
    assert_true(all.rec.cells > 100 && run.counts.logs == 1 && run.counts.markers[WAL_MARKER_OPEN] > 0);
    wal_run_free(&run);
    uint64_t last = 0, clean = 0, torn = 0;
    for (size_t n = 1; n < bytes; n += step) {
        struct lost_note cut;
        struct err why = {0};
        struct bytes head = {(uint8_t *)text, n};
        int rc = read_log(head, 1 << 20, DAMAGE_FAILS, &cut, &run, &why);
        assert_true(rc ? why.code == ERR_INPUT && strstr(why.text, ": entry at byte ") : why.code == ERR_NONE);
        if (rc) {
            uint64_t at = strtoull(strstr(why.text, ": entry at byte ") + 16, NULL, 10);
            assert_true(at >= last && at < n);
            last = at;
            torn++;
        } else {
            assert_int_equal(run.counts.unclosed + run.counts.empty, 1);
            assert_true(cut.rec.text.n <= all.rec.text.n &&
                        (!cut.rec.text.n || !memcmp(cut.rec.text.p, all.rec.text.p, cut.rec.text.n)));
            clean++;
        }
        end_log(&cut, &run);
        if (n % 97 < step && n >= 97) expect_prefix(buf_bytes(&all.rec.text), head, rc != 0, last);
    }
    assert_true(clean > 3 && torn > 10 * clean);
    buf_free(&all.rec.text);
    free(text);
}

static void test_cuts(void **state) {
    (void)state;
    /* at every byte of a plain and of a compressed log; the others differ from the latter in their values only */
    for (size_t i = 0; i < countof(logs); i++) cut_everywhere(logs[i], sampled_step(i == 0 || i == 2 ? 1 : 7));
}

/* ---- damage and chunks ---- */

static void test_wrong_bytes(void **state) {
    (void)state;
    uint64_t seed = 88172645463325252;
    for (size_t i = 0; i < countof(logs); i++) {
        size_t bytes;
        char *text = load(logs[i], &bytes);
        for (size_t round = 0; round < sampled_rounds(300); round++) {
            struct lost_note n;
            struct wal_run run;
            struct err err = {0};
            size_t at = test_random(&seed) % bytes;
            char was = text[at];
            text[at] = (char)test_random(&seed);
            int rc = read_log(bytes_of(text, bytes), 4096, round % 2 ? DAMAGE_FAILS : DAMAGE_SKIPS_BLOCK, &n, &run, &err);
            assert_true(rc ? err.code == ERR_INPUT || err.code == ERR_LIMIT || err.code == ERR_UNSUPPORTED : !err.code);
            end_log(&n, &run);
            text[at] = was;
        }
        free(text);
    }
}

static void test_chunks(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 100, 4096, 1 << 20};
    for (size_t i = 0; i < countof(logs); i++) {
        size_t bytes;
        char *text = load(logs[i], &bytes);
        struct lost_note first = {0};
        for (size_t k = 0; k < countof(sizes); k++) {
            struct lost_note n;
            struct wal_run run;
            struct err err = {0};
            assert_int_equal(read_log(bytes_of(text, bytes), sizes[k], DAMAGE_FAILS, &n, &run, &err), 0);
            if (k) assert_true(bytes_eq(buf_bytes(&n.rec.text), buf_bytes(&first.rec.text)));
            if (k) assert_int_equal(n.rec.skipped, first.rec.skipped);
            wal_run_free(&run);
            if (k) buf_free(&n.rec.text);
            if (!k) first = n;
        }
        buf_free(&first.rec.text);
        free(text);
    }
}

/* ---- dictionaries ---- */

static void test_dictionary(void **state) {
    (void)state;
    struct wal_dict d;
    struct err err = {0};
    struct bytes b;
    size_t budget = 1000;
    wal_dict_init(&d, 3);
    assert_false(wal_dict_get(&d, 0, &b));
    const char *const words[] = {"a", "b", "c"};
    for (size_t i = 0; i < countof(words); i++) assert_int_equal(wal_dict_add(&d, bytes_str(words[i]), &budget, &err), 0);
    assert_int_equal(wal_dict_add(&d, bytes_str(""), &budget, &err), 0); /* nothing: no entry */
    assert_true(wal_dict_get(&d, 0, &b) && bytes_eq(b, bytes_str("a")));
    assert_int_equal(wal_dict_add(&d, bytes_str("dd"), &budget, &err), 0); /* b was used least recently: index 1 */
    assert_true(wal_dict_get(&d, 1, &b) && bytes_eq(b, bytes_str("dd")));
    assert_int_equal(wal_dict_add(&d, bytes_str("e"), &budget, &err), 0); /* now c: index 2 */
    assert_true(wal_dict_get(&d, 2, &b) && bytes_eq(b, bytes_str("e")));
    assert_true(wal_dict_get(&d, 0, &b) && bytes_eq(b, bytes_str("a")));
    assert_false(wal_dict_get(&d, 3, &b));
    budget = 1;
    assert_int_equal(wal_dict_add(&d, bytes_str("too long for it"), &budget, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    wal_dict_free(&d);
}

/* ---- what is refused ---- */

static void expect_header(uint32_t field, const char *text, const char *says) {
    struct buf b = {0}, message = {0};
    struct err err = {0};
    struct lost_note n;
    struct wal_run run;
    pbwire_put_bytes(&message, field, bytes_str(text), &err);
    buf_put(&b, "PWAL", 4, &err);
    pbwire_put_varint(&b, message.n, &err);
    buf_put(&b, message.p, message.n, &err);
    int rc = read_log(buf_bytes(&b), 4096, DAMAGE_SKIPS_BLOCK, &n, &run, &err);
    assert_int_equal(rc, says ? -1 : 0);
    assert_true(!says || (err.code == ERR_UNSUPPORTED && strstr(err.text, says)));
    end_log(&n, &run);
    buf_free(&b);
    buf_free(&message);
}

static void test_refused(void **state) {
    (void)state;
    expect_header(2, "a wrapped key", "encrypted");
    expect_header(4, "SecureProtobufLogWriter", "encrypted");
    expect_header(5, "org.apache.hadoop.hbase.regionserver.wal.SecureWALCellCodec", "encrypted");
    expect_header(5, "org.apache.hadoop.hbase.regionserver.wal.IndexedWALEditCodec", "IndexedWALEditCodec");
    expect_header(4, "AsyncProtobufLogWriter", NULL);
}

/* ---- what a base holds ---- */

static void test_base(void **state) {
    (void)state;
    uint64_t low[] = {10, 0}, high[] = {500, 20};
    const char *families[] = {"a", "b"};
    struct wal_base_region regions[] = {{.start = bytes_str(""), .end = bytes_str("k3"), .seq = low},
                                        {.start = bytes_str("k5"), .end = bytes_str(""), .seq = high}};
    const struct wal_base base = {regions, 2, families, 2};
    struct wal_run run;
    wal_run_init(&run);
    size_t at = 0;
    assert_false(wal_run_holds(&run, &at, bytes_str("k0"), bytes_str("a"), 1)); /* without a base */
    run.base = &base;
    assert_true(wal_run_holds(&run, &at, bytes_str("k0"), bytes_str("a"), 10));
    assert_false(wal_run_holds(&run, &at, bytes_str("k0"), bytes_str("a"), 11));
    assert_false(wal_run_holds(&run, &at, bytes_str("k0"), bytes_str("b"), 1));
    assert_false(wal_run_holds(&run, &at, bytes_str("k3"), bytes_str("a"), 1)); /* no region holds the row */
    assert_true(wal_run_holds(&run, &at, bytes_str("k5"), bytes_str("a"), 500));
    assert_true(wal_run_holds(&run, &at, bytes_str("z"), bytes_str("b"), 20));
    assert_false(wal_run_holds(&run, &at, bytes_str("z"), bytes_str("c"), 1));
    assert_true(wal_run_holds(&run, &at, bytes_str("k2"), bytes_str("a"), 3));
    wal_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts),       cmocka_unit_test(test_wrong_bytes), cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_dictionary), cmocka_unit_test(test_refused),     cmocka_unit_test(test_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
