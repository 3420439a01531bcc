/* A shard's manifest names its packs, which are few whatever the number of partitions, and pins the index of each by its
 * checksum. The list of files is in the indexes (pack_list.h). */
#include "base/json.h"
#include "dataset/manifest_packs.h"

#include "hfile/pack_member.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_MAX_BYTES = 1 << 30 };

static json_t *pack_json(const struct pack_made *p, const struct table *t) {
    char digest[DIGEST_HEX], sum[17];
    digest_print(p->tally.digest, digest);
    snprintf(sum, sizeof sum, "%016llx", (unsigned long long)p->index_sum);
    return json_new(JSON("path", manifest_text(p->path)), JSON("family", manifest_text(t->families[p->family].name)),
                    JSON("files", p->files), JSON("cells", p->tally.cells), JSON("bytes", p->file_bytes),
                    JSON("file_bytes", p->data_bytes), JSON("kv_bytes", p->kv_bytes), JSON("index_at", p->index_at),
                    JSON("digest", digest), JSON("index_sum", sum));
}

int manifest_packs_put(const struct manifest *m, json_t *head) {
    if (!m->n_packs) return 0;
    json_t *list = json_array();
    for (size_t i = 0; i < m->n_packs; i++)
        if (json_array_append_new(list, pack_json(&m->packs[i], &m->table))) {
            json_decref(list);
            return -1;
        }
    return json_object_set_new(head, "packs", list);
}

static int parse_place(const json_t *j, const struct table *t, struct pack_made *p, struct err *err) {
    char *family = NULL, *end = NULL;
    const char *sum = json_string_value(json_object_get(j, "index_sum"));
    if (manifest_text_parse(json_object_get(j, "path"), "a path", &p->path, err) ||
        manifest_text_parse(json_object_get(j, "family"), "a family", &family, err))
        return -1;
    const int of = family ? table_family(t, bytes_str(family)) : -1;
    bool good =
        p->path && of >= 0 && manifest_text_is_safe(p->path, family) && pack_member_pack_is(p->path) && sum && strlen(sum) == 16;
    free(family);
    if (good) p->index_sum = strtoull(sum, &end, 16);
    good = good && !*end && p->index_at <= p->file_bytes && p->file_bytes - p->index_at <= INDEX_MAX_BYTES;
    if (!good) return err_set(err, ERR_INPUT, "manifest: the entry of pack '%.100s' is malformed", p->path ? p->path : "");
    p->family = (uint32_t)of;
    return 0;
}

static int parse_pack(const json_t *j, const struct table *t, struct pack_made *p, struct err *err) {
    return manifest_u64(j, "files", &p->files, err) || manifest_u64(j, "bytes", &p->file_bytes, err) ||
                   manifest_u64(j, "file_bytes", &p->data_bytes, err) || manifest_u64(j, "kv_bytes", &p->kv_bytes, err) ||
                   manifest_u64(j, "index_at", &p->index_at, err) || manifest_tally_parse(j, &p->tally, err) ||
                   parse_place(j, t, p, err)
               ? -1
               : 0;
}

int manifest_packs_parse(const json_t *head, struct manifest *m, struct err *err) {
    const json_t *list = json_object_get(head, "packs"), *j;
    size_t i;
    if (!json_array_size(list)) return 0;
    m->packs = calloc(json_array_size(list), sizeof *m->packs);
    if (!m->packs) return err_nomem(err, json_array_size(list) * sizeof *m->packs, "packs");
    json_array_foreach(list, i, j) {
        m->n_packs++;
        if (parse_pack(j, &m->table, &m->packs[i], err)) return -1;
    }
    return 0;
}

void manifest_packs_free(struct manifest *m) {
    for (size_t i = 0; i < m->n_packs; i++) free(m->packs[i].path);
    free(m->packs);
    m->packs = NULL;
    m->n_packs = 0;
}
