/* libFuzzer target: any bytes as DDL. What is accepted must also survive copy, comparison, description and placement, and
 * its normalised text must mean the same table. */
#include "fuzz.h"

#include "table/ddl.h"
#include "table/placement.h"
#include "table/table.h"

static void use_table(struct table *t, struct bytes key) {
    struct err err = {0};
    struct partitioning copy;
    struct buf text = {0};
    require(t->n_families > 0 && t->name && t->ddl && t->partitioning.count > 0);
    require(partitioning_copy(&t->partitioning, &copy, &err) == 0);
    require(partitioning_eq(&t->partitioning, &copy));
    require(partitioning_describe(&copy, &text, &err) == 0 && text.n > 0);
    struct placement *p = placement_new(&copy, &err);
    if (!p) { /* KEY over several columns, or LIST, with K binary(N) */
        require(err.code == ERR_USAGE && strstr(err.text, "binary("));
        partitioning_free(&copy);
        buf_free(&text);
        return;
    }
    uint32_t index = 0;
    struct cell cell = {.qualifier = key, .ts_ms = (int64_t)(key.n << 33), .type = CELL_PUT};
    if (placement_of(p, key, &index) == PLACE_OK) require(index < copy.count && !placement_splits_rows(p));
    if (placement_of_cell(p, key, &cell, &index) == PLACE_OK) require(index < copy.count);
    placement_client_differs(p, key);
    placement_free(p);
    partitioning_free(&copy);
    buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct table t, again;
    struct err err = {0};
    if (ddl_parse("fuzz", (const char *)data, size, &t, &err)) {
        require(err.code != ERR_NONE && err.text[0]);
        return 0;
    }
    use_table(&t, bytes_of(data, size < 300 ? size : 300));
    struct err second = {0};
    require(ddl_parse("again", t.ddl, strlen(t.ddl), &again, &second) == 0);
    require(partitioning_eq(&t.partitioning, &again.partitioning) && !strcmp(t.ddl, again.ddl));
    table_free(&again);
    table_free(&t);
    return 0;
}
