/* Sorted runs that outlive the program, for a join or a resumed run. */
#ifndef SORT_KEPT_RUN_H
#define SORT_KEPT_RUN_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/outfile.h"
#include "cell/cell.h"
#include "sort/sorted.h"

struct kept_run;
struct kept_run_files;

/* Begins where out ends, which is borrowed, and not written to by others until the run is finished. */
struct kept_run *kept_run_create(struct outfile *out, struct err *err);
int kept_run_put(struct kept_run *r, const struct row_part *part, struct err *err);
int kept_run_finish(struct kept_run *r, struct kept_run_stats *out, struct err *err);
void kept_run_free(struct kept_run *r); /* accepts NULL */
/* input goes into the ranks of cells, which otherwise are those of their order. family is borrowed. */
struct source *kept_run_open(const struct kept_run_place *at, uint32_t input, struct bytes family, struct err *err);
/* Returns what reading it takes. 0: it cannot be read, which kept_run_open explains. */
size_t kept_run_memory(const struct kept_run_place *at);
/* dir, where the family directories are, and quota are borrowed. */
struct kept_run_files *kept_run_files_new(const char *dir, unsigned workers, uint32_t families, struct disk_quota *quota,
                                          struct err *err);
/* The file of a worker, made when it is asked for first. */
struct outfile *kept_run_file(struct kept_run_files *l, unsigned worker, uint32_t family, const char *name, struct err *err);
int kept_run_files_finish(struct kept_run_files *l, struct err *err);
void kept_run_files_free(struct kept_run_files *l); /* accepts NULL; files that are not finished are removed */
/* FAMILY/w00003.run */
char *kept_run_file_path(unsigned worker, const char *family, struct err *err);
/* Returns whether a file has the name of a kept run. */
bool kept_run_is(const char *path);

#endif
