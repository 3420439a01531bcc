/* Warnings of runs that read one list of inputs between them. What options and listings give cause for, every shard says; what
 * records give cause for adds up; and what is a matter of proportion shows only when all are seen, so a shard says nothing of it
 * and hands on its counts. */
#include "cmd/common/environment.h"
#include "cmd/common/intake.h"
#include "cmd/common/output.h"

#include "base/warning.h"
#include "cmd/common/shard_notes.h"
#include "cmd/common/signs.h"
#include "cmd/common/unmet.h"
#include "cmd/common/warnings.h"
#include "formats/formats.h"

#include <stdlib.h>
#include <string.h>

static json_t *counts_json(const struct reporter *r, struct err *err) {
    json_t *counts;
    if (report_warnings_counts(r, &counts, err)) return NULL;
    return counts ? counts : json_object();
}

int shard_notes_begin(struct environment *env, struct output *output, struct err *err) {
    json_t *counts = counts_json(&env->reporter, err);
    if (!counts) return -1;
    json_t **notes = output->shard ? &output->shard->notes : &output->share->notes;
    json_decref(*notes);
    *notes = json_new(JSON("warned", counts));
    return *notes ? 0 : err_nomem(err, 0, "the manifest");
}

/* Notes the header that all others of this shard are compared with, and whether that or another one was doubted. */
static int note_headers(struct intake *intake, struct output *output, struct err *err) {
    const struct first_header *h = &intake->first_header;
    if (!h->path.n) return 0;
    json_int_t hash = (json_int_t)warning_hash(buf_bytes(&h->names));
    json_t *headers = json_new(JSON("first", hash), JSON("doubted", json_boolean(h->doubt != 0)));
    return json_object_set_new(output->shard->notes, "headers", headers) ? err_nomem(err, 0, "the manifest") : 0;
}

/* Notes the warnings that one run gives once: of a file, however often it is given. A doubted header is another matter. */
static int note_once(struct intake *intake, struct output *output, struct err *err) {
    struct warning_line line;
    json_t *once = json_object();
    int rc = 0;
    for (size_t at = 0; !rc && warning_next(&intake->input_warnings, &at, &line);) {
        const char *name = warning_name(line.code);
        uint64_t hash = warning_hash(line.text);
        if (!warning_is_of_a_file(line.code) || (hash | 1) == intake->first_header.doubt) continue;
        if (!json_object_get(once, name)) json_object_set_new(once, name, json_array());
        rc = json_array_append_new(json_object_get(once, name), json_pack("[I, I]", (json_int_t)hash, (json_int_t)line.n));
    }
    if (rc) json_decref(once);
    return rc || json_object_set_new(output->shard->notes, "once", once) ? err_nomem(err, 0, "the manifest") : 0;
}

/* An input that another shard reads on counts for its share of the whole, however plausible it looks here. */
int shard_notes_end(struct intake *intake, struct output *output, const struct input_list *in, struct err *err) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < in->n; i++)
        if (in->inputs[i].format && !in->inputs[i].files && in->inputs[i].holds & HOLDS_EDITS) {
            json_decref(list);
            return err_set(err, ERR_USAGE, "--shard: %s %s a write-ahead log: logs of a table are read by one run",
                           in->inputs[i].path, in->inputs[i].format->is_log ? "is" : "holds");
        }
    for (uint32_t i = 0; i < in->n; i++) {
        const struct input_signs *g = &in->inputs[i].signs;
        if (!(i == 0 || i + 1 == in->n || g->early || g->late || g->latest || g->not_utf8 || g->ttls)) continue;
        json_array_append_new(list, json_pack("[I, I, I, I, I, I, I, I, I, I, I, I, I]", (json_int_t)(output->shard->first + i),
                                              (json_int_t)g->cells, (json_int_t)g->seconds, (json_int_t)g->late,
                                              (json_int_t)g->micros, (json_int_t)g->nanos, (json_int_t)g->not_utf8,
                                              (json_int_t)g->early, (json_int_t)g->ttls, (json_int_t)g->ttl_seconds,
                                              (json_int_t)g->dates, (json_int_t)g->date_digits, (json_int_t)g->latest));
    }
    if (json_object_set_new(output->shard->notes, "signs", list)) return err_nomem(err, 0, "the manifest");
    return note_headers(intake, output, err) || note_once(intake, output, err) || unmet_note(intake, output->shard->notes, err)
               ? -1
               : 0;
}

/* ---- all shards ---- */

static uint64_t number_of(const json_t *j) {
    return json_is_integer(j) && json_integer_value(j) > 0 ? (uint64_t)json_integer_value(j) : 0;
}

static void add_signs(const json_t *row, struct input_list *in) {
    uint64_t at = number_of(json_array_get(row, 0));
    if (at >= in->n) return;
    struct input_signs *g = &in->inputs[at].signs;
    g->cells += number_of(json_array_get(row, 1));
    g->seconds += number_of(json_array_get(row, 2));
    g->late += number_of(json_array_get(row, 3));
    g->micros += number_of(json_array_get(row, 4));
    g->nanos += number_of(json_array_get(row, 5));
    g->not_utf8 += number_of(json_array_get(row, 6));
    g->early += number_of(json_array_get(row, 7));
    g->ttls += number_of(json_array_get(row, 8));
    g->ttl_seconds += number_of(json_array_get(row, 9));
    if (!g->dates) g->date_digits = number_of(json_array_get(row, 11)) % 18;
    g->dates += number_of(json_array_get(row, 10));
    g->latest += number_of(json_array_get(row, 12));
}

/* The inputs as one run would have listed them, as far as warnings name them. Paths are borrowed. */
static int list_signs(struct environment *env, struct intake *intake, const struct manifest *m, size_t n,
                      const struct manifest *whole, struct input_list *in, struct err *err) {
    in->inputs = calloc(whole->n_inputs + 1, sizeof *in->inputs);
    if (!in->inputs) return err_nomem(err, whole->n_inputs * sizeof *in->inputs, "the list of inputs");
    in->n = (uint32_t)whole->n_inputs;
    for (uint32_t i = 0; i < in->n; i++) {
        in->inputs[i].path = whole->inputs[i].path;
        in->inputs[i].format = format_by_name(whole->inputs[i].format);
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *row;
        size_t k;
        json_array_foreach(json_object_get(m[i].shard.notes, "signs"), k, row) {
            add_signs(row, in);
        }
    }
    env->o.in.timestamp_given = json_is_integer(json_object_get(whole->settings, "timestamp")); /* as of the shards */
    signs_warn(env, intake, in);
    return 0;
}

/* Adds up warnings. Those that each shard gave before it read anything, all have given; the rest are its own. */
static void add_counts(struct environment *env, const struct manifest *m, size_t n) {
    for (unsigned w = 0; w < WARNING_COUNT; w++) {
        const char *name = warning_name((enum warning)w);
        uint64_t shared = 0, own = 0;
        for (size_t i = 0; i < n; i++) {
            const json_t *notes = m[i].shard.of ? m[i].shard.notes : m[i].share.notes;
            uint64_t all = number_of(json_object_get(m[i].warnings, name)),
                     before = number_of(json_object_get(json_object_get(notes, "warned"), name));
            if (before > shared) shared = before;
            if (all > before) own += all - before;
        }
        env->reporter.warned.n[w] += shared + own;
    }
}

struct said_once {
    uint64_t hash, n;
};

static int by_hash(const void *a, const void *b) {
    const struct said_once *x = a, *y = b;
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static size_t gather_said(const struct manifest *m, size_t n, const char *name, struct said_once *out) {
    size_t found = 0, k;
    const json_t *pair;
    for (size_t i = 0; i < n; i++) {
        const json_t *list = json_object_get(json_object_get(m[i].shard.notes, "once"), name);
        json_array_foreach(list, k, pair) {
            if (out) out[found] = (struct said_once){number_of(json_array_get(pair, 0)), number_of(json_array_get(pair, 1))};
            found++;
        }
    }
    return found;
}

/* A file that is given twice may be read by two shards, each of which has warned of it. */
static int count_files_once(struct environment *env, const struct manifest *m, size_t n, struct err *err) {
    for (unsigned w = 0; w < WARNING_COUNT; w++) {
        size_t said = gather_said(m, n, warning_name((enum warning)w), NULL);
        if (said < 2) continue;
        struct said_once *list = malloc(said * sizeof *list);
        if (!list) return err_nomem(err, said * sizeof *list, "the warnings of shards");
        gather_said(m, n, warning_name((enum warning)w), list);
        qsort(list, said, sizeof *list, by_hash);
        uint64_t *count = &env->reporter.warned.n[w];
        for (size_t i = 1; i < said; i++)
            if (list[i].hash == list[i - 1].hash && *count > list[i].n) *count -= list[i].n;
        free(list);
    }
    return 0;
}

/* One run warns once of headers. Shards may have, each once, or all of a shard differ from those of another. */
static void join_headers(struct environment *env, const struct manifest *m, size_t n) {
    const json_t *first = NULL;
    uint64_t warned = 0;
    bool between = false;
    for (size_t i = 0; i < n; i++) {
        const json_t *headers = json_object_get(m[i].shard.notes, "headers"), *own = json_object_get(headers, "first");
        warned += json_is_true(json_object_get(headers, "doubted"));
        if (first && own && !json_equal(first, own)) between = true;
        if (!first) first = own;
    }
    uint64_t *count = &env->reporter.warned.n[WARN_HEADER];
    if (warned)
        *count -= warned - 1;
    else if (between)
        report_warn(&env->reporter, WARN_HEADER, 1,
                    "the first records of files, passed over as headers, differ between shards; give columns by name "
                    "(NAME=FAMILY:QUALIFIER), and --header only if each file has one");
}

void shard_notes_warn_shares(struct environment *env, const struct manifest *m, size_t n) {
    add_counts(env, m, n);
}

int shard_notes_warn(struct environment *env, struct intake *intake, const struct manifest *m, size_t n,
                     const struct manifest *whole, struct err *err) {
    struct input_list in = {0};
    add_counts(env, m, n);
    if (count_files_once(env, m, n, err)) return -1;
    join_headers(env, m, n);
    unmet_join(env, intake, m, n, &whole->ledger);
    int rc = list_signs(env, intake, m, n, whole, &in, err);
    free(in.inputs);
    return rc;
}
