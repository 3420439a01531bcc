/* Cells as batches of Arrow through the public interface: arrow DIRECTORY; a line for each thing tried. Batches are read back by
 * the words of the C data interface alone, and are compared with the cells of a scan. */
#include "made_cells.h"

#include <sst/arrow.h>

static sst_scan *scan_of(sst_file *f, sst_error *error) {
    return (sst_scan *)need(sst_scan_open(f, NULL, error), "a scan", error);
}

static sst_bytes at(const struct ArrowArray *column, int64_t i) {
    const int32_t *ends = (const int32_t *)column->buffers[1];
    return sst_bytes_of((const char *)column->buffers[2] + ends[i], (size_t)(ends[i + 1] - ends[i]));
}

static int equal(sst_bytes a, sst_bytes b) {
    return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

/* 1: cell i of a batch of all columns is *c. */
static int is_cell(const struct ArrowArray *batch, int64_t i, const sst_cell *c) {
    struct ArrowArray *const *k = batch->children;
    return equal(at(k[0], i), c->row) && equal(at(k[1], i), c->qualifier) && equal(at(k[3], i), c->value) &&
           equal(at(k[5], i), c->family) && equal(at(k[7], i), c->tags) &&
           ((const int64_t *)k[2]->buffers[1])[i] == c->timestamp && ((const uint8_t *)k[4]->buffers[1])[i] == c->type &&
           ((const uint64_t *)k[6]->buffers[1])[i] == c->sequence;
}

static void all_columns(void) {
    sst_error error;
    sst_file *f = open_name("rows.hfile"), *own = open_name("rows.hfile");
    sst_scan *s = scan_of(f, &error);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    const sst_cell *c;
    sst_arrow_options o = {0};
    int64_t cells = 0, batches = 0, other = 0;
    int rc = 0;
    o.size = sizeof o;
    o.columns = 255;
    o.batch_cells = 1000;
    o.file = own;
    rc = sst_scan_to_arrow(scan_of(own, &error), &o, &stream, &error);
    while (!rc && !(rc = stream.get_next(&stream, &batch)) && batch.release) {
        for (int64_t i = 0; i < batch.length; i++) other += sst_scan_next(s, &c, &error) != 1 || !is_cell(&batch, i, c);
        cells += batch.length;
        batches++;
        batch.release(&batch);
    }
    check(!rc && cells > 1000 && batches > 1 && !other, "batches hold the cells of the file, in order", error.text);
    check(sst_scan_next(s, &c, &error) == 0, "and all of them", error.text);
    check(!stream.get_next(&stream, &batch) && !batch.release, "the end stays the end", "");
    stream.release(&stream);
    check(!stream.release, "a stream closes the file that it owns", "");
    sst_scan_close(s);
    sst_file_close(f);
}

static void schema(void) {
    sst_error error;
    sst_file *f = open_name("rows.hfile");
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch, value;
    sst_arrow_options o = {0};
    o.size = sizeof o;
    o.columns = SST_ARROW_V | SST_ARROW_T;
    int rc = sst_scan_to_arrow(scan_of(f, &error), &o, &stream, &error);
    check(!rc && !stream.get_schema(&stream, &schema) && schema.n_children == 2 && !strcmp(schema.format, "+s") &&
              !strcmp(schema.children[0]->name, "T") && !strcmp(schema.children[0]->format, "l") &&
              !strcmp(schema.children[1]->name, "V") && !strcmp(schema.children[1]->format, "z"),
          "columns in their order, whatever was wanted", error.text);
    schema.release(&schema);
    rc = stream.get_next(&stream, &batch);
    value = *batch.children[1]; /* moved out, as the interface allows */
    batch.children[1]->release = NULL;
    batch.release(&batch);
    stream.release(&stream);
    sst_file_close(f);
    check(!rc && value.length > 0 && at(&value, 0).size > 0, "a column outlives its batch, stream and file", "");
    value.release(&value);
}

static void sorted(void) {
    sst_error error = {0};
    sst_sorter *s = sst_sorter_open(NULL, &error);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    struct made m;
    sst_arrow_options o = {0};
    int rc = s ? 0 : -1;
    o.size = sizeof o;
    o.sorter = s;
    o.batch_bytes = 1; /* a part each */
    for (uint32_t i = 0; i < FEW && !rc; i++) rc = sst_sorter_put(s, made_cell(&m, i, FEW, "f"), &error);
    if (!rc) rc = sst_scan_to_arrow(sst_sorter_scan(s, &error), &o, &stream, &error);
    check(!rc && !stream.get_next(&stream, &batch) && batch.release && is(at(batch.children[0], 0), "r0000000"),
          "sorted cells as batches", error.text);
    batch.release(&batch);
    stream.release(&stream);
}

static void refuses(void) {
    sst_error error;
    sst_file *f = open_name("rows.hfile");
    struct ArrowArrayStream stream;
    sst_arrow_options o = {0};
    o.size = sizeof o;
    o.columns = 256;
    check(sst_scan_to_arrow(scan_of(f, &error), &o, &stream, &error) == -1 && error.code == SST_USAGE && !stream.release &&
              strstr(error.text, "there is no such column"),
          "a column that is not there", error.text);
    o.size = 3;
    check(sst_scan_to_arrow(scan_of(f, &error), &o, &stream, &error) == -1 && error.code == SST_USAGE, "options without a size",
          error.text);
    sst_file_close(f);
}

static void damage(void) {
    sst_error error = {0};
    sst_file *f = open_name("damaged.hfile");
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    int rc = sst_scan_to_arrow(scan_of(f, &error), NULL, &stream, &error), first;
    while (!rc && !(rc = stream.get_next(&stream, &batch)) && batch.release) batch.release(&batch);
    first = rc;
    check(first == EIO && strstr(stream.get_last_error(&stream), "damaged.hfile"), "damage fails, and is named", error.text);
    check(stream.get_next(&stream, &batch) == first && !batch.release, "and fails again", "");
    stream.release(&stream);
    sst_file_close(f);
}

/* Copies rows.hfile with one byte of its middle changed. */
static int make_damaged(void) {
    static char bytes[64 << 20];
    FILE *in = fopen(path_of("rows.hfile"), "rb");
    size_t n = in ? fread(bytes, 1, sizeof bytes, in) : 0;
    if (in) fclose(in);
    FILE *out = n ? fopen(path_of("damaged.hfile"), "wb") : NULL;
    if (!out) return -1;
    bytes[n / 2] ^= 1;
    return fwrite(bytes, 1, n, out) == n && !fclose(out) ? 0 : -1;
}

int main(int argc, char **argv) {
    sst_writer_options o = {0};
    sst_error error = {0};
    sst_digest digest;
    if (argc != 2) return 2;
    snprintf(place, sizeof place, "%s", argv[1]);
    o.size = sizeof o;
    check(!write_rows("rows.hfile", &o, &digest, &error) && !make_damaged(), "files to read", error.text);
    all_columns();
    schema();
    sorted();
    refuses();
    damage();
    return 0;
}
