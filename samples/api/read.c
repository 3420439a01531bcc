/* Prints the cells of an HFile, of all its rows or of some: read FILE [START-ROW [STOP-ROW]].
 * A scan lends each cell until the next call; it ends with 0, and with -1 and an error where the file is damaged. */
#include <sst/scan.h>

#include <stdio.h>
#include <string.h>

static sst_bytes text(const char *s) {
    sst_bytes b = {(const uint8_t *)s, strlen(s)};
    return b;
}

static void print(sst_bytes b) {
    fwrite(b.data, 1, b.size, stdout);
}

static void print_cell(const sst_cell *cell) {
    print(cell->row);
    putchar('\t');
    print(cell->family);
    putchar(':');
    print(cell->qualifier);
    printf("\t%lld\t%s\t", (long long)cell->timestamp, sst_type_name(cell->type));
    print(cell->value);
    putchar('\n');
}

int main(int argc, char **argv) {
    sst_error error;
    sst_scan_options rows = {0};
    const sst_cell *cell;
    int more = -1;

    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: read FILE [START-ROW [STOP-ROW]]\n");
        return 2;
    }
    rows.size = sizeof rows;
    if (argc > 2) rows.start_row = text(argv[2]);
    if (argc > 3) rows.stop_row = text(argv[3]);

    sst_file *file = sst_file_open(argv[1], NULL, &error);
    sst_scan *scan = file ? sst_scan_open(file, &rows, &error) : NULL;
    if (scan)
        while ((more = sst_scan_next(scan, &cell, &error)) == 1) print_cell(cell);
    if (more < 0) fprintf(stderr, "%s\n", error.text);
    sst_scan_close(scan);
    sst_file_close(file);
    return more < 0;
}
