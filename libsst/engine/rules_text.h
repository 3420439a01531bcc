/* Version rules in words and as a hash: OBKV.RULES says which rules a file has been through. */
#ifndef ENGINE_RULES_TEXT_H
#define ENGINE_RULES_TEXT_H

#include "base/buf.h"
#include "rules/rules.h"

enum { RULES_HASH_BYTES = 17 };
/* `major versions=3 min_versions=0 ttl=86400s keep_deleted=FALSE purge_after=0ms`; `minor`, `minor-before` alike. By the rules of
 * OceanBase, which has no more of them: `oceanbase versions=3 ttl=86400s`. NEW_VERSION_BEHAVIOR is told where it is set. */
int rules_text_print(const struct family_rules *r, enum compaction_kind kind, struct buf *out, struct err *err);
/* 16 hex digits: XXH3-64 of that line. */
void rules_text_hash(const struct family_rules *r, enum compaction_kind kind, char hex[RULES_HASH_BYTES]);

#endif
