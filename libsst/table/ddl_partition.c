/* PARTITION BY …: KEY over K or a prefix of it, RANGE COLUMNS(K); every other shape is refused by its name. */
#include "table/ddl_parser.h"

#include <stdlib.h>

static const char moves[] = "its partitions change by themselves, so files made now would not fit later";

/* Shapes that no rule for the columns makes usable come first, so that the message names them. */
static int refuse_shapes(struct ddl *d) {
    uint32_t line = d->tok.line;
    if (ddl_at(d, "size")) return ddl_fail(d, line, "auto-split partitions (SIZE): not supported, %s", moves);
    if (ddl_at(d, "interval")) return ddl_fail(d, line, "INTERVAL partitions: not supported, %s", moves);
    if (ddl_at(d, "subpartition") || ddl_at(d, "subpartitions"))
        return ddl_fail(d, line, "two-level partitioning (SUBPARTITION): not supported yet");
    return 0;
}

/* The columns in (…). n counts all, the first is kept. */
static int take_columns(struct ddl *d, struct ddl_token *first, uint32_t *n) {
    struct ddl_token name;
    *n = 0;
    if (ddl_expect_punct(d, '(')) return -1;
    if (ddl_accept_punct(d, ')')) return refuse_shapes(d);
    do {
        if (ddl_take_name(d, &name, "a column")) return -1;
        if ((*n)++ == 0) *first = name;
    } while (ddl_accept_punct(d, ','));
    return ddl_expect_punct(d, ')') ? -1 : refuse_shapes(d);
}

static int key_column(struct ddl *d, const struct ddl_token *name) {
    struct partitioning *p = &d->t->partitioning;
    const struct ddl_column *c = ddl_column_named(d->t, name);
    if (c && ddl_token_names(name, "K")) return 0;
    if (c && c->is_generated) return ddl_column_prefix(d, c, &p->prefix);
    const char *text = ddl_name_text(d, name);
    if (!text) return -1;
    if (!c) return ddl_fail(d, name->line, "KEY(%.64s): there is no such column", text);
    return ddl_fail(d, name->line, "KEY(%.64s): not supported yet, only K or a prefix of it", text);
}

static int take_key(struct ddl *d, uint32_t line) {
    struct ddl_token first;
    uint32_t n;
    if (ddl_at(d, "algorithm")) return ddl_fail(d, line, "KEY ALGORITHM: MySQL's own hash, not OceanBase's");
    if (take_columns(d, &first, &n)) return -1;
    if (n == 0)
        return ddl_fail(d, line,
                        "KEY() without columns hashes the whole primary key, so the cells of a row would be spread: "
                        "not supported");
    if (n > 1) return ddl_fail(d, line, "KEY over several columns: not supported yet");
    d->t->partitioning.kind = PARTITION_KEY;
    return key_column(d, &first);
}

static int take_range(struct ddl *d, uint32_t line) {
    struct ddl_token first;
    uint32_t n;
    bool by_columns = ddl_accept(d, "columns");
    if (take_columns(d, &first, &n)) return -1;
    if (!by_columns) return ddl_fail(d, line, "RANGE without COLUMNS: not supported yet, only RANGE COLUMNS(K)");
    if (n != 1 || !ddl_token_names(&first, "K") || !ddl_column_of(d->t, "K")) {
        const char *text = n ? ddl_name_text(d, &first) : "";
        if (!text) return -1;
        return ddl_fail(d, line, "RANGE COLUMNS(%.64s%s): not supported yet, only RANGE COLUMNS(K)", text, n > 1 ? ", …" : "");
    }
    d->t->partitioning.kind = PARTITION_RANGE;
    return 0;
}

static int take_method(struct ddl *d) {
    uint32_t line = d->tok.line;
    if (ddl_accept(d, "key")) return take_key(d, line);
    if (ddl_accept(d, "range")) return take_range(d, line);
    if (ddl_at(d, "key_v2") || ddl_at(d, "key_v3"))
        return ddl_fail(d, line, "%.*s partitions belong to OceanBase before 4.0, whose hash differs: not supported",
                        (int)d->tok.n, d->tok.p);
    static const char *const others[] = {"HASH", "LIST", "LINEAR"};
    for (size_t i = 0; i < countof(others); i++)
        if (ddl_at(d, others[i])) return ddl_fail(d, line, "PARTITION BY %s: not supported yet", others[i]);
    return ddl_unexpected(d, "KEY or RANGE");
}

/* What may stand between the method and the list of partitions. */
static int take_modifiers(struct ddl *d, uint64_t *declared) {
    while (!refuse_shapes(d)) {
        uint32_t line = d->tok.line;
        if (!ddl_accept(d, "partitions")) return 0;
        if (*declared) return ddl_fail(d, line, "PARTITIONS stands twice");
        if (ddl_take_number(d, PARTITIONS_MAX, declared, "the number of partitions")) return -1;
        if (*declared == 0) return ddl_fail(d, line, "PARTITIONS 0");
    }
    return -1;
}

/* Options behind a partition's bound (COMMENT, ID, ENGINE …) are of no account here. */
static int skip_options(struct ddl *d) {
    while (!ddl_at_punct(d, ',') && !ddl_at_punct(d, ')')) {
        if (d->tok.kind == DDL_END) return ddl_unexpected(d, "',' or ')'");
        if (ddl_at_punct(d, '('))
            return ddl_fail(d, d->tok.line, "two-level partitioning (sub-partitions in a partition): not supported yet");
        if (ddl_at(d, "values")) return ddl_fail(d, d->tok.line, "VALUES does not go with this kind of partitioning");
        ddl_advance(d);
    }
    return 0;
}

static int take_partition(struct ddl *d, bool *is_text) {
    struct ddl_token tok;
    *is_text = false;
    if (ddl_expect(d, "partition") || ddl_take_name(d, &tok, "a partition name")) return -1;
    const char *scratch = ddl_name_text(d, &tok);
    if (!scratch) return -1;
    size_t n = strlen(scratch);
    if (n == 0 || n > 256) return ddl_fail(d, tok.line, "a partition name of %zu bytes", n);
    char text[257];
    memcpy(text, scratch, n + 1);
    struct bytes name = {(const uint8_t *)text, n};
    int rc;
    if (d->t->partitioning.kind == PARTITION_RANGE) {
        if (ddl_expect(d, "values") || ddl_expect(d, "less") || ddl_expect(d, "than")) return -1;
        rc = ddl_bound(d, &name, is_text);
    } else {
        rc = partitioning_add(&d->t->partitioning, &name, NULL, d->err);
    }
    return rc ? -1 : skip_options(d);
}

static int take_list(struct ddl *d, bool *has_text) {
    bool is_text;
    *has_text = false;
    if (!ddl_accept_punct(d, '(')) return 0;
    do {
        if (take_partition(d, &is_text)) return -1;
        *has_text = *has_text || is_text;
    } while (ddl_accept_punct(d, ','));
    return ddl_expect_punct(d, ')');
}

static int warn_bounds(struct ddl *d, uint32_t line, bool has_text) {
    const struct partitioning *p = &d->t->partitioning;
    uint32_t bad = partitioning_count_not_utf8(p);
    if (bad && ddl_warn(d, line, "%u bounds are not valid UTF-8: OceanBase refuses them in CREATE TABLE (error 1366)", bad))
        return -1;
    if (has_text && d->t->is_printed &&
        ddl_warn(d, line,
                 "the bounds come from a print of SHOW CREATE TABLE, which loses all bytes of a bound after a NUL: "
                 "compare them with b_high_bound_val, or give that by --partition range:FILE"))
        return -1;
    if (!partitioning_client_differs(p)) return 0;
    return ddl_warn(d, line,
                    "a bound has a byte >= 0x80: Java clients in direct mode compare signed bytes and look in other "
                    "partitions");
}

int ddl_partition(struct ddl *d) {
    struct partitioning *p = &d->t->partitioning;
    uint32_t line = d->tok.line;
    uint64_t declared = 0;
    bool has_text;
    d->t->is_printed = d->t->is_printed || (d->tok.n && d->tok.p[0] >= 'a' && d->tok.p[0] <= 'z');
    if (take_method(d) || take_modifiers(d, &declared) || take_list(d, &has_text)) return -1;
    if (p->count == 0 && p->kind == PARTITION_RANGE) return ddl_fail(d, line, "RANGE without a list of partitions");
    if (p->count && declared && declared != p->count)
        return ddl_fail(d, line, "PARTITIONS %llu, but %u are listed", (unsigned long long)declared, (unsigned)p->count);
    for (uint64_t i = p->count; i < (declared ? declared : 1); i++)
        if (partitioning_add(p, NULL, NULL, d->err)) return -1;
    struct err bad = {0};
    if (partitioning_check(p, &bad)) return bad.code == ERR_USAGE ? ddl_fail(d, line, "%s", bad.text) : (*d->err = bad, -1);
    return warn_bounds(d, line, has_text);
}
