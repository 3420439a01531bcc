/* libFuzzer target: any bytes as a SequenceFile, container, codecs and values. Chunks of any size must lead to the same cells, or
 * to failure in any case; parts are such as the pipeline takes. The first byte chooses the chunk size. */
#include "store_emit.h"

static int read_file(struct text_emit *t, struct bytes content, size_t chunk, enum on_damage on_damage) {
    return store_emit_run(t, "seqfile", content, (struct read_opts){.memory.max_block = 1 << 20}, chunk, on_damage);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    struct bytes content = {data + 1, size - 1};
    size_t small = 1 + data[0] % 80;
    store_emit_by_chunks(read_file, content, small, DAMAGE_FAILS);
    store_emit_by_chunks(read_file, content, small, DAMAGE_SKIPS_BLOCK);
    return 0;
}
