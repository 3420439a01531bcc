/* The version rules that a file has been through: in words, as a hash (OBKV.RULES), and as its file info says it. Rules that a
 * dataset has been through stay true of its cells when rows only change their partition: then the new files may serve as a
 * base. */
#ifndef ENGINE_FILE_RULES_H
#define ENGINE_FILE_RULES_H

#include "base/buf.h"
#include "dataset/manifest.h"
#include "rules/rules.h"

struct hfile;

enum { RULES_HASH_BYTES = 17 };
/* `major versions=3 min_versions=0 ttl=86400s keep_deleted=FALSE purge_after=0ms`; `minor`, `minor-before` alike. By the rules of
 * OceanBase, which has no more of them: `oceanbase versions=3 ttl=86400s`. NEW_VERSION_BEHAVIOR is named where it is set. */
int rules_text_print(const struct family_rules *r, enum compaction_kind kind, struct buf *out, struct err *err);
/* 16 hex digits: XXH3-64 of that line. */
void rules_text_hash(const struct family_rules *r, enum compaction_kind kind, char hex[RULES_HASH_BYTES]);

/* The rules that a file of ours has been through, by its file info. */
struct file_rules {
    bool own; /* OBKV.CELLS, FIRST and LAST are the file's: HBase copies such keys when it splits one */
    bool has_rules;
    char rules[RULES_HASH_BYTES]; /* OBKV.RULES */
    int64_t next_drop_ms;         /* OBKV.NEXT_DROP_MS: INT64_MAX never; INT64_MIN not known */
    uint64_t deletes;
};
void file_rules_of(const struct hfile *h, struct file_rules *out);

/* The rules that all files of one family have been through. */
struct past_rules {
    char hash[RULES_HASH_BYTES]; /* OBKV.RULES of all its files; "" = there is no such thing */
    struct family_rules rules;
    int64_t now_ms; /* moments up to here have passed without dropping any cell */
};

/* Reads the file info of all files of the dataset; kept[i] is of family i of `table` (calloc'd). */
int past_rules_read(const char *dir, const struct manifest *m, const struct table *table, struct past_rules **kept,
                    struct err *err);

#endif
