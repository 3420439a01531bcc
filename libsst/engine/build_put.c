/* A run whose cells are pushed: a caller's parts pass through the entry that readers push into, an emitter, and so through the
 * checks and counts of an import. The caller that puts is thread 0 of the run; all its threads sort and spill when the memory
 * is full. */
#include "engine/build_put.h"

#include "engine/build_run.h"
#include "engine/build_state.h"
#include "engine/emitter.h"
#include "engine/reject_batch.h"
#include "engine/sorter_gather.h"

#include <stdlib.h>

struct build_put {
    struct build *b;
    struct emit_shared shared;
    struct emitter emitter;
};

struct build_put *build_put_open(struct build *b, const struct build_opts *o, struct err *err) {
    struct build_put *p = calloc(1, sizeof *p);
    if (!p) {
        err_nomem(err, sizeof *p, "reading");
        return NULL;
    }
    p->b = b;
    p->shared.o = (struct input_reader_opts){.job = o->job,
                                             .threads = 1,
                                             .read = o->read,
                                             .placement = o->placement,
                                             .consumer = {.put = build_put_part, .arg = b},
                                             .max_value_bytes = o->job->max_cell_bytes,
                                             .families_most = b->families};
    p->shared.latest_ms = INT64_MAX;
    p->shared.end_stream = UINT64_MAX;
    hand_over_init(&p->shared.chunks);
    p->emitter.shared = &p->shared;
    return p;
}

int build_put(struct build_put *p, const struct row_part *part, struct err *err) {
    struct sorter *sorter = p->b->sorted.sorter;
    if (emit_cells(&p->emitter.base, part, NULL, err)) return -1;
    return sorter_full(sorter) ? sorter_spill(sorter, err) : 0;
}

void build_put_end(struct build_put *p) {
    ledger_add(&p->b->out->ledger, &p->emitter.ledger);
    p->b->out->rows_client_misplaces += p->emitter.rows_client_misplaces;
    p->emitter.ledger = (struct ledger){0};
}

void build_put_close(struct build_put *p) {
    if (!p) return;
    emitter_close(&p->emitter);
    hand_over_free(&p->shared.chunks);
    free(p);
}
