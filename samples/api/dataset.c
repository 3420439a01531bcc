/* Turns standard input into a dataset of OBKV-HBase: dataset DIR PARTITIONING [MEGABYTES]. A line has a row, a column and a value
 * with a tab after each of the first two: "user1<TAB>info:name<TAB>Anna". PARTITIONING is a word such as key:7, or ddl:FILE.
 * Lines come in any order; `obkv-verify check DIR` accepts the result. */
#include <sst/dataset_writer.h>

#include <stdio.h>
#include <stdlib.h>

static const int64_t now = 1700000000000; /* of all cells: the same input makes the same bytes */

/* 1 = the line is a cell, which borrows from it; 0 = it is not. */
static int cell_of_line(char *line, sst_cell *cell) {
    char *column = strchr(line, '\t'), *value = column ? strchr(column + 1, '\t') : NULL;
    char *qualifier = column ? strchr(column + 1, ':') : NULL;
    if (!value || !qualifier || qualifier > value) return 0;
    memset(cell, 0, sizeof *cell);
    cell->size = sizeof *cell;
    cell->row = sst_bytes_of(line, (size_t)(column - line));
    cell->family = sst_bytes_of(column + 1, (size_t)(qualifier - column - 1));
    cell->qualifier = sst_bytes_of(qualifier + 1, (size_t)(value - qualifier - 1));
    cell->value = sst_bytes_of(value + 1, strcspn(value + 1, "\r\n"));
    cell->timestamp = now;
    cell->type = SST_PUT;
    return 1;
}

static int put_lines(sst_dataset_writer *writer, sst_error *error) {
    static char line[1 << 20];
    sst_cell cell;
    for (unsigned long n = 1; fgets(line, sizeof line, stdin); n++) {
        if (!cell_of_line(line, &cell)) {
            snprintf(error->text, sizeof error->text, "line %lu: expected ROW<TAB>FAMILY:QUALIFIER<TAB>VALUE", n);
            return -1;
        }
        if (sst_dataset_writer_put(writer, &cell, error)) return -1;
    }
    return ferror(stdin) ? -1 : sst_dataset_writer_finish(writer, error);
}

int main(int argc, char **argv) {
    sst_error error = {0};
    sst_dataset_writer_options options = {0};
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: dataset DIR PARTITIONING [MEGABYTES]\n");
        return 2;
    }
    sst_partitioning *partitioning = sst_partitioning_parse(argv[2], &error);
    options.size = sizeof options;
    options.partitioning = partitioning;
    options.memory_bytes = argc == 4 ? (size_t)atol(argv[3]) << 20 : 0;
    options.threads = 2;
    options.now = now;
    options.overwrite = 1;
    sst_dataset_writer *writer = partitioning ? sst_dataset_writer_open(argv[1], &options, &error) : NULL;
    int rc = writer ? put_lines(writer, &error) : -1;
    const sst_dataset_written *written = rc ? NULL : sst_dataset_writer_get_written(writer);
    if (written) printf("%llu cells in %llu files\n", (unsigned long long)written->cells, (unsigned long long)written->files);
    if (rc) fprintf(stderr, "%s\n", error.text);
    sst_dataset_writer_close(writer);
    sst_partitioning_close(partitioning);
    return rc != 0;
}
