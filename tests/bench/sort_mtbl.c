/* `sort_mtbl MEMORY_MB TEMPORARY OUT <FILE`: lines of W1 or W2 to one sorted table by mtbl's own external sorter, with Snappy.
 * Cells go in as they come, and equal keys are merged to one. Prints the number of cells that went in. */
#include "peer_cells.h"

#include <mtbl.h>

static void keep_first(void *arg, const uint8_t *key, size_t key_n, const uint8_t *a, size_t a_n, const uint8_t *b, size_t b_n,
                       uint8_t **out, size_t *out_n) {
    (void)arg, (void)key, (void)key_n, (void)b, (void)b_n;
    if (!(*out = malloc(a_n + 1))) return;
    memcpy(*out, a, a_n);
    *out_n = a_n;
}

/* Returns the cells put in; -1: it failed. */
static long long add_lines(struct mtbl_sorter *s) {
    char *text = NULL;
    size_t size = 0;
    long long cells = 0;
    struct peer_line line;
    while (getline(&text, &size, stdin) > 0) {
        uint8_t key[PEER_KEY_MAX];
        if (!peer_line_take(text, &line)) return -1;
        for (int i = 0; i < PEER_VALUES; i++, cells++) {
            size_t n = peer_key(&line, i, key);
            if (mtbl_sorter_add(s, key, n, line.values[i].p, line.values[i].n) != mtbl_res_success) return -1;
        }
    }
    free(text);
    return ferror(stdin) ? -1 : cells;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: sort_mtbl MEMORY_MB TEMPORARY OUT\n");
        return 2;
    }
    struct mtbl_sorter_options *so = mtbl_sorter_options_init();
    struct mtbl_writer_options *wo = mtbl_writer_options_init();
    mtbl_sorter_options_set_max_memory(so, (size_t)strtoull(argv[1], NULL, 10) << 20);
    mtbl_sorter_options_set_temp_dir(so, argv[2]);
    mtbl_sorter_options_set_merge_func(so, keep_first, NULL);
    mtbl_writer_options_set_compression(wo, MTBL_COMPRESSION_SNAPPY);
    mtbl_writer_options_set_block_size(wo, 64 << 10);
    struct mtbl_sorter *sorter = mtbl_sorter_init(so);
    struct mtbl_writer *writer = mtbl_writer_init(argv[3], wo);
    long long cells = sorter && writer ? add_lines(sorter) : -1;
    if (cells < 0 || mtbl_sorter_write(sorter, writer) != mtbl_res_success) {
        fprintf(stderr, "sort_mtbl: failed\n");
        return 1;
    }
    mtbl_writer_destroy(&writer);
    mtbl_sorter_destroy(&sorter);
    printf("%lld\n", cells);
    return 0;
}
