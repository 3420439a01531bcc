/* `LC_ALL=C sort FILE | write_rocksdb OUT`: sorted lines of W1 or W2 to one sorted table, by RocksDB's SstFileWriter with Snappy:
 * what one would write instead of obkv-import. The writer wants keys in strictly ascending order: lines of one row are gathered,
 * and their cells put column by column, newest first. Prints the number of cells, without those that have the key of another. */
#include "peer_cells.h"

#include <rocksdb/c.h>

enum { LINES_MOST = 1 << 16 };

struct table {
    rocksdb_sstfilewriter_t *writer;
    char *texts[LINES_MOST]; /* of the row at hand */
    size_t sizes[LINES_MOST];
    struct peer_line lines[LINES_MOST];
    size_t n;
    uint8_t last[PEER_KEY_MAX];
    size_t last_n;
    unsigned long long cells;
    char *error;
};

static int put_cell(struct table *t, const struct peer_line *line, int column) {
    uint8_t key[PEER_KEY_MAX];
    size_t n = peer_key(line, column, key);
    if (n == t->last_n && memcmp(key, t->last, n) == 0) return 0;
    const struct bytes *v = &line->values[column];
    rocksdb_sstfilewriter_put(t->writer, (const char *)key, n, (const char *)v->p, v->n, &t->error);
    memcpy(t->last, key, n);
    t->last_n = n;
    t->cells++;
    return t->error ? -1 : 0;
}

/* Lines of one row are in ascending order of time, since timestamps have the same number of digits. */
static int put_row(struct table *t) {
    int rc = 0;
    for (int column = 0; column < PEER_VALUES; column++)
        for (size_t i = t->n; i-- > 0 && !rc;) rc = put_cell(t, &t->lines[i], column);
    t->n = 0;
    return rc;
}

static int put_lines(struct table *t) {
    while (getline(&t->texts[t->n], &t->sizes[t->n], stdin) > 0) {
        struct peer_line *line = &t->lines[t->n];
        if (!peer_line_take(t->texts[t->n], line)) return -1;
        if (t->n && !bytes_eq(line->row, t->lines[0].row)) {
            size_t n = t->n;
            if (put_row(t)) return -1;
            char *text = t->texts[0]; /* the new line becomes the first of its row */
            size_t size = t->sizes[0];
            t->texts[0] = t->texts[n];
            t->sizes[0] = t->sizes[n];
            t->texts[n] = text;
            t->sizes[n] = size;
            t->lines[0] = t->lines[n];
        }
        if (++t->n == LINES_MOST) return -1;
    }
    return put_row(t);
}

int main(int argc, char **argv) {
    struct table *t = calloc(1, sizeof *t);
    if (argc != 2 || !t) {
        fprintf(stderr, "usage: write_rocksdb OUT\n");
        return 2;
    }
    rocksdb_options_t *o = rocksdb_options_create();
    rocksdb_envoptions_t *env = rocksdb_envoptions_create();
    rocksdb_options_set_compression(o, rocksdb_snappy_compression);
    rocksdb_block_based_table_options_t *blocks = rocksdb_block_based_options_create();
    rocksdb_block_based_options_set_block_size(blocks, 64 << 10);
    rocksdb_block_based_options_set_filter_policy(blocks, rocksdb_filterpolicy_create_bloom(10));
    rocksdb_options_set_block_based_table_factory(o, blocks);
    t->writer = rocksdb_sstfilewriter_create(env, o);
    rocksdb_sstfilewriter_open(t->writer, argv[1], &t->error);
    int rc = t->error ? -1 : put_lines(t);
    if (!rc) rocksdb_sstfilewriter_finish(t->writer, &t->error);
    if (rc || t->error || ferror(stdin)) {
        fprintf(stderr, "write_rocksdb: %s\n", t->error ? t->error : "malformed line, or too many of one row");
        return 1;
    }
    printf("%llu\n", t->cells);
    return 0;
}
