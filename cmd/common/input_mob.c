/* Mob files that are missing are all named before the first cell is read: those who have to copy them need to know of all of
 * them at once, not of the first value that is not there. */
#include "cmd/common/input_mob.h"

#include "base/buf.h"
#include "engine/memory_plan.h"
#include "formats/hbase/mob_follow.h"

#include <string.h>

enum { SHOWN = 1000 };

static int warn_of_lacks(const struct mob_follow_result *r, const struct store_files *s, struct buf *first, struct buf *warnings,
                         struct err *err) {
    struct buf line = {0};
    int rc = 0;
    for (size_t i = 0; i < r->n && i < SHOWN && !rc; i++) {
        buf_clear(&line);
        rc = mob_follow_put(&r->lacks[i], s, &line, err);
        if (!rc && i == 0) rc = buf_copy(first, buf_bytes(&line), err);
        if (!rc)
            rc = warning_add(warnings, WARN_MOB_MISSING, r->lacks[i].values, err, "%s: %.*s", s->what, (int)line.n,
                             (const char *)line.p);
    }
    if (!rc && r->n > SHOWN)
        rc = warning_add(warnings, WARN_MOB_MISSING, 0, err, "%s: and %zu more mob files are missing", s->what, r->n - SHOWN);
    buf_free(&line);
    return rc;
}

static int report(const struct mob_follow_result *r, const struct store_files *s, bool lost, struct buf *warnings,
                  struct err *err) {
    struct buf first = {0};
    int rc = warn_of_lacks(r, s, &first, warnings, err);
    if (!rc && r->n && !lost)
        rc = err_set(err, ERR_INPUT,
                     "%s: %zu mob file%s missing, with %llu value%s; copy what the warnings name, or leave these values out with "
                     "--on-damage skip-block; the first: %.*s",
                     s->what, r->n, r->n == 1 ? " is" : "s are", (unsigned long long)r->lost_values,
                     r->lost_values == 1 ? "" : "s", (int)first.n, (const char *)first.p);
    buf_free(&first);
    return rc;
}

int input_mob_find_missing(const struct input_list *l, const struct job *job, bool lost, struct buf *warnings, struct err *err) {
    for (uint32_t i = 0; i < l->n_stores; i++) {
        const struct input_store *s = l->stores[i];
        struct mob_follow_result r;
        if (!s->mob) continue;
        const struct mob_follow_opts o = {.job = job,
                                          .stores = &s->files,
                                          .files = &s->as_input,
                                          .memory_bytes = memory_share(job, MEMORY_MOB), /* which the values do not need yet */
                                          .block_limit = job_block_limit(job, job_readers(job))};
        int rc = mob_follow(&o, &r, err);
        if (!rc) rc = report(&r, &s->files, lost, warnings, err);
        mob_follow_free(&r);
        if (rc) return -1;
    }
    return 0;
}
