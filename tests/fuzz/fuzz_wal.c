/* libFuzzer target: any bytes as a write-ahead log, with dictionaries and compressed values. Chunks of any size must lead to the
 * same cells, or to failure in any case; parts are such as the pipeline takes. The first byte chooses the chunk size. */
#include "store_emit.h"

#include "formats/wal/wal_run.h"

static int read_log(struct text_emit *t, struct bytes content, size_t chunk, enum on_damage on_damage) {
    struct wal_run all;
    wal_run_init(&all);
    all.passes_bulk_loads = true;
    int rc = store_emit_run(t, "wal", content, (struct read_opts){.memory.max_block = 1 << 18, .wal = &all}, chunk, on_damage);
    wal_run_free(&all);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    struct bytes content = {data + 1, size - 1};
    size_t small = 1 + data[0] % 80;
    store_emit_by_chunks(read_log, content, small, DAMAGE_FAILS);
    store_emit_by_chunks(read_log, content, small, DAMAGE_SKIPS_BLOCK);
    return 0;
}
