/* Mob files that are missing are all named before the first cell is read: those who have to copy them need to know of all of
 * them at once, not of the first value that is not there. */
#include "cmd/common/input_mob.h"

#include "engine/memory_plan.h"
#include "formats/hbase/mob_follow.h"

bool input_mob_is_used(const struct input_list *l) {
    for (uint32_t i = 0; i < l->n_stores; i++)
        if (l->stores[i]->mob) return true;
    return false;
}

int input_mob_find_missing(const struct input_list *l, const struct job *job, const struct selection *selection, bool lost,
                           struct buf *warnings, struct err *err) {
    for (uint32_t i = 0; i < l->n_stores; i++) {
        const struct input_store *s = l->stores[i];
        struct mob_follow_result r;
        if (!s->mob) continue;
        const struct mob_follow_opts o = {.job = job,
                                          .stores = &s->files,
                                          .files = &s->as_input,
                                          .selection = selection,
                                          .memory_bytes = memory_share(job, MEMORY_MOB), /* which the values do not need yet */
                                          .block_limit = job_block_limit(job, job_readers(job))};
        int rc = mob_follow(&o, &r, err);
        if (!rc) rc = mob_follow_report(&r, &s->files, lost, warnings, err);
        mob_follow_free(&r);
        if (rc) return -1;
    }
    return 0;
}
