/* libFuzzer target: any text as the notation of --partition. What stands behind range: and ddl: is put into a file. What is
 * accepted must survive copy, description and placement, and as a CREATE TABLE it must mean the same again. */
#include "cmd/oceanbase/create_partitions.h"
#include "fuzz.h"

#include "table/ddl.h"
#include "table/placement.h"
#include "table/partitioning.h"
#include "table/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int parse_text(const char *spec, struct partitioning *p, struct err *err) {
    struct buf warnings = {0};
    int rc = partitioning_parse(spec, p, &warnings, err);
    buf_free(&warnings);
    return rc;
}

static int parse_file(const char *word, struct bytes text, struct partitioning *p, struct err *err) {
    char spec[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n);
    snprintf(spec, sizeof spec, "%s/proc/self/fd/%d", word, fd);
    int rc = parse_text(spec, p, err);
    close(fd);
    return rc;
}

static void as_table(const struct partitioning *p) {
    struct buf sql = {0};
    struct err err = {0};
    struct table t;
    int rc = buf_printf(&sql, &err,
                        "CREATE TABLE `t$f` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, "
                        "V longblob NOT NULL,\n") ||
             create_partitions_put_columns(&sql, p, 1024, &err) || buf_printf(&sql, &err, "PRIMARY KEY (K, Q, T))") ||
             create_partitions_put(&sql, p, &err);
    if (rc) { /* two prefixes, bounds that are no UTF-8, K binary(N) */
        require(err.code == ERR_USAGE || err.code == ERR_UNSUPPORTED);
    } else {
        require(ddl_parse("again", (char *)sql.p, sql.n, &t, &err) == 0);
        require(partitioning_eq(p, &t.partitioning));
        table_free(&t);
    }
    buf_free(&sql);
}

static void use(const struct partitioning *p, struct bytes key) {
    struct err err = {0};
    struct partitioning copy;
    struct buf text = {0};
    require(p->count >= 1 && p->count <= PARTITIONS_MAX);
    require(partitioning_copy(p, &copy, &err) == 0 && partitioning_eq(p, &copy));
    require(partitioning_describe(&copy, &text, &err) == 0 && text.n > 0);
    struct placement *place = placement_new(&copy, &err);
    struct cell cell = {.qualifier = key, .ts_ms = (int64_t)(key.n << 33), .type = CELL_PUT};
    uint32_t index = 0;
    require(place || err.code == ERR_USAGE); /* KEY over several columns, or LIST, with K binary(N) */
    if (place && placement_of_cell(place, key, &cell, &index) == PLACE_OK) require(index < p->count);
    placement_free(place);
    as_table(p);
    partitioning_free(&copy);
    buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct partitioning p;
    struct err err = {0};
    char *spec = malloc(size + 1);
    require(spec != NULL);
    memcpy(spec, data, size);
    spec[size] = 0;
    int rc = !strncmp(spec, "range:", 6) ? parse_file("range:", bytes_of(data + 6, size - 6), &p, &err)
             : !strncmp(spec, "ddl:", 4) ? parse_file("ddl:", bytes_of(data + 4, size - 4), &p, &err)
                                         : parse_text(spec, &p, &err);
    if (rc) require(err.code != ERR_NONE && err.text[0] && !p.count && !p.names);
    if (!rc) use(&p, bytes_of(data, size < 300 ? size : 300));
    if (!rc) partitioning_free(&p);
    free(spec);
    return 0;
}
