/* How new cells without sequence ids are: the next id after those of the inputs before them, in HBase's regions where these are
 * stores; each of its own where NEW_VERSION_BEHAVIOR compares them. Which inputs have to wait for those before them. */
#include "recorder.h"

#include "engine/input_order.h"

static struct store_input_region region_at(const void *arg, size_t i) {
    (void)arg;
    return (struct store_input_region){.start = bytes_str(i ? "m" : "")};
}

static struct store_input_file file_at(const void *arg, size_t i) {
    (void)arg;
    return (struct store_input_file){.region = (uint32_t)i, .facts = {.max_seq = i ? 70 : 30}};
}

static const struct format without = {.name = "none", .seqs = FORMAT_SEQS_NONE}, with = {.name = "all", .seqs = FORMAT_SEQS_ALL};

struct list {
    struct job job;
    struct input inputs[4];
    struct store_input store;
    struct input_order *order;
};

/* A store of two regions, and three inputs that are no HFiles. */
static void begin(struct list *l, bool strict, bool shard) {
    struct err err = {0};
    *l = (struct list){.job = {.memory_bytes = 256 << 20, .threads = 1},
                       .store = {.n_files = 2, .n_regions = 2, .file = file_at, .region = region_at}};
    for (uint32_t i = 0; i < 4; i++) l->inputs[i] = (struct input){.path = "-", .group = i};
    const struct input_order_opts o = {.job = &l->job,
                                       .inputs = l->inputs,
                                       .n_inputs = 4,
                                       .n_groups = 4,
                                       .stores = &l->store,
                                       .n_stores = 1,
                                       .strict = strict,
                                       .is_shard = shard};
    l->order = input_order_new(&o, &err);
    assert_non_null(l->order);
    assert_true(input_order_bytes(&o) > 0);
}

static int open_input(struct list *l, uint32_t i, const struct format *f, struct err *err) {
    const struct read_opts read = {0};
    return input_order_open(l->order, &l->inputs[i], f, &read, err);
}

static void test_by_region(void **state) {
    (void)state;
    struct list l;
    struct err err = {0};
    begin(&l, false, false);
    assert_int_equal(open_input(&l, 1, &without, &err), 0);
    input_order_begin(l.order, 1);
    assert_int_equal(input_order_seq(l.order, 1, bytes_str("a")), 31);
    assert_int_equal(input_order_seq(l.order, 1, bytes_str("lzz")), 31);
    assert_int_equal(input_order_seq(l.order, 1, bytes_str("m")), 71);
    assert_int_equal(input_order_seq(l.order, 1, bytes_str("z")), 71);
    assert_int_equal(input_order_seq(l.order, 0, bytes_str("z")), 0); /* nothing is before the store */
    input_order_free(l.order);
}

/* A log says its ids when it is read: what follows waits for it, and comes after its cells and those of the region. */
static void test_waits(void **state) {
    (void)state;
    struct list l;
    struct err err = {0};
    begin(&l, false, false);
    assert_int_equal(open_input(&l, 1, &with, &err), 0);
    input_order_begin(l.order, 1);
    assert_int_equal(open_input(&l, 2, &without, &err), 1);
    input_order_note(l.order, 1, 50);
    input_order_begin(l.order, 2);
    assert_int_equal(open_input(&l, 2, &without, &err), 0);
    assert_int_equal(input_order_seq(l.order, 1, bytes_str("a")), 0);
    assert_int_equal(input_order_seq(l.order, 2, bytes_str("a")), 51);
    assert_int_equal(input_order_seq(l.order, 2, bytes_str("z")), 71);
    input_order_note(l.order, 1, 90); /* fixed by then */
    assert_int_equal(input_order_seq(l.order, 2, bytes_str("a")), 51);
    input_order_free(l.order);
}

static void test_own_ids(void **state) {
    (void)state;
    struct list l;
    struct err err = {0};
    begin(&l, true, false);
    for (uint32_t i = 1; i < 4; i++) {
        assert_int_equal(open_input(&l, i, &without, &err), 0);
        input_order_begin(l.order, i);
        assert_int_equal(input_order_seq(l.order, i, bytes_str("a")), 31 + i);
    }
    input_order_free(l.order);
    assert_int_equal(input_order_next(INT64_MAX, 3, true), INT64_MAX); /* never beyond */
    assert_int_equal(input_order_next(0, 0, false), 0);
}

static void test_shard(void **state) {
    (void)state;
    struct list l;
    struct err err = {0};
    begin(&l, false, true);
    assert_int_equal(open_input(&l, 1, &without, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    assert_non_null(strstr(err.text, "a shard cannot know how new its cells are"));
    input_order_free(l.order);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_region), cmocka_unit_test(test_waits),
                                       cmocka_unit_test(test_own_ids), cmocka_unit_test(test_shard)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
