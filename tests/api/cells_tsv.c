/* Prints an HFile's cells as the fixtures of tests/data/hfile have them: cells_tsv path|fd|callbacks FILE. The same file
 * must read alike in all three ways. */
#include <sst/scan.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void hex(sst_bytes b, const char *after) {
    for (size_t i = 0; i < b.size; i++) printf("%02x", b.data[i]);
    printf("%s%s", b.size ? "" : "-", after);
}

static int64_t size_of(void *context) {
    return lseek(*(int *)context, 0, SEEK_END);
}

/* As a remote file would: fewer bytes than asked for, now and then. */
static int64_t read_some(void *context, void *buffer, size_t n, uint64_t offset) {
    return pread(*(int *)context, buffer, n > 1000 ? 1000 : n, (off_t)offset);
}

static void close_it(void *context) {
    close(*(int *)context);
}

static sst_file *open_by(const char *way, const char *path, int *fd, sst_error *error) {
    const sst_read_ops ops = {sizeof ops, size_of, read_some, close_it};
    if (!strcmp(way, "path")) return sst_file_open(path, NULL, error);
    *fd = open(path, O_RDONLY);
    if (!strcmp(way, "fd")) return sst_file_open_fd(*fd, path, NULL, error);
    return sst_file_open_callbacks(&ops, fd, path, NULL, error);
}

int main(int argc, char **argv) {
    sst_error error;
    const sst_cell *c;
    int fd = -1, more = -1;
    if (argc != 3) return 2;
    sst_file *file = open_by(argv[1], argv[2], &fd, &error);
    sst_scan *scan = file ? sst_scan_open(file, NULL, &error) : NULL;
    while (scan && (more = sst_scan_next(scan, &c, &error)) == 1) {
        hex(c->row, "\t");
        hex(c->family, "\t");
        hex(c->qualifier, "\t");
        printf("%lld\t%u\t%llu\t", (long long)c->timestamp, c->type, (unsigned long long)c->sequence);
        hex(c->value, "\t");
        hex(c->tags, "\n");
    }
    if (more) fprintf(stderr, "%s\n", error.text);
    sst_scan_close(scan);
    sst_file_close(file);
    return more != 0;
}
