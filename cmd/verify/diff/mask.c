#include "cmd/verify/diff/mask.h"

#include "rules/compact.h"
#include "rules/rules.h"

#include <stdlib.h>

struct mask {
    struct source base;
    struct source *inner;
    struct rules *rules;
    bool row_started;
    struct cell kept[PART_MAX_CELLS];
};

static int filter(struct mask *m, const struct row_part *part, uint32_t *kept, struct err *err) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        enum cause why;
        if (rules_judge_of(m->rules, part, c, &why, err)) return -1;
        if (!cell_is_delete(c->type) && cause_verdict(why) != VERDICT_DELETED) m->kept[n++] = *c;
    }
    *kept = n;
    return 0;
}

static int mask_next(struct source *base, struct row_part *part, struct err *err) {
    struct mask *m = (struct mask *)base;
    for (;;) {
        struct row_part in;
        uint32_t n;
        int more = source_next(m->inner, &in, err);
        if (more != 1) return more;
        if (in.first) rules_begin_row(m->rules);
        if (filter(m, &in, &n, err)) return -1;
        if (filtered_part(&in, m->kept, n, &m->row_started, part)) return 1;
    }
}

static void mask_close(struct source *base) {
    struct mask *m = (struct mask *)base;
    source_close(m->inner);
    rules_free(m->rules);
    free(m);
}

static const struct source_ops mask_ops = {mask_next, mask_close};

struct source *mask_open(struct source *inner, const struct family_rules *family, size_t row_bytes, struct err *err) {
    /* No clock: nothing expires, and no marker is kept for a while. */
    const struct rules_env env = {
        .kind = COMPACTION_MAJOR,
        .family = {.versions_given = true, .versions = UINT32_MAX, .new_version_behavior = family->new_version_behavior},
        .earliest_put_ms = INT64_MAX,
        .row_bytes = row_bytes};
    struct mask *m = malloc(sizeof *m);
    if (!m) {
        source_close(inner);
        return err_nomem(err, sizeof *m, "delete markers"), NULL;
    }
    memset(m, 0, offsetof(struct mask, kept));
    m->base.ops = &mask_ops;
    m->inner = inner;
    m->rules = rules_new(&env, err);
    if (m->rules) return &m->base;
    mask_close(&m->base);
    return NULL;
}
