/* Rejects of shards. A number of bad records (--max-rejects N) is a limit for each shard, too: one that has more exceeds what
 * all may have. A percentage is not, because bad records may be together in one part of the inputs. So a shard only counts
 * them. A join or a compaction takes all shards, and compares the sum with the limit, which is a setting of the shards. The
 * reports of the shards go to OUT/_report, each into a directory, because the shards may be removed once they are joined. */

#include "base/fs.h"
#include "base/link_file.h"
#include "base/outfile.h"
#include "cmd/common/output.h"
#include "cmd/common/shard_rejects.h"
#include "engine/rejects.h"

#include <stdlib.h>

void shard_tolerate(struct reject_limit *limit) {
    if (limit->percent >= 0) limit->percent = 100;
}

int shards_check_rejects(const struct manifest *m, const char *const *names, size_t n, struct err *err) {
    const char *text = json_string_value(json_object_get(m[0].settings, "max_rejects"));
    struct reject_limit limit;
    uint64_t rejected = 0, read = 0;
    size_t first = n;
    for (size_t i = n; i--;) {
        rejected += m[i].ledger.records_rejected;
        read += m[i].ledger.records_read;
        if (m[i].ledger.records_rejected) first = i;
    }
    if (!rejected) return 0;
    if (!text || reject_limit_parse(text, &limit, err))
        return err_set(err, ERR_INPUT, "%s: the manifest does not say how many rejects are allowed", names[0]);
    if (!reject_limit_exceeded(&limit, rejected, read)) return 0;
    return err_set(
        err, ERR_REJECTS,
        "%llu of %llu records rejected by all shards together, more than --max-rejects %s allows; see _report/reasons.tsv "
        "of each, first %s/_report/reasons.tsv",
        (unsigned long long)rejected, (unsigned long long)read, text, names[first]);
}

/* ---- reports ---- */

struct report_copy {
    const char *from, *to;
};

static int copy_one(void *arg, const char *name, bool is_dir, struct err *err) {
    const struct report_copy *c = arg;
    enum link_way way;
    char *from = fs_join(c->from, name, err), *to = from ? fs_join(c->to, name, err) : NULL;
    struct report_copy inner = {from, to};
    int rc = to ? 0 : -1;
    if (!rc && !is_dir) rc = link_file(from, to, NULL, &way, err);
    if (!rc && is_dir) rc = fs_mkdirs(to, err) || directory_each(from, copy_one, &inner, err) < 0 ? -1 : 0;
    free(from);
    free(to);
    return rc;
}

static int keep_report(struct output *output, const char *from, size_t number, struct err *err) {
    struct report_copy c = {from, fs_printf(err, "%s/shard-%05zu", output->out.report, number)};
    int rc = c.to && !fs_mkdirs(c.to, err) ? directory_each(c.from, copy_one, &c, err) : -1;
    free((char *)(uintptr_t)c.to);
    return rc < 0 ? -1 : 0;
}

int shards_keep_reports(struct output *output, const char *const *dirs, size_t n, struct err *err) {
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        char *from = fs_join(dirs[i], "_report", err);
        int there = from ? fs_exists(from, err) : -1;
        if (there < 0 || (there && (outdir_need_report(&output->out, err) || keep_report(output, from, i + 1, err)))) rc = -1;
        free(from);
    }
    return rc;
}
