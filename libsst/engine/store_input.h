/* An input that is a store of HBase: many files, of which each counts for the version rules as it does in HBase. */
#ifndef ENGINE_STORE_INPUT_H
#define ENGINE_STORE_INPUT_H

#include "rules/rules.h"
#include "rules/whole_files.h"

/* One file of a store. Strings are borrowed. */
struct store_input_file {
    const char *path, *family;
    uint32_t region;
    bool strays; /* its rows do not begin in its region */
    struct file_facts facts;
};
/* The rows of a region: from start to the row before end; empty: open. */
struct store_input_region {
    struct bytes start, end;
};

/* Files by region, family and age, oldest first: the order in which ranks number them from 1. */
struct store_input {
    uint32_t group; /* input number, see load_input */
    size_t n_files, n_regions;
    struct store_input_file (*file)(const void *arg, size_t by_age);
    struct store_input_region (*region)(const void *arg, size_t i); /* by start key */
    const void *arg;
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
const struct region_facts *store_decisions_of(const struct store_decisions *d, uint32_t family);
void store_decisions_free(struct store_decisions *d);

#endif
