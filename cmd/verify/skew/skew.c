#include "cmd/verify/skew/skew.h"

#include <stdlib.h>

void skew_result_free(struct skew_result *r) {
    free(r->parts);
    skew_sums_free(&r->sums);
    cell_sample_free(&r->sample);
    *r = (struct skew_result){0};
}

struct skew_part skew_partition(const struct skew_result *r, uint32_t p) {
    struct skew_part sum = {0};
    for (uint32_t f = 0; f < r->families; f++) skew_part_add(&sum, &r->parts[(size_t)f * r->partitions + p]);
    return sum;
}
