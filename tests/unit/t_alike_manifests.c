/* Manifests that say the same: it is lent to the later ones, and freed once, whatever their order is by then; what differs
 * stays. */
#include "dataset/alike_manifests.h"
#include "flat_cells.h"

#include <stdio.h>

static char *copy(const char *text) {
    char *p = strdup(text);
    assert_non_null(p);
    return p;
}

static void make(struct manifest *m, const char *codec, const char *partition, const char *ddl, uint64_t cells) {
    struct err err = {0};
    const struct bytes name = bytes_str(partition);
    *m = (struct manifest){.settings = json_pack("{s:s}", "codec", codec)};
    assert_int_equal(partitioning_add(&m->table.partitioning, &name, NULL, &err), 0);
    if (ddl) m->table.ddl = copy(ddl);
    m->inputs = calloc(2, sizeof *m->inputs);
    m->inputs[m->n_inputs++] = (struct manifest_input){.path = copy("/in/S1/f/w00000.pack"), .tally = {cells, {1, 2}}};
}

static void test_lend(void **state) {
    (void)state;
    struct manifest m[7];
    make(&m[0], "gz", "p0", "create", 3);
    make(&m[1], "gz", "p0", "create", 3);
    make(&m[2], "gz", "p0", "create", 4);
    make(&m[3], "lz4", "p0", "create", 3);
    make(&m[4], "gz", "p1", "create", 3);
    make(&m[5], "gz", "p0", NULL, 3);
    make(&m[6], "gz", "p0", "create", 3);
    snprintf(m[6].inputs[0].checksum, sizeof m[6].inputs[0].checksum, "%016x", 7); /* of another stretch of the same file */
    assert_true(alike_manifests_lend(&m[0], &m[6]) < UINT64_MAX && m[6].table_lent && !m[6].inputs_lent);
    assert_true(alike_manifests_lend(&m[0], &m[0]) == UINT64_MAX);
    const uint64_t all = alike_manifests_lend(&m[0], &m[1]), other_cells = alike_manifests_lend(&m[0], &m[2]);
    assert_true(all < other_cells && other_cells < 4096);
    assert_true(m[1].table_lent && m[1].inputs_lent && m[1].inputs == m[0].inputs && m[1].settings == m[0].settings);
    assert_true(m[2].table_lent && !m[2].inputs_lent && m[2].inputs[0].tally.cells == 4);
    assert_true(partitioning_eq(&m[0].table.partitioning, &m[1].table.partitioning));
    assert_true(alike_manifests_inputs(&m[0], &m[1]) && !alike_manifests_inputs(&m[0], &m[2]));
    for (size_t i = 3; i < 6; i++) {
        assert_true(alike_manifests_lend(&m[0], &m[i]) == UINT64_MAX);
        assert_false(m[i].table_lent || m[i].inputs_lent);
        assert_true(alike_manifests_inputs(&m[0], &m[i]));
    }
    struct manifest last = m[0]; /* as when they are put in order */
    m[0] = m[5];
    m[5] = last;
    for (size_t i = 0; i < countof(m); i++) manifest_free(&m[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lend)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
