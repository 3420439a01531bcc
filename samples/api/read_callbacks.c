/* Reads an HFile that lies in memory through callbacks, as one would from HDFS or S3, and prints its number of cells and their
 * digest: read_callbacks FILE. */
#include <sst/scan.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory {
    char *bytes;
    size_t size;
};

static int64_t memory_size(void *context) {
    return (int64_t)((struct memory *)context)->size;
}

static int64_t memory_pread(void *context, void *buffer, size_t n, uint64_t offset) {
    const struct memory *m = context;
    if (offset >= m->size) return 0;
    if (n > m->size - offset) n = m->size - (size_t)offset;
    memcpy(buffer, m->bytes + offset, n);
    return (int64_t)n;
}

static void memory_close(void *context) {
    free(((struct memory *)context)->bytes);
}

static int load(const char *path, struct memory *m) {
    FILE *f = fopen(path, "rb");
    if (!f) return -1;
    fseek(f, 0, SEEK_END);
    m->size = (size_t)ftell(f);
    rewind(f);
    m->bytes = malloc(m->size + 1);
    int rc = m->bytes && fread(m->bytes, 1, m->size, f) == m->size ? 0 : -1;
    fclose(f);
    return rc;
}

int main(int argc, char **argv) {
    const sst_read_ops ops = {sizeof ops, memory_size, memory_pread, memory_close};
    struct memory m;
    sst_error error;
    sst_digest digest;
    uint64_t cells;
    char hex[SST_DIGEST_TEXT];
    int rc = -1;

    if (argc != 2 || load(argv[1], &m)) {
        fprintf(stderr, "usage: read_callbacks FILE\n");
        return 2;
    }
    sst_file *file = sst_file_open_callbacks(&ops, &m, argv[1], NULL, &error);
    sst_scan *scan = file ? sst_scan_open(file, NULL, &error) : NULL;
    if (scan) rc = sst_scan_digest(scan, &cells, &digest, &error);
    if (rc == 0) {
        sst_digest_text(&digest, hex);
        printf("%llu cells, digest %s\n", (unsigned long long)cells, hex);
    } else {
        fprintf(stderr, "%s\n", error.text);
    }
    sst_scan_close(scan);
    sst_file_close(file);
    return rc < 0;
}
