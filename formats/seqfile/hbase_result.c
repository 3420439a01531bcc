/* The value of an exported record: the cells of a row, as a protobuf Result or as the Writable of 0.94. Both forms say how long
 * they are, and only one of the two can be as long as the value is. */
#include "base/bytes.h"
#include "base/wire.h"
#include "cell/keyvalue.h"
#include "formats/seqfile/hbase_result.h"

static int bad(const struct hbase_result *r, const char *what, struct err *err) {
    return err_set(err, ERR_INPUT, "%s before byte %zu of the value", what, r->size - r->rest.n);
}

int hbase_result_open(struct hbase_result *r, struct bytes value, struct err *err) {
    struct bytes rest = value, message;
    *r = (struct hbase_result){.size = value.n};
    if (pbwire_delimited(&rest, &message) && rest.n == 0) {
        r->rest = message;
        return 0;
    }
    if (value.n >= 4 && be32(value.p) == value.n - 4) {
        r->rest = bytes_of(value.p + 4, value.n - 4);
        r->writable = true;
        return 0;
    }
    return err_set(err, ERR_INPUT, "the value of %zu bytes is neither a protobuf Result nor one of HBase 0.94", value.n);
}

/* ---- protobuf ---- */

static bool take_cell_field(const struct pbwire_field *f, struct result_cell *c) {
    struct bytes *const to[] = {
        [1] = &c->row, [2] = &c->family, [3] = &c->cell.qualifier, [6] = &c->cell.value, [7] = &c->cell.tags};
    switch (f->number) {
    case 1:
    case 2:
    case 3:
    case 6:
    case 7: *to[f->number] = f->bytes; return f->type == PBWIRE_BYTES;
    case 4: c->cell.ts_ms = (int64_t)f->value; return f->type == PBWIRE_VARINT;
    case 5: c->cell.type = f->value <= 255 ? (uint8_t)f->value : 0; return f->type == PBWIRE_VARINT;
    default: return true;
    }
}

static bool parse_cell(struct bytes message, struct result_cell *c) {
    struct pbwire_field f;
    int rc;
    *c = (struct result_cell){0};
    while ((rc = pbwire_next(&message, &f)) > 0)
        if (!take_cell_field(&f, c)) return false;
    return rc == 0;
}

static int next_protobuf(struct hbase_result *r, struct result_cell *c, struct err *err) {
    struct pbwire_field f;
    int rc;
    while ((rc = pbwire_next(&r->rest, &f)) > 0) {
        if (f.number == 1) {
            if (f.type != PBWIRE_BYTES || !parse_cell(f.bytes, c)) return bad(r, "malformed cell", err);
            r->cells++;
            return 1;
        }
        if (f.number == 2 && f.type == PBWIRE_VARINT) r->announced = f.value;
    }
    if (rc < 0) return bad(r, "malformed protobuf", err);
    if (r->announced > r->cells)
        return err_set(err, ERR_INPUT, "the value holds %llu cell%s, but announces %llu", (unsigned long long)r->cells,
                       r->cells == 1 ? "" : "s", (unsigned long long)r->announced);
    return 0;
}

/* ---- 0.94 ---- */

static bool parse_key_value(struct bytes kv, struct result_cell *c) {
    struct kv_key key;
    if (kv.n < 8) return false;
    size_t key_n = be32(kv.p), value_n = be32(kv.p + 4), left = kv.n - 8;
    if (key_n > left || value_n != left - key_n || !kv_key_parse(bytes_of(kv.p + 8, key_n), &key)) return false;
    *c = (struct result_cell){
        .row = key.row,
        .family = key.family,
        .cell = {.qualifier = key.qualifier, .value = bytes_of(kv.p + 8 + key_n, value_n), .ts_ms = key.ts_ms, .type = key.type}};
    return true;
}

static int next_writable(struct hbase_result *r, struct result_cell *c, struct err *err) {
    if (!r->rest.n) return 0;
    size_t n = r->rest.n < 4 ? 0 : be32(r->rest.p);
    if (r->rest.n < 4 || n > r->rest.n - 4) return bad(r, "a cell does not fit", err);
    struct bytes kv = {r->rest.p + 4, n};
    r->rest = bytes_of(kv.p + n, r->rest.n - 4 - n);
    if (!parse_key_value(kv, c)) return bad(r, "malformed KeyValue", err);
    r->cells++;
    return 1;
}

int hbase_result_next(struct hbase_result *r, struct result_cell *c, struct err *err) {
    return r->writable ? next_writable(r, c, err) : next_protobuf(r, c, err);
}
