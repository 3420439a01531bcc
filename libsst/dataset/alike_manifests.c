/* Keeps once what manifests of thousands of shards or shares say alike: settings and partitions are most of the text of a small
 * shard, the list of inputs is that of a share. */
#include "dataset/alike_manifests.h"

#include <stdlib.h>
#include <string.h>

bool alike_manifests_inputs(const struct manifest *a, const struct manifest *b) {
    if (a->n_inputs != b->n_inputs) return false;
    for (size_t i = 0; a->inputs != b->inputs && i < a->n_inputs; i++) {
        const struct manifest_input *x = &a->inputs[i], *y = &b->inputs[i];
        if (strcmp(x->path, y->path) || x->file_bytes != y->file_bytes || x->mtime_ns != y->mtime_ns ||
            x->tally.cells != y->tally.cells || !digest_eq(x->tally.digest, y->tally.digest))
            return false;
    }
    return true;
}

/* Returns whether they differ in nothing. Inputs with the same cells may differ in what of a file was read: shards of one
 * file that hold no record have different checksums. */
static bool same_inputs(const struct manifest *a, const struct manifest *b) {
    if (!a->n_inputs || !alike_manifests_inputs(a, b)) return false;
    for (size_t i = 0; i < a->n_inputs; i++) {
        const struct manifest_input *x = &a->inputs[i], *y = &b->inputs[i];
        if (strcmp(x->checksum, y->checksum) || strcmp(x->format ? x->format : "", y->format ? y->format : "") ||
            x->by_stretches != y->by_stretches || x->records != y->records || x->ctime_ns != y->ctime_ns ||
            x->earlier != y->earlier)
            return false;
    }
    return true;
}

static bool same_table(const struct manifest *a, const struct manifest *b) {
    const char *x = a->table.ddl, *y = b->table.ddl;
    return json_equal(a->settings, b->settings) && partitioning_eq(&a->table.partitioning, &b->table.partitioning) && !x == !y &&
           (!x || !strcmp(x, y));
}

static void lend_inputs(const struct manifest *first, struct manifest *m) {
    for (size_t i = 0; i < m->n_inputs; i++) free(m->inputs[i].path);
    free(m->inputs);
    m->inputs = first->inputs;
    m->inputs_lent = true;
}

uint64_t alike_manifests_lend(const struct manifest *first, struct manifest *m) {
    enum { HEAD_BYTES = 2 << 10, FILE_BYTES = 384, INPUT_BYTES = 320 };
    struct table *t = &m->table;
    if (m == first || !same_table(first, m)) return UINT64_MAX;
    json_decref(m->settings);
    m->settings = json_incref(first->settings);
    partitioning_free(&t->partitioning);
    free(t->ddl);
    t->partitioning = first->table.partitioning;
    t->ddl = first->table.ddl;
    m->table_lent = true;
    if (same_inputs(first, m)) lend_inputs(first, m);
    return HEAD_BYTES + m->n_files * FILE_BYTES + (m->inputs_lent ? 0 : m->n_inputs * INPUT_BYTES);
}
