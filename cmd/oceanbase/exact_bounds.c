/* RANGE bounds in a printed table definition made exact. A printed bound may hold any bytes, so it does not show where it ends:
 * the next partition is searched for by the name that the catalogue gives, and what is between is replaced. */

#include "cmd/oceanbase/exact_bounds.h"
#include "cmd/oceanbase/statements.h"
#include "table/bounds.h"

#include <stdlib.h>
#include <string.h>

/* The last line that begins with " partition by range columns": a comment cannot hold one, its line ends are escaped. */
static const char *range_clause(const char *ddl) {
    const char *found = NULL;
    for (const char *p = ddl; (p = strstr(p, "\n partition by range columns(")); p++) found = p;
    return found;
}

/* The row of the dump that begins at *at, moved after it. false: no further one. */
static bool next_bound(struct bytes dump, size_t *at, struct bytes *name, struct bytes *code) {
    if (*at >= dump.n) return false;
    const uint8_t *p = dump.p + *at, *end = memchr(p, '\n', dump.n - *at), *tab = end ? memchr(p, '\t', (size_t)(end - p)) : NULL;
    if (!tab) return false;
    *name = (struct bytes){p, (size_t)(tab - p)};
    *code = (struct bytes){tab + 1, (size_t)(end - tab - 1)};
    *at = (size_t)(end + 1 - dump.p);
    return true;
}

/* The place where a partition begins to be printed, and that of its bound. */
struct printed {
    const char *begin, *bound;
};

/* "partition `NAME` values less than (", the next in rest. begin stays NULL if there is none. */
static int find_partition(const char *rest, struct bytes name, struct buf *scratch, struct printed *out, struct err *err) {
    *out = (struct printed){0};
    scratch->n = 0;
    char *plain = strndup((const char *)name.p, name.n);
    if (!plain) return err_nomem(err, name.n, "a name");
    int rc = buf_printf(scratch, err, "partition ") || sql_put_name(scratch, plain, err) ||
             buf_printf(scratch, err, " values less than (") || buf_put_byte(scratch, 0, err);
    free(plain);
    if (rc) return -1;
    out->begin = strstr(rest, (char *)scratch->p);
    if (out->begin) out->bound = out->begin + strlen((char *)scratch->p);
    return 0;
}

struct splice {
    struct buf *out, scratch, value;
    struct bytes dump;
    size_t at;
};

/* The bound itself may hold anything, so the next partition is searched for by its name; the last ends with the list. */
static int bound_end(struct splice *s, const char *bound, const char **end, struct err *err) {
    struct bytes name, code;
    size_t peek = s->at;
    *end = NULL;
    if (!next_bound(s->dump, &peek, &name, &code)) {
        for (const char *p = bound; (p = strstr(p, "))")); p++) *end = p;
        return 0;
    }
    struct printed next;
    if (find_partition(bound, name, &s->scratch, &next, err)) return -1;
    if (next.begin && next.begin - bound >= 3 && !strncmp(next.begin - 3, "),\n", 3)) *end = next.begin - 3;
    return 0;
}

/* One bound: text up to it and its exact form; *rest moves after the printed one. */
static int splice_one(struct splice *s, struct bytes name, struct bytes code, const char **rest, struct err *err) {
    struct printed at;
    const char *end = NULL;
    enum bound_code kind;
    if (find_partition(*rest, name, &s->scratch, &at, err)) return -1;
    if (at.begin && bound_end(s, at.bound, &end, err)) return -1;
    if (!end)
        return err_set(err, ERR_UNSUPPORTED, "partition %.*s is not written as expected in the printed definition", (int)name.n,
                       name.p);
    if (bound_code_decode(code, &s->value, &kind, err)) return -1;
    if (buf_put(s->out, *rest, (size_t)(at.bound - *rest), err)) return -1;
    *rest = end;
    if (kind == BOUND_VALUE) return sql_put_hex(s->out, buf_bytes(&s->value), err);
    return buf_put(s->out, at.bound, (size_t)(end - at.bound), err); /* MAXVALUE, numbers: print is exact */
}

bool exact_bounds_needed(const char *ddl) {
    const char *clause = range_clause(ddl);
    return clause && (!strstr(clause, "subpartition") || strstr(clause, "subpartition template"));
}

int exact_bounds_put(struct buf *out, const char *ddl, struct bytes dump, struct err *err) {
    struct splice s = {.out = out, .dump = dump};
    const char *rest = range_clause(ddl);
    struct bytes name, code;
    if (!rest) rest = ddl;
    int rc = buf_put(out, ddl, (size_t)(rest - ddl), err);
    while (!rc && rest != ddl && next_bound(dump, &s.at, &name, &code)) rc = splice_one(&s, name, code, &rest, err);
    if (!rc) rc = buf_put(out, rest, strlen(rest), err);
    buf_free(&s.scratch);
    buf_free(&s.value);
    return rc;
}
