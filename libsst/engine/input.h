/* The inputs of a run as the engine sees them: a file, or the many HFiles of a store of HBase, each with what its store knows of
 * it; and what reading an input came to. Exports: families */
#ifndef ENGINE_INPUT_H
#define ENGINE_INPUT_H

#include "base/bytes.h"
#include "engine/format.h"
#include "rules/whole_files.h"

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

/* Sequence ids of a file as its store knows them, besides its content. */
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

/* The HFiles of an input that is a store of HBase, or the partitions of one that is a table in a database. */
struct input_files {
    size_t n;
    bool packed;         /* they are no files on disk: in an archive, and not unpacked yet, or partitions of a database */
    size_t window_bytes; /* that a reader holds beside its chunk: several are read side by side; 0: one after the other */
    const char *(*at)(const void *arg, size_t i, struct hfile_view *view); /* the path, and how the store sees the file */
    const void *arg;
};

enum { INPUT_ANY_PLACE, INPUT_FIRST_PLACE };

struct input {
    const char *path;
    const char *format_name;         /* forced format, or NULL = by content */
    const struct input_files *files; /* NULL: it is the one file at path; else sizes, times and checksum are filled in already */
    uint32_t group;                  /* logical input, ascending: goes into rank; the files of a dataset share one */
    bool in_manifest;                /* a file of a dataset: its manifest says that these cells are in it */
    struct tally manifest_tally;
    uint64_t kv_bytes;                /* and so many bytes of KeyValues */
    struct text_part part;            /* of a text: what is read of it; of runs: where this one is in its file */
    struct member_part members;       /* of an archive: which ones are read */
    bool is_cut;                      /* a shard begins inside of it */
    unsigned char divisible;          /* 1 + how a shard cuts it, once that was asked (input_shard.c) */
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

/* Returns what inputs hold together, after they were read: HOLDS_… */
static inline unsigned inputs_hold(const struct input *in, uint32_t n) {
    unsigned holds = 0;
    for (uint32_t i = 0; i < n; i++) holds |= in[i].holds;
    return holds;
}

/* One file of a store. Strings are borrowed. */
struct store_input_file {
    const char *path, *family;
    uint32_t region;
    bool starts_outside_region; /* its rows do not begin in its region */
    struct file_facts facts;
};
/* The rows of a region: from start to the row before end; empty: open. */
struct store_input_region {
    struct bytes start, end;
};

/* An input that is a store of HBase, for the version rules: many files, of which each counts as it does in HBase. Files by
 * region, family and age, oldest first: the order in which ranks number them from 1. */
struct store_input {
    uint32_t group; /* of its input, as in struct input */
    size_t n_files, n_regions;
    struct store_input_file (*file)(const void *arg, size_t by_age);
    struct store_input_region (*region)(const void *arg, size_t i); /* by start key */
    const void *arg;
};

#endif
