#include "flow/placement.h"

#include "base/murmur64.h"
#include "flow/place_ops.h"

#include <stdlib.h>

static const struct place_ops *const all[] = {&place_none, &place_key, &place_range};

struct placement *placement_new(const struct partitioning *p, struct err *err) {
    struct placement *pl = calloc(1, sizeof *pl);
    if (!pl) return err_nomem(err, sizeof *pl, "the placement"), NULL;
    pl->spec = p;
    for (size_t i = 0; i < countof(all); i++)
        if (all[i]->kind == p->kind) pl->ops = all[i];
    if (!pl->ops || p->count == 0) {
        err_set(err, ERR_INTERNAL, "no partitioner for kind %d with %u partitions", (int)p->kind, (unsigned)p->count);
        goto fail;
    }
    if (pl->ops->prepare && pl->ops->prepare(pl, err)) goto fail;
    return pl;
fail:
    placement_free(pl);
    return NULL;
}

void placement_free(struct placement *p) {
    if (!p) return;
    if (p->ops && p->ops->release) p->ops->release(p);
    free(p);
}

uint32_t placement_count(const struct placement *p) {
    return p->spec->count;
}

enum place_result placement_of(const struct placement *p, struct bytes row, uint32_t *index) {
    return p->ops->of(p, row, index);
}

const char *placement_why(enum place_result r) {
    switch (r) {
    case PLACE_OK: return "placed";
    case PLACE_HASH_MIN: return "the key's hash is INT64_MIN: OceanBase refuses the row (error 4016)";
    case PLACE_NO_PARTITION: return "the key lies at or above the last RANGE bound: no partition holds it (error 1526)";
    }
    return "unknown";
}

bool placement_is_monotone(const struct placement *p) {
    return p->ops->monotone;
}

bool placement_client_differs(const struct placement *p, struct bytes row) {
    return p->ops->client_differs && p->ops->client_differs(p, row);
}

int64_t placement_key_hash(struct bytes key) {
    return (int64_t)murmur64a(key.p, key.n, 0);
}
