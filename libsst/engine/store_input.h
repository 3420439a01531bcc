/* An input that is a store of HBase: many files, of which each counts for the version rules as it does in HBase. */
#ifndef ENGINE_STORE_INPUT_H
#define ENGINE_STORE_INPUT_H

#include "rules/rules.h"
#include "rules/store_facts.h"
#include "engine/survey.h"

struct store_input {
    uint32_t group; /* input number, see load_input */
    const struct store_files *files;
    const struct survey *survey;
};

/* What the files of several stores decide, for one table and clock. */
struct store_decisions;
struct store_decision_opts {
    const struct store_input *stores;
    size_t n;
    const struct table *table;
    uint32_t newest; /* number of the last input: a store's newest file does not go whole when nothing newer follows it */
    enum compaction_kind kind;
    int64_t now_ms;
    int64_t keep_seq_ms; /* of the job */
};
struct store_decisions *store_decisions_new(const struct store_decision_opts *o, struct err *err);
/* n entries for one family of the table. */
const struct store_facts *store_decisions_of(const struct store_decisions *d, uint32_t family);
void store_decisions_free(struct store_decisions *d);

#endif
