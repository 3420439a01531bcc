/* The inputs of a run as the engine sees them: a file, or the many HFiles of a store of HBase, each with what its store knows of
 * it; and what reading an input came to. Exports: families */
#ifndef ENGINE_INPUT_H
#define ENGINE_INPUT_H

#include "base/bytes.h"
#include "cell/cell.h"
#include "engine/format.h"
#include "engine/job.h"
#include "engine/rejects.h"
#include "rules/ledger.h"
#include "rules/whole_files.h"
#include "table/placement.h"

struct input_order;
struct mob_resolver;

/* ---- signs of mistakes ----
 * Timestamps of another unit, text in another character set: counted while cells are read; what they amount to is judged when the
 * input has ended. */

struct input_signs {
    uint64_t cells;
    uint64_t early;         /* before 1990; of these are, though before 1980, plausible dates: */
    uint64_t seconds;       /* as seconds */
    uint64_t late;          /* more than a year after now; of these are plausible dates: */
    uint64_t micros, nanos; /* as microseconds, as nanoseconds */
    uint64_t dates;         /* of both, the digits of a date, such as 20231114; how many digits the first of them has: */
    uint64_t date_digits;
    uint64_t latest;      /* INT64_MAX, for which a server should have put in its time */
    uint64_t not_utf8;    /* values and keys of text */
    uint64_t ttls;        /* cells with a TTL of their own; of these are whole hours */
    uint64_t ttl_seconds; /* as seconds, and not even whole minutes as milliseconds */
};

/* Of timestamps and TTLs. latest: a year after now. */
void input_signs_time(struct input_signs *s, const struct cell *cells, uint32_t n, int64_t latest_ms);
/* Of a part from text that is not UTF-8 throughout. */
void input_signs_text(struct input_signs *s, const struct row_part *part);
void input_signs_add(struct input_signs *sum, const struct input_signs *s);

/* What a store knows of the sequence ids of a file besides its content. */
struct file_seq {
    uint64_t number; /* n, where it is named */
    bool named;      /* by its name, _SeqId_<n>_ */
    bool top;        /* it is seen through a TOP reference, which counts one more */
    bool keeps;      /* though it looks bulk-loaded, its cells have ids of their own; not if it is named */
};

struct hfile_view {
    uint32_t store_file; /* 1 + age among the files of the input; 0: it is no store file */
    struct file_seq seq;
    struct bytes start_row, stop_row; /* p == NULL: open */
    struct bytes floor;               /* the file holds no row before it */
    bool left_out;                    /* nothing of it is seen: it is no longer part of the store */
    bool unread;                      /* it could not be opened when the order of files was made: its place is not known */
    struct mob_resolver *mob;         /* its family's values may be in mob files; NULL: they are not */
    uint64_t file_bytes;              /* small files are opened by the thread that reads them */
};

/* The HFiles of an input that is a store of HBase. */
struct input_files {
    size_t n;
    bool packed;                                                           /* they are in an archive, and are not unpacked yet */
    const char *(*at)(const void *arg, size_t i, struct hfile_view *view); /* the path, and how the store sees the file */
    const void *arg;
};

enum { INPUT_ANY_PLACE, INPUT_FIRST_PLACE };

struct input {
    const char *path;
    const char *format_name;         /* forced format, or NULL = by content */
    const struct input_files *files; /* NULL: it is the one file at path; else sizes, times and checksum are filled in already */
    uint32_t group;                  /* logical input, ascending: goes into rank; the files of a dataset share one */
    bool is_said;                    /* a file of a dataset: its manifest says that these cells are in it */
    struct tally said;
    uint64_t kv_bytes;                /* and so many bytes of KeyValues */
    struct text_part part;            /* of a text: what is read of it; of runs: where this one is in its file */
    struct member_part members;       /* of an archive: which ones are read */
    bool is_cut;                      /* a shard begins inside of it */
    struct bytes start_row, stop_row; /* of one HFile: only these rows are read; p == NULL: open. Borrowed */
    uint32_t place;                   /* INPUT_FIRST_PLACE + the partition all its rows are in, INPUT_ANY_PLACE = not known */
    unsigned holds;                   /* HOLDS_…: of a store or dataset as it was listed; of a file as its reader said */
    /* Results: */
    const struct format *format;
    uint64_t file_bytes;
    int64_t mtime_ns, ctime_ns; /* of its content; of its inode: not to be set by anybody */
    double work;                /* that a byte of it is beside those of others, for progress; 0: as any other */
    uint64_t records;
    struct tally tally;
    struct input_signs signs;
    bool by_lines;     /* as its reader said */
    char checksum[17]; /* of the file; "" when its format is not read in one pass; of a store: of the list of its files; of a run:
                        * the sum of its frames, given */
    bool earlier;      /* of a delta: an earlier night has merged it, it is not read */
};

/* Fills in size and time of a file, which must exist. What is a store, or standard input, stays as it is. */
int input_stat(struct input *in, struct err *err);

/* What inputs hold together, after they were read: HOLDS_… */
static inline unsigned inputs_hold(const struct input *in, uint32_t n) {
    unsigned holds = 0;
    for (uint32_t i = 0; i < n; i++) holds |= in[i].holds;
    return holds;
}

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

/* An input that is a store of HBase, for the version rules: many files, of which each counts as it does in HBase. Files by
 * region, family and age, oldest first: the order in which ranks number them from 1. */
struct store_input {
    uint32_t group; /* input number, see load_input */
    size_t n_files, n_regions;
    struct store_input_file (*file)(const void *arg, size_t by_age);
    struct store_input_region (*region)(const void *arg, size_t i); /* by start key */
    const void *arg;
};

/* ---- how they are read ---- */

struct sorter;

/* Where accepted parts go; called by many threads, each with its own number. */
struct part_consumer {
    int (*put)(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part, struct err *err);
    bool (*full)(void *arg); /* no further chunk is begun; NULL = never */
    void *arg;
    /* Instead of put, where the number and digest of the part's cells are known already; NULL: it is all the same. */
    int (*put_summed)(void *arg, unsigned thread, uint32_t family, const struct row_part *part, const struct tally *sum,
                      struct err *err);
};

struct input_reader_opts {
    const struct job *job;
    unsigned threads;
    struct input *inputs;
    uint32_t n_inputs;
    struct read_opts read; /* table, shapes, columns … */
    const struct placement *placement;
    struct part_consumer consumer;
    const struct sorter *sorter; /* that the consumer puts into: no further chunk is begun while it is full; NULL = none */
    /* arg: the consumer's. What this thread puts from now on comes out of the chunk of this number: 0, 1, 2 … in the order of the
     * inputs. NULL: not needed. */
    void (*begin)(void *arg, unsigned thread, uint64_t chunk); /* one thread at a time, as progress */
    unsigned side_by_side; /* so many compressed texts at most are read at once: the memory allows so many windows; 0 = 1 */
    bool by_rows; /* chunks of all inputs, which are HFiles, are handed out so that rows ascend: see input_reader_floor */
    uint64_t max_value_bytes;   /* larger values are rejects; 0 = the columns' lengths decide */
    struct input_order *order;  /* ids for cells that have none; NULL: they keep none */
    struct reject_log *rejects; /* NULL: the first bad record is an ERR_INPUT */
    uint32_t families_most;     /* of a table that grows by what data names; 0 = FAMILIES_MOST */
    bool skip_client_check;     /* do not count rows the Java client would look for elsewhere */
    bool any_time;              /* also cells before 1970, which are rejects otherwise: nothing is written */
};

/* How many families there may be: those of the table, or where data may name more as many as have room in `memory`, if each takes
 * so many bytes there (0 = none). */
uint32_t families_at_most(const struct read_opts *read, size_t memory, size_t each);
uint32_t families_known(const struct read_opts *read); /* at least 1: some will come */

struct input_reader;
/* Checks that every input exists; opens none yet. */
struct input_reader *input_reader_new(const struct input_reader_opts *o, struct err *err);
/* 1 = stopped because the consumer is full (call again), 0 = all inputs are done, -1 = error. */
int input_reader_run(struct input_reader *l, struct err *err);
/* by_rows, when input_reader_run has stopped: 1 = no row before *row is still to come, as the indexes of the files say (a file
 * that then begins a chunk with such a row is damaged); valid until the next call. 0 = no row at all, -1. */
int input_reader_floor(struct input_reader *l, struct bytes *row, struct err *err);
/* Sums so far; valid when input_reader_run has returned. */
const struct ledger *input_reader_ledger(const struct input_reader *l);
uint64_t input_reader_client_rows(const struct input_reader *l); /* rows a direct-mode Java client would look for elsewhere */
void input_reader_free(struct input_reader *l);

#endif
