/* Reads an HFile through callbacks, as one would from HDFS or S3, and prints its number of cells and their digest: read_callbacks
 * FILE. Here the callbacks read a stdio stream; the library calls them from the thread that scans. */
#include <sst/scan.h>

#include <stdio.h>

static int64_t stream_size(void *context) {
    return fseek(context, 0, SEEK_END) ? -1 : ftell(context);
}

static int64_t stream_pread(void *context, void *buffer, size_t n, uint64_t offset) {
    if (fseek(context, (long)offset, SEEK_SET)) return -1;
    n = fread(buffer, 1, n, context);
    return ferror((FILE *)context) ? -1 : (int64_t)n;
}

static void stream_close(void *context) {
    fclose(context);
}

int main(int argc, char **argv) {
    const sst_read_ops ops = {sizeof ops, stream_size, stream_pread, stream_close};
    FILE *stream = argc == 2 ? fopen(argv[1], "rb") : NULL;
    sst_error error;
    sst_digest digest;
    uint64_t cells;
    char hex[SST_DIGEST_TEXT];
    int rc = -1;

    if (!stream) {
        fprintf(stderr, "usage: read_callbacks FILE\n");
        return 2;
    }
    sst_file *file = sst_file_open_callbacks(&ops, stream, argv[1], NULL, &error);
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
