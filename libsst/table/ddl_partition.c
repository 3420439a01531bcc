/* PARTITION BY …, with or without SUBPARTITION BY …: a template, a number, or a list in every partition.
 * Levels are read into one clause first and checked as a whole, since a count may precede or follow the list it counts. */
#include "table/ddl_level.h"
#include "table/ddl_parser.h"

/* The clause while it is read. While there are two levels, d->t->partitioning.levels holds both kinds. */
struct clause {
    struct partitioning upper, below; /* below: the kind of subpartitions, and the template when there is one */
    bool has_below, has_text;
    uint64_t declared, declared_below;
};

static int take_count(struct ddl *d, uint64_t *out, const char *what) {
    uint32_t line = d->tok.line;
    if (*out) return ddl_fail(d, line, "%s is given twice", what);
    if (ddl_take_number(d, PARTITIONS_MAX, out, "the number of partitions")) return -1;
    return *out ? 0 : ddl_fail(d, line, "%s 0", what);
}

static int take_subpartition(struct ddl *d, struct clause *c) {
    uint32_t line = d->tok.line;
    if (ddl_accept(d, "by")) {
        if (c->has_below) return ddl_fail(d, line, "SUBPARTITION BY appears twice");
        c->has_below = true;
        return ddl_level(d, &c->below);
    }
    if (!c->has_below || ddl_expect(d, "template")) return ddl_unexpected(d, "BY after SUBPARTITION");
    struct ddl_list_opts o = {.word = "subpartition", .level = &c->below};
    if (c->below.count) return ddl_fail(d, line, "SUBPARTITION TEMPLATE appears twice");
    int rc = ddl_level_list(d, &o);
    c->has_text = c->has_text || o.has_text;
    return rc;
}

/* Takes the clauses that may be between the method and the list of partitions. */
static int take_modifiers(struct ddl *d, struct clause *c) {
    while (!ddl_refuse_shapes(d)) {
        int rc;
        if (ddl_accept(d, "partitions"))
            rc = take_count(d, &c->declared, "PARTITIONS");
        else if (ddl_accept(d, "subpartitions"))
            rc = take_count(d, &c->declared_below, "SUBPARTITIONS");
        else if (ddl_accept(d, "subpartition"))
            rc = take_subpartition(d, c);
        else
            return 0;
        if (rc) return -1;
    }
    return -1;
}

/* ---- lists of subpartitions in partitions ---- */

static struct partitioning *new_level(struct ddl *d) {
    struct partitioning *p = &d->t->partitioning;
    if (grow_array(&p->levels, p->n_levels, sizeof *p->levels, "partitions", d->err)) return NULL;
    p->levels[p->n_levels] = (struct partitioning){0};
    return &p->levels[p->n_levels++];
}

/* Takes what follows a partition: its own subpartitions, or none if there is a template. levels[0] is not filled yet. */
static int take_below(struct ddl *d, bool *has_text) {
    if (!ddl_at_punct(d, '(')) return 0;
    struct partitioning *level = new_level(d), *kind = &d->t->partitioning.levels[0];
    if (!level) return -1;
    *level = (struct partitioning){.kind = kind->kind, .by = kind->by, .k_pad = kind->k_pad, .prefix = kind->prefix};
    struct ddl_list_opts o = {.word = "subpartition", .level = level};
    int rc = ddl_level_list(d, &o);
    *has_text = *has_text || o.has_text;
    return rc;
}

static int add_unnamed(struct ddl *d, struct partitioning *level, uint64_t n) {
    for (uint64_t i = level->count; i < n; i++)
        if (partitioning_add(level, NULL, NULL, d->err)) return -1;
    return 0;
}

/* The list of partitions. take_below learns from levels[0] which kind the subpartitions are. */
static int take_list(struct ddl *d, struct clause *c) {
    struct ddl_list_opts o = {.word = "partition", .level = &c->upper, .below = c->has_below ? take_below : NULL};
    if (c->has_below) {
        struct partitioning *first = new_level(d);
        if (!first) return -1;
        *first =
            (struct partitioning){.kind = c->below.kind, .by = c->below.by, .k_pad = c->below.k_pad, .prefix = c->below.prefix};
    }
    if (!ddl_at_punct(d, '(')) return 0;
    int rc = ddl_level_list(d, &o);
    c->has_text = c->has_text || o.has_text;
    return rc;
}

/* Partitions without a list are numbered, KEY only. */
static int complete_level(struct ddl *d, struct partitioning *level, uint64_t declared, uint32_t line, const char *what) {
    if (level->count == 0 && level->kind != PARTITION_KEY)
        return ddl_fail(d, line, "%s without a list of %s", level->kind == PARTITION_RANGE ? "RANGE" : "LIST", what);
    if (level->count && declared && declared != level->count)
        return ddl_fail(d, line, "%s %llu, but %u are listed", what, (unsigned long long)declared, (unsigned)level->count);
    return add_unnamed(d, level, level->count ? level->count : declared ? declared : 1);
}

static int join_levels(struct ddl *d, struct clause *c, uint32_t line) {
    struct partitioning *p = &d->t->partitioning;
    uint32_t given = p->n_levels - 1; /* lists in partitions */
    p->kind = PARTITION_TWO_LEVEL;
    if (given && (c->below.count || c->declared_below || given != c->upper.count))
        return ddl_fail(d, line, "subpartitions: a template, a number, or a list in every partition");
    if (!given) {
        struct partitioning *level = complete_level(d, &c->below, c->declared_below, line, "SUBPARTITIONS") ? NULL : new_level(d);
        if (!level) return -1;
        *level = c->below;
        c->below = (struct partitioning){0};
        p->is_template = true;
    }
    p->levels[0] = c->upper;
    c->upper = (struct partitioning){0};
    struct err bad = {0};
    return partitioning_join(p, &bad) ? ddl_fail_as(d, line, &bad) : 0;
}

static int put_together(struct ddl *d, struct clause *c, uint32_t line) {
    struct partitioning *p = &d->t->partitioning;
    if (complete_level(d, &c->upper, c->declared, line, "PARTITIONS")) return -1;
    if (c->has_below) return join_levels(d, c, line);
    if (c->declared_below) return ddl_fail(d, line, "SUBPARTITIONS without SUBPARTITION BY");
    *p = c->upper;
    c->upper = (struct partitioning){0};
    return 0;
}

static int warn_bounds(struct ddl *d, uint32_t line, bool has_text) {
    const struct partitioning *p = &d->t->partitioning;
    uint32_t bad = partitioning_count_not_utf8(p);
    if (bad && ddl_warn(d, WARN_BOUNDS_NOT_UTF8, line,
                        "%u bound%s not valid UTF-8, which OceanBase refuses in CREATE TABLE (error 1366)", bad,
                        bad == 1 ? " is" : "s are"))
        return -1;
    if (has_text && d->t->is_printed &&
        ddl_warn(d, WARN_BOUNDS_PRINTED, line,
                 "the bounds come from the output of SHOW CREATE TABLE, which loses all bytes of a bound after a NUL; "
                 "compare them with b_high_bound_val, or give that with --partition range:FILE"))
        return -1;
    if (!partitioning_client_differs(p)) return 0;
    return ddl_warn(d, WARN_CLIENT_ORDER, line,
                    "a bound has a byte >= 0x80: Java clients in direct mode compare signed bytes, so they read other "
                    "partitions");
}

static int check_partitioning(struct ddl *d, uint32_t line) {
    struct err bad = {0};
    return partitioning_check(&d->t->partitioning, &bad) ? ddl_fail_as(d, line, &bad) : 0;
}

int ddl_partition(struct ddl *d) {
    struct clause c = {0};
    uint32_t line = d->tok.line;
    int rc = ddl_level(d, &c.upper) || take_modifiers(d, &c) || take_list(d, &c) || put_together(d, &c, line) ? -1 : 0;
    if (!rc) rc = check_partitioning(d, line) || warn_bounds(d, line, c.has_text) ? -1 : 0;
    partitioning_free(&c.upper);
    partitioning_free(&c.below);
    return rc;
}
