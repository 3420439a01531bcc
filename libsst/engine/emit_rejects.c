#include "engine/emit_rejects.h"

#include <stdio.h>
#include <time.h>

/* Rejects are written in input order, so a chunk waits for those before it: other threads have them in hand. Where a run
 * is ending anyway, those behind are not needed any more. */
static int flush_rejects(struct emitter *e, struct err *err) {
    struct load_shared *all = e->shared;
    for (;;) {
        struct timespec moment = {.tv_nsec = 500000};
        omp_set_lock(&all->lock);
        bool turn = reject_log_has_turn(all->o.rejects, e->chunk.seq), stop = all->stop;
        int rc = turn ? reject_log_flush(all->o.rejects, e->is_text, &e->rejects, err) : 0;
        omp_unset_lock(&all->lock);
        if (stop && !turn) reject_batch_clear(&e->rejects);
        if (turn || stop) return rc;
        if (stop_check(all->o.job->stop, err)) return -1;
        nanosleep(&moment, NULL);
    }
}

int emit_reject(struct emit *base, struct bytes raw, uint64_t line, uint64_t offset, const struct reason *why, struct err *err) {
    struct emitter *e = emitter_of(base);
    e->ledger.records_read++;
    e->ledger.records_rejected++;
    if (!e->shared->o.rejects) {
        char at[32] = "";
        if (line) snprintf(at, sizeof at, "%llu:", (unsigned long long)line);
        err_set(err, ERR_INPUT, "%s:%s byte %llu: %s", e->path, at, (unsigned long long)offset, why->text);
        return -1;
    }
    if (reject_batch_add(&e->rejects, e->path, raw, line, offset, why->column, why->text, err)) return -1;
    return reject_batch_is_large(&e->rejects) ? flush_rejects(e, err) : 0;
}

void emit_skip(struct emit *base, uint64_t records) {
    struct emitter *e = emitter_of(base);
    e->ledger.records_read += records;
    e->ledger.records_skipped += records;
}

int emit_lost(struct emit *base, const struct lost *lost, struct err *err) {
    struct emitter *e = emitter_of(base);
    e->ledger.lost.places++;
    if (!e->shared->o.rejects) return err_set(err, ERR_INPUT, "%s: %s", e->path, lost->reason);
    if (reject_batch_add_lost(&e->rejects, e->path, lost, err)) return -1;
    return reject_batch_is_large(&e->rejects) ? flush_rejects(e, err) : 0;
}

void emit_lost_cells(struct emit *base, uint64_t cells) {
    struct lost_count *lost = &emitter_of(base)->ledger.lost;
    if (cells == LOST_UNKNOWN)
        lost->uncounted++;
    else
        lost->cells += cells;
}

int emit_lost_file(struct emitter *e, const char *path, const struct lost *lost, struct err *err) {
    e->ledger.lost.places++;
    emit_lost_cells(&e->base, lost->cells);
    return reject_batch_add_lost(&e->rejects, path, lost, err);
}
