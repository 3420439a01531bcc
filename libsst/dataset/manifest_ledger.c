#include "dataset/manifest_ledger.h"

#include "dataset/manifest_value.h"

json_t *manifest_tally(struct tally t) {
    char hex[DIGEST_HEX];
    digest_print(t.digest, hex);
    return json_pack("{s:I, s:s}", "cells", (json_int_t)t.cells, "digest", hex);
}

int manifest_tally_parse(const json_t *j, struct tally *t, struct err *err) {
    const char *hex = json_string_value(json_object_get(j, "digest"));
    if (manifest_u64(j, "cells", &t->cells, err)) return -1;
    if (hex && digest_parse(hex, &t->digest)) return 0;
    return err_set(err, ERR_INPUT, "manifest: a digest is malformed");
}

static bool is_part(int cause, enum verdict verdict) {
    return cause_verdict((enum cause)cause) == verdict && cause_name((enum cause)cause);
}

json_t *manifest_ledger_drop(const struct ledger *l, enum verdict v) {
    json_t *j = manifest_tally(l->dropped[v]), *by = json_object();
    for (int c = 0; c < CAUSE_COUNT && !l->unparted; c++)
        if (is_part(c, v)) json_object_set_new(by, cause_name((enum cause)c), manifest_tally(l->by[c]));
    if (json_object_size(by))
        json_object_set_new(j, "by", by);
    else
        json_decref(by);
    return j;
}

json_t *manifest_ledger_cells(const struct ledger *l) {
    json_t *cells = json_pack("{s:o, s:o}", "in", manifest_tally(l->in), "rejected", manifest_tally(l->rejected));
    for (enum verdict v = 0; v < VERDICT_COUNT; v++) json_object_set_new(cells, verdict_name(v), manifest_ledger_drop(l, v));
    return cells;
}

json_t *manifest_ledger_json(const struct ledger *l) {
    json_t *j = json_pack("{s:{s:I, s:I, s:I, s:I}, s:o}", "records", "read", (json_int_t)l->records_read, "accepted",
                          (json_int_t)l->records_accepted, "rejected", (json_int_t)l->records_rejected, "skipped",
                          (json_int_t)l->records_skipped, "cells", manifest_ledger_cells(l));
    const struct lost_count *lost = &l->lost;
    if (lost->places)
        json_object_set_new(j, "lost",
                            json_pack("{s:I, s:I, s:I}", "places", (json_int_t)lost->places, "cells", (json_int_t)lost->cells,
                                      "uncounted", (json_int_t)lost->uncounted));
    return j;
}

static int lost_parse(const json_t *j, struct lost_count *out, struct err *err) {
    if (!j) return 0;
    return manifest_u64(j, "places", &out->places, err) || manifest_u64(j, "cells", &out->cells, err) ||
                   manifest_u64(j, "uncounted", &out->uncounted, err)
               ? -1
               : 0;
}

/* Of what v took away; manifests of earlier versions do not say. */
static int parts_parse(const json_t *j, enum verdict v, struct ledger *l, struct err *err) {
    const json_t *by = json_object_get(j, "by");
    for (int c = 0; c < CAUSE_COUNT; c++) {
        if (cause_verdict((enum cause)c) != v) continue;
        if (!is_part(c, v)) {
            if (v != VERDICT_KEEP) l->by[c] = l->dropped[v];
        } else if (!by) {
            l->unparted = 1;
        } else if (manifest_tally_parse(json_object_get(by, cause_name((enum cause)c)), &l->by[c], err)) {
            return -1;
        }
    }
    return 0;
}

static int verdict_parse(const json_t *cells, enum verdict v, struct ledger *l, struct err *err) {
    const json_t *j = json_object_get(cells, verdict_name(v));
    return manifest_tally_parse(j, &l->dropped[v], err) || parts_parse(j, v, l, err) ? -1 : 0;
}

int manifest_ledger_parse(const json_t *j, struct ledger *l, struct err *err) {
    const json_t *r = json_object_get(j, "records"), *c = json_object_get(j, "cells");
    if (manifest_u64(r, "read", &l->records_read, err) || manifest_u64(r, "accepted", &l->records_accepted, err) ||
        manifest_u64(r, "rejected", &l->records_rejected, err) || manifest_u64(r, "skipped", &l->records_skipped, err))
        return -1;
    if (manifest_tally_parse(json_object_get(c, "in"), &l->in, err) ||
        manifest_tally_parse(json_object_get(c, "rejected"), &l->rejected, err))
        return -1;
    for (enum verdict v = 0; v < VERDICT_COUNT; v++)
        if (verdict_parse(c, v, l, err)) return -1;
    if (l->unparted) memset(l->by, 0, sizeof l->by);
    return lost_parse(json_object_get(j, "lost"), &l->lost, err);
}
