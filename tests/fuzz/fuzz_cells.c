/* libFuzzer target: any bytes as text cells. Chunks of any size must lead to the same records, and what was accepted and
 * printed is accepted again as it is. The first byte chooses the chunk size. */
#include "fuzz.h"

#include "text_emit.h"

/* Copies only the lines of cells of a recording. */
static void cells_only(const struct buf *text, struct buf *out) {
    struct err err = {0};
    for (size_t i = 0, end; i < text->n; i = end) {
        const uint8_t *e = memchr(text->p + i, '\n', text->n - i);
        end = e ? (size_t)(e - text->p) + 1 : text->n;
        if (text->p[i] != '#') require(buf_put(out, text->p + i, end - i, &err) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    struct text_emit whole, again;
    struct buf accepted = {0}, second = {0};
    struct read_opts o = {.default_ts_ms = 99, .memory.chunk = 1 << 20, .memory.max_cell = 1 << 20};
    struct bytes content = {data + 1, size - 1};
    text_emit_by_chunks(&whole, "cells", content, &o, 1 + data[0] % 80);
    cells_only(&whole.text, &accepted);
    text_emit_run(&again, "cells", buf_bytes(&accepted), &o);
    cells_only(&again.text, &second);
    require(bytes_eq(buf_bytes(&accepted), buf_bytes(&second)));
    buf_free(&whole.text);
    buf_free(&again.text);
    buf_free(&accepted);
    buf_free(&second);
    return 0;
}
