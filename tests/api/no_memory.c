/* Every allocation of small runs of the public library fails once: no_memory DIRECTORY. The library says so each time, and
 * leaves no file. */
#define _GNU_SOURCE
#include "made_cells.h"

#include <sst/arrow.h>

#include <dlfcn.h>

static long failing; /* this one fails, counted down; 0: none */

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t each);
extern void *__libc_realloc(void *p, size_t n);

/* OpenMP ends the process when it has no memory (docs/libraries.md). */
static int fails(void *caller) {
    Dl_info from;
    if (!failing || (dladdr(caller, &from) && from.dli_fname && strstr(from.dli_fname, "libgomp"))) return 0;
    return --failing == 0;
}

void *malloc(size_t n) {
    if (!fails(__builtin_return_address(0))) return __libc_malloc(n);
    errno = ENOMEM;
    return NULL;
}

void *calloc(size_t n, size_t each) {
    if (!fails(__builtin_return_address(0))) return __libc_calloc(n, each);
    errno = ENOMEM;
    return NULL;
}

void *realloc(void *p, size_t n) {
    if (!fails(__builtin_return_address(0))) return __libc_realloc(p, n);
    errno = ENOMEM;
    return NULL;
}

static int sort_few(sst_error *error) {
    sst_sorter_options o = {0};
    struct made m;
    const sst_cell *c;
    o.size = sizeof o;
    o.memory_bytes = 64 << 20;
    sst_sorter *s = sst_sorter_open(&o, error);
    int rc = s ? 0 : -1, more = -1;
    for (uint32_t i = 0; i < FEW && !rc; i++) rc = sst_sorter_put(s, made_cell(&m, i, FEW, "f"), error);
    sst_scan *scan = rc ? NULL : sst_sorter_scan(s, error);
    while (scan && (more = sst_scan_next(scan, &c, error)) == 1) {
    }
    sst_scan_close(scan);
    sst_sorter_close(s);
    return more;
}

static int write_few(sst_error *error) {
    return write_dataset("memory", "key:3", FEW, 64 << 20, 1, NULL, error);
}

static int stream_few(sst_error *error) {
    struct memory m = {NULL, 0, 0, 0, 0};
    sst_write_ops ops = {sizeof ops, keep, end_memory, close_memory};
    m.p = (uint8_t *)malloc(1); /* its own allocations do not count */
    m.broken = 1;
    int rc = put_rows(sst_writer_open_callbacks(&ops, &m, "memory", NULL, error), error);
    int closed = m.closed;
    free(m.p);
    return rc == -1 && error->system == EPIPE && closed == 1 ? 0 : -1;
}

static int read_few(sst_error *error) {
    struct opened o = {"few", NULL, 0, 0};
    sst_dataset_ops ops = {sizeof ops, open_below, count_close};
    sst_digest digest;
    uint64_t cells;
    sst_dataset *d = sst_dataset_open_callbacks(&ops, &o, "elsewhere", error);
    sst_scan *s = d ? sst_dataset_scan(d, NULL, error) : NULL;
    int rc = s ? sst_scan_digest(s, &cells, &digest, error) : -1;
    sst_scan_close(s);
    sst_dataset_close(d);
    return rc;
}

static int batch_few(sst_error *error) {
    sst_arrow_options o = {0};
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    o.size = sizeof o;
    o.batch_cells = 20;
    o.dataset = sst_dataset_open(path_of("few"), error);
    sst_scan *s = o.dataset ? sst_dataset_scan(o.dataset, NULL, error) : NULL;
    if (!s) sst_dataset_close(o.dataset);
    if (!s || sst_scan_to_arrow(s, &o, &stream, error)) return -1;
    int rc = stream.get_schema(&stream, &schema);
    if (!rc) schema.release(&schema);
    while (!rc && !(rc = stream.get_next(&stream, &batch)) && batch.release) batch.release(&batch);
    error->code = rc ? SST_LIMIT : SST_OK;
    snprintf(error->text, sizeof error->text, "%s", rc ? stream.get_last_error(&stream) : "");
    stream.release(&stream);
    return rc;
}

/* Each allocation fails once; in the end none is left to fail. */
static void without_memory(const char *what, int (*run)(sst_error *error), const char *leaves) {
    sst_error error = {0};
    char text_of[200];
    long at = 1, wrong = 0;
    for (int done = 0; !done && at < 100000; at++) {
        memset(&error, 0, sizeof error);
        failing = at;
        int rc = run(&error);
        done = failing != 0; /* it did not come to that one */
        failing = 0;
        if (rc) wrong += done || error.code == SST_OK || !error.text[0] || (leaves && !access(path_of(leaves), F_OK));
        if (!rc && leaves) {
            char command[4300];
            snprintf(command, sizeof command, "rm -rf '%s'", path_of(leaves));
            wrong += system(command) != 0;
        }
    }
    snprintf(text_of, sizeof text_of, "%ld wrong, last: %.150s", wrong, error.text);
    check(!wrong && at > 2, what, text_of);
}

int main(int argc, char **argv) {
    sst_error error = {0};
    if (argc != 2) return 2;
    snprintf(place, sizeof place, "%s", argv[1]);
    check(!write_dataset("few", "key:2", 50, 0, 1, NULL, &error), "few cells", error.text);
    without_memory("sorting without memory", sort_few, NULL);
    without_memory("a dataset without memory", write_few, "memory");
    without_memory("callbacks without memory", stream_few, NULL);
    without_memory("reading through callbacks without memory", read_few, NULL);
    without_memory("batches of Arrow without memory", batch_few, NULL);
    return 0;
}
