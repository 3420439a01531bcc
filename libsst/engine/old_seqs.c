#include "engine/old_seqs.h"

#include "base/bytes.h"
#include "cell/keyvalue.h"
#include "rules/whole_files.h"

#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <xxhash.h>

struct old_file {
    uint64_t seq;
    uint64_t family;       /* XXH3-64 of its name */
    uint32_t group, place; /* of its load_input */
};

struct old_seqs {
    size_t n;
    struct old_file files[]; /* falling seq */
};

static int made_at(const struct hfile *h, int64_t *ms, struct err *err) {
    const char *path = hfile_info(h)->path;
    struct bytes at = hfile_find(h, "hfile.CREATE_TIME_TS");
    struct stat st;
    if (hfile_find(h, "OBKV.CELLS").p && at.n == 8) return *ms = (int64_t)be64(at.p), 0;
    if (stat(path, &st)) return err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
    *ms = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
    return 0;
}

int old_seq_of(const struct job *job, const struct hfile *h, uint64_t *seq, struct err *err) {
    const struct hfile_info *i = hfile_info(h);
    struct bytes created = hfile_find(h, "hfile.CREATE_TIME_TS");
    struct file_facts f = {.max_mvcc = i->max_mvcc};
    *seq = 0;
    if (!job->keep_seq_ms || !i->max_mvcc || !i->cells) return 0;
    if (created.n == 8) f.created_ms = (int64_t)be64(created.p);
    if (made_at(h, &f.made_ms, err)) return -1;
    *seq = file_facts_old_seq(&f, job->now_ms, job->keep_seq_ms);
    return 0;
}

static int look_inside(const struct job *job, const struct load_input *in, struct old_file *out, struct err *err) {
    struct err why = {0};
    struct kv_key first;
    int rc = 0;
    struct hfile *h = hfile_open(in->path, job_block_limit(job, job_readers(job)), &why);
    if (!h && (why.sys || (why.code != ERR_INPUT && why.code != ERR_UNSUPPORTED))) return err_keep(err, &why), -1;
    if (h && kv_key_parse(hfile_info(h)->first_key, &first)) {
        *out = (struct old_file){.family = XXH3_64bits(first.family.p, first.family.n), .group = in->group, .place = in->place};
        rc = old_seq_of(job, h, &out->seq, err);
    }
    hfile_close(h);
    return rc;
}

static int look_at(const struct job *job, const struct load_input *in, struct old_file *out, struct err *err) {
    struct stat st;
    if (stop_check(job->stop, err)) return -1;
    if (in->files || !strcmp(in->path, "-")) return 0;
    if (stat(in->path, &st)) return err_sys(err, ERR_INPUT, errno, "%s", in->path);
    return S_ISREG(st.st_mode) ? look_inside(job, in, out, err) : 0;
}

static int by_falling_seq(const void *pa, const void *pb) {
    const struct old_file *a = pa, *b = pb;
    return (a->seq < b->seq) - (a->seq > b->seq);
}

size_t old_seqs_bytes(const struct job *job, uint32_t n) {
    return job->keep_seq_ms ? sizeof(struct old_seqs) + n * sizeof(struct old_file) : 0;
}

struct old_seqs *old_seqs_read(const struct job *job, const struct load_input *inputs, uint32_t n, struct err *err) {
    if (!job->keep_seq_ms) return NULL;
    struct old_seqs *o = calloc(1, old_seqs_bytes(job, n));
    if (!o) return err_nomem(err, old_seqs_bytes(job, n), "file facts"), NULL;
#pragma omp parallel for schedule(dynamic, 16) num_threads(job_readers(job))
    for (uint32_t i = 0; i < n; i++) {
        struct err mine = {0};
        if (look_at(job, &inputs[i], &o->files[i], &mine)) {
#pragma omp critical(old_seqs_error)
            err_keep(err, &mine);
        }
    }
    qsort(o->files, n, sizeof *o->files, by_falling_seq);
    while (o->n < n && o->files[o->n].seq) o->n++;
    if (!err->code && o->n) return o;
    free(o);
    return NULL;
}

void old_seqs_free(struct old_seqs *o) {
    free(o);
}

uint64_t old_seqs_upto(const struct old_seqs *o, const char *family, uint32_t partition, const bool *expired) {
    const uint64_t name = XXH3_64bits(family, strlen(family));
    for (size_t i = 0; o && i < o->n; i++) {
        const struct old_file *f = &o->files[i];
        bool here = f->place == LOAD_ANY_PLACE || f->place == partition + LOAD_FIRST_PLACE;
        if (here && !(expired && expired[f->group]) && f->family == name) return f->seq;
    }
    return 0;
}
