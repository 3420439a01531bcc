#include "cmd/load/load_run.h"

#include "base/fs.h"
#include "cmd/oceanbase/definition.h"
#include "table/ddl_lex.h"

#include <stdlib.h>
#include <string.h>

/* The name behind CREATE TABLE, without quotes, into name; false: another statement. */
static bool creates_table(const char *sql, size_t n, struct buf *name, struct err *err) {
    struct ddl_lex lex;
    struct ddl_token tok;
    ddl_lex_init(&lex, "create.sql", sql, n);
    name->n = 0;
    if (ddl_lex_next(&lex, &tok, err) != 1 || !ddl_token_is(&tok, "create")) return false;
    if (ddl_lex_next(&lex, &tok, err) != 1 || !ddl_token_is(&tok, "table")) return false;
    while (ddl_lex_next(&lex, &tok, err) == 1 &&
           (ddl_token_is(&tok, "if") || ddl_token_is(&tok, "not") || ddl_token_is(&tok, "exists"))) {
    }
    return !ddl_token_value(&tok, name, err) && !buf_put_byte(name, 0, err);
}

/* One statement; a table that is there already is left alone, it was looked at before. */
static int run_one(struct load_run *r, struct connection *c, const char *sql, size_t n, struct err *err) {
    struct buf name = {0};
    char *there = NULL, *text = strndup(sql, n);
    int rc = text ? 0 : err_nomem(err, n, "a statement");
    bool table = !rc && creates_table(sql, n, &name, err);
    if (!rc && table) rc = catalog_definition(c, r->login.login.address.database, (char *)name.p, &there, err);
    if (!rc && !there) rc = connection_run(c, text, NULL, err);
    if (!rc && !there && table) report_say(&r->s->reporter, "made table %s", (char *)name.p);
    free(there);
    free(text);
    buf_free(&name);
    return rc;
}

int load_create(struct load_run *r, struct connection *c, struct err *err) {
    struct buf sql = {0};
    struct ddl_lex lex;
    struct ddl_token tok;
    int rc = create_sql_put(&sql, &r->m.table, err), more = 1;
    ddl_lex_init(&lex, "create.sql", (char *)sql.p, sql.n);
    const char *from = (char *)sql.p;
    bool empty = true;
    while (!rc && (more = ddl_lex_next(&lex, &tok, err)) == 1) {
        if (!ddl_token_is_punct(&tok, ';')) {
            empty = false;
            continue;
        }
        if (!empty) rc = run_one(r, c, from, (size_t)(tok.p - from), err);
        from = tok.p + 1;
        empty = true;
    }
    buf_free(&sql);
    return more < 0 ? -1 : rc;
}

int load_from_target(struct session *s, const struct target_login *l, struct err *err) {
    struct buf text = {0};
    unsigned number;
    struct connection *c = connection_open(&l->login, &number, err);
    int rc = c ? catalog_dump(c, l->login.address.database, load_options(&s->o)->from_target, &text, err) : -1;
    bool to_file = load_options(&s->o)->output && strcmp(load_options(&s->o)->output, "-");
    if (!rc && to_file) rc = fs_replace_file(load_options(&s->o)->output, buf_bytes(&text), err);
    if (!rc && !to_file) fwrite(text.p, 1, text.n, stdout);
    connection_close(c);
    buf_free(&text);
    return rc;
}
