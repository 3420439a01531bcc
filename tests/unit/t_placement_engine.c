/* Placement of everything that a real OceanBase engine placed: by row, and by cell where the table needs it. */
#include "placement_vectors.h"
#include "table/ddl.h"

struct engine_shape {
    const char *name;
    int rows;
    struct table table;
    struct placement *place;
};

static void load_shape(char *sql, struct engine_shape *s) {
    char where[80], *text, *end;
    struct err err = {0};
    snprintf(where, sizeof where, "-- shape: %s\n", s->name);
    text = strstr(sql, where);
    assert_non_null(text);
    text += strlen(where);
    end = strstr(text, "-- shape:");
    int rc = ddl_parse(s->name, text, end ? (size_t)(end - text) : strlen(text), &s->table, &err);
    if (rc) fail_msg("%s", err.text);
    s->place = place_by(&s->table.partitioning);
}

/* Places a row by cell, and by row where that is enough: both must agree. */
static void place_cell(const struct tsv *t, const struct engine_shape *s, struct buf *key, char got[16]) {
    struct buf qualifier = {0};
    struct bytes row = unhex(t->field[1], key);
    struct cell c = {.qualifier = unhex(t->field[2], &qualifier), .ts_ms = -strtoll(t->field[3], NULL, 10), .type = CELL_PUT};
    uint32_t index = UINT32_MAX;
    enum place_result r = placement_of_cell(s->place, row, &c, &index);
    snprintf(got, 16, "%u", (unsigned)index);
    if (r != PLACE_OK) snprintf(got, 16, r == PLACE_HASH_MIN ? "REJECT" : "NONE");
    char by_row[16];
    if (!placement_splits_rows(s->place)) assert_string_equal(placed(s->place, row, by_row), got);
    struct row_part part = {.row = row, .cells = &c, .n_cells = 1};
    uint32_t n;
    assert_int_equal(placement_run(s->place, &part, 0, &n, &index), r);
    assert_int_equal(n, 1);
    buf_free(&qualifier);
}

static void check_row(const struct tsv *t, const struct engine_shape *s, struct buf *key) {
    char got[16];
    place_cell(t, s, key, got);
    if (!strcmp(t->field[4], "REJECT")) {
        const char *want = strcmp(t->field[5], "error 4016") ? "NONE" : "REJECT";
        if (strcmp(got, want)) fail_msg("line %u: %s, wanted %s", t->line, got, want);
        return;
    }
    bool is_list = s->table.partitioning.kind == PARTITION_LIST; /* the engine orders its partitions: names count */
    if (!is_list && strcmp(got, t->field[4])) fail_msg("%s line %u: %s, wanted %s", s->name, t->line, got, t->field[4]);
    assert_string_equal(s->table.partitioning.names[atoi(got)], t->field[5]);
}

static void engine_vectors(void **state) {
    (void)state;
    struct engine_shape shapes[] = {
        {.name = "key_k_97"},
        {.name = "key_k_64"},
        {.name = "key_k_2"},
        {.name = "key_k_1"},
        {.name = "key_k_1009"},
        {.name = "key_named_5"},
        {.name = "keypfx_substring_1_4_31"},
        {.name = "keypfx_SUBSTR_3_2_193"},
        {.name = "keypfx_substr_m3_16"},
        {.name = "range_k_max"},
        {.name = "range_k_utf8_nomax"},
        {.name = "keypfx_substring_index_dot_23"},
        {.name = "key_k_q_11"},
        {.name = "key_implicit_13"},
        {.name = "range_k_sub_keypfx_5"},
        {.name = "key_k_7_sub_range_g"},
        {.name = "range_g_sub_key_k_3"},
        {.name = "keypfx_4_sub_key_k_3"},
        {.name = "range_g_sub_range_k"},
        {.name = "list_pfx1_default"},
        {.name = "list_pfx1_nodefault"},
    };
    struct err err = {0};
    struct buf key = {0};
    size_t n;
    char *sql = fs_read_text(DIR "partition_engine_shapes.sql", 1 << 20, &n, &err);
    assert_non_null(sql);
    for (size_t i = 0; i < countof(shapes); i++) load_shape(sql, &shapes[i]);
    struct tsv t = tsv_open(DIR "partition_engine.tsv");
    int compared = 0;
    while (tsv_next(&t)) {
        struct engine_shape *s = NULL;
        assert_int_equal(t.n, 6);
        for (size_t i = 0; i < countof(shapes) && !s; i++)
            if (!strcmp(shapes[i].name, t.field[0])) s = &shapes[i];
        assert_non_null(s);
        s->rows++;
        check_row(&t, s, &key);
        compared++;
    }
    for (size_t i = 0; i < countof(shapes); i++) {
        if (shapes[i].rows < 800) fail_msg("%s: only %d rows", shapes[i].name, shapes[i].rows);
        placement_free(shapes[i].place);
        table_free(&shapes[i].table);
    }
    assert_true(compared > 17000);
    buf_free(&key);
    free(t.text);
    free(sql);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
