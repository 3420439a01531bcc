/* Makes the clause that divides a table, and the generated columns that it names: K_PREFIX, and G for the time. ddl_parse makes
 * the same partitioning of both again. */
#include "cmd/oceanbase/create_partitions.h"

#include "base/plain.h"
#include "cmd/oceanbase/statements.h"

#include <stdio.h>
#include <string.h>

/* ---- generated columns ---- */

/* The levels, one where there is only one. */
static const struct partitioning *level_of(const struct partitioning *p, uint32_t i) {
    return p->kind == PARTITION_TWO_LEVEL ? &p->levels[i] : p;
}

static uint32_t count_levels(const struct partitioning *p) {
    return p->kind == PARTITION_TWO_LEVEL ? p->n_levels : 1;
}

static bool same_prefix(const struct key_prefix *a, const struct key_prefix *b) {
    return a->pos == b->pos && a->has_len == b->has_len && (!a->has_len || a->len == b->len) &&
           !strcmp(a->delimiter, b->delimiter);
}

/* The prefix that all levels with one share; NULL: none has. */
static int find_prefix(const struct partitioning *p, const struct key_prefix **out, struct err *err) {
    *out = NULL;
    for (uint32_t i = 0; i < count_levels(p); i++) {
        const struct key_prefix *x = &level_of(p, i)->prefix;
        if (!x->on) continue;
        if (*out && !same_prefix(*out, x))
            return err_set(err, ERR_USAGE, "partitions by two different prefixes of K; give --ddl FILE.sql");
        *out = x;
    }
    return 0;
}

static bool has_time(const struct partitioning *p) {
    for (uint32_t i = 0; i < count_levels(p); i++)
        if (level_of(p, i)->by == BY_TIME) return true;
    return false;
}

int create_partitions_put_columns(struct buf *out, const struct partitioning *p, uint32_t k_max, struct err *err) {
    const struct key_prefix *x;
    if (p->k_pad)
        return err_set(err, ERR_USAGE, "a table with K binary(%u) needs its DDL; give --ddl FILE.sql", (unsigned)p->k_pad);
    if (find_prefix(p, &x, err)) return -1;
    if (has_time(p) && buf_printf(out, err, "  G bigint GENERATED ALWAYS AS (ABS(T)),\n")) return -1;
    if (!x) return 0;
    if (buf_printf(out, err, "  K_PREFIX varbinary(%u) GENERATED ALWAYS AS (", (unsigned)k_max)) return -1;
    if (x->delimiter[0]) {
        struct bytes text = bytes_str(x->delimiter);
        bool as_hex = plain_find_control(text) != NULL;
        if (buf_printf(out, err, "substring_index(K, ") ||
            (as_hex ? sql_put_hex(out, text, err) : sql_put_string(out, text, err)))
            return -1;
        return buf_printf(out, err, ", %lld)),\n", (long long)x->pos);
    }
    if (buf_printf(out, err, "substring(K, %lld", (long long)x->pos)) return -1;
    if (x->has_len && buf_printf(out, err, ", %lld", (long long)x->len)) return -1;
    return buf_printf(out, err, ")),\n");
}

/* ---- the clause ---- */

static int put_values(struct buf *out, const struct list_values *l, struct err *err) {
    if (buf_printf(out, err, " VALUES IN (")) return -1;
    for (uint32_t i = 0; i < l->n; i++)
        if ((i && buf_printf(out, err, ", ")) || sql_put_hex(out, l->values[i], err)) return -1;
    return l->is_default && buf_printf(out, err, l->n ? ", DEFAULT" : "DEFAULT") ? -1 : buf_put_byte(out, ')', err);
}

static int put_bound(struct buf *out, const struct partitioning *p, struct bytes bound, struct err *err) {
    if (buf_printf(out, err, " VALUES LESS THAN (")) return -1;
    int rc = !bound.p           ? buf_printf(out, err, "MAXVALUE")
             : p->by == BY_TIME ? buf_printf(out, err, "%lld", (long long)partitioning_take_time(bound))
                                : sql_put_hex(out, bound, err);
    return rc ? -1 : buf_put_byte(out, ')', err);
}

static int put_one(struct buf *out, const char *word, const struct partitioning *p, uint32_t i, struct err *err) {
    if (buf_printf(out, err, "%s ", word) || sql_put_name(out, p->names[i], err)) return -1;
    if (p->kind == PARTITION_RANGE) return put_bound(out, p, p->bounds[i], err);
    return p->kind == PARTITION_LIST ? put_values(out, &p->lists[i], err) : 0;
}

static int put_list(struct buf *out, const char *word, const struct partitioning *p, struct err *err) {
    for (uint32_t i = 0; i < p->count; i++)
        if (buf_printf(out, err, i ? ",\n    " : " (\n    ") || put_one(out, word, p, i, err)) return -1;
    return buf_put_byte(out, ')', err);
}

static bool has_plain_names(const struct partitioning *p) {
    char name[16];
    for (uint32_t i = 0; i < p->count; i++) {
        snprintf(name, sizeof name, "p%u", i);
        if (strcmp(name, p->names[i]) != 0) return false;
    }
    return true;
}

static int put_kind(struct buf *out, const struct partitioning *p, struct err *err) {
    const char *over = p->by == BY_TIME     ? "G"
                       : p->by == BY_COLUMN ? "K, Q"
                       : p->by == BY_CELL   ? "K, Q, T"
                       : p->prefix.on       ? "K_PREFIX"
                                            : "K";
    const char *kind = p->kind == PARTITION_KEY ? "KEY" : p->kind == PARTITION_LIST ? "LIST COLUMNS" : "RANGE COLUMNS";
    return buf_printf(out, err, "%s(%s)", kind, over);
}

static int put_one_level(struct buf *out, const struct partitioning *p, struct err *err) {
    if (put_kind(out, p, err)) return -1;
    if (p->kind == PARTITION_KEY && has_plain_names(p)) return buf_printf(out, err, " PARTITIONS %u", (unsigned)p->count);
    return put_list(out, "PARTITION", p, err);
}

/* Each with subpartitions of its own. */
static int put_named(struct buf *out, const struct partitioning *p, struct err *err) {
    const struct partitioning *upper = &p->levels[0];
    for (uint32_t i = 0; i < upper->count; i++)
        if (buf_printf(out, err, i ? ",\n  " : " (\n  ") || put_one(out, "PARTITION", upper, i, err) ||
            put_list(out, "SUBPARTITION", partitioning_below(p, i), err))
            return -1;
    return buf_put_byte(out, ')', err);
}

static int put_two_levels(struct buf *out, const struct partitioning *p, struct err *err) {
    const struct partitioning *upper = &p->levels[0], *sub = partitioning_below(p, 0);
    if (put_kind(out, upper, err) || buf_printf(out, err, "\n  SUBPARTITION BY ") || put_kind(out, sub, err)) return -1;
    if (!p->is_template) return put_named(out, p, err);
    if (buf_printf(out, err, " SUBPARTITION TEMPLATE") || put_list(out, "SUBPARTITION", sub, err)) return -1;
    if (upper->kind == PARTITION_KEY && has_plain_names(upper))
        return buf_printf(out, err, "\n  PARTITIONS %u", (unsigned)upper->count);
    return put_list(out, "PARTITION", upper, err);
}

int create_partitions_put(struct buf *out, const struct partitioning *p, struct err *err) {
    if (p->kind == PARTITION_NONE) return 0;
    if (buf_printf(out, err, "\nPARTITION BY ")) return -1;
    return p->kind == PARTITION_TWO_LEVEL ? put_two_levels(out, p, err) : put_one_level(out, p, err);
}
