/* Per bucket and input: newest timestamp and earliest Put, as compaction's file-level rules want them. Filled while
 * inputs are read, by many threads. */
#ifndef ENGINE_FACTS_H
#define ENGINE_FACTS_H

#include "rules/whole_files.h"
#include "rules/rules.h"

struct input_facts;
/* stores[input]: its files' facts are known otherwise (rules/region_facts.h), nothing is noted of it; NULL = none is one. NULL
 * without error when no family needs such facts (no TTL, KEEP_DELETED_CELLS FALSE). */
struct input_facts *input_facts_new(const struct table *t, uint32_t buckets, uint32_t inputs, const bool *stores,
                                    struct err *err);
/* What they take of the memory; 0 when none are needed. */
size_t input_facts_bytes(const struct table *t, uint32_t buckets, uint32_t inputs);
void input_facts_free(struct input_facts *f);
void input_facts_note(struct input_facts *f, uint32_t bucket, const struct row_part *part);
/* files: one entry per input, oldest first; moved together. An input without cells is no file here: it cannot count as the
 * newest one. expired[n] is filled for the others, *earliest_put_ms over those that stay. */
int facts_decide(struct file_facts *files, size_t n, const struct rules_env *env, bool *expired, int64_t *earliest_put_ms,
                 struct err *err);

/* expired[inputs] is filled; returns the earliest Put over the inputs that stay. */
int64_t input_facts_decide(const struct input_facts *f, uint32_t bucket, const struct rules_env *env, bool *expired,
                           struct err *err);

#endif
