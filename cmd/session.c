#include "cmd/session.h"

#include "base/fs.h"
#include "cmd/column_options.h"
#include "cmd/rule_options.h"
#include "cmd/write_options.h"
#include "dataset/manifest_table.h"
#include "hfile/hfile_reader.h"
#include "pipeline/rules_text.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int64_t clock_of(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int parse_on_damage(const char *text, enum on_damage *out, struct err *err) {
    static const char *const names[] = {
        [DAMAGE_FAILS] = "fail", [DAMAGE_SKIPS_BLOCK] = "skip-block", [DAMAGE_SKIPS_FILE] = "skip-file"};
    for (size_t i = 0; text && i < countof(names); i++)
        if (!strcmp(text, names[i])) return *out = (enum on_damage)i, 0;
    return text ? err_set(err, ERR_USAGE, "--on-damage '%s': fail, skip-block or skip-file is expected", text) : 0;
}

int session_open(struct session *s, const struct tool_about *about, int argc, char **argv, bool *done, struct err *err) {
    *s = (struct session){.about = about, .out = {.lock_fd = -1}, .stop = {-1}, .started_ms = clock_of(CLOCK_MONOTONIC)};
    enum opt_result result;
    if (opt_parse(about, argc, argv, &s->o, &result, err)) return -1;
    *done = result == OPT_DONE;
    if (*done) return 0;
    if (reporter_init(&s->reporter, about, &s->o, err) || stop_init(&s->stop, err)) return -1;
    s->quota.limit_bytes = s->o.disk_limit;
    s->job = (struct job){.stop = &s->stop,
                          .progress = reporter_progress(&s->reporter),
                          .memory_bytes = s->o.memory,
                          .threads = (unsigned)s->o.threads,
                          .temp_dir = s->o.temp_dir,
                          .quota = &s->quota,
                          .max_cell_bytes = s->o.max_cell_size,
                          .now_ms = s->o.now_given ? s->o.now_ms : clock_of(CLOCK_REALTIME)};
    if (parse_on_damage(s->o.on_damage, &s->on_damage, err) || column_options_load(s, err)) return -1;
    return reject_limit_parse(s->o.max_rejects, &s->reject_limit, err);
}

void session_begin_part(struct session *s, const struct session *whole) {
    *s = *whole;
    s->job.stop = &s->stop;
    s->job.quota = &s->quota;
    s->started_ms = clock_of(CLOCK_MONOTONIC);
}

void session_end_part(struct session *s) {
    like_free(&s->like);
    free(s->writers);
    reject_log_free(s->rejects);
    placement_free(s->placement);
    table_free(&s->table);
    buf_free(&s->input_warnings);
    if (s->settings) json_decref(s->settings);
    if (s->out_open) outdir_close(&s->out);
}

void session_close(struct session *s) {
    reporter_end_line(&s->reporter);
    session_end_part(s);
    if (s->stop.fd >= 0) close(s->stop.fd);
    mapping_free(s->mapping);
}

/* ---- table ---- */

void session_tell(struct session *s, const struct buf *w) {
    for (size_t i = 0; i < w->n;) {
        size_t n = 0;
        while (i + n < w->n && w->p[i + n] != '\n') n++;
        if (n) report_warn(&s->reporter, "%.*s", (int)n, (const char *)w->p + i);
        i += n + 1;
    }
}

static int apply_rule_options(struct session *s, struct err *err) {
    if (rule_options_apply(&s->o, &s->table.default_rules, err)) return -1;
    for (uint32_t i = 0; i < s->table.n_families; i++) {
        struct family *f = &s->table.families[i];
        if (rule_options_apply(&s->o, &f->rules, err)) return -1;
        if (f->hbase_rules.versions && rule_options_apply(&s->o, &f->hbase_rules, err)) return -1;
    }
    return 0;
}

/* Deep copy by way of the manifest's JSON: one place knows all fields. */
static int copy_table(const struct table *src, struct table *out, struct err *err) {
    json_t *j = manifest_table_json(src);
    int rc = j ? manifest_table_parse(j, out, err) : err_nomem(err, 0, "the table definition");
    json_decref(j);
    return rc;
}

static int base_table(struct session *s, const struct table *fallback, struct err *err) {
    if (s->o.ddl) return ddl_parse_file(s->o.ddl, &s->table, err);
    if (fallback) return copy_table(fallback, &s->table, err);
    s->open_families = true;
    return table_handmade(&s->table, err);
}

int session_table(struct session *s, const struct table *fallback, struct err *err) {
    if (base_table(s, fallback, err)) return -1;
    if (s->o.partition) {
        if (s->o.ddl) return err_set(err, ERR_USAGE, "--ddl and --partition both say how to partition: give one of them");
        struct partitioning p = {0};
        if (partitioning_parse(s->o.partition, &p, &s->table.warnings, err)) return -1;
        partitioning_free(&s->table.partitioning);
        s->table.partitioning = p;
        free(s->table.ddl); /* it tells another partitioning */
        s->table.ddl = NULL;
        s->table.client_order_differs = partitioning_client_differs(&p);
    } else if (s->open_families) {
        return err_set(err, ERR_USAGE,
                       "how is the target partitioned? give --ddl FILE.sql, or --partition none | key:N | range:FILE");
    }
    if (s->open_families && column_options_families(s, err)) return -1;
    session_tell(s, &s->table.warnings);
    if (apply_rule_options(s, err)) return -1;
    s->placement = placement_new(&s->table.partitioning, err);
    return s->placement ? 0 : -1;
}

static const char *rules_words(const struct family_rules *r, char out[96]) {
    char versions[32] = "all", ttl[32] = "forever";
    if (r->versions != UINT32_MAX) snprintf(versions, sizeof versions, "%u", r->versions);
    if (r->ttl_s) snprintf(ttl, sizeof ttl, "%llu s", (unsigned long long)r->ttl_s);
    snprintf(out, 96, "versions %s, TTL %s", r->versions_given ? versions : "unsaid", ttl);
    return out;
}

/* What HBase has hidden is not to come back, and what the target would hide need not be loaded. */
static struct family_rules stricter(const struct family_rules *hbase, const struct family_rules *target) {
    struct family_rules r = *hbase;
    if (target->versions_given && target->versions < r.versions) r.versions = target->versions;
    if (target->ttl_s > 0 && (r.ttl_s <= 0 || target->ttl_s < r.ttl_s)) r.ttl_s = target->ttl_s;
    return r;
}

/* HBase's rules for a family: what the target's definition says of versions and TTL has no say in what HBase still shows. */
static void take_rules(struct session *s, struct family *f, const struct family_rules *from) {
    const struct family_rules *stated = &f->rules;
    char a[96], b[96];
    bool differs = (stated->versions_given && stated->versions != UINT32_MAX && stated->versions != from->versions) ||
                   (stated->ttl_s && stated->ttl_s != from->ttl_s);
    if (s->o.ddl && from->versions_given && differs)
        report_warn(&s->reporter, "family %s: %s says %s, HBase says %s: %s used (options beat both)", f->name, s->o.ddl,
                    rules_words(stated, a), rules_words(from, b),
                    s->kind == COMPACTION_OCEANBASE ? "the stricter are" : "HBase's are");
    if (!from->versions_given) return;
    if (s->kind == COMPACTION_OCEANBASE && s->o.ddl)
        f->hbase_rules = *from, f->rules = stricter(from, stated);
    else
        f->rules = *from;
}

int session_table_of(struct session *s, const struct table *fallback, const struct input_list *in, struct err *err) {
    struct table t;
    if (s->o.snapshot && !in->n_stores)
        return err_set(err, ERR_USAGE, "--snapshot %s: no input is a root directory of HBase", s->o.snapshot);
    int stores = input_list_table(in, &t, err);
    if (stores <= 0) return stores ? -1 : session_table(s, fallback, err);
    int rc = -1;
    if (!fallback && !s->o.ddl && !s->o.partition)
        err_set(err, ERR_USAGE, "how is the target partitioned? give --ddl FILE.sql, or --partition none | key:N | range:FILE");
    else
        rc = session_table(s, fallback ? fallback : &t, err);
    if (!rc && fallback && !s->o.ddl) rc = session_add_families(s, &t, err);
    for (uint32_t i = 0; !rc && i < s->table.n_families; i++) {
        int from = table_family(&t, bytes_str(s->table.families[i].name));
        if (from >= 0) take_rules(s, &s->table.families[i], &t.families[from].rules);
    }
    if (!rc) rc = apply_rule_options(s, err);
    table_free(&t);
    return rc;
}

int session_survey(struct session *s, struct input_list *in, struct err *err) {
    if (input_list_survey(in, &s->job, &s->input_warnings, err)) return -1;
    if (!s->o.ddl || strcmp(s->o.max_rejects, "0") != 0) return 0;
    for (uint32_t i = 0; i < in->n_stores; i++) {
        const struct store_files *from = &in->stores[i]->files;
        for (size_t k = 0; k < from->n_files; k++) {
            const char *name = from->table.families[from->files[k].family].name;
            if (in->stores[i]->survey.files[k].cells && table_family(&s->table, bytes_str(name)) < 0)
                return err_set(err, ERR_USAGE,
                               "%s has cells in family %s, %s defines no such table (with --max-rejects they are rejects)",
                               from->what, name, s->o.ddl);
        }
    }
    return 0;
}

struct input_opts session_input_opts(struct session *s) {
    return (struct input_opts){.job = &s->job, .format = s->o.format, .snapshot = s->o.snapshot, .limits = &s->o.archive};
}

int session_add_input(struct session *s, struct input_list *in, const char *path, struct err *err) {
    struct input_opts o = session_input_opts(s);
    struct buf warnings = {0};
    int rc = input_list_add_any(in, path, &o, &warnings, err);
    session_tell(s, &warnings);
    buf_free(&warnings);
    return rc;
}

int session_add_families(struct session *s, const struct table *t, struct err *err) {
    for (uint32_t i = 0; i < t->n_families; i++) {
        const struct family *from = &t->families[i];
        if (table_family(&s->table, bytes_str(from->name)) >= 0) continue;
        if (table_add_family(&s->table, bytes_str(from->name), err)) return -1;
        struct family *f = &s->table.families[s->table.n_families - 1];
        f->k_max = from->k_max;
        f->q_max = from->q_max;
        f->v_max = from->v_max;
        f->rules = from->rules;
        if (rule_options_apply(&s->o, &f->rules, err)) return -1;
    }
    return 0;
}

int session_open_table(struct session *s, struct err *err) {
    s->open_families = true;
    session_temp_elsewhere(s);
    if (s->o.ddl) {
        s->open_families = false;
        if (ddl_parse_file(s->o.ddl, &s->table, err)) return -1;
    } else if (table_handmade(&s->table, err)) {
        return -1;
    }
    s->placement = placement_new(&s->table.partitioning, err);
    return s->placement ? 0 : -1;
}

/* By the rules of OceanBase: what HBase is told and OceanBase has no word for. */
static void tell_unknown_rules(struct session *s, const struct family *f) {
    const struct family_rules *r = family_hbase_rules(f);
    char text[160];
    size_t n = 0;
    if (r->keep_deleted != KEEP_DELETED_FALSE)
        n += (size_t)snprintf(text + n, sizeof text - n, " KEEP_DELETED_CELLS %s",
                              r->keep_deleted == KEEP_DELETED_TTL ? "TTL" : "TRUE");
    if (r->min_versions) n += (size_t)snprintf(text + n, sizeof text - n, " MIN_VERSIONS %u", r->min_versions);
    if (r->purge_deletes_after_ms) n += (size_t)snprintf(text + n, sizeof text - n, " purge delay");
    if (n) report_warn(&s->reporter, "family %s:%s: OceanBase has no such rule, it does not count", f->name, text);
}

int session_need_rules(struct session *s, struct err *err) {
    if (s->open_families && !s->o.versions)
        return err_set(err, ERR_USAGE, "how many versions does a column keep? give --versions N (or 'unlimited'), or --ddl");
    for (uint32_t i = 0; i < s->table.n_families; i++) {
        const struct family *f = &s->table.families[i];
        if (!f->rules.versions_given)
            return err_set(err, ERR_USAGE,
                           "family %s: how many versions does a column keep? give --versions N (or 'unlimited'), or --ddl",
                           f->name);
        if (s->kind == COMPACTION_OCEANBASE) tell_unknown_rules(s, f);
    }
    return 0;
}

/* ---- what stages are told ---- */

struct read_opts session_read_opts(struct session *s) {
    return (struct read_opts){.columns = s->o.columns,
                              .mapping = s->mapping,
                              .header = s->o.header,
                              .delimiter = s->o.delimiter,
                              .quote = s->o.quote,
                              .null_text = s->o.null_text,
                              .skip_empty = s->o.skip_empty,
                              .default_ts_ms = s->o.timestamp_given ? s->o.timestamp_ms : s->job.now_ms,
                              .table = &s->table,
                              .open_families = s->open_families,
                              .temp_dir = s->job.temp_dir,
                              .quota = &s->quota,
                              .archive_limits = &s->o.archive,
                              .warnings = &s->input_warnings,
                              .on_damage = s->on_damage,
                              .stop = &s->stop};
}

void session_tell_inputs(struct session *s) {
    session_tell(s, &s->input_warnings);
}

int session_store_opts(struct session *s, struct store_opts *o, struct err *err) {
    uint32_t n = s->table.n_families;
    if (!s->o.target_file_size) return err_set(err, ERR_USAGE, "--target-file-size must not be 0");
    *o = (struct store_opts){.dir = s->out.tmp, .quota = &s->quota, .target_file_bytes = s->o.target_file_size};
    const struct write_env env = {&s->o, &s->like, &s->table, s->job.now_ms, s->about->name};
    if (write_options_make(&env, NULL, &o->hfile, err)) return -1;
    if (!s->like.n) return 0;
    free(s->writers);
    s->writers = calloc(n + 1, sizeof *s->writers);
    if (!s->writers) return err_nomem(err, n * sizeof *s->writers, "settings of families");
    for (uint32_t f = 0; f < n; f++)
        if (write_options_make(&env, s->table.families[f].name, &s->writers[f], err)) return -1;
    o->by_family = s->writers;
    o->n_by_family = n;
    return 0;
}

/* ---- output ---- */

static json_t *text_or_null(const char *s) {
    return s ? json_string(s) : json_null();
}

/* Everything that decides the bytes written, and nothing else: threads, memory and folders are left out. */
static json_t *make_settings(const struct session *s, const char *command) {
    const struct options *o = &s->o;
    json_t *j = json_pack(
        "{s:s, s:s?, s:s?, s:b, s:i, s:i, s:s?, s:b, s:b, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:s}", "command", command, "format",
        o->format, "columns", o->columns, "header", (int)o->header, "delimiter", o->delimiter, "quote", o->quote, "null",
        o->null_text, "skip_empty", (int)o->skip_empty, "compact", (int)o->compact, "rank", o->rank, "codec",
        o->codec ? o->codec : "snappy", "encoding", o->encoding ? o->encoding : "none", "bloom", o->bloom ? o->bloom : "row",
        "block_size", (json_int_t)(o->block_size ? o->block_size : WRITE_BLOCK_BYTES), "target_file_size",
        (json_int_t)o->target_file_size, "max_cell_size", (json_int_t)o->max_cell_size, "max_rejects", o->max_rejects);
    if (!j) return NULL;
    if (o->compress_tags) json_object_set_new(j, "compress_tags", json_true());
    if (strcasecmp(o->keep_seq, "yes")) json_object_set_new(j, "keep_seq", json_false());
    if (s->mapping) json_object_set(j, "map", s->mapping->json);
    json_object_set_new(j, "on_damage", json_string(o->on_damage));
    json_object_set_new(j, "timestamp", o->timestamp_given ? json_integer(o->timestamp_ms) : json_null());
    json_object_set_new(j, "now", o->now_given ? json_integer(o->now_ms) : json_null());
    json_object_set_new(j, "versions", text_or_null(o->versions));
    json_object_set_new(j, "min_versions", text_or_null(o->min_versions));
    json_object_set_new(j, "ttl", text_or_null(o->ttl));
    json_object_set_new(j, "minor", !o->minor ? json_null() : json_string(o->minor_rules ? o->minor_rules : "since"));
    json_object_set_new(j, "keep_deleted", text_or_null(o->keep_deleted));
    json_object_set_new(j, "purge_deletes_after", text_or_null(o->purge_deletes_after));
    if (s->kind == COMPACTION_OCEANBASE) json_object_set_new(j, "rules", json_string("oceanbase"));
    if (s->like.n) json_object_set_new(j, "like", like_json(&s->like));
    if (o->base) json_object_set_new(j, "base", o->policy ? json_string(o->policy) : json_true());
    struct table t = s->table;
    if (s->open_families) t.n_families = 0; /* found while reading: not a setting */
    json_object_set_new(j, "table", manifest_table_json(&t));
    return j;
}

static char *absolute(const char *path, struct err *err) {
    char *real = strcmp(path, "-") ? realpath(path, NULL) : NULL;
    return real ? real : fs_printf(err, "%s", path);
}

static int sum_cells(struct session *s, const char *path, const struct hfile_view *view, struct tally *t, struct err *err) {
    struct hfile *h = stop_check(&s->stop, err) ? NULL : hfile_open(path, s->job.memory_bytes / 8, err);
    struct hfile_scan_opts o = {.tally = t};
    if (view) o.start_row = view->start_row, o.stop_row = view->stop_row;
    struct source *scan = h ? hfile_scan_open(h, &o, err) : NULL;
    struct row_part part;
    int more = -1;
    while (scan && (more = source_next(scan, &part, err)) == 1) {
    }
    source_close(scan);
    hfile_close(h);
    return more;
}

/* The time of change differs, the size does not: did the content? Text has a checksum of its bytes; HFiles are compared by
 * the digest of their cells. */
static int same_content(struct session *s, const struct load_input *in, const struct manifest_input *old, bool *same,
                        struct err *err) {
    char hex[17];
    struct tally t = {0};
    if (old->checksum[0] && !in->files) {
        if (file_sum_of(in->path, hex, err)) return -1;
        *same = !strcmp(hex, old->checksum);
        return 0;
    }
    if (!strcmp(old->format, "archive") || (in->files && in->files->packed)) return *same = false, 0;
    int rc = in->files ? 0 : sum_cells(s, in->path, NULL, &t, err);
    for (size_t i = 0; !rc && in->files && i < in->files->n; i++) {
        struct hfile_view view;
        const char *path = in->files->at(in->files->arg, i, &view);
        rc = sum_cells(s, path, &view, &t, err);
    }
    *same = t.cells == old->tally.cells && digest_eq(t.digest, old->tally.digest);
    return rc;
}

/* Sizes and times of change as they are now; those of a store were looked at when it was listed. */
static bool size_now(const struct load_input *in, uint64_t *bytes, int64_t *mtime_ns) {
    struct stat st;
    *bytes = in->file_bytes;
    *mtime_ns = in->mtime_ns;
    if (in->files) return true;
    if (!strcmp(in->path, "-") || stat(in->path, &st)) return false;
    *bytes = (uint64_t)st.st_size;
    *mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    return true;
}

static int same_input(struct session *s, const struct load_input *in, const struct manifest_input *old, bool *same,
                      struct err *err) {
    uint64_t bytes;
    int64_t mtime_ns;
    char *path = absolute(in->path, err);
    if (!path) return -1;
    int rc = 0;
    *same = size_now(in, &bytes, &mtime_ns) && !strcmp(path, old->path) && bytes == old->file_bytes;
    if (*same && (mtime_ns != old->mtime_ns || (in->files && strcmp(in->checksum, old->checksum))))
        rc = same_content(s, in, old, same, err);
    free(path);
    return rc;
}

/* 1 same run, 0 another one. *what tells the first thing that differs. */
static int same_run(struct session *s, const struct manifest *m, const struct input_list *in, const char **what,
                    struct err *err) {
    *what = "settings";
    if (!json_equal(s->settings, m->settings)) return 0;
    *what = "inputs";
    if (in->n != m->n_inputs) return 0;
    for (uint32_t i = 0; i < in->n; i++) {
        bool same;
        if (same_input(s, &in->inputs[i], &m->inputs[i], &same, err)) return -1;
        if (!same) return 0;
    }
    return 1;
}

/* A dataset that lost files can be replaced like any other; one without a readable manifest could not be cleared away. */
static int may_replace_damaged(struct session *s, struct err *err) {
    struct manifest m;
    struct err unreadable = {0};
    if (err->code != ERR_INPUT) return -1;
    if (manifest_load(s->o.output, &m, &unreadable))
        return err_prefix(err, "%s holds a dataset that cannot be read: choose another output folder, or empty it", s->o.output);
    manifest_free(&m);
    if (!s->o.overwrite)
        return err_prefix(err, "%s holds a damaged dataset: give --overwrite to replace it, or another output folder",
                          s->o.output);
    report_warn(&s->reporter, "%s is replaced, it was damaged: %s", s->o.output, err->text);
    *err = (struct err){0};
    return 0;
}

static int check_finished(struct session *s, const struct input_list *in, bool *done, int *done_code, struct err *err) {
    struct manifest m;
    const char *what;
    if (dataset_open_waiting(s->o.output, &m, err)) return may_replace_damaged(s, err);
    int same = same_run(s, &m, in, &what, err);
    if (same == 1) {
        report_say(&s->reporter, "%s is finished with these settings and inputs: nothing to do", s->o.output);
        *done_code = session_success_code(&m.ledger);
        *done = true;
    }
    manifest_free(&m);
    if (same || s->o.overwrite) return same < 0 ? -1 : 0;
    return err_set(err, ERR_USAGE, "%s is finished, made with other %s: give --overwrite to replace it, or another output folder",
                   s->o.output, what);
}

static const char *report_dir(void *arg, struct err *err) {
    struct session *s = arg;
    return outdir_need_report(&s->out, err) ? NULL : s->out.report;
}

int session_begin_output(struct session *s, enum outdir_state state, struct err *err) {
    bool cleaned;
    if (outdir_open(&s->out, s->o.output, &cleaned, err)) return -1;
    s->out_open = true;
    if (state != OUTDIR_FINISHED && dataset_is(s->o.output, err))
        return err_set(err, ERR_BUSY, "%s was finished by another run while this one began: try again", s->o.output);
    if (cleaned) report_say(&s->reporter, "%s held an unfinished run: its files were removed, starting again", s->o.output);
    return 0;
}

int session_output(struct session *s, const char *command, const struct input_list *in, bool *done, int *done_code,
                   struct err *err) {
    enum outdir_state state;
    *done = false;
    if (!s->o.output || !s->o.output[0]) return err_set(err, ERR_USAGE, "where to? give -o DIR");
    if (s->o.like && !s->like.n) {
        struct input_opts example = session_input_opts(s);
        if (like_read(s->o.like, &example, &s->like, err)) return -1;
    }
    s->settings = make_settings(s, command);
    if (!s->settings) return err_set(err, ERR_USAGE, "options must be valid UTF-8");
    if (outdir_look(s->o.output, &state, err)) return -1;
    if (state == OUTDIR_FINISHED && check_finished(s, in, done, done_code, err)) return -1;
    if (*done || s->o.dry_run) return 0;
    if (session_begin_output(s, state, err)) return -1;
    if (!s->job.temp_dir) s->job.temp_dir = s->out.tmp;
    s->rejects = reject_log_new(&s->reject_limit, report_dir, s, err);
    return s->rejects ? 0 : -1;
}

static int list_inputs(struct manifest *m, const struct input_list *in, struct err *err) {
    m->inputs = calloc(in->n + 1, sizeof *m->inputs);
    if (!m->inputs) return err_nomem(err, in->n * sizeof *m->inputs, "the manifest");
    for (uint32_t i = 0; i < in->n; i++) {
        const struct load_input *l = &in->inputs[i];
        const char *unread = l->files ? "hfile" : "dataset"; /* nothing in it; merged without reading it as an input */
        char *path = absolute(l->path, err);
        if (!path) return -1;
        struct manifest_input *made = &m->inputs[m->n_inputs++];
        *made = (struct manifest_input){.path = path,
                                        .format = l->format ? l->format->name : unread,
                                        .file_bytes = l->file_bytes,
                                        .mtime_ns = l->mtime_ns,
                                        .records = l->records,
                                        .tally = l->tally};
        memcpy(made->checksum, l->checksum, sizeof made->checksum);
    }
    return 0;
}

static int list_families(const struct manifest *m, char ***names, size_t *n, struct err *err) {
    *n = 0;
    *names = calloc(m->table.n_families + 1, sizeof **names);
    if (!*names) return err_nomem(err, 0, "the list of families");
    for (size_t i = 0; i < m->n_files; i++)
        if (i == 0 || m->files[i].family != m->files[i - 1].family) (*names)[(*n)++] = m->table.families[m->files[i].family].name;
    return 0;
}

static int describe_rules(const struct session *s, struct buf *out, struct err *err) {
    for (uint32_t i = 0; i < s->table.n_families; i++) {
        if (buf_printf(out, err, "%s%s: ", i ? "; " : "", s->table.families[i].name)) return -1;
        if (rules_text_print(&s->table.families[i].rules, s->kind, out, err)) return -1;
    }
    return buf_put_byte(out, 0, err);
}

/* Waiting for the disk, not computing: more at a time than there are processors. */
static int sync_files(const struct session *s, const struct manifest *m, struct err *err) {
    char **paths = calloc(m->n_files + 1, sizeof *paths);
    if (!paths) return err_nomem(err, m->n_files * sizeof *paths, "the list of files");
    size_t n = 0;
    for (size_t i = 0; i < m->n_files; i++)
        if (m->files[i].taken != LINK_HARD) paths[n++] = m->files[i].path;
    int rc = outdir_sync_files(&s->out, paths, n, 8, err);
    free(paths);
    return rc;
}

int session_publish(struct session *s, const struct input_list *in, struct build_result *r, bool compacted,
                    const char *rules_before, struct err *err) {
    struct manifest m = {.settings = s->settings,
                         .now_ms = s->job.now_ms,
                         .now_given = s->o.now_given,
                         .table = s->table,
                         .ledger = r->ledger,
                         .pending = s->pending,
                         .n_pending = s->n_pending,
                         .files = r->files.files,
                         .n_files = r->files.n};
    struct buf rules = {0};
    char **families = NULL, *text = NULL;
    size_t n = 0;
    int rc = -1;
    if (stop_check(&s->stop, err) || ledger_check(&r->ledger, err)) return -1;
    if (compacted ? describe_rules(s, &rules, err) : rules_before && buf_put(&rules, rules_before, strlen(rules_before) + 1, err))
        goto out;
    m.rules = (char *)rules.p;
    m.tool = fs_printf(err, "%s %s", s->about->name, obkv_version);
    if (!m.tool || list_inputs(&m, in, err)) goto out;
    malloc_trim(0); /* what the work left goes back before the manifest is built */
    manifest_sort_files(&m);
    if (sync_files(s, &m, err) || list_families(&m, &families, &n, err) || !(text = manifest_print(&m, err))) goto out;
    rc = outdir_publish(&s->out, families, n, text, err);
out:
    for (size_t i = 0; i < m.n_inputs; i++) free(m.inputs[i].path);
    free(m.inputs);
    free(m.tool);
    free(families);
    free(text);
    buf_free(&rules);
    return rc;
}

int session_success_code(const struct ledger *l) {
    return l->records_rejected || l->lost.places ? 3 : 0;
}
