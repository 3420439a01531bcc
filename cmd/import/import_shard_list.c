/* --list with --shards: the files, or parts of files, that each shard reads, for those who bring files to the machines that read
 * them. With --shards N, one listing of the inputs is cut N times: inputs are opened once, however many shards there are. */
#include "cmd/import/import_shard_list.h"

#include "base/buf.h"
#include "base/plain.h"
#include "cmd/common/input_list.h"
#include "cmd/common/input_shard.h"
#include "cmd/common/input_uncut.h"
#include "cmd/common/opt_value.h"
#include "cmd/common/output_text.h"
#include "cmd/common/result.h"
#include "cmd/import/import_shards.h"

#include <string.h>

struct shard_list {
    json_t *json, *also; /* NULL: text. also: directories of mob files, of which the cells say which they need */
    uint64_t files, bytes;
};

/* The part of a file that a shard reads: lines of a text, or rows of an HFile. */
struct shard_file {
    const char *path;
    uint64_t bytes;
    bool is_cut;
    struct text_part part;
    struct member_part members;
    struct bytes start_row, stop_row; /* p == NULL: open */
};

static int print_file(const struct shard_file *f, bool all, struct err *err) {
    struct buf rows = {0};
    int rc = 0;
    if (f->start_row.n) rc = buf_put(&rows, "  from row ", 11, err) || plain_put(&rows, f->start_row, err) ? -1 : 0;
    if (!rc && f->stop_row.n) rc = buf_put(&rows, "  before row ", 13, err) || plain_put(&rows, f->stop_row, err) ? -1 : 0;
    if (!rc) text_print("%16llu  %s%.*s", (unsigned long long)f->bytes, f->path, (int)rows.n, (const char *)rows.p);
    if (!rc && !all) text_print("  from byte %llu to %llu", (unsigned long long)f->part.begin, (unsigned long long)f->part.end);
    if (!rc && f->members.end)
        text_print("  members %llu to %llu", (unsigned long long)f->members.first + 1, (unsigned long long)f->members.end);
    if (!rc) text_print("\n");
    buf_free(&rows);
    return rc;
}

static int list_file(struct shard_list *l, const struct shard_file *f, struct err *err) {
    bool all = !f->part.end || (!f->part.begin && f->part.end == f->bytes);
    l->files++;
    l->bytes += all ? f->bytes : f->part.end - f->part.begin;
    if (!l->json) return print_file(f, all, err);
    json_t *j = json_new(JSON("path", json_text(f->path)), JSON("bytes", f->bytes));
    if (j && !all) json_object_set_new(j, "from", json_integer((json_int_t)f->part.begin));
    if (j && !all) json_object_set_new(j, "to", json_integer((json_int_t)f->part.end));
    if (j && f->members.end) json_object_set_new(j, "from_member", json_integer((json_int_t)f->members.first));
    if (j && f->members.end) json_object_set_new(j, "to_member", json_integer((json_int_t)f->members.end));
    if (j && f->start_row.n) json_object_set_new(j, "start_row_hex", json_hex(f->start_row));
    if (j && f->stop_row.n) json_object_set_new(j, "stop_row_hex", json_hex(f->stop_row));
    if (j && f->is_cut) json_object_set_new(j, "cut", json_true());
    return json_array_append_new(l->json, j) ? err_nomem(err, 0, "the list of files") : 0;
}

/* Returns whether the file is listed already. Only a reference can be a second view of a file: of its other half. */
static bool is_listed(const struct store_files *s, size_t i) {
    if (s->files[i].half == STORE_WHOLE) return false;
    for (size_t k = 0; k < i; k++)
        if (s->files[k].half != STORE_WHOLE && !strcmp(s->files[k].path, s->files[i].path)) return true;
    return false;
}

/* A store's files one by one. */
static int list_input(struct shard_list *l, const struct input *in, struct err *err) {
    const struct shard_file one = {in->path, in->file_bytes, in->is_cut, in->part, in->members, in->start_row, in->stop_row};
    if (!in->files || in->files->packed) return list_file(l, &one, err);
    const struct input_store *store = in->files->arg;
    const struct store_files *s = &store->files;
    for (size_t i = 0; i < s->n_files; i++) {
        struct shard_file f = {.path = s->files[i].path, .bytes = s->files[i].bytes};
        input_store_rows(store, i, &f.start_row, &f.stop_row);
        if (!is_listed(s, i) && list_file(l, &f, err)) return -1;
    }
    for (size_t i = 0; l->also && i < s->n_mob; i++) json_array_append_new(l->also, json_text(s->mob[i].path));
    return 0;
}

/* *json: as text, which is printed: NULL. */
static int list_one(struct environment *env, const struct manifest_shard *shard, const struct input_list *in, json_t **json,
                    struct err *err) {
    struct shard_list l = {.json = env->o.messages.json ? json_array() : NULL,
                           .also = env->o.messages.json ? json_array() : NULL};
    int rc = 0;
    *json = NULL;
    for (uint32_t i = 0; !rc && i < in->n; i++) rc = list_input(&l, &in->inputs[i], err);
    reporter_end_line(&env->reporter);
    if (rc || !l.json) {
        json_decref(l.json);
        json_decref(l.also);
        return rc;
    }
    *json = json_new(JSON("shard", shard->number), JSON("of", shard->of), JSON("listing", shard->listing), JSON("count", l.files),
                     JSON("bytes", l.bytes), JSON("files", l.json), JSON("also", l.also));
    return *json ? 0 : err_nomem(err, 0, "the list of files");
}

static int list_each(struct environment *env, const struct read_opts *read, struct input_list *in, uint32_t n, json_t *all,
                     struct err *err) {
    int rc = 0;
    for (uint32_t i = 1; !rc && i <= n; i++) {
        struct manifest_shard shard = {.number = i, .of = n};
        json_t *one = NULL;
        rc = input_list_cut(in, read, &shard, err);
        if (!rc && !env->o.messages.json) text_print("shard %u/%u\n", i, n);
        if (!rc) rc = list_one(env, &shard, in, &one, err);
        if (!rc && one && json_array_append_new(all, one)) rc = err_nomem(err, 0, "the list of files");
        if (!rc) rc = input_uncut(in, &shard, err);
        json_decref(shard.rows);
    }
    return rc;
}

static int list_all(struct environment *env, struct intake *intake, const struct read_opts *read, struct input_list *in,
                    struct err *err) {
    uint64_t n;
    if (opt_size(import_options(&env->o)->shards, &n) || !n || n > IMPORT_SHARDS_MAX)
        return err_set(err, ERR_USAGE, "--shards: expected a number from 1 to %d, or I/N", IMPORT_SHARDS_MAX);
    if (import_shards_check(env, intake, "shards", err)) return -1;
    json_t *all = json_array();
    int rc = all ? list_each(env, read, in, (uint32_t)n, all, err) : err_nomem(err, 0, "the list of files");
    if (rc || !env->o.messages.json) {
        json_decref(all);
        return rc;
    }
    return report_json_put(&env->reporter, "shards", json_new(JSON("shards", all)), err);
}

int import_shard_list(struct environment *env, struct intake *intake, const struct read_opts *read, struct input_list *in,
                      struct err *err) {
    struct manifest_shard shard = {0};
    json_t *one = NULL;
    if (!import_shard_asked(&env->o)) return list_all(env, intake, read, in, err);
    int rc = import_shard_begin(env, intake, read, in, &shard, err);
    if (!rc) rc = list_one(env, &shard, in, &one, err);
    if (!rc && one) rc = report_json_put(&env->reporter, "shard", one, err);
    json_decref(shard.rows);
    json_decref(shard.notes);
    return rc;
}
