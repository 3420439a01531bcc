/* Interned shapes: the fixed column sequences of text inputs. Filled while inputs are opened, read by any thread after. */
#ifndef SORT_SHAPES_H
#define SORT_SHAPES_H

#include "base/err.h"
#include "cell/cell.h"

enum { SHAPES_MAX = 0x7fff }; /* fits the field of a record */

struct shape_set {
    struct shape **shapes;
    uint32_t n;
};

/* Copies names; *id (>= 1) goes into row_part.shape. Equal shapes get equal ids. */
int shape_add(struct shape_set *s, struct bytes family, const struct bytes *qualifiers, uint32_t n, uint32_t *id,
              struct err *err);
static inline const struct shape *shape_get(const struct shape_set *s, uint32_t id) {
    return s->shapes[id - 1];
}
void shape_set_free(struct shape_set *s);

#endif
