/* Bad records: the rejects file in the input's own format, the reasons file beside it, in input order whatever the
 * threads did. Also lost.tsv, the list of what was skipped because it is damaged, and rejects.sql, statements that put records in
 * where the table can be changed. Chunks are submitted in any order, and of several inputs side by side. A chunk's rejects are
 * written when all earlier ones have been. */
#ifndef ENGINE_REJECTS_H
#define ENGINE_REJECTS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/outfile.h"
#include "base/plain.h"
#include "engine/format.h"

struct reject_log;

/* A chunk's turn in the log: streams come one after the other, and in a stream its chunks. Both are numbered from 0, without
 * gaps. */
struct reject_turn {
    uint64_t stream, number;
};

struct reject_limit {
    uint64_t records;
    double percent; /* < 0: records counts */
};
/* "N" or "P%". */
int reject_limit_parse(const char *text, struct reject_limit *out, struct err *err);
bool reject_limit_exceeded(const struct reject_limit *l, uint64_t rejected, uint64_t read);

/* dir is made when the first reject comes: make_dir(arg) returns its path. make_dir NULL: rejects are counted only, and the first
 * one is remembered. */
struct reject_log *reject_log_new(const struct reject_limit *limit, const char *(*make_dir)(void *arg, struct err *err),
                                  void *arg, struct err *err);
/* Rejects of inputs that are read before their turn wait in a temporary file in dir, which counts against quota. Both are
 * borrowed. Without this, only one input may be read at a time. */
void reject_log_keep_in(struct reject_log *l, const char *dir, struct disk_quota *quota);
/* Sets the names by which reports call files. Borrowed. */
void reject_log_name(struct reject_log *l, const struct path_names *names);
void reject_log_free(struct reject_log *l);

/* Rejects of one chunk; reset by submit (reject_batch.c). */
struct reject_batch {
    struct buf raw, reasons, lost, sql;
    struct buf path, header; /* of the source that all of it is of: see reject_batch_source */
    uint64_t n;
};
/* Begins another list of inputs: its chunks are numbered from 0 again. */
void reject_log_begin_list(struct reject_log *l);
/* Takes the rejects of a chunk. Not thread-safe: the loader holds its lock. is_text chooses rejects.txt or rejects.cells. */
int reject_log_submit(struct reject_log *l, struct reject_turn turn, bool is_text, struct reject_batch *b, struct err *err);
/* All chunks of the stream have been submitted: the next one has its turn. */
int reject_log_end_stream(struct reject_log *l, uint64_t stream, struct err *err);
/* All chunks before this one in its stream have been submitted. */
bool reject_log_has_turn(const struct reject_log *l, struct reject_turn turn);
/* Takes what a chunk for which that holds has collected so far. Under the lock as well. */
int reject_log_flush(struct reject_log *l, uint64_t stream, bool is_text, struct reject_batch *b, struct err *err);
/* Returns whether there are so many rejects that to continue makes no sense (over the limit, and enough for a report). */
bool reject_log_hopeless(const struct reject_log *l);
const char *reject_log_first(const struct reject_log *l); /* "file:line: reason" of the first one in input order; "" = none */
const char *reject_log_dir(const struct reject_log *l);   /* where its files are; "" = none were needed */
int reject_log_finish(struct reject_log *l, struct err *err);
/* Checks the number of rejects: ERR_REJECTS where these are more than the limit allows. */
int reject_limit_check(const struct reject_limit *limit, const struct reject_log *l, uint64_t rejected, uint64_t read,
                       struct err *err);

#endif
