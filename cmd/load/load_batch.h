/* Chooses the files that go into one statement. */
#ifndef CMD_LOAD_LOAD_BATCH_H
#define CMD_LOAD_LOAD_BATCH_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/load/load_files.h"

/* The files of an export, by family and partition. */
struct load_list {
    const struct load_files_opts *o;
    struct load_file *files;
    size_t n, first; /* first that is not in */
    uint64_t batch_bytes;
};

/* Returns the size of a batch of a load of `all` bytes of text: a share of it, but not less than `least`, nor a huge one. */
uint64_t load_batch_bytes(uint64_t all, uint64_t least);
int load_list_make(struct load_list *l, const struct load_files_opts *o, struct err *err);
void load_list_free(struct load_list *l);
/* The next files that can go in now, which run from now on. 1; 0: none now (*more: there will be); -1. */
int load_batch_pick(struct load_list *l, struct load_batch *b, bool *more, struct err *err);
/* Adds up what is left of it: without files that are in. */
int load_batch_count(const struct load_list *l, struct load_batch *b, struct err *err);
/* All of it by one INSERT … SELECT. */
bool load_batch_is_external(const struct load_batch *b);
int load_batch_put_statement(struct buf *out, const struct load_files_opts *o, const struct load_batch *b, struct err *err);
struct load_files_event load_batch_event(const struct load_batch *b, enum load_files_step step);
void load_batch_free(struct load_batch *b);

#endif
