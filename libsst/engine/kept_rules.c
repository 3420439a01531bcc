#include "engine/kept_rules.h"

#include "base/fs.h"
#include "engine/takeover.h"

#include <stdlib.h>

/* The hash says nothing of the TTL that moments are counted by: the manifest's rules must be the ones it stands for. */
static bool hash_is_of(const char *hash, const struct family_rules *r) {
    static const enum compaction_kind kinds[] = {COMPACTION_MAJOR, COMPACTION_MINOR, COMPACTION_MINOR_BEFORE,
                                                 COMPACTION_OCEANBASE};
    char hex[RULES_HASH_BYTES];
    for (size_t i = 0; i < countof(kinds); i++) {
        rules_text_hash(r, kinds[i], hex);
        if (!strcmp(hash, hex)) return true;
    }
    return false;
}

static void take_file(struct kept_rules *k, bool first, const struct takeover_info *i, const struct family_rules *r) {
    bool usable =
        i->own && i->has_rules && i->next_drop_ms > 0 && hash_is_of(i->rules, r) && (first || !strcmp(k->hash, i->rules));
    if (!usable) {
        k->hash[0] = 0;
        return;
    }
    memcpy(k->hash, i->rules, sizeof k->hash);
    k->rules = *r;
    if (first || i->next_drop_ms - 1 < k->now_ms) k->now_ms = i->next_drop_ms - 1;
}

static int look_at(const char *dir, const struct manifest_file *f, struct takeover_info *i, struct err *err) {
    char *path = fs_join(dir, f->path, err);
    struct hfile *h = path ? hfile_open(path, 0, err) : NULL;
    if (h) takeover_info_of(h, i);
    hfile_close(h);
    free(path);
    return h ? 0 : -1;
}

int kept_rules_read(const char *dir, const struct manifest *m, const struct table *table, struct kept_rules **kept,
                    struct err *err) {
    bool *seen = calloc(table->n_families + 1, sizeof *seen);
    struct kept_rules *k = calloc(table->n_families + 1, sizeof *k);
    int rc = seen && k ? 0 : err_nomem(err, 0, "rules of families");
    for (size_t i = 0; !rc && i < m->n_files; i++) {
        const struct family *f = &m->table.families[m->files[i].family];
        int at = table_family(table, bytes_str(f->name));
        struct takeover_info info;
        if (at < 0 || (seen[at] && !k[at].hash[0])) continue; /* one file without is enough */
        rc = look_at(dir, &m->files[i], &info, err);
        if (!rc) take_file(&k[at], !seen[at], &info, &f->rules);
        seen[at] = true;
    }
    free(seen);
    if (rc) free(k);
    *kept = rc ? NULL : k;
    return rc;
}
