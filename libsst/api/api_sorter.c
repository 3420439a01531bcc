/* Sorts a caller's cells with the sorter of the engine, which has one bucket here: memory is gathered, spilled as runs, and
 * merged as in an import. A cell's rank is when it was put, so that of equal cells the later one is newer. */
#include "api/api.h"

#include "api/api_put.h"
#include "api/api_scan.h"
#include "base/fs.h"
#include "engine/job.h"
#include "engine/memory_plan.h"
#include "engine/sorter_gather.h"
#include "engine/sorter_runs.h"
#include "sst/sorter.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_MEMORY_BYTES = 256 << 20 };

struct sst_sorter {
    struct api_put put;
    struct buf family;
    struct job job;
    char *temp_dir;
    struct shape_set shapes; /* none: cells bring their columns along */
    struct sorter *sorter;
    bool failed, is_read;
};

static int set_up(sst_sorter *s, const sst_sorter_options *o, struct err *err) {
    struct memory_plan plan;
    const struct memory_request request = {.job = &s->job};
    if (!(s->temp_dir = fs_printf(err, "%s", o->temp_directory ? o->temp_directory : P_tmpdir))) return -1;
    s->job = (struct job){.memory_bytes = o->memory_bytes ? o->memory_bytes : DEFAULT_MEMORY_BYTES,
                          .threads = o->threads ? o->threads : 1,
                          .temp_dir = s->temp_dir};
    if (api_job_check(&s->job, err) || memory_plan_make(&request, &plan, err)) return -1;
    const struct sorter_opts sorting = {.job = &s->job, .plan = plan, .buckets = 1, .shapes = &s->shapes, .tie = TIE_BY_SEQUENCE};
    s->sorter = sorter_new(&sorting, err);
    return s->sorter ? 0 : -1;
}

sst_sorter *sst_sorter_open(const sst_sorter_options *options, sst_error *error) {
    struct err *err = api_begin(error);
    sst_sorter_options o;
    if (api_options(&o, sizeof o, options, "sst_sorter_options", err)) return NULL;
    sst_sorter *s = calloc(1, sizeof *s);
    if (!s) {
        err_nomem(err, sizeof *s, "a sorter");
        return NULL;
    }
    if (!set_up(s, &o, err)) return s;
    sst_sorter_close(s);
    return NULL;
}

static int take_part(void *arg, const struct row_part *part, struct err *err) {
    sst_sorter *s = arg;
    if (!s->put.n && buf_copy(&s->family, part->family, err)) return -1;
    if (!bytes_eq(part->family, buf_bytes(&s->family)))
        return err_set(err, ERR_USAGE, "a cell of family %.*s, those before are of %.*s", (int)part->family.n,
                       (const char *)part->family.p, (int)s->family.n, (const char *)s->family.p);
    if (sorter_put(s->sorter, 0, 0, part, err)) return -1;
    return sorter_full(s->sorter) ? sorter_spill(s->sorter, err) : 0;
}

static int refuse_more(const sst_sorter *s, struct err *err) {
    return err_set(err, ERR_USAGE, "the sorter %s", s->failed ? "has failed before" : "is being read");
}

int sst_sorter_put(sst_sorter *sorter, const sst_cell *cell, sst_error *error) {
    struct err *err = api_begin(error);
    if (sorter->failed || sorter->is_read) return refuse_more(sorter, err);
    sorter->failed = api_put_cell(&sorter->put, cell, take_part, sorter, err) != 0;
    return sorter->failed ? -1 : 0;
}

int sst_sorter_put_part(sst_sorter *sorter, const sst_part *part, sst_error *error) {
    struct err *err = api_begin(error);
    if (sorter->failed || sorter->is_read) return refuse_more(sorter, err);
    sorter->failed = api_put_part(&sorter->put, part, take_part, sorter, err) != 0;
    return sorter->failed ? -1 : 0;
}

static struct source *open_sorted(sst_scan *scan, struct bytes start, uint32_t input, struct err *err) {
    (void)start; /* such a scan is opened once, from its beginning */
    (void)input;
    return sorter_open(scan->sorter->sorter, 0, buf_bytes(&scan->sorter->family), err);
}

static const struct scan_recipe sorted_recipe = {.open = open_sorted, .alone = "the scan of a sorter, which is read once"};

sst_scan *sst_sorter_scan(sst_sorter *sorter, sst_error *error) {
    struct err *err = api_begin(error);
    if (sorter->failed || sorter->is_read) {
        (void)refuse_more(sorter, err); /* it fails in any case */
        return NULL;
    }
    sorter->is_read = true;
    if (sorter_finish(sorter->sorter, err)) return NULL;
    sst_scan *scan = scan_new(&sorted_recipe, NULL, err);
    if (scan) scan->sorter = sorter;
    return scan;
}

uint64_t sst_sorter_spilled(const sst_sorter *sorter) {
    return sorter_stats(sorter->sorter).spilled_bytes;
}

void sst_sorter_close(sst_sorter *sorter) {
    if (!sorter) return;
    sorter_free(sorter->sorter);
    shape_set_free(&sorter->shapes);
    api_put_free(&sorter->put);
    buf_free(&sorter->family);
    free(sorter->temp_dir);
    free(sorter);
}
