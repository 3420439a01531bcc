/* Reviews a table that exists already or was designed by hand (--ddl): each finding is a line with its reason and where the rule
 * comes from. The rules are those of OceanBase's guides to the OBKV-HBase data model and its row keys. What the parser of the DDL
 * warns of is among the findings, and so are the records that do not fit the columns. */
#include "base/text.h"
#include "base/warning.h"
#include "cmd/common/report_figures.h"
#include "cmd/split/plan/plan_notes.h"
#include "cmd/split/plan/plan_view.h"
#include "table/placement.h"

#include <math.h>
#include <stdlib.h>

enum { GUIDE_PARTITIONS = 997, TOO_MANY = 4, PREFIXES_EACH = 10, USUAL_KEY_BYTES = 1024 };
enum { FAMILIES_ADVISED = 3 };
enum { SAMPLED_EACH = 100 }; /* with fewer rows for each partition, chance alone makes some uneven */
#define TTL_DOUBTFUL_S (INT64_C(20) * 365 * 86400)
#define DAY_MS INT64_C(86400000) /* days in milliseconds, taken for seconds, are 2.7 years each */

struct review {
    const struct plan_view *v;
    const struct table *t;
    const struct plan_design *d;
    struct buf *out;
    struct buf *refused; /* the finding that some rows have no partition, NUL-terminated */
    json_t **present;    /* the partitioning with what it would hold */
};

static bool is_prime(uint32_t n) {
    for (uint32_t i = 2; i * i <= n; i++)
        if (n % i == 0) return false;
    return n > 1;
}

/* The prime that is not below n, or the greatest one below the guide's limit. */
static uint32_t prime_near(uint32_t n) {
    while (n < GUIDE_PARTITIONS && !is_prime(n)) n++;
    return n < GUIDE_PARTITIONS ? n : GUIDE_PARTITIONS;
}

static int review_prime(const struct review *r, const struct partitioning *level, const char *what, struct err *err) {
    if (level->kind != PARTITION_KEY || level->count < 2 || is_prime(level->count)) return 0;
    return buf_printf(r->out, err, "%u %s: KEY spreads regular keys best over a prime number, such as %u (data model guide)\n",
                      level->count, what, prime_near(level->count));
}

/* "; 3, 2, 2: a node with 2 has 33 % less than one with 3" */
static int review_nodes(const struct review *r, uint32_t count, uint64_t nodes, struct err *err) {
    enum { NODES_SHOWN = 8 };
    const uint64_t least = count / nodes, more = count % nodes;
    if (nodes > NODES_SHOWN || !more || !least) return 0;
    for (uint64_t i = 0; i < nodes; i++)
        if (buf_printf(r->out, err, "%s%llu", i ? ", " : ": ", (unsigned long long)(least + (i < more)))) return -1;
    return buf_printf(r->out, err, ", so one node has %.0f %% less than another", 100.0 / (double)(least + 1));
}

static int review_count(const struct review *r, const struct partitioning *p, struct err *err) {
    const bool two = p->kind == PARTITION_TWO_LEVEL && p->n_levels > 1;
    if (review_prime(r, two ? &p->levels[0] : p, "partitions", err) ||
        (two && review_prime(r, &p->levels[1], "subpartitions", err)))
        return -1;
    if (p->count > GUIDE_PARTITIONS &&
        buf_printf(r->out, err, "%u partitions: at most %d are advised (data model guide)\n", p->count, GUIDE_PARTITIONS))
        return -1;
    const uint64_t nodes = r->v->o->spread.nodes;
    if (p->count >= nodes * PLAN_PER_NODE || nodes < 2 || (p->count == 1 && plan_one_does(r->v))) return 0;
    if (buf_printf(r->out, err,
                   "%u partition%s on %llu nodes: fewer than %d for each node leave nodes unevenly loaded (data model "
                   "guide)",
                   p->count, p->count == 1 ? "" : "s", (unsigned long long)nodes, PLAN_PER_NODE) ||
        review_nodes(r, p->count, nodes, err))
        return -1;
    return buf_printf(r->out, err, "\n");
}

/* Families are tables of one group: each has partitions, memory and files of its own. */
static int review_families(const struct review *r, struct err *err) {
    const uint32_t n = r->t->n_families;
    if (n > FAMILIES_ADVISED)
        return buf_printf(
            r->out, err,
            "%u families: more than %u slow down writes; keep in one family what is read together, and other data in "
            "other tables (data model guide)\n",
            n, FAMILIES_ADVISED);
    if (n < 2) return 0;
    return buf_printf(
        r->out, err,
        "%u families are %u tables of one group; one family does where all columns are read together (data model guide)\n", n, n);
}

static int review_size(const struct review *r, const struct partitioning *p, struct err *err) {
    char each[32], limit[32], total[32];
    const double most = (double)r->v->o->spread.max_partition, bytes = r->v->expected_bytes;
    report_bytes((uint64_t)(bytes / p->count), each);
    report_bytes((uint64_t)most, limit);
    report_bytes((uint64_t)bytes, total);
    if (bytes / p->count > most)
        return buf_printf(
            r->out, err, "%u partition%s of %s each: over the limit of %s, at least %.0f are needed; use %u (data model guide)\n",
            p->count, p->count == 1 ? "" : "s", each, limit, ceil(bytes / most), r->v->wanted);
    if (r->v->expects && p->count > TOO_MANY * r->v->wanted)
        return buf_printf(r->out, err, "%u partitions for %s: %u suffice, and each one takes memory on its node\n", p->count,
                          total, r->v->wanted);
    return 0;
}

/* Reviews a partitioning by substring(K,1,N). */
static int review_prefix(const struct review *r, const struct partitioning *p, struct err *err) {
    const struct key_prefix *x = &p->prefix;
    if (partitioning_is_generated(p) &&
        buf_printf(r->out, err, "it has a generated column: OceanBase loads it without direct load, " DIRECT_LOAD_LOST "\n"))
        return -1;
    if (!x->on || x->pos != 1 || !x->has_len || x->delimiter[0] || x->len < 1 || p->kind != PARTITION_KEY) return 0;
    uint64_t whole = 0;
    for (int64_t i = 0; i < KEY_POSITIONS && i <= x->len; i++) whole += r->d->r.facts.of_length[i];
    if (x->len >= (int64_t)r->d->r.facts.longest || whole * 2 > r->d->r.facts.rows)
        return buf_printf(r->out, err,
                          "substring(K,1,%lld): most keys have no more bytes than that, so it is the whole key; use "
                          "KEY(K) (row key guide)\n"
                          "",
                          (long long)x->len);
    if (key_facts_head(&r->d->r.facts) != HEAD_OTHER &&
        buf_printf(r->out, err,
                   "substring(K,1,%lld) of keys that begin with %s: new rows all go to one partition while these bytes do not "
                   "change (row key guide)\n",
                   (long long)x->len, key_head_text(key_facts_head(&r->d->r.facts))))
        return -1;
    uint64_t prefixes = x->len <= PLAN_PREFIX_MAX ? r->d->r.runs.distinct[x->len] : UINT64_MAX;
    if (prefixes >= (uint64_t)PREFIXES_EACH * p->count) return 0;
    return buf_printf(
        r->out, err,
        "substring(K,1,%lld): %llu different values for %u partitions: some get several times as much as others (row "
        "key guide)\n",
        (long long)x->len, (unsigned long long)prefixes, p->count);
}

static int review_range(const struct review *r, const struct partitioning *p, struct err *err) {
    const struct key_facts *f = &r->d->r.facts;
    if (p->kind != PARTITION_RANGE || p->by != BY_ROW) return 0;
    if (key_facts_head(f) != HEAD_OTHER || f->successors * 2 > f->rows)
        return buf_printf(r->out, err, "RANGE, and keys %s%s: new rows all go to one partition (row key guide)\n",
                          key_facts_head(f) != HEAD_OTHER ? "begin with " : "count up",
                          key_facts_head(f) != HEAD_OTHER ? key_head_text(key_facts_head(f)) : "");
    const uint32_t type = advice_type_bytes(&r->d->r);
    if (type)
        return buf_printf(
            r->out, err,
            "RANGE, and the prefix of %u bytes has %llu different values: where times or ids follow it, new rows all "
            "go to %llu of %u partitions, one for each value (row key guide)\n",
            type, (unsigned long long)r->d->r.runs.distinct[type],
            (unsigned long long)(r->d->r.runs.distinct[type] < p->count ? r->d->r.runs.distinct[type] : p->count), p->count);
    return 0;
}

/* ---- what the partitions hold ---- */

struct weights {
    uint64_t *bytes; /* of each partition, by sampled rows */
    uint64_t all, refused;
    enum place_result why; /* of the refused ones */
};

static void weigh_rows(const struct row_sample *s, const struct placement *own, struct weights *w) {
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t at;
        enum place_result found = placement_of(own, sampled_row_key(&s->rows[i]), &at);
        if (found == PLACE_OK) {
            w->bytes[at] += s->rows[i].bytes;
            w->all += s->rows[i].bytes;
        } else {
            w->refused++;
            w->why = found;
        }
    }
}

static int put_refused(const struct review *r, const struct weights *w, struct err *err) {
    const double percent = 100.0 * (double)w->refused / r->d->r.sample.n;
    if (buf_printf(r->refused, err, "%.1f %% of the rows are refused: %s", percent, placement_why(w->why)) ||
        buf_put_byte(r->refused, 0, err))
        return -1;
    return buf_printf(r->out, err, "%s\n", (const char *)r->refused->p);
}

static int put_weights(const struct review *r, const struct partitioning *p, const struct weights *w, struct err *err) {
    uint32_t most = 0, empty = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        if (w->bytes[i] > w->bytes[most]) most = i;
        empty += !w->bytes[i];
    }
    if (w->refused && put_refused(r, w, err)) return -1;
    const double share = w->all ? (double)w->bytes[most] / (double)w->all : 0;
    if (share * p->count <= PLAN_EVEN || r->d->r.sample.n / p->count < SAMPLED_EACH) return 0;
    if (buf_printf(r->out, err, "partition %.64s holds %.1f %% of the bytes, %.1f times the mean", p->names[most], 100 * share,
                   share * p->count) ||
        (empty && buf_printf(r->out, err, ", and %u of %u hold no row", empty, p->count)))
        return -1;
    return buf_printf(r->out, err, ": writes and storage are uneven (row key guide)\n");
}

/* Keeps what the partitions would hold, all rows together as many bytes as the choices are planned for. */
static int keep_weights(const struct review *r, const struct partitioning *p, const struct weights *w, struct err *err) {
    const double scale = w->all ? r->v->expected_bytes / (double)w->all : 0;
    struct buf text = {0};
    json_t *list = json_array();
    for (uint32_t i = 0; i < p->count; i++)
        json_array_append_new(list, json_integer((json_int_t)((double)w->bytes[i] * scale + 0.5)));
    int rc = partitioning_describe(p, &text, err);
    if (!rc) *r->present = json_pack("{s:o, s:O}", "text", json_stringn((const char *)text.p, text.n), "expected_bytes", list);
    json_decref(list);
    buf_free(&text);
    return rc || *r->present ? rc : err_nomem(err, 0, "the partitions of --ddl");
}

/* KEY of the whole key needs no verdict: the hash spreads rows as the list of choices shows. */
static int review_weights(const struct review *r, const struct partitioning *p, struct err *err) {
    const bool judged = p->kind != PARTITION_NONE && (p->kind != PARTITION_KEY || p->prefix.on);
    struct placement *own = placement_new(p, err);
    struct weights w = {.bytes = own ? calloc(p->count, sizeof *w.bytes) : NULL};
    int rc = own ? 0 : -1;
    if (own && !w.bytes) rc = err_nomem(err, p->count * sizeof *w.bytes, "the partitions of --ddl");
    if (!rc && !placement_splits_rows(own)) {
        weigh_rows(&r->d->r.sample, own, &w);
        rc = keep_weights(r, p, &w, err) || (judged && put_weights(r, p, &w, err)) ? -1 : 0;
    }
    placement_free(own);
    free(w.bytes);
    return rc;
}

/* ---- the rest ---- */

static int review_rejects(const struct review *r, struct err *err) {
    const uint64_t n = r->d->r.ledger.records_rejected;
    char count[32];
    if (!n) return 0;
    return buf_printf(r->out, err, "%s record%s rejected; first: %s\n", report_count(n, count), n == 1 ? " was" : "s were",
                      r->v->first_reject);
}

/* Reviews the length of K, only where records were rejected: tables whose keys are all short may have a short K. */
static int review_key_length(const struct review *r, const struct family *f, struct err *err) {
    if (!r->d->r.ledger.records_rejected || f->k_max >= USUAL_KEY_BYTES) return 0;
    return buf_printf(r->out, err,
                      "family %s: K holds %u bytes, and records with longer keys are rejected; K VARBINARY(%d) is usual (data "
                      "model guide)\n",
                      f->name, f->k_max, USUAL_KEY_BYTES);
}

static int review_warnings(const struct review *r, struct err *err) {
    struct warning_line line;
    for (size_t at = 0; warning_next(&r->t->warnings, &at, &line);)
        if (buf_printf(r->out, err, "%.*s (%s)\n", (int)line.text.n, (const char *)line.text.p, warning_name(line.code)))
            return -1;
    return 0;
}

static int review_family(const struct review *r, const struct family *f, struct err *err) {
    if (review_key_length(r, f, err)) return -1;
    const bool days = f->rules.ttl_s && f->rules.ttl_s % DAY_MS == 0;
    if ((f->rules.ttl_s < TTL_DOUBTFUL_S && !days) || f->rules.ttl_s >= INT32_MAX) return 0;
    return buf_printf(r->out, err,
                      "family %s: TimeToLive is %lld s, that is %lld years; it may have been given in "
                      "milliseconds\n",
                      f->name, (long long)f->rules.ttl_s, (long long)(f->rules.ttl_s / (365 * 86400)));
}

int plan_review(struct plan_view *v, const struct table *t, struct err *err) {
    const struct review r = {v, t, &v->designs[0], &v->review, &v->refused, &v->shown.present};
    const struct partitioning *p = &t->partitioning, *first = p->kind == PARTITION_TWO_LEVEL && p->n_levels ? &p->levels[0] : p;
    int rc = review_rejects(&r, err) || review_warnings(&r, err) || review_count(&r, p, err) || review_families(&r, err);
    if (!rc && r.d->r.facts.rows)
        rc = review_size(&r, p, err) || review_prefix(&r, first, err) || review_range(&r, first, err) ||
             review_weights(&r, p, err);
    for (uint32_t i = 0; i < t->n_families && !rc; i++) rc = review_family(&r, &t->families[i], err);
    if (!rc && !v->review.n) rc = buf_printf(&v->review, err, "nothing to change\n");
    return rc ? -1 : 0;
}
