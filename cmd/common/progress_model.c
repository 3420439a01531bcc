/* How much of a run is done, and how long the rest will take.
 *
 * A run is a list of phases. Of the one at work its share is known (bytes of compressed input that were read, cells that were
 * written), so its time can be extended. What follows is expected to take so many times as long: writing 2.2 times as long as
 * reading where all fits in memory, 0.8 times where reading had to sort and spill (measured on 1.2 GB of CSV: the time was then
 * forecast 7 to 13 % too short at 25, 50 and 75 %; tests/bench/progress.py). In the first quarter of a later phase, expectation
 * and measurement are mixed. */
#include "cmd/common/progress.h"

#include <string.h>

static const double SURE_AT = 0.25, LEAST_DONE = 0.01, LEAST_S = 0.5;

/* Files and partitions are counted there. */
bool progress_phase_has_bytes(const char *phase) {
    static const char *const counts[] = {"survey", "verify", "partitions", "spill"};
    for (unsigned i = 0; phase && i < sizeof counts / sizeof *counts; i++)
        if (!strcmp(phase, counts[i])) return false;
    return phase != NULL;
}

/* Times as long as this phase takes everything after it. */
static double followed_by(const struct progress_model *m) {
    bool will_spill = m->spilled || (m->memory_bytes && m->total > m->memory_bytes / 2);
    if (!strcmp(m->phase, "read")) return !m->writes ? 0 : will_spill ? 0.8 : 2.2;
    if (!strcmp(m->phase, "repartition")) return 1; /* how much of the base it touches only shows later */
    if (!strcmp(m->phase, "survey") || !strcmp(m->phase, "verify")) return 20;
    return 0;
}

static double fraction(const struct progress_model *m) {
    if (!m->total) return 0;
    return m->done >= m->total ? 1 : (double)m->done / (double)m->total;
}

/* Of the phase as a whole; 0: not known. */
static double phase_s(const struct progress_model *m, double now) {
    double t = now - m->phase_began, f = fraction(m), sure = f >= SURE_AT ? 1 : f / SURE_AT;
    bool measured = f >= LEAST_DONE && t > 0;
    if (!m->expected_s) return measured ? t / f : 0;
    double expected = m->expected_s > t ? m->expected_s : t;
    return measured ? sure * t / f + (1 - sure) * expected : expected;
}

/* A spill interrupts reading and is part of it. */
void progress_model_note(struct progress_model *m, const char *phase, uint64_t done, uint64_t total, double now) {
    if (!strcmp(phase, "spill")) {
        m->spilled = true;
        return;
    }
    if (!m->phase || strcmp(m->phase, phase) != 0) {
        double took = m->phase ? now - m->phase_began : 0;
        m->expected_s = m->phase ? took * followed_by(m) : 0;
        if (m->phase && strcmp(m->phase, "read") != 0) m->expected_s = 0; /* inspecting files says little of what follows */
        m->phase = phase;
        m->phase_began = now;
        m->done = 0;
    }
    if (done > m->done) m->done = done;
    m->total = total;
}

void progress_model_ask(struct progress_model *m, double now, double *share, double *left_s) {
    *share = m->most > 0 ? m->most : -1;
    *left_s = -1;
    if (!m->phase || (!m->total && !m->expected_s)) return;
    double whole = phase_s(m, now);
    if (!whole || (!m->expected_s && now - m->phase_began < LEAST_S)) return;
    double after = whole * followed_by(m), run = m->phase_began + whole + after;
    double left = run - now;
    *left_s = left > 0 ? left : 0;
    *share = now / (now + *left_s);
    if (*share > 0.999) *share = 0.999;
    if (*share > m->most) m->most = *share;
    *share = m->most;
}
