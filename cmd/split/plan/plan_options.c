/* The options of `obkv-split plan` that are more than a number or a file name: what goes together, how clients read the table,
 * sizes with replicas and growth, and which choice -o writes. */
#include "cmd/common/opt_given.h"
#include "cmd/common/opt_value.h"
#include "cmd/split/plan/plan_options.h"
#include "cmd/split/plan/plan_view.h"

#include "cmd/split/split.h"
#include "table/partitioning.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPLICAS_MOST = 16 };

static int take_counts(struct plan_view *v, const char *list, struct err *err) {
    for (const char *p = list; *p;) {
        char *end;
        errno = 0;
        unsigned long n = strtoul(p, &end, 10);
        if (end == p || errno || (*end && *end != ',') || n < 2 || n > PARTITIONS_MAX || v->counts.n == PLAN_COUNTS_MAX)
            return err_set(err, ERR_USAGE, "--counts %s: expected up to %d numbers from 2 to %d with commas between them", list,
                           PLAN_COUNTS_MAX, PARTITIONS_MAX);
        v->counts.list[v->counts.n++] = (uint32_t)n;
        p = *end ? end + 1 : end;
    }
    v->counts.asked = v->counts.n;
    return v->counts.n ? 0 : err_set(err, ERR_USAGE, "--counts: no number given");
}

/* The count of `--take range:10` is planned, too; only those of --counts are recommended. */
static void add_taken(struct plan_view *v, const char *take) {
    const char *colon = take ? strchr(take, ':') : NULL;
    const unsigned long n = colon ? strtoul(colon + 1, NULL, 10) : 0;
    for (uint32_t i = 0; i < v->counts.n; i++)
        if (v->counts.list[i] == n) return;
    if (n >= 2 && n <= PARTITIONS_MAX && v->counts.n < PLAN_COUNTS_MAX) v->counts.list[v->counts.n++] = (uint32_t)n;
}

/* "30%/y", "30%", "0.3" */
static int take_growth(const char *text, double *out, struct err *err) {
    char *end;
    double v = strtod(text, &end);
    if (end != text && *end == '%') {
        v /= 100;
        end++;
    }
    if (end != text && !strcmp(end, "/y")) end += 2;
    if (end == text || *end || !(v > -1) || v > 100)
        return err_set(err, ERR_USAGE, "--expect SIZE,growth=%s: expected a share a year, as 30%%/y", text);
    *out = v;
    return 0;
}

static int take_sample_by(const char *text, enum sample_by *out, struct err *err) {
    *out = SAMPLE_AUTO;
    if (!text || !strcmp(text, "auto")) return 0;
    for (enum sample_by by = SAMPLE_BLOCKS; by <= SAMPLE_ROWS; by++) {
        if (strcmp(text, sample_by_name(by)) != 0) continue;
        *out = by;
        return 0;
    }
    return err_set(err, ERR_USAGE, "--sample-by %s: expected blocks, rows or auto", text);
}

/* "get", "range", "prefix:8" */
static int take_access(const char *text, struct plan_view *v, struct err *err) {
    char *end;
    if (!text) return 0;
    v->access = !strcmp(text, "get") ? ACCESS_GET : !strcmp(text, "range") ? ACCESS_RANGE : ACCESS_PREFIX;
    if (v->access != ACCESS_PREFIX) return 0;
    unsigned long n = strncmp(text, "prefix:", 7) ? 0 : strtoul(text + 7, &end, 10);
    if (!n || *end || n > PLAN_PREFIX_MAX)
        return err_set(err, ERR_USAGE, "--access %s: expected get, prefix:N with 1 to %d leading bytes, or range", text,
                       PLAN_PREFIX_MAX);
    v->access_bytes = (uint32_t)n;
    return 0;
}

struct expectation {
    uint64_t bytes, replicas, years;
    double growth;
};

/* Takes replicas=3, growth=30%/y or years=5. */
static int take_part(struct expectation *x, const char *part, struct err *err) {
    const char *value = strchrnul(part, '=');
    const size_t n = (size_t)(value - part);
    value += *value == '=';
    if (n == strlen("growth") && !strncmp(part, "growth", n)) return take_growth(value, &x->growth, err);
    if (n == strlen("years") && !strncmp(part, "years", n) && !opt_size(value, &x->years)) return 0;
    const bool is_replicas = n == strlen("replicas") && !strncmp(part, "replicas", n);
    if (is_replicas && !opt_size(value, &x->replicas) && x->replicas && x->replicas <= REPLICAS_MOST) return 0;
    if (is_replicas) return err_set(err, ERR_USAGE, "--expect SIZE,%s: expected 1 to %d replicas", part, REPLICAS_MOST);
    return err_set(err, ERR_USAGE, "--expect SIZE,%s: expected replicas=N, growth=PERCENT or years=N", part);
}

static int take_expectation(const char *text, struct expectation *x, struct err *err) {
    char copy[200], *rest = copy, *size = NULL;
    if (snprintf(copy, sizeof copy, "%s", text) < (int)sizeof copy) size = strsep(&rest, ",");
    if (!size || opt_size(size, &x->bytes))
        return err_set(err, ERR_USAGE,
                       "--expect %.100s: expected a size like 2T, which replicas=N, growth=PERCENT and years=N may "
                       "follow",
                       text);
    while (rest)
        if (take_part(x, strsep(&rest, ","), err)) return -1;
    if (x->years && x->growth == 0) return err_set(err, ERR_USAGE, "--expect %s: years needs growth=PERCENT", text);
    return 0;
}

/* Makes of the size of all replicas, today, that of one replica at the end of the years. */
static int take_size(const struct options *o, struct plan_view *v, struct err *err) {
    enum { YEARS_USUAL = 3 };
    struct expectation x = {.replicas = 1};
    const char *text = split_options(o)->plan.expect;
    if (text && take_expectation(text, &x, err)) return -1;
    v->replicas = (uint32_t)x.replicas;
    v->expects = x.bytes > 0;
    v->expected_bytes = (double)x.bytes * pow(1 + x.growth, x.years ? (double)x.years : YEARS_USUAL) / v->replicas;
    return 0;
}

/* Refuses options that do not go together. */
static int check_options(const struct options *o, struct err *err) {
    static const char *const made[] = {"seed", "interval", "cell-bytes"}, *const written[] = {"take", "name"};
    const struct split_options *own = split_options(o);
    if (!o->spread.nodes || o->spread.nodes > NODES_MAX)
        return err_set(err, ERR_USAGE, "--nodes %llu: expected 1 to %d", (unsigned long long)o->spread.nodes, NODES_MAX);
    if (!o->spread.max_partition) return err_set(err, ERR_USAGE, "--max-partition must not be 0");
    if (!own->generate && !o->n_inputs)
        return err_set(err, ERR_USAGE,
                       "plan: no input given; give inputs, or --generate "
                       "N --key EXPR");
    if (own->generate && o->n_inputs) return err_set(err, ERR_USAGE, "plan: give either inputs or --generate");
    if (own->generate && !own->key && !own->plan.tries.n)
        return err_set(err, ERR_USAGE, "--generate needs --key EXPR, an expression over counter, now and random");
    if (!own->generate && own->key && !o->in.columns)
        return err_set(err, ERR_USAGE,
                       "--key needs --generate, or the --columns of a text whose row key it builds; for keys of existing rows, "
                       "see --try");
    for (size_t i = 0; i < countof(made); i++)
        if (!own->generate && opt_given(o, made[i])) return err_set(err, ERR_USAGE, "--%s needs --generate", made[i]);
    for (size_t i = 0; i < countof(written); i++)
        if (!o->out.dir && opt_given(o, written[i])) return err_set(err, ERR_USAGE, "--%s needs -o DIR", written[i]);
    if (own->generate && (own->plan.sample_by || opt_given(o, "sample")))
        return err_set(err, ERR_USAGE, "--sample and --sample-by apply to inputs; all generated rows are used");
    return 0;
}

int plan_options_take(struct plan_view *v, enum sample_by *by, struct plan_generator *made, struct err *err) {
    const struct split_options *own = split_options(v->o);
    *made = (struct plan_generator){own->generate, own->seed, (int64_t)own->interval, (uint32_t)own->cell_bytes};
    if (check_options(v->o, err) || take_sample_by(own->plan.sample_by, by, err) || take_size(v->o, v, err) ||
        take_access(own->plan.access, v, err) || take_counts(v, own->plan.counts, err))
        return -1;
    add_taken(v, own->plan.take);
    return 0;
}

/* ---- --take ---- */

static int not_taken(const char *text, uint32_t listed, struct err *err) {
    return err_set(err, ERR_USAGE,
                   "--take %s: expected a rank from 1 to %u, or a choice by name, such as key:97, key:97:substring(1,4) "
                   "or range:97",
                   text, listed);
}

static int take_named(const struct plan_design *d, const char *text, const struct candidate **out, struct err *err) {
    const char *colon = strchr(text, ':');
    unsigned prefix = 0, n = 0;
    int used = 0;
    for (unsigned k = 0; colon && k < PLAN_KINDS; k++) {
        const char *name = plan_kind_name((enum plan_kind)k);
        if (strlen(name) != (size_t)(colon - text) || memcmp(name, text, strlen(name)) != 0) continue;
        if (sscanf(colon, ":%u:substring(1,%u)%n", &n, &prefix, &used) != 2 || colon[used]) {
            prefix = 0;
            if (sscanf(colon, ":%u%n", &n, &used) != 1 || colon[used]) break;
        }
        *out = plan_view_find(d, (enum plan_kind)k, prefix, n);
        return *out ? 0 : not_taken(text, d->listed, err);
    }
    return not_taken(text, d->listed, err);
}

int plan_options_choice(const struct plan_view *v, const struct candidate **out, struct err *err) {
    const struct plan_design *d = &v->designs[0];
    const char *text = split_options(v->o)->plan.take;
    char *end;
    unsigned long place = strtoul(text, &end, 10);
    if (end == text || *end) return take_named(d, text, out, err);
    if (!place || place > d->listed) return not_taken(text, d->listed, err);
    *out = &d->list[place - 1];
    return 0;
}
