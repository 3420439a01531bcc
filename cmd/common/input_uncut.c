/* Undoes a cut, so that one listing shows what each of many shards reads: directories are walked once, and files that are cut are
 * opened once, however many shards there are. */
#include "cmd/common/input_uncut.h"

#include <stdlib.h>
#include <string.h>

/* The shard's inputs are first in the list, before those of earlier and of later shards. */
static int put_back(struct input_list *l, const struct manifest_shard *shard, struct err *err) {
    const uint32_t mine = l->n, before = shard->first;
    struct input *own = calloc((size_t)mine + 1, sizeof *own);
    if (!own) return err_nomem(err, mine * sizeof *own, "the list of inputs");
    memcpy(own, l->inputs, mine * sizeof *own);
    memmove(l->inputs, l->inputs + mine, before * sizeof *l->inputs);
    memcpy(l->inputs + before, own, mine * sizeof *own);
    free(own);
    l->n += l->n_others;
    l->n_others = 0;
    return 0;
}

static void show_all(struct input_store *s) {
    if (!s->listed) return;
    s->files.files = s->listed;
    s->files.n_files = s->as_input.n = s->n_listed;
    s->listed = NULL;
    s->from_row = s->to_row = (struct bytes){0};
}

int input_uncut(struct input_list *l, struct manifest_shard *shard, struct err *err) {
    if (put_back(l, shard, err)) return -1;
    for (uint32_t i = 0; i < l->n; i++) {
        struct input *in = &l->inputs[i];
        in->part = (struct text_part){0};
        in->members = (struct member_part){0};
        in->start_row = in->stop_row = (struct bytes){0};
    }
    for (uint32_t i = 0; i < l->n_stores; i++) show_all(l->stores[i]);
    buf_free(&l->from_row);
    buf_free(&l->to_row);
    json_decref(shard->rows);
    *shard = (struct manifest_shard){0};
    return 0;
}
