#include "cmd/verify.h"
#include "pipeline/diff.h"

#include <stdlib.h>
#include <string.h>

struct printer {
    uint64_t left;
    bool gone;
    struct buf line;
};

static int put_hex(struct buf *out, const char *name, struct bytes b, struct err *err) {
    static const char digits[] = "0123456789abcdef";
    if (buf_printf(out, err, ", \"%s\": \"", name) || buf_reserve(out, 2 * b.n + 1, err)) return -1;
    for (size_t i = 0; i < b.n; i++) {
        out->p[out->n++] = (uint8_t)digits[b.p[i] >> 4];
        out->p[out->n++] = (uint8_t)digits[b.p[i] & 15];
    }
    return buf_put_byte(out, '"', err);
}

/* A JSON line per difference; bytes in hex. */
static int print_difference(void *arg, enum diff_kind k, const struct row_part *where, const struct cell *a, const struct cell *b,
                            struct err *err) {
    static const char *const kinds[] = {"missing", "extra", "changed"};
    struct printer *p = arg;
    const struct cell *c = a ? a : b;
    if (!p->left || p->gone) return 0;
    p->left--;
    p->line.n = 0;
    if (buf_printf(&p->line, err, "{\"kind\": \"%s\"", kinds[k]) || put_hex(&p->line, "row", where->row, err) ||
        put_hex(&p->line, "family", where->family, err) || put_hex(&p->line, "qualifier", c->qualifier, err) ||
        buf_printf(&p->line, err, ", \"ts\": %lld, \"type\": \"%s\"", (long long)c->ts_ms, cell_type_name(c->type)))
        return -1;
    if (a && buf_printf(&p->line, err, ", \"value_bytes_a\": %zu", a->value.n)) return -1;
    if (b && buf_printf(&p->line, err, ", \"value_bytes_b\": %zu", b->value.n)) return -1;
    if (buf_put(&p->line, "}\n", 2, err)) return -1;
    return verify_write(p->line.p, p->line.n, &p->gone, err);
}

static int list_side(struct session *s, const char *path, struct input_list *l, struct err *err) {
    if (!strcmp(path, "-")) return err_set(err, ERR_USAGE, "diff reads its inputs twice: standard input cannot be one of them");
    return session_add_input(s, l, path, err) || input_list_survey(l, &s->job, &s->input_warnings, err) ? -1 : 0;
}

static int print_end(const struct session *s, const struct diff_result *r, const struct printer *p, struct err *err) {
    char a[DIGEST_HEX], b[DIGEST_HEX], text[600];
    bool gone = p->gone;
    digest_print(r->a.digest, a);
    digest_print(r->b.digest, b);
    uint64_t n = r->missing + r->extra + r->changed;
    int len = s->o.json
                  ? snprintf(text, sizeof text,
                             "{\"kind\": \"summary\", \"equal\": %s, \"cells_a\": %llu, \"cells_b\": %llu, \"digest_a\": \"%s\", "
                             "\"digest_b\": "
                             "\"%s\", \"missing\": %llu, \"extra\": %llu, \"changed\": %llu}\n",
                             n || !digest_eq(r->a.digest, r->b.digest) ? "false" : "true", (unsigned long long)r->a.cells,
                             (unsigned long long)r->b.cells, a, b, (unsigned long long)r->missing, (unsigned long long)r->extra,
                             (unsigned long long)r->changed)
                  : snprintf(text, sizeof text,
                             "%s: %llu cells in A (digest %s), %llu in B (digest %s): %llu missing, %llu extra, %llu changed\n",
                             n || !digest_eq(r->a.digest, r->b.digest) ? "different" : "equal", (unsigned long long)r->a.cells, a,
                             (unsigned long long)r->b.cells, b, (unsigned long long)r->missing, (unsigned long long)r->extra,
                             (unsigned long long)r->changed);
    return s->o.quiet || gone ? 0 : verify_write(text, (size_t)len, &gone, err);
}

int verify_diff(struct session *s, int *code, struct err *err) {
    struct input_list a = {0}, b = {0};
    struct printer p = {.left = s->o.limit ? s->o.limit : 100};
    struct diff_result r;
    int rc = -1;
    if (s->o.n_inputs != 2) return err_set(err, ERR_USAGE, "diff compares two inputs, %d given", s->o.n_inputs);
    if (session_open_table(s, err)) return -1;
    if (list_side(s, s->o.inputs[0], &a, err) || list_side(s, s->o.inputs[1], &b, err)) goto out;
    struct diff_opts o = {.job = &s->job,
                          .a = {a.inputs, a.n},
                          .b = {b.inputs, b.n},
                          .read = session_read_opts(s),
                          .ignore_timestamps = s->o.ignore_timestamps,
                          .ignore_deleted = s->o.ignore_deleted,
                          .found = print_difference,
                          .arg = &p};
    rc = diff_run(&o, &r, err);
    session_tell_inputs(s);
    if (!rc) rc = print_end(s, &r, &p, err);
    if (!rc) *code = r.a.cells == r.b.cells && digest_eq(r.a.digest, r.b.digest) ? 0 : 1;
out:
    buf_free(&p.line);
    input_list_free(&a);
    input_list_free(&b);
    return rc;
}
