/* Decides whether stores can be read by rows, and in windows of which size. Files of a region are side by side, so many are open
 * at once; in a window most rows must be complete when it is full, so each open file needs several chunks in it. */
#include "engine/build.h"

#include "base/open_files.h"
#include "engine/memory_plan.h"
#include "hfile/hfile_writer.h"

enum {
    INPUT_BYTES = 512 * 1024,  /* an open file: its indexes, mostly */
    OUTPUT_BYTES = 192 * 1024, /* beside its writer */
    LISTED_BYTES = 128,        /* a file in the order of files */
    WINDOW_MIN_BYTES = 16 << 20,
    WINDOW_BYTES = 32 << 20,
    WINDOW_PER_OUTPUT = 256 * 1024, /* a few blocks each time */
    CHUNK_MIN_BYTES = 128 * 1024,
    CHUNK_MAX_BYTES = 1 << 20,
    CHUNKS_PER_FILE = 8, /* in a window: most of it must be complete when it is full */
    SPARE_DESCRIPTORS = 16
};

/* Returns whether this region, by its start key, begins after all regions before it, of which the one at `last` ends last. */
static bool begins_anew(const struct store_input_region *last, const struct store_input_region *r) {
    return last->end.n && bytes_cmp(last->end, r->start) <= 0;
}

static bool ends_before(const struct store_input_region *a, const struct store_input_region *b) {
    return a->end.n && (!b->end.n || bytes_cmp(a->end, b->end) < 0);
}

/* Files of a store that may be open at once: those of a region, or of regions that overlap. */
static size_t count_at_once(const struct store_input *s) {
    struct store_input_region last = {0}; /* ends last */
    uint32_t last_number = 0;
    size_t most = 0;
    for (size_t i = 0, n = 0; i < s->n_files; i++) {
        uint32_t number = s->file(s->arg, i).region;
        const struct store_input_region r = s->region(s->arg, number);
        n = i && (last_number == number || !begins_anew(&last, &r)) ? n + 1 : 1;
        if (n == 1 || ends_before(&last, &r)) {
            last = r;
            last_number = number;
        }
        if (n > most) most = n;
    }
    return most;
}

static bool rows_stray(const struct store_input *s) {
    for (size_t i = 0; i < s->n_files; i++)
        if (s->file(s->arg, i).starts_outside_region) return true;
    return false;
}

static bool has_descriptors(uint64_t files) {
    return files + SPARE_DESCRIPTORS <= open_files_limit();
}

bool window_plan_make(const struct window_opts *o, struct window_plan *out) {
    const struct memory_plan *plan = o->plan;
    struct hfile_write_opts w = *o->writer;
    size_t at_once = 0, files = 0;
    for (size_t k = 0; k < o->n; k++) {
        if (rows_stray(&o->stores[k])) return false;
        at_once += count_at_once(&o->stores[k]);
        files += o->stores[k].n_files;
    }
    w.batch_blocks = plan->batch_blocks;
    out->open_bytes = o->outputs * (hfile_writer_paused_memory(&w) + OUTPUT_BYTES) + at_once * INPUT_BYTES + files * LISTED_BYTES;
    if (out->open_bytes > plan->gather_bytes / 2 || out->open_bytes / plan->threads > plan->merge_bytes / 2) return false;
    size_t most = (plan->gather_bytes - out->open_bytes) / 2, want = at_once * CHUNKS_PER_FILE * CHUNK_MAX_BYTES;
    if (want < WINDOW_BYTES) want = WINDOW_BYTES;
    if (want < (size_t)o->outputs * WINDOW_PER_OUTPUT) want = (size_t)o->outputs * WINDOW_PER_OUTPUT;
    out->window_bytes = want < most ? want : most;
    size_t chunk = out->window_bytes / (at_once * CHUNKS_PER_FILE + 1);
    out->chunk_bytes = chunk > CHUNK_MAX_BYTES ? CHUNK_MAX_BYTES : chunk;
    if (out->chunk_bytes > plan->chunk_bytes) out->chunk_bytes = plan->chunk_bytes;
    return chunk >= CHUNK_MIN_BYTES && out->window_bytes >= WINDOW_MIN_BYTES &&
           has_descriptors(o->outputs + at_once + 2 * plan->threads);
}
