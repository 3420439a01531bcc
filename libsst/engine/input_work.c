/* Estimates how much work a byte of each input is, for progress. Families of a dataset pack differently well, and their files are
 * read one family after the other: by their bytes, reading would seem to be ahead where one packs badly, and late where it packs
 * well.
 *
 * What reading takes follows from the rows of a file more than from anything else, then from its cells and the bytes of its
 * KeyValues. Cells and bytes are in the manifest. How many cells a row of the family has is looked up in the first blocks of one
 * file of each; what cannot be looked up counts as one cell a row. Whatever is wrong here, its reader will say it. */
#include "engine/input_queue.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_scan.h"

#include <string.h>

/* Bytes of KeyValues that take as long as a row or a cell beside them: measured by reading datasets that differ in these. */
enum { ROW_BYTES = 700, CELL_BYTES = 64 };
enum { LOOK_CELLS = 4096, LOOK_BYTES = 4 << 20, BLOCK_LIMIT = 16 << 20 };

struct work_look {
    uint64_t rows, cells;
};

static struct work_look look_at_file(const char *path) {
    struct work_look l = {0};
    struct err none = {0};
    const struct hfile_cell *c;
    struct hfile *h = hfile_open(path, BLOCK_LIMIT, &none);
    struct source *scan = h ? hfile_scan_open(h, &(struct hfile_scan_opts){0}, &none) : NULL;
    for (uint64_t bytes = 0; scan && l.cells < LOOK_CELLS && bytes < LOOK_BYTES; l.cells++) {
        if (hfile_scan_next_cell(scan, &c, &none) != 1) break;
        l.rows += c->first;
        bytes += c->value.n;
    }
    source_close(scan);
    hfile_close(h);
    return l;
}

/* Returns whether both are in one directory, that of a family of a dataset. */
static bool share_family(const struct input *a, const struct input *b) {
    const char *x = strrchr(a->path, '/'), *y = strrchr(b->path, '/');
    return x && y && x - a->path == y - b->path && !memcmp(a->path, b->path, (size_t)(x - a->path));
}

static bool has_many_families(const struct input *inputs, uint32_t n) {
    const struct input *first = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!inputs[i].in_manifest) continue;
        if (first && !share_family(first, &inputs[i])) return true;
        if (!first) first = &inputs[i];
    }
    return false;
}

static double work_of(const struct input *in, const struct work_look *l) {
    double cells = (double)in->manifest_tally.cells, rows = l->cells ? cells * (double)l->rows / (double)l->cells : cells;
    return ROW_BYTES * rows + CELL_BYTES * cells + (double)in->kv_bytes;
}

void input_work_weigh(struct input *inputs, uint32_t n) {
    const bool many = has_many_families(inputs, n);
    const struct input *last = NULL;
    struct work_look seen = {0};
    double work = 0, bytes = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct input *in = &inputs[i];
        in->work = 0;
        if (!many || !in->in_manifest || !in->file_bytes) continue;
        if (!last || !share_family(last, in)) seen = in->part.end ? (struct work_look){0} : look_at_file(in->path);
        last = in;
        in->work = work_of(in, &seen);
        work += in->work;
        bytes += (double)in->file_bytes;
    }
    for (uint32_t i = 0; i < n; i++)
        if (inputs[i].work > 0) inputs[i].work *= bytes / work / (double)inputs[i].file_bytes;
}
