/* Where row parts come from and go to. A stage that wraps a source owns it: closing the outermost closes all.
 * End of data and failure are different returns; nothing but 1 and 0 is success. */
#ifndef CELL_SOURCE_H
#define CELL_SOURCE_H

#include "base/err.h"
#include "cell/cell.h"

struct source;
struct source_ops {
    /* 1 = *part filled (valid until the next call), 0 = end, -1 = error. Rows ascend; parts do not overlap. */
    int (*next)(struct source *, struct row_part *part, struct err *);
    void (*close)(struct source *); /* never fails, frees the source */
};
struct source {
    const struct source_ops *ops;
};

static inline int source_next(struct source *s, struct row_part *part, struct err *err) {
    return s->ops->next(s, part, err);
}
static inline void source_close(struct source *s) {
    if (s) s->ops->close(s);
}

#endif
