/* libFuzzer target: any bytes as an archive of inputs, read from memory. Reading it twice, in chunks of other sizes, must tell
 * the same; what is unpacked keeps to the limits, and temporary files are given back.
 * The first byte chooses the format of the members and the chunk size, the rest is the archive. */
#include "formats/archive/archive_source.h"
#include "fuzz.h"

#include "large_malloc.h"
#include "tests/unit/given_bytes.h"
#include "text_emit.h"

#include "base/outfile.h"
#include "base/unpack.h"

enum { MEMBERS_MAX = 300, UNPACKED_MAX = 4 << 20, WINDOW_BYTES = 1 << 20 };

static int count_cells(struct emit *e, const struct row_part *part, const struct tally *tally, struct err *err) {
    struct text_emit *t = (struct text_emit *)e;
    (void)tally;
    require(part->n_cells > 0 && part->n_cells <= PART_MAX_CELLS);
    return cells_print(&t->text, part, err);
}

/* Everything that is said about content, in *t; 0 or -1. */
static int run(struct text_emit *t, struct bytes content, const char *format, const struct read_opts *o) {
    static const struct emit_ops ops = {
        .record = text_emit_record, .cells = count_cells, .reject = text_emit_reject, .skip = text_emit_skip};
    struct err err = {0}, no_memory = {0};
    struct chunk c = {0};
    struct given_bytes source = {.left = content};
    struct unpack_from from = {.read = given_bytes_read, .arg = &source, .path = "fuzz", .memory_bytes = WINDOW_BYTES};
    struct instream *in = instream_over(&from, &err);
    struct reader *r = in ? format_open_stream(in, format, o, NULL, &err) : NULL;
    int rc = -1;
    *t = (struct text_emit){.base.ops = &ops, .shapes = o->shapes};
    while (r && (rc = r->ops->next(r, &c, &err)) > 0) {
        if (c.origin) require(c.origin->format && !strncmp(c.origin->path, "fuzz!", 5));
        if ((rc = r->ops->parse(r, &c, 1, &t->base, &err))) break;
    }
    if (!rc && r->ops->finish) rc = r->ops->finish(r, &err);
    require((rc == 0) == (err.code == ERR_NONE));
    buf_printf(&t->text, &no_memory, "# skipped %llu, end %d\n", (unsigned long long)t->skipped, rc ? (int)err.code : 0);
    if (r) r->ops->close(r);
    buf_free(&c.data);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    struct shape_set shapes = {0};
    struct text_emit whole, cut;
    struct disk_quota quota = {.limit_bytes = UNPACKED_MAX};
    struct archive_limits limits = {.members = MEMBERS_MAX, .bytes = UNPACKED_MAX};
    static const char *const formats[] = {NULL, "archive", "cells", "csv"};
    const char *format = formats[data[0] & 3];
    struct read_opts o = {.text.columns = "HBASE_ROW_KEY,f:a",
                          .default_ts_ms = 99,
                          .shapes = &shapes,
                          .memory.chunk = 1 << 16,
                          .memory.max_cell = 1 << 20,
                          .memory.max_block = 1 << 20,
                          .memory.unpack = WINDOW_BYTES,
                          .temp_dir = "/tmp",
                          .quota = &quota,
                          .archive.limits = &limits};
    struct bytes content = {data + 1, size - 1};
    int a = run(&whole, content, format, &o);
    o.memory.chunk = 16 + (data[0] >> 2);
    int b = run(&cut, content, format, &o);
    require(a == b && quota.used_bytes == 0);
    require(a || bytes_eq(buf_bytes(&whole.text), buf_bytes(&cut.text)));
    buf_free(&whole.text);
    buf_free(&cut.text);
    shape_set_free(&shapes);
    return 0;
}
