#include "rules/kept_part.h"

bool kept_part(const struct row_part *in, const struct cell *kept, uint32_t n, bool *row_started, struct row_part *out) {
    if (in->first) *row_started = false;
    if (!n) return false;
    *out = *in;
    out->cells = kept;
    out->n_cells = n;
    out->first = !*row_started;
    if (n != in->n_cells) out->shape = 0;
    *row_started = true;
    return true;
}
