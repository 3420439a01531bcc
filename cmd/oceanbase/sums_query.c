/* Asks the database for the sums of cells in a partition or a range of it. Only the numbers cross the network, so a partition
 * of any size is compared at the cost of one scan in the server. */
#include "cmd/oceanbase/check_sql.h"
#include "cmd/oceanbase/connection.h"

#include "cmd/oceanbase/statements.h"
#include "cmd/oceanbase/sums_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct answer {
    struct cell_sums *sums;
    struct cell_sums_opts opts;
    size_t n, seen; /* of many: how many there are, and were answered */
};

static bool take_u64(struct bytes field, uint64_t *out) {
    u128 v;
    if (!field.p || !decimal_parse_u128(field, &v) || v > UINT64_MAX) return false;
    *out = (uint64_t)v;
    return true;
}

/* The columns of check_sql.c. */
static bool parse_sums(const struct cell_sums_opts *o, const struct bytes *f, unsigned n, struct cell_sums *s) {
    uint64_t xor = 0;
    if (o->keys) return n >= 2 && take_u64(f[0], &s->rows) && f[1].p && decimal_parse_u128(f[1], &s->key_sum);
    bool good = n >= (o->strong ? 6 : 4) && take_u64(f[0], &s->rows) && take_u64(f[1], &s->bytes) &&
                decimal_parse_u128(f[2], &s->crc_sum) && take_u64(f[3], &xor) && xor <= UINT32_MAX;
    s->crc_xor = (uint32_t) xor ;
    return good && (!o->strong || (decimal_parse_u128(f[4], &s->md5_sum) && take_u64(f[5], &s->md5_xor)));
}

static int refuse_answer(struct err *err) {
    return err_set(err, ERR_INTERNAL, "the database's answer to a query for sums is malformed");
}

static int take_sums(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    struct answer *a = arg;
    a->seen++;
    return parse_sums(&a->opts, f, n, a->sums) ? 0 : refuse_answer(err);
}

int sums_query(struct connection *c, const struct sums_place *p, const char *where, struct cell_sums *out, struct err *err) {
    struct buf sql = {0};
    struct answer a = {.sums = out, .opts = p->opts};
    const struct check_query q = {.table = p->table,
                                  .partitions = &p->partition,
                                  .n_partitions = p->partition ? 1 : 0,
                                  .opts = p->opts,
                                  .snapshot = p->snapshot,
                                  .where = where};
    *out = (struct cell_sums){0};
    int rc = check_sql_put_query(&sql, &q, err) || buf_put_byte(&sql, 0, err) ? -1 : 0;
    if (!rc) rc = connection_rows(c, (char *)sql.p, take_sums, &a, err);
    if (!rc && !a.seen) rc = err_set(err, ERR_INTERNAL, "the database gave no answer to a query for sums");
    buf_free(&sql);
    return rc;
}

/* ---- many partitions ---- */

enum { PLACES_A_STATEMENT = 256 };

static int take_place(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    struct answer *a = arg;
    uint64_t i;
    a->seen++;
    if (!n || !take_u64(f[0], &i) || i >= a->n || !parse_sums(&a->opts, f + 1, n - 1, &a->sums[i])) return refuse_answer(err);
    return 0;
}

static struct check_query query_of(const struct sums_places *p) {
    return (struct check_query){.table = p->table, .opts = p->opts, .snapshot = p->snapshot, .since = p->since};
}

static int put_place(struct buf *sql, const struct sums_places *p, size_t i, struct err *err) {
    char number[32];
    struct check_query q = query_of(p);
    snprintf(number, sizeof number, "%zu, ", i);
    q.first = number;
    q.partitions = &p->partitions[i];
    q.n_partitions = p->partitions[i] ? 1 : 0;
    return check_sql_put_query(sql, &q, err);
}

int sums_query_each(struct connection *c, const struct sums_places *p, struct cell_sums *out, struct err *err) {
    struct buf sql = {0};
    int rc = 0;
    for (size_t i = 0; !rc && i < p->n;) {
        struct answer a = {.sums = out, .opts = p->opts, .n = p->n};
        size_t sent = 0;
        buf_clear(&sql);
        for (; !rc && i < p->n && sent < PLACES_A_STATEMENT; i++, sent++) {
            out[i] = (struct cell_sums){0};
            rc = (sent && buf_printf(&sql, err, " UNION ALL ")) || put_place(&sql, p, i, err) ? -1 : 0;
        }
        if (!rc) rc = buf_put_byte(&sql, 0, err);
        if (!rc) rc = connection_rows(c, (char *)sql.p, take_place, &a, err);
        if (!rc && a.seen != sent) rc = refuse_answer(err);
    }
    buf_free(&sql);
    return rc;
}

/* ---- all of them by one scan ---- */

struct sums_group {
    uint64_t number;
    struct cell_sums sums;
};

struct groups {
    struct cell_sums_opts opts;
    struct sums_group *list;
    size_t n;
};

static int take_group(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    struct groups *g = arg;
    if (grow_array(&g->list, g->n, sizeof *g->list, "sums of partitions", err)) return -1;
    struct sums_group *at = &g->list[g->n];
    *at = (struct sums_group){0};
    if (!n || !take_u64(f[0], &at->number) || !parse_sums(&g->opts, f + 1, n - 1, &at->sums)) return refuse_answer(err);
    g->n++;
    return 0;
}

static int compare_groups(const void *a, const void *b) {
    const uint64_t x = ((const struct sums_group *)a)->number, y = ((const struct sums_group *)b)->number;
    return (x > y) - (x < y);
}

bool sums_fit(const struct cell_sums_opts *o, const struct cell_sums *now, struct cell_sums want) {
    if (o->keys) return now->rows == want.rows && now->key_sum == want.key_sum;
    if (!o->strong) want.md5_sum = 0;
    if (!o->strong) want.md5_xor = 0;
    return cell_sums_eq(now, &want);
}

/* Numbers rise as partitions do, and partitions without rows have none. One that does not fit may lack rows or hold others: those
 * after it are found all the same. */
static void match_groups(const struct groups *g, const struct cell_sums *want, bool *fits, size_t n) {
    for (size_t i = 0, at = 0; i < n; i++) {
        size_t k = at;
        while (want[i].rows && k < g->n && !sums_fit(&g->opts, &g->list[k].sums, want[i])) k++;
        fits[i] = !want[i].rows || k < g->n;
        if (want[i].rows && k < g->n) at = k + 1;
    }
}

/* Doubts partitions without rows: where more have rows than should, it is not known which. */
static void doubt_empty(const struct groups *g, const struct cell_sums *want, bool *fits, size_t n) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++) found += want[i].rows && fits[i];
    for (size_t i = 0; found < g->n && i < n; i++) fits[i] = fits[i] && want[i].rows;
}

int sums_query_fit(struct connection *c, const struct sums_scan *s, bool *fits, struct err *err) {
    const struct sums_places *p = &s->places;
    struct buf sql = {0};
    struct groups g = {.opts = p->opts};
    struct err own = {0};
    struct check_query q = query_of(p);
    q.database = s->database;
    q.subpartitions = s->partitioning->kind == PARTITION_TWO_LEVEL;
    q.parallel = s->parallel;
    q.partitions = p->partitions;
    q.n_partitions = p->n < s->partitioning->count ? p->n : 0;
    memset(fits, 0, p->n * sizeof *fits);
    if (!connection_server(c)->is_oceanbase || s->partitioning->kind == PARTITION_NONE || !p->n) return 0;
    int rc = check_sql_put_query(&sql, &q, err) || buf_put_byte(&sql, 0, err) ? -1 : 0;
    if (!rc && (rc = connection_rows(c, (char *)sql.p, take_group, &g, &own))) {
        const bool unknown = connection_refused(c); /* to this server */
        if (!unknown) err_keep(err, &own);
        rc = unknown ? 0 : -1;
    } else if (!rc) {
        if (g.n) qsort(g.list, g.n, sizeof *g.list, compare_groups);
        match_groups(&g, s->want, fits, p->n);
        doubt_empty(&g, s->want, fits, p->n);
    }
    free(g.list);
    buf_free(&sql);
    return rc;
}

static int ask_doubtful(struct connection *c, const struct sums_scan *s, const bool *fits, struct cell_sums *now,
                        struct err *err) {
    struct sums_places left = s->places;
    const char **names = calloc(left.n + 1, sizeof *names);
    struct cell_sums *sums = calloc(left.n + 1, sizeof *sums);
    int rc = names && sums ? 0 : err_nomem(err, left.n * sizeof *sums, "sums of partitions");
    left.partitions = names;
    left.n = 0;
    for (size_t i = 0; !rc && i < s->places.n; i++)
        if (!fits[i]) names[left.n++] = s->places.partitions[i];
    if (!rc) rc = sums_query_each(c, &left, sums, err);
    for (size_t i = 0, k = 0; !rc && i < s->places.n; i++) now[i] = fits[i] ? s->want[i] : sums[k++];
    free(names);
    free(sums);
    return rc;
}

int sums_query_scan(struct connection *c, const struct sums_scan *s, struct cell_sums *now, struct err *err) {
    bool *fits = calloc(s->places.n + 1, sizeof *fits);
    if (!fits) return err_nomem(err, s->places.n + 1, "sums of partitions");
    int rc = sums_query_fit(c, s, fits, err) || ask_doubtful(c, s, fits, now, err) ? -1 : 0;
    free(fits);
    return rc;
}

/* ---- rows, moments ---- */

static int take_number(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    return n == 1 && take_u64(f[0], arg) ? 0 : err_set(err, ERR_INTERNAL, "the database's answer to a query is not a number");
}

int sums_query_rows(struct connection *c, const struct sums_places *p, uint64_t *rows, struct err *err) {
    struct buf sql = {0};
    *rows = 0;
    int rc = buf_printf(&sql, err, "SELECT COUNT(*) FROM ") || sql_put_name(&sql, p->table, err) ? -1 : 0;
    for (size_t i = 0; !rc && i < p->n; i++)
        rc = buf_printf(&sql, err, i ? ", " : " PARTITION (") || sql_put_name(&sql, p->partitions[i], err) ? -1 : 0;
    if (!rc && p->n) rc = buf_put_byte(&sql, ')', err);
    if (!rc) rc = buf_put_byte(&sql, 0, err);
    if (!rc) rc = connection_rows(c, (char *)sql.p, take_number, rows, err);
    buf_free(&sql);
    return rc ? -1 : 0;
}

int connection_snapshot(struct connection *c, uint64_t *snapshot, struct err *err) {
    struct err own = {0};
    *snapshot = 0;
    if (!connection_server(c)->is_oceanbase || !connection_rows(c, "SELECT CURRENT_SCN()", take_number, snapshot, &own)) return 0;
    if (connection_refused(c)) return 0; /* an older server */
    err_keep(err, &own);
    return -1;
}
