/* Everyday mistakes that look like success: timestamps, clock and TTL in another unit, text in another character set. What was
 * counted while inputs were read becomes a warning that names the remedy; plausible data says nothing. */
#include "cmd/common/opt_given.h"
#include "cmd/common/environment.h"
#include "cmd/common/intake.h"
#include "cmd/common/target.h"

#include "base/clock.h"
#include "cmd/common/signs.h"
#include "cmd/common/warnings.h"

#include <stdlib.h>
#include <string.h>

static bool has_columns(const struct input *in) {
    return in->format && in->format->is_text && strcmp(in->format->name, "cells") != 0;
}

/* Returns the unit that the timestamps of an input seem to have; NULL: its timestamps are plausible. Small numbers in a column of
 * text are no times; HFiles and cells may number their versions, and a constant was chosen. */
static const char *unit_of(const struct environment *env, const struct input *in) {
    const struct input_signs *n = &in->signs;
    if (n->dates > n->cells / 2 && has_columns(in) && !env->o.in.timestamp_given) return "dates written as numbers";
    if (n->seconds > n->cells / 2) return "seconds";
    if (n->early > n->cells / 2 && has_columns(in) && !env->o.in.timestamp_given) return "times before 1990";
    if (n->late <= n->cells / 2) return NULL;
    if (n->micros > n->late / 2) return "microseconds";
    return n->nanos > n->late / 2 ? "nanoseconds" : "times in the future";
}

static const char *remedy(const struct environment *env, const struct intake *intake, const struct input *in, const char *unit) {
    if (!has_columns(in)) return ", but HBase and OBKV-HBase read milliseconds";
    if (env->o.in.timestamp_given || intake->timestamp_unit != TIME_MS) return ": check --timestamp and --timestamp-unit";
    switch (unit[0]) {
    case 'd': return "";
    case 's': return ": give --timestamp-unit s";
    case 'm': return ": give --timestamp-unit us";
    case 'n': return ": give --timestamp-unit ns";
    default: return ": check the column and its unit (--timestamp-unit)";
    }
}

static void warn_times(struct environment *env, struct intake *intake, const struct input_list *in) {
    const struct input *first = NULL;
    uint64_t cells = 0;
    unsigned n = 0;
    for (uint32_t i = 0; i < in->n; i++) {
        if (!unit_of(env, &in->inputs[i])) continue;
        if (!n++) first = &in->inputs[i];
        cells += in->inputs[i].signs.early + in->inputs[i].signs.late;
    }
    if (!n) return;
    char more[48] = "", date[100] = "";
    const char *unit = unit_of(env, first);
    if (n > 1) snprintf(more, sizeof more, " and %u more input%s", n - 1, n == 2 ? "" : "s");
    if (unit[0] == 'd')
        snprintf(date, sizeof date, ": a mapping (--map) reads them with date(column, '%.*s')", (int)first->signs.date_digits,
                 "yyyyMMddHHmmssSSS");
    report_warn(&env->reporter, WARN_TIMESTAMP_UNIT, cells, "%s%s: the timestamps of %llu cell%s look like %s%s%s", first->path,
                more, (unsigned long long)cells, cells == 1 ? "" : "s", unit, remedy(env, intake, first, unit), date);
    if (strncmp(unit, "times", 5) != 0) report_stop(&env->reporter, WARN_TIMESTAMP_UNIT); /* there is no doubt which unit */
}

/* Some of a text's times are of another unit than the others, as where two sources were joined. */
static void warn_mixed_times(struct environment *env, const struct input_list *in) {
    const struct input *first = NULL;
    uint64_t cells = 0;
    for (uint32_t i = 0; i < in->n; i++) {
        const struct input_signs *n = &in->inputs[i].signs;
        const uint64_t others = n->seconds + n->micros + n->nanos;
        if (!others || !has_columns(&in->inputs[i]) || unit_of(env, &in->inputs[i]) || env->o.in.timestamp_given) continue;
        if (!first) first = &in->inputs[i];
        cells += others;
    }
    if (!first) return;
    const struct input_signs *n = &first->signs;
    report_warn(&env->reporter, WARN_TIMESTAMP_UNIT, cells,
                "%s: the timestamps of %llu cell%s look like %s, unlike those of most: two units in one input? Divide it by its "
                "units (--timestamp-unit), or correct them",
                first->path, (unsigned long long)cells, cells == 1 ? "" : "s",
                n->seconds  ? "seconds"
                : n->micros ? "microseconds"
                            : "nanoseconds");
}

/* Bulk-loaded: HBase keeps them, above all other versions. */
static void warn_latest(struct environment *env, const struct input_list *in) {
    const char *first = NULL;
    uint64_t n = 0;
    for (uint32_t i = 0; i < in->n; i++) {
        if (in->inputs[i].signs.latest && !first) first = in->inputs[i].path;
        n += in->inputs[i].signs.latest;
    }
    if (first)
        report_warn(&env->reporter, WARN_TIMESTAMP_LATEST, n,
                    "%s: %llu cell%s the timestamp 9223372036854775807 (\"latest\"), as in HBase; obkv-export rejects %s: "
                    "--timestamp TIME gives %s a time instead",
                    first, (unsigned long long)n, n == 1 ? " keeps" : "s keep", n == 1 ? "it" : "them", n == 1 ? "it" : "them");
}

static void warn_text(struct environment *env, const struct input_list *in) {
    uint64_t n = 0;
    const char *first = NULL;
    for (uint32_t i = 0; i < in->n; i++) {
        if (in->inputs[i].signs.not_utf8 && !first) first = in->inputs[i].path;
        n += in->inputs[i].signs.not_utf8;
    }
    if (first)
        report_warn(&env->reporter, WARN_NOT_UTF8, n,
                    "%llu text value%s not UTF-8, the first in %s; such text is written unchanged (convert Latin-1 or "
                    "Windows-1252 with iconv)",
                    (unsigned long long)n, n == 1 ? " or key is" : "s or keys are", first);
}

/* TTLs of cells are milliseconds, though people think of TTLs as seconds, as --ttl and HBase's families have them. */
static void warn_ttls(struct environment *env, const struct input_list *in) {
    const char *first = NULL;
    uint64_t n = 0;
    for (uint32_t i = 0; i < in->n; i++) {
        const struct input_signs *g = &in->inputs[i].signs;
        if (!has_columns(&in->inputs[i]) || g->ttl_seconds <= g->ttls / 2) continue;
        if (!first) first = in->inputs[i].path;
        n += g->ttl_seconds;
    }
    if (first)
        report_warn(&env->reporter, WARN_TTL_UNIT, n,
                    "%s: the time to live of %llu cell%s looks like seconds, but is in milliseconds: they expire a thousand "
                    "times as early; "
                    "give milliseconds (HBASE_CELL_TTL, or \"ttl\" of the mapping)",
                    first, (unsigned long long)n, n == 1 ? "" : "s");
}

void signs_warn(struct environment *env, struct intake *intake, const struct input_list *in) {
    warn_times(env, intake, in);
    warn_mixed_times(env, in);
    warn_latest(env, in);
    warn_ttls(env, in);
    warn_text(env, in);
}

/* ---- the clock ---- */

static const int64_t FIRST_S = 631152000, LAST_S = INT64_C(4102444800); /* 1990 to 2100 */
static const int64_t DAY_MS = 86400000;

/* Cells may number their versions, and the clock with them: a clock before the cells is odd where these have times. */
void signs_warn_clock(struct environment *env, const struct target *target, bool given, int64_t now,
                      const struct file_counts *written) {
    const int64_t newest = written->ts_max;
    bool expires = false;
    for (uint32_t i = 0; i < target->table.n_families; i++) expires = expires || target->table.families[i].rules.ttl_s > 0;
    if (!given || !expires || (now >= FIRST_S && now <= LAST_S)) return; /* signs_warn_options has said so */
    if (newest < 1000 * FIRST_S || newest > clock_now_ms() + 366 * DAY_MS) return;
    if (now < newest - DAY_MS)
        report_warn(&env->reporter, WARN_NOW_RANGE, 1,
                    "--now %lld is %lld days before the newest cell (timestamp %lld): cells that have expired since then stay",
                    (long long)now, (long long)((newest - now) / DAY_MS), (long long)newest);
}

static void warn_unread(void *arg, const char *variable, const char *meant) {
    report_warn(arg, WARN_ENVIRONMENT, 1, "the variable %s is not read%s", variable, meant);
}

void signs_warn_options(struct environment *env) {
    const char *ttl_text = env->o.rules.ttl;
    int64_t now = env->o.resources.now_ms, ttl = 0;
    opt_unread_variables(&env->o, warn_unread, &env->reporter);
    if (ttl_text && !ttl_text[strspn(ttl_text, "0123456789")]) ttl = strtoll(ttl_text, NULL, 10); /* it has no unit */
    if (env->o.resources.now_given && now >= FIRST_S && now <= LAST_S)
        report_warn(&env->reporter, WARN_NOW_UNIT, 1,
                    "--now %lld looks like seconds; give milliseconds, or a time like 2026-11-21T12:00:00Z", (long long)now);
    if (env->o.resources.now_given && now / 1000 >= FIRST_S * 1000)
        report_warn(&env->reporter, WARN_NOW_UNIT, 1, "--now %lld looks like microseconds; give milliseconds", (long long)now);
    else if (env->o.resources.now_given && now > clock_now_ms() + 366 * DAY_MS)
        report_warn(
            &env->reporter, WARN_NOW_RANGE, 1,
            "--now %lld is more than a year ahead of this machine's clock: cells with a time to live may expire too early",
            (long long)now);
    if (ttl >= DAY_MS && ttl % DAY_MS == 0 && ttl < INT32_MAX)
        report_warn(&env->reporter, WARN_TTL_UNIT, 1, "--ttl %lld looks like milliseconds, but is in seconds: %lld days",
                    (long long)ttl, (long long)(ttl / 86400));
}
