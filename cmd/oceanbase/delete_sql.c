/* Delete markers as statements: the rows that a marker hides, by the primary key (K, Q, T), where T is minus the timestamp.
 * Markers of one type go together, because then the server makes one range of the key of each (EXPLAIN: TABLE GET or TABLE
 * RANGE SCAN). Delete gets one row, DeleteColumn scans the versions of a column, the markers of a family scan the row. Measured
 * on 4.3.5.3: 200 in a statement cost less than the same in 20 statements, and no more than in one.
 *
 * A marker of a single version may uncover an older one that MaxVersions newer ones hide, although a compaction has dropped it
 * long ago. So such versions of the columns in question are deleted before: by a window over the columns, whose ranges of the key
 * are read once for it and once to delete (EXPLAIN: two TABLE RANGE SCAN). */
#include "cmd/oceanbase/delete_sql.h"

#include "base/text.h"
#include "cmd/oceanbase/statements.h"

static const uint8_t types[DELETE_TYPES] = {CELL_DELETE, CELL_DELETE_COLUMN, CELL_DELETE_FAMILY, CELL_DELETE_FAMILY_VERSION};

unsigned delete_sql_type(uint8_t type) {
    unsigned i = 0;
    while (i + 1 < DELETE_TYPES && types[i] != type) i++;
    return i;
}

const char *delete_sql_type_name(unsigned i) {
    return cell_type_name(types[i]);
}

int delete_sql_put_head(struct buf *out, const struct delete_place *p, const char *verb, struct err *err) {
    if (buf_printf(out, err, "%s FROM ", verb) || sql_put_name(out, p->table, err)) return -1;
    if (p->partition &&
        (buf_printf(out, err, " PARTITION (") || sql_put_name(out, p->partition, err) || buf_put_byte(out, ')', err)))
        return -1;
    return buf_printf(out, err, " WHERE ");
}

/* The text before the first marker of a statement, between two, and after the last. */
static const struct {
    const char *begin, *between, *end;
} frames[DELETE_TYPES] = {{"(K, Q, T) IN (", ", ", ")"}, {"", " OR ", ""}, {"", " OR ", ""}, {"(K, T) IN (", ", ", ")"}};

static int put_marker(struct buf *out, unsigned type, struct bytes row, const struct cell *c, struct err *err) {
    bool column = type == delete_sql_type(CELL_DELETE) || type == delete_sql_type(CELL_DELETE_COLUMN),
         ranges = type == delete_sql_type(CELL_DELETE_COLUMN) || type == delete_sql_type(CELL_DELETE_FAMILY);
    if (buf_printf(out, err, ranges ? "(K = " : "(") || sql_put_hex(out, row, err)) return -1;
    if (column && (buf_printf(out, err, ranges ? " AND Q = " : ", ") || sql_put_hex(out, c->qualifier, err))) return -1;
    return buf_printf(out, err, ranges ? " AND T >= %lld)" : ", %lld)", -(long long)c->ts_ms);
}

/* Names of the columns: (K, Q) of a Delete, K of a DeleteFamilyVersion; the other types leave nothing older. */
static const char *const surplus[DELETE_TYPES] = {"(K, Q) IN (", NULL, NULL, "K IN ("};

static int add_column(struct delete_batch *b, unsigned type, struct bytes row, const struct cell *c, struct err *err) {
    struct buf *to = &b->columns[type];
    bool both = type == delete_sql_type(CELL_DELETE);
    if (buf_printf(to, err, to->n ? ", %s" : "%s", both ? "(" : "") || sql_put_hex(to, row, err)) return -1;
    if (!both) return 0;
    return buf_printf(to, err, ", ") || sql_put_hex(to, c->qualifier, err) ? -1 : buf_put_byte(to, ')', err);
}

/* The inner table has no partition: the columns decide it, and the outer one has. */
static int put_surplus(struct delete_batch *b, const struct delete_place *p, unsigned type, struct buf *out, struct err *err) {
    struct buf *columns = &b->columns[type];
    struct bytes which = buf_bytes(columns);
    if (!which.n) return 0;
    if (delete_sql_put_head(out, p, "DELETE", err) || buf_printf(out, err, "%s", surplus[type]) ||
        buf_put(out, which.p, which.n, err) ||
        buf_printf(out, err,
                   ") AND (K, Q, T) IN (SELECT K, Q, T FROM (SELECT K, Q, T, ROW_NUMBER() OVER (PARTITION BY K, Q ORDER BY T) "
                   "AS N FROM ") ||
        sql_put_name(out, p->table, err) || buf_printf(out, err, " WHERE %s", surplus[type]) ||
        buf_put(out, which.p, which.n, err) || buf_put_byte(out, ')', err))
        return -1;
    if (p->ttl_column && buf_printf(out, err, " AND (TTL IS NULL OR TTL >= T + %lld)", (long long)p->now_ms)) return -1;
    buf_clear(columns);
    b->statements++;
    return buf_printf(out, err, ") AS X WHERE N > %u);\n", p->versions);
}

static int end_statement(struct delete_batch *b, const struct delete_place *p, unsigned type, struct buf *out, struct err *err) {
    struct buf *where = &b->where[type];
    if (!b->n[type]) return 0;
    if (put_surplus(b, p, type, out, err)) return -1;
    if (delete_sql_put_head(out, p, "DELETE", err) || buf_put(out, where->p, where->n, err) ||
        buf_printf(out, err, "%s;\n", frames[type].end))
        return -1;
    b->n[type] = 0;
    b->statements++;
    buf_clear(where);
    return 0;
}

int delete_sql_add(struct delete_batch *b, const struct delete_place *p, struct bytes row, const struct cell *c, struct buf *out,
                   struct err *err) {
    unsigned type = delete_sql_type(c->type);
    const char *before = b->n[type] ? frames[type].between : frames[type].begin;
    if (buf_printf(&b->where[type], err, "%s", before) || put_marker(&b->where[type], type, row, c, err)) return -1;
    if (p->versions && surplus[type] && add_column(b, type, row, c, err)) return -1;
    b->markers[type]++;
    return ++b->n[type] < DELETE_BATCH && b->where[type].n < DELETE_BATCH_BYTES ? 0 : end_statement(b, p, type, out, err);
}

int delete_sql_end(struct delete_batch *b, const struct delete_place *p, struct buf *out, struct err *err) {
    for (unsigned i = 0; i < DELETE_TYPES; i++)
        if (end_statement(b, p, i, out, err)) return -1;
    return 0;
}

void delete_sql_clear(struct delete_batch *b) {
    b->statements = 0;
    memset(b->markers, 0, sizeof b->markers);
}

void delete_sql_free(struct delete_batch *b) {
    for (unsigned i = 0; i < DELETE_TYPES; i++) {
        buf_free(&b->where[i]);
        buf_free(&b->columns[i]);
    }
}

bool delete_sql_is_surplus(struct bytes where) {
    for (unsigned i = 0; i < DELETE_TYPES; i++)
        if (surplus[i] && where.n > strlen(surplus[i]) && !memcmp(where.p, surplus[i], strlen(surplus[i]))) return true;
    return false;
}

bool delete_sql_condition(struct bytes line, struct bytes head, struct bytes *where) {
    if (line.n <= head.n + 1 || memcmp(line.p, head.p, head.n) != 0 || line.p[line.n - 1] != ';') return false;
    *where = bytes_of(line.p + head.n, line.n - head.n - 1);
    return true;
}
