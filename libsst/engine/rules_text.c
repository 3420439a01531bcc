#include "engine/rules_text.h"

#include <stdio.h>
#include <xxhash.h>

enum { LINE_BYTES = 200 };

static int print(const struct family_rules *r, enum compaction_kind kind, char s[LINE_BYTES]) {
    static const char *const keep[] = {"FALSE", "TRUE", "TTL"}, *const kinds[] = {"major", "minor", "minor-before", "oceanbase"};
    const char *mvcc = r->new_version_behavior ? " new_version_behavior" : "";
    long long ttl_s = r->ttl_s;
    char versions[24] = "unlimited";
    if (r->versions != UINT32_MAX) snprintf(versions, sizeof versions, "%u", r->versions);
    if (kind == COMPACTION_OCEANBASE)
        return snprintf(s, LINE_BYTES, "%s versions=%s ttl=%llds%s", kinds[kind], versions, ttl_s, mvcc);
    return snprintf(s, LINE_BYTES, "%s versions=%s min_versions=%u ttl=%llds keep_deleted=%s purge_after=%lldms%s", kinds[kind],
                    versions, r->min_versions, ttl_s, keep[r->keep_deleted], (long long)r->purge_deletes_after_ms, mvcc);
}

int rules_text_print(const struct family_rules *r, enum compaction_kind kind, struct buf *out, struct err *err) {
    char line[LINE_BYTES];
    print(r, kind, line);
    return buf_printf(out, err, "%s", line);
}

void rules_text_hash(const struct family_rules *r, enum compaction_kind kind, char hex[RULES_HASH_BYTES]) {
    char line[LINE_BYTES];
    int n = print(r, kind, line);
    snprintf(hex, RULES_HASH_BYTES, "%016llx", (unsigned long long)XXH3_64bits(line, (size_t)n));
}
