#include "cmd/oceanbase/insert_sql.h"

#include "cmd/oceanbase/sql_text.h"

/* A line end in a name would end the comment. */
static int put_comment(struct buf *out, const char *text, struct err *err) {
    if (buf_put(out, "-- ", 3, err)) return -1;
    for (; *text; text++)
        if (buf_put_byte(out, (uint8_t)*text < ' ' ? '?' : (uint8_t)*text, err)) return -1;
    return buf_put_byte(out, '\n', err);
}

static int put_ttl(struct buf *out, const struct kqvt_row *row, struct err *err) {
    return row->has_ttl ? buf_printf(out, err, "%lld, ", (long long)row->ttl_ms) : buf_printf(out, err, "NULL, ");
}

int insert_sql_put(struct buf *out, const struct insert_target *t, const struct kqvt_row *row, const char *reason,
                   struct err *err) {
    if (put_comment(out, reason, err) || buf_printf(out, err, t->replace ? "REPLACE INTO " : "INSERT INTO ") ||
        sql_put_name(out, t->table, err) || buf_printf(out, err, " (K, Q, T, %sV) VALUES (", t->ttl_column ? "TTL, " : "") ||
        sql_put_hex(out, row->k, err) || buf_put(out, ", ", 2, err) || sql_put_hex(out, row->q, err) ||
        buf_printf(out, err, ", %lld, ", (long long)row->t) || (t->ttl_column && put_ttl(out, row, err)) ||
        sql_put_hex(out, row->v, err))
        return -1;
    return buf_printf(out, err, ");\n");
}
