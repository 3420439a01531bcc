/* A dataset as text, in order: load files for OceanBase, or cells for people and pipelines. Stretches of files are turned into
 * text by all threads and written one after the other, so bytes depend neither on threads nor on memory. And what a dataset is
 * exported for: --ddl, the dataset's own table or --name, and whether it can be loaded. */
#ifndef CMD_TEXT_EXPORT_TARGET_H
#define CMD_TEXT_EXPORT_TARGET_H

#include "cmd/common/environment.h"
#include "cmd/common/output.h"
#include "cmd/text/export_form.h"
#include "cmd/oceanbase/export_manifest.h"
#include "dataset/manifest.h"
#include "engine/job.h"

struct export_opts {
    const struct job *job;
    const char *dataset; /* its directory, and what is in it */
    const struct manifest *m;
    const struct table *target; /* same partitioning; has all families that hold cells */
    const struct export_form *form;
    bool strong, hex;
    bool replace; /* rows that are there already, by statements in rejects.sql */
    bool delta;   /* delete markers become statements; without dir they are left out */
    bool night;   /* a delta that a compaction follows: what the table has dropped by then must not return */
    enum load_compression compression;
    int level;
    uint64_t target_bytes;
    const struct selection *selection; /* of the cells; NULL: all */
    struct tally passed;               /* by it, of files that are no longer in m */
    struct reject_log *rejects;
    const struct reject_limit *reject_limit;
    const char *dir;                                                         /* where to: a directory … */
    int (*put)(void *arg, struct bytes text, bool *enough, struct err *err); /* … or, where dir is NULL, a caller that takes it */
    void *arg;
};

struct export_result {
    struct ledger ledger;
    uint64_t ttl_lost, ahead, markers; /* markers: written as statements; ahead: of them, later than now */
    uint64_t tags_lost;                /* cells written without their tags other than TTL */
    unsigned threads;
    bool enough; /* opts.put wanted no more: not all was read */
};

/* Fills out's files. The cells read are those that the dataset's manifest counts, or it fails (ERR_INPUT). */
int export_run(const struct export_opts *o, struct export_manifest *out, struct export_result *result, struct err *err);

/* The options of an export. */
struct export_options {
    const char *format, *table_name, *compress, *on_duplicate, *target_version, *server_dir;
    struct opt_list partitions;
    bool create, strong, hex, delta;
};
#define EXPORT_DEFAULTS \
    { .compress = "none", .target_version = "4.3.5.3" }

/* One export. */
struct export_task {
    struct environment *env;
    struct output *output;
    const struct export_options *asked;
    const char *dataset; /* its directory, and what is in it */
    struct manifest m;
    struct export_opts o;
    struct export_manifest made; /* owns the target's table */
    struct export_result result;
};

/* Fills o.compression and the table and target of made from the options; o.form is set. */
int export_target(struct export_task *e, struct err *err);

#endif
