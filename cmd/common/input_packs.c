/* A compaction of shards reads members of packs, a share those of its partitions only. Its manifest lists packs instead: all
 * shares list the same, and of 6,400 shards with 997 partitions they list 6,400 inputs, not six million. */
#include "cmd/common/input_packs.h"

#include "base/buf.h"
#include "base/fs.h"
#include "cmd/common/input_watch.h"
#include "engine/input_reader.h"

#include <stdlib.h>
#include <string.h>

int input_packs_add(struct input_list *l, const char *dir, const struct pack_made *p, struct err *err) {
    struct input in = {.path = fs_join(dir, p->path, err), .in_manifest = true, .records = p->tally.cells, .tally = p->tally};
    if (!in.path || input_stat(&in, err) ||
        list_room_take(&l->room, sizeof in + strlen(in.path) + LIST_ROOM_EACH, "the list of input files takes", err) ||
        grow_array(&l->packs, l->n_packs, sizeof *l->packs, "the list of inputs", err)) {
        free((char *)in.path);
        return -1;
    }
    l->packs[l->n_packs++] = in;
    return input_watch_add(&l->watch, in.path, WATCH_DATASET, err);
}

/* Where there are packs, nothing else is among the inputs: shards are of one run. */
uint32_t input_packs_named(const struct input_list *l) {
    return l->n_packs ? l->n_packs : l->n;
}

const struct input *input_packs_name(const struct input_list *l, uint32_t i) {
    return l->n_packs ? &l->packs[i] : &l->inputs[i];
}

void input_packs_free(struct input_list *l) {
    for (uint32_t i = 0; i < l->n_packs; i++) free((char *)l->packs[i].path);
    free(l->packs);
}
