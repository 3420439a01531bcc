/* libFuzzer target: any bytes as the manifest of an export. What is accepted must print, and read back as the same. */
#include "cmd/oceanbase/export_file.h"
#include "fuzz.h"

#include "cmd/oceanbase/export_manifest.h"

#include <stdlib.h>

static void use(const struct export_manifest *m) {
    struct err err = {0};
    struct buf out = {0};
    for (size_t i = 0; i < m->n_files; i++) {
        const struct load_source s = export_load_source(m, &m->files[i], "/x");
        require(m->files[i].partition < m->table.partitioning.count && m->files[i].family < m->table.n_families);
        if (s.table) require(load_sql_put(&out, &m->target, &s, &err) == 0); /* csv, jsonl and cells may have no SQL table */
        export_partition_sums(m, m->files[i].family, m->files[i].partition);
    }
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct export_manifest m, again;
    struct err err = {0};
    if (export_manifest_parse("fuzz", (const char *)data, size, &m, &err)) {
        require(err.code != ERR_NONE);
        return 0;
    }
    use(&m);
    char *text = export_manifest_print(&m, &err), *second;
    require(text != NULL);
    require(export_manifest_parse("again", text, strlen(text), &again, &err) == 0 && again.sealed);
    require((second = export_manifest_print(&again, &err)) && !strcmp(text, second));
    free(text);
    free(second);
    export_manifest_free(&again);
    export_manifest_free(&m);
    return 0;
}
