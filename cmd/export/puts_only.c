#include "cmd/export/puts_only.h"

#include "table/partitioning.h"

#include <stdlib.h>

struct puts_only {
    struct source base;
    struct source *inner;
    const char *path;
};

static int next(struct source *base, struct row_part *part, struct err *err) {
    struct puts_only *p = (struct puts_only *)base;
    int more = source_next(p->inner, part, err);
    for (uint32_t i = 0; more == 1 && i < part->n_cells; i++) {
        if (part->cells[i].type == CELL_PUT) continue;
        char row[80];
        partitioning_show_bound(part->row, row);
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: a delete marker (%s) in row %s: OceanBase stores none; apply them first, with obkv-compact "
                       "--rules oceanbase",
                       p->path, cell_type_name(part->cells[i].type), row);
    }
    return more;
}

static void close_both(struct source *base) {
    source_close(((struct puts_only *)base)->inner);
    free(base);
}

static const struct source_ops ops = {next, close_both};

struct source *puts_only_open(struct source *inner, const char *path, struct err *err) {
    struct puts_only *p = malloc(sizeof *p);
    if (!p) {
        source_close(inner);
        return err_nomem(err, sizeof *p, "a source"), NULL;
    }
    *p = (struct puts_only){{&ops}, inner, path};
    return &p->base;
}
