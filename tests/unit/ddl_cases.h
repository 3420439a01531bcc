/* Table definitions for tests: a head that is right, and what parsing or refusing one must do. */
#ifndef DDL_CASES_H
#define DDL_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "table/ddl.h"
#include "table/partitioning.h"
#include "table/table.h"

/* DDL printed by a real server. */
#define DIR "tests/data/oceanbase/"

#define COLUMNS "K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1048576) NOT NULL"
#define PRIMARY ", PRIMARY KEY (K, Q, T))"
#define HEAD "CREATE TABLE `t$f` (" COLUMNS PRIMARY
#define HEAD_WITH(column) "CREATE TABLE `t$f` (" COLUMNS ", " column PRIMARY

static inline void expect_refusal(const char *where, int rc, const struct err *err, const char *part) {
    if (rc == 0) fail_msg("%s: accepted, wanted: %s", where, part);
    if (!strstr(err->text, part)) fail_msg("%s: said '%s', wanted '%s'", where, err->text, part);
    if (err->code != ERR_USAGE) fail_msg("%s: code %d", where, err->code);
}

static inline struct table parse(const char *sql) {
    struct table t;
    struct err err = {0};
    if (ddl_parse("x.sql", sql, strlen(sql), &t, &err)) fail_msg("%s\n  for %s", err.text, sql);
    return t;
}

static inline void refuse(const char *sql, const char *part) {
    struct table t;
    struct err err = {0};
    int rc = ddl_parse("x.sql", sql, strlen(sql), &t, &err);
    expect_refusal(sql, rc, &err, part);
    if (strncmp(err.text, "x.sql", 5)) fail_msg("no file name: %s", err.text);
    if (t.families || t.name || t.ddl || t.warnings.p) fail_msg("left something behind: %s", sql);
}

static inline bool warned(const struct table *t, const char *part) {
    return t->warnings.n && memmem(t->warnings.p, t->warnings.n, part, strlen(part));
}

static inline void expect_described(const char *where, const struct partitioning *p, const char *want) {
    struct buf text = {0};
    struct err err = {0};
    assert_int_equal(partitioning_describe(p, &text, &err), 0);
    if (text.n != strlen(want) || memcmp(text.p, want, text.n))
        fail_msg("%s: is %.*s, wanted %s", where, (int)text.n, (char *)text.p, want);
    buf_free(&text);
}

#endif
