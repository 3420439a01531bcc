/* Partitionings and datasets through the public interface: tables DATASET DDL-FILE. A line for each thing tried. */
#include "tried.h"

#include <sst/dataset.h>

static void words(void) {
    sst_error error = {0};
    sst_partitioning *p = sst_partitioning_parse("key:97", &error);
    uint32_t index = 1000;
    int rc = sst_partition_of_row(p, "user1", 5, &index, &error);
    int64_t hash = sst_key_hash("user1", 5);
    check(!rc && index == (uint32_t)((hash < 0 ? -hash : hash) % 97), "key:97 goes by the server's hash", error.text);
    check(sst_partitioning_count(p) == 97 && !strcmp(sst_partitioning_name(p, 96), "p96"), "97 partitions have names", "");
    check(!sst_partitioning_name(p, 97) && !sst_partitioning_splits_rows(p), "and no more", sst_partitioning_text(p));
    sst_partitioning_close(p);
    check(!sst_partitioning_parse("key:0", &error) && error.code == SST_USAGE, "key:0 is refused", error.text);
    p = sst_partitioning_parse("key:7:K,Q", &error);
    sst_cell c = put("user1", "q", 1, "");
    check(p && sst_partition_of_row(p, "user1", 5, &index, &error) == -1 && error.code == SST_USAGE, "K,Q wants cells",
          error.text);
    check(p && !sst_partition_of_cell(p, &c, &index, &error) && index < 7, "a cell by K,Q", error.text);
    sst_partitioning_close(p);
}

static void ddl(const char *path) {
    char text[20000];
    sst_error error = {0};
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f) fclose(f);
    sst_partitioning *p = sst_partitioning_from_ddl(text, n, &error);
    check(p && sst_partitioning_count(p) > 1, "a partitioning from DDL", error.text);
    sst_partitioning_close(p);
    check(!sst_partitioning_from_ddl("CREATE TABLE t", 14, &error) && error.code == SST_USAGE, "half a DDL is refused",
          error.text);
}

/* Every cell lies in the partition that it was scanned from. */
static void by_partition(const sst_dataset *d) {
    const sst_dataset_info *i = sst_dataset_get_info(d);
    sst_error error = {0};
    uint64_t cells = 0, misplaced = 0;
    for (uint32_t f = 0; f < i->families; f++)
        for (uint32_t p = 0; p < i->partitions; p++) {
            const sst_cell *c;
            sst_scan *s = sst_dataset_scan_partition(d, f, p, NULL, &error);
            while (s && sst_scan_next(s, &c, &error) == 1) {
                uint32_t at = p;
                cells++;
                misplaced += sst_partition_of_cell(sst_dataset_partitioning(d), c, &at, &error) || at != p ||
                             !is(c->family, sst_dataset_family(d, f));
            }
            sst_scan_close(s);
        }
    check(cells == i->cells && cells && !misplaced, "every cell lies where its partition is", error.text);
}

static void one_row(const sst_dataset *d) {
    const sst_dataset_file *file = sst_dataset_get_file(d, 0);
    sst_scan_options o = {0};
    sst_error error = {0};
    const sst_cell *c;
    uint8_t after[1000];
    o.size = sizeof o;
    o.start_row = file->last_row;
    memcpy(after, file->last_row.data, file->last_row.size);
    after[file->last_row.size] = 0;
    o.stop_row.data = after;
    o.stop_row.size = file->last_row.size + 1;
    sst_scan *s = sst_dataset_scan(d, &o, &error);
    int n = 0, other = 0;
    while (sst_scan_next(s, &c, &error) == 1) {
        n++;
        other += c->row.size != file->last_row.size || memcmp(c->row.data, file->last_row.data, c->row.size) != 0;
    }
    check(n && !other, "one row of a dataset", error.text);
    check(sst_scan_seek(s, "a", 1, &error) == -1 && error.code == SST_USAGE, "a scan of all partitions is not moved", error.text);
    sst_scan_close(s);
}

/* All partitions of the first family as one scan, in order. */
static void in_order(const sst_dataset *d) {
    const sst_dataset_info *i = sst_dataset_get_info(d);
    sst_scan **all = (sst_scan **)calloc(i->partitions, sizeof *all);
    sst_error error = {0};
    const sst_cell *c;
    uint8_t last[1000];
    size_t last_n = 0;
    uint64_t cells = 0, want = 0;
    int falls = 0;
    for (uint32_t p = 0; p < i->partitions; p++) all[p] = sst_dataset_scan_partition(d, 0, p, NULL, &error);
    for (size_t k = 0; k < i->files; k++)
        if (sst_dataset_get_file(d, k)->family == 0) want += sst_dataset_get_file(d, k)->cells;
    sst_scan *s = (sst_scan *)need(sst_merge_open(all, i->partitions, NULL, &error), "merge of partitions", &error);
    while (sst_scan_next(s, &c, &error) == 1) {
        size_t n = c->row.size < last_n ? c->row.size : last_n;
        int order = memcmp(last, c->row.data, n);
        falls += order > 0 || (order == 0 && last_n > c->row.size);
        memcpy(last, c->row.data, c->row.size);
        last_n = c->row.size;
        cells++;
    }
    check(!falls && cells == want && cells, "partitions merge into one order", error.text);
    sst_scan_close(s);
    free(all);
}

int main(int argc, char **argv) {
    sst_error error = {0};
    if (argc != 3) return 2;
    words();
    ddl(argv[2]);
    sst_dataset *d = (sst_dataset *)need(sst_dataset_open(argv[1], &error), "a dataset opens", &error);
    uint64_t cells = 0;
    sst_digest digest = {0, 0};
    sst_scan *s = sst_dataset_scan(d, NULL, &error);
    int rc = sst_scan_digest(s, &cells, &digest, &error);
    const sst_dataset_info *i = sst_dataset_get_info(d);
    check(!rc && cells == i->cells && digest.low == i->digest.low && digest.high == i->digest.high,
          "a scan of all has the digest of the manifest", error.text);
    sst_scan_close(s);
    by_partition(d);
    one_row(d);
    in_order(d);
    sst_dataset_close(d);
    check(!sst_dataset_open("/nonexistent", &error) && error.text[0], "no dataset there", error.text);
    return 0;
}
