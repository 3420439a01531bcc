/* Reads inputs in parallel: readers hand out chunks in turn, all threads parse, records are checked against the table
 * (lengths, placement, timestamps) and handed to a consumer. Keeps the input side of both ledgers and the rejects. */
#ifndef PIPELINE_LOAD_H
#define PIPELINE_LOAD_H

#include "cell/order.h"
#include "flow/ledger.h"
#include "flow/placement.h"
#include "formats/format.h"
#include "pipeline/job.h"
#include "pipeline/rejects.h"

/* The HFiles of an input that is a store of HBase. */
struct load_files {
    size_t n;
    bool packed;                                                           /* they lie in an archive, and are not unpacked yet */
    const char *(*at)(const void *arg, size_t i, struct hfile_view *view); /* the path, and how the store sees the file */
    const void *arg;
};

enum { LOAD_ANY_PLACE, LOAD_FIRST_PLACE };

struct load_input {
    const char *path;
    const char *format_name;        /* forced format, or NULL = by content */
    const struct load_files *files; /* NULL: it is the one file at path; else sizes, times and checksum are filled in already */
    uint32_t group;                 /* logical input, ascending: goes into rank; the files of a dataset share one */
    uint32_t place;                 /* LOAD_FIRST_PLACE + the partition all its rows are in, LOAD_ANY_PLACE = not known */
    /* Results: */
    const struct format *format;
    uint64_t file_bytes;
    int64_t mtime_ns;
    uint64_t records;
    struct tally tally;
    char checksum[17]; /* of the file; "" when its format is not read in one pass; of a store: of the list of its files */
    bool earlier;      /* of a delta: an earlier night has merged it, it is not read */
};

/* Where accepted parts go; called by many threads, each with its own number. */
struct load_consumer {
    int (*put)(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part, struct err *err);
    bool (*full)(void *arg); /* no further chunk is begun; NULL = never */
    void *arg;
};

struct load_opts {
    const struct job *job;
    unsigned threads;
    struct load_input *inputs;
    uint32_t n_inputs;
    struct read_opts read; /* table, shapes, columns … */
    const struct placement *placement;
    struct load_consumer consumer;
    /* arg: the consumer's. What this thread puts from now on comes out of the chunk of this number: 0, 1, 2 … in the order of the
     * inputs. NULL: nobody asks. */
    void (*begin)(void *arg, unsigned thread, uint64_t chunk);
    uint64_t max_value_bytes;   /* larger values are rejects; 0 = the columns' lengths decide */
    struct reject_log *rejects; /* NULL: the first bad record is an ERR_INPUT */
    bool skip_client_check;     /* do not count rows the Java client would look for elsewhere */
};

/* Families that nobody declared, but the data names; and families of one table in all. */
enum { LOAD_FAMILIES_MAX = 8, LOAD_FAMILIES_MOST = 256 };

/* Fills in size and time of a file, which must exist. What is a store, or standard input, stays as it is. */
int load_input_look(struct load_input *in, struct err *err);

struct loader;
/* Looks at every input (they must exist), opens none yet. */
struct loader *loader_new(const struct load_opts *o, struct err *err);
/* 1 = stopped because the consumer is full (call again), 0 = all inputs are done, -1 = error. */
int loader_run(struct loader *l, struct err *err);
/* Sums so far; valid when loader_run has returned. */
const struct ledger *loader_ledger(const struct loader *l);
uint64_t loader_client_rows(const struct loader *l); /* rows a direct-mode Java client would look for elsewhere */
void loader_free(struct loader *l);

#endif
