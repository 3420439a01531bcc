/* Limits to figures of a skew report: --fail-above rows:max/mean=1.5,gini=0.2. A limit is exceeded by a larger value, never by an
 * equal one. Figures are those of all families together, as the report's first table has them. */
#include "base/json.h"
#include "cmd/verify/skew/skew_gates.h"
#include "cmd/verify/skew/skew_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum figure { MAX_MEAN, CV, GINI, EMPTY, NODES_MAX_MEAN, ABOVE_LIMIT, FIGURES };
static const char *const figures[FIGURES] = {"max/mean", "cv", "gini", "empty", "nodes-max/mean", "above-limit"};

/* Servers and the limit are of KeyValue bytes: there is nothing to choose. */
static bool has_measure(enum figure f) {
    return f != NODES_MAX_MEAN && f != ABOVE_LIMIT;
}

void skew_gate_name(const struct skew_gate *g, char out[48]) {
    const bool measured = has_measure(g->figure);
    snprintf(out, 48, "%s%s%s", measured ? skew_measure_name(g->measure) : "", measured ? ":" : "", figures[g->figure]);
}

static int refuse_gate(const char *item, struct err *err) {
    return err_set(err, ERR_USAGE,
                   "--fail-above '%s': expected [MEASURE:]FIGURE=LIMIT, with the figure max/mean, cv, gini, empty, "
                   "nodes-max/mean or above-limit, and the measure rows, cells, kv_bytes (default) or file_bytes",
                   item);
}

static bool take_measure(const char *name, size_t n, enum skew_measure *out) {
    for (unsigned m = 0; m < SKEW_MEASURES; m++)
        if (strlen(skew_measure_name(m)) == n && !memcmp(skew_measure_name(m), name, n)) {
            *out = m;
            return true;
        }
    return false;
}

static bool take_figure(const char *name, size_t n, unsigned *out) {
    for (*out = 0; *out < FIGURES; ++*out)
        if (strlen(figures[*out]) == n && !memcmp(figures[*out], name, n)) return true;
    return false;
}

static int parse_gate(const char *item, bool quick, struct skew_gate *g, struct err *err) {
    const char *colon = strchr(item, ':'), *name = colon ? colon + 1 : item, *equals = strchr(name, '=');
    char *end = NULL;
    *g = (struct skew_gate){.measure = SKEW_KV_BYTES, .limit = equals ? strtod(equals + 1, &end) : 0};
    if (!equals || end == equals + 1 || *end || !isfinite(g->limit) || g->limit < 0 ||
        !take_figure(name, (size_t)(equals - name), &g->figure) ||
        (colon && (!has_measure(g->figure) || !take_measure(item, (size_t)(colon - item), &g->measure))))
        return refuse_gate(item, err);
    if (quick && g->measure == SKEW_ROWS)
        return err_set(err, ERR_USAGE, "--fail-above '%s': --quick does not count rows; omit it, or limit cells or bytes", item);
    return 0;
}

int skew_gates_parse(const char *text, bool quick, struct skew_gates *out, struct err *err) {
    *out = (struct skew_gates){.n = 0};
    char *list = text ? strdup(text) : NULL, *at = list, *item;
    int rc = 0;
    if (!text) return 0;
    if (!list) return err_nomem(err, strlen(text), "--fail-above");
    while (!rc && (item = strsep(&at, ",")))
        rc = out->n == SKEW_GATES_MAX ? err_set(err, ERR_USAGE, "--fail-above: more than %d limits", SKEW_GATES_MAX)
                                      : parse_gate(item, quick, &out->gate[out->n++], err);
    free(list);
    return rc;
}

static double value_of(const struct skew_gate *g, const struct skew_view *v) {
    const struct spread *s = &v->all.spread[g->measure];
    switch ((enum figure)g->figure) {
    case MAX_MEAN: return s->max_mean;
    case CV: return s->cv;
    case GINI: return s->gini;
    case EMPTY: return s->empty;
    case NODES_MAX_MEAN: return v->nodes.round_robin_max_mean;
    case ABOVE_LIMIT: return v->n_over;
    case FIGURES: break;
    }
    return 0;
}

unsigned skew_gates_judge(struct skew_gates *g, const struct skew_view *v) {
    unsigned exceeded = 0;
    for (unsigned i = 0; i < g->n; i++) {
        g->gate[i].value = value_of(&g->gate[i], v);
        g->gate[i].exceeded = g->gate[i].value > g->gate[i].limit;
        exceeded += g->gate[i].exceeded;
    }
    return exceeded;
}

json_t *skew_gates_json(const struct skew_gates *g) {
    json_t *list = json_array();
    for (unsigned i = 0; i < g->n; i++) {
        char name[48];
        skew_gate_name(&g->gate[i], name);
        json_array_append_new(list, json_new(JSON("figure", name), JSON("limit", g->gate[i].limit),
                                             JSON("value", g->gate[i].value), JSON("exceeded", g->gate[i].exceeded)));
    }
    return list;
}
