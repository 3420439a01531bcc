/* Finds out from the server itself whether it can take load files: it takes the two cells of probe.kqvt and skips all lines, so
 * that no row comes of it. Privileges, secure_file_priv and local_infile need not be guessed. */
#include "cmd/oceanbase/preflight.h"

#include "base/buf.h"
#include "base/fs.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/statements.h"

#include <stdlib.h>

static int put_statement(struct buf *sql, const struct access_probe *p, const char *path, bool direct, struct err *err) {
    const char *hint = direct ? "/*+ direct(false, 0, 'inc') parallel(1) */ " : "";
    if (buf_printf(sql, err, "LOAD DATA %s%sINFILE ", hint, p->local ? "LOCAL " : "") ||
        sql_put_string(sql, bytes_str(path), err) || buf_printf(sql, err, " INTO TABLE ") || sql_put_name(sql, p->table, err))
        return -1;
    return buf_printf(sql, err,
                      " CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\\t' ESCAPED BY '\\\\' LINES TERMINATED BY '\\n' "
                      "IGNORE 1000 LINES (K, Q, V, T)") ||
                   buf_put_byte(sql, 0, err)
               ? -1
               : 0;
}

static int try_form(struct connection *c, const struct access_probe *p, const char *path, bool direct, unsigned *number,
                    struct err *err) {
    struct buf sql = {0};
    struct err own = {0};
    int rc = put_statement(&sql, p, path, direct, err);
    *number = 0;
    if (p->local) connection_offer(c, path, NULL);
    if (!rc && connection_run(c, (char *)sql.p, NULL, &own)) *number = connection_error(c);
    connection_offer(c, NULL, NULL);
    if (!rc && server_error_of(*number).action == SERVER_ERROR_UNKNOWN) rc = err_set(err, ERR_BUSY, "%s", own.text);
    buf_free(&sql);
    return rc;
}

/* Outside of direct load 4.3.5.3 stumbles over its own INSERT when the table's name holds a `. */
int preflight_try_access(struct connection *c, const struct access_probe *p, unsigned *number, struct err *err) {
    enum { SYNTAX_ERROR = 1064 };
    char *path = fs_join(p->dir, "probe.kqvt", err);
    int rc = path ? try_form(c, p, path, false, number, err) : -1;
    if (!rc && *number == SYNTAX_ERROR) rc = try_form(c, p, path, true, number, err);
    free(path);
    return rc;
}
