/* Write-ahead logs in a run: --table and --after become what their readers ask (formats/wal/wal_run.h).
 * What a base holds is known from its store files alone: the largest sequence id of each region and family. The summary says what
 * became of every cell that is in the logs and not in the output. */
#include "cmd/common/input_list.h"
#include "cmd/common/input_watch.h"
#include "cmd/common/output_text.h"
#include "cmd/common/report_figures.h"
#include "cmd/common/environment.h"
#include "cmd/common/intake.h"

#include "base/fs.h"
#include "cmd/common/wal_intake.h"
#include "cmd/common/warnings.h"
#include "engine/memory_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

/* REGION,… after the slash. */
static int take_regions(const struct wal_options *o, const char *list, struct wal_intake *w, struct err *err) {
    enum { NAME_BYTES = 32 };
    w->regions = fs_printf(err, "%s", list);
    for (char *rest = w->regions, *name; w->regions && (name = strsep(&rest, ","));) {
        if (strlen(name) != NAME_BYTES || strspn(name, "0123456789abcdef") != NAME_BYTES)
            return err_set(err, ERR_USAGE, "--table '%s': expected encoded names of regions after the slash, 32 hex digits each",
                           o->table);
        if (grow_array(&w->region, w->run.n_regions, sizeof *w->region, "the list of regions", err)) return -1;
        w->region[w->run.n_regions++] = name;
        w->run.regions = w->region;
    }
    return w->regions ? 0 : -1;
}

/* NAME, NAME/REGION,… or /REGION,… */
static int take_table(const struct wal_options *o, struct wal_intake *w, struct err *err) {
    static const char usual[] = "default:";
    const char *name = o->table, *slash = name ? strchr(name, '/') : NULL;
    if (!name) return 0;
    if (!strncmp(name, usual, sizeof usual - 1)) name += sizeof usual - 1;
    if (!*name) return err_set(err, ERR_USAGE, "--table '%s': expected the name of a table", o->table);
    if (slash && take_regions(o, slash + 1, w, err)) return -1;
    if (name == slash) return 0;
    w->table = slash ? fs_printf(err, "%.*s", (int)(slash - name), name) : fs_printf(err, "%s", name);
    w->run.table = w->table;
    return w->table ? 0 : -1;
}

int wal_intake_open(const struct environment *env, struct wal_intake *w, struct err *err) {
    const struct wal_options *o = &env->o.wal;
    *w = (struct wal_intake){.is_open = true};
    wal_run_init(&w->run);
    w->run.passes_bulk_loads = env->reporter.allowed[WARN_BULK_LOADED];
    return take_table(o, w, err);
}

void wal_intake_close(struct wal_intake *w) {
    for (size_t i = 0; i < w->base.n_regions; i++) free(w->base.regions[i].seq);
    free(w->base.regions);
    free(w->base.families);
    wal_run_free(&w->run);
    input_list_free(&w->after);
    free(w->region);
    free(w->regions);
    free(w->table);
}

/* ---- what a base holds ---- */

static bool names_table(const struct hbase_table *t, const char *name) {
    size_t ns = t->ns ? strlen(t->ns) : 0;
    if (!t->name) return false;
    if (!ns || !strcmp(t->ns, "default")) return !strcmp(t->name, name);
    return !strncmp(t->ns, name, ns) && name[ns] == ':' && !strcmp(t->name, name + ns + 1);
}

static int begin_base(const struct input_store *from, struct wal_base *out, struct err *err) {
    const struct store_files *f = &from->files;
    uint32_t families = f->table.n_families;
    out->regions = calloc(f->n_regions + 1, sizeof *out->regions);
    out->families = calloc(families + 1, sizeof *out->families);
    if (!out->regions || !out->families) return err_nomem(err, f->n_regions * sizeof *out->regions, "the regions of the base");
    for (uint32_t i = 0; i < families; i++) out->families[out->n_families++] = f->table.families[i].name;
    for (size_t i = 0; i < f->n_regions; i++) {
        struct wal_base_region *r = &out->regions[out->n_regions++];
        *r = (struct wal_base_region){.start = buf_bytes(&f->regions[i].start), .end = buf_bytes(&f->regions[i].end)};
        r->seq = calloc(families + 1, sizeof *r->seq);
        if (!r->seq) return err_nomem(err, families * sizeof *r->seq, "the regions of the base");
    }
    return 0;
}

static int take_base(const struct input_store *from, struct wal_base *out, struct err *err) {
    const struct store_files *f = &from->files;
    if (begin_base(from, out, err)) return -1;
    for (size_t i = 0; i < f->n_files; i++) {
        const struct surveyed_file *seen = &from->survey.files[i];
        uint64_t *seq = &out->regions[f->files[i].region].seq[f->files[i].family];
        if (seen->unread)
            return err_set(err, ERR_INPUT, "%s: cannot be read, so it is not known which edits %s holds", f->files[i].path,
                           f->what);
        if (seen->max_seq > 0 && (uint64_t)seen->max_seq > *seq) *seq = (uint64_t)seen->max_seq;
    }
    return 0;
}

/* The table of the base is that of the logs. */
static int use_base(struct wal_intake *w, const struct input_store *from, struct err *err) {
    const struct hbase_table *t = &from->files.table;
    if (w->table && t->name && !names_table(t, w->table))
        return err_set(err, ERR_USAGE, "%s does not belong to table %s, whose edits are read", from->files.what, w->table);
    if (!w->table && t->name) {
        bool usual = !t->ns || !strcmp(t->ns, "default");
        w->table = usual ? fs_printf(err, "%s", t->name) : fs_printf(err, "%s:%s", t->ns, t->name);
        w->run.table = w->table;
        if (!w->table) return -1;
    }
    w->run.base = &w->base;
    return take_base(from, &w->base, err);
}

static int read_after(struct environment *env, struct intake *intake, struct input_watch *watch, struct err *err) {
    struct wal_intake *w = &intake->wal;
    struct input_opts o = environment_input_opts(env);
    o.snapshot = o.backup = NULL;
    if (input_list_add_any(&w->after, env->o.wal.after, &o, &intake->input_warnings, err)) return err_prefix(err, "--after");
    if (w->after.n_stores != 1)
        return err_set(err, ERR_USAGE, "--after %s: expected a snapshot (ROOT/.hbase-snapshot/NAME), table or region directory",
                       env->o.wal.after);
    input_watch_also(watch, &w->after.watch);
    return input_list_survey(&w->after, &env->job, &intake->input_warnings, err) ? -1 : use_base(w, w->after.stores[0], err);
}

/* Takes a share of the memory for finding a log that is missing, if there may be logs: which inputs are some is known when they
 * are opened, but a file is none where its columns or another format were given. */
static void take_share(struct environment *env, struct intake *intake, const struct input_list *in, struct wal_run *run) {
    bool may_be_log = false;
    for (uint32_t i = 0; i < in->n && !env->o.in.columns && !intake->mapping; i++) {
        const char *format = in->inputs[i].format_name;
        may_be_log |= !in->inputs[i].files && (!format || !strcmp(format, "wal") || !strcmp(format, "archive"));
    }
    if (!may_be_log) return;
    run->gaps.room = memory_share(&env->job, MEMORY_LOG_GAPS);
    env->job.resident_bytes += run->gaps.room;
}

int wal_intake_base(struct environment *env, struct intake *intake, struct input_list *in, struct err *err) {
    struct wal_intake *w = &intake->wal;
    take_share(env, intake, in, &w->run);
    if (env->o.wal.after && in->n_stores)
        return err_set(err, ERR_USAGE, "--after applies to logs alone; edits that %s holds are skipped anyway",
                       in->stores[0]->files.what);
    if (env->o.wal.after) return read_after(env, intake, &in->watch, err);
    if (!in->n_stores || in->n_stores == in->n) return 0;
    if (in->n_stores > 1)
        return err_set(
            err, ERR_USAGE,
            "%s and %s with other inputs: only one HBase directory can be read together with logs or other files; import "
            "the others into datasets of their own, and compact all of them in their order",
            in->stores[0]->files.what, in->stores[1]->files.what);
    return use_base(w, in->stores[0], err);
}

/* ---- the summary ---- */

static uint64_t marker_cells(const struct wal_counts *c) {
    uint64_t n = 0;
    for (int i = 0; i < WAL_MARKER_KINDS; i++) n += c->markers[i];
    return n;
}

static void warn_without_logs(struct environment *env) {
    const struct wal_options *o = &env->o.wal;
    const char *option = o->after ? "--after" : o->table ? "--table" : NULL;
    if (option)
        report_warn(&env->reporter, WARN_UNMATCHED, 1, "%s is for write-ahead logs, and no input is one: it has had no effect",
                    option);
}

/* One warning for each place, up to a few. */
static void warn_missing(struct environment *env, struct wal_run *run) {
    enum { PLACES = 8 };
    struct wal_hole holes[PLACES];
    const size_t n = wal_run_missing(run, holes, PLACES);
    for (size_t i = 0; i < n && i < PLACES; i++) {
        const struct wal_hole *h = &holes[i];
        char others[64] = "";
        if (h->n_regions > 1)
            snprintf(others, sizeof others, ", and such ids of %llu more regions", (unsigned long long)h->n_regions - 1);
        report_warn(
            &env->reporter, WARN_LOG_MISSING, h->last - h->first + 1,
            "a log is missing between %.*s and %.*s: sequence ids %llu to %llu of region %.*s are in none%s; give all logs "
            "of WALs and oldWALs (docs/wal.md says how to be sure)",
            (int)h->before_name.n, (const char *)h->before_name.p, (int)h->after_name.n, (const char *)h->after_name.p,
            (unsigned long long)h->first, (unsigned long long)h->last, (int)h->region.n, (const char *)h->region.p, others);
    }
    if (n > PLACES) report_warn(&env->reporter, WARN_LOG_MISSING, n - PLACES, "logs are missing at %zu more places", n - PLACES);
}

bool wal_intake_warn(struct environment *env, struct wal_intake *w, bool is_empty) {
    const struct wal_counts *c = w->is_open ? &w->run.counts : NULL;
    if (c && c->logs) warn_missing(env, &w->run);
    if (c && !c->logs) warn_without_logs(env);
    if (!c || !c->logs || !is_empty) return false;
    if (env->o.wal.table && !c->entries && !c->other_regions && w->run.others.n)
        report_warn(&env->reporter, WARN_NOTHING_SELECTED, 1, "the logs hold no edit of table %s, but of %.*s; check --table",
                    w->run.table, (int)w->run.others.n, (const char *)w->run.others.p);
    else if (!c->entries && c->other_regions)
        report_warn(&env->reporter, WARN_NOTHING_SELECTED, 1, "no edit of the logs is of a region of --table");
    else if (c->held)
        report_warn(&env->reporter, WARN_NO_RECORDS, 1, "the base already holds every edit of the logs");
    else
        return false;
    return true;
}

void wal_intake_print(const struct wal_intake *w) {
    const struct wal_counts *c = &w->run.counts;
    char a[32], b[32], d[32];
    if (!c->logs) return;
    text_print("  logs      %s read (%s not closed, %s empty), %s entries\n", report_count(c->logs, a),
               report_count(c->unclosed, b), report_count(c->empty, d), report_count(c->entries, (char[32]){0}));
    text_print("  passed    other tables %s", report_count(c->other_tables, a));
    text_print("  other regions %s  in the base %s", report_count(c->other_regions, a), report_count(c->held, b));
    text_print("  HBase's own %s\n", report_count(marker_cells(c), a));
}

int wal_intake_json(const struct wal_intake *w, json_t *into, struct err *err) {
    const struct wal_counts *c = &w->run.counts;
    if (!c->logs) return 0;
    json_t *markers = json_object(), *files = json_array();
    for (int i = 0; i < WAL_MARKER_KINDS; i++) json_put(markers, JSON(wal_marker_names[i], c->markers[i]));
    for (const char *line = (const char *)w->run.bulk_files.p, *end = line + w->run.bulk_files.n; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        json_array_append_new(files, json_stringn_nocheck(line, (size_t)(stop - line)));
        line = stop + 1;
    }
    json_t *j =
        json_new(JSON("logs", c->logs), JSON("not_closed", c->unclosed), JSON("empty", c->empty), JSON("entries", c->entries),
                 JSON("other_tables", c->other_tables), JSON("other_regions", c->other_regions), JSON("in_base", c->held),
                 JSON("markers", markers), JSON("bulk_loaded_files", files));
    return j && !json_object_set_new(into, "wal", j) ? 0 : err_nomem(err, 0, "the summary");
}
