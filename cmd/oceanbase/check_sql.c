/* SQL that computes the sums of kqvt.h inside the database: one query for a partition, and a script that shows the
 * partitions which differ from what was exported. */

#include "cmd/oceanbase/check_sql.h"
#include "cmd/oceanbase/statements.h"

enum { PARTITIONS_PER_QUERY = 64 };

/* x of kqvt.h, with `value` for V. V is never concatenated: CONCAT gives NULL above max_allowed_packet. */
static int put_x(struct buf *out, const char *value, bool ttl_column, struct err *err) {
    return buf_printf(out, err, "CONCAT(LENGTH(K),',',LENGTH(Q),',',T,',',%sIFNULL(%s,'N'),',',K,Q)",
                      ttl_column ? "IFNULL(TTL,'N'),','," : "", value);
}

static int put_strong(struct buf *out, bool ttl_column, struct err *err) {
    return buf_printf(out, err, ", IFNULL(SUM(CAST(CONV(SUBSTR(MD5(") || put_x(out, "MD5(V)", ttl_column, err) ||
                   buf_printf(out, err, "),1,15),16,10) AS UNSIGNED)),0) AS md5_sum, BIT_XOR(CAST(CONV(SUBSTR(MD5(") ||
                   put_x(out, "MD5(V)", ttl_column, err) || buf_printf(out, err, "),17,16),16,10) AS UNSIGNED)) AS md5_xor")
               ? -1
               : 0;
}

/* The select list: rows, bytes, crc_sum, crc_xor and, in the strong form, md5_sum, md5_xor; no NULL for no rows. Of keys: rows
 * and key_sum. */
static int put_sums(struct buf *out, const struct cell_sums_opts *o, struct err *err) {
    if (o->keys) return buf_printf(out, err, "COUNT(*) AS row_count, IFNULL(SUM(CRC32(CONCAT(K,Q,T))),0) AS key_sum");
    if (buf_printf(out, err,
                   "COUNT(*) AS row_count, IFNULL(SUM(LENGTH(K)+LENGTH(Q)+IFNULL(LENGTH(V),0)),0) AS byte_count, "
                   "IFNULL(SUM(CRC32(") ||
        put_x(out, "CRC32(V)", o->ttl_column, err) || buf_printf(out, err, ")),0) AS crc_sum, BIT_XOR(CRC32(") ||
        put_x(out, "CRC32(V)", o->ttl_column, err) || buf_printf(out, err, ")) AS crc_xor"))
        return -1;
    return o->strong ? put_strong(out, o->ttl_column, err) : 0;
}

static int put_from(struct buf *out, const char *table, const char *partition, struct err *err) {
    if (buf_printf(out, err, " FROM ") || sql_put_name(out, table, err)) return -1;
    if (!partition) return 0;
    return buf_printf(out, err, " PARTITION (") || sql_put_name(out, partition, err) ? -1 : buf_put_byte(out, ')', err);
}

int check_sql_put_query(struct buf *out, const char *first, const char *table, const char *partition,
                        const struct cell_sums_opts *o, struct err *err) {
    return buf_printf(out, err, "SELECT %s", first) || put_sums(out, o, err) || put_from(out, table, partition, err) ? -1 : 0;
}

static int put_wanted(struct buf *out, const struct check_want *w, const struct cell_sums_opts *o, struct err *err) {
    char sum[DECIMAL_U128_BYTES + 1], md5[DECIMAL_U128_BYTES + 1];
    decimal_print_u128(w->sums.crc_sum, sum);
    decimal_print_u128(w->sums.md5_sum, md5);
    if (sql_put_string(out, bytes_str(w->partition ? w->partition : ""), err) ||
        buf_printf(out, err, " AS part, %llu AS want_rows, %llu AS want_bytes, %s AS want_crc_sum, %u AS want_crc_xor, ",
                   (unsigned long long)w->sums.rows, (unsigned long long)w->sums.bytes, sum, w->sums.crc_xor))
        return -1;
    if (!o->strong) return 0;
    return buf_printf(out, err, "%s AS want_md5_sum, %llu AS want_md5_xor, ", md5, (unsigned long long)w->sums.md5_xor);
}

static int put_chunk(struct buf *out, const char *table, const struct check_want *want, size_t n, const struct cell_sums_opts *o,
                     struct err *err) {
    if (buf_printf(out, err, "SELECT ") || sql_put_string(out, bytes_str(table), err) ||
        buf_printf(out, err, " AS differs_in, d.* FROM (\n"))
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (buf_printf(out, err, i ? "  UNION ALL SELECT " : "  SELECT ") || put_wanted(out, &want[i], o, err) ||
            put_sums(out, o, err) || put_from(out, table, want[i].partition, err) || buf_put_byte(out, '\n', err))
            return -1;
    }
    return buf_printf(out, err,
                      ") d WHERE NOT (row_count = want_rows AND byte_count = want_bytes AND crc_sum = want_crc_sum AND "
                      "crc_xor = want_crc_xor%s);\n",
                      o->strong ? " AND md5_sum = want_md5_sum AND md5_xor = want_md5_xor" : "");
}

int check_sql_put_script(struct buf *out, const char *table, const struct check_want *want, size_t n,
                         const struct cell_sums_opts *o, struct err *err) {
    uint64_t rows = 0;
    for (size_t i = 0; i < n; i++) rows += want[i].sums.rows;
    for (size_t i = 0; i < n; i += PARTITIONS_PER_QUERY) {
        size_t k = n - i < PARTITIONS_PER_QUERY ? n - i : PARTITIONS_PER_QUERY;
        if (put_chunk(out, table, want + i, k, o, err)) return -1;
    }
    if (buf_printf(out, err, "SELECT CONCAT('checked %zu partition%s of ', ", n, n == 1 ? "" : "s") ||
        sql_put_string(out, bytes_str(table), err) ||
        buf_printf(out, err, ", ', ', COUNT(*), ' rows of %llu; differences are listed above') AS checked FROM ",
                   (unsigned long long)rows) ||
        sql_put_name(out, table, err))
        return -1;
    return buf_printf(out, err, ";\n");
}
