/* The files of an export: pieces come in order of family, partition and key, and go to data/ or, where lines are very long, to
 * big/. A new file begins with a partition, and between two stretches once a file has reached its size. */
#ifndef CMD_EXPORT_EXPORT_FILES_H
#define CMD_EXPORT_EXPORT_FILES_H

#include "base/outfile.h"
#include "cmd/oceanbase/export_manifest.h"
#include "cmd/export/export_slice.h"

struct export_files_opts {
    const char *dir; /* data/ and big/ are made in it */
    struct disk_quota *quota;
    const struct table *table; /* of the target */
    const struct export_form *form;
    enum load_compression compression;
    struct bytes head;     /* at the beginning of every file, as it is to be stored */
    uint64_t target_bytes; /* of text */
};

struct export_files;
struct export_files *export_files_new(const struct export_files_opts *o, struct err *err);
/* Files that are not finished are removed. */
void export_files_free(struct export_files *f);
/* What follows is of this partition, and begins a row. */
int export_files_turn(struct export_files *f, uint32_t family, uint32_t partition, struct err *err);
/* packed: p->text as it is to be stored. */
int export_files_put(struct export_files *f, bool big, const struct export_piece *p, struct bytes packed, struct err *err);
/* Finishes what is open and moves the list of files into the manifest. */
int export_files_finish(struct export_files *f, struct export_manifest *m, struct err *err);

#endif
