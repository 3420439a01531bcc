/* Whether the rows of a batch went into the partitions that they were exported for: the server places rows by itself, and its
 * sums of these partitions must be those of the export. It is asked before the files count as loaded. Only the keys are summed,
 * which takes the server a tenth of the load.
 *
 * Where other rows may be in the partitions, only those that were written since the statement began are counted. Other clients
 * may have written since, and a server may give old rows a new time (a major compaction): where sums differ, each row is looked
 * up. */
#include "cmd/load/load_files.h"

#include <stdlib.h>

struct placed {
    const struct load_placed_opts *o;
    struct cell_sums_opts opts;
    const char **names;
    struct cell_sums *now;
};

static bool is_strict(const struct placed *p) {
    return p->o->loader->target.on_duplicate == ON_DUPLICATE_ERROR;
}

/* Sums of keys are known: an export of an earlier version has none, nor has the journal of what was there before. */
static bool has_keys(const struct placed *p) {
    const struct load_batch *b = p->o->batch;
    for (size_t i = 0; i < b->n_parts; i++) {
        const struct load_part *q = &b->parts[i];
        if ((q->batch.rows && !q->batch.key_sum) || (is_strict(p) && !q->base_empty)) return false;
    }
    return true;
}

static int ask(struct placed *p, struct err *err) {
    const struct load_files_opts *l = p->o->loader;
    const struct load_batch *b = p->o->batch;
    for (size_t i = 0; i < b->n_parts; i++) p->names[i] = export_partition_name(l->m, b->parts[i].partition);
    const struct sums_places places = {.table = l->m->table.families[b->parts[0].family].sql_table,
                                       .partitions = p->names,
                                       .n = b->n_parts,
                                       .opts = p->opts,
                                       .since = is_strict(p) ? 0 : p->o->since};
    pool_set_session(p->o->member, connection_id(p->o->c));
    int rc =
        pool_halts(p->o->member->pool) ? err_set(err, ERR_STOPPED, "stopped") : sums_query_each(p->o->c, &places, p->now, err);
    pool_set_session(p->o->member, 0);
    return rc;
}

static bool is_there(const struct placed *p, const struct load_part *q, const struct cell_sums *now) {
    struct cell_sums want = q->batch;
    if (is_strict(p)) cell_sums_add(&want, &q->before);
    want.md5_sum = 0;
    want.md5_xor = 0;
    return p->opts.keys ? now->rows == want.rows && now->key_sum == want.key_sum : cell_sums_eq(now, &want);
}

static int look_up(const struct placed *p, const struct load_part *q, struct err *err) {
    const struct load_files_opts *l = p->o->loader;
    const struct load_batch *b = p->o->batch;
    const char *name = export_partition_name(l->m, q->partition);
    uint64_t missing = 0;
    for (size_t i = 0; i < b->n; i++) {
        const struct load_small_opts s = {l, b->files[i]->file, p->o->c, p->o->member};
        uint64_t n = 0;
        if (s.file->partition == q->partition && load_small_missing(&s, &n, err)) return -1;
        missing += n;
    }
    if (!missing) return 0;
    return err_set(
        err, ERR_OUTPUT,
        "table %s, partition %s: %llu row%s that went into the table %s not there: the server places rows otherwise than "
        "the export, or another program wrote to the table; compare with obkv-verify target, and export again for the "
        "present table",
        l->m->table.families[q->family].sql_table, name ? name : "(all)", (unsigned long long)missing, missing == 1 ? "" : "s",
        missing == 1 ? "is" : "are");
}

int load_placed_check(const struct load_placed_opts *o, struct err *err) {
    const struct load_batch *b = o->batch;
    struct placed p = {.o = o, .opts = {.ttl_column = export_sums_opts(o->loader->m, b->parts[0].family).ttl_column}};
    p.opts.keys = has_keys(&p);
    p.names = calloc(b->n_parts, sizeof *p.names);
    p.now = calloc(b->n_parts, sizeof *p.now);
    const bool asks = is_strict(&p) || (p.opts.keys && o->since);
    int rc = p.names && p.now ? 0 : err_nomem(err, b->n_parts * sizeof *p.now, "sums");
    if (!rc && asks) rc = ask(&p, err);
    for (size_t i = 0; !rc && i < b->n_parts; i++)
        if (!asks || !is_there(&p, &b->parts[i], &p.now[i])) rc = look_up(&p, &b->parts[i], err);
    free(p.names);
    free(p.now);
    return rc;
}
