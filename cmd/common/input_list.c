/* The list of inputs: files and stores, what they take of the memory, and the table that stores are of. A store is one input
 * of many files, which the engine asks for one after the other. */
#include "base/warning.h"
#include "cmd/common/input_list.h"
#include "cmd/common/input_packs.h"
#include "cmd/common/input_tree.h"
#include "cmd/common/input_watch.h"
#include "cmd/common/inputs.h"

#include "base/buf.h"
#include "engine/memory_plan.h"
#include "base/fs.h"
#include "base/remote.h"
#include "formats/archive/archive_tree_open.h"
#include "formats/hbase/descriptor.h"
#include "formats/hbase/mob.h"
#include "formats/hbase/mob_follow.h"
#include "formats/hbase/shell_create.h"
#include "hfile/pack_member.h"
#include "sort/kept_run.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <xxhash.h>

/* ---- the list ---- */

/* Owns in->path from now on. */
static int list_put(struct input_list *l, const struct input *in, struct err *err) {
    enum { COPIES_OF_PATH = 3 }; /* when the manifest is made: here, in its list, and in its text */
    const uint64_t more =
        sizeof *l->inputs + sizeof *l->watch.files + sizeof *l->paths + COPIES_OF_PATH * strlen(in->path) + LIST_ROOM_EACH;
    if (list_room_take(&l->room, more, "the list of input files takes", err) ||
        grow_array(&l->inputs, l->n, sizeof *l->inputs, "the list of inputs", err)) {
        free((char *)in->path);
        return -1;
    }
    l->inputs[l->n] = *in;
    l->inputs[l->n++].group = l->groups;
    return 0;
}

static unsigned held_by(enum dataset_kind kind) {
    return kind == DATASET_DELTA ? HOLDS_EDITS : kind == DATASET_WHOLE ? HOLDS_WHOLE : HOLDS_UNSAID;
}

static int put_dataset_file(struct input_list *l, const char *dir, const struct manifest *m, const struct manifest_file *f,
                            struct err *err) {
    struct input in = {.path = fs_join(dir, f->path, err),
                       .format_name = "hfile",
                       .in_manifest = true,
                       .manifest_tally = f->tally,
                       .kv_bytes = f->kv_bytes,
                       .holds = held_by(m->kind)};
    if (kept_run_is(f->path)) {
        in.part = (struct text_part){f->offset, f->offset + f->file_bytes};
        memcpy(in.checksum, f->checksum, sizeof in.checksum);
    }
    if (!in.path || list_put(l, &in, err)) return -1;
    return m->n_packs ? 0 : input_watch_add(&l->watch, in.path, WATCH_DATASET, err);
}

static int put_path(struct input_list *l, char *path, const char *format, struct err *err) {
    return path ? list_put(l, &(struct input){.path = path, .format_name = format}, err) : -1;
}

/* A single file, "-", or something that only its reader can refuse. */
int input_list_add_file(struct input_list *l, const char *path, const char *format, struct err *err) {
    for (uint32_t i = 0; i < l->n && !strcmp(path, "-"); i++)
        if (!strcmp(l->inputs[i].path, "-")) return err_set(err, ERR_USAGE, "standard input ('-') can be read only once");
    int rc = put_path(l, fs_printf(err, "%s", path), format, err);
    if (!rc) rc = input_watch_add(&l->watch, l->inputs[l->n - 1].path, WATCH_FILE, err);
    l->groups++;
    return rc;
}

int input_list_add_known(struct input_list *l, const struct input *in, struct err *err) {
    struct input own = *in;
    if (!(own.path = fs_printf(err, "%s", in->path)) || list_put(l, &own, err)) return -1;
    l->groups++;
    return 0;
}

int input_list_add_dataset(struct input_list *l, const char *dir, const struct manifest *m, struct err *err) {
    for (size_t i = 0; i < m->n_files; i++)
        if (put_dataset_file(l, dir, m, &m->files[i], err)) return -1;
    for (size_t i = 0; i < m->n_packs; i++)
        if (input_packs_add(l, dir, &m->packs[i], err)) return -1;
    l->groups++;
    return 0;
}

int input_list_forget(struct input_list *l, struct err *err) {
    if (!(l->paths = malloc((l->n + l->n_others + 1) * sizeof *l->paths))) return err_nomem(err, l->n, "the list of inputs");
    for (; l->n_paths < l->n + l->n_others; l->n_paths++) l->paths[l->n_paths] = (char *)(uintptr_t)l->inputs[l->n_paths].path;
    free(l->inputs);
    l->inputs = NULL;
    l->n = l->n_others = 0;
    return 0;
}

void input_list_free(struct input_list *l) {
    for (uint32_t i = 0; i < l->n + l->n_others; i++) free((char *)l->inputs[i].path);
    for (uint32_t i = 0; i < l->n_paths; i++) free(l->paths[i]);
    input_packs_free(l);
    free((void *)l->in_order);
    free(l->paths);
    buf_free(&l->from_row);
    buf_free(&l->to_row);
    for (uint32_t i = 0; i < l->n_stores; i++) {
        input_watch_free(&l->stores[i]->mob_files);
        mob_close(l->stores[i]->mob);
        archive_tree_close(l->stores[i]->tree);
        survey_free(&l->stores[i]->survey);
        if (l->stores[i]->listed) {
            l->stores[i]->files.files = l->stores[i]->listed;
            l->stores[i]->files.n_files = l->stores[i]->n_listed;
        }
        store_files_free(&l->stores[i]->files);
        free(l->stores[i]);
    }
    input_watch_free(&l->watch);
    free(l->stores);
    free(l->store_inputs);
    free(l->inputs);
    *l = (struct input_list){0};
}

/* ---- stores ---- */

/* Returns the memory that the lists of a store take; part of --memory. */
static uint64_t store_list_bytes(const struct input_store *s) {
    uint64_t bytes =
        s->files.n_files * (sizeof *s->files.files + sizeof *s->survey.files + sizeof *s->survey.by_age + LIST_ROOM_EACH);
    bytes += s->files.n_files * sizeof(struct watched_file);
    for (size_t i = 0; i < s->files.n_files; i++) bytes += strlen(s->files.files[i].path);
    return bytes;
}

static void begin_at(struct hfile_view *v, struct bytes row) {
    if (row.n && (!v->start_row.p || bytes_cmp(row, v->start_row) > 0)) v->start_row = row;
}

static void end_at(struct hfile_view *v, struct bytes row) {
    if (row.n && (!v->stop_row.p || bytes_cmp(row, v->stop_row) < 0)) v->stop_row = row;
}

void input_store_rows(const struct input_store *s, size_t i, struct bytes *from, struct bytes *to) {
    const struct store_file *f = s->files.files;
    *from = f[i].region == f[0].region ? s->from_row : (struct bytes){0};
    *to = f[i].region == f[s->files.n_files - 1].region ? s->to_row : (struct bytes){0};
}

static const char *file_at(const void *arg, size_t i, struct hfile_view *v) {
    const struct input_store *s = arg;
    struct bytes from, to;
    const struct store_file *f = &s->files.files[i];
    *v = survey_view(f, &s->survey.files[i]);
    v->floor = buf_bytes(&s->files.regions[f->region].start);
    if (s->mob && mob_follow_wanted(&s->files, f->family)) v->mob = s->mob;
    begin_at(v, s->start_row);
    end_at(v, s->stop_row);
    input_store_rows(s, i, &from, &to);
    begin_at(v, from);
    end_at(v, to);
    return f->path;
}

/* Watches the files of a store. Those of an archive are copies of ours: the archive itself is watched. */
static int watch_files(struct input_list *l, const struct input_store *s, struct err *err) {
    for (size_t i = 0; i < s->files.n_files && !s->tree; i++) {
        const struct store_file *f = &s->files.files[i];
        if (input_watch_add(&l->watch, f->path, WATCH_STORE, err)) return -1;
    }
    return 0;
}

/* Returns whether a file at path is perhaps a copy, or one of a server. */
static bool has_original(const struct input_list *l, const char *path) {
    return l->n_staged || remote_name(path);
}

/* The name of the file at path; of a copy (staged), that of the original; of a file of a server, its URL. */
static char *original_name(const struct input_list *l, const char *path, struct err *err) {
    for (unsigned i = 0; i < l->n_staged; i++) {
        const char *url = strchr(l->staged[i], '=') + 1;
        size_t n = (size_t)(url - 1 - l->staged[i]);
        if (!strncmp(path, l->staged[i], n) && (!path[n] || path[n] == '/')) return fs_printf(err, "%s%s", url, path + n);
    }
    return remote_original(path, err);
}

/* One entry for all files: their number must not decide what lists and manifest take. */
static int put_files(struct input_list *l, const char *path, struct input_store *s, struct err *err) {
    struct input in = {.path = fs_printf(err, "%s", path),
                       .format_name = "hfile",
                       .files = &s->as_input,
                       .holds = s->files.is_delta ? HOLDS_EDITS : HOLDS_WHOLE};
    uint64_t sum = 0;
    if (!in.path) return -1;
    s->as_input = (struct input_files){.n = s->files.n_files, .packed = s->tree != NULL, .at = file_at, .arg = s};
    for (size_t i = 0; i < s->files.n_files; i++) {
        const struct store_file *f = &s->files.files[i];
        bool renamed = !s->tree && has_original(l, f->path);
        char *original = renamed ? original_name(l, f->path, err) : NULL;
        const char *name = s->tree ? archive_tree_member(s->tree, f->path) : renamed ? original : f->path;
        if (!name) {
            free((char *)(uintptr_t)in.path);
            return err_nomem(err, strlen(f->path), "the name of a member");
        }
        const uint64_t facts[] = {f->bytes, (uint64_t)f->mtime_ns, f->half};
        in.file_bytes += f->bytes;
        if (f->mtime_ns > in.mtime_ns) in.mtime_ns = f->mtime_ns;
        if (f->ctime_ns > in.ctime_ns) in.ctime_ns = f->ctime_ns;
        sum = XXH3_64bits_withSeed(facts, sizeof facts, XXH3_64bits_withSeed(name, strlen(name), sum));
        free(original);
    }
    snprintf(in.checksum, sizeof in.checksum, "%016llx", (unsigned long long)sum);
    return list_put(l, &in, err) ? -1 : watch_files(l, s, err);
}

/* Watches a mob file when it is read: that it is only shows then. */
static int watch_mob_file(void *arg, const char *path, struct err *err) {
    struct input_store *s = arg;
    return s->tree ? 0 : input_watch_add(&s->mob_files, path, WATCH_STORE, err);
}

static int open_mob(struct input_store *s, struct job *job, struct err *err) {
    enum { BLOCKS_AT_ONCE = 8 };
    const struct mob_opts o = {.memory_bytes = memory_share(job, MEMORY_MOB),
                               .max_block_bytes = job_block_limit(job, BLOCKS_AT_ONCE),
                               .opens = watch_mob_file,
                               .arg = s};
    for (size_t i = 0; i < s->files.n_files && !s->mob; i++)
        if (mob_follow_wanted(&s->files, s->files.files[i].family) && !(s->mob = mob_open(&s->files, &o, err))) return -1;
    if (s->mob) job->resident_bytes += o.memory_bytes;
    return 0;
}

/* Owns s from now on. */
static int put_store(struct input_list *l, struct input_store *s, struct err *err) {
    if (grow_array(&l->stores, l->n_stores, sizeof(struct input_store *), "the list of inputs", err) ||
        grow_array(&l->store_inputs, l->n_stores, sizeof *l->store_inputs, "the list of inputs", err)) {
        archive_tree_close(s->tree);
        store_files_free(&s->files);
        free(s);
        return -1;
    }
    l->stores[l->n_stores] = s;
    l->store_inputs[l->n_stores++] = (struct store_input){0}; /* once its files are known */
    return 0;
}

/* Each with the name of what it is about in front, once. */
static int put_warnings(const struct store_files *s, struct buf *out, struct err *err) {
    struct warning_line line;
    size_t named = strlen(s->what);
    for (size_t at = 0; warning_next(&s->warnings, &at, &line);) {
        bool has = line.text.n >= named && !memcmp(line.text.p, s->what, named);
        if (warning_add(out, line.code, line.n, err, "%s%s%.*s", has ? "" : s->what, has ? "" : ": ", (int)line.text.n,
                        (const char *)line.text.p))
            return -1;
    }
    return 0;
}

/* files: read already, from path. Owns files and tree from now on. */
int input_list_add_store(struct input_list *l, const char *path, struct store_files *files, struct archive_tree *tree,
                         const struct input_opts *o, struct buf *warnings, struct err *err) {
    struct input_store *s = calloc(1, sizeof *s);
    if (!s) {
        archive_tree_close(tree);
        store_files_free(files);
        return err_nomem(err, sizeof *s, "the list of inputs");
    }
    s->files = *files;
    s->tree = tree;
    if (put_store(l, s, err) || store_files_warn_expired(&s->files, o->job->now_ms, err)) return -1;
    if (put_warnings(&s->files, warnings, err)) return -1;
    if (survey_begin(&s->files, &s->survey, err)) return -1;
    l->store_inputs[l->n_stores - 1] = survey_input(&s->survey, l->groups);
    if (open_mob(s, o->job, err) || put_files(l, path, s, err)) return -1;
    input_watch_also(&l->watch, &s->mob_files);
    malloc_trim(0); /* the listing was as large as what is kept of it */
    o->job->resident_bytes += store_list_bytes(s);
    l->groups++;
    return 0;
}

/* Counts the files of the shard's first region: those that begin before the shard are seen by the shard before it, too. */
static size_t files_of_region(const struct store_files *s) {
    size_t n = 0;
    while (n < s->n_files && s->files[n].region == s->files[0].region) n++;
    return n;
}

int input_store_keep(struct input_list *l, const struct input *in, const struct store_part *part, struct err *err) {
    uint32_t i = 0;
    while (in->files != &l->stores[i]->as_input) i++;
    struct input_store *s = l->stores[i];
    s->listed = s->files.files;
    s->n_listed = s->files.n_files;
    s->files.files += part->first;
    s->files.n_files = s->as_input.n = part->end - part->first;
    s->from_row = part->from_row;
    s->to_row = part->to_row;
    survey_free(&s->survey);
    if (survey_begin(&s->files, &s->survey, err)) return -1;
    s->survey.counted_before = part->from_row.n ? files_of_region(&s->files) : 0;
    l->store_inputs[i] = survey_input(&s->survey, in->group);
    return 0;
}

int input_list_survey(struct input_list *l, const struct job *job, struct buf *warnings, struct err *err) {
    for (uint32_t i = 0; i < l->n_stores; i++) {
        struct input_store *s = l->stores[i];
        if (s->tree && input_tree_unpack(s->tree, &s->files, job->temp_dir, err)) return -1;
        s->as_input.packed = false;
        if (survey_run(job, &s->files, &s->survey, warnings, err)) return -1;
    }
    return 0;
}

/* ---- the table of stores ---- */

static int add_families(const struct hbase_table *from, struct table *t, struct err *err) {
    for (uint32_t i = 0; i < from->n_families; i++) {
        struct bytes name = bytes_str(from->families[i].name);
        if (table_family(t, name) >= 0) continue;
        if (table_add_family(t, name, err)) return -1;
        t->families[t->n_families - 1].rules = from->families[i].rules;
    }
    return 0;
}

static int name_table(const struct hbase_table *from, struct table *t, struct err *err) {
    if (!from->name) return 0;
    t->name = strcmp(from->ns, "default") ? fs_printf(err, "%s:%s", from->ns, from->name) : strdup(from->name);
    return t->name ? 0 : err_nomem(err, 0, "the table's name");
}

int input_list_table(const struct input_list *l, struct table *out, struct err *err) {
    if (!l->n_stores) return 0;
    int rc = table_handmade(out, err);
    for (uint32_t i = 0; !rc && i < l->n_stores; i++) rc = add_families(&l->stores[i]->files.table, out, err);
    if (!rc) rc = name_table(&l->stores[0]->files.table, out, err);
    if (!rc) return 1;
    table_free(out);
    return -1;
}

int input_shell_table(const char *path, struct table *out, struct hbase_table *from, struct err *err) {
    int rc = shell_create_read(path, from, err);
    if (rc <= 0) return rc;
    rc = table_handmade(out, err) || add_families(from, out, err) || name_table(from, out, err) ? -1 : 1;
    if (rc > 0) return rc;
    table_free(out);
    hbase_table_free(from);
    *from = (struct hbase_table){0};
    return rc;
}

static char *full_member_path(const struct input_list *l, const char *path, const struct pack_member *m, struct err *err) {
    char *pack = realpath(m->pack, NULL), *real = pack ? fs_join(pack, strrchr(path, '/') + 1, err) : NULL;
    char *name = err->code ? NULL : original_name(l, real ? real : path, err);
    free(pack);
    free(real);
    return name;
}

char *input_full_path(const struct input_list *l, const struct input *in, struct err *err) {
    struct pack_member member;
    if (!remote_name(in->path) && pack_member_parse(in->path, &member)) return full_member_path(l, in->path, &member, err);
    char *real = strcmp(in->path, "-") && !remote_name(in->path) ? realpath(in->path, NULL) : NULL;
    const bool failed = !real && strcmp(in->path, "-") && !remote_name(in->path) && errno != ENOENT && errno != ENOTDIR;
    if (failed) err_sys(err, ERR_INPUT, errno, "%s", in->path);
    char *name = failed ? NULL : original_name(l, real ? real : in->path, err);
    free(real);
    return name;
}
