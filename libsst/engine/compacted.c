#include "engine/compacted.h"

#include "base/pbwire.h"
#include "formats/hbase/pbuf.h"

#include <inttypes.h>
#include <stdlib.h>

/* CompactionEventTracker { repeated bytes compacted_store_file = 1; }: 1 = *name filled, 0 = end, -1 = malformed. */
static int next_name(struct bytes *list, struct bytes *name) {
    struct pbwire_field f;
    int rc;
    while ((rc = pbwire_next(list, &f)) > 0) {
        *name = f.bytes;
        if (f.number == 1 && f.type == PBWIRE_BYTES) return 1;
    }
    return rc;
}

int compacted_list(const struct hfile *h, struct buf *out, struct err *err) {
    struct bytes list = hfile_find(h, "COMPACTION_EVENT_KEY"), name;
    if (!list.n) return 0;
    int rc = pbuf_take(&list) ? 0 : -1;
    struct bytes rest = list;
    while (!rc && (rc = next_name(&rest, &name)) > 0) rc = 0;
    if (rc)
        return err_set(err, ERR_INPUT, "%s: file info COMPACTION_EVENT_KEY is not a list of store files", hfile_info(h)->path);
    return buf_put(out, list.p, list.n, err);
}

struct replaced {
    uint32_t region, family;
    struct bytes name;
};

static int replaced_cmp(const void *pa, const void *pb) {
    const struct replaced *a = pa, *b = pb;
    if (a->region != b->region) return a->region < b->region ? -1 : 1;
    if (a->family != b->family) return a->family < b->family ? -1 : 1;
    return bytes_cmp(a->name, b->name);
}

/* How many names there are; out: NULL, or room for them. */
static size_t names_in(const struct store_files *s, const struct buf *lists, struct replaced *out) {
    size_t n = 0;
    for (size_t i = 0; i < s->n_files; i++) {
        struct bytes list = buf_bytes(&lists[i]), name;
        for (; next_name(&list, &name) > 0; n++)
            if (out) out[n] = (struct replaced){s->files[i].region, s->files[i].family, name};
    }
    return n;
}

int compacted_leave_out(const struct store_files *s, const struct buf *lists, struct surveyed_file *seen, struct buf *warnings,
                        struct err *err) {
    size_t n = names_in(s, lists, NULL);
    if (!n) return 0;
    struct replaced *all = calloc(n, sizeof *all);
    if (!all) return err_nomem(err, n * sizeof *all, "the names of compacted files");
    names_in(s, lists, all);
    qsort(all, n, sizeof *all, replaced_cmp);
    struct left_out left = {0};
    const char *first = NULL;
    for (size_t i = 0; i < s->n_files; i++) {
        const struct store_file *f = &s->files[i];
        struct replaced key = {f->region, f->family, bytes_str(f->name)};
        if (!bsearch(&key, all, n, sizeof *all, replaced_cmp)) continue;
        seen[i].left_out = true;
        seen[i].cells = 0;
        left.files++;
        left.bytes += f->bytes;
        if (!first) first = f->name;
    }
    free(all);
    if (!first) return 0;
    return buf_printf(warnings, err,
                      "%s: files that a compaction has replaced and HBase has not archived yet, left out: %" PRIu64 " (%" PRIu64
                      " bytes), first %s\n",
                      s->what, left.files, left.bytes, first);
}
