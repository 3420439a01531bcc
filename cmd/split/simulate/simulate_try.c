/* `simulate --try`: the same writes under other row keys, side by side. Each key is a simulation by itself, of which only a few
 * figures are kept, so that memory holds one simulation at a time whatever the number of keys. */
#include "cmd/common/output_text.h"
#include "cmd/common/report_figures.h"
#include "cmd/split/simulate/simulate_try.h"
#include "cmd/split/simulate/simulate_view.h"

#include <stdio.h>
#include <string.h>

enum { KEY_WIDTH = 40 };

void simulate_design_take(struct simulate_design *d, const char *key, const struct simulate_view *v) {
    const struct write_history_figures *o = &v->partitions.figures, *h = &v->regions.figures;
    *d = (struct simulate_design){
        .key = key,
        .writes = v->counted.writes,
        .unfit = v->r.facts.unfit,
        .partitions = {v->partitions.history->places, o->hottest_mean, o->hottest_most, o->slice_max_mean}};
    memcpy(d->unfit_why, v->r.facts.unfit_why, sizeof d->unfit_why);
    if (!v->emulated) {
        d->regions = (struct simulate_heat){v->regions.history->places, h->hottest_mean, h->hottest_most, h->slice_max_mean};
        return;
    }
    const struct sim_totals *t = &v->cluster.report->totals;
    d->regions = (struct simulate_heat){t->regions, v->hot.mean, v->hot.most, v->hot.ratio};
    d->write_amplification = t->write_amplification;
    d->delay_ms = t->delay_ms;
}

const char *simulate_design_name(const struct simulate_design *d) {
    return d->key ? d->key : "(keys as they are)";
}

/* ---- which is most even ---- */

/* Less than this is chance. */
static const double SAME = 1.05;

static const struct simulate_heat *heat_of(const struct simulate_design *d, bool regions) {
    return regions ? &d->regions : &d->partitions;
}

/* The one whose hottest place is least above the mean, of about equal ones the first; *differ: not all are about equal. */
static const struct simulate_design *most_even(const struct simulate_view *v, bool regions, bool *differ) {
    const struct simulate_design *best = NULL;
    double least = 0, most = 0;
    for (uint32_t i = 0; i < v->n_designs; i++) {
        const double heat = heat_of(&v->designs[i], regions)->max_mean;
        if (!v->designs[i].writes) continue;
        if (!best || heat * SAME < heat_of(best, regions)->max_mean) best = &v->designs[i];
        if (least <= 0 || heat < least) least = heat;
        if (heat > most) most = heat;
    }
    *differ = most > least * SAME;
    return best;
}

/* Returns how many of the keys give rows. */
static uint32_t with_rows(const struct simulate_view *v) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->n_designs; i++) n += v->designs[i].writes > 0;
    return n;
}

/* "Over regions, all keys are about equally even. " */
static int put_alike(const struct simulate_view *v, const struct simulate_design *d, const char *place, struct buf *out,
                     struct err *err) {
    const uint32_t n = with_rows(v);
    if (n == 1) return buf_printf(out, err, "Over %ss, only %s gives rows. ", place, simulate_design_name(d));
    return buf_printf(out, err, "Over %ss, all keys%s are about equally even. ", place,
                      n < v->n_designs ? " that give rows" : "");
}

static int put_most_even(const struct simulate_view *v, bool regions, struct buf *out, struct err *err) {
    const char *place = regions ? "region" : "partition";
    bool differ;
    const struct simulate_design *d = most_even(v, regions, &differ);
    if (!d) return 0;
    const struct simulate_heat *h = heat_of(d, regions);
    if (differ ? buf_printf(out, err, "Most even over %ss: %s. ", place, simulate_design_name(d))
               : put_alike(v, d, place, out, err))
        return -1;
    return buf_printf(out, err, "The hottest of %u takes %.1f %%, %.1f times the mean.", h->places, 100 * h->mean, h->max_mean);
}

int simulate_designs_verdict(const struct simulate_view *v, struct buf *out, struct err *err) {
    return put_most_even(v, true, out, err) || buf_put_byte(out, ' ', err) || put_most_even(v, false, out, err) ? -1 : 0;
}

/* ---- text ---- */

static int put_heat(const struct simulate_heat *h, struct buf *out, struct err *err) {
    return buf_printf(out, err, " %8u %7.1f %% %7.1f %% %8.2f", h->places, 100 * h->mean, 100 * h->most, h->max_mean);
}

static int put_design(const struct simulate_view *v, const struct simulate_design *d, struct buf *out, struct err *err) {
    char writes[32];
    if (buf_printf(out, err, "  %-*.*s %12s", KEY_WIDTH, KEY_WIDTH, simulate_design_name(d), report_count(d->writes, writes)) ||
        put_heat(&d->regions, out, err) || put_heat(&d->partitions, out, err))
        return -1;
    if (v->emulated && buf_printf(out, err, " %8.2f", d->write_amplification)) return -1;
    if (buf_put_byte(out, '\n', err)) return -1;
    return d->unfit ? buf_printf(out, err, "    %s give no key: %s\n", report_count(d->unfit, writes), d->unfit_why) : 0;
}

int simulate_designs_text(const struct simulate_view *v, struct buf *out, struct err *err) {
    if (v->n_designs < 2) return 0;
    if (buf_printf(out, err,
                   "\nkey designs: the hottest place in each stretch of time\n  %-*s %12s %8s %9s %9s %8s %8s %9s %9s %8s%s\n",
                   KEY_WIDTH, "", "writes", "regions", "hottest", "at most", "x mean", "partit.", "hottest", "at most", "x mean",
                   v->emulated ? "   amplif." : ""))
        return -1;
    for (uint32_t i = 0; i < v->n_designs; i++)
        if (put_design(v, &v->designs[i], out, err)) return -1;
    return buf_printf(out, err, "  ") || simulate_designs_verdict(v, out, err) || buf_put_byte(out, '\n', err) ? -1 : 0;
}

/* ---- JSON ---- */

static json_t *heat_json(const struct simulate_heat *h) {
    return json_new(JSON("count", h->places), JSON("hottest_mean", h->mean), JSON("hottest_most", h->most),
                    JSON("hottest_max_mean", h->max_mean));
}

json_t *simulate_designs_json(const struct simulate_view *v) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < v->n_designs; i++) {
        const struct simulate_design *d = &v->designs[i];
        json_t *j = json_new(JSON("key", d->key ? json_text(d->key) : json_null()), JSON("writes", d->writes),
                             JSON("without_key", d->unfit));
        json_put(j, JSON("hbase", heat_json(&d->regions)), JSON("oceanbase", heat_json(&d->partitions)),
                 JSON("write_amplification", v->emulated ? json_real(d->write_amplification) : json_null()),
                 JSON("delay_ms", v->emulated ? json_integer((json_int_t)d->delay_ms) : json_null()));
        json_array_append_new(list, j);
    }
    return list;
}
