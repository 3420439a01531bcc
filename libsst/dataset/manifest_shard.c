/* Shards and shares: datasets that are parts of what one run would have made. Their manifests say of which list of inputs, by
 * which settings and by which version, so that a join can prove that nothing is missing, doubled or different.
 *
 *     inputs --N runs--> shards 1 … N --M merges--> shares of the partitions 1 … M --links--> the dataset of one run */
#include "base/json.h"
#include "dataset/alike_manifests.h"
#include "dataset/manifest.h"
#include "dataset/manifest_shard.h"
#include "dataset/manifest_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 1 << 20 };

static json_t *share_json(const struct manifest_share *s) {
    json_t *j = json_new(JSON("number", s->number), JSON("of", s->of), JSON("deletes", s->counts.deletes),
                         JSON("duplicates", s->counts.duplicates), JSON("ts_min", s->counts.ts_min),
                         JSON("ts_max", s->counts.ts_max), JSON("ledger", manifest_ledger_json(&s->whole)));
    if (!s->adds_up) return j;
    if (!json_object_set_new(j, "adds_up", json_true()) && !json_object_set(j, "notes", s->notes)) return j;
    json_decref(j);
    return NULL;
}

int manifest_shard_put(const struct manifest *m, json_t *head) {
    const struct manifest_shard *s = &m->shard;
    int rc = 0;
    if (s->of)
        rc = json_object_set_new(head, "shard",
                                 json_pack("{s:I, s:I, s:s, s:I, s:I, s:O?, s:O?}", "number", (json_int_t)s->number, "of",
                                           (json_int_t)s->of, "listing", s->listing, "first", (json_int_t)s->first, "all",
                                           (json_int_t)s->all, "rows", s->rows, "notes", s->notes));
    if (!rc && m->share.of) rc = json_object_set_new(head, "share", share_json(&m->share));
    return rc;
}

static int parse_numbers(const json_t *j, const char *what, uint32_t *number, uint32_t *of, struct err *err) {
    if (manifest_u32(j, "number", number, err) || manifest_u32(j, "of", of, err)) return -1;
    if (*number && *of <= PARTS_MAX && *number <= *of) return 0;
    return err_set(err, ERR_INPUT, "manifest: %s %u of %u", what, *number, *of);
}

int manifest_shard_parse(const json_t *head, struct manifest *m, struct err *err) {
    const json_t *shard = json_object_get(head, "shard"), *share = json_object_get(head, "share");
    const char *listing = json_string_value(json_object_get(shard, "listing"));
    if (shard) {
        if (parse_numbers(shard, "shard", &m->shard.number, &m->shard.of, err) ||
            manifest_u32(shard, "first", &m->shard.first, err) || manifest_u32(shard, "all", &m->shard.all, err))
            return -1;
        if (!listing || strlen(listing) != sizeof m->shard.listing - 1)
            return err_set(err, ERR_INPUT, "manifest: the shard has no hash of its list of inputs");
        memcpy(m->shard.listing, listing, sizeof m->shard.listing);
        m->shard.rows = json_incref(json_object_get(shard, "rows"));
        m->shard.notes = json_incref(json_object_get(shard, "notes"));
    }
    if (!share) return 0;
    if (parse_numbers(share, "share", &m->share.number, &m->share.of, err) ||
        manifest_u64(share, "deletes", &m->share.counts.deletes, err) ||
        manifest_u64(share, "duplicates", &m->share.counts.duplicates, err) ||
        manifest_i64(share, "ts_min", &m->share.counts.ts_min, err) ||
        manifest_i64(share, "ts_max", &m->share.counts.ts_max, err))
        return -1;
    m->share.adds_up = json_is_true(json_object_get(share, "adds_up"));
    m->share.notes = json_incref(json_object_get(share, "notes"));
    return manifest_ledger_parse(json_object_get(share, "ledger"), &m->share.whole, err);
}

/* ---- are they all there, and of one run? ---- */

/* Adds the settings that differ between m and first, or else their kinds. */
static int put_differences(struct buf *out, const struct manifest *m, const struct manifest *first, struct err *err) {
    const char *kind = dataset_kind_name(m->kind), *first_kind = dataset_kind_name(first->kind);
    if (manifest_put_differences(out, m->settings, first->settings, err)) return -1;
    if (out->n || m->kind == first->kind) return 0;
    return buf_printf(out, err, "kind %s instead of %s", kind ? kind : "nothing", first_kind ? first_kind : "nothing");
}

static int check_same_settings(const struct manifest *m, const char *name, const struct manifest *first, const char *first_name,
                               struct err *err) {
    struct buf how = {0};
    if (json_equal(m->settings, first->settings) && m->kind == first->kind) return 0;
    if (!put_differences(&how, m, first, err))
        err_set(err, ERR_USAGE, "%s was made with other settings than %s: %s; make both with the same options", name, first_name,
                how.n ? (const char *)how.p : "their manifests name others");
    buf_free(&how);
    return -1;
}

static int check_same_run(const struct manifest *m, const char *const *names, size_t i, struct err *err) {
    if (strcmp(m[0].tool, m[i].tool))
        return err_set(err, ERR_USAGE, "%s was made by %s, %s by %s: make them with one version", names[0], m[0].tool, names[i],
                       m[i].tool);
    if (m[0].now_ms != m[i].now_ms)
        return err_set(err, ERR_USAGE, "%s was made with another time than %s; make both with the same --now", names[i],
                       names[0]);
    if (check_same_settings(&m[i], names[i], &m[0], names[0], err)) return -1;
    if (strcmp(m[0].shard.listing, m[i].shard.listing) || m[0].shard.all != m[i].shard.all)
        return err_set(err, ERR_USAGE, "%s was made of another list of inputs than %s: names, sizes or times of files differ",
                       names[i], names[0]);
    return 0;
}

/* Put in place: number k goes to k - 1. of and number: as this kind of part has them. */
static int put_in_order(struct manifest *m, const char **names, size_t n, const char *what, bool shards, struct err *err) {
    uint32_t of = shards ? m[0].shard.of : m[0].share.of;
    size_t *at = calloc((size_t)of + 1, sizeof *at);
    int rc = at ? 0 : err_nomem(err, of * sizeof *at, "the list of inputs");
    for (size_t i = 0; !rc && i < n; i++) {
        uint32_t number = shards ? m[i].shard.number : m[i].share.number;
        if (at[number - 1])
            rc = err_set(err, ERR_USAGE, "%s and %s are both %s %u of %u", names[at[number - 1] - 1], names[i], what, number, of);
        at[number - 1] = i + 1;
    }
    for (uint32_t k = 0; !rc && k < of; k++)
        if (!at[k]) rc = err_set(err, ERR_USAGE, "%s %u of %u is missing", what, k + 1, of);
    for (size_t i = 0; !rc && i < n;) { /* each swap puts one where it belongs */
        size_t to = (shards ? m[i].shard.number : m[i].share.number) - 1;
        if (to == i) {
            i++;
            continue;
        }
        struct manifest other = m[to];
        const char *name = names[to];
        m[to] = m[i];
        names[to] = names[i];
        m[i] = other;
        names[i] = name;
    }
    free(at);
    return rc;
}

static int check_counts(const struct manifest *m, const char *const *names, size_t n, const char *what, bool shards,
                        struct err *err) {
    for (size_t i = 0; i < n; i++) {
        uint32_t of = shards ? m[i].shard.of : m[i].share.of, first = shards ? m[0].shard.of : m[0].share.of;
        if (!of) return err_set(err, ERR_USAGE, "%s is no %s: all inputs must be of one kind", names[i], what);
        if (of != first) return err_set(err, ERR_USAGE, "%s is one of %u %ss, %s one of %u", names[0], first, what, names[i], of);
    }
    return 0;
}

/* Each begins at the row where the one before it ends: so each row is in one of them. */
static int check_rows(const struct manifest *m, const char *const *names, size_t n, struct err *err) {
    for (size_t i = 1; i < n; i++) {
        const char *end = json_string_value(json_array_get(m[i - 1].shard.rows, 1)),
                   *begin = json_string_value(json_array_get(m[i].shard.rows, 0));
        if (!end != !begin || (end && strcmp(end, begin)))
            return err_set(err, ERR_INPUT, "%s begins at another row than that at which %s ends: make all shards anew", names[i],
                           names[i - 1]);
    }
    return 0;
}

int manifest_shards_check(struct manifest *m, const char **names, size_t n, struct err *err) {
    if (check_counts(m, names, n, "shard", true, err)) return -1;
    for (size_t i = 1; i < n; i++)
        if (check_same_run(m, names, i, err)) return -1;
    return put_in_order(m, names, n, "shard", true, err) ? -1 : check_rows(m, names, n, err);
}

static bool same_ledger(const struct ledger *a, const struct ledger *b) {
    return a->records_read == b->records_read && a->records_accepted == b->records_accepted && a->in.cells == b->in.cells &&
           digest_eq(a->in.digest, b->in.digest);
}

/* Shares of a join hold the cells that the shards held. Those of a compaction have read what was given, and dropped some. */
static int check_sum_of_shares(const struct manifest *m, size_t n, struct err *err) {
    bool read = m[0].share.adds_up;
    const struct ledger *whole = &m[0].share.whole;
    const struct tally *all = read ? &whole->in : ledger_written(whole);
    struct tally sum = {0};
    for (size_t i = 0; i < n; i++) tally_add(&sum, read ? m[i].ledger.in : *ledger_written(&m[i].ledger));
    if (sum.cells == all->cells && digest_eq(sum.digest, all->digest)) return 0;
    return err_set(err, ERR_INPUT, "the shares %s %llu cells, %s held %llu%s", read ? "have read" : "hold",
                   (unsigned long long)sum.cells, read ? "their inputs" : "the shards", (unsigned long long)all->cells,
                   sum.cells == all->cells ? " with another digest" : "");
}

int manifest_shares_check(struct manifest *m, const char **names, size_t n, struct err *err) {
    if (check_counts(m, names, n, "share", false, err)) return -1;
    for (size_t i = 1; i < n; i++) {
        if (check_same_run(m, names, i, err)) return -1;
        if (!same_ledger(&m[0].share.whole, &m[i].share.whole) || !alike_manifests_inputs(&m[0], &m[i]) ||
            m[0].share.adds_up != m[i].share.adds_up)
            return err_set(err, ERR_USAGE, "%s was made of other inputs than %s", names[i], names[0]);
    }
    return put_in_order(m, names, n, "share", false, err) ? -1 : check_sum_of_shares(m, n, err);
}

/* ---- their inputs ---- */

/* Two parts of one input: checksums of parts of a text add up (base/stretch_sum.h), those of a store are of its list of files. */
static void add_part(struct manifest_input *a, const struct manifest_input *b) {
    a->records += b->records;
    tally_add(&a->tally, b->tally);
    if (!a->by_stretches || !b->by_stretches) return;
    uint64_t sum = strtoull(a->checksum, NULL, 16) + strtoull(b->checksum, NULL, 16);
    snprintf(a->checksum, sizeof a->checksum, "%016llx", (unsigned long long)sum);
}

static int check_number_of_inputs(const struct manifest *m, size_t n, struct err *err) {
    size_t listed = 0;
    for (size_t i = 0; i < n; i++) listed += m[i].n_inputs;
    if (m[0].shard.all <= listed) return 0;
    return err_set(err, ERR_INPUT, "the shards have %zu inputs, their list has %u", listed, m[0].shard.all);
}

int manifest_shards_inputs(const struct manifest *m, size_t n, struct manifest *out, struct err *err) {
    if (check_number_of_inputs(m, n, err)) return -1;
    out->inputs = calloc((size_t)m[0].shard.all + 1, sizeof *out->inputs);
    if (!out->inputs) return err_nomem(err, m[0].shard.all * sizeof *out->inputs, "the manifest");
    for (size_t i = 0; i < n; i++) {
        size_t first = m[i].shard.first;
        bool goes_on = m[i].n_inputs && first + 1 == out->n_inputs;
        if (m[i].n_inputs && !goes_on && first != out->n_inputs)
            return err_set(err, ERR_INPUT, "shard %zu of %zu begins at input %zu, the one before it ends at %zu", i + 1, n, first,
                           out->n_inputs);
        if (first + m[i].n_inputs > m[0].shard.all)
            return err_set(err, ERR_INPUT, "shard %zu of %zu has more inputs than its list", i + 1, n);
        for (size_t k = 0; k < m[i].n_inputs; k++) {
            const struct manifest_input *in = &m[i].inputs[k];
            if (!k && goes_on) {
                if (strcmp(out->inputs[first].path, in->path))
                    return err_set(err, ERR_INPUT, "shard %zu of %zu continues with %s, the one before it ended with %s", i + 1,
                                   n, in->path, out->inputs[first].path);
                add_part(&out->inputs[first], in);
                continue;
            }
            out->inputs[out->n_inputs++] = *in;
        }
    }
    if (out->n_inputs == m[0].shard.all) return 0;
    return err_set(err, ERR_INPUT, "the shards have %zu inputs, their list has %u", out->n_inputs, m[0].shard.all);
}
