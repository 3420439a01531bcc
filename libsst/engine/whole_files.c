#include "engine/whole_files.h"

#include "engine/hfile_view.h"

#include <omp.h>
#include <stdlib.h>

struct whole_files {
    struct file_verdict *all; /* input after input */
    size_t n;
    size_t *first; /* of each input */
};

static size_t files_of(const struct load_input *in) {
    return in->files ? in->files->n : 1;
}

static int check_one(const struct load_opts *o, const struct load_input *in, size_t file, struct file_verdict *out,
                     struct err *err) {
    struct err mine = {0};
    struct hfile_view view;
    struct read_opts r = o->read;
    const char *path = in->files ? in->files->at(in->files->arg, file, &view) : in->path;
    if (in->files) r.view = &view;
    if (stop_check(o->job->stop, err)) return -1;
    if (!strcmp(path, "-") || !r.formats->verify(path, in->format_name, &r, &out->cells, &mine)) return 0;
    if (mine.code != ERR_INPUT) return err_keep(err, &mine), -1;
    out->damage = strdup(mine.text);
    return out->damage ? 0 : err_nomem(err, strlen(mine.text), "a message");
}

static int check_all(const struct load_opts *o, struct whole_files *w, struct err *err) {
    const struct progress *p = &o->job->progress;
    uint64_t done = 0;
    for (uint32_t i = 0; i < o->n_inputs; i++) {
        size_t n = files_of(&o->inputs[i]);
#pragma omp parallel for schedule(dynamic, 1) num_threads(o->threads)
        for (size_t k = 0; k < n; k++) {
            struct err mine = {0};
            int failed;
#pragma omp critical(whole_files)
            failed = err->code;
            if (failed) continue;
            check_one(o, &o->inputs[i], k, &w->all[w->first[i] + k], &mine);
#pragma omp critical(whole_files)
            {
                err_keep(err, &mine);
                if (++done % 64 == 0 && p->report) p->report(p->arg, "verify", done, w->n);
            }
        }
    }
    return err->code ? -1 : 0;
}

struct whole_files *whole_files_check(const struct load_opts *o, struct err *err) {
    struct whole_files *w = calloc(1, sizeof *w);
    if (w) w->first = calloc(o->n_inputs + 1, sizeof *w->first);
    for (uint32_t i = 0; w && w->first && i < o->n_inputs; i++) {
        w->first[i] = w->n;
        w->n += files_of(&o->inputs[i]);
    }
    if (w && w->first) w->all = calloc(w->n + 1, sizeof *w->all);
    int rc = w && w->all ? check_all(o, w, err) : err_nomem(err, o->n_inputs * sizeof *w->all, "the list of inputs");
    if (!rc) return w;
    whole_files_free(w);
    return NULL;
}

const struct file_verdict *whole_files_verdict(const struct whole_files *w, uint32_t input, size_t file) {
    return &w->all[w->first[input] + file];
}

void whole_files_free(struct whole_files *w) {
    if (!w) return;
    for (size_t i = 0; w->all && i < w->n; i++) free(w->all[i].damage);
    free(w->all);
    free(w->first);
    free(w);
}
