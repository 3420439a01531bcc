/* Writes an HFile of numbered rows, compressed by two threads: write FILE ROWS.
 * Cells come in order; the file exists under its name only after sst_writer_finish. */
#include <sst/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sst_bytes text(const char *s) {
    sst_bytes b = {(const uint8_t *)s, strlen(s)};
    return b;
}

/* Rows have numbers of eight digits, so that their order as bytes is that of the numbers. */
static int put_row(sst_writer *writer, long number, sst_error *error) {
    char row[32], value[32];
    sst_cell cell = {0};
    snprintf(row, sizeof row, "row-%08ld", number);
    snprintf(value, sizeof value, "%ld squared is %ld", number, number * number);
    cell.size = sizeof cell;
    cell.row = text(row);
    cell.family = text("f");
    cell.qualifier = text("square");
    cell.value = text(value);
    cell.timestamp = 1700000000000;
    cell.type = SST_PUT;
    return sst_writer_put(writer, &cell, error);
}

int main(int argc, char **argv) {
    sst_error error;
    sst_writer_options options = {0};
    int rc = -1;

    if (argc != 3) {
        fprintf(stderr, "usage: write FILE ROWS\n");
        return 2;
    }
    options.size = sizeof options;
    options.codec = "ZSTD";
    options.encoding = "FAST_DIFF";
    options.threads = 2;

    sst_writer *writer = sst_writer_open(argv[1], &options, &error);
    if (writer) {
        rc = 0;
        for (long i = 0; i < atol(argv[2]) && rc == 0; i++) rc = put_row(writer, i, &error);
        if (rc == 0) rc = sst_writer_finish(writer, &error);
    }
    if (rc == 0) printf("%llu cells\n", (unsigned long long)sst_writer_get_written(writer)->cells);
    if (rc < 0) fprintf(stderr, "%s\n", error.text);
    sst_writer_close(writer);
    return rc < 0;
}
