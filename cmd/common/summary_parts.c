/* Adds to a summary what a proof of the run names: sources, settings, and cells with their digest by family and partition, summed
 * up over the files. A partition without a file is not listed. */
#include "cmd/common/summary_parts.h"

#include "cmd/common/output_text.h"
#include "dataset/manifest_json.h"
#include "table/partitioning.h"

#include <stdlib.h>

enum { SOURCES_MOST = 20 };

struct partition_sum {
    uint64_t files, file_bytes, kv_bytes;
    struct tally tally;
};

static void add_file(struct partition_sum *s, const struct manifest_file *f) {
    s->files++;
    s->file_bytes += f->file_bytes;
    s->kv_bytes += f->kv_bytes;
    tally_add(&s->tally, f->tally);
}

static json_t *sum_json(const struct table *t, uint32_t family, uint32_t partition, const struct partition_sum *s) {
    char digest[DIGEST_HEX];
    digest_print(s->tally.digest, digest);
    return json_new(JSON("family", json_text(t->families[family].name)),
                    JSON("partition", json_text(t->partitioning.names[partition])), JSON("cells", s->tally.cells),
                    JSON("digest", digest), JSON("files", s->files), JSON("bytes", s->file_bytes), JSON("kv_bytes", s->kv_bytes));
}

static int add_partitions(const struct table *t, const struct build_result *r, json_t *to, struct err *err) {
    const size_t parts = t->partitioning.count, n = parts * t->n_families;
    struct partition_sum *sums = calloc(n + 1, sizeof *sums);
    json_t *list = json_array();
    if (!sums) {
        json_decref(list);
        return err_nomem(err, n * sizeof *sums, "the summary");
    }
    for (size_t i = 0; i < r->files.n; i++)
        add_file(&sums[r->files.files[i].family * parts + r->files.files[i].partition], &r->files.files[i]);
    for (size_t i = 0; i < n; i++)
        if (sums[i].files) json_array_append_new(list, sum_json(t, (uint32_t)(i / parts), (uint32_t)(i % parts), &sums[i]));
    free(sums);
    return json_object_set_new(to, "partitions", list) ? err_nomem(err, 0, "the summary") : 0;
}

int summary_parts_add(const struct options *o, const struct target *target, const json_t *settings, const struct build_result *r,
                      json_t *to, struct err *err) {
    struct buf text = {0};
    json_t *sources = json_array();
    for (int i = 0; i < o->n_inputs && i < SOURCES_MOST; i++) json_array_append_new(sources, json_text(o->inputs[i]));
    int rc = json_object_set_new(to, "sources", sources) ? err_nomem(err, 0, "the summary") : 0;
    if (!rc) rc = partitioning_describe(&target->table.partitioning, &text, err);
    if (!rc) json_object_set_new(to, "partitioning", json_stringn((const char *)text.p, text.n));
    buf_free(&text);
    if (!rc && settings) {
        json_t *own = json_copy((json_t *)settings);
        json_object_del(own, "table");
        json_put(to, JSON("settings", own));
    }
    return rc ? -1 : add_partitions(&target->table, r, to, err);
}
