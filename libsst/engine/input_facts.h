/* Decides for the version rules, from whole inputs and whole files, before cells are merged: which have expired, the earliest
 * Put, and up to where sequence ids have had their time.
 * Exports: facts */
#ifndef ENGINE_INPUT_FACTS_H
#define ENGINE_INPUT_FACTS_H

#include "engine/input.h"
#include "engine/job.h"
#include "rules/whole_files.h"
#include "rules/rules.h"

struct hfile;

struct input_facts;
/* stores[input]: its files' facts are known otherwise (rules/whole_files.h), nothing is noted of it; NULL = none is one. NULL
 * without error when no family needs such facts (no TTL, KEEP_DELETED_CELLS FALSE). */
struct input_facts *input_facts_new(const struct table *t, uint32_t buckets, uint32_t inputs, const bool *stores,
                                    struct err *err);
/* Returns what they take of the memory; 0 when none are needed. */
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

/* Returns in *seq the largest sequence id of a file that is old enough, else 0. A file of ours was made when it says so, so that
 * copies are as old and results depend on content alone; any other one when it was changed last, as HBase goes by. */
int old_seq_of(const struct job *job, const struct hfile *h, uint64_t *seq, struct err *err);

struct old_seqs;
/* Looks into all HFiles among the inputs but those of stores, archives and pipes, many side by side. What is no
 * HFile, or none that can be read, is left to those who read it. NULL without error: nothing is that old. */
struct old_seqs *old_seqs_read(const struct job *job, const struct input *inputs, uint32_t n, struct err *err);
void old_seqs_free(struct old_seqs *o); /* NULL is fine */
/* expired: groups that are not read; NULL = none. o may be NULL. */
uint64_t old_seqs_upto(const struct old_seqs *o, const char *family, uint32_t partition, const bool *expired);
/* Returns the most memory that the sequence ids of n inputs take. */
size_t old_seqs_bytes(const struct job *job, uint32_t n);

/* Decisions from the files of several stores, for one table and clock. */
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
