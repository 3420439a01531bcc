#include <sst/scan.h>
#include <stdio.h>

int main(int argc, char **argv) {
    sst_error error;
    const sst_cell *c;
    sst_file *file = argc == 2 ? sst_file_open(argv[1], NULL, &error) : NULL;
    sst_scan *scan = file ? sst_scan_open(file, NULL, &error) : NULL;
    int more = -1;
    while (scan && (more = sst_scan_next(scan, &c, &error)) == 1) {
        fwrite(c->row.data, 1, c->row.size, stdout);
        printf("\t%lld\t%s\t", (long long)c->timestamp, sst_type_name(c->type));
        fwrite(c->value.data, 1, c->value.size, stdout);
        putchar('\n');
    }
    sst_scan_close(scan);
    sst_file_close(file);
    return more != 0;
}
