/* A source with values in place of MOB references: it copies the cells of a part that holds references, together with the values,
 * and passes other parts on as they are. Values come from mob.c. */
#include "base/buf.h"
#include "formats/hbase/mob.h"
#include "select/selector.h"

#include <stdlib.h>

/* Places of a cell's value and tags in `bytes`; bytes moves while it grows. */
struct resolved {
    size_t value_at, tags_at, end;
};

struct mob_source {
    struct source base, *inner;
    struct mob_resolver *m;
    const struct selection *selection;
    struct tally *tally;
    const struct mob_lost_sink *lost; /* NULL: none are lost */
    bool begins;                      /* the next part handed out is the first of its row */
    struct row_part part;             /* of inner */
    uint32_t at;                      /* cells of it that are handed out, or lost */
    struct cell cells[PART_MAX_CELLS];
    struct buf bytes, scratch;
};

static bool has_references(const struct row_part *part) {
    for (uint32_t i = 0; i < part->n_cells; i++)
        if (mob_cell_is_reference(&part->cells[i])) return true;
    return false;
}

/* Replaces a reference by its value. 1; 0: its value is lost, and that is reported; -1. */
static int resolve_cell(struct mob_source *s, const struct cell *c, struct resolved *r, struct err *err) {
    struct err why = {0};
    r->value_at = s->bytes.n;
    if ((s->lost ? mob_value_try : mob_value)(s->m, &s->part, c, &s->bytes, &why)) {
        if (s->lost && why.code == ERR_INPUT && !why.sys) return s->lost->put(s->lost->arg, &s->part, c, &why, err);
        err_keep(err, &why);
        return -1;
    }
    r->tags_at = s->bytes.n;
    if (mob_cell_put_tags(c, &s->bytes, err)) return -1;
    r->end = s->bytes.n;
    return 1;
}

/* Copies cells from s->at on until there are enough bytes; out->n_cells is 0 where all are lost. */
static int make_part(struct mob_source *s, struct row_part *out, struct err *err) {
    struct resolved found[PART_MAX_CELLS];
    bool is_found[PART_MAX_CELLS];
    uint32_t n = 0;
    *out = s->part;
    out->spare = false; /* resolved values have none */
    out->first = s->begins;
    buf_clear(&s->bytes);
    while (s->at < s->part.n_cells && n < PART_MAX_CELLS && s->bytes.n < PART_MAX_BYTES) {
        const struct cell *c = &s->part.cells[s->at++];
        is_found[n] = mob_cell_is_reference(c) && selection_takes(s->selection, &s->part, c);
        int rc = is_found[n] ? resolve_cell(s, c, &found[n], err) : 1;
        if (rc < 0) return -1;
        if (rc) s->cells[n++] = *c;
    }
    if (s->at < s->part.n_cells) out->ends = false;
    if (n) s->begins = false;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_found[i]) continue;
        s->cells[i].value = bytes_of(s->bytes.p + found[i].value_at, found[i].tags_at - found[i].value_at);
        s->cells[i].tags = bytes_of(s->bytes.p + found[i].tags_at, found[i].end - found[i].tags_at);
    }
    out->cells = s->cells;
    out->n_cells = n;
    return 0;
}

static int mob_next(struct source *base, struct row_part *out, struct err *err) {
    struct mob_source *s = (struct mob_source *)base;
    do {
        if (s->at == s->part.n_cells) {
            s->part.n_cells = s->at = 0;
            int rc = source_next(s->inner, &s->part, err);
            if (rc <= 0) return rc;
            if (s->part.first) s->begins = true;
        }
        if (s->at || has_references(&s->part)) {
            if (make_part(s, out, err)) return -1;
        } else {
            *out = s->part;
            out->first = s->begins;
            s->begins = false;
            s->at = s->part.n_cells;
        }
    } while (!out->n_cells);
    return s->tally && digest_part(&s->scratch, out, s->tally, err) ? -1 : 1;
}

static void mob_source_close(struct source *base) {
    struct mob_source *s = (struct mob_source *)base;
    source_close(s->inner);
    buf_free(&s->bytes);
    buf_free(&s->scratch);
    free(s);
}

struct source *mob_source_open(struct source *inner, struct mob_resolver *m, const struct selection *selection,
                               struct tally *tally, const struct mob_lost_sink *lost, struct err *err) {
    static const struct source_ops ops = {.next = mob_next, .close = mob_source_close};
    struct mob_source *s = calloc(1, sizeof *s);
    if (!s) {
        source_close(inner);
        err_nomem(err, sizeof *s, "reading mob files");
        return NULL;
    }
    s->base.ops = &ops;
    s->inner = inner;
    s->m = m;
    s->selection = selection;
    s->tally = tally;
    s->lost = lost;
    return &s->base;
}
