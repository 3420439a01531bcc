/* Estimates how much of a run is done, and how long the rest will take.
 *
 * A run is a list of phases. Of the one at work its share is known (bytes of compressed input that were read, cells that were
 * written), so its time can be extended. What follows is expected to take so many times as long: with Snappy, writing 1.7 times
 * as long as reading where all fits in memory, as long where reading had to sort and spill. Other codecs pack faster or slower;
 * with GZ and Zstandard, samples of what is read show it. What becomes one partition is sorted first. At the beginning of a
 * later phase, expectation and measurement are mixed.
 * How wrong it is: docs/time-left.md. */

#include "cmd/common/progress_model.h"
#include "engine/job.h"

#include <string.h>

static const double SURE_AT = 0.15, LEAST_DONE = 0.01, LEAST_S = 0.5;

/* Files, rows or cells are counted there. */
bool progress_phase_has_bytes(const char *phase) {
    static const char *const counts[] = {"survey", "verify", "partitions", "walk"};
    for (unsigned i = 0; phase && i < sizeof counts / sizeof *counts; i++)
        if (!strcmp(phase, counts[i])) return false;
    return phase != NULL;
}

/* Writing all that was read into files of this codec, as a multiple of reading it. Measured on values that pack badly (random
 * letters) and well (logs of a web site), two threads: GZ took 3.7 to 9 times, Zstandard 1.7 to 6.5, Snappy 1.4 to 2.2,
 * LZ4 1.1, no compression 0.9 to 1.1. Where reading means unpacking too, it is less: Snappy 0.8 to 1.1 times from HFiles,
 * also where they spill or become one partition, 0.4 to 0.6 times from .gz. */
static double writing_beside_reading(enum hfile_codec codec) {
    switch (codec) {
    case HFILE_NONE: return 1;
    case HFILE_LZ4:
    case HFILE_LZO: return 1.2;
    case HFILE_SNAPPY: return 1.7;
    case HFILE_ZSTD: return 2.8;
    case HFILE_GZ: return 5;
    case HFILE_BZIP2:
    case HFILE_LZMA:
    case HFILE_BROTLI: return 12;
    }
    return 1.7;
}

/* Returns the second pass of a diff as a multiple of the first. It reads all, and sorts the rows that may differ. */
static double second_pass(const struct progress_model *m) {
    static const double READ_AGAIN = 0.4, SORTED = 1.2;
    return READ_AGAIN + SORTED * m->again;
}

static bool has_second_pass(const struct progress_model *m) {
    return m->reads_again || m->again > 0;
}

/* Returns the walk of a diff over the rows that may differ, as a multiple of its first pass. */
static double walk_of(const struct progress_model *m) {
    static const double WALKED = 1.1;
    return WALKED * m->again;
}

/* Writing what is read, as a multiple of reading it. Once samples show what packing takes, the codec's figure is not needed. */
static double writing(const struct progress_model *m) {
    static const double SPARED_BY_SPILLS = 0.6, /* what is spilled is sorted already */
        SORTED_FIRST = 1.0,                     /* 0 to 3.5 times with 15 to 60 million records of two families */
        BESIDE_UNPACKING = 0.35, BESIDE_HFILES = 0.55;
    const bool will_spill = m->spilled || (m->memory_bytes && m->total > m->memory_bytes / 2);
    const double sorting = m->of_hfiles ? 0 : will_spill ? -SPARED_BY_SPILLS : m->one_partition ? SORTED_FIRST : 0;
    const double beside = m->of_hfiles ? BESIDE_HFILES : m->unpacks ? BESIDE_UNPACKING : 1;
    const double plain = writing_beside_reading(m->packing > 0 ? HFILE_NONE : m->codec);
    return (plain + sorting) * beside + m->packing;
}

/* Times as long as this phase takes everything after it. */
static double followed_by(const struct progress_model *m) {
    if (!strcmp(m->phase, "read") && !m->writes) return has_second_pass(m) ? second_pass(m) + walk_of(m) : 0;
    if (!strcmp(m->phase, "compare")) return walk_of(m) / second_pass(m);
    if (!strcmp(m->phase, "read")) return writing(m);
    if (!strcmp(m->phase, "repartition")) return 1; /* how much of the base it touches only shows later */
    if (!strcmp(m->phase, "survey") || !strcmp(m->phase, "verify")) return 20;
    return 0;
}

/* Times as long as this phase took the next one; 0: inspecting files says little of what follows. */
static double next_takes(const struct progress_model *m) {
    if (!strcmp(m->phase, "read")) return m->writes ? followed_by(m) : has_second_pass(m) ? second_pass(m) : 0;
    return strcmp(m->phase, "compare") ? 0 : followed_by(m);
}

static double fraction(const struct progress_model *m) {
    if (!m->total) return 0;
    return m->done >= m->total ? 1 : (double)m->done / (double)m->total;
}

/* Returns the time that the finished steps took, until the last was noted. As long as the next step lasts no longer than the
 * longest before, nothing is late. After twice that time, all of the wait counts. */
static double time_of_done(const struct progress_model *m, double now) {
    double waits = now - m->moved, late = 2 * (waits - m->longest_s);
    return m->moved - m->phase_began + (late < 0 ? 0 : late < waits ? late : waits);
}

/* Extends the time of what is done to all of the phase; 0: too little is done. Time before the first step comes once: a large
 * partition is sorted before any of its cells is written. */
static double extended_s(const struct progress_model *m, double now, double f) {
    double took = time_of_done(m, now), first = m->first_done ? (double)m->first_done / (double)m->total : 0;
    if (f - first >= LEAST_DONE) return m->first_s + (took - m->first_s) / (f - first) * (1 - first);
    return f >= (m->expected_s ? SURE_AT : LEAST_DONE) && took > 0 ? took / f : 0;
}

/* Returns the time of the phase as a whole; 0: not known. */
static double phase_s(const struct progress_model *m, double now) {
    double t = now - m->phase_began, f = fraction(m), sure = f >= SURE_AT ? 1 : f / SURE_AT;
    double extended = extended_s(m, now, f);
    if (extended && extended < t) extended = t;
    if (!m->expected_s) return extended;
    double expected = m->expected_s > t ? m->expected_s : t;
    return extended ? sure * extended + (1 - sure) * expected : expected;
}

void progress_model_note(struct progress_model *m, const char *phase, uint64_t done, uint64_t total, double now) {
    if (progress_is_aside(phase)) {
        const double times = total ? (double)done / (double)total : 0;
        if (!strcmp(phase, PROGRESS_AGAIN))
            m->again = times;
        else if (!strcmp(phase, PROGRESS_PACK))
            m->packing = times;
        else
            *(strcmp(phase, PROGRESS_SPILL) ? &m->unpacks : &m->spilled) = true;
        return;
    }
    if (!m->phase || strcmp(m->phase, phase) != 0) {
        m->expected_s = m->phase ? (now - m->phase_began) * next_takes(m) : 0;
        m->phase = phase;
        m->phase_began = m->moved = now;
        m->longest_s = 0;
        m->done = m->first_done = 0;
    }
    if (done > m->done) {
        if (!m->done) {
            m->first_done = done;
            m->first_s = now - m->phase_began;
        }
        if (now - m->moved > m->longest_s) m->longest_s = now - m->moved;
        m->moved = now;
        m->done = done;
    }
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

/* ---- parts of a run ---- */

/* Measured with text and eight shards, which are kept without compression: their join takes as long as they do with Snappy, and
 * twice as long with GZ. */
double progress_of_shards(enum hfile_codec codec) {
    static const double JOINING = 0.6, PACKING = 0.28;
    return 1 / (1 + JOINING + PACKING * writing_beside_reading(codec));
}

double progress_parts_left(const struct progress_parts *p, double now) {
    const double done = p->most - p->before, of_stage = p->most - p->stage.from - p->stage.before, rest = 1 - p->most;
    const double left = done >= LEAST_DONE ? now * rest / done : -1;
    if (of_stage < LEAST_DONE || p->stage.from <= 0) return left;
    const double own = (now - p->stage.began) * rest / of_stage, sure = of_stage / (SURE_AT * (1 - p->stage.from));
    return left < 0 || sure >= 1 ? own : sure * own + (1 - sure) * left;
}
