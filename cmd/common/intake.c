/* Makes the intake of a run: which inputs there are, and how they are read. Options become a dialect, a mapping and a
 * selection, paths with patterns and those of servers become files. What readers find worth a warning is gathered here. */
#include "cmd/common/intake.h"

#include "cmd/common/environment.h"
#include "cmd/common/selection_options.h"
#include "cmd/common/signature.h"
#include "cmd/common/signs.h"
#include "cmd/common/table_options.h"
#include "cmd/common/target.h"
#include "cmd/common/warnings.h"
#include "dataset/dataset_open.h"
#include "engine/memory_plan.h"
#include "formats/formats.h"
#include "formats/mapping/colmap_header.h"
#include "formats/mapping/mapping_tables.h"
#include "formats/remote/remote_mount.h"
#include "select/selection_make.h"

#include <stdlib.h>
#include <string.h>

static int parse_on_damage(const char *text, enum on_damage *out, struct err *err) {
    static const char *const names[] = {
        [DAMAGE_FAILS] = "fail", [DAMAGE_SKIPS_BLOCK] = "skip-block", [DAMAGE_SKIPS_FILE] = "skip-file"};
    for (size_t i = 0; text && i < countof(names); i++)
        if (!strcmp(text, names[i])) {
            *out = (enum on_damage)i;
            return 0;
        }
    return text ? err_set(err, ERR_USAGE, "--on-damage '%s': expected fail, skip-block or skip-file", text) : 0;
}

static int parse_unit(const char *text, enum time_unit *out, struct err *err) {
    static const char *const names[] = {[TIME_MS] = "ms", [TIME_S] = "s", [TIME_US] = "us", [TIME_NS] = "ns"};
    for (size_t i = 0; text && i < countof(names); i++)
        if (!strcmp(text, names[i])) {
            *out = (enum time_unit)i;
            return 0;
        }
    return text ? err_set(err, ERR_USAGE, "--timestamp-unit '%s': expected s, ms, us or ns", text) : 0;
}

/* An output on a server is written in place, so it cannot be read at the same time. What is above it is read without it. */
static int refuse_own_output(const struct environment *env, struct err *err) {
    const char *out = env->o.out.dir;
    const size_t n = out ? strlen(out) : 0;
    for (int i = 0; n && i < env->o.n_inputs; i++)
        if (!strncmp(env->o.inputs[i], out, n) && (!env->o.inputs[i][n] || env->o.inputs[i][n] == '/'))
            return err_set(err, ERR_USAGE, "%s: the output is on a server and cannot be an input as well; choose another -o",
                           out);
    return 0;
}

int intake_expand(struct environment *env, struct intake *intake, struct err *err) {
    if (remote_inputs_open(&intake->remote, &env->o, &env->stop, &env->unpacked, err)) {
        path_names_in_error(&env->unpacked, err);
        return -1;
    }
    if (intake->remote.mount) {
        env->o.inputs = intake->remote.paths;
        if (intake->remote.out) env->o.out.dir = intake->remote.out;
        env->job.resident_bytes += remote_mount_memory(intake->remote.mount);
    }
    intake->patterns.room = memory_room(&(struct job){.memory_bytes = env->o.resources.memory}, MEMORY_INPUT_LISTS);
    if (path_patterns_expand(&intake->patterns, env->o.inputs, env->o.n_inputs, err)) return -1;
    if (intake->patterns.n) {
        env->o.inputs = intake->patterns.paths;
        env->o.n_inputs = intake->patterns.n;
    }
    return intake->remote.out ? refuse_own_output(env, err) : 0;
}

int intake_open(struct environment *env, struct intake *intake, struct err *err) {
    const struct options *o = &env->o;
    if (parse_on_damage(o->out.on_damage, &intake->on_damage, err) ||
        parse_unit(o->in.timestamp_unit, &intake->timestamp_unit, err))
        return -1;
    if (column_options_check(o, err) || column_options_dialect(o, &intake->dialect, err)) return -1;
    if (o->in.map && !(intake->mapping = column_options_mapping(o, err))) return -1;
    if (intake->mapping) env->job.resident_bytes += mapping_tables_bytes(intake->mapping);
    if (intake->mapping) report_warnings(&env->reporter, &intake->mapping->warnings);
    if (colmap_names_columns(o->in.columns) && !o->in.header && !o->in.dialect)
        report_say(&env->reporter, "--columns picks columns by name, so the first record of each input is its header");
    signs_warn_options(env);
    if (selection_options_make(&o->selection, &intake->selection, err)) return -1;
    return reject_limit_parse(o->out.max_rejects, &intake->reject_limit, err);
}

void intake_begin_part(struct intake *part, const struct intake *whole) {
    *part = (struct intake){.dialect = whole->dialect,
                            .mapping = whole->mapping,
                            .selection = whole->selection,
                            .on_damage = whole->on_damage,
                            .timestamp_unit = whole->timestamp_unit,
                            .reject_limit = whole->reject_limit};
}

void intake_end_rejects(struct intake *intake) {
    reject_log_free(intake->rejects);
    intake->rejects = NULL;
}

void intake_end_part(struct intake *part) {
    intake_end_rejects(part);
    buf_free(&part->input_warnings);
    buf_free(&part->input_notes);
    buf_free(&part->first_header.path);
    buf_free(&part->first_header.names);
    buf_free(&part->first_header.columns);
    if (part->wal.is_open) wal_intake_close(&part->wal);
    json_decref(part->families);
}

void intake_close(struct environment *env, struct intake *intake) {
    intake_end_part(intake);
    mapping_free(intake->mapping);
    if (intake->remote.mount)
        report_note(&env->reporter, "from servers: %llu bytes in %llu requests, %llu of them repeated",
                    (unsigned long long)remote_mount_bytes(intake->remote.mount),
                    (unsigned long long)remote_mount_requests(intake->remote.mount),
                    (unsigned long long)remote_mount_retries(intake->remote.mount));
    if (intake->remote.out)
        report_note(&env->reporter, "to the server: %llu bytes; %llu files were there already",
                    (unsigned long long)remote_mount_sent(intake->remote.mount),
                    (unsigned long long)remote_mount_kept(intake->remote.mount));
    remote_inputs_close(&intake->remote);
    path_patterns_free(&intake->patterns);
    selection_free(intake->selection);
}

int intake_name_copies(struct environment *env, struct input_list *in, struct err *err) {
    const struct opt_list *staged = &env->o.in.staged;
    for (unsigned i = 0; i < staged->n; i++) {
        const char *dir = staged->item[i], *url = strchr(dir, '=');
        if (dir[0] != '/' || !url || url[-1] == '/' || !url[1])
            return err_set(err, ERR_USAGE, "staged %s: expected /DIR=URL, both without a slash at the end", dir);
    }
    in->staged = staged->item;
    in->n_staged = staged->n;
    return 0;
}

int intake_add(struct environment *env, struct input_list *in, const char *path, struct err *err) {
    struct input_opts o = environment_input_opts(env);
    struct buf warnings = {0};
    if (intake_name_copies(env, in, err)) return -1;
    if (memory_plan_floor(&env->job, err)) return -1;
    const uint64_t taken = in->room.taken, held = taken >> 20 << 20; /* less than a megabyte is within what every program takes */
    in->room = memory_room(&env->job, MEMORY_INPUT_LISTS);
    in->room.taken = taken;
    int rc = input_list_add_any(in, path, &o, &warnings, err);
    env->job.resident_bytes += (in->room.taken >> 20 << 20) - held;
    report_warnings(&env->reporter, &warnings);
    buf_free(&warnings);
    return rc;
}

struct read_opts intake_read_opts(struct environment *env, struct intake *intake, struct target *target) {
    return (struct read_opts){.formats = intake->formats ? intake->formats : &formats_known,
                              .table = &target->table,
                              .open_families = target->open_families,
                              .keeps_latest = !env->o.in.timestamp_given,
                              .default_ts_ms = env->o.in.timestamp_given ? env->o.in.timestamp_ms : env->job.now_ms,
                              .temp_dir = env->job.temp_dir,
                              .quota = &env->quota,
                              .warnings = &intake->input_warnings,
                              .on_damage = intake->on_damage,
                              .stop = &env->stop,
                              .text = {.columns = env->o.in.columns,
                                       .key = env->o.in.key,
                                       .mapping = intake->mapping,
                                       .dialect = &intake->dialect,
                                       .set = intake->texts.n ? &intake->texts : NULL,
                                       .skip_empty = env->o.in.skip_empty,
                                       .unit = intake->timestamp_unit,
                                       .first_header = &intake->first_header,
                                       .notes = &intake->input_notes},
                              .archive = {.limits = &env->o.in.archive},
                              .selection = intake->selection,
                              .wal = intake->wal.is_open ? &intake->wal.run : NULL,
                              .database = intake->database};
}

int intake_note_texts(struct intake *intake, struct input_list *in, struct err *err) {
    if (!(in->in_order = calloc((size_t)in->n + 1, sizeof *in->in_order)))
        return err_nomem(err, in->n * sizeof *in->in_order, "the list of inputs");
    for (uint32_t i = 0; i < in->n; i++) in->in_order[i] = in->inputs[i].path;
    intake->texts = (struct text_set){in->in_order, in->n};
    return 0;
}

/* Prints what readers found by themselves. */
static void note_found(struct environment *env, struct intake *intake) {
    const char *at = (const char *)intake->input_notes.p, *end = at + intake->input_notes.n;
    for (const char *stop; at < end && (stop = memchr(at, '\n', (size_t)(end - at))); at = stop + 1)
        report_say(&env->reporter, "%.*s", (int)(stop - at), at);
    intake->input_notes.n = 0;
}

void intake_warn(struct environment *env, struct intake *intake) {
    note_found(env, intake);
    report_warnings(&env->reporter, &intake->input_warnings);
}

int intake_warn_twice(struct environment *env, struct err *err) {
    struct buf warnings = {0};
    int rc = input_paths_warn_twice(env->o.inputs, (size_t)env->o.n_inputs, &warnings, err);
    report_warnings(&env->reporter, &warnings);
    buf_free(&warnings);
    return rc;
}

/* ---- signatures ---- */

static int demand_signature(struct environment *env, const char *dir, struct err *err) {
    struct manifest m;
    if (manifest_load(dir, &m, err)) return -1;
    const struct signed_list files = signature_list(&m);
    int rc = signature_demand(&env->o.trust, dir, &files, &env->job, err);
    manifest_free(&m);
    return rc;
}

int intake_demand_signatures(struct environment *env, char *const *paths, int n, struct err *err) {
    int datasets = 0;
    for (int i = 0; env->o.trust.verify_keys.n && i < n; i++) {
        int is = strcmp(paths[i], "-") ? dataset_is(paths[i], err) : 0;
        if (is < 0 || (is && demand_signature(env, paths[i], err))) return -1;
        datasets += is;
    }
    if (datasets || !env->o.trust.verify_keys.n) return 0;
    return err_set(err, ERR_USAGE, "--verify-key: no input is a dataset, and only datasets and exports are signed");
}
