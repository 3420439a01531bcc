/* SQL that computes the sums of kqvt.h inside the database: one query for a partition or for each of a table, and a script that
 * shows the partitions which differ from what was exported.
 *
 * What is summed of a row is computed once, in a query inside of the one that sums: a server that merges both computes it for
 * each sum (4.3.5.3 without NO_MERGE: 4.4 s of its CPU instead of 2.7 for 2,000,000 rows). */

#include "cmd/oceanbase/check_sql.h"
#include "cmd/oceanbase/statements.h"

enum { PARTITIONS_PER_QUERY = 64 };

/* x of kqvt.h, with `value` for V. V is never concatenated: CONCAT gives NULL above max_allowed_packet. */
static int put_x(struct buf *out, const char *value, bool ttl_column, struct err *err) {
    return buf_printf(out, err, "CONCAT(LENGTH(K),',',LENGTH(Q),',',T,',',%sIFNULL(%s,'N'),',',K,Q)",
                      ttl_column ? "IFNULL(TTL,'N'),','," : "", value);
}

/* Writes the columns of a row: n bytes, c checksum, and in the strong form h. */
static int put_row(struct buf *out, const struct cell_sums_opts *o, struct err *err) {
    if (o->keys) return buf_printf(out, err, "CRC32(CONCAT(K,Q,T)) AS c");
    if (buf_printf(out, err, "LENGTH(K)+LENGTH(Q)+IFNULL(LENGTH(V),0) AS n, CRC32(") ||
        put_x(out, "CRC32(V)", o->ttl_column, err) || buf_printf(out, err, ") AS c"))
        return -1;
    if (!o->strong) return 0;
    return buf_printf(out, err, ", MD5(") || put_x(out, "MD5(V)", o->ttl_column, err) || buf_printf(out, err, ") AS h") ? -1 : 0;
}

/* The select list: rows, bytes, crc_sum, crc_xor and, in the strong form, md5_sum, md5_xor; no NULL for no rows. Of keys: rows
 * and key_sum. */
static const char *sums_of(const struct cell_sums_opts *o) {
    if (o->keys) return "COUNT(*) AS row_count, IFNULL(SUM(c),0) AS key_sum";
    if (!o->strong)
        return "COUNT(*) AS row_count, IFNULL(SUM(n),0) AS byte_count, IFNULL(SUM(c),0) AS crc_sum, BIT_XOR(c) AS crc_xor";
    return "COUNT(*) AS row_count, IFNULL(SUM(n),0) AS byte_count, IFNULL(SUM(c),0) AS crc_sum, BIT_XOR(c) AS crc_xor, "
           "IFNULL(SUM(CAST(CONV(SUBSTR(h,1,15),16,10) AS UNSIGNED)),0) AS md5_sum, "
           "BIT_XOR(CAST(CONV(SUBSTR(h,17,16),16,10) AS UNSIGNED)) AS md5_xor";
}

static int put_place_of_row(struct buf *out, const struct check_query *q, struct err *err) {
    return buf_printf(out, err, "CALC_PARTITION_ID(") || sql_put_name(out, q->database, err) || buf_put_byte(out, '.', err) ||
                   sql_put_name(out, q->table, err) || buf_printf(out, err, ", %sPART) AS p, ", q->subpartitions ? "SUB" : "")
               ? -1
               : 0;
}

static int put_from(struct buf *out, const struct check_query *q, struct err *err) {
    if (buf_printf(out, err, " FROM ") || sql_put_name(out, q->table, err)) return -1;
    for (size_t i = 0; i < q->n_partitions; i++)
        if (buf_printf(out, err, i ? ", " : " PARTITION (") || sql_put_name(out, q->partitions[i], err)) return -1;
    if (q->n_partitions && buf_put_byte(out, ')', err)) return -1;
    if (check_sql_put_snapshot(out, q->snapshot, err)) return -1;
    if (q->since) return buf_printf(out, err, " WHERE ORA_ROWSCN > %llu", (unsigned long long)q->since);
    return q->where ? buf_printf(out, err, " WHERE %s", q->where) : 0;
}

int check_sql_put_snapshot(struct buf *out, uint64_t snapshot, struct err *err) {
    return snapshot ? buf_printf(out, err, " AS OF SNAPSHOT %llu", (unsigned long long)snapshot) : 0;
}

/* Writes the sums, after SELECT and what comes first. */
static int put_sums(struct buf *out, const struct check_query *q, struct err *err) {
    return buf_printf(out, err, "%s FROM (SELECT /*+ NO_MERGE */ ", sums_of(&q->opts)) ||
                   (q->database && put_place_of_row(out, q, err)) || put_row(out, &q->opts, err) || put_from(out, q, err) ||
                   buf_printf(out, err, ") r%s", q->database ? " GROUP BY p" : "")
               ? -1
               : 0;
}

int check_sql_put_query(struct buf *out, const struct check_query *q, struct err *err) {
    if (buf_printf(out, err, "SELECT ") || (q->parallel && buf_printf(out, err, "/*+ parallel(%u) */ ", q->parallel)) ||
        buf_printf(out, err, "%s%s", q->first ? q->first : "", q->database ? "p, " : ""))
        return -1;
    return put_sums(out, q, err);
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
        const struct check_query q = {
            .table = table, .partitions = &want[i].partition, .n_partitions = want[i].partition ? 1 : 0, .opts = *o};
        if (buf_printf(out, err, i ? "  UNION ALL SELECT " : "  SELECT ") || put_wanted(out, &want[i], o, err) ||
            put_sums(out, &q, err) || buf_put_byte(out, '\n', err))
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
