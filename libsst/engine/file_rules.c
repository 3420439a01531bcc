/* Version rules as text, as a hash of that text, and as files carry them. A later compaction compares the hash: rules with the
 * same text drop the same cells, except for the moments of a TTL, which NEXT_DROP_MS records. */
#include "engine/file_rules.h"

#include "base/bytes.h"
#include "base/fs.h"
#include "cell/keyvalue.h"
#include "hfile/hfile.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

/* ---- rules as text ---- */

enum { LINE_BYTES = 200 };

static int print_rules(const struct family_rules *r, enum compaction_kind kind, char s[LINE_BYTES]) {
    static const char *const keep[] = {"FALSE", "TRUE", "TTL"}, *const kinds[] = {"major",     "minor", "minor-before",
                                                                                  "oceanbase", "delta", "oceanbase-delta",
                                                                                  "changes"};
    const char *mvcc = r->new_version_behavior ? " new_version_behavior" : "";
    long long ttl_s = r->ttl_s;
    char versions[24] = "unlimited";
    if (r->versions != UINT32_MAX) snprintf(versions, sizeof versions, "%u", r->versions);
    if (compaction_is_oceanbase(kind))
        return snprintf(s, LINE_BYTES, "%s versions=%s ttl=%llds%s", kinds[kind], versions, ttl_s, mvcc);
    return snprintf(s, LINE_BYTES, "%s versions=%s min_versions=%u ttl=%llds keep_deleted=%s purge_after=%lldms%s", kinds[kind],
                    versions, r->min_versions, ttl_s, keep[r->keep_deleted], (long long)r->purge_deletes_after_ms, mvcc);
}

int rules_text_print(const struct family_rules *r, enum compaction_kind kind, struct buf *out, struct err *err) {
    char line[LINE_BYTES];
    print_rules(r, kind, line);
    return buf_printf(out, err, "%s", line);
}

void rules_text_hash(const struct family_rules *r, enum compaction_kind kind, char hex[RULES_HASH_BYTES]) {
    char line[LINE_BYTES];
    int n = print_rules(r, kind, line);
    snprintf(hex, RULES_HASH_BYTES, "%016llx", (unsigned long long)XXH3_64bits(line, (size_t)n));
}

/* ---- what its file info says ---- */

static bool find_u64(const struct hfile *h, const char *key, uint64_t *out) {
    struct bytes v = hfile_find(h, key);
    if (!v.p || v.n != 8) return false;
    *out = be64(v.p);
    return true;
}

void file_rules_of(const struct hfile *h, struct file_rules *out) {
    const struct hfile_info *i = hfile_info(h);
    struct kv_key first, last;
    struct bytes rules = hfile_find(h, "OBKV.RULES");
    uint64_t cells, drop;
    *out = (struct file_rules){.next_drop_ms = INT64_MIN};
    out->own = find_u64(h, "OBKV.CELLS", &cells) && cells == i->cells && kv_key_parse(i->first_key, &first) &&
               kv_key_parse(i->last_key, &last) && bytes_eq(hfile_find(h, "OBKV.FIRST"), first.row) &&
               bytes_eq(hfile_find(h, "OBKV.LAST"), last.row);
    if (!out->own) return;
    if (!find_u64(h, "OBKV.DELETES", &out->deletes)) out->deletes = 0;
    if (rules.n != RULES_HASH_BYTES - 1 || !find_u64(h, "OBKV.NEXT_DROP_MS", &drop)) return;
    out->has_rules = true;
    out->next_drop_ms = (int64_t)drop;
    memcpy(out->rules, rules.p, rules.n);
}

/* ---- rules that a dataset has been through ---- */

/* The hash says nothing of the TTL that moments are counted by: the manifest's rules must be the ones it stands for. */
static bool hash_is_of(const char *hash, const struct family_rules *r) {
    char hex[RULES_HASH_BYTES];
    for (int kind = 0; kind < COMPACTION_KINDS; kind++) {
        rules_text_hash(r, (enum compaction_kind)kind, hex);
        if (!strcmp(hash, hex)) return true;
    }
    return false;
}

static void take_file(struct past_rules *k, bool first, const struct file_rules *i, const struct family_rules *r) {
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

static int look_at(const char *dir, const struct manifest_file *f, struct file_rules *i, struct err *err) {
    char *path = fs_join(dir, f->path, err);
    struct hfile *h = path ? hfile_open(path, 0, err) : NULL;
    if (h) file_rules_of(h, i);
    hfile_close(h);
    free(path);
    return h ? 0 : -1;
}

int past_rules_read(const char *dir, const struct manifest *m, const struct table *table, struct past_rules **kept,
                    struct err *err) {
    bool *seen = calloc(table->n_families + 1, sizeof *seen);
    struct past_rules *k = calloc(table->n_families + 1, sizeof *k);
    int rc = seen && k ? 0 : err_nomem(err, 0, "rules of families");
    for (size_t i = 0; !rc && i < m->n_files; i++) {
        const struct family *f = &m->table.families[m->files[i].family];
        int at = table_family(table, bytes_str(f->name));
        struct file_rules info;
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
