/* Merges HFiles of one column family, older ones first, as a major compaction of HBase with VERSIONS 1 does: merge OUT IN...
 * Each scan gives its cells in order, the merge gives all of them in order, and the writer takes them so. */
#include <sst/scan.h>
#include <sst/writer.h>

#include <stdio.h>

struct input {
    sst_file *file;
    sst_scan *scan;
};

static sst_scan *merge_of(struct input *inputs, size_t n, sst_error *error) {
    sst_merge_options options = {0};
    sst_scan *scans[100], *merge;
    options.size = sizeof options;
    options.rules = SST_RULES_MAJOR;
    options.ties = SST_TIES_BY_SOURCE;
    for (size_t i = 0; i < n; i++) scans[i] = inputs[i].scan;
    merge = sst_merge_open(scans, n, &options, error);
    for (size_t i = 0; i < n; i++) inputs[i].scan = NULL; /* they are the merge's now, also if it failed */
    return merge;
}

static int copy(sst_scan *from, sst_writer *to, sst_error *error) {
    const sst_cell *cell;
    int more;
    while ((more = sst_scan_next(from, &cell, error)) == 1)
        if (sst_writer_put(to, cell, error)) return -1;
    return more ? -1 : sst_writer_finish(to, error); /* 0 is the end, -1 is damage: no file appears then */
}

int main(int argc, char **argv) {
    struct input inputs[100] = {{0}};
    sst_error error;
    size_t n = 0;
    int rc = 0;

    if (argc < 3 || argc > 102) {
        fprintf(stderr, "usage: merge OUT IN... (up to 100)\n");
        return 2;
    }
    for (; rc == 0 && n < (size_t)argc - 2; n++) {
        inputs[n].file = sst_file_open(argv[n + 2], NULL, &error);
        inputs[n].scan = inputs[n].file ? sst_scan_open(inputs[n].file, NULL, &error) : NULL;
        if (!inputs[n].scan) rc = -1;
    }
    sst_scan *merge = rc ? NULL : merge_of(inputs, n, &error);
    sst_writer *writer = merge ? sst_writer_open(argv[1], NULL, &error) : NULL;
    rc = writer ? copy(merge, writer, &error) : -1;
    if (rc)
        fprintf(stderr, "%s\n", error.text);
    else
        printf("%llu cells, %llu superseded, %llu duplicate\n", (unsigned long long)sst_writer_get_written(writer)->cells,
               (unsigned long long)sst_scan_dropped(merge, SST_DROP_SUPERSEDED),
               (unsigned long long)sst_scan_dropped(merge, SST_DROP_DUPLICATE));
    sst_writer_close(writer);
    sst_scan_close(merge); /* with its scans, and before the files */
    for (size_t i = 0; i < n; i++) {
        sst_scan_close(inputs[i].scan);
        sst_file_close(inputs[i].file);
    }
    return rc != 0;
}
