/* The choice that a run has made, as it looks in what the run has written: for comparing the two. Families go by their new names,
 * rows, times and qualifiers stay as they are; what was renamed and masked is so already. */
#include "select/selection_state.h"

/* The name in the output, of a family that is taken. */
static struct bytes name_now(const struct selection *from, struct bytes family) {
    for (size_t i = 0; i < from->n_renames; i++)
        if (bytes_eq(from->renames[i].name, family)) return from->renames[i].now;
    return family;
}

/* The names stay those of `from`'s memory until they are kept. */
static int copy_families(struct selection *s, const struct selection *from, struct err *err) {
    for (size_t i = 0; i < from->n_families; i++) {
        struct bytes name, now = name_now(from, from->families[i].name);
        if (selection_keep(s, now, &name, err)) return -1;
        if (selection_add_families(s, (const char *)name.p, err)) return -1;
    }
    return 0;
}

static int copy_columns(struct selection *s, const struct selection *from, struct err *err) {
    for (size_t i = 0; i < from->n_columns; i++) {
        const struct glob *g = &from->columns[i].qualifier;
        struct buf text = {0};
        struct bytes family = from->columns[i].family;
        int rc = 0;
        if (family.p) {
            family = name_now(from, family);
            rc = buf_put(&text, family.p, family.n, err) || buf_put_byte(&text, ':', err);
        }
        for (size_t k = 0; !rc && k < g->n; k++)
            rc = g->kinds[k] == GLOB_BYTE ? buf_printf(&text, err, "\\x%02x", g->bytes[k])
                                          : buf_put_byte(&text, g->kinds[k] == GLOB_ANY_BYTE ? '?' : '*', err);
        if (!rc) rc = buf_put_byte(&text, 0, err);
        if (!rc) rc = selection_add_qualifiers(s, (const char *)text.p, err);
        buf_free(&text);
        if (rc) return -1;
    }
    return 0;
}

static int copy_rows(struct selection *s, const struct selection *from, struct err *err) {
    for (size_t i = 0; i < from->ranges.n; i++) {
        struct row_range r = from->ranges.x[i], kept = {0};
        if (r.start.p && selection_keep(s, r.start, &kept.start, err)) return -1;
        if (r.stop.p && selection_keep(s, r.stop, &kept.stop, err)) return -1;
        if (range_list_add(&s->ranges, kept, err)) return -1;
    }
    return 0;
}

struct selection *selection_of_result(const struct selection *from, struct err *err) {
    struct selection *s = selection_new(err);
    int rc = s ? copy_families(s, from, err) || copy_columns(s, from, err) || copy_rows(s, from, err) : -1;
    if (!rc) {
        s->times = from->times;
        s->from_ms = from->from_ms;
        s->to_ms = from->to_ms;
        s->sampled = from->sampled;
        s->sample_below = from->sample_below;
        return s;
    }
    selection_free(s);
    return NULL;
}
