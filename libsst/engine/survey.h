/* A look into the store files of a table before they are read: trailer and file info only, many files side by side. Gives what
 * HBase decides from whole files, marks those that a compaction has replaced, and puts the files of each store into the order of
 * their age. */
#ifndef ENGINE_SURVEY_H
#define ENGINE_SURVEY_H

#include "rules/file_facts.h"
#include "engine/hfile_view.h"
#include "formats/hbase/store_files.h"
#include "hfile/hfile.h"
#include "engine/job.h"
#include "engine/surveyed_file.h"

struct survey {
    struct surveyed_file *files; /* as in store_files.files */
    uint32_t *by_age;            /* their indexes: by region, family and age, oldest first */
    size_t n;
};

/* What is known without a look: halves, sizes, names. */
int survey_begin(const struct store_files *s, struct survey *out, struct err *err);
/* The look. What cannot be opened is marked; only a lack of memory, a stop request, and a side file `.crc` or a list of compacted
 * files that cannot be right (ERR_INPUT) are errors. Text of warnings (one a line) is added to warnings. */
int survey_run(const struct job *job, const struct store_files *s, struct survey *out, struct buf *warnings, struct err *err);
/* Borrow from the file. */
struct file_facts survey_facts(const struct store_file *f, const struct surveyed_file *seen);
struct hfile_view survey_view(const struct store_file *f, const struct surveyed_file *seen);
void survey_free(struct survey *s);

#endif
