/* Prints the partition of each row key: place PARTITIONING < rows, one a line. PARTITIONING is a word such as key:97 or
 * range:FILE. */
#include <sst/partitioning.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    sst_error error;
    char row[32768];
    uint32_t index;

    if (argc != 2) {
        fprintf(stderr, "usage: place PARTITIONING < ROWS\n");
        return 2;
    }
    sst_partitioning *table = sst_partitioning_parse(argv[1], &error);
    if (!table) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("# %s\n", sst_partitioning_text(table));
    while (fgets(row, sizeof row, stdin)) {
        size_t n = strcspn(row, "\n");
        if (sst_partition_of_row(table, row, n, &index, &error) == 0)
            printf("%.*s\t%s\n", (int)n, row, sst_partitioning_name(table, index));
        else
            printf("%.*s\t%s\n", (int)n, row, error.text);
    }
    sst_partitioning_close(table);
    return 0;
}
