/* KV_ATTRIBUTES of a table as the server checks them: names without case, unknown names refused, TimeToLive in seconds. What the
 * server would cut to 32 bits is refused here, since the table would then keep other data than its DDL says. */
#include "table/ddl_parser.h"
#include "table/kv_attributes.h"

#include <jansson.h>
#include <strings.h>

/* The server cuts larger numbers to 32 bits, which can make no TTL, or one version, of them. */
static int positive(const char *key, json_t *v, int64_t *out, struct err *err) {
    if (*out) return err_set(err, ERR_USAGE, "kv_attributes: %s appears twice", key);
    if (!json_is_integer(v)) return err_set(err, ERR_USAGE, "kv_attributes: %s must be a whole number", key);
    *out = json_integer_value(v);
    if (*out <= 0) return err_set(err, ERR_USAGE, "kv_attributes: %s must be above 0", key);
    if (*out > INT32_MAX)
        return err_set(err, ERR_USAGE, "kv_attributes: %s is above %d: the server would cut it to 32 bits", key, INT32_MAX);
    return 0;
}

static int read_hbase(json_t *object, struct family_rules *rules, bool *disabled, struct err *err) {
    int64_t ttl = 0, versions = 0;
    const char *key;
    json_t *v;
    if (!json_is_object(object)) return err_set(err, ERR_USAGE, "kv_attributes: \"Hbase\" must be an object");
    json_object_foreach(object, key, v) {
        int rc = 0;
        if (!strcasecmp(key, "TimeToLive")) {
            rc = positive("TimeToLive", v, &ttl, err);
        } else if (!strcasecmp(key, "MaxVersions")) {
            rc = positive("MaxVersions", v, &versions, err);
        } else if (!strcasecmp(key, "State")) {
            *disabled = json_is_string(v) && !strcasecmp(json_string_value(v), "disable");
        } else if (strcasecmp(key, "CreatedBy") != 0) {
            rc = err_set(err, ERR_USAGE, "kv_attributes: unknown key %.64s (TimeToLive, MaxVersions, State, CreatedBy)", key);
        }
        if (rc) return -1;
    }
    if (ttl) rules->ttl_s = ttl;
    if (versions) rules->versions = (uint32_t)versions;
    return 0;
}

static int read_top(json_t *root, struct family_rules *rules, bool *disabled, struct err *err) {
    const char *key;
    json_t *v, *hbase = NULL;
    if (!json_is_object(root)) return err_set(err, ERR_USAGE, "kv_attributes: must be a JSON object");
    if (json_object_size(root) == 0) return err_set(err, ERR_USAGE, "kv_attributes: {} without \"Hbase\"");
    json_object_foreach(root, key, v) {
        if (!strcasecmp(key, "Hbase")) {
            if (hbase) return err_set(err, ERR_USAGE, "kv_attributes: \"Hbase\" appears twice");
            hbase = v;
        } else if (!strcasecmp(key, "Redis") || !strcasecmp(key, "Table")) {
            return err_set(err, ERR_USAGE, "kv_attributes: a table of model %.64s, not Hbase", key);
        } else if (strcasecmp(key, "TTLScanIndex") != 0) {
            return err_set(err, ERR_USAGE, "kv_attributes: unknown key %.64s", key);
        }
    }
    return hbase ? read_hbase(hbase, rules, disabled, err) : 0;
}

static int parse_json(struct bytes json, struct family_rules *rules, bool *disabled, struct err *err) {
    json_error_t why;
    *disabled = false;
    if (!json.n) return 0; /* '': none, as in OceanBase */
    json_t *root = json_loadb((const char *)json.p, json.n, JSON_REJECT_DUPLICATES, &why);
    if (!root) return err_set(err, ERR_USAGE, "kv_attributes: not JSON: %.100s", why.text);
    int rc = read_top(root, rules, disabled, err);
    json_decref(root);
    return rc;
}

/* ---- the option of CREATE TABLE ---- */

/* ({"Hbase": …}): servers before 4.3.1 print the JSON so, in parentheses and without quotes, which they do not read back. */
static int take_bare_kv(struct ddl *d) {
    struct ddl_table *t = d->t;
    ddl_advance(d);
    if (d->tok.kind == DDL_STRING) {
        t->kv = d->tok;
        ddl_advance(d);
        return ddl_expect_punct(d, ')');
    }
    if (!ddl_at_punct(d, '{')) return ddl_unexpected(d, "'{' or a string in the parentheses of KV_ATTRIBUTES");
    const char *from = d->tok.p;
    uint32_t line = d->tok.line;
    while (d->tok.kind != DDL_END && !ddl_at_punct(d, ')')) ddl_advance(d);
    if (buf_put_byte(&t->kv_text, '\'', d->err)) return -1;
    for (const char *p = from; p < d->taken; p++)
        if (((*p == '\'' || *p == '\\') && buf_put_byte(&t->kv_text, '\\', d->err)) ||
            buf_put_byte(&t->kv_text, (uint8_t)*p, d->err))
            return -1;
    if (buf_put_byte(&t->kv_text, '\'', d->err)) return -1;
    t->kv = (struct ddl_token){.kind = DDL_STRING, .p = (char *)t->kv_text.p, .n = t->kv_text.n, .line = line};
    return ddl_expect_punct(d, ')');
}

int kv_attributes_take(struct ddl *d) {
    if (d->t->has_kv) return ddl_fail(d, d->tok.line, "KV_ATTRIBUTES appears twice");
    ddl_advance(d);
    ddl_accept_punct(d, '=');
    d->t->has_kv = true;
    d->t->kv_from = d->tok.p;
    if (ddl_at_punct(d, '(')) {
        if (take_bare_kv(d)) return -1;
    } else {
        if (d->tok.kind != DDL_STRING) return ddl_unexpected(d, "a string after KV_ATTRIBUTES");
        d->t->kv = d->tok;
        ddl_advance(d);
    }
    d->t->kv_to = d->taken;
    return 0;
}

int kv_attributes_rules(struct ddl *d) {
    struct ddl_table *t = d->t;
    t->family.rules = (struct family_rules){.versions_given = true, .versions = UINT32_MAX};
    if (!t->has_kv) return 0;
    buf_clear(&d->scratch);
    if (ddl_token_value(&t->kv, &d->scratch, d->err) < 0) return -1;
    struct err bad = {0};
    bool disabled;
    if (parse_json(buf_bytes(&d->scratch), &t->family.rules, &disabled, &bad)) {
        if (bad.code == ERR_USAGE) return ddl_fail(d, t->kv.line, "%s", bad.text);
        err_keep(d->err, &bad);
        return -1;
    }
    if (!disabled) return 0;
    return ddl_warn(d, WARN_DDL_DISABLED, t->kv.line,
                    "its State is \"disable\": the server answers OB_KV_TABLE_NOT_ENABLED to every request");
}
