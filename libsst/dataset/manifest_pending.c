#include "dataset/manifest_pending.h"

#include "base/buf.h"
#include "dataset/manifest_ledger.h"
#include "dataset/manifest_value.h"

#include <stdlib.h>

int manifest_slice_cmp(const void *pa, const void *pb) {
    const struct manifest_slice *a = pa, *b = pb;
    if (a->family != b->family) return a->family < b->family ? -1 : 1;
    return (a->partition > b->partition) - (a->partition < b->partition);
}

int manifest_pending_add(struct manifest_pending *p, struct manifest_slice slice, struct err *err) {
    if (grow_array(&p->slices, p->n, sizeof *p->slices, "what a dataset waits for", err)) return -1;
    p->slices[p->n++] = slice;
    return 0;
}

/* [{"family": "cf", "partitions": [3, 5]}, …] */
static json_t *slices_json(const struct manifest_pending *p, const struct table *t) {
    json_t *all = json_array(), *partitions = NULL;
    for (size_t i = 0; i < p->n; i++) {
        if (i == 0 || p->slices[i].family != p->slices[i - 1].family) {
            partitions = json_array();
            json_array_append_new(all, json_pack("{s:o, s:o}", "family", manifest_text(t->families[p->slices[i].family].name),
                                                 "partitions", partitions));
        }
        json_array_append_new(partitions, json_integer((json_int_t)p->slices[i].partition));
    }
    return all;
}

json_t *manifest_pending_json(const struct manifest_pending *p, size_t n, const struct table *t) {
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *j = manifest_tally(p[i].tally);
        json_object_set_new(j, "dataset", manifest_text(p[i].path));
        json_object_set_new(j, "files", json_integer((json_int_t)p[i].files));
        json_object_set_new(j, "waiting", slices_json(&p[i], t));
        json_array_append_new(all, j);
    }
    return all;
}

static int family_of(const json_t *j, const struct table *t, struct err *err) {
    char *name;
    if (manifest_text_parse(json_object_get(j, "family"), "a family", &name, err)) return -1;
    int family = name ? table_family(t, bytes_str(name)) : -1;
    free(name);
    return family < 0 ? err_set(err, ERR_INPUT, "manifest: it waits for cells of a family that it lacks") : family;
}

static int slices_parse(const json_t *j, const struct table *t, struct manifest_pending *p, struct err *err) {
    const json_t *entry, *number;
    size_t i, k;
    json_array_foreach(json_object_get(j, "waiting"), i, entry) {
        int family = family_of(entry, t, err);
        if (family < 0) return -1;
        json_array_foreach(json_object_get(entry, "partitions"), k, number) {
            json_int_t v = json_is_integer(number) ? json_integer_value(number) : -1;
            if (v < 0 || v >= (json_int_t)t->partitioning.count)
                return err_set(err, ERR_INPUT, "manifest: it waits for cells of a partition that it lacks");
            if (manifest_pending_add(p, (struct manifest_slice){(uint32_t)family, (uint32_t)v}, err)) return -1;
        }
    }
    return 0;
}

static int one_parse(const json_t *j, const struct table *t, struct manifest_pending *p, struct err *err) {
    if (manifest_text_parse(json_object_get(j, "dataset"), "a path", &p->path, err) || manifest_u64(j, "files", &p->files, err) ||
        manifest_tally_parse(j, &p->tally, err))
        return -1;
    if (!p->path) return err_set(err, ERR_INPUT, "manifest: it waits for a dataset without path");
    return slices_parse(j, t, p, err);
}

int manifest_pending_parse(const json_t *j, const struct table *t, struct manifest_pending **out, size_t *n, struct err *err) {
    const json_t *entry;
    size_t i;
    *n = 0;
    *out = NULL;
    if (!json_array_size(j)) return 0;
    *out = calloc(json_array_size(j), sizeof **out);
    if (!*out) return err_nomem(err, 0, "the manifest");
    json_array_foreach(j, i, entry) {
        *n = i + 1;
        if (one_parse(entry, t, &(*out)[i], err)) return -1;
    }
    return 0;
}

void manifest_pending_free(struct manifest_pending *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        free(p[i].path);
        free(p[i].slices);
    }
    free(p);
}
