/* libFuzzer target: any bytes as a bounds file (plain, or a dump of the catalogue), and as RANGE bounds to search in. */
#include "fuzz.h"

#include "table/placement.h"
#include "table/bounds.h"

/* The search against a walk. */
static void place(const struct partitioning *p, struct bytes key) {
    struct err err = {0};
    struct placement *pl = placement_new(p, &err);
    require(pl != NULL);
    uint32_t index = 0, want = 0;
    while (want < p->count && p->bounds[want].p && bytes_cmp(p->bounds[want], key) <= 0) want++;
    enum place_result r = placement_of(pl, key, &index);
    require(r == (want == p->count ? PLACE_NO_PARTITION : PLACE_OK));
    require(r != PLACE_OK || index == want);
    placement_client_differs(pl, key);
    placement_free(pl);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct partitioning p;
    struct err err = {0};
    bool is_dump;
    if (bound_file_parse("fuzz", bytes_of(data, size), &p, &is_dump, &err)) {
        require(err.code != ERR_NONE && p.count == 0);
        return 0;
    }
    for (uint32_t i = 0; i < p.count && i < 50; i++)
        if (p.bounds[i].p) place(&p, p.bounds[i]);
    place(&p, bytes_of(data, size < 40 ? size : 40));
    place(&p, bytes_of(data + size / 2, size / 2 < 9 ? size / 2 : 9));
    partitioning_free(&p);
    return 0;
}
