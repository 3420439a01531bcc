/* The values that are in mob files: each reference of the store files that HBase would read is followed to its value, because a
 * table whose values are missing is not whole, though every one of its store files is. */
#include "cmd/verify/check/check.h"

#include "cmd/verify/check/check_mob.h"
#include "engine/memory_plan.h"
#include "formats/hbase/mob_follow.h"
#include "formats/hbase/survey.h"

struct mob_check {
    const struct store_files *files;
    struct survey survey;
    struct mob_resolver *values;
};

static const char *file_at(const void *arg, size_t i, struct hfile_view *v) {
    const struct mob_check *c = arg;
    *v = survey_view(&c->files->files[i], &c->survey.files[i]);
    if (mob_follow_wanted(c->files, c->files->files[i].family)) v->mob = c->values;
    return c->files->files[i].path;
}

static int add_findings(const struct mob_check *c, const struct mob_follow_result *r, struct check_findings *findings,
                        struct err *err) {
    struct buf line = {0};
    int rc = 0;
    for (size_t i = 0; i < r->n && !rc; i++) {
        buf_clear(&line);
        rc = mob_follow_put(&r->lacks[i], c->files, &line, err);
        if (!rc)
            check_findings_add(findings, r->lacks[i].missing ? FINDING_MISSING : FINDING_DAMAGED, c->files->what, "%.*s",
                               (int)line.n, (const char *)line.p);
    }
    buf_free(&line);
    return rc;
}

static int follow(struct mob_check *c, const struct job *job, struct check_findings *findings, struct check_result *out,
                  struct err *err) {
    const struct input_files files = {.n = c->files->n_files, .at = file_at, .arg = c};
    const uint64_t memory = memory_share(job, MEMORY_MOB);
    const struct mob_follow_opts o = {.job = job,
                                      .stores = c->files,
                                      .files = &files,
                                      .values = c->values,
                                      .memory_bytes = memory / 2,
                                      .block_limit = job_block_limit(job, 2 * job_readers(job))};
    struct mob_follow_result r;
    int rc = mob_follow(&o, &r, err);
    if (!rc) rc = add_findings(c, &r, findings, err);
    out->mob_values = r.values;
    mob_follow_free(&r);
    return rc;
}

bool check_mob_wanted(const struct store_files *files) {
    for (size_t i = 0; i < files->n_files; i++)
        if (mob_follow_wanted(files, files->files[i].family)) return true;
    return false;
}

int check_mob(const struct job *job, const struct store_files *files, struct check_findings *findings, struct check_result *out,
              struct err *err) {
    struct mob_check c = {.files = files};
    struct buf told = {0}; /* the survey's warnings: check reads all files */
    const struct mob_opts o = {.memory_bytes = memory_share(job, MEMORY_MOB) / 2,
                               .max_block_bytes = job_block_limit(job, 2 * job_readers(job))};
    struct err why = {0};
    int rc = survey_begin(files, &c.survey, err);
    if (!rc && survey_run(job, files, &c.survey, &told, &why)) {
        if (why.code == ERR_INPUT) survey_free(&c.survey); /* a finding already: all files are followed */
        rc = why.code == ERR_INPUT ? survey_begin(files, &c.survey, err) : -1;
        if (why.code != ERR_INPUT) err_keep(err, &why);
    }
    if (!rc && !(c.values = mob_open(files, &o, err))) rc = -1;
    if (!rc) rc = follow(&c, job, findings, out, err);
    mob_close(c.values);
    survey_free(&c.survey);
    buf_free(&told);
    return rc;
}
